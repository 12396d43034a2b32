#!/bin/sh
# study.sh CAROM [PROPERTIES]: errors of the schemes against exact solutions, as tables with fitted orders; with the
# program bench-properties it also measures docs/scheme-properties.md anew.
#   ball         impacts at 3 - 2^(1-n), at rest from t = 3 on: L1 errors of q and v on [0, 5], through the Zeno point
#   free-flight  q = 1 - 5/6 t^4: error of the velocity at t = 1, smooth motion
# What an impact does to the error depends on where in its step it falls: each entry of the first two tables is the mean
# over seven step sizes within 5 % of h.
set -eu
carom=$1
schemes=${SCHEMES:-kern moreau-jean}
steps="0.032 0.016 0.008 0.004 0.002 0.001"
near="0.951 0.967 0.983 1.003 1.017 1.033 1.049"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

# Sums over the nodes of |q - exact| dt and |v - exact| dt.
# shellcheck disable=SC2016
ball='
BEGIN { FS = "," }
/^#/ || /^t,/ { next }
$2 < 0 { next }
{
    t = $1; q = 0; v = 0
    if (t < 1) { q = 1 - t*t; v = -2*t }
    else for (n = 0; n < 50; n++) {
        start = 3 - 2^(1 - n); s = t - start
        if (s >= 0 && t < 3 - 2^(-n)) { u = 2^(-n); q = u*s - s*s; v = u - 2*s }
    }
    eq += ($3 > q ? $3 - q : q - $3)*(t - before); ev += ($4 > v ? $4 - v : v - $4)*(t - before)
    before = t
}
END { printf "%.6e %.6e\n", eq, ev }'

table() # title, file with lines: scheme h error
{
    printf '\n%s\n\n| h |' "$1"
    for scheme in $schemes; do printf ' %s |' "$scheme"; done
    printf '\n|---|'
    for scheme in $schemes; do printf -- '---|'; done
    printf '\n'
    awk -v schemes="$schemes" '
    { if (!($2 in seen)) { order[++n] = $2; seen[$2] = 1 } error[$1, $2] = $3
      x = log($2); y = log($3 + 1e-300); k[$1]++; sx[$1] += x; sy[$1] += y; sxx[$1] += x*x; sxy[$1] += x*y }
    END {
        m = split(schemes, name, " ")
        for (i = 1; i <= n; i++) {
            printf "| %s |", order[i]
            for (j = 1; j <= m; j++) printf " %.2e |", error[name[j], order[i]]
            printf "\n"
        }
        printf "| fitted order |"
        for (j = 1; j <= m; j++) { s = name[j]; printf " %.2f |", (k[s]*sxy[s] - sx[s]*sy[s])/(k[s]*sxx[s] - sx[s]^2) }
        printf "\n"
    }' "$2"
}

for scheme in $schemes; do
    for h in $steps; do
        : >"$tmp/ball"
        for factor in $near; do
            "$carom" run ball --scheme "$scheme" --h "$(awk "BEGIN { print $h*$factor }")" --every 0 --t-end 5 -o - --quiet |
                awk "$ball" >>"$tmp/ball"
        done
        awk -v scheme="$scheme" -v h="$h" '{ q += $1/NR0; v += $2/NR0 }
            END { printf "%s %s %.6e\n", scheme, h, q >>qfile; printf "%s %s %.6e\n", scheme, h, v >>vfile }' \
            NR0="$(echo "$near" | wc -w)" qfile="$tmp/q" vfile="$tmp/v" "$tmp/ball"
        "$carom" run free-flight --scheme "$scheme" --h "$h" --every 0 --t-end 1 -o - --quiet |
            awk -F, -v scheme="$scheme" -v h="$h" '!/^#/ && !/^t,/ { e = $4 + 10/3 }
                END { printf "%s %s %.6e\n", scheme, h, e < 0 ? -e : e }' >>"$tmp/smooth"
    done
done
table "The ball through infinitely many impacts: L1 error of the position on [0, 5]" "$tmp/q"
table "The ball through infinitely many impacts: L1 error of the velocity on [0, 5]" "$tmp/v"
table "Free flight, no impact: error of the velocity at t = 1" "$tmp/smooth"

if [ $# -gt 1 ]; then
    "$2" >"$tmp/page"
    cp "$tmp/page" docs/scheme-properties.md
    printf '\ndocs/scheme-properties.md is written\n'
fi
