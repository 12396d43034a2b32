#!/bin/sh
# compare-builds.sh OLD NEW [WORD]: runs the commands `carom` of two builds on every built-in model with every scheme that
# takes it, and every analysis on a few models, and tells where a bit of the results differs. WORD: only cases that hold it.
# Times and paths are left out. Exit 1 if anything differs.
set -eu
old=$1 new=$2 word=${3:-}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
total=0 differ=0

result() # CAROM WHERE ARGUMENTS...: what it prints and writes, without times
{
    carom=$1 where=$2
    shift 2
    mkdir -p "$where"
    code=0
    (cd "$where" && timeout 120 "$carom" "$@" >stdout 2>stderr) || code=$?
    echo "exit $code" >"$where/code"
    sed -i -E '/"(wall_s|cpu_s|time_s|version|skipped)"/d; s/[0-9.]+ (ms|s) wall//g; /^  [0-9.]+ s$/d' "$where/stdout"
    rm -f "$where"/*.h5 "$where"/*.sqlite*
}

same() # ARGUMENTS...
{
    case "$*" in *"$word"*) ;; *) return 0 ;; esac
    total=$((total + 1))
    rm -rf "$tmp/old" "$tmp/new"
    result "$old" "$tmp/old" "$@" &
    result "$new" "$tmp/new" "$@"
    wait
    if ! diff -r "$tmp/old" "$tmp/new" >"$tmp/diff" 2>&1; then
        differ=$((differ + 1))
        echo "differs: carom $*"
        head -6 "$tmp/diff" | cut -c1-200 | sed 's/^/    /'
    fi
}

old=$(cd "$(dirname "$old")" && pwd)/$(basename "$old")
new=$(cd "$(dirname "$new")" && pwd)/$(basename "$new")
schemes=$("$old" list schemes | sed -n 's/^\([a-z][a-z0-9-]*\) (.*)$/\1/p')
for model in $("$old" list models | awk '{ print $1 }'); do
    for scheme in $schemes; do
        same run "$model" --scheme "$scheme" --set energy=1 --json -o run.csv
    done
    same check "$model"
done
for rk in radau3 radau5 lobatto-a4 lobatto-c4 gauss2 gauss6 erk2 erk4 erk5; do
    for model in linear-oscillator point-on-plane belt slider-crank double-pendulum-wall; do
        same run "$model" --scheme "mixed:rk=$rk" --json -o run.csv
    done
done
for degree in 0 2 3 5; do
    for model in ball double-pendulum-wall belt pendulum-wall-cartesian; do
        same run "$model" --scheme "dg-minus:degree=$degree" --json -o run.csv
        same run "$model" --scheme "dg-plus:degree=$degree" --json -o run.csv
    done
done
same run double-pendulum-wall --scheme crank-nicolson:variant=printed --json -o run.csv
same run impact-oscillator --scheme crank-nicolson:variant=printed --json -o run.csv
for control in halving coordinates variable-order indicator printed guarded; do
    same run ball --scheme "moreau-jean:control=$control" --json -o run.csv
    same run double-pendulum-wall --scheme "moreau-jean:control=$control" --json -o run.csv
done
same run newton-cradle --set impacts=sequential --json -o run.csv
for model in impact-oscillator dimer chain driven-pendulum vibrating-table; do
    same lyapunov "$model" --periods 30 --transient 10 --json
done
same lyapunov impact-oscillator --periods 30 --method perturbation --json
same lyapunov impact-oscillator --periods 30 --starts 9 --json
same orbit impact-oscillator -p alpha=0 -p umin=0 -p w=2.6:2.7:5 --json -o branch.csv
same gradient bouncing-ball --of y --with-respect-to e,g --json
same gradient belt --of x --json
same bifurcate impact-oscillator -p w=2.6:2.7:6 -o diagram.csv
same sweep impact-oscillator -p w=2:3:6 -p e=0.5:0.9:4 --measure lyapunov --json -o map.csv
same basin impact-oscillator --json -o map.csv
same converge linear-oscillator --schemes moreau-jean,mixed:rk=radau5 --h 0.04:0.01:3 --json
same reproduce --quick --json -o /dev/null
echo "$total cases, $differ differ"
[ "$differ" = 0 ]
