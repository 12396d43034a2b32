#!/bin/sh
# demo.sh CAROM DIR: a bouncing ball through its infinitely many impacts, into DIR: trajectory, picture, and pages to look at.
set -eu
carom=$1
dir=$2
mkdir -p "$dir"

echo "carom run bouncing-ball -o $dir/bouncing-ball.csv"
"$carom" run bouncing-ball -o "$dir/bouncing-ball.csv" | tee "$dir/summary.txt"
"$carom" plot "$dir/bouncing-ball.csv" -o "$dir/bouncing-ball.svg"
"$carom" report bouncing-ball -o "$dir/report.html" --quiet --title "A bouncing ball, straight through its Zeno point"
"$carom" report woodpecker -o "$dir/woodpecker.html" --quiet
"$carom" report double-pendulum-wall --schemes tolerance,moreau-jean -o "$dir/double-pendulum.html" --quiet
echo "carom reproduce --quick -o $dir/reproduce.html"
"$carom" reproduce --quick -o "$dir/reproduce.html" | tail -1

echo
echo "trajectory  $dir/bouncing-ball.csv"
echo "picture     $dir/bouncing-ball.svg"
echo "more pages  $dir/woodpecker.html, $dir/double-pendulum.html"
echo "papers      $dir/reproduce.html: figures and tables of the literature, computed and checked"
echo "report      $dir/report.html    (one offline page: open it in a browser)"
