#!/bin/sh
# instructions.sh BUILD [OLD]: instructions (valgrind's count, the same on every run) of one moreau-jean step of the ball in
# flight, with C callbacks and on the tape, of a few small contact problems, and what part of a run of tolerance the certificate
# is; OLD: another build's command beside it.
set -eu
build=$1 old=${2:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

command -v valgrind >/dev/null || { echo "valgrind is not installed" >&2; exit 77; }
tools/build.sh "$build" -- carom bench-step >"$tmp/log" 2>&1 || { cat "$tmp/log" >&2; exit 1; } # benches are not built with the rest

inside() # FUNCTION CAROM ARGUMENTS...: instructions of a function with all that it calls
{
    function=$1
    rm -f "$tmp/out"
    shift
    valgrind --tool=callgrind --collect-atstart=no --toggle-collect="$function" --callgrind-out-file="$tmp/out" "$@" \
        >/dev/null 2>"$tmp/log" || [ -s "$tmp/out" ] || { cat "$tmp/log" >&2; exit 1; } # a run may end early with its sentence
    sed -n 's/^summary: //p; s/^totals: //p' "$tmp/out" | head -1
}

echo "a step of the ball in flight, instructions"
for kind in callbacks tape; do
    echo "    $kind: $(($(inside carom_sim_step "$build/bench/bench-step" $kind 1000) / 1000))"
done
echo "a run with moreau-jean: all of it, and in contact problems"
for case in "woodpecker 0.5" "box 1"; do
    set -- $case
    for carom in "$build/carom" $old; do
        echo "    $1, $carom: $(inside carom_sim_run "$carom" run "$1" --scheme moreau-jean --t-end "$2" --quiet)" \
             "$(inside carom_problem_solve "$carom" run "$1" --scheme moreau-jean --t-end "$2" --quiet)"
    done
done
echo "a run with tolerance: the certificate of its steps over all of it"
for case in "box 1" "slider-crank 0.3" "rocking-block 2" "stacked-balls 2" "bouncing-ball 3" "woodpecker 0.5" \
    "pendulum-wall-cartesian 4" "belt 10" "stribeck 10" "dimer 0.2" "double-pendulum-wall 3" "impact-oscillator 20"; do
    set -- $case
    awk -v model="$1" -v part="$(inside carom_certificate_check "$build/carom" run "$1" --t-end "$2" --quiet)" \
        -v all="$(inside carom_sim_run "$build/carom" run "$1" --t-end "$2" --quiet)" \
        'BEGIN { printf "    %s: %.1f %%\n", model, 100*part/all }'
done
