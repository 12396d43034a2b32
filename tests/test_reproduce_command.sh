#!/bin/sh
# test_reproduce_command.sh: `carom reproduce --quick`: all checks pass, the page is whole, and the commands that it shows run.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML
cd "$tmp" || exit 1

code=0
"$CAROM" reproduce --quick --json -o quick.html >out.json 2>err </dev/null || code=$?
[ "$code" = 0 ] || { complain "reproduce --quick exits with $code"; cat err; jq -c '.entries[] | select(.verdict == "fail")' out.json; }
jq -e '.entries | length >= 17 and all(.checks | length > 0)' out.json >/dev/null || complain "entries are missing, or check nothing"
jq -e '.entries | map(select(.id != "004-numbers")) | all(.verdict == "pass" and all(.checks[]; .passes))' out.json >/dev/null ||
    complain "not all entries pass"
# the one that cannot be reproduced says so, with the reason and the evidence
jq -e '.entries[] | select(.id == "004-numbers") | .verdict == "not reproducible" and (.checks | length > 0) and all(.checks[]; .passes)' out.json >/dev/null ||
    complain "the numbers of the table of 004 are not declared as they should be"
grep -q 'Not reproducible: the paper prints neither' quick.html || complain "the page does not say why 004-numbers is not reproducible"
# every figure and table that is promised, and each with a plot or a table
for id in 001-fig1 001-fig2 002-fig5 002-fig6 002-fig7 002-thm4.1 002-alg 003-fig2 003-fig3 003-fig4 003-fig5 003-fig6 003-fig7 003-props 003-prop2 003-lemma1 003-example3 003-rem19 \
    004-section2 004-order 004-table; do
    "$CAROM" reproduce --list | grep -q "^  $id " || complain "$id is missing"
done
for id in $(jq -r '.entries[].id' out.json); do
    grep -q "id=\"$id\"" quick.html || complain "the page has no section $id"
done
grep -q '</html>' quick.html || complain "the page is cut off"

# The same numbers with one thread.
if [ -z "${SANITIZED:-}" ]; then
    "$CAROM" reproduce --quick --json --threads 1 -o one.html >one.json 2>err </dev/null
    jq 'del(.. | .wall_s?, .page?)' out.json >a
    jq 'del(.. | .wall_s?, .page?)' one.json >b
    cmp -s a b || complain "the results depend on the number of threads"
fi

# What a reader would paste; those that measure for long are left to the page.
jq -r '.entries[].command' out.json >commands
while IFS= read -r command; do
    case $command in "carom "*) ;; *) complain "not a command of carom: $command"; continue ;; esac
    (PATH="$tmp/bin:$PATH" && mkdir -p bin && ln -sf "$CAROM" bin/carom && eval "$command") >log 2>&1 </dev/null ||
        { complain "does not run: $command"; head -3 log; }
done <commands

# Ctrl-C: what was finished is on the page
begin reproduce 001-fig1 004-table -o cut.html
caught
tries=0
until grep -q '^001-fig1' "$out" || [ $tries -ge 3000 ]; do
    sleep 0.1
    tries=$((tries + 1))
done
kill -INT "$job" 2>/dev/null
ended 130
says "interrupted; cut.html holds what was finished"
grep -q 'id="001-fig1"' cut.html || complain "what was finished is not on the page"
grep -q '</html>' cut.html || complain "the page of an interrupted job is cut off"

expect 2 reproduce 001-fig1 -o page.txt
expect 2 reproduce 001-fig9
grep -q "did you mean '001-fig" err || complain "no hint at the nearest entry: $(cat err)"
expect 0 reproduce --list
grep -q '^  003-fig6 ' out || complain "the list lacks an entry"
expect 0 reproduce 001-fig1 -o one.html
grep -q '1 pass, 0 fail' out || complain "one entry: $(cat out)"
expect 0 reproduce 002-fig6 -o six.html
! grep -q -i '<td[^>]*>-\{0,1\}nan<' six.html || complain "a cell is no number"
grep -q '<td[^>]*>none: errors up to [0-9.]*e-1[0-9]<' six.html || complain "no word on errors that are rounding"
expect 1 reproduce 001-fig1 -o /no/such/folder/page.html
finish
