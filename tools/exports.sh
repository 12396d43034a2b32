#!/bin/sh
# exports.sh [--map] HEADER...: the functions that the public headers declare, one per line;
# with --map as a version script for the linker.
set -eu
map=false
if [ "${1:-}" = --map ]; then
    map=true
    shift
fi
# A declaration starts in the first column and names its function right before the first parenthesis.
names=$(cat "$@" | grep -v '^typedef ' | sed -n 's/^[a-z][a-z_ ]*[ *]\(carom_[a-z0-9_]*\)(.*/\1/p' | sort -u)
if $map; then
    echo "{ global:"
    echo "$names" | sed 's/$/;/'
    echo "local: *; };"
else
    echo "$names"
fi
