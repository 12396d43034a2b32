#!/bin/sh
# test_growth.sh: a step of a chain of hinged links costs as much as there are links: instructions as valgrind counts them, which
# are the same on every machine and however busy it is. What is dense has an exponent of 2 or more.
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
finish
