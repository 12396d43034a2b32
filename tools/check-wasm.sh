#!/bin/sh
# check-wasm.sh: does the library compile for the browser? Every folder from core to analysis, and of output what needs no
# library, with clang --target=wasm32-wasi and warnings as errors; then, where node is, a ball from a text bounces in it.
# Skips (exit 77) without clang, wasm-ld and wasi-libc: tools/packages.sh all.
set -eu
cd "$(dirname "$0")/.."
clang=${CLANG:-clang}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

target="--target=wasm32-wasi -std=c17 -O1"
printf '#include <stdio.h>\nint main(void) { return puts("") < 0; }\n' >"$out/probe.c"
# shellcheck disable=SC2086 # lists of words
if ! "$clang" $target "$out/probe.c" -o "$out/probe.wasm" >"$out/log" 2>&1; then
    echo "skipped: no clang for wasm32-wasi ($(head -1 "$out/log"))"
    exit 77
fi

flags="-D_GNU_SOURCE -D_WASI_EMULATED_SIGNAL -D_WASI_EMULATED_PROCESS_CLOCKS -ffp-contract=off -fno-math-errno -Iinclude -Isrc
    -Wall -Wextra -Wpedantic -Werror -Wno-unknown-warning-option -Wno-psabi -Wno-pass-failed -Wno-gnu-statement-expression" # the last: lseek of wasi-libc is one
for library in YAML HDF5 SQLITE PNG THREADS JIT PLUGINS; do flags="$flags -DCAROM_NO_$library"; done

sh tools/embed.sh models/*.yaml >"$out/models.c"
sh tools/interface.sh include/carom.h include/carom_analysis.h include/carom_output.h >"$out/interface.c"
count=0 objects=""
# page.c asks the system for real paths and cores; pages and reports are not linked.
for source in $(find src -name '*.c' ! -path 'src/cli/*' ! -path 'src/output/page/page.c' | sort) "$out/models.c" "$out/interface.c"; do
    object=$out/$(echo "$source" | tr / _).o
    # shellcheck disable=SC2086
    "$clang" $target $flags -c "$source" -o "$object" || { echo "check-wasm.sh: $source does not compile" >&2; exit 1; }
    case $source in src/output/page/* | src/output/report/*) ;; *) objects="$objects $object" ;; esac
    count=$((count + 1))
done

cat >"$out/ball.c" <<'END'
#include <stdio.h>
#include <string.h>
#include <carom.h>
static const char text[] = "{\"carom\": 1, \"coordinates\": {\"y\": 1}, \"mass\": [[1]], \"force\": {\"y\": -2}, "
                           "\"contacts\": {\"ground\": {\"gap\": \"y\", \"restitution\": 0.5}}}";
int main(void)
{
    carom_model *model;
    carom_sim *sim;
    carom_error error;
    if (carom_model_parse(&model, "ball", text, strlen(text), NULL, &error) || carom_sim_new(&sim, model, NULL, &error))
        return puts(error.text), 1;
    if (carom_sim_run(sim, 1.5) != CAROM_OK)
        return puts(carom_sim_error(sim)->text), 1;
    printf("%.6f %.6f %ld\n", carom_sim_state(sim)->q[0], carom_sim_state(sim)->v[0], carom_sim_info(sim)->events[0]);
    carom_sim_free(sim);
    carom_model_free(model);
    return 0;
}
END
# shellcheck disable=SC2086
"$clang" $target $flags "$out/ball.c" $objects -Wl,-z,stack-size=1048576 -lwasi-emulated-signal -lwasi-emulated-process-clocks -lm \
    -o "$out/ball.wasm"
if ! command -v node >/dev/null 2>&1; then
    echo "wasm32-wasi: $count files compile and link ($(wc -c <"$out/ball.wasm") bytes); no node to run them"
    exit 0
fi
cat >"$out/run.mjs" <<'END'
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1", args: ["ball"], env: {} });
const module = await WebAssembly.compile(await readFile(process.argv[2]));
process.exit(wasi.start(await WebAssembly.instantiate(module, { wasi_snapshot_preview1: wasi.wasiImport })));
END
said=$(node --no-warnings "$out/run.mjs" "$out/ball.wasm") || { echo "check-wasm.sh: the ball fails: $said" >&2; exit 1; }
# y = 1 - t^2 until t = 1, then up with half the speed: 1/4 at the top, at t = 1.5
[ "$said" = "0.250000 0.000000 1" ] || [ "$said" = "0.250000 -0.000000 1" ] || {
    echo "check-wasm.sh: the ball is at '$said', expected '0.250000 0.000000 1'" >&2
    exit 1
}
echo "wasm32-wasi: $count files compile and link ($(wc -c <"$out/ball.wasm") bytes); in node a ball bounces as it should"
