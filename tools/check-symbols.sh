#!/bin/sh
# check-symbols.sh STATIC [SHARED]: every symbol that the static library defines begins with carom_, the shared one
# exports exactly the functions of the public headers, and neither can print, exit or abort.
set -eu
static=$1
shared=${2:-}
here=$(dirname "$0")
failed=0

complain() # heading, list
{
    if [ -n "$2" ]; then
        echo "$1:"
        echo "$2" | sed 's/^/    /'
        failed=1
    fi
}

complain "defined in $static without the prefix carom_" \
    "$(nm -g --defined-only "$static" 2>/dev/null | awk 'NF == 3 && $3 !~ /^(carom_|\.gomp_critical_user_carom_)/ { print $3 }' | sort -u)"
complain "a library neither prints nor ends the process, but $static uses" \
    "$(nm -u "$static" 2>/dev/null | awk 'NF == 2 { print $2 }' | sort -u |
       grep -xE '(__)?(printf|vprintf|puts|putchar|perror|exit|abort|stdout|stderr|__assert_fail|assert_fail)(_chk)?' || true)"

if [ -n "$shared" ]; then
    exported=$(nm -D --defined-only "$shared" | awk '{ print $NF }' | sort -u)
    declared=$(sh "$here/exports.sh" "${HEADERS:-$here/../include}"/carom*.h)
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    echo "$exported" >"$tmp/exported"
    echo "$declared" >"$tmp/declared"
    complain "exported from $shared but not declared in a public header" \
        "$(LC_ALL=C comm -23 "$tmp/exported" "$tmp/declared")"
    complain "declared in a public header but missing in $shared" \
        "$(LC_ALL=C comm -13 "$tmp/exported" "$tmp/declared")"
fi
exit $failed
