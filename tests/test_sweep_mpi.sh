#!/bin/sh
# test_sweep_mpi.sh: a sweep on 1, 2 and 3 ranks of MPI gives the same bits as without; when a rank is killed the run ends, and
# --resume finishes it.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML SQLITE MPI
needs_programs mpirun timeout
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0" # libraries of MPI keep memory until the end
options="--oversubscribe"
if mpirun --version 2>/dev/null | grep -q 'Open MPI'; then
    if [ "$(id -u)" = 0 ]; then options="$options --allow-run-as-root"; fi
else
    options=""
fi
ranks() # N COMMAND...
{
    n=$1
    shift
    # shellcheck disable=SC2086
    TMPDIR=$tmp ${begin:-} timeout 380 mpirun $options -n "$n" "$@"
}
begin="" # exec: in the background, where a signal is to meet mpirun itself
sweep="sweep impact-oscillator -p w=2:3:20 -p alpha=0.05:0.45:15 --measure lyapunov --measure max:u --transient 10 --periods 20 --quiet"

ranks 1 true >/dev/null 2>&1 || skip "mpirun does not run here"

# shellcheck disable=SC2086
"$CAROM" $sweep -o "$tmp/one.sqlite" --threads 1 || complain "the sweep fails without MPI"
"$CAROM" merge "$tmp/one.csv" "$tmp/one.sqlite" --quiet
for n in 1 2 3; do
    # shellcheck disable=SC2086
    ranks $n "$CAROM" $sweep -o "$tmp/ranks$n.sqlite" >"$tmp/log" 2>&1 || { complain "$n ranks"; head -5 "$tmp/log"; }
    "$CAROM" merge "$tmp/ranks$n.csv" "$tmp/ranks$n.sqlite" --quiet
    cmp "$tmp/one.csv" "$tmp/ranks$n.csv" || complain "$n ranks give other numbers"
done

# ---- a mistake is told once, and nobody waits for anybody ----
code=0
ranks 3 "$CAROM" sweep impact-oscillator -p w=2:3:20 --measure lyapunv >"$tmp/log" 2>&1 || code=$?
[ "$code" = 2 ] || complain "a wrong measure exits with $code, not 2"
[ "$(grep -c 'unknown measure' "$tmp/log")" = 1 ] || { complain "a mistake is not told once"; cat "$tmp/log"; }

# ---- a rank dies ----
# shellcheck disable=SC2086
begin=exec
ranks 3 "$CAROM" $sweep -o "$tmp/dead.sqlite" >"$tmp/log" 2>&1 &
job=$! begin=""
waited=0
while [ ! -s "$tmp/dead.sqlite" ] && [ "$waited" -lt 3000 ]; do sleep 0.1; waited=$((waited + 1)); done
sleep 0.3
# Our own ranks alone: children of this mpirun that compute (the store is held open by rank 0).
victim=""
for pid in $(ps -o pid= --ppid "$job" 2>/dev/null) $(for p in $(ps -o pid= --ppid "$job" 2>/dev/null); do ps -o pid= --ppid "$p"; done 2>/dev/null); do
    if [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = carom ] && ! readlink /proc/"$pid"/fd/* 2>/dev/null | grep -q dead.sqlite; then victim=$pid; fi
done
if [ -n "$victim" ]; then
    kill -9 "$victim" 2>/dev/null || true
fi
code=0
wait "$job" || code=$?
if [ -n "$victim" ] && [ "$code" != 0 ]; then
    "$CAROM" merge "$tmp/part.csv" "$tmp/dead.sqlite" --quiet 2>/dev/null || complain "the store cannot be read after a rank died"
else
    echo "note: no rank could be killed in time"
fi
# shellcheck disable=SC2086
ranks 2 "$CAROM" $sweep -o "$tmp/dead.sqlite" --resume >"$tmp/log" 2>&1 || { complain "--resume after a rank died"; head -5 "$tmp/log"; }
"$CAROM" merge "$tmp/dead.csv" "$tmp/dead.sqlite" --quiet
cmp "$tmp/one.csv" "$tmp/dead.csv" || complain "other numbers after a rank died"

# ---- shards, one of them killed and resumed by ranks ----
# shellcheck disable=SC2086
for k in 0 1; do "$CAROM" $sweep --shard $k/3 -o "$tmp/shard$k.sqlite" || complain "shard $k/3"; done
# shellcheck disable=SC2086
"$CAROM" $sweep --shard 2/3 -o "$tmp/shard2.sqlite" --threads 1 &
job=$!
worked 20
kill -9 "$job" 2>/dev/null || true
wait "$job" 2>/dev/null
# shellcheck disable=SC2086
ranks 3 "$CAROM" $sweep --shard 2/3 -o "$tmp/shard2.sqlite" --resume --threads 2 >"$tmp/log" 2>&1 || { complain "a killed shard on ranks"; head -5 "$tmp/log"; }
"$CAROM" merge "$tmp/all.sqlite" "$tmp/shard0.sqlite" "$tmp/shard1.sqlite" "$tmp/shard2.sqlite" --quiet || complain "merge"
"$CAROM" merge "$tmp/all.csv" "$tmp/all.sqlite" --quiet
cmp "$tmp/one.csv" "$tmp/all.csv" || complain "shards on ranks give other numbers"

finish
