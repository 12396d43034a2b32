#!/bin/sh
# wasm.sh DIR yaml|json: the command for browsers, DIR/carom (wasm32-wasi). For YAML libfyaml is compiled from the source package of
# Debian or Ubuntu, which apt brings into DIR once and checks. Needs the packages of the group `all`.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$1"
dir=$(cd "$1" && pwd)
yaml=$dir/libfyaml
mkdir -p "$yaml"

# The source of the system's own release, with lists of our own: nothing of the system is changed.
fetch()
{
    apt=$dir/apt
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    # shellcheck disable=SC2016 # fields of apt
    apt-get indextargets --format '$(ORIGIN) deb-src $(REPO_URI) $(RELEASE) $(COMPONENT)' 'Created-By: Packages' |
        sed -n 's/^\(Debian\|Ubuntu\) deb-src/deb-src/p' | sort -u >"$apt/sources.list"
    options="-o Dir::Etc::SourceList=$apt/sources.list -o Dir::Etc::SourceParts=$apt/parts -o Dir::State::Lists=$apt/lists
        -o Dir::Cache=$apt/cache -o Debug::NoLocking=1 -o APT::Sandbox::User=root"
    # shellcheck disable=SC2086 # a list of words
    (cd "$yaml" && apt-get -qq $options update && apt-get -qq $options source --download-only libfyaml)
}
compile()
(
    cd "$yaml"
    tar xf ./*.orig.tar.*
    source=$(echo libfyaml-*/)
    mkdir -p objects terminal
    cat >terminal/termios.h <<'END' # a browser has no terminals: what fy-utils.c asks of one fails
#pragma once
struct termios { int none; };
enum { TCSANOW };
static inline int tcgetattr(int fd, struct termios *t) { return (void)fd, (void)t, -1; }
static inline int tcsetattr(int fd, int when, const struct termios *t) { return (void)fd, (void)when, (void)t, -1; }
static inline void cfmakeraw(struct termios *t) { (void)t; }
END
    for file in "$source"src/lib/*.c "$source"src/xxhash/*.c; do
        "${CLANG:-clang}" --target=wasm32-wasi -O2 -w -D_GNU_SOURCE -DNDEBUG -DHAVE_QSORT_R=0 -DVERSION='"source"' -D_WASI_EMULATED_MMAN \
            -Iterminal -I"$source"include -I"$source"src/lib -I"$source"src/xxhash -I"$source"src/valgrind -c "$file" \
            -o "objects/$(basename "$file").o"
    done
    llvm-ar rcs libfyaml.a objects/*.o
    printf 'Name: libfyaml\nDescription: YAML\nVersion: 0\nCflags: -I%s\nLibs: -L%s -lfyaml\n' "$yaml/${source}include" "$yaml" >libfyaml.pc
)

if [ "$2" = yaml ]; then
    if ! ls "$yaml"/*.orig.tar.* >/dev/null 2>&1 && ! fetch >"$dir/fetch.log" 2>&1; then
        cat "$dir/fetch.log" >&2
        echo "wasm.sh: the source of libfyaml is not to be had: YAML needs it" >&2
        exit 1
    fi
    if [ ! -f "$yaml/libfyaml.pc" ]; then
        compile
    fi
    with=ON
else
    with=OFF
fi

off=""
for part in HDF5 SQLITE PNG THREADS JIT PLUGINS MPI; do off="$off -DWITH_$part=OFF"; done
export PKG_CONFIG_LIBDIR="$yaml"
# shellcheck disable=SC2086
tools/build.sh "$dir" -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/Wasm.cmake" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O2 -DCAROM_TESTING=OFF \
    -DCAROM_INSTALL=OFF -DWITH_YAML=$with $off -- carom
