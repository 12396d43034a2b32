#!/bin/sh
# test_tools.sh: the checks of tools/ pass on what is right and fail on a planted violation of each kind.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
: "${CC:=cc}"
failures=0

passes() { "$@" >"$tmp/log" 2>&1 || { echo "should pass: $*"; cat "$tmp/log"; failures=$((failures + 1)); }; }
fails() # word of the message, command
{
    word=$1
    shift
    if "$@" >"$tmp/log" 2>&1; then
        echo "should fail: $*"
        failures=$((failures + 1))
    elif ! grep -q -e "$word" "$tmp/log"; then
        echo "fails, but does not say '$word': $*"
        cat "$tmp/log"
        failures=$((failures + 1))
    fi
}

# ---- includes ----
fresh() { rm -rf "$tmp/tree"; mkdir -p "$tmp/tree/src/core" "$tmp/tree/src/expr" "$tmp/tree/src/sim"
          printf '#include "core/core.h"\n#include "carom.h"\n' >"$tmp/tree/src/sim/sim.c"; }
fresh
passes sh tools/check-includes.sh "$tmp/tree"
printf '#include "sim/sim.h"\n' >"$tmp/tree/src/expr/tape.c"
fails "from its right" sh tools/check-includes.sh "$tmp/tree"
fresh
printf '#include "sim.h"\n' >"$tmp/tree/src/sim/more.c"
fails "folder/file.h" sh tools/check-includes.sh "$tmp/tree"
fresh
printf '# include <libfyaml.h>\n' >"$tmp/tree/src/sim/more.c"
fails "belongs in text" sh tools/check-includes.sh "$tmp/tree"
fresh
mkdir "$tmp/tree/src/misc"
printf '\n' >"$tmp/tree/src/misc/x.c"
fails "no place" sh tools/check-includes.sh "$tmp/tree"
fresh
printf 'double x = s->system->at.G[0];\n' >"$tmp/tree/src/sim/more.c"
fails "use the operators" sh tools/check-includes.sh "$tmp/tree"

# ---- symbols ----
mkdir "$tmp/include"
printf 'int carom_one(void);\nint *carom_two(int a);\n' >"$tmp/include/carom.h"
cat >"$tmp/one.c" <<'END'
int carom_one(void);
int *carom_two(int);
static int two;
int carom_one(void) { return 1; }
int *carom_two(int a) { two = a; return &two; }
END
archive() # source
{
    rm -f "$tmp/lib.a" "$tmp/lib.so"
    "$CC" -c -fPIC "$1" -o "$tmp/o.o"
    ar rc "$tmp/lib.a" "$tmp/o.o"
    "$CC" -shared "$tmp/o.o" -o "$tmp/lib.so"
}
symbols() { HEADERS="$tmp/include" sh tools/check-symbols.sh "$tmp/lib.a" "$tmp/lib.so"; }
archive "$tmp/one.c"
passes symbols
{ cat "$tmp/one.c"; echo 'int step(void); int step(void) { return 2; }'; } >"$tmp/two.c"
archive "$tmp/two.c"
fails step symbols
{ cat "$tmp/one.c"; echo 'int carom_three(void); int carom_three(void) { return 3; }'; } >"$tmp/two.c"
archive "$tmp/two.c"
fails "not declared" symbols
sed '$d' "$tmp/one.c" >"$tmp/two.c"
archive "$tmp/two.c"
fails "missing in" symbols
for call in 'abort()' 'exit(1)' 'puts("x")' '(void)fprintf(stderr, "x")'; do
    { printf '#include <stdio.h>\n#include <stdlib.h>\n'; cat "$tmp/one.c"
      echo "int carom_one_more(void); static int use(void) { $call; return 1; } int (*const carom_used)(void) = use;"
    } >"$tmp/two.c"
    archive "$tmp/two.c"
    fails "neither prints" symbols
done

# ---- text ----
fresh
passes sh tools/check-text.sh "$tmp/tree"
printf '/* see /%s/me/notes */\n' home >"$tmp/tree/src/sim/more.c"
fails "path of one machine" sh tools/check-text.sh "$tmp/tree"
fresh
printf 'int\tx;\n' >"$tmp/tree/src/sim/more.c"
fails "a tab" sh tools/check-text.sh "$tmp/tree"
fresh
printf '/* TO%s */\n' DO >"$tmp/tree/src/sim/more.c"
fails "open end" sh tools/check-text.sh "$tmp/tree"
fresh
yes '/* */' | head -701 >"$tmp/tree/src/sim/more.c"
passes sh tools/check-text.sh "$tmp/tree"
grep -q "more.c has 701 lines" "$tmp/log" || { echo "a long file is not listed"; failures=$((failures + 1)); }

fresh
printf '/* %0120d */\n' 0 >"$tmp/tree/src/sim/more.c"
fails "more than 120 columns" sh tools/check-text.sh "$tmp/tree"

# ---- packages ----
# On a made-up machine: $tmp/bin holds its only commands.
mkdir "$tmp/bin"
for tool in sh cat mktemp rm env; do ln -s "$(command -v $tool)" "$tmp/bin/$tool"; done
command_is() { printf '#!/bin/sh\n%s\n' "$2" >"$tmp/bin/$1"; chmod +x "$tmp/bin/$1"; }
for program in esbuild npm node; do command_is $program :; done
tools=$(pwd)/tools
packages() { (cd "$tmp" && PATH="$tmp/bin" sh "$tools/packages.sh" "$@"); }
log="$tmp/apt"
# shellcheck disable=SC2016
calls() { [ "$(cat "$log" 2>/dev/null)" = "$1" ] || { echo "apt-get was asked for: $(cat "$log")"; failures=$((failures + 1)); }; }
fails "no group" packages nonsense
passes packages build                                          # no dpkg: nothing to do
command_is id 'echo 1000'
command_is apt-get "echo \"\$@\" >>'$log'"
command_is dpkg-query 'echo installed'
passes packages test format
[ ! -s "$tmp/log" ] || { echo "packages.sh is not silent"; failures=$((failures + 1)); }
# shellcheck disable=SC2016
command_is dpkg-query 'for p; do :; done; if [ "$p" = clang-format ]; then exit 1; fi; echo installed'
fails "apt-get install -y clang-format$" packages test format  # neither root nor sudo
passes packages test
command_is id 'echo 0'
passes packages test format
calls "-qq -y install --no-install-recommends clang-format"
rm "$log"
command_is apt-get "echo \"\$@\" >>'$log'; case \$3 in install) [ -f '$tmp/updated' ] ;; update) echo >'$tmp/updated' ;; esac"
passes packages format                                         # lists that are not there yet
calls "-qq -y install --no-install-recommends clang-format
-qq -y update
-qq -y install --no-install-recommends clang-format"
rm "$log" "$tmp/bin/npm"                                       # asked for once, and the build does without
command_is apt-get "echo \"\$@\" >>'$log'; exit 1"
passes packages build
calls "-qq -y install --no-install-recommends npm
-qq -y update"
rm "$log"
mkdir "$tmp/build"
: >"$tmp/build/CMakeCache.txt"
passes packages build
calls ""

# ---- errors that can be planted ----
passes sh tools/plant-errors.sh --check
mkdir "$tmp/planted"
cp -r tools src "$tmp/planted"
sed 's/law->restitution ?/law->restitution  ?/' src/laws/law.h >"$tmp/planted/src/laws/law.h"
fails "restitution: changes 0 lines of src/laws/law.h, not 1" sh "$tmp/planted/tools/plant-errors.sh" --check

# ---- mutants ----
# In a project of two files: killed, surviving, not to be compiled, without effect; what is known is not tried again.
mkdir -p "$tmp/mutants/src" "$tmp/mutants/tests"
cat >"$tmp/mutants/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(tiny C)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
add_library(carom STATIC src/tiny.c)
add_executable(test_tiny tests/test_tiny.c)
target_link_libraries(test_tiny carom)
set_target_properties(test_tiny PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
END
cat >"$tmp/mutants/src/tiny.c" <<'END'
/* 1 + 2 is no
   code - 3 */
#define TEXT \
    "a" + 1
int difference(const int *a, int b)
{
    return a[0] - b; /* a + b */
}
int less(int a, int b)
{
    return (void)2, a < b;
}
int pick(int a, int b)
{
    switch (a) {
    case 0:
    case 1:
        return a;
    }
    (void)"\" - 1 + 2";
    return b;
}
END
cat >"$tmp/mutants/tests/test_tiny.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
int difference(const int *, int), less(int, int), pick(int, int);
int main(void)
{
    FILE *runs = fopen(getenv("RUNS"), "a");
    if (!runs || fputs("run\n", runs) < 0 || fclose(runs))
        return 2;
    int five = 5;
    return difference(&five, 3) != 2 || !less(1, 2) || less(2, 1) || pick(1, 7) != 1;
}
END
printf 'src/tiny.c\t%s\t%s\t%s\t%s\n' 7 17 - + 11 18 2 '(2 + 1)' 11 23 '<' '<=' \
    16 10 0 1 17 10 1 '(1 + 1)' >"$tmp/expected"
(cd "$tmp/mutants" && sh "$tools/mutate.sh" --list src/tiny.c) >"$tmp/listed"
passes diff "$tmp/expected" "$tmp/listed"
mutate() { (cd "$tmp/mutants" && JOBS=1 RUNS="$tmp/runs" sh "$tools/mutate.sh" "$tmp/mutated" 0 src/tiny.c -- "$1"); }
missing() { echo "mutate.sh: no '$1'"; cat "$tmp/log"; failures=$((failures + 1)); }
mutants_say() # runs of the tests so far
{
    passes mutate tiny
    for words in '^2 of 3 mutants killed (67 %); 0 change nothing that matters (judged), 1 compile to the same code, 1 do not compile' '^survived.*src/tiny.c:1.*<='; do
        grep -q "$words" "$tmp/log" || missing "$words"
    done
    [ "$(wc -l <"$tmp/runs")" = "$1" ] || missing "run $1 of the tests as the last one, but $(wc -l <"$tmp/runs")"
}
edit() { sed "$2" "$tmp/mutants/$1" >"$tmp/edited" && cp "$tmp/edited" "$tmp/mutants/$1"; }
fails "no tests/test_\*.c matches" mutate nonsense
mutants_say 6                                                  # twice without a mutant, then with three of the five, with one of them twice
mutants_say 7
edit src/tiny.c 's/(void)2,/&\n/'                              # one function changes, the next one moves
mutants_say 11
edit tests/test_tiny.c 's/pick(1, 7)/pick(1, 8)/'
mutants_say 17
mkdir -p "$tmp/mutants/tools"
printf 'src/tiny.c\t3\t< -> <=\ta < b;\tnobody asks about equal ones\n' >"$tmp/mutants/tools/mutants-judged.txt"
passes mutate tiny
grep -q '^2 of 2 mutants killed (100 %); 1 change nothing' "$tmp/log" || missing "one that was judged"
edit tests/test_tiny.c 's/!= 1;/!= 2;/'
fails "test_tiny fails as it is" mutate tiny

[ "$failures" = 0 ] || { echo "$failures failures"; exit 1; }
