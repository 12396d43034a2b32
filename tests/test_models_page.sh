#!/bin/sh
# test_models_page.sh: docs/models.md is what models/ says, its commands work, and every derivative of every model is right.
# shellcheck source=tests/testing.sh
. tests/testing.sh
sh tools/models-table.sh --check || complain "docs/models.md is not what models/ says"
[ -n "${YAML:-}" ] || finish
wrong() { complain "$*"; head -5 "$tmp/log"; }

for file in models/*.yaml; do
    name=$(basename "$file" .yaml)
    grep -q "^    carom run $name\$" docs/models.md || wrong "$name is not in docs/models.md"
    "$CAROM" check "$name" >"$tmp/log" 2>&1 || wrong "carom check $name"
    "$CAROM" run "$name" --json --quiet >"$tmp/log" 2>&1 || wrong "carom run $name"
    grep -Eq '"status": "(ok|stopped)"' "$tmp/log" || wrong "carom run $name: status"
done
finish
