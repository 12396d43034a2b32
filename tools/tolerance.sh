#!/bin/sh
# tolerance.sh PROGRAM: measures anew with bench-tolerance what docs/tolerance.md shows between its marks, and prints it.
set -eu
program=$1
page=$(dirname "$0")/../docs/tolerance.md
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$program" >"$tmp/table" 2>"$tmp/refused" # moved values that friction refuses are told there
printf '\nErrors of tolerance over tol\n\n'
cat "$tmp/table"
awk -v table="$tmp/table" '
    /^<!-- end of study -->$/ { inside = 0 }
    !inside { print }
    /^<!-- study -->$/ { inside = 1; print ""; while ((getline line < table) > 0) print line; print "" }' "$page" >"$tmp/page"
cat "$tmp/page" >"$page"
printf '\ndocs/tolerance.md is written\n'
