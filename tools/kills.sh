#!/bin/sh
# kills.sh BUILD N [JOB...]: jobs that are killed N times each, in the middle of their writing, and go on: what they leave
# is to the last bit what a job leaves that was never killed. The kills are not a matter of luck: the preloaded library
# tests/inject.c ends the process (SIGKILL) at its n-th write, sync or rename, half of the writes in the middle of their
# bytes; n runs evenly over all calls of the job. What cannot go on (bifurcate, basin -o .csv, lyapunov) leaves its result
# whole or not at all, and is done again. Jobs: run-csv run-json run-h5 schemes solvers many files
# sweep-sqlite sweep-csv sweep-h5 converge bifurcate basin lyapunov animate report
set -u
build=$(cd "$1" && pwd) kills=$2
shift 2
carom=$build/carom inject=$build/tests/inject.so same=$build/tests/same_hdf5
[ -f "$inject" ] || { echo "skipped: this build has no $inject"; exit 77; }
# in memory where there is such a folder: a disk takes its time to sync
folder=$(TMPDIR=${TMPDIR:-$([ -w /dev/shm ] && echo /dev/shm || echo /tmp)} mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
SOURCE_DATE_EPOCH=0 # of pages
export SOURCE_DATE_EPOCH
bad=0

# Counts the calls of each kind of "$@" in the file `counts`: KIND NUMBER.
count() { rm -f counts; INJECT_COUNT=$folder/counts LD_PRELOAD=$inject "$@" >/dev/null 2>&1; }
number() { awk -v kind="$1" '$1 == kind { n = $2 } END { print n + 0 }' counts; }
# The k-th of the kills: KIND:N:HOW, evenly over writes, syncs and renames.
plan() # K
{
    awk -v k="$1" -v kills="$kills" '
        $1 == "write" || $1 == "sync" || $1 == "rename" { number[$1] = $2; all += $2 }
        END {
            n = 1 + int((k - 0.5) * all / kills)
            split("write sync rename", kind, " ")
            for (i = 1; i <= 3; i++) {
                if (n <= number[kind[i]]) {
                    printf "%s:%d:%s\n", kind[i], n, kind[i] == "write" && k % 2 ? "torn" : "kill"
                    exit
                }
                n -= number[kind[i]]
            }
        }' counts
}
summary() { grep -v '"wall_s"' "$1"; }

# One run, its files compared with those of whole.*; MODEL and options in "$@".
run_killed() # NAME ENDING ARGUMENTS...
{
    name=$1 ending=$2 done=0 wrong=0 resumed=0
    shift 2
    "$carom" run "$@" -o "whole.$ending" --json >whole.txt 2>whole.err || { echo "$name: $(cat whole.err)"; bad=1; return; }
    count "$carom" run "$@" -o "part.$ending" --checkpoint part.checkpoint --every-steps 50 --quiet
    while [ $done -lt "$kills" ]; do
        done=$((done + 1))
        rm -f part*
        INJECT=$(plan $done) LD_PRELOAD=$inject "$carom" run "$@" -o "part.$ending" --checkpoint part.checkpoint --every-steps 50 --quiet 2>/dev/null
        if [ -f part.checkpoint ]; then
            resumed=$((resumed + 1))
            "$carom" resume part.checkpoint --json >part.txt 2>part.err
        else
            "$carom" run "$@" -o "part.$ending" --json >part.txt 2>part.err
        fi
        why=
        [ "$(summary whole.txt)" = "$(summary part.txt)" ] || why="another summary: $(head -1 part.err)"
        for file in "part.$ending" part.events.csv; do
            [ ! -f "whole${file#part}" ] || [ "$ending" = h5 ] || cmp -s "whole${file#part}" "$file" || why="another $file: $(head -1 part.err)"
        done
        [ "$ending" != h5 ] || "$same" whole.h5 part.h5 >part.diff || why="another part.h5: $(head -1 part.diff) $(head -1 part.err)"
        [ -z "$why" ] || { wrong=$((wrong + 1)); echo "$name: killed at $(plan $done): $why"; }
    done
    echo "$name: $done kills, $resumed resumed from a checkpoint, $wrong not as a whole run"
    rm -f whole* part*
    [ $wrong = 0 ] || bad=1
}

# Killed once in the middle: every scheme on systems with impacts, friction and joints.
each_killed() # NAME ARGUMENTS...
{
    name=$1
    shift
    "$carom" run "$@" -o whole.csv --json >whole.txt 2>whole.err
    case $? in 1 | 2 | 3) return ;; esac # the scheme does not know the model
    INJECT=rename:3:kill LD_PRELOAD=$inject "$carom" run "$@" -o part.csv --checkpoint part.checkpoint --every-steps 4 --quiet 2>/dev/null
    if [ $? != 137 ]; then
        echo "$name: was not killed"
        bad=1
    fi
    "$carom" resume part.checkpoint --json >part.txt 2>part.err
    matrix=$((matrix + 1))
    if [ "$(summary whole.txt)" != "$(summary part.txt)" ] || ! cmp -s whole.csv part.csv; then
        echo "$name: not as a whole run: $(head -1 part.err)"
        bad=1
    fi
    rm -f whole* part*
}

# A job with one result, as a table: killed, looked at, done again (AGAIN: an option more), compared.
job_killed() # NAME FILE AGAIN ARGUMENTS...
{
    name=$1 file=$2 again=$3 done=0 wrong=0 there=0
    shift 3
    "$carom" "$@" -o "whole.$file" --quiet >/dev/null 2>whole.err || { echo "$name: $(cat whole.err)"; bad=1; return; }
    table "whole.$file" >whole.table
    count "$carom" "$@" -o "part.$file" --quiet
    while [ $done -lt "$kills" ]; do
        done=$((done + 1)) why=
        rm -f part*
        INJECT=$(plan $done) LD_PRELOAD=$inject "$carom" "$@" -o "part.$file" --quiet >/dev/null 2>&1
        case $file in
        *sqlite) ;;
        *) if [ -f "part.$file" ]; then
            there=$((there + 1))
            [ "$(table "part.$file")" = "$(cat whole.table)" ] || why="half a result was left"
        fi ;;
        esac
        # shellcheck disable=SC2086 # none or one word
        "$carom" "$@" -o "part.$file" --quiet $again >/dev/null 2>part.err || why="not done again: $(head -1 part.err)"
        [ "$(table "part.$file")" = "$(cat whole.table)" ] || why="another result"
        [ -z "$why" ] || { wrong=$((wrong + 1)); echo "$name: killed at $(plan $done): $why"; }
    done
    echo "$name: $done kills, $wrong not as a whole job"
    rm -f whole* part*
    [ $wrong = 0 ] || bad=1
}
table() # FILE: without what depends on where things stand, and without times
{
    case $1 in
    *.sqlite) rm -f "$1.csv" && "$carom" merge "$1" -o "$1.csv" >/dev/null 2>&1 && cat "$1.csv" ;;
    *.h5) "$same" "whole.${1#*.}" "$1" && echo "as it should be" ;;
    *converge.csv) cut -d, -f1-10 "$1" ;;
    *.html) sed 's|<td class="n">[^<]*</td></tr>|</tr>|' "$1" ;; # the last column is the time it took
    *) cat "$1" ;;
    esac
}

schemes()
{
    matrix=0
    for scheme in $("$carom" list schemes | sed -n 's/^\([a-z-]*\) (scheme).*/\1/p'); do
        for system in impact-oscillator box pendulum-wall-cartesian sliding-block stribeck linear-oscillator; do
            each_killed "$scheme on $system" "$system" --scheme "$scheme" --t-end 2 --h 0.01
        done
    done
    echo "schemes: $matrix pairs of a scheme and a model, each killed at its third checkpoint"
}

solvers()
{
    matrix=0
    for solver in $("$carom" list solvers | sed -n 's/^\([a-z-]*\) (solver).*/\1/p'); do
        for system in box stacked-balls point-on-plane; do
            each_killed "$solver on $system" "$system" --solver "$solver" --scheme moreau-jean --t-end 1 --h 0.01
        done
    done
    echo "solvers: $matrix pairs of a solver and a model, each killed at its third checkpoint"
}

# Contacts that are found before every step.
many()
{
    matrix=0
    cat >many.yaml <<'END'
carom: 1
space: planar
gravity: [0, -10]
bodies:
  floor: {fixed: true, shape: {plane: [0, 1]}}
  west: {fixed: true, shape: {plane: [1, 0]}}
  east: {fixed: true, shape: {plane: [-1, 0]}, at: [1, 0]}
  disc: {repeat: {i: 40}, shape: {circle: 0.09}, mass: 1, at: [0.5 + 0.35*sin(3*i), 0.1 + 0.2*i], velocity: [sin(i), 0]}
laws:
  default: {friction: 0.3, restitution: 0.5}
END
    sed 's/^laws:/  plank: {shape: {box: [0.4, 0.03]}, mass: 2, at: [0.5, -0.2]}\njoints:\n  pin: {hinge: [ground, plank], at: [0.5, -0.2]}\nlaws:/;
        s/plane: \[0, 1\]}}/plane: [0, 1]}, at: [0, -0.5]}/' many.yaml >hinged.yaml
    for scheme in $("$carom" list schemes | sed -n 's/^\([a-z-]*\) (scheme).*/\1/p'); do
        case $scheme in tolerance) end=0.4 ;; *) end=1 ;; esac # it follows every impact of the pile, for minutes
        each_killed "$scheme on many bodies" many.yaml --scheme "$scheme" --t-end $end --h 0.01
        each_killed "$scheme on many bodies and a hinge" hinged.yaml --scheme "$scheme" --t-end $end --h 0.01
    done
    [ $matrix -ge 6 ] || { echo "many: $matrix pairs of a scheme and a model, there should be six"; bad=1; }
    echo "many: $matrix pairs of a scheme and a model with contacts that come and go, each killed at its third checkpoint"
}

# Files that a model names: gone on with as they were; once they have changed, what is left would not fit, and that is said.
refused() # WHAT ARGUMENTS...
{
    what=$1
    shift
    if "$carom" "$@" >/dev/null 2>part.err || ! grep -q -e 'has changed' -e "files: '" part.err; then
        echo "files: $what goes on with another table: $(head -1 part.err)"
        bad=1
    fi
}
files()
{
    matrix=0
    printf '0 0\n1 1\n2 0\n3 -1\n4 0\n' >table
    printf 'carom: 1\nparameters: {a: 1}\ncoordinates: {y: 1}\nkinetic: y%s^2/2\npotential: 10*y\nforces: {y: a*push(t)}\n' "'" >table.yaml
    printf 'tables: {push: {file: table}}\ncontacts: {ground: {gap: y, restitution: 0.5}}\n' >>table.yaml
    each_killed "a table in a file" table.yaml --scheme moreau-jean --t-end 4 --h 0.01
    [ $matrix = 1 ] || { echo "files: the table was not followed"; bad=1; }
    INJECT=rename:3:kill LD_PRELOAD=$inject "$carom" run table.yaml --scheme moreau-jean --t-end 4 --h 0.01 --checkpoint part.checkpoint --every-steps 4 --quiet 2>/dev/null
    "$carom" sweep table.yaml -p a=0:1:3 --measure impacts --t-end 4 --threads 1 -o part.sqlite --quiet
    printf '0 0\n1 1\n2 0\n3 -1\n4 0.5\n' >table
    refused "a run" resume part.checkpoint
    refused "a sweep" sweep table.yaml -p a=0:1:3 --measure impacts --t-end 4 --threads 1 -o part.sqlite --quiet --resume
    rm -f part*
    echo "files: a run goes on with its table, and neither run nor sweep with another one"
}

model=impact-oscillator
for job in ${*:-run-csv run-json run-h5 schemes solvers many files sweep-sqlite sweep-csv sweep-h5 converge bifurcate basin lyapunov animate report}; do
    case $job in
    run-*)
        [ "$job" != run-h5 ] || [ -x "$same" ] || { echo "run-h5: this build has no HDF5"; continue; }
        run_killed "$job" "${job#run-}" impact-oscillator --t-end 60 --every 0.05 --gaps
        ;;
    schemes | solvers | many | files) $job ;;
    sweep-*)
        [ "$job" != sweep-h5 ] || [ -x "$same" ] || { echo "sweep-h5: this build has no HDF5"; continue; }
        job_killed "$job" "${job#sweep-}" --resume sweep $model -p w=2:3:12 --threads 1 --t-end 20 --measure impacts
        ;;
    converge) job_killed $job converge.csv "" converge bouncing-ball --schemes moreau-jean,kern --threads 1 --t-end 0.5 --h 0.02,0.01,0.005 --shifts 1 ;;
    bifurcate) job_killed $job csv "" bifurcate $model -p w=2:3:4 --show 5 --transient 2 --threads 1 ;;
    basin) job_killed $job sqlite --resume basin $model -p q.u=1:2:3 -p v.u=0:1:3 --periods 5 --threads 1 ;;
    lyapunov) job_killed $job csv "" lyapunov $model --periods 20 --transient 2 ;;
    animate) job_killed $job gif "" animate $model --t-end 2 --every 0.05 --fps 20 ;;
    report) job_killed $job html "" report $model --t-end 2 --every 0.05 ;;
    *) echo "there is no job '$job'"; bad=1 ;;
    esac
done
exit $bad
