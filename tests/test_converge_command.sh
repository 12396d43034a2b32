#!/bin/sh
# test_converge_command.sh: `carom converge` as a user meets it: tables, JSON, CSV, pictures, local errors, interruption, typos.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML

# ---- the JSON and what it says ----
expect 0 converge linear-oscillator --schemes moreau-jean,mixed:rk=radau3 --h 0.04:0.005:4 --norms L1.q,max.v --json
holds '.rows | length == 2*4*5*2'
holds '.rows[0] | has("scheme") and has("h") and has("rtol") and has("norm") and has("error") and has("rhs_evaluations") and has("cpu_s")'
holds '.rows[0] | has("linear_solves") and has("contact_problems") and .rtol == null and .h > 0.03'
holds '.orders["moreau-jean"]["L1.q"].order > 0.7 and .orders["moreau-jean"]["L1.q"].order < 1.3'
holds '.orders["moreau-jean"]["L1.q"].spread > 0'
holds '.orders["moreau-jean"]["max.v"].order < 0.4'
holds '.orders["mixed:rk=radau3"]["L1.q"].order > 2.8 and .orders["mixed:rk=radau3"]["L1.q"].order < 3.2'
holds '.reference.used == "closed" and .reference.accuracy["L1.q"] < 1e-12'
cp "$out" "$tmp/two.json"
expect 0 converge linear-oscillator --schemes moreau-jean,mixed:rk=radau3 --h 0.04:0.005:4 --norms L1.q,max.v --json --threads 1
for file in "$tmp/two.json" "$out"; do jq 'del(.rows[].cpu_s)' "$file" >"$file.same"; done
cmp -s "$tmp/two.json.same" "$out.same" || complain "one thread gives other numbers than all of them"

# ---- the numbers of a table: 5003 steps on [0, 5] ----
expect 0 converge ball --schemes moreau-jean --h 0.00099940035978412952 --shifts 1 --norms max.v,hausdorff.v,L2.v,L1.v --json
holds '[.rows[].error] | .[0] > 2.9999 and .[0] < 3.0001 and .[1] > 3.947e-3 and .[1] < 3.949e-3'
holds '[.rows[].error] | .[2] > 1.0632e-1 and .[2] < 1.0633e-1 and .[3] > 1.0283e-2 and .[3] < 1.0284e-2'

# ---- tolerances, other references ----
expect 0 converge bouncing-ball --schemes tolerance --rtol 1e-4,1e-6,1e-8 --norms max.q --t-end 8 --json
holds '.orders.tolerance["max.q"].order > 0.7 and .orders.tolerance["max.q"].order < 1.3'
expect 0 converge pendulum-wall --schemes mixed:rk=radau5 --h 0.04,0.02 --norms max.q --t-end 2 --shifts 2
prints "reference: scheme tolerance at 1e-13; mixed:rk=gauss6"
expect 0 converge linear-oscillator --reference exact --h 0.05,0.025 --shifts 2
prints "reference: scheme exact; tolerance at 1e-12 agrees"
expect 1 converge pendulum-wall --reference closed
says "has no closed form"

# ---- files ----
expect 0 converge ball --schemes moreau-jean,dg-minus --h 0.1,0.05 --norms L1.q,hausdorff.v --quiet -o "$tmp/a.csv" --svg "$tmp/a.svg"
[ ! -s "$out" ] || complain "--quiet prints"
[ "$(grep -c '^moreau-jean,' "$tmp/a.csv")" = 20 ] || complain "a.csv has not 20 rows of moreau-jean"
head -3 "$tmp/a.csv" | grep -q '^scheme,h,rtol,nominal,norm,error,' || complain "a.csv has no header"
grep -q '<svg' "$tmp/a.svg" && grep -q 'class="slope"' "$tmp/a.svg" || complain "a.svg has no slope triangle"
if command -v xmllint >/dev/null 2>&1; then xmllint --noout "$tmp/a.svg" || complain "a.svg is not XML"; fi
[ ! -e "$tmp/a.csv.journal" ] || complain "a complete study leaves its journal"
expect 0 converge ball --h 0.1,0.05 --quiet -o "$tmp/a.json"
jq -e '.rows | length == 20' "$tmp/a.json" >/dev/null || complain "a.json is not right"

# ---- interrupted, resumed ----
study="linear-oscillator --schemes kern,mixed:rk=gauss6 --h 0.001:0.0002:5 --shifts 5 --norms L1.q,max.q"
# shellcheck disable=SC2086
"$CAROM" converge $study --quiet --threads 1 -o "$tmp/b.json" 2>"$err" &
job=$!
caught
for _ in $(seq 3000); do
    [ -s "$tmp/b.json.journal" ] && [ "$(wc -l <"$tmp/b.json.journal")" -ge 3 ] && break
    sleep 0.1
done
kill -INT $job 2>/dev/null
code=0
wait $job || code=$?
if [ "$code" = 130 ]; then
    says "the same command goes on from there"
    known=$(($(wc -l <"$tmp/b.json.journal") - 1))
    # shellcheck disable=SC2086
    expect 1 converge $study --h 0.001,0.0005 --quiet -o "$tmp/b.json"
    says "other settings"
    # shellcheck disable=SC2086
    expect 0 converge $study --quiet -o "$tmp/b.json"
    [ "$(jq .resumed "$tmp/b.json")" = "$known" ] || complain "$(jq .resumed "$tmp/b.json") runs were resumed, the journal had $known"
    # shellcheck disable=SC2086
    expect 0 converge $study --quiet -o "$tmp/c.json"
    for file in b c; do jq 'del(.rows[].cpu_s, .resumed)' "$tmp/$file.json" >"$tmp/$file.same"; done
    cmp -s "$tmp/b.same" "$tmp/c.same" || complain "a resumed study gives other numbers"
else
    [ "$code" = 0 ] || complain "an interrupted study exits with $code"
fi

# a run that would take hours ends at once; what was finished before it stays
begin converge ball --schemes kern --h 1e-9,0.01 --shifts 1 --threads 1 --quiet -o "$tmp/d.json"
caught
tries=0
until [ -n "$(sed -n 2p "$tmp/d.json.journal" 2>/dev/null)" ] || [ $tries -ge 3000 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -INT $job
ended 130
says "interrupted after 1 of 2 runs; the same command goes on from there"

# ---- local errors ----
expect 0 converge ball --local --schemes moreau-jean:gamma=0,moreau-jean:gamma=0.5,moreau-jean:gamma=1 --h 0.01:0.0001:5 --impact-at 0.1,0.9 --json
holds '.jump == 3 and .t_impact == 1'
holds '[.orders[].activated] == [false, false, true, false, true, true]'
holds '[.orders[] | select(.activated) | .order_v > 0.95 and .order_q > 0.95] | all'
holds '[.orders[] | select(.activated | not) | .order_v < 0.01 and .order_q > 0.95] | all'
expect 0 converge linear-oscillator --local --from 0.2 --schemes moreau-jean --h 0.02,0.01,0.005
prints "order .* 2.9\|order .* 3.0"

# ---- typos ----
expect 2 converge ball --norms L3.q
says "unknown norm 'L3.q'"
expect 2 converge ball --schemes moreau-jane
says "did you mean 'moreau-jean'"
expect 2 converge ball --h 1:2
says "FROM:TO:N"
expect 2 converge ball --h 0
says "not possible"
expect 2 converge ball --h 10
says "longer than the run"
expect 2 converge ball --schemes tolerance --h 0.1
says "'tolerance' chooses its steps"
expect 2 converge ball --schemes kern --rtol 1e-3
says "'kern' has steps of constant length"
expect 0 converge ball --schemes kern,tolerance --shifts 1 --norms L1.q --json # each has its own standard
holds '[.rows[] | select(.scheme == "tolerance")] | length == 5 and all(.rtol > 0)'
holds '.orders.tolerance["L1.q"].order > 0.5 and .orders.kern["L1.q"].order > 0.5'
expect 0 converge ball --schemes tolerance --shifts 1 --norms L1.q --quiet --svg "$tmp/t.svg" # nothing is taken against h
grep -q '>rtol<' "$tmp/t.svg" || complain "t.svg has no axis of tolerances"
expect 2 converge ball --shifts 1.5
says "integer"
expect 1 converge ball --svg "$tmp/no/such/folder.svg"
says "cannot be created"
expect 2 converge ball --reference closd
says "closed"
expect 2 converge ball --impact-at 0.5
says "belong to --local"
expect 2 converge ball -o result.txt
says "csv, .json or .svg"
expect 2 converge ball --local --h 0.1 --impact-at 2
says "in (0, 1]"

finish
