#!/bin/sh
# test_cli.sh: the command as a user meets it: results, files, typos, full disks, signals, exit codes.
# Exact values: a ball dropped from y0 with restitution e comes to rest at t = sqrt(2 y0/g) (1 + e)/(1 - e).
# shellcheck source=tests/testing.sh
. tests/testing.sh

# ---- help, version, lists ----
expect 0
prints "usage: carom"
expect 0 help
for command in run check list plot help version; do
    prints "$command"
    "$CAROM" help $command >"$tmp/a"
    "$CAROM" $command --help >"$tmp/b"
    cmp "$tmp/a" "$tmp/b" || complain "help $command"
done
for option in --scheme --solver --set --h --rtol --atol --t-end --every -p -o --json --jit --allow-plugins --quiet --strict; do
    expect 0 help run
    prints "[ ,]$option"
done
expect 0 --version
prints '^carom [0-9]*\.[0-9]*\.[0-9]'
expect 0 help man
prints '^\.TH CAROM 1'
expect 0 help exit
prints '130 *interrupted'
expect 2 help mdoel
says "did you mean 'model'"
for what in schemes solvers laws models; do
    expect 0 list $what
    silent
    expect 0 list $what --json
    holds ".$what | length > 0 and all(.name | length > 0)"
done
expect 0 list --json
holds '.schemes[] | select(.name == "moreau-jean") | .fields[] | select(.name == "theta") | .default != null and .doc != null'
expect 2 list scheme
says "did you mean 'schemes'"

# ---- wrong command lines ----
expect 2 rnu ball
says "unknown command 'rnu'; did you mean 'run'"
expect 2 ball
says "unknown command"
expect 2 run bouncing-ball --shceme kern
says "did you mean '--scheme'"
expect 2 check bouncing-ball --threads 2
says "check does not take --threads"
expect 2 run bouncing-ball --panel y
says "it belongs to: plot"
expect 2 run
says "needs a MODEL"
expect 2 run bouncing-ball ball
says "'ball'"
expect 2 run bouncing-ball --h
says "needs a value"
expect 2 run bouncing-ball --json=yes
says "takes no value"
expect 2 run bouncing-ball -p e
says "NAME=NUMBER"
expect 2 run bouncing-ball -p e=high
says "NAME=NUMBER"
expect 2 run bouncing-ball -o - --json

if [ -z "${YAML:-}" ]; then
    expect 3 run bouncing-ball
    says "without libfyaml"
    finish
fi

# ---- wrong options of a run ----
expect 2 run bouncing-ball --h fast
says "fast"
expect 2 run bouncing-ball --scheme moreu-jean
says "moreau-jean"
expect 2 run bouncing-ball --scheme moreau-jean:thta=1
says "theta"
expect 2 run bouncing-ball --scheme moreau-jean:theta=7
says "theta"
expect 2 run bouncing-ball --set rtoll=1
says "rtol"
expect 2 run bouncing-ball -p ee=1
says "ee"
expect 2 run bouncing-ball -o "$tmp/x.xls"
says "xls"

# ---- model files ----
expect 3 run "$tmp/nowhere.yaml"
says nowhere.yaml
expect 3 run bouncing-bal
says "bouncing-ball"
expect 3 run bouncing-ball -p q.y=-1
printf 'carom: 1\nname: x\ncoordinates: {y: 1}\nkinetc: y\n' >"$tmp/typo.yaml"
expect 3 run "$tmp/typo.yaml"
says "typo.yaml:4:1"
says "kinetic"

# ---- results ----
expect 0 run bouncing-ball --scheme moreau-jean --h 1e-4 --json
silent
holds 'keys - ["notes", "message"] | index("model") and index("scheme") and index("status") and index("wall_s") and index("steps")
    and index("rejected") and index("rhs_evaluations") and index("impacts") and index("events") and index("zeno")
    and index("max_penetration") and index("max_residual") and index("energy")'
holds '.status == "ok" and .impacts > 50 and .impacts == .events.impact'
holds '(.q.y | fabs) < 1e-4 and (.v.y | fabs) < 1e-10'
holds '.energy.initial == 5 and (.energy.final - 10*.q.y | fabs) < 1e-12 and (.energy.balance_error | fabs) < 1e-10'
holds '.energy | (.initial - .dissipated.impact - .final | fabs) < 1e-10'
expect 0 run bouncing-ball --rtol 1e-9 --atol 1e-9 --json
holds '.scheme == "tolerance" and .zeno[0].contact == "ground" and (.zeno[0].t - 6.0083275543 | fabs) < 1e-9'
expect 0 run double-pendulum-wall --t-end 2 --verify --json
holds '.verify.error.th1 < 10*.verify.tolerance.th1 and .verify.tolerance.th1 > 0'
expect 0 run linear-oscillator --scheme moreau-jean --h 1e-3 --verify
prints "compared on"
expect 4 run impact-oscillator --verify # chaotic
says "not verified: 'u' is off by"
prints "compared on \[0, 50\] with a run with rtol = 1e-08"
# Ctrl-C in the second run, which takes 16 times as long: the first is complete, in its file and in the summary
begin run linear-oscillator --scheme kern --h 2e-6 --every 1 --verify -o "$tmp/verified.csv"
tries=0
until grep -q '^5,' "$tmp/verified.csv" 2>/dev/null || [ $tries -ge 3000 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
caught
kill -INT $job
ended 130
says "the run is complete, but its verification was interrupted at t = "
prints "steps"
expect 0 run bouncing-ball --t-end 0.25 -p g=4 -p q.y=2 -p v.y=1 --json
holds '.t == 0.25 and (.q.y - 2.125 | fabs) < 1e-12 and (.v.y | fabs) < 1e-12'
expect 0 run bouncing-ball
silent
prints "bouncing ball"
expect 0 run bouncing-ball --quiet
silent
[ ! -s "$out" ] || complain "--quiet prints"
expect 0 run bouncing-ball --quiet --scheme moreau-jean --set scheme.theta=0.5 --h=1e-3 --json
holds '.scheme | startswith("moreau-jean")'
cp "$out" "$tmp/first"
expect 0 run bouncing-ball --set scheme.theta=0.5 --scheme moreau-jean --h 1e-3 --json
jq 'del(.wall_s)' "$tmp/first" >"$tmp/a"
jq 'del(.wall_s)' "$out" >"$tmp/b"
cmp "$tmp/a" "$tmp/b" || complain "the order of options matters"
"$CAROM" list schemes --json | jq -r '.schemes[].name' >"$tmp/schemes"
while read -r scheme; do
    expect 0 run ball --scheme "$scheme" --t-end 0.5 --h 1e-3 --json
    holds '(.t - 0.5 | fabs) < 1e-12 and .status == "ok"'
done <"$tmp/schemes"

# ---- files ----
for ending in csv json ${HDF5:+h5}; do
    expect 0 run bouncing-ball --every 0.1 -o "$tmp/ball.$ending" --quiet
    expect 0 plot "$tmp/ball.$ending" -o "$tmp/$ending.svg"
    grep -q '<svg' "$tmp/$ending.svg" || complain "no picture of ball.$ending"
    expect 0 plot "$tmp/ball.$ending" --panel y --phase "y,y'"
    prints '</svg>'
done
expect 0 run bouncing-ball --every 0.1 -o -
prints "^t,side,y,y'"
grep -q "bouncing ball" "$err" || complain "with -o - the summary goes to stderr"
grep -v '^#' "$out" >"$tmp/a"
grep -v '^#' "$tmp/ball.csv" | cmp - "$tmp/a" || complain "-o - and -o FILE differ"
expect 0 run bouncing-ball --jit --every 0.1 -o "$tmp/jit.csv" --quiet
grep -v '^#' "$tmp/jit.csv" | cmp - "$tmp/a" || complain "--jit changes results"
expect 2 plot "$tmp/ball.csv" -o "$tmp/ball.gif"
expect 2 plot "$tmp/ball.csv" --panel yy -o "$tmp/x.svg"
says yy
expect 1 plot "$tmp/nowhere.csv" -o "$tmp/x.svg"
says nowhere.csv
expect 1 run bouncing-ball -o "$tmp/no/such/folder/ball.csv"
says "no/such/folder"
if [ -w /dev/full ]; then
    "$CAROM" list schemes >/dev/full 2>"$err" && complain "a full disk goes unnoticed"
    says "No space left"
    "$CAROM" run bouncing-ball -o - >/dev/full 2>"$err" && complain "a full disk goes unnoticed"
    says "No space left"
    ln -s /dev/full "$tmp/full.csv"
    expect 1 run bouncing-ball --every 1e-4 -o "$tmp/full.csv"
    says "No space left"
fi
"$CAROM" run bouncing-ball --every 1e-4 -o - 2>/dev/null | head -1 | grep -q . || complain "closed pipe"

# ---- check ----
expect 0 check bouncing-ball
silent
prints "kinetic\|mass\|M"
expect 0 check bouncing-ball --json
holds '.model == "bouncing ball"'

expect 2 check bouncing-ball --scheme kern
says "check does not take --scheme"

# ---- plugins, and what --strict refuses ----
"${CC:-cc}" -O1 -shared -fPIC -Iinclude examples/plugin/pendulum.c -o "$tmp/pendulum.so" -lm
cp examples/plugin/pendulum.yaml "$tmp"
expect 3 run "$tmp/pendulum.yaml"
says "allow"
expect 0 run "$tmp/pendulum.yaml" --allow-plugins --json
holds '.notes | any(test("finite differences"))'
expect 3 run "$tmp/pendulum.yaml" --allow-plugins --strict
says "strict"
expect 0 run bouncing-ball --strict --quiet
expect 4 run woodpecker --scheme moreau-jean --t-end 0.05 --set contact_tol=0 --quiet --dump "$tmp/problem.txt"
grep -q '^carom-problem 2' "$tmp/problem.txt" || complain "no dump of the problem that was not solved"

# ---- signals ----
for signal in INT TERM; do
    begin run bouncing-ball --scheme moreau-jean --h 1e-7 --t-end 1e4 --every 0.01 -o "$tmp/long.csv"
    caught
    worked 50
    kill -s $signal "$job"
    ended 130
    says "interrupted at t = .* of 10000"
    expect 0 plot "$tmp/long.csv" -o "$tmp/long.svg"
    silent
done

finish
