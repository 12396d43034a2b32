#!/bin/sh
# coverage.sh BUILD [CTEST OPTIONS]: which lines of src do the tests run? Builds with gcov, runs the suite (or what the options
# of ctest choose) and prints the share of lines for each folder, and for all without src/cli. BUILD/lines-not-run has the rest:
# FILE:LINE. What failed is told, and its lines count. Not among them: the tests in which writes fail or kill. Those
# of gcov at the end of a process are such writes, and what it has counted before would be lost.
set -eu
build=$1
shift
tools/build.sh "$build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O0 -DCMAKE_C_FLAGS=--coverage -DWITH_WERROR=OFF >/dev/null
find "$build" -name '*.gcda' -delete
ctest --test-dir "$build" --parallel 2 -LE tool -E "^test_(failures|kills|security|sweep_command)$" "$@" 2>&1 | sed -n '/tests passed/p; /FAILED/,$p'
cd "$build"
# clones for processors count the same line several times: it was run if one of them was
find . -path '*/src/*.gcno' -exec gcov --stdout {} + 2>/dev/null | awk -F: '
    $3 == "Source" { file = $4; sub(/^.*\/src\//, "src/", file); if (file ~ /\.h$/) file = "" }
    file ~ /^src\// && $1 !~ /-/ {
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
