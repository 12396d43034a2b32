#!/bin/sh
# playground.sh DIR PAGE: the playground, one offline page: the command compiled for browsers (wasm.sh, in DIR), the models of
# this tree as examples, and web/playground around them.
set -eu
export LC_ALL=C
cd "$(dirname "$0")/.."
dir=$1 page=$2
mkdir -p "$(dirname "$page")"
tools/wasm.sh "$dir" yaml

string() # FILE: as a string of JSON that may stand in a script
{
    awk 'BEGIN { ORS = ""; print "\"" }
         { gsub(/\\/, "\\\\"); gsub(/"/, "\\\""); gsub(/\t/, "\\t"); gsub(/</, "\\u003c"); print $0 "\\n" }
         END { print "\"" }' "$1"
}
group() # TITLE FILES...
{
    printf '"%s": {' "$1"
    shift
    comma=""
    for file in "$@"; do
        printf '%s\n  "%s": ' "$comma" "$(basename "$file" .yaml)"
        string "$file"
        comma=,
    done
    printf '}'
}
# Not those that take minutes, and not those that read other files.
light() { for file in "$@"; do case $file in */bricks.yaml | */chain.yaml | */arch.yaml | */ratchet.yaml) ;; *) echo "$file" ;; esac; done; }
{
    echo '{'
    group Models models/*.yaml
    echo ,
    # shellcheck disable=SC2046 # names without blanks
    group Bodies $(light models/bodies/*.yaml)
    echo ,
    # shellcheck disable=SC2046
    group More $(light examples/models/*.yaml)
    echo '}'
} >"$dir/models.json"
gzip -9 -n -c "$dir/carom" | base64 >"$dir/program.txt"

awk -v source=web/playground -v made="$dir" '
    /^<!-- include: / {
        file = ($3 ~ /^(models|program)/ ? made : source) "/" $3
        while ((got = (getline line <file)) > 0)
            print line
        if (got < 0) { print "playground.sh: no " file >"/dev/stderr"; exit 1 }
        next
    }
    { print }' web/playground/page.html >"$page.new"
mv "$page.new" "$page"
echo "$page: $(wc -c <"$page") bytes"
