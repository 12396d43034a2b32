#!/bin/sh
# figures.sh CAROM DIR: the pictures that the documentation shows, made by the command itself.
set -eu
carom=$1
dir=$2
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$carom" run bouncing-ball --rtol 1e-8 --atol 1e-8 --every 0.005 --quiet -o "$tmp/ball.csv"
"$carom" plot "$tmp/ball.csv" --panel y --panel "y'" --title "Bouncing ball: restitution 0.9, at rest after infinitely many impacts" \
    -o "$dir/bouncing-ball.svg"
echo "$dir/bouncing-ball.svg"
"$carom" bifurcate impact-oscillator -p w=2.6:3:400 -p alpha=0 -p umin=0 --transient 400 --show 200 --exponent \
    --mark "2.6533477279:period doubling" -o "$dir/bifurcation.svg" --quiet
echo "$dir/bifurcation.svg"
