#!/bin/sh
# mutate.sh BUILD N FILE... [-- TESTS]: do the tests notice when the code is wrong? N mutants spread evenly over the
# FILEs (0: all there are). Each changes one operator, comparison, sign or constant, in code only: comments, texts,
# #lines, types and plain indices as in x[2] are left alone. The tests are the programs tests/test_*.c whose names match
# the regular expression TESTS (default below); without a mutant they must pass. Prints the survivors: each is a test
# that is missing, or a change that does not matter; judge them one by one. What does not compile, or to the same code,
# does not count. mutate.sh --list FILE...: only lists the mutants.
# The tree is copied to BUILD (a folder of its own) and verdicts are kept there in `results`, by the text of the
# function and of the tests, so that a second call only tries what is new. Other changes (a called function, a header)
# are not seen: remove `results` to begin anew.
set -eu
tools=$(cd "$(dirname "$0")" && pwd)
tab=$(printf '\t')
refuse() { echo "mutate.sh: $*" >&2; exit 2; }

# FILE, LINE, COLUMN, what is there, what replaces it, first line of the function: one mutant in a line.
list()
{
    for file; do
        awk -v file="$file" '
        function mutant(from, to) { print file "\t" FNR "\t" i "\t" from "\t" to "\t" head }
        BEGIN {
            pairs = split("<= >= == != && || += -= *= /=", from, " ")
            split("< > != == || && -= += /= *=", to, " ")
            one["<"] = "<="; one[">"] = ">="; one["+"] = "-"; one["-"] = "+"; one["*"] = "/"; one["/"] = "*"
        }
        {
            code = ""; n = length($0)
            for (i = 1; i <= n; i++) { # comments and texts become blanks
                two = substr($0, i, 2); c = substr($0, i, 1)
                if (comment) { if (two == "*/") { comment = 0; code = code " "; i++ } code = code " "; continue }
                if (text != "" && c == "\\") { code = code "  "; i++; continue }
                if (text != "") { if (c == text) text = ""; code = code " "; continue }
                if (two == "/*") { comment = 1; code = code "  "; i++; continue }
                if (two == "//") break
                if (c == "\"" || c == "\047") { text = c; code = code " "; continue }
                code = code c
            }
            if (continued || code ~ /^[ \t]*#/) { continued = $0 ~ /\\$/; next }
            if (code ~ /^[A-Za-z_]/) head = FNR
            if (code !~ /^[ \t]/) next # heads of functions and tables
            n = length(code)
            for (i = 2; i <= n; i++) {
                c = substr(code, i, 1); two = substr(code, i, 2); before = substr(code, i - 1, 1)
                for (k = 1; k <= pairs && (two != from[k] || before == c); k++)
                    ;
                if (k <= pairs) { mutant(two, to[k]); i++; continue }
                after = substr(two, 2)
                if (c in one && before == " " && after == " ") mutant(c, one[c])
                else if (c == "-" && before ~ /[ (\[{]/ && after ~ /[A-Za-z0-9_(]/) mutant(c, "+")
                else if (c == "!") mutant(c, "!!")
                if (c !~ /[0-9]/) continue
                match(substr(code, i), /^[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?[0-9A-Za-z_.]*/)
                number = substr(code, i, RLENGTH)
                plain = before == "[" && substr(code, i + RLENGTH, 1) == "]"
                if (before !~ /[A-Za-z0-9_.]/ && !plain && number !~ /^0[xX]/)
                    mutant(number, number == "0" ? "1" : "(" number " + 1)")
                i += RLENGTH - 1
            }
        }' "$file"
    done
}

[ $# -ge 2 ] || refuse "expects BUILD N FILE... [-- TESTS], or --list FILE..."
if [ "$1" = --list ]; then
    shift
    list "$@" | cut -f1-5
    exit
fi
build=$1 most=$2
shift 2
files='' tests='schemes|exact|crank|galerkin|tolerance|mixed|laws|solvers|contact|geometry|models'
while [ $# -gt 0 ]; do
    if [ "$1" = -- ]; then tests=${2:?"TESTS are missing after --"}; break; fi
    [ -f "$1" ] || refuse "there is no file $1"
    files="$files $1"
    shift
done
programs=$(cd tests && for t in test_*.c; do echo "${t%.c}"; done | grep -E "$tests") ||
    refuse "no tests/test_*.c matches $tests"
sources=$(for program in $programs; do echo "tests/$program.c"; done)
mkdir -p "$build"
build=$(cd "$build" && pwd)
touch "$build/results"

# ---- the copy: only what differs is written and compiled anew (so is a mutant that a call cut short has left) ----
tree=$build/tree
mkdir -p "$tree"
for part in CMakeLists.txt cmake include src tests models examples bench tools web docs; do
    [ ! -e "$part" ] || find "$part" -type f
done >"$build/copied"
while read -r file; do
    cmp -s "$file" "$tree/$file" || { mkdir -p "$tree/$(dirname "$file")"; cp "$file" "$tree/$file"; }
done <"$build/copied"
(cd "$tree" && find . -type f) | sed 's|^\./||' | grep -vxF -f "$build/copied" |
    while read -r file; do rm "$tree/$file"; done

# ---- without a mutant: everything compiles, every test passes; the quickest test runs first ----
# Without -g: columns in there would make all mutants differ.
# shellcheck disable=SC2086 # words
(cd "$tree" && nice sh "$tools/build.sh" ../out -DWITH_WERROR=OFF \
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 -- $programs) >"$build/log" 2>&1 </dev/null ||
    { tail -20 "$build/log" >&2; refuse "the code does not compile as it is"; }
run() { (cd "$tree" && timeout "$1" nice "$build/out/tests/$2" >"$build/log" 2>&1 </dev/null); }
for program in $programs; do
    start=$(date +%s)
    run 600 "$program" || { tail -20 "$build/log" >&2; refuse "$program fails as it is"; }
    echo "$(($(date +%s) - start)) $program"
done >"$build/times.new"
sort -n "$build/times.new" >"$build/times"
object_of() { find "$build/out" -path "*/$1.o" -exec cksum {} +; }
clean=$build/clean
rm -rf "$clean"
for file in $files; do mkdir -p "$clean/$file" && object_of "$file" >"$clean/$file/object"; done

# ---- the mutants ----
judge() # file: the verdict on what is in the tree
{
    # shellcheck disable=SC2086 # words
    nice cmake --build "$build/out" --parallel 2 --target $programs >/dev/null 2>&1 </dev/null || { echo void; return; }
    if [ -s "$clean/$1/object" ] && [ "$(object_of "$1")" = "$(cat "$clean/$1/object")" ]; then echo same; return; fi
    while read -r seconds program; do # a mutant may never end
        run $((10 + 5 * seconds)) "$program" || { echo killed; return; }
    done <"$build/times"
    echo survived
}
# shellcheck disable=SC2086 # words
list $files >"$build/list"
all=$(wc -l <"$build/list")
[ "$most" != 0 ] && [ "$most" -lt "$all" ] || most=$all
awk -v all="$all" -v most="$most" 'int(NR * most / all) != int((NR - 1) * most / all)' "$build/list" >"$build/chosen"
# shellcheck disable=SC2086 # words
of_tests=$(find tests -maxdepth 1 -name '*.h' -exec cat {} + | cat - $sources | cksum)
while IFS=$tab read -r file line column from to head; do
    unit=$(awk -v head="${head:-1}" -v line="$line" 'NR >= head { print } NR >= line && /^}/ { exit }' "$file" | cksum)
    key=$(echo "$file $unit $((line - ${head:-1})) $column $to $of_tests" | cksum | tr ' ' '-')
    verdict=$(sed -n "s/^$key //p" "$build/results")
    if [ -z "$verdict" ]; then
        awk -v line="$line" -v at="$column" -v n="${#from}" -v by="$to" '
            NR == line { $0 = substr($0, 1, at - 1) by substr($0, at + n) } { print }' "$file" >"$tree/$file"
        verdict=$(judge "$file")
        cp "$file" "$tree/$file"
        echo "$key $verdict" >>"$build/results"
    fi
    text=$(sed -n "${line}s/^ *//p" "$file")
    printf '%s\t%s:%s:%s\t%s -> %s\t%s\n' "$verdict" "$file" "$line" "$column" "$from" "$to" "$text"
done <"$build/chosen" | tee "$build/verdicts" | grep '^survived' || true
awk '{ n[$1]++ } END {
    counted = n["killed"] + n["survived"]
    printf "%d of %d mutants killed", n["killed"], counted
    if (counted) printf " (%.0f %%)", 100 * n["killed"] / counted
    printf "; %d do not compile, %d compile to the same code\n", n["void"], n["same"] }' "$build/verdicts"
