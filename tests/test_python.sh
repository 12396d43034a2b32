#!/bin/sh
# The Python package: its tests and the examples of its documentation; a wheel that holds the library, installed alone.
set -eu
python=${PYTHON:-/usr/bin/python3}
if ! "$python" -c 'import numpy' 2>/dev/null; then
    echo "skipped: $python has no numpy (tools/packages.sh test)"
    exit 77
fi
if nm -D "$BUILD/libcarom.so" | grep -q '__asan\|__ubsan\|__tsan'; then
    echo "skipped: a library with sanitizers cannot be loaded by Python"
    exit 77
fi
if [ -z "${YAML:-}" ]; then
    echo "skipped: the models of these tests are YAML"
    exit 77
fi
export CAROM_LIBRARY="$BUILD/libcarom.so"
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=python "$python" -m unittest discover -s python/tests

"$python" -c 'import pip' 2>/dev/null || { echo "no pip: no wheel"; exit 0; }
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir "$tmp/source"
cp -r python include "$tmp/source/"
# As one would type it, but nothing may be fetched: neither numpy, which is here, nor anything to build with.
"$python" -m pip install -q --no-index --no-deps --disable-pip-version-check --target "$tmp/plain" "$tmp/source/python" 2>"$tmp/log" ||
    { cat "$tmp/log"; exit 1; }
(cd "$tmp" && PYTHONPATH="$tmp/plain" "$python" -c 'import carom; print(carom.__file__)') | grep -q "^$tmp/plain/"
CAROM_WHEEL_LIBRARY=$(realpath "$BUILD/libcarom.so") "$python" -m pip wheel -q --no-deps --disable-pip-version-check --no-index -w "$tmp" \
    "$tmp/source/python"
ls "$tmp"/carom-*-py3-none-linux_*.whl
"$python" -m pip install -q --no-deps --no-index --disable-pip-version-check --target "$tmp/installed" "$tmp"/carom-*.whl 2>"$tmp/log" ||
    { cat "$tmp/log"; exit 1; }
unset CAROM_LIBRARY
cd "$tmp"
PYTHONPATH="$tmp/installed" "$python" -c '
import carom, sys
assert carom._c._name.startswith(sys.argv[1]), carom._c._name
print(carom.Model.from_file("bouncing-ball").run())' "$tmp/installed"
