#!/bin/sh
# release.sh [DIR]: the source of the last commit as DIR/carom-VERSION.tar.gz, the same bytes wherever it is made.
set -eu
cd "$(dirname "$0")/.."
dir=${1:-.}
version=$(sed -n 's/^#define CAROM_VERSION "\(.*\)"/\1/p' include/carom.h)
archive() { git archive --format=tar --prefix="carom-$version/" HEAD | gzip -9 -n; }
archive >"$dir/carom-$version.tar.gz"
sum=$(sha256sum <"$dir/carom-$version.tar.gz")
[ "$(archive | sha256sum)" = "$sum" ] || { echo "release.sh: made twice, it differs" >&2; exit 1; }
echo "$dir/carom-$version.tar.gz ${sum%% *}"
