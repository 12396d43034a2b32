#!/bin/sh
# site.sh CAROM DIR: the pages of docs as static HTML with search, typeset formulas, a gallery and references; works from a disk,
# loads nothing from the network. Needs pandoc; style and script are in tools/site.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
carom=$1 site=$2
export LC_ALL=C
mkdir -p "$site"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

title_of() { sed -n '/^# /{s/^# //;s/`//g;p;q;}' "$1"; }

# ---- references, from what is there ----

# Paragraphs of the headers under the names they declare.
c_reference()
{
    echo '# C reference'
    echo
    echo 'Every declaration of the headers, with their comments. Programs that use them: [c-api.md](c-api.md).'
    for header in carom carom_analysis carom_output carom_plugin; do
        printf '\n## %s.h\n' $header
        awk '
            function flush(   name) {
                name = ""
                if (match(text, /\n}? *carom_[a-z_]+;\n/) && text ~ /typedef/) { name = substr(text, RSTART, RLENGTH); gsub(/[} ;\n]/, "", name) }
                rest = text
                while (match(rest, /carom_[a-z_]+\(/)) {
                    part = substr(rest, RSTART, RLENGTH - 1)
                    if (!(part in seen) && rest !~ ("\\(\\*" part)) { seen[part] = 1; name = name (name ? ", " : "") part }
                    rest = substr(rest, RSTART + RLENGTH)
                }
                if (text !~ /^[ \n]*$/) { if (name) print "\n### " name; print "\n```c" text "```" }
                text = "\n"
            }
            BEGIN { text = "\n" }
            /^#(ifndef|define CAROM_[A-Z]*_?H$|endif|include|if|else)/ || /^extern "C"/ || /^}$/ { next }
            /^$/ && depth == 0 { flush(); next }
            { text = text $0 "\n"; depth += gsub(/{/, "{") - gsub(/}/, "}") }
            END { flush() }' "$root/include/$header.h"
    done
}

sections_reference()
{
    echo '# Sections of a model file'
    echo
    echo 'What `carom help SECTION` says of each. The language as a whole: [model-file.md](model-file.md).'
    "$carom" help model | sed -n 's/^    \([a-z]*\) .*/\1/p' | sort -u >"$work/words"
    for key in carom name parameters coordinates velocities kinetic potential mass force forces constraints contacts impacts let outputs stop period run \
        tables draw solver bodies space gravity joints laws start repeat plugin; do
        "$carom" help $key >"$work/section" 2>/dev/null && grep -q 'section of a model file' "$work/section" || continue
        # shellcheck disable=SC2016
        printf '\n## %s\n\n```text\n' $key
        sed '1d; /^The whole file: /d' "$work/section" | sed 's/^    //'
        # shellcheck disable=SC2016
        echo '```'
    done
}

python_reference()
{
    for python in python3 /usr/bin/python3; do
        "$python" -c 'import numpy' 2>/dev/null || continue
        CAROM_LIBRARY=$(dirname "$carom")/libcarom.so PYTHONPATH=$root/python PYTHONDONTWRITEBYTECODE=1 "$python" "$root/tools/site/python_reference.py" && return
    done
    printf '# Python reference\n\nThis was built without numpy; `help(carom)` in Python has it.\n'
}

c_reference >"$work/c-reference.md"
sections_reference >"$work/sections.md"
python_reference >"$work/python-reference.md"

# ---- pages ----

# Groups and pages in the order of the index, which names them all.
sed -n 's/^## \(.*\)/group \1/p; s/^- \[[a-z-]*\.md\](\([a-z-]*\)\.md).*/\1/p' "$root/docs/index.md" >"$work/index"
printf 'group Reference\nsections\nc-reference\npython-reference\ngroup Project\nCONTRIBUTING\nCHANGELOG\n' >>"$work/index"

source_of() # NAME
{
    for file in "$work/$1.md" "$root/docs/$1.md" "$root/$1.md"; do
        if [ -f "$file" ]; then echo "$file"; return; fi
    done
}

while read -r name rest; do # the title of each page once
    [ "$name" = group ] && printf 'group %s\n' "$rest" || printf '%s %s\n' "$name" "$(title_of "$(source_of "$name")")"
done <"$work/index" >"$work/titles"

navigation() # the page it stands on
{
    echo '<nav><input id="search" type="search" placeholder="Search" aria-label="Search"><ul id="found"></ul>'
    echo '<input type="checkbox" id="menu" aria-label="Contents"><label for="menu">Contents</label><div class="pages"><a href="index.html">Carom</a>'
    while read -r name title; do
        here=""
        [ "$name" != "$1" ] || here=' aria-current="page"'
        if [ "$name" = group ]; then
            printf '<b>%s</b>\n' "$title"
        else
            printf '<a href="%s.html"%s>%s</a>\n' "$name" "$here" "$title"
            [ "$name" != models ] || echo '<a href="gallery.html">Gallery</a>'
        fi
    done <"$work/titles"
    echo '</div></nav>'
}

# Links to pages become links to HTML, links to other files of the tree to copies of them.
relink() { sed -E 's@href="(\.\./)?(docs/)?([A-Za-z-]+)\.md(#[^"]*)?"@href="\3.html\4"@g; s@(href|src)="docs/@\1="@g; s@>([a-z-]+)\.md</a>@>\1</a>@g
                  s@href="(\.\./)?((include|examples|src|bench)/[^"]+|LICENSE|[A-Z]+\.cff)"@href="files/\2.txt"@g'; }

# Upright letters and parentheses that do not grow, which browsers want said in other words than pandoc's.
upright() { sed -E 's@<mo stretchy="true" form="(prefix|postfix)">([()])@<mo stretchy="false" form="\1">\2@g
                   s@<mstyle mathvariant="normal"><mi>([^<]*)</mi></mstyle>@<mi mathvariant="normal">\1</mi>@g'; }

# A formula with \tag{3} is a line with its number at the right, and can be linked to as #eq-3.
number()
{
    awk '
        /<p><math display="block"/ { inside = 1; text = "" }
        !inside { print; next }
        { text = text (text == "" ? "" : "\n") $0 }
        /<\/math><\/p>/ {
            inside = 0
            if (match(text, /\\tag\{[0-9]+\}/)) {
                tag = substr(text, RSTART + 5, RLENGTH - 6)
                sub(/ *\\tag\{[0-9]+\}/, "", text); sub(/<p>/, "", text); sub(/<\/p>$/, "", text)
                text = "<div class=\"equation\" id=\"eq-" tag "\">" text "<a href=\"#eq-" tag "\">(" tag ")</a></div>"
            }
            print text
        }'
}

page_head() # TITLE NAME
{
    printf '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
    printf '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    printf '<title>%s - Carom</title>\n<link rel="stylesheet" href="style.css">\n</head>\n<body>\n' "$1"
    navigation "$2"
    echo '<main>'
}

page_end() { printf '</main>\n<script src="index.js"></script>\n<script src="search.js"></script>\n</body>\n</html>\n'; }

html() # FILE.md
{
    name=$(basename "$1" .md)
    {
        page_head "$(title_of "$1")" "$name"
        pandoc -f gfm+tex_math_dollars -t html5 --mathml "$1" | upright | number | relink
        page_end
    } >"$site/$name.html"
}

# Models with a picture of the mechanism in motion, a plot, what it shows, where it is from, the commands and the text.
gallery_models()
{
    ls "$root"/models/*.yaml
    ls "$root"/examples/models/*.yaml
    for file in "$root"/models/bodies/*.yaml; do # but those that are another model as bodies, and those that take minutes
        grep -q '^# Source: .*models/' "$file" || case $file in */arch.yaml|*/bricks.yaml) ;; *) echo "$file" ;; esac
    done
}

plain_text() { sed 's/&/\&amp;/g; s/</\&lt;/g'; }

gallery_entry() # FILE
{
    name=$(basename "$1" .yaml) path=${1#"$root"/} at=$site/gallery page=
    case $(dirname "$path") in
        models) path=$name ;; # built in
        models/bodies)
            [ ! -f "$root/models/$name.yaml" ] || name=$name-of-bodies
            "$carom" report "$1" --quiet -o "$at/$name.html" || return 1
            page="<p><a href=\"gallery/$name.html\">The page of carom report</a></p>" ;;
    esac
    "$carom" run "$1" --quiet -o "$work/gallery.csv" || [ $? = 4 ] || return 1 # 4: a paradox that the model is about
    "$carom" animate "$work/gallery.csv" --model "$1" --width 360 --fps 12 --quiet -o "$at/$name.gif" || return 1
    "$carom" plot "$work/gallery.csv" --title "" --width 420 --height 240 -o "$at/$name.svg" \
        --panel "$(sed -n '/^t,side/{s/"[^"]*",//g;s/^t,side,\([^,]*\),.*/\1/p;q;}' "$work/gallery.csv")" || return 1
    what=$(sed -n '1,12{/^#/!q; /^# Source/d; s/^# *//; p}' "$1" | plain_text | tr '\n' ' ')
    from=$(sed -n '1s/^# Source: *//p' "$1" | plain_text)
    printf '<figure id="%s"><img src="gallery/%s.gif" alt="%s in motion" loading="lazy"><img src="gallery/%s.svg" alt="%s over time" loading="lazy">' \
        "$name" "$name" "$name" "$name" "$name"
    printf '<figcaption><h3>%s</h3><p>%s</p>' "$(sed -n 's/^name: *//p' "$1" | head -1 | plain_text)" "$what"
    [ -z "$from" ] || printf '<p class="source">%s</p>' "$from"
    printf '%s' "$page"
    printf '<pre><code>carom run %s\ncarom animate %s</code></pre><details><summary>The model</summary><pre><code>%s</code></pre></details></figcaption></figure>\n' \
        "$path" "$path" "$(plain_text <"$1")"
}

gallery()
{
    mkdir -p "$site/gallery"
    {
        page_head Gallery gallery
        echo '<h1>Gallery</h1><p>The built-in models, those of <code>examples/models</code> and of <code>models/bodies</code>. Pictures and plots are made by'
        echo 'the commands below them; <code>carom report</code> in place of <code>run</code> makes a page.</p><div class="gallery">'
        for file in $(gallery_models); do
            gallery_entry "$file" || { echo "site.sh: no picture of $file" >&2; exit 1; }
        done
        echo '</div>'
        page_end
    } >"$site/gallery.html"
}

# What can be searched: a heading, where it is, and the words under it; loaded as a script, so that it works from a disk.
search_index()
{
    echo 'var carom_index = ['
    for page in "$site"/*.html; do
        awk -v page="$(basename "$page")" '
            function flush() { if (head != "") { gsub(/[ \t]+/, " ", text); print "[\"" page (id ? "#" id : "") "\", \"" head "\", \"" substr(text, 1, 3000) "\"]," } text = "" }
            function plain(s) { gsub(/<[^>]*>/, " ", s); gsub(/&lt;/, "<", s); gsub(/&gt;/, ">", s); gsub(/&quot;/, "\"", s); gsub(/&#39;/, "'\''", s); gsub(/&amp;/, "\\&", s); gsub(/\\/, "\\\\", s); gsub(/"/, "\\\"", s); return s }
            /<main>/ { on = 1 } /<\/main>/ { on = 0 }
            on && /<h[1-3]/ { # up to its end, which may be lines below; what follows it there is text
                flush()
                line = $0
                while (line !~ /<\/h[1-3]>/ && (getline more) > 0)
                    line = line " " more
                id = match(line, /id="[^"]*"/) ? substr(line, RSTART + 4, RLENGTH - 5) : ""
                match(line, /<\/h[1-3]>/)
                head = plain(substr(line, 1, RSTART - 1)); text = plain(substr(line, RSTART + 5))
                gsub(/[ \t]+/, " ", head); sub(/^ /, "", head); sub(/ $/, "", head)
                next
            }
            on { text = text " " plain($0) }
            END { flush() }' "$page"
    done
    echo '];'
}

for page in "$root"/docs/*.md "$root/README.md" "$root/CONTRIBUTING.md" "$root/CHANGELOG.md" "$work"/*.md; do
    html "$page"
done
gallery
search_index >"$site/index.js"
cp "$root/tools/site/style.css" "$root/tools/site/search.js" "$root"/docs/*.svg "$site"
grep -ohE 'href="files/[^"#]+' "$site"/*.html | sort -u | sed 's@href="files/@@; s@\.txt$@@' | while read -r file; do
    mkdir -p "$site/files/$(dirname "$file")"
    cp "$root/$file" "$site/files/$file.txt"
done
echo "$site/index.html"
