#!/bin/sh
# test_docs.sh: the documentation says what is true. Generated parts are up to date, every command that is shown prints
# what is shown, whole models load (and those marked wrong do not), programs compile without a warning and run, links
# and their anchors exist, and what the loader and the command know is explained somewhere.
# shellcheck source=tests/testing.sh
. tests/testing.sh
set -e
needs YAML

# ---- commands, models, programs ----
programs=0 models=0
page_blocks() # PAGE DIR
{
    for file in "$2"/.blocks/*.yaml; do
        [ -f "$file" ] && grep -v '^#' "$file" | head -1 | grep -q '^carom: 1' || continue
        wanted=0 code=0
        case $file in *.wrong.yaml) wanted=3 ;; esac
        models=$((models + 1))
        cp "$file" "$2/block.yaml"
        (cd "$2" && "$CAROM" check --quiet block.yaml) >"$tmp/log" 2>&1 </dev/null || code=$?
        [ "$code" = "$wanted" ] || { complain "$1: carom check of this model exits with $code, not $wanted"; head -3 "$tmp/log"; cat "$file"; }
    done
    for file in "$2"/.blocks/*.c; do
        [ -f "$file" ] && grep -q '^int main(' "$file" || continue
        programs=$((programs + 1))
        # shellcheck disable=SC2046
        (cd "$2" && PATH="$2/.bin:$PATH" && cc -std=c17 -Wall -Wextra -Werror "$file" -o program $(pkg-config) -lm &&
            ./program) >"$tmp/log" 2>&1 </dev/null || { complain "$1: a program does not compile or run:"; head -5 "$tmp/log"; }
    done
}

# Without the comments of src that a page quotes: they change more often than what the command says about a method.
told() { awk '/^```text$/ { quote = 1 } !quote { print } /^```$/ { quote = 0 }' "$1"; }

for page in README.md docs/*.md; do
    mkdir "$tmp/run"
    if sh tools/docs.sh --show "$CAROM" "$page" "$tmp/run" >"$tmp/page" 2>"$tmp/log"; then
        told "$page" >"$tmp/a"
        told "$tmp/page" >"$tmp/b"
        if ! diff -u "$tmp/a" "$tmp/b"; then
            complain "$page is not what the commands print: look, then run tools/docs.sh --refresh build/carom $page"
        elif ! cmp -s "$page" "$tmp/page"; then
            echo "note: a comment that $page quotes from src has changed: make docs"
        fi
        page_blocks "$page" "$tmp/run"
    else
        complain "$page: docs.sh fails"
        cat "$tmp/log"
    fi
    rm -rf "$tmp/run"
done
[ "$programs" -ge 6 ] || complain "only $programs programs were found"
[ "$models" -ge 6 ] || complain "only $models models were found"

# ---- links ----
anchors() # PAGE: of its headings, as they are made by common renderers
{
    awk '/^```/ { code = !code } !code && /^#+ / { sub(/^#+ /, ""); $0 = tolower($0); gsub(/[^a-z0-9_ -]/, ""); gsub(/ /, "-"); print }' "$1"
}
for page in README.md CONTRIBUTING.md CHANGELOG.md docs/*.md; do
    awk '/^```/ { code = !code } !code { gsub(/`[^`]*`/, ""); while (match($0, /\]\([^)]*\)/)) {
        print substr($0, RSTART + 2, RLENGTH - 3); $0 = substr($0, RSTART + RLENGTH) } }' "$page" |
        grep -v '^https\?:' >"$tmp/links" || true
    while read -r link; do
        target=${link%%#*} anchor=""
        case $link in *\#*) anchor=${link#*#} ;; esac
        [ -n "$target" ] || target=$(basename "$page")
        file=$(dirname "$page")/$target
        [ -f "$file" ] || { complain "$page: no file behind the link $link"; continue; }
        [ -z "$anchor" ] || anchors "$file" | grep -qx -e "$anchor" || complain "$page: no heading behind the link $link"
    done <"$tmp/links"
done
for page in docs/*.md; do
    [ "$page" = docs/index.md ] || grep -q "]($(basename "$page")" docs/index.md || complain "docs/index.md does not mention $page"
done

# ---- nothing that there is goes unmentioned ----
mentioned() { grep -qF -e "\`$1\`" "docs/$2" || complain "docs/$2 does not explain $1 ($3)"; }
for word in $(sed -n 's/^ *{"\([a-z0-9]*\)", CAROM_OP_.*/&/p' src/expr/names.c | grep -o '{"[a-z0-9]*"' | tr -d '{"'); do
    mentioned "$word" model-file.md "src/expr/names.c"
done
for file in load contacts tables; do
    for word in $(awk '/const char \*const keys\[\] = \{/, /\};/' src/model/$file.c | grep -o '"[a-z_]*"' | tr -d '"'); do
        mentioned "$word" model-file.md "src/model/$file.c"
    done
done
for word in $("$CAROM" help settings | sed -n 's/^    \([a-zA-Z_., ]*[a-zA-Z_]\)  .*/\1/p' | tr -d ,); do
    grep -q "$word" docs/command.md || complain "docs/command.md does not explain the setting $word"
done
sed -n 's/^ *X(CAROM_\([A-Z_]*\),.*/\1/p' include/carom.h | tr 'A-Z' 'a-z' | while read -r word; do
    grep -q "\`$word\`" docs/command.md || echo "$word"
done >"$tmp/words"
[ ! -s "$tmp/words" ] || complain "docs/command.md does not explain the status" "$(tr '\n' ' ' <"$tmp/words")"

# ---- HTML ----
if command -v pandoc >/dev/null 2>&1; then
    sh tools/docs.sh --html "$CAROM" "$tmp/html" >/dev/null
    [ "$(grep -c '^\["' "$tmp/html/index.js")" -ge 150 ] || complain "the search knows too little"
    if command -v node >/dev/null 2>&1; then
        node -e 'eval(require("fs").readFileSync(process.argv[1], "utf8")); process.exit(carom_index.some(e => /sequence/.test(e[2])) ? 0 : 1)' \
            "$tmp/html/index.js" || complain "the index of the search cannot be read"
    fi
    # each entry: the picture in motion, the plot, a paragraph, the command and the text of the model
    entries=$(grep -cE '<figure id="[a-z-]+"><img src="gallery/[a-z-]+\.gif".*\.svg".*<p>[^<]{60,}</p>.*<code>carom run ' "$tmp/html/gallery.html")
    [ "$entries" -ge 30 ] && [ "$entries" = "$(grep -c '<figure' "$tmp/html/gallery.html")" ] &&
        [ "$entries" = "$(grep -c '^carom animate .*<summary>The model</summary><pre><code># ' "$tmp/html/gallery.html")" ] ||
        complain "the gallery has $entries whole entries of $(grep -c '<figure' "$tmp/html/gallery.html")"
    pages=$(grep -o 'href="gallery/[a-z-]*\.html"' "$tmp/html/gallery.html" | sort -u | wc -l)
    [ "$pages" -ge 24 ] || complain "the gallery has pages of $pages models of bodies"
    for page in "$tmp"/html/gallery/*.html; do
        grep -q '</html>' "$page" && ! grep -qE '(src|href)="(https?:)?//' "$page" || complain "$page is no page, or needs the network"
    done
    for picture in "$tmp"/html/gallery/*.gif; do
        [ "$(head -c 6 "$picture")" = GIF89a ] && [ "$(stat -c %s "$picture")" -gt 2000 ] || complain "$picture is no animation"
    done
    for page in "$tmp"/html/*.html; do
        for link in $(grep -oE '(href|src)="[^"]*"' "$page" | sed 's/^[a-z]*="//; s/"$//; s/#.*//' | grep -v '^https\?:' | sort -u); do
            [ -f "$tmp/html/$link" ] || complain "$(basename "$page"): the link $link leads nowhere"
        done
        if grep -qE '(src|href)="(https?:)?//[^"]*\.(css|js|woff)' "$page"; then complain "$(basename "$page") needs the network"; fi
    done
fi

finish
