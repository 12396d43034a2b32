#!/bin/sh
# geometry.sh BUILD [POSES [DIFFERENCES]]: gaps and derivatives of contacts on many poses: POSES (10,000) of each
# kernel against 50 digits (needs python3-mpmath; an hour, with python3-gmpy2 a third of it), DIFFERENCES (a million) of
# each pair of shapes against distances and differences.
set -eu
build=$1 poses=${2:-10000} differences=${3:-1000000}
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
if python3 -c 'import mpmath' 2>/dev/null; then
    python3 tests/geometry_table.py "$poses" >"$tmp/table.txt"
    CAROM_GEOMETRY_TABLE=$tmp/table.txt "$build/tests/test_geometry_digits"
else
    echo "left out: gaps against 50 digits need python3-mpmath"
fi
"$build/bench/bench-geometry" study "$differences"
