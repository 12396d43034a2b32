#!/bin/sh
# test_basin.sh: carom basin finds the attractors there are, numbers them by their first point, and draws them.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML

# Two wells at x = -1 and x = 1, damped: every motion ends in one of them, and (x, v) and (-x, -v) in opposite ones.
cat >"$tmp/wells.yaml" <<'END'
carom: 1
name: two wells
parameters: {c: 0.3}
coordinates: {x: 0.5}
kinetic: x'^2/2
potential: x^4/4 - x^2/2
forces: {x: -c*x'}
END
expect 2 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6
grep -q 'no period: use --strobe' "$err" || complain "a strobe is asked for"
expect 0 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6 --strobe 3 --json --threads 1
holds '(.attractors | length) == 2 and .points == 36 and .not_periodic == 0 and .failed == 0'
holds '[.attractors[].kind] == ["rest", "rest"] and [.attractors[].count] == [18, 18]'
holds '.attractors[0].number == 1 and .attractors[0].first == 0 and .attractors[1].first > 0'
holds '[.attractors[].orbit[0]["q.x"]] | map(fabs - 1 | fabs < 1e-5) | all'
holds '.attractors[0].orbit[0]["q.x"] * .attractors[1].orbit[0]["q.x"] < 0'
expect 0 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6 --strobe 3 -o "$tmp/one.csv" --threads 1 --quiet
expect 0 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6 --strobe 3 -o "$tmp/two.csv" --threads 2 --quiet
cmp "$tmp/one.csv" "$tmp/two.csv" || complain "threads change the basins"
awk -F, 'NR > 1 { a[$1] = $4 } END { for (i = 0; i < 36; i++) if (a[i] + a[35 - i] != 3) exit 1 }' "$tmp/one.csv" ||
    complain "opposite points end in opposite wells"

# The impact oscillator P1: one orbit of period 1 with v- = -0.703745586353 at w t = 5.7923881459. From there in closed form:
# u'' + 2 alpha u' + u = cos(w t), free until the strobe at w t = 2 pi.
expect 0 basin impact-oscillator -p q.u=0:1.5:4 -p v.u=-1:1:4 -p alpha=0.05 -p e=0.5 -p umin=0 --rtol 1e-10 --atol 1e-10 --json
holds '(.attractors | length) == 1 and .attractors[0].period == 1 and .attractors[0].kind == "periodic" and .attractors[0].share == 1'
jq -r '.attractors[0].orbit[0] | "\(.["q.u"]) \(.["v.u"])"' "$out" | awk '{
    w = 2.5; al = 0.05; D = (1 - w*w)^2 + 4*al*al*w*w; A = (1 - w*w)/D; B = 2*al*w/D   # particular: A cos + B sin
    p = 5.7923881459; t = (2*3.141592653589793 - p)/w; n = sqrt(1 - al*al)
    u0 = 0 - (A*cos(p) + B*sin(p)); v0 = 0.5*0.703745586353 - w*(-A*sin(p) + B*cos(p))
    c = u0; d = (v0 + al*u0)/n
    u = exp(-al*t)*(c*cos(n*t) + d*sin(n*t)) + A
    v = exp(-al*t)*((n*d - al*c)*cos(n*t) - (n*c + al*d)*sin(n*t)) + w*B
    exit !((u - $1)^2 < 1e-14 && (v - $2)^2 < 1e-14) }' || complain "the orbit P1 is not where it must be"

# C1 is chaotic.
expect 0 basin impact-oscillator -p q.u=0.6:1.5:3 -p v.u=0:1:2 --periods 120 --json
holds '.attractors == [] and .not_periodic == 6'

# A ball that stops when it flies too high.
cat >"$tmp/ball.yaml" <<'END'
carom: 1
name: ball under a roof
coordinates: {y: 1}
kinetic: y'^2/2
potential: 10*y
contacts:
  ground: {gap: y, restitution: 0.5}
stop: y > 2
END
expect 0 basin "$tmp/ball.yaml" -p q.y=0:1.5:4 -p v.y=0:7:8 --strobe 1 --json
holds '.stopped > 5 and .attractors[0].kind == "rest" and (.attractors | length) == 1 and .stopped + .attractors[0].count == 32'

# ---- what cannot be done is told before the first point: it would take years ----
long="--transient 1e8 --periods 1e9 --threads 1"
for file in "-o $tmp/no/map.csv" "-o $tmp/no/map.svg" "-o $tmp/no/map.sqlite" "--export $tmp/no/map.csv" "--picture $tmp/no/map.svg" "-o $tmp"; do
    # shellcheck disable=SC2086
    timeout -k 1 300 "$CAROM" basin impact-oscillator -p q.u=0.6:1:2 -p v.u=0:1:2 $long $file >"$out" 2>"$err"
    code=$?
    [ $code = 1 ] || [ $code = 2 ] || complain "basin $file: exits with $code"
    says 'cannot be\|-o takes\|without SQLite'
done
timeout -k 1 300 "$CAROM" basin impact-oscillator -p q.u=0.6:1:10000000 -p v.u=0:1:10000000 $long -o "$tmp/large.csv" >"$out" 2>"$err"
[ $? = 2 ] || complain "1e14 points are taken"
says 'too many'
if (ulimit -v 3000000 && "$CAROM" version) >/dev/null 2>&1; then # not with a sanitizer
    (ulimit -v 3000000 && timeout -k 1 300 "$CAROM" basin impact-oscillator -p q.u=0.6:1:20000 -p v.u=0:1:10000 $long) >"$out" 2>"$err"
    [ $? = 1 ] || complain "2e8 points in 3 GB: exits with $?"
    says 'no memory for 200000000 points'
fi
expect 2 basin impact-oscillator -p q.u=0.6:1:2 -p v.u=0:1:2 --transient 500
says 'leaves nothing to look at'

# Nothing could be computed, or some of it.
cat >"$tmp/bursts.yaml" <<'END'
carom: 1
name: bursts
parameters: {a: 2}
coordinates: {x: 1}
velocities: {x: 1}
kinetic: x'^2/2
forces: {x: "a*x^3 - if(a > 0, 0, x' + x)"}
END
expect 1 basin "$tmp/bursts.yaml" -p a=1:2:3 --strobe 3 --json
says 'all points failed, 3 of them; the first was point 0'
holds '.failed == 3 and .attractors == []'
expect 0 basin "$tmp/bursts.yaml" -p a=-1:1:3 --strobe 3 --json
holds '.failed == 1 and (.first_failure | startswith("point 2: ")) and (.attractors | length) == 1 and .attractors[0].count == 2'
expect 0 basin "$tmp/bursts.yaml" -p a=-1:1:3 --strobe 3
prints 'first: point 2: .'

# Ctrl-C: what there is.
begin basin impact-oscillator -p q.u=0.6:1:2 -p v.u=0:1:2 --transient 1e8 --periods 1e9 --json -o "$tmp/cut.csv"
caught
kill -INT "$job"
ended 130
says 'interrupted after 0 of 4 points'
holds '.missing == 4'

# ---- pictures, stores ----
expect 0 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6 --strobe 3 -o "$tmp/map.svg" --quiet
grep -q '1: rest' "$tmp/map.svg" || complain "the picture does not name its colours"
if [ -n "${PNG:-}" ]; then
    expect 0 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6 --strobe 3 -o "$tmp/map.png" --quiet
    [ -s "$tmp/map.png" ] || complain "no picture"
fi
if [ -n "${SQLITE:-}" ]; then
    expect 0 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6 --strobe 3 -o "$tmp/half.sqlite" --shard 1/2 --json
    holds '.missing == 18'
    expect 0 merge "$tmp/all.sqlite" "$tmp/half.sqlite" --quiet
    expect 0 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6 --strobe 3 -o "$tmp/all.sqlite" --resume --export "$tmp/three.csv" --json
    holds '.computed == 18 and .missing == 0'
    cmp "$tmp/one.csv" "$tmp/three.csv" || complain "a basin that was resumed differs"
    expect 2 basin "$tmp/wells.yaml" -p q.x=-1.5:1.5:6 -p v.x=-1:1:6 --strobe 3 --tol 1e-5 -o "$tmp/all.sqlite" --resume
    grep -q "basin: 'tol=1e-06' there, 'tol=1e-05' here" "$err" || { complain "another tolerance is taken"; cat "$err"; }
fi

finish
