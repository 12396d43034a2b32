#!/bin/sh
# test_solve_command.sh: `carom solve` reads contact problems in every text format, solves them and says so.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs_programs jq

# ---- the formats ----
cat >"$tmp/own.txt" <<'END'
carom-problem 2
rows 3 blocks 2
block unilateral 0 none
block coulomb-planar 0 0 0.5 0.5 none
W 2 0 0  0 1 0  0 0 1
b -3  -1 4
end
END
expect 0 solve "$tmp/own.txt" --json -o "$tmp/answer.txt"
holds '.status == "solved" and .residual <= 1e-8 and .contacts == 2 and .time_s >= 0 and .iterations >= 0'
grep -q '^x 1.5 1 -0.5$' "$tmp/answer.txt" || complain "x of the dump: $(grep '^x' "$tmp/answer.txt")"
expect 0 solve "$tmp/answer.txt" --json # its own answer is a solution
holds '.iterations == 0'
sed 's/problem 2/problem 1/; s/unilateral 0/unilateral 0/; s/planar 0 0 0.5 0.5/planar 0.5/' "$tmp/own.txt" >"$tmp/old.txt"
expect 0 solve "$tmp/old.txt" -o "$tmp/answer.txt"
grep -q '^x 1.5 1 -0.5$' "$tmp/answer.txt" || complain "x of the old dump: $(grep '^x' "$tmp/answer.txt")"
cat >"$tmp/sparse.txt" <<'END'
carom-problem 2 rows 2 blocks 2
block unilateral 0 none block unilateral 0 none
sparse 2 0 0 2 1 1 4
b -1 -1 end
END
expect 0 solve "$tmp/sparse.txt" --solver proximal -o "$tmp/answer.txt" --tol 1e-12
grep -qE '^x 0\.(5|4999999|50000000)' "$tmp/answer.txt" || complain "x of the sparse dump: $(grep '^x' "$tmp/answer.txt")"
echo '2  0 2 2  2 2  2 1 1 2  -5 -6' >"$tmp/lcp.dat" # w = M z + q: z = (4/3, 7/3)
expect 0 solve "$tmp/lcp.dat" -o "$tmp/answer.txt" --json
holds '.contacts == 2 and .residual_q <= 1e-8'
grep -qE '^x 1\.333333333333[0-9]* 2\.333333333333[0-9]*$' "$tmp/answer.txt" || complain "x of the LCP: $(grep '^x' "$tmp/answer.txt")"
printf '3 1\n0 3 3\n3 3  1 0 0  0 2 0  0 0 2\n-1 3 -4\n0.5\n' >"$tmp/friction.dat" # slips along b
expect 0 solve "$tmp/friction.dat" -o "$tmp/answer.txt"
grep -qE '^x 1 -0\.(3|29999999999999|30000000000000)[0-9]* 0\.(4|39999999999999|40000000000000)[0-9]*$' "$tmp/answer.txt" ||
    complain "x of the contact in space: $(grep '^x' "$tmp/answer.txt")"
printf '3 1\n1 3 3\n1  1 1  3  3  2 1  0 1  0\n0  1 0 0  0 2 0  0 0 2\n-1 3 -4\n0.5\n' >"$tmp/blocks.dat"
expect 0 solve "$tmp/blocks.dat" --json
holds '.contacts == 1'
# M v = H r + f with M = 2: W = H^T H/2
printf '2 1\n0 2 2\n2 2  2 0 0 2\n0 2 2\n2 2  1 0 0 1\n-2 1\n0 0\n0.5\n' >"$tmp/global.dat"
expect 0 solve "$tmp/global.dat" -o "$tmp/answer.txt"
grep -q '^b -1 0.5$' "$tmp/answer.txt" || complain "b of the global problem: $(grep '^b' "$tmp/answer.txt")"
grep -q '^x 2 -1$' "$tmp/answer.txt" || complain "x of the global problem: $(grep '^x' "$tmp/answer.txt")"
# 0 = u - v, 0 <= u + v - 1 _|_ v >= 0: u = v = 1/2
printf '1 0 1 1\n0 1 2\n0 1\n0 2 2\n2 2  1 1 -1 1\n0 -1\n' >"$tmp/mlcp.dat"
expect 0 solve "$tmp/mlcp.dat" -o "$tmp/answer.txt"
grep -q '^x 0.5 0.5$' "$tmp/answer.txt" || complain "x of the MLCP: $(grep '^x' "$tmp/answer.txt")"
# the same in parts: a matrix that is not square, q, then A B C D a b
printf '1 1 1 1\n0 1 2\n0 1\n0 1 2\n1 2  0 0\n0 0\n1  1  -1  1  0  -1\n' >"$tmp/mlcp.dat"
expect 0 solve "$tmp/mlcp.dat" -o "$tmp/answer.txt"
grep -q '^x 0.5 0.5$' "$tmp/answer.txt" || complain "x of the MLCP in parts: $(grep '^x' "$tmp/answer.txt")"
# sparse, as CSparse prints triplets, columns and rows: M = (2 0; 1 3), q = (-2, -4), z = (1, 1)
for form in '1\n2-by-2, nzmax: 3 nnz: 3\n  0 0 : 2\n  1 0 : 1\n  1 1 : 3' \
    '2\nCSparse Version 3\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 3\n  col 0 : locations 0 to 1\n  0 : 2\n  1 : 1\n  col 1 : locations 2 to 2\n  1 : 3' \
    '3\n2-by-2, nzmax: 3 nnz: 3\n  row 0 : locations 0 to 0\n  0 : 2\n  row 1 : locations 1 to 2\n  0 : 1\n  1 : 3'; do
    printf '2\n2 2 2\n%b\n-2 -4\n' "$form" >"$tmp/lcp.dat"
    expect 0 solve "$tmp/lcp.dat" -o "$tmp/answer.txt"
    grep -q '^x 1 1$' "$tmp/answer.txt" || complain "x of the sparse LCP $form: $(grep '^x' "$tmp/answer.txt")"
done

# ---- what cannot be ----
printf 'carom-problem 2 rows 2 blocks 2 block unilateral 0 none block unilateral 0 none W 1 -1 -1 1 b -1 -1 end' >"$tmp/none.txt"
expect 1 solve "$tmp/none.txt" --json
holds '.status == "no_solution" and .residual > 0.01'
holds '.certificate | length == 2 and (.[0] - .[1] | fabs) < 1e-9 and .[0] > 0'
expect 3 solve "$tmp/nothing.txt"
says "cannot be opened"
echo "this is no problem" >"$tmp/bad.dat"
expect 3 solve "$tmp/bad.dat"
says "damaged, or in a format"
head -c 40 "$tmp/friction.dat" >"$tmp/short.dat"
expect 3 solve "$tmp/short.dat"
expect 2 solve "$tmp/own.txt" --solver nobody
says "nobody"
expect 2 solve "$tmp/own.txt" --tol 2
expect 1 solve "$tmp/friction.dat" --solver lemke
says "does not take"

# ---- problems of a run ----
expect 0 run box --scheme moreau-jean --t-end 0.5 --quiet --dump-problems "$tmp/run" --dump-when all
first=$(find "$tmp/run" -name 'problem-000001.*')
[ -n "$first" ] || complain "no problems of the run"
for f in $(find "$tmp/run" -name 'problem-*[05].*' | sort | head -n 10); do
    expect 0 solve "$f" --tol 1e-10
done
expect 0 run pendulum-wall-cartesian --t-end 3 --quiet --dump-problems "$tmp/joints" --dump-when all
if [ "${first##*.}" = hdf5 ]; then # with a joint and a contact
    f=$(find "$tmp/joints" -name 'problem-*.hdf5' | sort | head -n 1)
    [ -n "$f" ] || complain "no problem with a joint and a contact"
    expect 0 solve "$f" --tol 1e-10 --json
    holds '.status == "solved" and .contacts >= 2'
fi
expect 0 run box --scheme moreau-jean --t-end 0.1 --quiet --dump-problems "$tmp/failed"
[ -z "$(find "$tmp/failed" -name 'problem-*')" ] || complain "problems that did not fail"
expect 2 run box --dump-problems "$tmp/run" --dump-when sometimes
says "failed, slow or all"
expect 2 run box --dump-when all
says "needs --dump-problems"

# ---- a folder ----
mkdir "$tmp/folder"
cp "$tmp/own.txt" "$tmp/lcp.dat" "$tmp/friction.dat" "$tmp/folder"
expect 0 bench solvers "$tmp/folder" -o "$tmp/results.csv"
prints '^automatic  *3 /   3'
[ "$(grep -c ',automatic,solved,' "$tmp/results.csv")" = 3 ] || complain "results.csv"
sed -e 's/,automatic,/,foreign,/' -e '/,foreign,/!{1!d;}' "$tmp/results.csv" >"$tmp/others.csv"
expect 0 bench solvers "$tmp/folder" --against "$tmp/others.csv" -o "$tmp/profile.html"
prints '^foreign  *3 /   3'
grep -q 'foreign' "$tmp/profile.html" || complain "profile.html"
expect 0 bench solvers "$tmp/folder" -o "$tmp/profile.svg"
grep -q 'Share of 3 contact problems' "$tmp/profile.svg" || complain "profile.svg"
echo 'lcp.dat,foreign' >>"$tmp/others.csv"
expect 3 bench solvers "$tmp/folder" --against "$tmp/others.csv"
says 'others.csv:5: expected problem,solver'
expect 0 bench solvers "$tmp/folder" --solvers automatic,nsgs
prints '^nsgs'
grep -q '^lemke' "$out" && complain "lemke was not asked for"
expect 2 bench solvers "$tmp/folder" --solvers automatik
says "automatic"
expect 2 bench solvers "$tmp/folder" -o "$tmp/profile.txt"
says 'ends in .csv, .svg or .html'
expect 2 bench solver "$tmp/folder"
expect 3 bench solvers "$tmp/nowhere"
finish
