#!/bin/sh
# build.sh DIR [cmake options] [-- targets]: configures DIR when needed (Ninja if there is one) and builds.
set -eu
dir=$1
shift
options="" targets="" after=false
for word in "$@"; do
    if [ "$word" = -- ]; then
        after=true
    elif $after; then
        targets="$targets $word"
    else
        options="$options $word"
    fi
done
generator="Unix Makefiles"
if command -v ninja >/dev/null 2>&1; then
    generator=Ninja
fi
# An existing folder keeps its generator; one that was copied or moved is configured anew.
if [ -f "$dir/CMakeCache.txt" ]; then
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$dir/CMakeCache.txt")
    if [ "$home" = "$(pwd -P)" ] || [ "$home" = "$(pwd)" ]; then
        generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$dir/CMakeCache.txt")
    else
        rm -rf "$dir/CMakeCache.txt" "$dir/CMakeFiles"
    fi
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! cmake -S . -B "$dir" -G "$generator" $options >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
fi
# shellcheck disable=SC2086
cmake --build "$dir" --parallel "$(nproc 2>/dev/null || echo 2)" ${targets:+--target $targets}
