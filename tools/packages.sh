#!/bin/sh
# packages.sh GROUP...: installs the Debian packages of these groups that are missing; silent when none is.
# On systems without dpkg it does nothing: the build then says what it lacks.
set -eu

build="gcc libc6-dev make cmake ninja-build pkg-config libfyaml-dev libhdf5-dev libsqlite3-dev libpng-dev"
test="check jq sqlite3 python3-numpy python3-pip libopenmpi-dev openmpi-bin chromium"
all="clang lld llvm wasi-libc libclang-rt-dev-wasm32"
format="clang-format"
docs="man-db pandoc"
# Programs that may come from elsewhere. Those of `optional` make the plots of pages interactive; they are tried for once,
# before the first build, and nothing fails without them.
command -v node >/dev/null 2>&1 || test="$test nodejs"
optional=""
for program in esbuild npm; do
    command -v $program >/dev/null 2>&1 || [ -e build/CMakeCache.txt ] || [ "$*" = format ] || optional="$optional $program"
done

wanted=""
for group in "$@"; do
    case $group in
        build) wanted="$wanted $build" ;;
        test) wanted="$wanted $build $test" ;;
        all) wanted="$wanted $build $test $all" ;;
        format) wanted="$wanted $format" ;;
        docs) wanted="$wanted $build $docs" ;;
        *) echo "packages.sh: no group '$group' (there are: build test all format docs)" >&2; exit 2 ;;
    esac
done
command -v dpkg-query >/dev/null 2>&1 && command -v apt-get >/dev/null 2>&1 || exit 0

missing=""
for package in $wanted; do
    state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    case $state in
        *installed*) [ "$state" != not-installed ] || missing="$missing $package" ;;
        *) missing="$missing $package" ;;
    esac
done
[ -n "$missing$optional" ] || exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=""
elif command -v sudo >/dev/null 2>&1; then
    as_root="sudo"
elif [ -z "$missing" ]; then
    exit 0
else
    echo "Packages are missing. As root, run:  apt-get install -y$missing" >&2
    exit 1
fi
echo "installing:$missing$optional"
# shellcheck disable=SC2086 # both are lists of words
get() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y "$@" </dev/null; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
install() # PACKAGES...; the lists of packages may be absent or old
{
    get install --no-install-recommends "$@" >"$log" 2>&1 || { get update && get install --no-install-recommends "$@"; } >"$log" 2>&1
}
# shellcheck disable=SC2086
if [ -n "$missing" ] && ! install $missing; then
    cat "$log" >&2
    exit 1
fi
# shellcheck disable=SC2086
[ -z "$optional" ] || install $optional || echo "without$optional the plots of pages are static"
