#!/bin/sh
# fuzz.sh SECONDS [TARGET...]: libFuzzer with ASan and UBSan on the targets of tests/fuzz (default: all), so many seconds
# each, from the corpora in tests/fuzz/corpus. New inputs go to build-fuzz/corpus, what crashes, leaks or takes longer than
# 30 s to build-fuzz/found. Exit 1: something was found.
set -eu
seconds=${1:?"expects SECONDS [TARGET...]"}
shift
targets=${*:-$(cd tests/fuzz && for source in *.c; do [ "$source" = replay.c ] || echo "${source%.c}"; done)}
# shellcheck disable=SC2046
tools/build.sh build-fuzz -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Sanitize -DWITH_FUZZ=ON -- \
    $(for target in $targets; do echo fuzz-"$target"; done)
mkdir -p build-fuzz/found
found=0
for target in $targets; do
    mkdir -p build-fuzz/corpus/"$target"
    log=build-fuzz/$target.log
    nice build-fuzz/fuzz/"$target" -max_total_time="$seconds" -timeout=30 -rss_limit_mb=3000 -max_len=4096 \
        -artifact_prefix=build-fuzz/found/"$target"- build-fuzz/corpus/"$target" tests/fuzz/corpus/"$target" >"$log" 2>&1 ||
        { found=1; grep -m3 -E 'ERROR|SUMMARY|runtime error' "$log" || true; }
    executions=$(sed -n 's/^#\([0-9]*\)[ \t].*/\1/p' "$log" | tail -1)
    echo "$target: $(grep -cE '^SUMMARY|ALARM' "$log" || true) findings, ${executions:-0} executions"
done
rm -f /dev/shm/carom-fuzz-* /tmp/carom-fuzz-*
exit $found
