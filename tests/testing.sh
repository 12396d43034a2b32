# testing.sh: what tests of the command share. They run in the source folder and begin with `. tests/testing.sh`.
set -u
: "${CAROM:?}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
out=$tmp/out err=$tmp/err
failures=0 code=0

skip() { echo "skipped: $*"; exit 77; }
needs() # LIBRARY...: those that this build has are in the environment as YAML=1 and the like
{
    for library in "$@"; do
        eval "[ -n \"\${$library:-}\" ]" || skip "this build has no $library"
    done
}
needs_programs() # NAME...
{
    for program in "$@"; do
        command -v "$program" >/dev/null 2>&1 || skip "there is no $program"
    done
}
complain() { echo "FAIL: $*"; failures=$((failures + 1)); }
finish() { [ "$failures" = 0 ] || { echo "$failures failures"; exit 1; }; exit 0; }
expect() # CODE ARGUMENTS...: runs carom and keeps its stdout and stderr
{
    wanted=$1
    shift
    code=0
    "$CAROM" "$@" >"$out" 2>"$err" </dev/null || code=$?
    [ "$code" = "$wanted" ] || { complain "carom $* exits with $code, not $wanted"; head -5 "$err"; }
}
# A signal on its way, however slow the machine: `begin ARGUMENTS` starts carom as $job, `caught` waits until it handles signals,
# `worked N` until it has had N hundredths of a second of processor time, `ended CODE` for its end, no longer than five minutes.
begin()
{
    "$CAROM" "$@" >"$out" 2>"$err" </dev/null &
    job=$!
}
caught() # SigCgt is a mask in hexadecimal digits: 2 is SIGINT, which a shell catches too, before it becomes carom
{
    tries=0
    until [ $tries -ge 3000 ] || { grep -q '^Name:.carom$' "/proc/$job/status" && grep -q '^SigCgt:.*[2367abef]$' "/proc/$job/status"; } 2>/dev/null; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
worked()
{
    tries=0
    while [ $tries -lt 3000 ] && spent=$(sed 's/.*) //; /^Z/d' "/proc/$job/stat" 2>/dev/null | cut -d' ' -f12,13) && [ -n "$spent" ] &&
        [ $((${spent% *} + ${spent#* })) -lt "$1" ]; do
        sleep 0.1
        tries=$((tries + 1))
    done
}
ended()
{
    { sleep 300; kill -KILL "$job"; } >/dev/null 2>&1 &
    watchdog=$!
    code=0
    wait "$job" || code=$?
    kill $watchdog 2>/dev/null
    [ "$code" = "$1" ] || { complain "exit code $code, not $1"; head -5 "$err"; }
}
says() { grep -q -e "$1" "$err" || { complain "stderr lacks '$1':"; head -5 "$err"; }; }
prints() { grep -q -e "$1" "$out" || { complain "stdout lacks '$1':"; head -5 "$out"; }; }
silent() { [ ! -s "$err" ] || { complain "stderr is not empty:"; head -5 "$err"; }; }
holds() # a condition on the JSON that was printed
{
    if [ ! -s "$out" ] || ! jq -e "$1" "$out" >/dev/null; then
        complain "not true: $1"
        head -c 600 "$out"
    fi
}
