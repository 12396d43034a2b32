#!/bin/sh
# test_models_page.sh: docs/models.md is what models/ says, its commands work, and every derivative of every model is right.
set -eu
sh tools/models-table.sh --check
[ -n "${YAML:-}" ] || exit 77
: "${CAROM:=build/carom}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failures=0
wrong() { echo "$*"; head -5 "$tmp/log"; failures=$((failures + 1)); }

for file in models/*.yaml; do
    name=$(basename "$file" .yaml)
    grep -q "^    carom run $name\$" docs/models.md || wrong "$name is not in docs/models.md"
    "$CAROM" check "$name" >"$tmp/log" 2>&1 || wrong "carom check $name"
    "$CAROM" run "$name" --json --quiet >"$tmp/log" 2>&1 || wrong "carom run $name"
    grep -Eq '"status": "(ok|stopped)"' "$tmp/log" || wrong "carom run $name: status"
done
exit $((failures > 0))
