#!/bin/sh
# docs.sh: the documentation is run, not only written.
#   docs.sh CAROM DIR                figures, pages brought up to date, then static HTML in DIR (needs pandoc)
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

# ---- HTML ----

# In the order of the index, which names them all.
pages="index $(sed -n 's/^- \[[a-z-]*\.md\](\([a-z-]*\)\.md).*/\1/p' "$root/docs/index.md" | tr '\n' ' ')"

title_of() { sed -n '/^# /{s/^# //;s/`//g;p;q;}' "$1"; }

navigation() # the page it stands on
{
    echo '<nav><input id="search" type="search" placeholder="Search" aria-label="Search"><ul id="found"></ul>'
    for name in $pages CONTRIBUTING CHANGELOG; do
        source=$root/docs/$name.md
        [ -f "$source" ] || source=$root/$name.md
        [ -f "$source" ] || continue
        here=""
        [ "$name" != "$1" ] || here=' aria-current="page"'
        printf '<a href="%s.html"%s>%s</a>\n' "$name" "$here" "$(title_of "$source")"
        [ "$name" != models ] || echo '<a href="gallery.html">Gallery</a>'
    done
    echo '</nav>'
}

# Links to pages become links to HTML, links to other files of the tree to copies of them.
relink() { sed -E 's@href="(\.\./)?(docs/)?([A-Za-z-]+)\.md(#[^"]*)?"@href="\3.html\4"@g; s@(href|src)="docs/@\1="@g; s@>([a-z-]+)\.md</a>@>\1</a>@g
                  s@href="(\.\./)?((include|examples|src)/[^"]+|LICENSE|[A-Z]+\.cff)"@href="files/\2.txt"@g'; }

page_head() # TITLE NAME
{
    printf '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    printf '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    printf '<title>%s - Carom</title>\n<link rel="stylesheet" href="style.css">\n</head>\n<body>\n' "$1"
    navigation "$2"
    echo '<main>'
}

# Every built-in model with a picture of its run, its paragraph, its text and the command.
gallery() # DIR
{
    mkdir -p "$1/gallery"
    {
        page_head Gallery gallery
        echo '<h1>Gallery</h1><p>The built-in models; each picture is made by the command below it.</p><div class="gallery">'
        for file in "$root"/models/*.yaml; do
            name=$(basename "$file" .yaml)
            "$carom" run "$name" --quiet -o "$1/gallery/$name.csv" && "$carom" plot "$1/gallery/$name.csv" --title "" --width 420 --height 300 \
                --panel "$(sed -n '/^t,side/{s/^t,side,\([^,]*\),.*/\1/p;q;}' "$1/gallery/$name.csv")" -o "$1/gallery/$name.svg" || continue
            rm -f "$1/gallery/$name".csv "$1/gallery/$name".events.csv
            sed 's/&/\&amp;/g; s/</\&lt;/g' "$file" >"$1/gallery/$name.txt"
            printf '<figure><img src="gallery/%s.svg" alt="%s"><figcaption><b>%s</b>. %s' "$name" "$name" "$name" \
                "$(sed -n '2,12{/^#/!q; s/^# *//; s/&/\&amp;/g; s/</\&lt;/g; p}' "$file" | tr '\n' ' ')"
            printf '<pre><code>carom run %s</code></pre><details><summary>The model</summary><pre><code>%s</code></pre></details></figcaption></figure>\n' \
                "$name" "$(cat "$1/gallery/$name.txt")"
            rm "$1/gallery/$name.txt"
        done
        printf '</div></main>\n<script src="index.js"></script>\n<script src="search.js"></script>\n</body>\n</html>\n'
    } >"$1/gallery.html"
}

html() # FILE.md DIR
{
    name=$(basename "$1" .md)
    {
        page_head "$(title_of "$1")" "$name"
        pandoc -f gfm -t html5 "$1" | relink
        printf '</main>\n<script src="index.js"></script>\n<script src="search.js"></script>\n</body>\n</html>\n'
    } >"$2/$name.html"
}

style()
{
    cat <<'END'
:root { color-scheme: light dark; --back: #fff; --text: #1d2125; --soft: #f3f4f6; --line: #d5d9de; --link: #0b57a4 }
@media (prefers-color-scheme: dark) { :root { --back: #16191d; --text: #dde1e6; --soft: #22262c; --line: #3a4048; --link: #7db4f0 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--text); font: 16px/1.55 system-ui, sans-serif }
nav { display: flex; flex-wrap: wrap; gap: .2rem .9rem; padding: .7rem 1rem; border-bottom: 1px solid var(--line); font-size: .93rem }
nav a[aria-current] { color: var(--text); font-weight: 600; text-decoration: none }
main { max-width: 56rem; margin: 0 auto; padding: .5rem 1rem 4rem }
a { color: var(--link) }
h1 { font-size: 1.8rem } h2 { font-size: 1.35rem; margin-top: 2.2rem; border-bottom: 1px solid var(--line) } h3 { font-size: 1.1rem }
code { font: .9em ui-monospace, monospace; background: var(--soft); padding: .08em .25em; border-radius: 3px; overflow-wrap: anywhere }
pre { background: var(--soft); padding: .8rem 1rem; overflow-x: auto; border-radius: 5px; line-height: 1.4 }
pre code { padding: 0; background: none; overflow-wrap: normal; font-size: .84rem }
table { display: block; overflow-x: auto; border-collapse: collapse } th, td { border: 1px solid var(--line); padding: .3rem .6rem; text-align: left; vertical-align: top }
img { max-width: 100%; background: #fff }
pre .kw, pre .at, pre .cf { color: var(--link) } pre .st, pre .ch { color: #18794e } pre .co { color: #7a828c; font-style: italic } pre .dv, pre .fl { color: #a04a00 }
#search { width: 100%; padding: .3rem .5rem; font: inherit; color: inherit; background: var(--soft); border: 1px solid var(--line); border-radius: 4px }
#found { list-style: none; margin: 0; padding: 0; width: 100% } #found li { padding: .25rem 0; border-bottom: 1px solid var(--line) } #found small { display: block; opacity: .8 }
#found:not(:empty) ~ a { display: none }
.gallery { display: grid; grid-template-columns: repeat(auto-fill, minmax(16rem, 1fr)); gap: 1.2rem } .gallery figure { margin: 0; border: 1px solid var(--line); border-radius: 5px; padding: .7rem; overflow: hidden } .gallery figcaption { font-size: .88rem } .gallery pre { padding: .4rem .6rem; margin: .5rem 0 }
@media (max-width: 70rem) { nav { max-height: 9.5rem; overflow-y: auto } }
@media (min-width: 70rem) { nav { position: fixed; top: 0; bottom: 0; left: 0; width: 13rem; flex-direction: column; flex-wrap: nowrap; overflow-y: auto; border-right: 1px solid var(--line); border-bottom: 0 } body { padding-left: 13rem } }
END
}

# What can be searched: a heading, where it is, and the words under it; loaded as a script, so that it works from a disk.
search_index() # DIR
{
    echo 'var carom_index = ['
    for page in "$1"/*.html; do
        awk -v page="$(basename "$page")" '
            function flush() { if (id != "" || text != "") { gsub(/[ \t]+/, " ", text); print "[\"" page (id ? "#" id : "") "\", \"" head "\", \"" substr(text, 1, 3000) "\"]," } text = "" }
            function plain(s) { gsub(/<[^>]*>/, " ", s); gsub(/&lt;/, "<", s); gsub(/&gt;/, ">", s); gsub(/&quot;/, "\"", s); gsub(/&amp;/, "\\&", s); gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return s }
            /<main>/ { on = 1 } /<\/main>/ { on = 0 }
            on && /<h[1-3]/ { flush(); id = ""; if (match($0, /id="[^"]*"/)) id = substr($0, RSTART + 4, RLENGTH - 5); head = plain($0) ; next }
            on { text = text " " plain($0) }
            END { flush() }' "$page"
    done
    echo '];'
}

search_script()
{
    cat <<'END'
/* Words of the box against headings and text of all pages; every word must be there, headings count more. */
(function () {
    var box = document.getElementById("search"), list = document.getElementById("found");
    function find(words) {
        var hits = [];
        carom_index.forEach(function (entry) {
            var head = entry[1].toLowerCase(), text = entry[2].toLowerCase(), score = 0;
            for (var i = 0; i < words.length; i++) {
                var here = (head.indexOf(words[i]) >= 0 ? 10 : 0) + Math.min(text.split(words[i]).length - 1, 5);
                if (!here) return;
                score += here;
            }
            hits.push([score, entry]);
        });
        return hits.sort(function (a, b) { return b[0] - a[0]; }).slice(0, 30);
    }
    box.addEventListener("input", function () {
        var words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
        list.textContent = "";
        if (!words.length) return;
        find(words).forEach(function (hit) {
            var item = document.createElement("li"), link = document.createElement("a"), part = document.createElement("small");
            var at = Math.max(hit[1][2].toLowerCase().indexOf(words[0]) - 40, 0);
            link.href = hit[1][0];
            link.textContent = hit[1][1].trim() + " (" + hit[1][0].replace(/\.html.*/, "") + ")";
            part.textContent = hit[1][2].substr(at, 110);
            item.appendChild(link);
            item.appendChild(part);
            list.appendChild(item);
        });
    });
})();
END
}

site() # DIR
{
    mkdir -p "$1"
    style >"$1/style.css"
    for page in "$root"/docs/*.md "$root/README.md" "$root/CONTRIBUTING.md" "$root/CHANGELOG.md"; do
        html "$page" "$1"
    done
    gallery "$1"
    search_index "$1" >"$1/index.js"
    search_script >"$1/search.js"
    cp "$root"/docs/*.svg "$1"
    grep -ohE 'href="files/[^"#]+' "$1"/*.html | sort -u | sed 's@href="files/@@; s@\.txt$@@' | while read -r file; do
        mkdir -p "$1/files/$(dirname "$file")"
        cp "$root/$file" "$1/files/$file.txt"
    done
    echo "$1/index.html"
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
    html) site "$1" ;;
    refresh)
        cd "$root"
        [ $# -gt 0 ] || set -- README.md docs/*.md
        refresh "$@" ;;
    all)
        cd "$root"
        sh tools/figures.sh "$carom" docs
        refresh README.md docs/*.md
        site "$1" ;;
esac
