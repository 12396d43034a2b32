#!/bin/sh
# test_lyapunov_command.sh: `carom lyapunov` as a user meets it: fields, files, options, signals, exit codes.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML

# ---- fields ----
p1="-p alpha=0.05 -p e=0.5 -p umin=0"
# shellcheck disable=SC2086
expect 0 lyapunov impact-oscillator $p1 --rtol 1e-8 --atol 1e-8 --periods 2000 --json
holds '.exponents | length == 2'
holds '[.exponents[] | (. + 0.8188108867) | fabs < 1e-8] | all'
holds '.stderr | length == 2 and all(. >= 0 and . < 1e-6)'
holds '.per == "period" and (.unit - 2.51327412 | fabs < 1e-7)'
holds '.impacts_per_period == 1 and .sum_rule_defect < 1e-7 and .kaplan_yorke == 0 and .flag == null and .regular'
holds '.method == "tangent" and .scheme == "tolerance" and .length == 2000 and .transient == 100 and (.starts | length == 1)'
holds '(.slowest_impact - 0.703745586 | fabs) < 1e-6 and .status == "ok"'
expect 0 lyapunov vibrating-table -p g=1 -p w=1 -p A=1.2 -p e=0.3 --periods 50 --json
holds '.exponents == [null, null] and .flag == "rest" and .sum_rule_defect == null'
expect 0 lyapunov vibrating-table -p g=1 -p w=1 -p A=1.2 -p e=0.3 --periods 50
prints "lambda1.*-infinity"
prints "comes to rest"
expect 0 lyapunov pendulum-wall --time 20 --transient 5 --json
holds '.per == "time" and .unit == 1 and .length == 20 and (.exponents | length == 2)'
expect 0 lyapunov impact-oscillator --time 100 --transient 20 --json
holds '.per == "period" and .length == 40'
expect 0 lyapunov chain --exponents 1 --periods 20 --transient 20 --json
holds '.exponents | length == 1'
expect 0 lyapunov impact-oscillator --periods 100
prints "per period (T = 2.513"
prints "lambda1 .*+-"
prints "Kaplan-Yorke"
prints "sum rule holds"
expect 0 lyapunov impact-oscillator --periods 1 --transient 5
prints "lambda1 .*+- unknown"
expect 0 lyapunov impact-oscillator --periods 100 --quiet
[ ! -s "$out" ] || complain "--quiet prints"

# ---- starts: any number of threads, the same bits ----
for n in 3 9; do
    expect 0 lyapunov impact-oscillator --periods 60 --starts $n --seed 5 --threads 1 --json
    jq -c '[.exponents, .stderr, .starts]' "$out" >"$tmp/one"
    expect 0 lyapunov impact-oscillator --periods 60 --starts $n --seed 5 --threads 2 --json
    jq -c '[.exponents, .stderr, .starts]' "$out" >"$tmp/two"
    cmp "$tmp/one" "$tmp/two" || complain "$n starts differ with two threads"
    holds ".starts | length == $n"
    holds ".length == 60 * $n"
done
expect 0 lyapunov impact-oscillator --periods 60 --starts 3 --seed 6 --json
jq -e --slurpfile before "$tmp/two" '.starts[1].exponents[0] != $before[0][2][1].exponents[0]' "$out" >/dev/null || complain "the seed does not matter"

for threads in 1 2; do # friction, contacts that close: workers that are used again
    expect 0 lyapunov dimer --periods 6 --transient 0 --starts 9 --threads $threads --json
    jq -c '[.exponents, .stderr, .starts]' "$out" >"$tmp/dimer-$threads"
done
cmp "$tmp/dimer-1" "$tmp/dimer-2" || complain "starts of the dimer differ with two threads"

# Pressed against a wall the model's start stays at rest, with exponents of -infinity; the others leave for the well at y = 2.
cat >"$tmp/wall.yaml" <<'END'
carom: 1
name: wall and well
coordinates: {y: 0}
mass: {y: 1}
force: {y: y*(2 - y) - 0.0001 - y'/2}
contacts: {wall: {gap: y, restitution: 1}}
END
expect 0 lyapunov "$tmp/wall.yaml" --starts 3 --time 20 --transient 60 --json
holds '[.starts[].exponents[0] == null] == [true, false, false] and .starts_differ and .exponents == [null, null]'
expect 0 lyapunov "$tmp/wall.yaml" --starts 3 --time 20 --transient 60
prints "start 0 *-infinity  -infinity$"
prints "the starts differ"

# ---- perturbation: the three methods of the impact oscillator's paper see an impact, or do not ----
for scheme in tolerance exact crank-nicolson:variant=printed crank-nicolson:variant=consistent schatzman-paoli:theta=0; do
    expect 0 lyapunov impact-oscillator --method perturbation --scheme $scheme --steps 500 --epsilon h --periods 20 --transient 10 --json
    holds '.method == "perturbation" and (.epsilon - 0.00502654824574367 | fabs) < 1e-15'
    holds '.exponents[0] > 0.3 and .exponents[0] < 1.6 and .exponents[1] < -1 and .sum_rule_defect == null'
done

# ---- history ----
expect 0 lyapunov impact-oscillator --periods 200 -o "$tmp/history.csv" --json
[ "$(head -1 "$tmp/history.csv")" = "periods,lambda1,lambda2" ] || complain "header of the history"
[ "$(wc -l <"$tmp/history.csv")" = 101 ] || complain "100 blocks in the history"
last=$(tail -1 "$tmp/history.csv" | cut -d, -f2)
holds "(.exponents[0] - ($last) | fabs) < 1e-12"
expect 1 lyapunov impact-oscillator --periods 20 -o /nowhere/history.csv
expect 2 lyapunov impact-oscillator --periods 20 -o "$tmp/history.xyz"

# ---- Ctrl-C: what there is, a warning, 130 ----
begin lyapunov impact-oscillator --periods 100000000 --transient 10 --json
caught
worked 80
kill -INT "$job"
ended 130
says "interrupted: [0-9]* of 100000000 periods"
holds '.status == "interrupted" and .length > 0 and (.exponents | length == 2)'

# ---- what is wrong is told ----
expect 2 lyapunov impact-oscillator --method tangents
says "did you mean 'tangent'"
expect 2 lyapunov impact-oscillator --periods 10 --time 3
expect 2 lyapunov pendulum-wall --periods 10
says "no period"
expect 2 lyapunov impact-oscillator --epsilon 1e-3
says "perturbation"
expect 2 lyapunov impact-oscillator --periods 1.5
expect 2 lyapunov impact-oscillator --starts 0
expect 2 lyapunov impact-oscillator -p w=2:3:10
expect 3 lyapunov no-such-model
expect 1 lyapunov impact-oscillator --scheme moreau-jean --periods 10
says "moreau-jean"

finish
