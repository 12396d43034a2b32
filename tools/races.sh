#!/bin/sh
# races.sh BUILD: what runs on several threads, under ThreadSanitizer: the tests of ensembles, sweeps, studies, exponents and
# diagrams, then the commands with four threads. Exit 1: a race, or a test that fails.
set -eu
build=$1
programs="test_sweep test_converge test_lyapunov test_bifurcation_values test_model_evaluator test_ensemble"
# shellcheck disable=SC2086 # words
tools/build.sh "$build" -DCMAKE_C_FLAGS=-fsanitize=thread -DWITH_WERROR=OFF -- carom $programs
build=$(cd "$build" && pwd)
export TSAN_OPTIONS="halt_on_error=1 exitcode=66"
bad=0
try() # WHAT COMMAND...
{
    what=$1 code=0
    shift
    "$@" >"$build/log" 2>&1 </dev/null || code=$?
    echo "$what: $([ $code = 0 ] && echo fine || echo "exit $code")"
    [ $code = 0 ] || { grep -m1 -A12 -E 'WARNING: ThreadSanitizer|:F:|:E:' "$build/log" || tail -5 "$build/log"; bad=1; }
}
for program in $programs; do try "$program" "$build/tests/$program"; done
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
model=impact-oscillator
while read -r job; do
    # shellcheck disable=SC2086 # words
    try "$job" sh -c "cd '$folder' && '$build/carom' $job --threads 4 --quiet"
done <<END
sweep $model -p w=2:3:8 -p alpha=0.1:0.4:4 --measure lyapunov --measure impacts --transient 5 --periods 10 -o s.sqlite
sweep $model -p w=2:3:8 --measure max:u --periods 5 -o s.csv
sweep box -p e=0.1:0.5:6 --measure impacts --t-end 0.5 -o b.csv
converge bouncing-ball --schemes moreau-jean,kern,tolerance --t-end 1 --h 0.02,0.01 --rtol 1e-6,1e-7 --shifts 2
lyapunov $model --periods 20 --starts 4
bifurcate $model -p w=2:3:8 --show 5 --transient 5 -o d.csv
basin $model -p q.u=1:2:4 -p v.u=0:1:4 --periods 5 -o b.sqlite
reproduce 001-fig1 002-fig5 -o r.html
END
exit $bad
