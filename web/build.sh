#!/bin/sh
# build.sh DIR AUTO|ON|OFF: style sheet, script and licence of the pages as C arrays in DIR/web.c.
# The script is bundled by esbuild from the files here and uPlot, which npm brings into DIR/web once. Without either of them
# AUTO makes pages with static plots (ON fails). npm gets a short time: a machine without a network must not wait.
set -eu
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
dir=$1 mode=$2
work=$dir/web
mkdir -p "$work"

reason=""
if [ "$mode" = OFF ]; then
    reason="WITH_WEB is off"
elif ! command -v esbuild >/dev/null 2>&1; then
    reason="there is no esbuild"
fi

version=$(sed -n 's/.*"uplot": "\([0-9.]*\)".*/\1/p' "$here/package.json")
has_uplot() { grep -q "\"version\": \"$version\"" "$work/node_modules/uplot/package.json" 2>/dev/null; }
if [ -z "$reason" ] && ! has_uplot; then
    cp "$here/package.json" "$here/package-lock.json" "$here/.npmrc" "$work"
    limit=""
    ! command -v timeout >/dev/null 2>&1 || limit="timeout 60"
    if ! command -v npm >/dev/null 2>&1; then
        reason="there is no npm"
    elif ! (cd "$work" && $limit npm ci --ignore-scripts --no-audit --no-fund --prefer-offline --fetch-retries=0 \
            --fetch-timeout=10000 </dev/null) >"$work/npm.log" 2>&1 || ! has_uplot; then
        reason="npm could not fetch uPlot $version, see $work/npm.log"
    fi
fi
if [ -z "$reason" ]; then
    if ! NODE_PATH=$work/node_modules esbuild "$here/page.js" --bundle --minify --format=iife --charset=utf8 --log-level=error \
            --legal-comments=inline --outfile="$work/page.js" ||
        ! cat "$work/node_modules/uplot/dist/uPlot.min.css" "$here/page.css" |
            esbuild --loader=css --minify --charset=utf8 --log-level=error >"$work/page.css"; then
        reason="esbuild failed"
    fi
    cp "$work/node_modules/uplot/LICENSE" "$work/licence.txt"
fi
if [ -n "$reason" ]; then
    [ "$mode" != ON ] || { echo "build.sh: WITH_WEB is on, but $reason" >&2; exit 1; }
    plain() { sed '/^import /d; s/^export //' "$here/$1.js"; }
    { # what esbuild would do: one scope for what is imported, one for each of those that import
        echo "(() => {"
        echo "'use strict'"
        for file in controls decode forces gestures gif ticks planar space; do
            plain $file
        done
        for file in animation map; do
            echo '{'
            plain $file
            echo '}'
        done
        echo '})()'
    } >"$work/page.js"
    cp "$here/page.css" "$work/page.css"
    : >"$work/licence.txt"
    echo "pages have static plots: $reason"
else
    echo "pages have interactive plots by uPlot $version"
fi

array() # NAME FILE
{
    echo
    echo "const char $1[] = {"
    od -A n -v -t d1 "$2" | awk '{ gsub(/ +/, ","); sub(/^,/, "    "); print $0 "," }'
    echo '    0};'
}
{
    echo '/* Made by web/build.sh from the files of web/. */'
    echo '#include "output/page/web.h"'
    echo
    [ -n "$reason" ] && echo 'const bool carom_web_interactive = false;' || echo 'const bool carom_web_interactive = true;'
    array carom_web_style "$work/page.css"
    array carom_web_script "$work/page.js"
    array carom_web_licence "$work/licence.txt"
} >"$dir/web.c.new"
mv "$dir/web.c.new" "$dir/web.c"
