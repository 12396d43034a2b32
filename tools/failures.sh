#!/bin/sh
# failures.sh BUILD SAMPLE [JOB...]: one call after the other fails: the n-th allocation, open, write, sync, rename, for all n
# (SAMPLE 0) or for about SAMPLE of them, of every kind and job. Whatever fails,
#   - nothing crashes (an exit code of 0, 1 or 4; never 3: the model is not to blame),
#   - a failure is told in words that are true: no memory; a file and the system's reason,
#   - with exit code 0 the result is the one of a job without failures, bit for bit,
#   - a result is either whole or not there. (A trajectory may have fewer rows: it grows.)
# Jobs: run-csv run-json run-h5 run-checkpoint check lyapunov report animate sweep-sqlite sweep-csv converge plot bifurcate basin fit memory jit
set -u
build=$(cd "$1" && pwd) sample=$2
shift 2
carom=$build/carom inject=$build/tests/inject.so same=$build/tests/same_hdf5
[ -f "$inject" ] || { echo "skipped: this build has no $inject"; exit 77; }
folder=$(TMPDIR=${TMPDIR:-$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)} mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
bad=0 all=0

number() { awk -v kind="$1" '$1 == kind { n += $2 } END { print n + 0 }' counts; }
wrong() { echo "$job: $kind $n: $*"; sed 1q "$folder/err" | cut -c1-200; bad=$((bad + 1)); }
whole() # FILE: is it what it would be without failures? SQLite's and HDF5's differ in where things stand
{
    case $1 in
    *.h5) "$same" "good/$1" "now/$1" >/dev/null ;;
    *.sqlite)
        "$carom" merge "good/$1" -o good.csv >/dev/null 2>&1
        rm -f now.csv
        "$carom" merge "now/$1" -o now.csv >/dev/null 2>&1
        cmp -s good.csv now.csv
        ;;
    c.table.csv) [ "$(cut -d, -f1-5 "good/$1")" = "$(cut -d, -f1-5 "now/$1")" ] ;; # behind it stand times
    *.html) true ;; # times are in it; that it is there and ends is looked at below
    *) cmp -s "good/$1" "now/$1" ;;
    esac
}
judge()
{
    case $code in
    0)
        for file in good/*; do
            [ ! -f "$file" ] && continue
            file=${file#good/}
            [ -f "now/$file" ] || { wrong "says all is well, but there is no $file"; continue; }
            whole "$file" || wrong "says all is well, but $file is not as it should be"
        done
        ;;
    1 | 4)
        line=$(grep -m1 "^carom" err || sed 1q err) # libraries that HDF5 brings along talk, too
        case $kind:$line in
        alloc:*emory*) ;;
        alloc:*) wrong "is not told as a lack of memory (exit $code)" ;;
        *:*space* | *:*"nput/output"* | *:*"oo many open"* | *:*emory* | *:*annot*) ;;
        *) wrong "is not told with its reason (exit $code)" ;;
        esac
        for file in now/*.svg now/*.html now/*.gif now/*.sqlite now/*.png now/*.table.csv; do
            [ ! -f "$file" ] || whole "${file#now/}" || [ "${file%.sqlite}" != "$file" ] || wrong "leaves ${file#now/}, which is not whole"
            case $file in *.html) [ ! -f "$file" ] || [ "$(tail -c 8 "$file")" = "</html>" ] || wrong "leaves half a page" ;; esac
        done
        ;;
    *) wrong "exits with $code" ;;
    esac
}
try() # JOB ARGUMENTS...
{
    job=$1 calls=0 before=$bad
    shift
    rm -rf good now counts
    mkdir good
    (cd good && INJECT_COUNT=$folder/counts LD_PRELOAD=$inject "$carom" "$@" >out 2>err) || { echo "$job: fails by itself: $(cat good/err)"; bad=$((bad + 1)); return; }
    rm -f good/err
    [ "${json:-}" ] || rm -f good/out # it holds times
    for kind in alloc open write sync rename; do
        last=$(number $kind)
        step=1
        [ "$sample" = 0 ] || [ "$last" -le "$sample" ] || step=$(((last + sample - 1) / sample))
        n=$((1 + step / 3))
        while [ "$n" -le "$last" ]; do
            rm -rf now
            mkdir now
            code=0
            (cd now && exec timeout 600 env INJECT="$kind:$n:${how:-fail}" LD_PRELOAD="$inject" "$carom" "$@" >out 2>"$folder/err") || code=$?
            judge
            calls=$((calls + 1)) n=$((n + step))
        done
    done
    all=$((all + calls))
    echo "$job: $calls calls failed on purpose ($(tr '\n' ' ' <counts)), $((bad - before)) of them wrongly handled"
}
# The same with a limit on all memory of the process, from what the system's loader needs to what is enough.
scarce() # ARGUMENTS...
{
    job="memory: $1" kind=alloc calls=0 before=$bad size=6000 code=1
    step=$([ "$sample" = 0 ] && echo 50 || echo $((40000 / sample + 50)))
    rm -rf good
    mkdir good
    while [ $size -lt 200000 ] && { [ $code != 0 ] || [ $calls -lt 10 ]; }; do
        rm -rf now
        mkdir now
        code=0 n=$size
        (ulimit -v $size && cd now && exec timeout 600 "$carom" "$@" >out 2>"$folder/err") || code=$?
        size=$((size + step)) calls=$((calls + 1))
        case $code:$(cat err) in
        127:* | *"shared libraries"* | *"cannot allocate memory in static TLS"*) calls=$((calls - 1)) ;; # it has not begun
        139:*) # nor here, if the loader ends so whatever the command
            (ulimit -v $n && exec "$carom" version) >/dev/null 2>&1
            if [ $? = 139 ]; then calls=$((calls - 1)); else judge; fi
            ;;
        *) judge ;;
        esac
    done
    all=$((all + calls))
    echo "$job: $calls limits up to $size kB, $((bad - before)) of them wrongly handled"
}

model=impact-oscillator
for name in ${*:-run-csv run-json run-h5 run-checkpoint check lyapunov report animate sweep-sqlite sweep-csv converge plot bifurcate basin fit memory}; do
    case $name in
    run-csv) try $name run $model --t-end 3 --every 0.1 --quiet -o t.csv ;;
    run-json) try $name run $model --t-end 3 --every 0.1 --quiet -o t.json ;;
    run-h5) try $name run $model --t-end 3 --every 0.1 --quiet -o t.h5 ;;
    run-checkpoint) try $name run $model --t-end 3 --every 0.1 --quiet -o t.csv --checkpoint ../point --every-steps 20 ;;
    check) json=1 try $name check box ;;
    lyapunov) try $name lyapunov $model --periods 5 --transient 1 -o l.table.csv ;;
    report) "$carom" run $model --t-end 3 --every 0.1 --quiet -o t.csv && try $name report ../t.csv -o r.html --quiet ;;
    animate) "$carom" run $model --t-end 1 --every 0.1 --quiet -o t.csv && try $name animate ../t.csv --fps 10 -o a.gif --quiet ;;
    sweep-sqlite) try $name sweep $model -p w=2:3:4 --threads 1 --measure impacts -o s.sqlite --quiet ;;
    sweep-csv) try $name sweep $model -p w=2:3:4 --threads 1 --measure impacts -o s.table.csv --quiet ;;
    converge) try $name converge bouncing-ball --schemes moreau-jean --threads 1 --t-end 0.5 --h 0.01,0.005 --shifts 1 -o c.table.csv --svg c.svg --quiet ;;
    plot) "$carom" run $model --t-end 3 --every 0.1 --quiet -o t.csv && try $name plot ../t.csv -o p.svg ;;
    bifurcate) try $name bifurcate $model -p w=2:3:3 --show 4 --transient 2 --threads 1 -o b.table.csv --picture b.svg --quiet ;;
    basin) try $name basin $model -p q.u=1:2:2 -p v.u=0:1:2 --periods 5 --threads 1 -o b.svg --quiet ;;
    fit) "$carom" run $model --t-end 3 --every 0.1 --quiet -o t.csv && try $name fit $model ../t.csv --columns u --estimate w -p w=2.01 -o f.table.csv --quiet ;;
    memory)
        for last in "run $model --t-end 3 --every 0.1 --quiet -o t.h5" "check box" "sweep $model -p w=2:3:4 --threads 1 --measure impacts -o s.table.csv --quiet"; do
            # shellcheck disable=SC2086 # words
            scarce $last
        done
        ;;
    jit) try $name run $model --t-end 1 --jit --quiet -o t.csv ;;
    *) echo "there is no job '$name'"; bad=$((bad + 1)) ;;
    esac
done
echo "$all calls failed on purpose, $bad of them wrongly handled"
[ $bad = 0 ]
