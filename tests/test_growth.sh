#!/bin/sh
# test_growth.sh: a step of a chain of hinged links costs as much as there are links, and so does reading many bodies: instructions
# as valgrind counts them, which are the same on every machine and however busy it is. What is dense has an exponent of 2 or more.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML
needs_programs valgrind
[ -z "${SANITIZED:-}" ] || skip "valgrind does not run programs with sanitizers"

chain() # LINKS FLOOR: hung up at its first link if the floor is far
{
    cat <<END
carom: 1
parameters: {n: $1, l: 0.1, m: 0.05}
space: planar
gravity: [0, -9.81]
contacts: found
laws: {default: none, link floor: {friction: 0.3, restitution: 0.1}}
bodies:
  floor: {fixed: true, shape: {plane: [0, 1]}, at: [0, $2]}
  link: {repeat: {i: n}, shape: {capsule: [l, 0.01]}, mass: m, at: [l*(i + 0.5), 0]}
joints:
  knee: {repeat: {i: n - 1}, hinge: ["link[i]", "link[i+1]"], at: [(i + 1)*l, 0]}
END
    [ "$2" != -1000 ] || echo '  pin: {hinge: [ground, "link[0]"], at: [0, 0]}'
}
instructions() # LINKS FLOOR SCHEME: of four steps
{
    chain "$1" "$2" >"$tmp/chain.yaml"
    valgrind --tool=callgrind --collect-atstart=no --toggle-collect=carom_sim_run --callgrind-out-file="$tmp/calls" \
        "$CAROM" run "$tmp/chain.yaml" --scheme "$3" --h 0.002 --t-end 0.008 --quiet >"$out" 2>"$err" </dev/null || return
    sed -n 's/^summary: //p; s/^totals: //p' "$tmp/calls" | head -1
}
for floor in -1000 -0.0101; do # it swings; it falls on the floor
    for scheme in moreau-jean moreau-jean-projected; do
        few=$(instructions 50 $floor $scheme) many=$(instructions 250 $floor $scheme)
        awk -v few="$few" -v many="$many" -v what="floor at $floor, $scheme" 'BEGIN {
            exponent = few > 0 && many > 0 ? log(many/few)/log(5) : 9 # 0: the run has failed
            printf "%s: %.3g instructions for 50 links, %.3g for 250: exponent %.3f\n", what, few, many, exponent
            exit !(exponent <= 1.2) }' || complain "floor at $floor, $scheme: steps grow faster than links"
    done
done

whole() # BODIES: of a run of one step, reading and writing included
{
    cat >"$tmp/boxes.yaml" <<END
carom: 1
parameters: {n: $1}
space: spatial
bodies:
  floor: {fixed: true, shape: {plane: [0, 0, 1]}}
  box: {repeat: {i: n}, shape: {box: [0.2, 0.1, 0.1]}, mass: 1, at: [0.5*mod(i, 40), 0.5*floor(i/40), 1 + 0.1*sin(i)], turn: {x: 0.3*i}, velocity: [0, 0.01*i, 0]}
run: {t_end: 1e-3, h: 1e-3, scheme: moreau-jean}
END
    valgrind --tool=callgrind --callgrind-out-file="$tmp/calls" \
        "$CAROM" run "$tmp/boxes.yaml" -o "$tmp/boxes.csv" --quiet >"$out" 2>"$err" </dev/null || return
    sed -n 's/^summary: //p; s/^totals: //p' "$tmp/calls" | head -1
}
few=$(whole 125) more=$(whole 250) many=$(whole 500) # more of them need more memory than valgrind has
awk -v few="$few" -v more="$more" -v many="$many" 'BEGIN {
    exponent = few > 0 && more > few && many > more ? log((many - more)/(more - few))/log(2) : 9
    printf "boxes: %.3g instructions for 125, %.3g for 250, %.3g for 500: exponent %.3f\n", few, more, many, exponent
    exit !(exponent <= 1.2) }' || complain "boxes: reading them grows faster than their number"
finish
