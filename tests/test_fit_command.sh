#!/bin/sh
# test_fit_command.sh: `carom fit` as a user meets it: results, files, mistakes, exit codes.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML

# A trajectory that was written is data; what was left out of it is a gap.
expect 0 run bouncing-ball -p e=0.83 -p q.y=0.62 --t-end 1.5 --every 0.03 --rtol 1e-12 --atol 1e-12 -o "$tmp/run.csv" --quiet
awk -F, -v OFS=, 'NR > 7 && NR % 5 == 0 { $3 = "" } { print }' "$tmp/run.csv" >"$tmp/gaps.csv"
for file in run gaps; do
    expect 0 fit bouncing-ball "$tmp/$file.csv" --estimate e=0:1,q.y --columns y --json
    holds '(.estimate.e.value - 0.83 | fabs < 1e-8) and (.estimate["q.y"].value - 0.62 | fabs < 1e-8) and .converged and .rank == 2'
done
holds '.used < .samples'
expect 0 fit bouncing-ball "$tmp/run.csv" --estimate e=0:1,q.y --json # velocities, too
holds '.deviation | keys == ["y", "y'"'"'"]'

expect 0 fit bouncing-ball "$tmp/gaps.csv" --estimate e,q.y -o "$tmp/fit.html"
prints "95 % interval"
grep -q '<svg' "$tmp/fit.html" && grep -q 'measured - computed' "$tmp/fit.html" || complain "the page has no plot of what is left"
expect 0 fit bouncing-ball "$tmp/gaps.csv" --estimate e,q.y --columns y -o "$tmp/left.csv" --quiet
head -1 "$tmp/left.csv" | grep -qx 't,y' || complain "the table of what is left begins with $(head -1 "$tmp/left.csv")"

# A value that does not matter is told; one that cannot be reached stays at its bound.
expect 0 fit bouncing-ball "$tmp/run.csv" --estimate e,m --columns y -p q.y=0.62 --json
holds '.estimate.m.stderr == null and .rank == 1 and (.warning | test("not determined"))'
expect 0 fit bouncing-ball "$tmp/run.csv" --estimate e=0.85:1 --columns y -p q.y=0.62 --json
holds '.estimate.e.value == 0.85 and .estimate.e.stderr == null'

expect 2 fit bouncing-ball "$tmp/run.csv"
says "\-\-estimate"
expect 2 fit bouncing-ball "$tmp/run.csv" --estimate E
says "did you mean 'e'"
expect 2 fit bouncing-ball "$tmp/run.csv" --estimate e=1:0
expect 2 fit bouncing-ball "$tmp/run.csv" --estimate e,e
expect 2 fit bouncing-ball "$tmp/run.csv" --estimate e --columns x
says "unknown column 'x'"
expect 2 fit bouncing-ball "$tmp/run.csv" --estimate e --sigma y=0.1
says "all 2 columns"
expect 2 fit bouncing-ball "$tmp/run.csv" --estimate e -o fit.txt
printf 't,z\n0,1\n' >"$tmp/none.csv"
expect 2 fit bouncing-ball "$tmp/none.csv" --estimate e
says "no column that is an expression"
printf 't,y\n1,1\n0,2\n' >"$tmp/back.csv"
expect 2 fit bouncing-ball "$tmp/back.csv" --estimate e
says "do not decrease"
expect 1 fit bouncing-ball "$tmp/nothing.csv" --estimate e
finish
