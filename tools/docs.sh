#!/bin/sh
# docs.sh: the documentation is run, not only written.
#   docs.sh CAROM DIR                figures, pages brought up to date, then static HTML in DIR (site.sh; needs pandoc)
#   docs.sh --refresh CAROM [PAGE..] only brings the pages up to date, in place
#   docs.sh --show CAROM PAGE DIR    the page as it should be on standard output; DIR is where its commands run
#
# In a page
#   ```console             each line `$ command` is run, what follows is its output: kept where it still holds, else
#                          replaced. A line `...` stands for any lines; numbers may differ by 1e-6; times do not count
#   ```console needs=hdf5  only where there is HDF5 (sqlite, threads, numpy, gnuplot, the package of Python: likewise;
#                          several words need all)
#   ```yaml ball.yaml      is written to that file, for the commands below it; also c, python, sh ...
#   <!-- generated: NAME --> ... <!-- end -->    is replaced by what `part` below prints
# All blocks are left in DIR/.blocks for tests/test_docs.sh.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
export LC_ALL=C

# ---- generated parts ----

first_comment() # FILE
{
    awk '
        NR == 1 { sub(/^\/\* [A-Za-z0-9_]+\.c: /, ""); first = 1 }
        { last = /\*\/ *$/; sub(/ *\*\/ *$/, ""); if (!first) sub(/^ \* ?/, ""); first = 0; sub(/ +$/, ""); print }
        last { exit }' "$1"
}

comment_of() # NAME FOLDER: of the file that registers this method, and of the one in which it says it is described
{
    file=$(grep -rlE "\.name = \"$1\"" "$root/src/$2" | sort | head -1)
    [ -n "$file" ] || file=$(grep -rlF --include="*.c" "\"$1\"" "$root/src/$2" | sort | head -1)
    [ -n "$file" ] || { echo "docs.sh: no file of src/$2 registers '$1'" >&2; exit 1; }
    first_comment "$file"
    more=$(first_comment "$file" | sed -n 's/.* described in \([a-z_]*\.c\).*/\1/p' | head -1)
    [ -z "$more" ] || { echo; first_comment "$(dirname "$file")/$more"; }
}

names_of() # schemes | solvers | laws
{
    "$carom" list "$1" | sed -n 's/^\([a-z][a-z0-9-]*\) (.*)$/\1/p'
}

table_of() # schemes | solvers | laws
{
    if [ "$1" = schemes ]; then
        printf '| scheme | order in smooth motion | order through impacts | what it is |\n|---|---|---|---|\n'
    else
        printf '| %s | what it is |\n|---|---|\n' "${1%s}"
    fi
    "$carom" list "$1" --json | awk -v orders="$([ "$1" = schemes ] && echo 1 || echo 0)" '
        function value() { sub(/^ *"[a-z]+": /, ""); sub(/,$/, ""); gsub(/^"|"$/, ""); gsub(/\\"/, "\""); return $0 }
        function row() { if (name) print "| [" name "](#" name ") |" (orders ? " " smooth " | " impact " |" : "") " " doc " |" }
        /^      "name": / { row(); name = value(); doc = smooth = impact = "" }
        /^      "doc": / { doc = value() }
        /^        "smooth": / { smooth = value(); if (smooth == "null") smooth = "-" }
        /^        "impact": / { impact = value(); if (impact == "null") impact = "-" }
        END { row() }'
    echo
}

methods() # LIST FOLDER
{
    table_of "$1"
    for name in $(names_of "$1"); do
        # shellcheck disable=SC2016
        printf '## %s\n\n```console\n$ carom help %s\n```\n\n```text\n' "$name" "$name"
        comment_of "$name" "$2"
        # shellcheck disable=SC2016
        printf '```\n\n'
    done
}

commands()
{
    "$carom" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | while read -r name; do
        # shellcheck disable=SC2016
        printf '## carom %s\n\n```console\n$ carom help %s\n```\n\n' "$name" "$name"
    done
}

part()
{
    case $1 in
        schemes) methods schemes schemes ;;
        solvers) methods solvers solvers ;;
        laws) methods laws laws ;;
        commands) commands ;;
        example) # shellcheck disable=SC2016
            printf '```c %s.c\n' "$2"; cat "$root/examples/$2.c"; printf '```\n\n' ;;
        *) echo "docs.sh: there is no generated part '$1'" >&2; exit 1 ;;
    esac
}

# ---- a page, brought up to date ----

# shellcheck disable=SC2016
generate='
/^<!-- generated: .* -->$/ {
    print; print ""; fflush()
    if (system("sh " script " --part " carom " " substr($0, 17, length($0) - 20))) { failed = 1; exit 1 }
    inside = 1; next
}
/^<!-- end -->$/ { inside = 0 }
!inside { print }'

# shellcheck disable=SC2016
execute='
function plain(line) { gsub(/[ \t]+/, " ", line); sub(/ $/, "", line); return line }
function near(a, b,   d, s)
{
    a += 0; b += 0
    d = a > b ? a - b : b - a
    a = a < 0 ? -a : a; b = b < 0 ? -b : b; s = a > b ? a : b
    return d <= 1e-6*s || s < 1e-9
}
function same(a, b,   number, x, y)
{
    a = plain(a); b = plain(b)
    if (a == b) return 1
    if (a ~ /^ [0-9.e+-]+ s$/ && b ~ /^ [0-9.e+-]+ s$/) return 1
    if (a ~ /^ "wall_s": / && b ~ /^ "wall_s": /) return 1
    number = "[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][-+]?[0-9]+)?"
    for (;;) {
        if (!match(a, number)) return a == b
        x = substr(a, RSTART, RLENGTH); y = substr(a, 1, RSTART - 1); a = substr(a, RSTART + RLENGTH)
        if (!match(b, number) || substr(b, 1, RSTART - 1) != y) return 0
        y = substr(b, RSTART, RLENGTH); b = substr(b, RSTART + RLENGTH)
        if (!near(x, y)) return 0
    }
}
function holds(i, j,   k)
{
    for (; i <= wanted_n; i++) {
        if (wanted[i] == "...") {
            for (k = j; k <= found_n + 1; k++)
                if (holds(i + 1, k)) return 1
            return 0
        }
        if (j > found_n || !same(wanted[i], found[j])) return 0
        j++
    }
    return j > found_n
}
function run(command,   line, out)
{
    out = dir "/.out"
    print command > (dir "/.command"); close(dir "/.command")
    system("cd " dir " && " limit " sh .command >.out 2>&1 </dev/null")
    found_n = 0
    while ((getline line < out) > 0) { sub(/[ \t]+$/, "", line); found[++found_n] = line }
    close(out)
}
function console(   i, command)
{
    for (i = 1; i <= n;) {
        if (body[i] !~ /^\$ /) { print body[i++]; continue }
        print body[i]; command = substr(body[i++], 3)
        while (command ~ /\\$/ && i <= n) { print body[i]; command = command "\n" body[i++] }
        wanted_n = 0
        while (i <= n && body[i] !~ /^\$ /) wanted[++wanted_n] = body[i++]
        run(command)
        if (holds(1, 1)) { for (k = 1; k <= wanted_n; k++) print wanted[k] }
        else { for (k = 1; k <= found_n; k++) print found[k] }
    }
}
function finish(   i, file, skip)
{
    file = dir "/.blocks/" sprintf("%03d", ++blocks) (info ~ / wrong( |$)/ ? ".wrong" : "") "." lang
    printf "" > file
    for (i = 1; i <= n; i++) print body[i] > file
    close(file)
    skip = 0
    for (i = 2; i <= words; i++) {
        if (word[i] ~ /^needs=/) skip = skip || index(" " have " ", " " substr(word[i], 7) " ") == 0
        else if (word[i] ~ /[.]/) system("cp " file " " dir "/" word[i])
    }
    if (lang == "console" && !skip) console()
    else for (i = 1; i <= n; i++) print body[i]
}
inside && /^```$/ { finish(); inside = 0; print; next }
inside { body[++n] = $0; next }
/^```[a-z]/ { info = substr($0, 4); words = split(info, word, " "); lang = word[1]; inside = 1; n = 0 }
{ print }'

# Commands of a page see carom, and cc and pkg-config as if carom were installed.
prepare() # DIR
{
    mkdir -p "$1/.blocks" "$1/.bin"
    build=$(dirname "$carom")
    ln -sf "$carom" "$1/.bin/carom"
    sanitize=""
    if grep -q '^CMAKE_BUILD_TYPE:[A-Z]*=Sanitize' "$build/CMakeCache.txt" 2>/dev/null; then
        sanitize="-fsanitize=address,undefined"
    fi
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$(command -v "${CC:-cc}")" "$sanitize" >"$1/.bin/cc"
    printf '#!/bin/sh\necho "-I%s/include -L%s -lcarom -Wl,-rpath,%s"\n' "$root" "$build" "$build" >"$1/.bin/pkg-config"
    chmod +x "$1/.bin/cc" "$1/.bin/pkg-config"
    limit=""
    if command -v timeout >/dev/null 2>&1; then limit="timeout 100"; fi
    have=""
    if "$carom" version | grep -q 'with HDF5'; then have="$have hdf5"; fi
    if "$carom" version | grep -q 'with SQLite'; then have="$have sqlite"; fi
    if "$carom" version | grep -q 'with threads'; then have="$have threads"; fi
    for python in python3 /usr/bin/python3; do # the first that has NumPy
        if "$python" -c "import numpy" 2>/dev/null; then
            printf '#!/bin/sh\nCAROM_LIBRARY=%s/libcarom.so PYTHONPATH=%s/python PYTHONDONTWRITEBYTECODE=1 exec %s "$@"\n' \
                "$build" "$root" "$(command -v "$python")" >"$1/.bin/python3"
            chmod +x "$1/.bin/python3"
            have="$have numpy"
            [ -n "$sanitize" ] || have="$have package"
            if "$python" -c "import h5py" 2>/dev/null; then have="$have h5py"; fi
            break
        fi
    done
    if command -v gnuplot >/dev/null 2>&1; then have="$have gnuplot"; fi
}

show() # PAGE DIR
{
    prepare "$2"
    awk -v carom="$carom" -v script="$root/tools/docs.sh" "$generate" "$1" >"$2/.page"
    PATH="$2/.bin:$PATH" awk -v dir="$2" -v have="$have" -v limit="$limit" "$execute" "$2/.page"
}

refresh() # PAGE...
{
    tmp=$(mktemp -d)
    trap 'rm -rf "$tmp"' EXIT
    for page in "$@"; do
        rm -rf "$tmp/run"
        mkdir "$tmp/run"
        show "$page" "$tmp/run" >"$tmp/page"
        cmp -s "$tmp/page" "$page" || { cat "$tmp/page" >"$page"; echo "$page has changed"; }
    done
}

mode=all
case ${1:-} in
    --refresh | --show | --part | --html) mode=${1#--}; shift ;;
esac
carom=${1:?"docs.sh [--refresh | --show | --html] CAROM ..."}
carom=$(cd "$(dirname "$carom")" && pwd)/$(basename "$carom")
shift
case $mode in
    part) part "$@" ;;
    show) show "$1" "$(cd "$2" && pwd)" ;;
    html) sh "$root/tools/site.sh" "$carom" "$1" ;;
    refresh)
        cd "$root"
        [ $# -gt 0 ] || set -- README.md docs/*.md
        refresh "$@" ;;
    all)
        cd "$root"
        sh tools/figures.sh "$carom" docs
        refresh README.md docs/*.md
        sh "$root/tools/site.sh" "$carom" "$1" ;;
esac
