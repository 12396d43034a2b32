#!/bin/sh
# test_orbit_command.sh: `carom orbit` and `carom gradient` as a user meets them: results, files, mistakes, exit codes.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML

# The orbit of one impact per period: published to ten digits.
expect 0 orbit impact-oscillator -p alpha=0.05 -p e=0.5 -p umin=0 --sensitivity --json
holds '.stable and .impact_count == 1 and (.impacts | length == 1) and (.impacts[0].speed + 0.703745586353 | fabs < 1e-10)'
holds '(.multipliers | length == 2) and ((.multipliers[0].re*.multipliers[0].re + .multipliers[0].im*.multipliers[0].im | log)/2 + 0.81881089 | fabs < 1e-8)'
holds '.sensitivity.a["q.u"] - .q.u | fabs < 1e-9' # umin = 0: the motion is proportional to a

expect 0 orbit impact-oscillator -p alpha=0 -p umin=0 -p w=2.3:2.8:25 -o "$tmp/branch.csv" --json
holds '.branch.bifurcations == [.branch.bifurcations[0]] and .branch.bifurcations[0].kind == "period doubling" and (.branch.bifurcations[0].value - 2.6533477279 | fabs < 1e-8)'
head -1 "$tmp/branch.csv" | grep -q "^w,kind,T,u,u',re1,im1,re2,im2,stable,impacts,slowest,nearest$" || complain "the header of the branch is $(head -1 "$tmp/branch.csv")"
awk -F, 'NR > 1 { n++; if ($2 == "period doubling") { found = 1; at = $1 } if ($1 > at && found && $10 != 0) bad = 1 } END { exit !(n > 5 && found && !bad) }' "$tmp/branch.csv" ||
    complain "the branch has no period doubling, or is stable behind it"

# A ball that chatters to rest on a table in each period: the list of impacts ends, their number does not.
expect 0 orbit vibrating-table -p g=1 -p w=1 -p A=1.05 -p e=0.75 --json
holds '.impact_count > 32 and (.impacts | length == 32)'
expect 0 orbit vibrating-table -p g=1 -p w=1 -p A=1.05 -p e=0.75
prints "and [0-9]* more impacts"

expect 2 orbit impact-oscillator -p ww=1:2:3
says "did you mean 'w'"
expect 2 orbit impact-oscillator -p w=1:2
says "FROM:TO:N"
expect 2 orbit impact-oscillator -p w=1:2:3 -p e=0:1:3
says "one parameter"
expect 2 orbit impact-oscillator --multiple 0
expect 4 orbit bouncing-ball --transient 0 --period 0.3 # it comes to rest: no orbit near that start
expect 1 orbit impact-oscillator -p alpha=0 -p umin=0 -p w=2.3:2.4:5 -o /no/such/folder/branch.csv
[ ! -e /dev/full ] || { expect 1 orbit impact-oscillator -p alpha=0 -p umin=0 -p w=2.3:2.4:5 -o /dev/full; says "/dev/full"; }

expect 0 gradient bouncing-ball --t-end 1 --of "y^2" --with-respect-to e,q.y --json
holds '(.gradient.e - .differences.e | fabs < 1e-7) and (.gradient["q.y"] - .differences["q.y"] | fabs < 1e-7) and .warning == null'
holds '.one_sided == [] and .notes == []'
expect 0 gradient bouncing-ball --t-end 0.31622776601683794 --of y --with-respect-to e,q.y --json # sqrt(2 y0/g): at the impact
holds '.one_sided == ["q.y"] and (.notes | length == 1) and (.notes[0] | contains("ends at an event of contact \u0027ground\u0027"))'
expect 0 gradient bouncing-ball -p q.y=0 --t-end 0.3 --of y
prints "^note: the run begins with contact 'ground' closed: derivatives with respect to q.y, v.y are those"
expect 2 gradient bouncing-ball --of "yy"
says "did you mean 'y'"
expect 2 gradient bouncing-ball
says "--of"
expect 2 gradient bouncing-ball --of event:0
expect 2 gradient bouncing-ball --t-end 0.1 --of event:1
# Up to a symmetry: the woodpecker's peck; a rimless wheel, whose multiplier is ((J + m l^2 cos(pi/4))/(J + m l^2))^2.
expect 0 orbit woodpecker --relative y --transient 20 --json
holds '(.period - 0.145976 | fabs < 1e-6) and (.shift.y + 0.0194454 | fabs < 1e-6) and .stable and (.multipliers | length == 4)'
sed -n '/^```yaml wheel.yaml/,/^```$/p' docs/orbit.md | sed '1d; $d' >"$tmp/wheel.yaml"
expect 0 orbit "$tmp/wheel.yaml" --relative x,phi=pi/4 --transient 5 --json
holds '(.multipliers[0].re - 0.6001562536756972 | fabs < 1e-10) and (.shift.x - 0.7653668647301796 | fabs < 1e-10)'
expect 0 orbit "$tmp/wheel.yaml" -p J=1 --relative x,phi=pi/4 --transient 5 --json
holds '.multipliers[0].re - 0.7285533905932737 | fabs < 1e-10'
expect 2 orbit "$tmp/wheel.yaml" --relative x,phi --transient 5
says "depends on 'phi'"
expect 4 orbit "$tmp/wheel.yaml" --relative x --transient 5
says "name them as relative"
expect 4 orbit "$tmp/wheel.yaml" --transient 5
says "name them as relative"
! grep -q equilibrium "$err" || complain "a wheel that rolls is called an equilibrium"
expect 2 orbit woodpecker --relative z
says "no coordinate"
expect 2 orbit woodpecker --relative y=0
finish
