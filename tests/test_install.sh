#!/bin/sh
# test_install.sh: what `make install` puts into a prefix can be used from there: through pkg-config (shared and
# static), through find_package(carom), from C++, as a command and as a man page; also after the tree has moved.
set -eu
: "${BUILD:?}" "${CC:=cc}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

DESTDIR="$tmp/stage" cmake --install "$BUILD" --prefix /opt/carom >/dev/null
mv "$tmp/stage/opt/carom" "$tmp/moved"
prefix=$tmp/moved

cat >"$tmp/ball.c" <<'END'
#include <carom.h>
#include <stdio.h>
static void mass(const carom_point *at, double *M) { (void)at; M[0] = 1; }
static void force(const carom_point *at, double *F) { (void)at; F[0] = -10; }
static void gap(const carom_point *at, double *g) { g[0] = at->q[0]; }
int main(void)
{
    const carom_contact ground = {.name = "ground", .restitution = 0.5};
    const double start = 1;
    const carom_model model = {.size = sizeof model, .name = "ball", .nq = 1, .nv = 1, .ncontact = 1,
                               .contact = &ground, .q = &start,
                               .mass = mass, .force = force, .gap = gap};
    carom_options options = carom_options_default();
    carom_error error = {0};
    carom_sim *sim = NULL;
    if (carom_sim_new(&sim, &model, &options, &error)) {
        printf("%s\n", error.text);
        return 1;
    }
    carom_status status = carom_sim_run(sim, 3);
    const carom_state *state = carom_sim_state(sim);
    printf("%s %.3f %s\n", carom_status_text(status), state->t, state->q[0]*state->q[0] < 1e-4 ? "at rest" : "in the air");
    carom_sim_free(sim);
    return 0;
}
END
expected="ok 3.000 at rest"
same() { [ "$2" = "$expected" ] || { echo "$1: got '$2', expected '$expected'"; exit 1; }; }

PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name carom.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir carom)
# shellcheck disable=SC2046
"$CC" "$tmp/ball.c" -o "$tmp/shared" $(pkg-config --cflags --libs carom)
same "pkg-config, shared" "$(LD_LIBRARY_PATH=$libdir "$tmp/shared")"
# shellcheck disable=SC2046
"$CC" "$tmp/ball.c" -o "$tmp/static" $(pkg-config --cflags carom) "$libdir/libcarom.a" \
    $(pkg-config --static --libs carom | sed 's/-lcarom//')
same "pkg-config, static" "$("$tmp/static")"
[ "$(pkg-config --modversion carom)" = "$("$prefix/bin/carom" version | sed -n '1s/^carom \([0-9.]*\).*/\1/p')" ]

mkdir "$tmp/project"
cp "$tmp/ball.c" "$tmp/project"
cat >"$tmp/project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(carom 0.1 REQUIRED)
add_executable(with-shared ball.c)
target_link_libraries(with-shared carom::carom)
add_executable(with-static ball.c)
target_link_libraries(with-static carom::static)
END
{ cmake -S "$tmp/project" -B "$tmp/project/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC" &&
  cmake --build "$tmp/project/build"; } >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
same "find_package, shared" "$("$tmp/project/build/with-shared")"
same "find_package, static" "$("$tmp/project/build/with-static")"

if command -v c++ >/dev/null 2>&1; then
    for header in "$prefix"/include/carom*.h; do
        c++ -std=c++11 -Wall -Wextra -pedantic -Werror -fsyntax-only -x c++ "$header"
    done
fi
grep -q '^\.TH CAROM 1' "$prefix/share/man/man1/carom.1"
grep -q 'complete -F _carom carom' "$prefix/share/bash-completion/completions/carom"
grep -q '^#compdef carom' "$prefix/share/zsh/site-functions/_carom"

# As a part of another project: the targets are there, and nothing of ours is tested or installed with it.
mkdir "$tmp/whole"
cp "$tmp/ball.c" "$tmp/whole"
cat >"$tmp/whole/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.18)
project(whole C)
include(FetchContent)
FetchContent_Declare(carom SOURCE_DIR "$(pwd)")
FetchContent_MakeAvailable(carom)
add_executable(ball ball.c)
target_link_libraries(ball carom::static)
END
cmake -S "$tmp/whole" -B "$tmp/whole/build" -DCMAKE_C_COMPILER="$CC" -DWITH_WEB=OFF >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
[ ! -e "$tmp/whole/build/CTestTestfile.cmake" ] || { echo "tests come along with FetchContent"; exit 1; }
