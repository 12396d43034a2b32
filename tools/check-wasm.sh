#!/bin/sh
# check-wasm.sh: does the command compile for browsers (tools/wasm.sh), with warnings as errors and no library at all? Then,
# where node is, a ball from a text bounces in it. Skips (exit 77) without clang, wasm-ld and wasi-libc: tools/packages.sh all.
set -eu
cd "$(dirname "$0")/.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >"$out/probe.c"
if ! "${CLANG:-clang}" --target=wasm32-wasi "$out/probe.c" -o "$out/probe.wasm" >"$out/log" 2>&1; then
    echo "skipped: no clang for wasm32-wasi ($(head -1 "$out/log"))"
    exit 77
fi
tools/wasm.sh "$out/build" json >"$out/log" 2>&1 || { tail -20 "$out/log" >&2; echo "check-wasm.sh: it does not compile" >&2; exit 1; }
if ! command -v node >/dev/null 2>&1; then
    echo "wasm32-wasi: the command compiles ($(wc -c <"$out/build/carom") bytes); no node to run it"
    exit 0
fi
cat >"$out/ball.json" <<'END'
{"carom": 1, "coordinates": {"y": 1}, "mass": [[1]], "force": {"y": -2},
 "contacts": {"ground": {"gap": "y", "restitution": 0.5}}, "outputs": {"height": "floor(1e6*y + 0.5)"}}
END
# y = 1 - t^2 until t = 1, then up with half the speed: 1/4 at the top, at t = 1.5
said=$(node tests/playground_node.js "$out/build/carom" "$out/ball.json" run model.yaml --t-end 1.5 --quiet --every 1.5 -o - | tail -1 | cut -d, -f5) ||
    { echo "check-wasm.sh: the ball fails: $said" >&2; exit 1; }
[ "$said" = 250000 ] || { echo "check-wasm.sh: the ball is at '$said' um, expected 250000" >&2; exit 1; }
echo "wasm32-wasi: the command compiles ($(wc -c <"$out/build/carom") bytes); in node a ball bounces as it should"
