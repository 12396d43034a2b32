#!/bin/sh
# statements.sh [ROOT]: counts the C statements of each folder of src: semicolons outside of parentheses, and the words
# if, for, while, do, switch, case. Comments, strings, blank lines and the way lines are broken do not count.
set -eu
cd "${1:-.}"
for folder in src/*/; do
    # shellcheck disable=SC2046 # no blanks in our file names
    cat $(find "$folder" -name '*.[ch]' | sort) /dev/null | awk -v folder="$folder" '
    {
        line = $0
        gsub(/\\./, "", line)
        gsub(/"[^"]*"/, "", line)
        gsub(/\047[^\047]*\047/, "", line)
        text = text line "\n"
    }
    END {
        while ((from = index(text, "/*")) > 0) {
            out = out substr(text, 1, from - 1) " "
            text = substr(text, from + 2)
            text = substr(text, index(text, "*/") + 2)
        }
        text = out text
        depth = count = 0
        n = split(text, piece, "")
        for (i = 1; i <= n; i++) {
            if (piece[i] == "(") depth++
            else if (piece[i] == ")") depth--
            else if (piece[i] == ";" && depth == 0) count++
        }
        gsub(/[^A-Za-z0-9_]+/, " ", text)
        words = split(text, word, " ")
        for (i = 1; i <= words; i++)
            if (word[i] ~ /^(if|for|while|do|switch|case)$/) count++
        printf "%6d %s\n", count, folder
    }'
done | awk '{ print; sum += $1 } END { printf "%6d src\n", sum }'
