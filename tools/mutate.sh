#!/bin/sh
# mutate.sh BUILD N FILE... [-- TESTS]: do the tests notice when the code is wrong? N mutants of the FILEs, drawn by a
# hash of their text and of SEED (N = 0: all there are), so that a change of the code leaves most of them in place. Each
# changes one operator, comparison, sign or constant, in code only: comments, texts, #lines, types and plain indices as
# in x[2] are left alone. The tests are the programs tests/test_*.c whose names match the regular expression TESTS
# (default: all that build); without a mutant they must pass. A mutant meets the programs that run its line (gcov knows
# them), those that have killed others of its folder and then the quickest first, until one fails. Only its file is
# compiled; the programs are linked anew.
# Prints the survivors: each is a test that is missing, or a change that does not matter. The latter are judged one by
# one and listed with the reason in tools/mutants-judged.txt; a judgement is void as soon as its line changes. What does
# not compile, or to the same code, does not count. mutate.sh --list FILE...: only lists the mutants.
# The tree is copied to BUILD (a folder of its own) and verdicts are kept there in `results`, by the text of the
# function and of the tests, so that a second call only tries what is new. Other changes (a called function, a header)
# are not seen: remove `results` to begin anew. LIMIT=20: no more than some 20 seconds of tests for a mutant (a quick look:
# some that longer tests kill survive it). JOBS=2: two at a time (default: as many as there are processors).
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
files='' tests=. jobs=${JOBS:-$(nproc 2>/dev/null || echo 2)}
while [ $# -gt 0 ]; do
    if [ "$1" = -- ]; then tests=${2:?"TESTS are missing after --"}; break; fi
    [ -f "$1" ] || refuse "there is no file $1"
    files="$files $1"
    shift
done
for program in ninja jq gcov; do command -v $program >/dev/null || refuse "needs $program"; done
programs=$(cd tests && for t in test_*.c; do echo "${t%.c}"; done | grep -E "$tests") ||
    refuse "no tests/test_*.c matches $tests"
mkdir -p "$build"
build=$(cd "$build" && pwd)
touch "$build/results"

# ---- the copy: only what differs is written and compiled anew ----
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

# ---- without a mutant: everything compiles, every test passes; which lines it runs, and in what time ----
# Without -g: columns in there would make all mutants differ.
compile() # TARGETS FOLDER OPTIONS...
{
    targets=$1
    shift
    # shellcheck disable=SC2086 # words
    (cd "$tree" && sh "$tools/build.sh" "$build/"$* -DWITH_WERROR=OFF -DCMAKE_EXPORT_COMPILE_COMMANDS=ON \
        $launcher -- $targets) >"$build/log" 2>&1 </dev/null ||
        { tail -20 "$build/log" >&2; refuse "the code does not compile as it is"; }
}
launcher=
! command -v ccache >/dev/null || launcher=-DCMAKE_C_COMPILER_LAUNCHER=ccache
linker=
! command -v mold >/dev/null || linker=-fuse-ld=mold
objects=libcarom.a # the programs are linked with a mutant, one by one
for program in $programs; do objects="$objects CMakeFiles/$program.dir/tests/$program.c.o"; done
compile "$programs" cover -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 -DCMAKE_C_FLAGS=--coverage
compile "$objects" plain -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2
compile "$objects" sanitized -DCMAKE_BUILD_TYPE=Sanitize
lines() # FOLDER: of the last run, what gcov knows: FILE:LINE, with a - before it where the line was not run
{
    (cd "$1" && find . -name '*.gcda' -exec gcov --stdout {} + 2>/dev/null) | awk -F: '
        $3 == "Source" { file = $4; sub(/.*\/tree\//, "", file) }
        file ~ /^src\// && $1 ~ /[0-9]/ { print file ":" $2 + 0 }
        file ~ /^src\// && $1 ~ /#####/ { print "-" file ":" $2 + 0 }' | sort -u
}
measure() # WORKER: every JOBS-th of the programs; counters go to a folder of its own, beside the graphs that gcov wants
{
    here=$build/counters-$1
    rm -rf "$here"
    (cd "$build/cover" && find . -path '*/src/*.gcno') | while read -r graph; do
        mkdir -p "$here$build/cover/${graph%/*}" && ln "$build/cover/$graph" "$here$build/cover/$graph"
    done
    # shellcheck disable=SC2086 # words
    printf '%s\n' $programs | awk -v k="$1" -v n="$jobs" 'NR % n == k' | while read -r program; do
        stamp=$(cksum <"$build/cover/tests/$program")
        [ "$(cat "$build/lines/$program.stamp" 2>/dev/null)" != "$stamp" ] || continue
        find "$here" -name '*.gcda' -delete
        code=$(cd "$tree" && { GCOV_PREFIX=$here timeout 1000 "$build/cover/tests/$program" >"$here/log" 2>&1 </dev/null && echo 0 || echo $?; times; } >"$here/spent"; sed 1q "$here/spent")
        [ "$code" = 0 ] || [ "$code" = 77 ] || { tail -20 "$here/log" >&2; refuse "$program fails as it is"; }
        # milliseconds of the processor: the clock would count what else the machine does
        sed -n '3s/m/ /; 3s/s.*//p' "$here/spent" | awk -v program="$program" '{ printf "%d %s\n", 1000 * (60 * $1 + $2), program }' >"$build/lines/$program.time"
        lines "$here" >"$build/lines/$program"
        echo "$stamp" >"$build/lines/$program.stamp"
    done
}
mkdir -p "$build/lines"
each() # FUNCTION: by JOBS workers at a time; where one fails the others have nothing to go on with
{
    worker=0 workers=
    while [ $worker -lt "$jobs" ]; do
        "$1" $worker &
        workers="$workers $!" worker=$((worker + 1))
    done
    # shellcheck disable=SC2086 # words
    for worker in $workers; do wait "$worker" || { kill $workers 2>/dev/null; exit 2; }; done
}
each measure
for program in $programs; do cat "$build/lines/$program.time"; done | sort -n >"$build/times"

# ---- the mutants ----
compile_of() # FOLDER FILE SOURCE OBJECT: the command that compiles FILE, with another SOURCE
{
    jq -r --arg file "$tree/$2" '.[] | select(.file == $file) | .command' "$build/$1/compile_commands.json" | head -1 |
        sed "s| -o [^ ]* | -o $4 |; s| -c .*| -c $3|; s|^[^ ]*ccache ||"
}
compiles() { (cd "$build/$1" && eval "$(compile_of "$@")") >/dev/null 2>&1 </dev/null; }
# The programs are linked once, with a shared library of everything; a mutant is another such library. What a program
# brings along itself comes first, as with an archive. (Sanitizers come with the program.)
library() # FOLDER SED OUTPUT: from the library's objects as SED changes them
{
    (cd "$build/$1" && ninja -t commands libcarom.a | tail -1 | tr ' ' '\n' | grep '\.o$' | sed "$2" >"$3.objects" &&
        eval "cc $linker -shared -Wl,-soname,libwhole.so -o $3 @$3.objects") >"$build/log" 2>&1 </dev/null
}
link() # FOLDER PROGRAM
{
    (cd "$build/$1" && eval "$(ninja -t commands "tests/$2" | tail -1 |
        sed "s| -o [^ ]* | $linker -o tests/$2 |; s| libcarom\.a | $build/$1/whole/libwhole.so |; s| && :$| -Wl,--enable-new-dtags,-rpath,$build/$1/whole|")") >"$build/log" 2>&1 </dev/null
}
for how in plain sanitized; do
    mkdir -p "$build/$how/whole" "$build/$how/tests"
    library $how '' "$build/$how/whole/libwhole.so" || { tail -5 "$build/log" >&2; refuse "the library cannot be linked"; }
    for program in $programs; do
        link $how "$program" || { tail -5 "$build/log" >&2; refuse "$program cannot be linked"; }
    done
done
# Up to the first test that fails. A mutant may never end: processor time does not depend on what else the machine does.
fails() # LIBRARY'S FOLDER, PROGRAM, MILLISECONDS
{
    {
        (
            # shellcheck disable=SC3045 # where sh has no such limits the mutants that never end have to be killed by hand
            cd "$tree" && ulimit -c 0 && ulimit -t $((10 + $3 / 100)) || exit 1
            LD_LIBRARY_PATH=$1 CK_TAP_LOG_FILE_NAME=- "$2" 2>&1 </dev/null
        ) || echo "not ok"
    } | grep -aqm1 '^not ok'
}
# The programs that run a line; gcov may not know it (a table, a line that goes on): then those that run some line of its
# function, and outside of functions those that run the file. The quickest first.
meet() # FILE LINE HEAD
{
    # shellcheck disable=SC2086 # words
    if ! (cd "$build/lines" && cat $programs) | grep -qxF -e "$1:$2" -e "-$1:$2"; then
        set -- "$1" "$2" "$(awk -v head="$3" -v line="$2" '
            NR == head { inside = 0 } NR > head && NR <= line && /^{/ { inside = 1 } NR >= line && /^}/ { print inside ? head "," NR : "1,9999999"; exit }' "$1")"
        range=${3:-1,9999999}
        while read -r time program; do
            ! awk -F: -v file="$1" -v from="${range%,*}" -v to="${range#*,}" '
                $1 == file && $2 >= from && $2 <= to { found = 1; exit } END { exit !found }' "$build/lines/$program" || echo "$time $program"
        done <"$build/times"
    else
        while read -r time program; do
            ! grep -qxF "$1:$2" "$build/lines/$program" || echo "$time $program"
        done <"$build/times"
    fi
}
# What has killed mutants of the same folder comes first.
likely() # FILE
{
    touch "$build/killers"
    awk -v folder="${1%/*}" -v killers="$build/killers" '
        FILENAME == killers { n[$2] += $1 == folder; next } { print n[$2] + 0, $0 }' "$build/killers" - |
        sort -s -k1,1nr | cut -d" " -f2-
}
# Sanitizers see what is read and written beyond its end; they are slow, and get the programs that are quick.
judge() # WORKER FILE LINE HEAD: the verdict on mutant.c in the worker's folder
{
    here=$build/worker-$1
    beside=$tree/$(dirname "$2")/.mutant-$1.c # what it includes is there
    clean=$here/clean-$(cksum <"$2" | tr ' ' -).o
    [ -f "$clean" ] || { cp "$2" "$beside" && compiles plain "$2" "$beside" "$clean"; }
    cp "$here/mutant.c" "$beside"
    compiles plain "$2" "$beside" "$here/mutant.o" || { echo void; return; }
    if cmp -s "$here/mutant.o" "$clean"; then echo same; return; fi
    meet "$2" "$3" "${4:-1}" | likely "$2" >"$here/programs"
    if [ ! -s "$here/programs" ]; then echo "survived (no test runs it)"; return; fi
    for how in plain sanitized; do
        [ $how = plain ] || compiles $how "$2" "$beside" "$here/mutant.o" || { echo void; return; }
        library $how "s|.*/$2\.o\$|$here/mutant.o|" "$here/libwhole.so" || { echo unlinked; return; }
        spent=0
        while read -r time program; do
            if fails "$here" "$build/$how/tests/$program" "$time"; then
                echo "${2%/*} $program" >>"$build/killers"
                echo "killed by $program"
                return
            fi
            spent=$((spent + time))
            if [ $how = sanitized ] && [ $spent -ge 2000 ]; then break; fi
            if [ $spent -ge $((1000 * ${LIMIT:-1000})) ]; then break; fi
        done <"$here/programs"
    done
    echo survived
}
work() # WORKER: every JOBS-th of the chosen
{
    mkdir -p "$build/worker-$1"
    read -r time program <"$build/times"
    if fails "$build/plain/whole" "$build/plain/tests/$program" "$time"; then refuse "$program fails as it is"; fi
    awk -v k="$1" -v n="$jobs" 'NR % n == k' "$build/chosen" | while IFS=$tab read -r file line column from to head; do
        unit=$(awk -v head="${head:-1}" -v line="$line" 'NR >= head { print } NR >= line && /^}/ { exit }' "$file" | cksum)
        key=$(echo "$file $unit $((line - ${head:-1})) $column $to $of_tests" | cksum | tr ' ' '-')
        verdict=$(sed -n "s/^$key //p" "$build/results" | head -1)
        if [ -z "$verdict" ]; then
            awk -v line="$line" -v at="$column" -v n="${#from}" -v by="$to" '
                NR == line { $0 = substr($0, 1, at - 1) by substr($0, at + n) } { print }' "$file" >"$build/worker-$1/mutant.c"
            verdict=$(judge "$1" "$file" "$line" "$head")
            rm -f "$tree/$(dirname "$file")/.mutant-$1.c"
            echo "$key $verdict" >>"$build/results"
        fi
        text=$(sed -n "${line}s/^ *//p" "$file")
        spaces=$(sed -n "${line}s/[^ ].*//p" "$file")
        mark="$file$tab$((column - ${#spaces}))$tab$from -> $to$tab$text"
        [ "${verdict%% *}" != survived ] || ! grep -qF "$mark$tab" tools/mutants-judged.txt 2>/dev/null || verdict=judged
        printf '%s\t%s:%s\t%s\n' "$verdict" "$file" "$line" "${mark#*"$tab"}"
    done >"$build/worker-$1/verdicts"
}
# shellcheck disable=SC2086 # words
list $files >"$build/list"
[ "$most" != 0 ] || most=$(wc -l <"$build/list")
# The text of a line, its column and what replaces it: a number that other changes of the file leave alone.
# shellcheck disable=SC2086 # words
awk -F'\t' -v seed="${SEED:-1}" '
    BEGIN { for (i = 32; i < 127; i++) code[sprintf("%c", i)] = i }
    FNR == NR { key[$1 "\t" $2] = key[$1 "\t" $2]; order[FNR] = $0; n = FNR; next }
    FNR == 1 { }
    (FILENAME "\t" FNR) in key { key[FILENAME "\t" FNR] = $0 }
    END {
        for (k = 1; k <= n; k++) {
            split(order[k], part, "\t")
            text = seed " " part[1] " " part[3] " " part[5] " " key[part[1] "\t" part[2]]
            hash = 5381
            for (i = 1; i <= length(text); i++) hash = (hash * 33 + code[substr(text, i, 1)]) % 4294967291
            printf "%d\t%s\n", hash, order[k]
        }
    }' "$build/list" $files | sort -n | head -n "$most" | cut -f2- | sort >"$build/chosen"
of_tests=$(cd "$tree/tests" && cat ./*.[ch] | cksum)
each work
cat "$build"/worker-*/verdicts | sort -k2 >"$build/verdicts"
grep '^survived' "$build/verdicts" || true
awk '{ n[$1]++ } END {
    counted = n["killed"] + n["survived"]
    printf "%d of %d mutants killed", n["killed"], counted
    if (counted) printf " (%.0f %%)", 100 * n["killed"] / counted
    printf "; %d change nothing that matters (judged), %d compile to the same code, %d do not compile\n",
        n["judged"], n["same"], n["void"] + n["unlinked"] }' "$build/verdicts"
