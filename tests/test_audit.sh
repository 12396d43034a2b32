#!/bin/sh
# test_audit.sh: `carom audit`: files of every scheme hold, in every format, and files that were changed do not: each rule
# is violated by a change that it alone, or it first, can see.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML
cd "$tmp" || exit 1

# ---- what was written holds ----
for scheme in tolerance mixed exact moreau-jean:theta=1 moreau-jean-projected kern schatzman-paoli dg-minus crank-nicolson; do
    for model in ball linear-oscillator belt impact-oscillator; do
        case $scheme,$model in exact,belt) continue ;; esac
        expect 0 run $model --scheme $scheme --t-end 5 --quiet -o run.csv
        expect 0 audit run.csv $model
    done
done
for model in box slider-crank pendulum-wall-cartesian dome double-pendulum-wall rocking-block point-on-plane vibrating-table; do
    expect 0 run $model --gaps --quiet -o run.csv
    expect 0 audit run.csv $model
done
# rows at the ends of steps: slip begins between two of them, coefficients change from one to the next
for model in belt stribeck billiard-ball; do
    for tol in 1e-6 1e-9 1e-11; do
        for every in 0 0.02; do
            expect 0 run $model --rtol $tol --atol $tol --every $every --quiet -o run.csv
            expect 0 audit run.csv $model
        done
    done
done
expect 0 run ball --quiet -o ball.json
expect 0 audit ball.json ball
if [ -n "${HDF5:-}" ]; then
    expect 0 run ball --quiet -o ball.h5
    expect 0 audit ball.h5 ball --json
    jq -e '.verdict == "holds" and .rows > 500 and (.rules | length == 10 and all(.holds))' out >/dev/null || complain "the result of an HDF5 file: $(cat out)"
fi
# the parameters are those of the file
expect 0 run ball -p e=0.8 --quiet -o other.csv
expect 0 audit other.csv ball
expect 4 audit other.csv ball -p e=0.5

# ---- what was changed does not ----
# change RULE MODEL AWK [OPTION...]: rows of the trajectory go through awk (fields by their names in f[]), then RULE must be violated
change() {
    rule=$1 model=$2 program=$3
    shift 3
    expect 0 run "$model" "$@" --gaps --quiet -o good.csv
    awk -F, -v OFS=, "/^#/ { print; next } !seen { for (i = 1; i <= NF; i++) f[\$i] = i; seen = 1; print; next } { n++ } { $program } { print }" \
        good.csv >bad.csv
    cmp -s good.csv bad.csv && complain "$rule: nothing was changed"
    expect 4 audit bad.csv "$model" --json
    jq -e --arg rule "$rule" '.verdict == "violated" and (.rules[] | select(.rule == $rule) | .holds | not)' out >/dev/null ||
        complain "$rule is not seen as violated: $(jq -c '[.rules[] | select(.holds | not) | .rule]' out)"
}
change values ball 'if (n == 50) $f["q"] = "nan"'
change values ball 'if (n == 50) $f["t"] = 0.1'
change values ball 'if (n == 50) $f["ground.mode"] = 7'
change derived ball 'if (n == 50) $f["energy"] += 1e-3'
change derived ball 'if (n == 50) $f["ground.gap"] += 1e-3'
change derived dome 'if (n == 50) $f["theta"] += 1e-3'
change joints pendulum-wall-cartesian 'if (n == 50) $f["x"] += 1e-3'
change gaps ball '$f["q"] -= 1e-3'
change complementarity ball 'if (n == 50) $f["ground.force"] = 0.1'
change cone sliding-block 'if (n == 20) $f["floor.force_t"] *= 1.1'
change cone stribeck 'if (n == 146) $f["belt.force_t"] *= 1.01'
change cone ball 'if ($f["t"] > 4 && $f["ground.force"] > 0) $f["ground.force"] *= -1'
change impacts ball 'if ($f["side"] == 1) $f["ground.impulse"] *= 1.01'
change impacts ball 'if ($f["side"] == 1 && $f["t"] < 1.5) { d = 0.01; $f["q'"'"'"] += d; $f["ground.impulse"] += d }'
change dissipation newton-cradle 'if ($f["t"] > 1) { for (k = 1; k <= 5; k++) $f["x" k "'"'"'"] *= 1.01 }'
change kinematics linear-oscillator 'if (n > 40) $f["q"] += 1e-3'
change kinematics double-pendulum-wall 'if (n == 40) $f["th1"] += 1e-3'
change momentum linear-oscillator 'if (n == 40) $f["q'"'"'"] += 1e-3'
change momentum box 'if (n == 30) $f["phi'"'"'"] += 1e-3'
change momentum impact-oscillator 'if (n == 40) $f["u'"'"'"] += 0.1' --scheme moreau-jean
# a file of another motion of the same name
expect 0 run linear-oscillator -p k=11 --quiet -o stiff.csv
sed 's/ k=11//; s/k=11 //' stiff.csv >claims.csv
expect 4 audit claims.csv linear-oscillator --json
jq -e '[.rules[] | select(.holds | not) | .rule] | contains(["kinematics", "momentum"])' out >/dev/null || complain "a spring of another stiffness: $(cat out)"

# ---- contacts that are found: gaps of what touches, energy; what cannot be told is counted ----
spheres=$(cd "$(dirname "$0")/.." && pwd)/models/bodies/spheres.yaml
expect 0 run "$spheres" -p n=40 --scheme moreau-jean --t-end 0.3 --quiet -o many.csv
expect 0 audit many.csv "$spheres" -p n=40 --json
jq -e '(.rules[] | select(.rule == "gaps") | .checked > 100 and .holds) and (.rules[] | select(.rule == "cone") |
    .checked == 0 and .skipped > 10)' out >/dev/null || complain "many spheres: $(cat out)"
awk -F, 'BEGIN { OFS = "," } /^#/ { print; next } !z { for (i = 1; i <= NF; i++) if ($i == "ball[0].z") z = i; print; next }
    { if (++n > 20) $z -= 0.1; print }' many.csv >sunk.csv
cmp -s many.csv sunk.csv && complain "nothing has sunk"
expect 4 audit sunk.csv "$spheres" -p n=40 --json
jq -e '.rules[] | select(.rule == "gaps") | .holds | not' out >/dev/null || complain "a sphere in the floor: $(cat out)"
# thirty balls land at once: in the step that turns them each has its place a part of the step off, and its energy; one
# ball that is much faster than it was is still seen
cat >land.yaml <<'END'
carom: 1
space: planar
contacts: found
gravity: [0, -9.81]
bodies:
  floor: {fixed: true, shape: {plane: [0, 1]}}
  ball: {repeat: {i: 30}, shape: {circle: 0.1}, mass: 1, at: [0.3*i, 0.5]}
laws: {default: {friction: 0.3, restitution: 0.9}}
run: {t_end: 1, h: 1e-2, scheme: moreau-jean}
END
expect 0 run land.yaml --quiet -o land.csv
expect 0 audit land.csv land.yaml
awk -F, 'BEGIN { OFS = "," } /^#/ { print; next } !v { for (i = 1; i <= NF; i++) if ($i ~ /^ball.*y.$/) v = i; print; next }
    { if (++n > 20) $v += 30; print }' land.csv >risen.csv
expect 4 audit risen.csv land.yaml --json
jq -e '.rules[] | select(.rule == "dissipation") | .holds | not' out >/dev/null || complain "balls that rise: $(cat out)"

# joints: they hold, and nothing is read of forces that are not in the file
cat >rope.yaml <<'END'
carom: 1
space: planar
gravity: [0, -9.81]
contacts: found
bodies:
  floor: {fixed: true, shape: {plane: [0, 1]}}
  link: {repeat: {i: 60}, shape: {box: [0.1, 0.04]}, density: 1000, at: [(i + 0.5)*0.1, 0.05 + 0.02*i]}
joints:
  knee: {repeat: {i: 59}, hinge: ["link[i]", "link[i+1]"], at: [(i + 1)*0.1, 0.06 + 0.02*i]}
laws: {default: {friction: 0.5, restitution: 0}}
run: {t_end: 0.1, h: 4e-3, scheme: moreau-jean}
END
expect 0 run rope.yaml --quiet -o rope.csv
expect 0 audit rope.csv rope.yaml --json
jq -e '.rules[] | select(.rule == "joints") | .holds and .checked > 100' out >/dev/null || complain "a rope: $(cat out)"

# ---- a start that was moved ----
cat >loose.yaml <<'END'
carom: 1
coordinates: {x: 1, y: 0.1}
kinetic: (x'^2 + y'^2)/2
potential: 9.81*y
constraints: {rod: x^2 + y^2 = 1}
run: {t_end: 1}
END
expect 0 run loose.yaml --assemble --quiet -o loose.csv
expect 3 audit loose.csv loose.yaml
expect 0 audit loose.csv loose.yaml --assemble

# ---- what cannot be read ----
expect 1 audit good.csv belt
grep -q "is not of this model: .* has no parameter 'w'" err || complain "a file of another model: $(cat err)"
expect 1 audit claims.csv bouncing-ball -p m=1
expect 1 audit missing.csv ball
expect 2 audit good.txt ball
expect 3 audit good.csv no-such-model
expect 2 audit good.csv
finish
