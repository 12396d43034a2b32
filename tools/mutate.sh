#!/bin/sh
# mutate.sh BUILD N FILE... [-- TESTS]: do the tests notice when the code is wrong? N mutants spread evenly over the FILEs
# (0: all there are); each changes one operator, comparison, constant or assignment, in code only: comments, texts, #lines and
# declarations of types are left alone, and what does not compile does not count. The tests are those whose names contain
# the regular expression TESTS (default: schemes|exact|crank|galerkin|tolerance|mixed|laws|solvers|contact|geometry|models).
# The tree is copied to BUILD (a folder of its own); results are kept there in `results`, by the text of file and line, so
# that a second call only tries what is new. Prints the survivors: each is a test that is missing, or a change that does
# not matter; judge them one by one.
set -eu
build=$1 most=$2
shift 2
files='' tests='schemes|exact|crank|galerkin|tolerance|mixed|laws|solvers|contact|geometry|models'
while [ $# -gt 0 ]; do
    if [ "$1" = -- ]; then tests=$2; break; fi
    files="$files $1"
    shift
done
mkdir -p "$build"
build=$(cd "$build" && pwd)
rm -rf "$build/tree"
mkdir -p "$build/tree"
cp -r CMakeLists.txt cmake include src tests models examples bench tools web docs "$build/tree"
touch "$build/results"
[ -f "$build/out/build.ninja" ] || cmake -S "$build/tree" -B "$build/out" -G Ninja -DWITH_WERROR=OFF -DCMAKE_C_FLAGS_RELWITHDEBINFO=-O1 >/dev/null
programs=$(cd tests && for t in test_*.c; do echo "${t%.c}"; done | grep -E "$tests")
# shellcheck disable=SC2086 # words
nice cmake --build "$build/out" --parallel 2 --target $programs >/dev/null

# FILE LINE COLUMN LENGTH REPLACEMENT, one mutant in a line.
list()
{
    for file in $files; do
        awk -v file="$file" '
        function mutant(at, length_, by) { print file "\t" FNR "\t" at "\t" length_ "\t" by }
        {
            line = $0; code = ""; n = length(line)
            for (i = 1; i <= n; i++) { # comments and texts become blanks
                two = substr(line, i, 2); c = substr(line, i, 1)
                if (comment) { if (two == "*/") { comment = 0; code = code " "; i++ } code = code " "; continue }
                if (text != "") { if (c == "\\") { code = code "  "; i++; continue } if (c == text) text = ""; code = code " "; continue }
                if (two == "/*") { comment = 1; code = code "  "; i++; continue }
                if (c == "\"" || c == "\047") { text = c; code = code " "; continue }
                code = code c
            }
            if (code ~ /^[ \t]*#/ || code !~ /^[ \t]/) next # preprocessor; heads of functions and tables
            split("<= >= == != && || += -= *=", two_from, " "); split("< > != == || && -= += =", two_to, " ")
            for (i = 2; i <= n; i++) {
                c = substr(code, i, 1); before = substr(code, i - 1, 1); after = substr(code, i + 1, 1); done = 0
                for (k = 1; k <= 9; k++) if (substr(code, i, 2) == two_from[k]) { mutant(i, 2, two_to[k]); i++; done = 1; break }
                if (done || before != " " || after != " ") continue
                if (c == "<") mutant(i, 1, "<="); else if (c == ">") mutant(i, 1, ">=")
                else if (c == "+") mutant(i, 1, "-"); else if (c == "-") mutant(i, 1, "+")
                else if (c == "/") mutant(i, 1, "*")
                else if (c == "*" && substr(code, i - 2, 1) ~ /[A-Za-z0-9_)\]]/ && code !~ /^[ \t]*(const |static |double |int |carom_)/) mutant(i, 1, "/")
            }
            if (match(code, /[^A-Za-z0-9_.][0-9]+\.?[0-9]*[;,) ]/)) { # one constant of the line
                number = substr(code, RSTART + 1, RLENGTH - 2)
                if (code !~ /\[[0-9]+\]/) mutant(RSTART + 1, length(number), number == "0" ? "1" : "(" number " + 1)")
            }
        }' "$file"
    done
}
list >"$build/list"
all=$(wc -l <"$build/list")
[ "$most" != 0 ] && [ "$most" -lt "$all" ] || most=$all
awk -v all="$all" -v most="$most" 'int(NR * most / all) != int((NR - 1) * most / all)' "$build/list" >"$build/chosen"
tab=$(printf '\t')
while IFS=$tab read -r file line column length by; do
    text=$(sed -n "${line}p" "$file")
    key=$(printf '%s:%s:%s:%s:%s' "$file" "$text" "$column" "$by" "$tests" | cksum | tr ' ' '-')
    if grep -q "^$key " "$build/results"; then continue; fi
    awk -v line="$line" -v at="$column" -v n="$length" -v by="$by" \
        'NR == line { $0 = substr($0, 1, at - 1) by substr($0, at + n) } { print }' "$file" >"$build/tree/$file"
    verdict=survived
    # shellcheck disable=SC2086
    if ! nice cmake --build "$build/out" --parallel 2 --target $programs >/dev/null 2>&1; then
        verdict=void
    else
        for program in $programs; do
            if ! (cd "$build/tree" && timeout 120 nice "$build/out/tests/$program" >/dev/null 2>&1); then
                verdict="killed"
                break
            fi
        done
    fi
    cp "$file" "$build/tree/$file"
    printf '%s %s %s:%s %s -> %s\t%s\n' "$key" "$verdict" "$file" "$line" "$(printf '%s' "$text" | cut -c"$column"-$((column + length - 1)))" "$by" "$text" >>"$build/results"
done <"$build/chosen"
for file in $files; do grep " $file:" "$build/results" || true; done | awk '
    { n[$2]++ } $2 == "survived" { print }
    END { printf "%d mutants killed, %d survived, %d do not compile: %.0f %% killed\n", n["killed"], n["survived"], n["void"], 100 * n["killed"] / (n["killed"] + n["survived"] + (n["killed"] + n["survived"] == 0)) }' |
    sed 's/^[0-9-]* survived /survived /'
