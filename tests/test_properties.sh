#!/bin/sh
# test_properties.sh: every table of docs/scheme-properties.md has a row for every registered scheme, so that a new one
# forces a new measurement.
set -eu
: "${CAROM:?}"
page=docs/scheme-properties.md
failures=0
tables=$(grep -c '^|---|' "$page")
schemes=$("$CAROM" list schemes | sed -n 's/^\([a-z][a-z0-9-]*\) (.*)$/\1/p')
[ "$tables" -ge 4 ] || { echo "$page has $tables tables"; failures=1; }
[ -n "$schemes" ] || { echo "carom list schemes lists nothing"; failures=1; }
for scheme in $schemes; do
    rows=$(grep -c "^| \`$scheme\` |" "$page" || true)
    [ "$rows" = "$tables" ] || { echo "$page: $scheme is in $rows of $tables tables: make study"; failures=1; }
done
# shellcheck disable=SC2013,SC2016
for scheme in $(sed -n 's/^| `\([a-z0-9-]*\)` |.*/\1/p' "$page" | sort -u); do
    echo "$schemes" | grep -qx "$scheme" || { echo "$page: there is no scheme $scheme: make study"; failures=1; }
done
exit $failures
