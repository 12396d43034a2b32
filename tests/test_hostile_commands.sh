#!/bin/sh
# test_hostile_commands.sh: the commands that run a model many times, as clumsy and hostile users meet them: ranges without a
# length or with a billion values, motions without an orbit, runs that stop or fail, files that are not meant so, Ctrl-C.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML

model() # NAME LINE...
{
    file=$tmp/$1.yaml
    shift
    { printf '%s\n' 'carom: 1' 'coordinates: {x: 1}' "kinetic: x'^2/2" "$@"; } >"$file"
}
model damped 'parameters: {a: 0.1}' 'potential: x^2/2' "forces: {x: -2*a*x'}" 'run: {t_end: 10}'
model forced 'parameters: {a: 0.1, w: 2}' 'potential: x^2/2' "forces: {x: -2*a*x' + cos(w*t)}" 'period: 2*pi/w'
model well 'potential: x^4/4 - x^2/2' "forces: {x: -0.2*x'}" 'run: {t_end: 60}'
model stopped 'potential: x^2/2' 'stop: x < 0.5' 'run: {t_end: 10}'
model bursts 'parameters: {a: 2}' 'velocities: {x: 1}' 'forces: {x: a*x^3}' 'run: {t_end: 10}' # x = 1/(1 - t)
damped=$tmp/damped.yaml forced=$tmp/forced.yaml well=$tmp/well.yaml stopped=$tmp/stopped.yaml bursts=$tmp/bursts.yaml

# A parameter that the file gives in terms of another becomes a number of its own where it is varied.
model depends 'parameters: {w: 2, a: 0.1, b: 2*a, c: 3*a}' 'potential: x^2/2' "forces: {x: -b*x' + c*cos(w*t)}" 'period: 2*pi/w'
depends=$tmp/depends.yaml
for command in "bifurcate --transient 5 --show 2" "bifurcate --transient 5 --show 2 --fresh --exponent --periods 5" orbit "orbit --sensitivity" \
    "sweep --measure lyapunov --periods 5" "basin --periods 50"; do
    # shellcheck disable=SC2086
    expect 0 $command "$depends" -p c=0.2:0.4:9
done
expect 0 bifurcate "$depends" -p c=0.3:0.6:2 --transient 100 --show 1 --json # x is proportional to c
holds '.rows[1].points[0] / .rows[0].points[0] - 2 | fabs < 1e-4'
expect 0 gradient "$depends" --of x --with-respect-to a -p c=0.4 --t-end 5 --json
holds '.gradient.a - .differences.a | fabs < 1e-7'

# Counts are integers.
for command in "basin -p q.x=0:1:2 --periods 20.5" "bifurcate -p w=1:2:3 --show 1.5" "orbit --multiple 1.5" "lyapunov --transient 0.5"; do
    # shellcheck disable=SC2086
    expect 2 $command "$forced"
    says "takes an integer"
done

# The smooth linear oscillator is known: exponents -a per unit of time, multipliers exp((-a +- i w0) T), the orbit itself.
expect 0 lyapunov "$damped" --time 200 --transient 10 --json
holds '.exponents | map(. + 0.1 | fabs < 1e-5) | all'
expect 0 orbit "$forced" --json
holds '(.multipliers | map(.re + 0.7303121297150607 | fabs < 1e-10) | all) and (.multipliers[0].im | fabs - 0.011501490431928678 | fabs < 1e-10)'
holds '(.q.x + 3/9.16 | fabs < 1e-11) and (.v.x - 0.8/9.16 | fabs < 1e-11)'

# An equilibrium is no periodic orbit, and a resonance has none.
for rest in "$damped" "$well" "$well -p q.x=0.5" bouncing-ball; do
    # shellcheck disable=SC2086
    expect 4 orbit $rest --json
    says "equilibrium"
    holds '.status == "the iteration did not converge" and (.message | contains("equilibrium"))'
done
expect 4 orbit "$forced" -p a=0 -p w=1
says "no periodic orbit near the start"

# A branch without a length was followed for ever; -o without a branch, or to a file of another kind, was not looked at.
timeout -k 1 300 "$CAROM" orbit "$forced" -p w=1.5:1.5:5 >"$out" 2>"$err"
[ $? = 2 ] || complain "a branch from 1.5 to 1.5 is not refused"
says "no length"
expect 2 orbit "$forced" -o "$tmp/orbit.csv"
says "NAME=FROM:TO:N"
expect 2 orbit "$forced" -p w=1.5:2:3 -o "$tmp/branch.svg"
says "ends in .csv"
expect 0 orbit "$forced" -p w=1.5:2:3 -o -
prints "^w,kind,T,x,x'"
silent
[ ! -e ./- ] || { complain "-o - has made a file"; rm -f ./-; }
! grep -q orbit "$out" || complain "a summary stands in the table"

# A run that stops or fails on its way: an exit code that says so, and an object all the same.
for command in "orbit" "gradient --of x" "lyapunov --time 20 --transient 1"; do
    # shellcheck disable=SC2086
    expect 1 $command "$stopped" --json
    says "stop condition"
    holds '.status == "the stop condition of the model was reached" and (.message | length > 10)'
done
for command in "orbit" "gradient --of x" "lyapunov --time 20 --transient 1" "converge --h 0.1,0.05"; do
    # shellcheck disable=SC2086
    expect 4 $command "$bursts" --json
    holds '.status == "the tolerance cannot be met" and (.message | contains("t = "))'
done
expect 1 gradient "$damped" --of 1/0 --json
holds '.status == "a value is not finite"'
expect 2 gradient "$damped" --of x -o "$tmp/gradient.csv"

# What cannot be kept, drawn or computed is told before the first point, not after the last, and without taking the memory.
expect 2 bifurcate "$forced" -p w=1:2:1e9
says "too many for one diagram"
expect 2 bifurcate "$forced" -p w=1:2:3 -o "$tmp/a.svg" --picture "$tmp/b.svg"
says "twice"
expect 2 sweep "$forced" -p a=0:1:3 --measure max:x --picture "$tmp/map.png"
says "two axes"
[ ! -s "$out" ] || complain "points were computed before the picture was refused"
expect 2 sweep "$forced" -p a=0:1:1e5 -p w=1:2:1e5 --measure max:x -o "$tmp/large.csv" --picture "$tmp/map.png"
says "too large"
expect 2 sweep "$forced" -p a=0:1:3 --measure lyapunov --scheme moreau-jean
says "does not locate its events"
expect 2 basin "$well" -p q.x=-1:1:3 --strobe 1 -o "$tmp/map.png"
says "two axes"

for command in "bifurcate -p w=2:3:2 --transient 1e9" "sweep -p w=2:3:2 --measure max:x --time 1e9" "basin -p w=2:3:2 --transient 1e8 --periods 1e9"; do
    # shellcheck disable=SC2086
    timeout -k 1 300 "$CAROM" $command "$forced" -o "$tmp/no/such/folder.csv" >"$out" 2>"$err"
    [ $? = 1 ] || complain "$command: a file that cannot be written is not told at once"
    says "cannot be created"
done
model drawn 'draw: {disc: {circle: [x, 0, -x]}}'
expect 3 report "$tmp/drawn.yaml" -o "$tmp/page.html"
says "radius is -1"

# Ctrl-C in the middle of one long run, not only between two. What timeout(1) and mpirun send twice is still one Ctrl-C.
for command in "bifurcate -p w=2:3:10 --transient 1e9" "lyapunov --transient 1e12"; do
    # shellcheck disable=SC2086
    begin $command "$forced" --json
    caught
    kill -INT "$job"
    kill -INT "$job"
    ended 130
    says "interrupted"
    holds 'type == "object"'
done

# The help tells each option once and every exit code that may come.
"$CAROM" help converge >"$out"
[ "$(grep -c '^  --h ' "$out")" = 1 ] || complain "help converge tells --h twice"
for command in merge reproduce report; do
    "$CAROM" help $command >"$out"
    prints '^  4  '
done
finish
