#!/bin/sh
# leaks.sh BUILD SAMPLE: what is lost when memory runs out? A build with sanitizers in which one allocation after the other
# fails (tests/failing.h), all of them (SAMPLE 0) or about SAMPLE of each command; each must end with 0, 1 or 4, and
# without a word of the sanitizers: nothing is lost, nothing is used after it was freed.
set -eu
build=$1 sample=$2
tools/build.sh "$build" -DCMAKE_BUILD_TYPE=Sanitize "-DCMAKE_C_FLAGS=-include$(pwd)/tests/failing.h" -DWITH_WERROR=OFF -- carom
carom=$(cd "$build" && pwd)/carom
folder=$(TMPDIR=${TMPDIR:-$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)} mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
"$carom" run impact-oscillator --t-end 2 --every 0.1 --quiet -o given.csv
bad=0 all=0
while read -r job; do
    # shellcheck disable=SC2086 # words
    FAIL_ALLOC_COUNT=$folder/count "$carom" $job >/dev/null 2>err </dev/null || { echo "$job fails by itself: $(head -1 err)"; exit 1; }
    last=$(cat count) step=1 calls=0 before=$bad
    [ "$sample" = 0 ] || [ "$last" -le "$sample" ] || step=$(((last + sample - 1) / sample))
    n=$((1 + step / 3))
    while [ $n -le "$last" ]; do
        code=0
        rm -f new.* ./*.rows ./*.part
        # shellcheck disable=SC2086 # words
        FAIL_ALLOC=$n "$carom" $job >/dev/null 2>err </dev/null || code=$?
        case $code in
        0 | 1 | 4) ;;
        *) echo "$job: allocation $n: exit $code: $(grep -m1 -E 'ERROR|runtime error' err || head -1 err)"; grep -m4 'carom' err | tail -3; bad=$((bad + 1)) ;;
        esac
        calls=$((calls + 1)) n=$((n + step))
    done
    rm -f new.*
    all=$((all + calls))
    echo "$job: $calls of $last allocations failed on purpose, $((bad - before)) badly"
done <<'END'
run impact-oscillator --t-end 2 --every 0.1 --quiet -o new.csv
run box --t-end 0.5 --quiet -o new.json
run stacked-balls --scheme moreau-jean --h 0.01 --t-end 0.5 --quiet -o new.h5
check double-pendulum-wall
lyapunov impact-oscillator --periods 4 --transient 1
orbit impact-oscillator -p alpha=0.05 -p e=0.5 -p umin=0 --transient 50 --quiet
sweep impact-oscillator -p w=2:3:3 --threads 2 --measure impacts -o new.csv --quiet
converge bouncing-ball --schemes moreau-jean,kern --threads 1 --t-end 0.5 --h 0.01,0.005 --shifts 1 --quiet
bifurcate impact-oscillator -p w=2:3:3 --show 4 --transient 2 --threads 1 -o new.csv --quiet
plot given.csv -o new.svg
report given.csv -o new.html --quiet
animate given.csv --fps 5 -o new.gif --quiet
fit impact-oscillator given.csv --columns u --estimate w -p w=2.01 -o new.csv --quiet
basin impact-oscillator -p q.u=1:2:2 -p v.u=0:1:2 --periods 5 --threads 1 -o new.svg --quiet
END
echo "$all allocations failed on purpose, $bad badly"
[ $bad = 0 ]
