#!/bin/sh
# coverage.sh BUILD [CTEST OPTIONS]: which lines of src do the tests run? Builds with gcov, runs the suite (or what the options
# of ctest choose) and prints the share of lines for each folder, and for all without src/cli. BUILD/lines-not-run has the rest:
# FILE:LINE. What failed is told, and its lines count.
# A process writes its counters when it ends, added to what the file holds. A process that is killed leaves none, and one that
# is killed while it writes them, or whose files are limited in size, spoils them for all that follow. The tests that do such
# things write each to a folder of its own (`apart`), and a line was run if it was run by one: what is lost can only make
# the shares smaller, and what gcov complained of is told. Not among the tests: those of the label `tool` (they build anew,
# or run programs that are not Carom's).
set -eu
build=$1
shift
tools/build.sh "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O0 -DCMAKE_C_FLAGS=--coverage -DWITH_WERROR=OFF >/dev/null
build=$(cd "$build" && pwd)
export GCOV_ERROR_FILE="$build/complaints" CK_TIMEOUT_MULTIPLIER=10
rm -rf "$build/apart" "$GCOV_ERROR_FILE"
find "$build" -name '*.gcda' -delete
apart='test_(failures|kills|security|sweep_command|sweep_mpi)'
chosen=$(ctest --test-dir "$build" -N -LE tool "$@" | sed -n 's/^ *Test *#\([0-9]*\): /\1 /p')
run() # NUMBER,NUMBER...
{
    [ -z "$1" ] || ctest --test-dir "$build" --parallel 2 -I "0,0,0,$1" 2>&1 | sed -n '/tests passed/p; /FAILED/,$p'
}
run "$(echo "$chosen" | grep -vE " $apart\$" | cut -d' ' -f1 | paste -sd, -)"
echo "$chosen" | grep -E " $apart\$" | while read -r number name; do
    GCOV_PREFIX="$build/apart/$name" run "$number"
done
[ ! -s "$GCOV_ERROR_FILE" ] || echo "$(wc -l <"$GCOV_ERROR_FILE") complaints of gcov: $GCOV_ERROR_FILE"
cd "$build"
find apart -name '*.gcda' 2>/dev/null | while read -r file; do # gcov wants the graph beside the counters
    cp "$(echo "/${file#apart/*/}" | sed "s/gcda\$/gcno/")" "${file%.gcda}.gcno"
done
# clones for processors count the same line several times: it was run if one of them was
find . -path '*/src/*.gcno' -exec gcov --stdout {} + 2>/dev/null | awk -F: '
    $3 == "Source" { file = $4; sub(/^.*\/src\//, "src/", file); if (file ~ /\.h$/) file = "" }
    file ~ /^src\// && $1 ~ /^ *[0-9#=]/ {
        key = file ":" $2 + 0
        known[key] = 1
        if ($1 ~ /[0-9]/) run[key] = 1
    }
    END {
        for (key in known) {
            split(key, part, "/")
            folder = part[2]
            lines[folder]++
            done[folder] += key in run
            if (!(key in run)) print key >"lines-not-run"
        }
        for (folder in lines) {
            printf "%-10s %6d lines, %5.1f %% run\n", folder, lines[folder], 100 * done[folder] / lines[folder]
            if (folder != "cli") { all += lines[folder]; ran += done[folder] }
        }
        printf "%-10s %6d lines, %5.1f %% run\n", "~ but cli", all, 100 * ran / all
    }' | sort
