#!/bin/sh
# models-table.sh: docs/models.md from the first comments of models/*.yaml. `models-table.sh --check` compares.
set -eu
page=docs/models.md

entry() # file
{
    awk -v name="$(basename "$1" .yaml)" '
        NR == 1 { sub(/^# Source: */, ""); source = $0; next }
        /^#/ && !what_done { sub(/^# */, ""); what = what (what ? " " : "") $0; next }
        { what_done = 1 }
        /^name: / { title = substr($0, 7) }
        END { printf "## %s\n\n%s. %s\n\n*%s*\n\n    carom run %s\n\n", name, toupper(substr(title, 1, 1)) substr(title, 2), what, source, name }
    ' "$1"
}

write()
{
    cat <<'END'
# Built-in models

Every model is a text file in `models/`; `carom run NAME` runs it with the settings of its `run:` section, `carom check NAME`
prints what was derived from it, `-p name=value` changes a parameter. Copy one to start your own.

| model | coordinates | joints | contacts | friction | forced |
|---|---|---|---|---|---|
END
    for file in models/*.yaml; do
        awk -v name="$(basename "$file" .yaml)" '
            function entries(line) { return gsub(/[A-Za-z0-9_]+: /, "&", line) }
            /^[a-z]+:/ { section = $1; sub(/ *#.*/, ""); n[section] += entries(substr($0, length(section) + 1)) }
            /^  [A-Za-z0-9_]+:/ { n[section]++ }
            /gap:.*slip:/ { friction = /slip: \[[^]]*,/ ? "spatial" : "planar" }
            /^period:/ { forced = "periodic" }
            function show(k) { return n[k] ? n[k] : "-" }
            END { printf "| [%s](#%s) | %s | %s | %s | %s | %s |\n", name, name, show("coordinates:"), show("constraints:"),
                  show("contacts:"), friction ? friction : "-", forced ? forced : "-" }
        ' "$file"
    done
    echo
    for file in models/*.yaml; do
        entry "$file"
    done
}

if [ "${1:-}" = --check ]; then
    write | diff -u "$page" - || { echo "$page is not what models/ says: run tools/models-table.sh" >&2; exit 1; }
else
    write >"$page"
fi
