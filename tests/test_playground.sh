#!/bin/sh
# test_playground.sh: the command in the page of `make playground`, if it has been made: in node with the results of the command
# here, and in headless Chromium as someone uses it (playground_browser.js).
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML
needs_programs node chromium
page=$(dirname "$CAROM")/playground.html
[ -f "$page" ] || skip "there is no $page: make playground"

sed -n '/id="program">/,/<\/script>/p' "$page" | sed '1d; $d' | base64 -d | gunzip >"$tmp/program" || complain "no program in $page"
# The same bits where no function of the system's mathematical library is in play.
for model in ball box newton-cradle stacked-balls impact-oscillator bodies/rocking-block; do
    node tests/playground_node.js "$tmp/program" models/$model.yaml run model.yaml --json | grep -v wall_s >"$tmp/there" || complain "$model fails"
    "$CAROM" run models/$model.yaml --json | grep -v wall_s >"$tmp/here"
    cmp -s "$tmp/here" "$tmp/there" || { complain "$model has other results in the playground"; diff "$tmp/here" "$tmp/there" | head -6; }
done

code=0
timeout 600 node tests/playground_browser.js "$page" || code=$?
[ $code != 77 ] || exit 77
[ $code = 0 ] || complain "$page"
finish
