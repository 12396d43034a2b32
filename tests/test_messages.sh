#!/bin/sh
# test_messages.sh: docs/messages.md quotes what the library says, and all that reading and running a model can say.
set -eu
python=${PYTHON:-/usr/bin/python3}
[ -x "$python" ] || { echo "skipped: there is no $python"; exit 77; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$python" tools/check-messages.py 2>/dev/null | tee "$tmp/missing"
[ ! -s "$tmp/missing" ] || exit 1
# It notices what is quoted wrongly, and what is not there.
mkdir "$tmp/docs"
cp -r src "$tmp"
sed 's/`is read as one word`/`is read as two words`/; /^| `a power is written/d' docs/messages.md >"$tmp/docs/messages.md"
"$python" tools/check-messages.py "$tmp" >"$tmp/found" 2>/dev/null
grep -q 'nothing in src says `is read as two words`' "$tmp/found"
grep -q 'does not explain: a power is written' "$tmp/found"
