#!/bin/sh
# test_bifurcate.sh: `carom bifurcate` as a user meets it: maps, files, options, signals, exit codes.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML

# ---- the impact oscillator through its period doubling at w = 2.6533477279 ----
expect 0 bifurcate impact-oscillator -p w=2.64:2.68:3 -p alpha=0 -p umin=0 --transient 300 --show 20 --exponent --periods 60 \
    -o "$tmp/d.csv" --picture "$tmp/d.svg" --mark "2.6533477279:period doubling" --mark 2.67
prints "2.64 ... 2.64 *1 point$"
prints "2.66 ... 2.68 *2 points$"
[ "$(head -1 "$tmp/d.csv")" = "w,direction,point,t,u,exponent" ] || complain "header of the table"
[ "$(wc -l <"$tmp/d.csv")" = 61 ] || complain "3 x 20 points"
xmllint --noout "$tmp/d.svg" 2>/dev/null || [ ! -x "$(command -v xmllint)" ] || complain "the picture is not XML"
grep -q 'period doubling' "$tmp/d.svg" || complain "the mark has no label"
[ "$(grep -c 'class="mark"' "$tmp/d.svg")" = 4 ] || complain "two marks in two panels"
grep -q 'largest exponent (up)' "$tmp/d.svg" || complain "no exponent below the diagram"

# ---- fields of the summary ----
expect 0 bifurcate impact-oscillator -p w=2.64:2.68:2 -p alpha=0 -p umin=0 --transient 300 --show 8 --exponent --periods 40 --json
holds '.parameter == "w" and .map == "strobe" and .of == "u" and .failed == 0 and (.rows | length) == 2'
holds '.rows[0].distinct == 1 and .rows[1].distinct == 2 and (.rows[0].points | length) == 8'
holds '.rows[0].value == 2.64 and .rows[1].value == 2.68 and .rows[0].direction == "up" and .rows[0].exponent < 0'

# ---- maps ----
p1="-p alpha=0.05 -p e=0.5 -p umin=0 -p w=2.5:2.5:1 --transient 60 --show 4 --rtol 1e-10 --atol 1e-10 --json"
# shellcheck disable=SC2086
expect 0 bifurcate impact-oscillator $p1 --map impact
holds '.of == "impact velocity" and ([.rows[0].points[] + 0.703745586353 | fabs < 1e-8] | all)'
# shellcheck disable=SC2086
expect 0 bifurcate impact-oscillator $p1 --map impact --after
holds '[.rows[0].points[] - 0.351872793177 | fabs < 1e-8] | all'
# shellcheck disable=SC2086
expect 0 bifurcate impact-oscillator $p1 --map impact --contact stop --of "mod(w*t, 2*pi)"
holds '[.rows[0].points[] - 5.7923881459 | fabs < 1e-8] | all'
# shellcheck disable=SC2086
expect 0 bifurcate impact-oscillator $p1 --section "sin(w*t)" --crossing up --of "cos(w*t)"
holds '.map == "section" and ([.rows[0].points[] - 1 | fabs < 1e-12] | all)'

# ---- both directions, and starts of their own ----
expect 0 bifurcate impact-oscillator -p w=2.4:2.6:3 --transient 20 --show 5 --direction both --json
holds '[.rows[] | .direction] == ["up", "up", "up", "down", "down", "down"]'
jq -c .rows "$out" >"$tmp/two"
expect 0 bifurcate impact-oscillator -p w=2.4:2.6:3 --transient 20 --show 5 --direction both --threads 1 --json
jq -c .rows "$out" >"$tmp/one"
cmp "$tmp/one" "$tmp/two" || complain "rows depend on the number of threads"
expect 0 bifurcate impact-oscillator -p q.u=0.6:1.4:3 --transient 20 --show 5 -o - --quiet
[ "$(head -1 "$out")" = "q.u,direction,point,t,u" ] || complain "table on standard output"
[ "$(wc -l <"$out")" = 16 ] || complain "3 x 5 points on standard output"
expect 0 bifurcate vibrating-table -p A=0.004:0.006:2 --map impact --of "mod(w*t, 2*pi)" --transient 20 --show 5 -o "$tmp/e.csv" --quiet
[ "$(head -1 "$tmp/e.csv")" = 'A,direction,point,t,"mod(w*t, 2*pi)"' ] || complain "a comma in a column's name"
[ ! -s "$out" ] || complain "--quiet prints"

# ---- Ctrl-C writes what there is ----
begin bifurcate impact-oscillator -p w=2:3:20000 --transient 30 --show 10 -o "$tmp/i.csv"
caught
worked 150
kill -INT "$job"
ended 130
says "interrupted"
[ "$(wc -l <"$tmp/i.csv")" -gt 10 ] || complain "nothing was written after Ctrl-C"

# ---- what is wrong is told ----
expect 2 bifurcate impact-oscillator
says "one -p NAME=FROM:TO:N"
expect 2 bifurcate impact-oscillator -p v=2:3:4
expect 2 bifurcate impact-oscillator -p w=2:3:4 --map stobe
says "did you mean 'strobe'"
expect 2 bifurcate impact-oscillator -p w=2:3:4 --map section
says "needs --section"
expect 2 bifurcate impact-oscillator -p w=2:3:4 --section "uu - 1"
says "uu"
expect 2 bifurcate impact-oscillator -p w=2:3:4 --map impact --contact wall
says "wall"
expect 2 bifurcate pendulum-wall -p e=0.5:0.9:3
says "no period"
expect 2 bifurcate impact-oscillator -p w=2:3:4 --mark abc
expect 2 bifurcate impact-oscillator -p w=2:3:4 -o "$tmp/d.png"
expect 1 bifurcate impact-oscillator -p w=2:3:2 --show 2 -o /nowhere/d.csv

finish
