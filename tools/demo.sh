#!/bin/sh
# demo.sh CAROM DIR: a bouncing ball through its infinitely many impacts, into DIR: trajectory, picture, report.
set -eu
carom=$1
dir=$2
mkdir -p "$dir"

echo "carom run bouncing-ball -o $dir/bouncing-ball.csv"
"$carom" run bouncing-ball -o "$dir/bouncing-ball.csv" | tee "$dir/summary.txt"
"$carom" plot "$dir/bouncing-ball.csv" -o "$dir/bouncing-ball.svg"

html() { sed 's/&/\&amp;/g; s/</\&lt;/g; s/>/\&gt;/g'; }
{
    cat <<'END'
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Carom: a bouncing ball</title>
<style>
body { max-width: 52rem; margin: 2rem auto; padding: 0 1rem; font: 16px/1.5 sans-serif; color: #222 }
pre { background: #f5f5f5; padding: 1rem; overflow-x: auto; font-size: 14px }
svg { max-width: 100%; height: auto }
</style>
<h1>A bouncing ball, straight through its Zeno point</h1>
<p>The ball comes to rest after infinitely many impacts in finite time. The run goes on behind that point.</p>
END
    sed '/^<?xml/d' "$dir/bouncing-ball.svg"
    echo "<h2>The model</h2><pre>"
    "$carom" help bouncing-ball | html
    echo "</pre><h2>The run</h2><pre>"
    html <"$dir/summary.txt"
    echo "</pre>"
    echo "<p>Try next: <code>carom run bouncing-ball -p e=0.5 -o ball.csv</code>, <code>carom list models</code>.</p>"
    echo "</html>"
} >"$dir/report.html"

echo
echo "trajectory  $dir/bouncing-ball.csv"
echo "picture     $dir/bouncing-ball.svg"
echo "report      $dir/report.html"
