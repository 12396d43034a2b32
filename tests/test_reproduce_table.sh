#!/bin/sh
# test_reproduce_table.sh: the table of Lyapunov exponents by the protocol of its paper, 3000 periods: both exponents of all
# three schemes, to the end.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML
cd "$tmp" || exit 1
[ -z "${SANITIZED:-}" ] || exit 77
expect 0 reproduce 004-table --json -o table.html
jq -e '.entries[0] | .id == "004-table" and .verdict == "pass" and ([.checks[] | select(.passes)] | length >= 6) and all(.checks[]; .passes)' out >/dev/null ||
    complain "the table: $(jq -c '.entries[0]' out)"
finish
