#!/bin/sh
# study.sh CAROM: errors of the schemes against exact solutions, as tables with fitted orders.
#   ball         impacts at 3 - 2^(1-n), at rest from t = 3 on: L1 errors of q and v on [0, 5], through the Zeno point
#   free-flight  q = 1 - 5/6 t^4: error of q at t = 1, smooth motion
# Steps are not aligned with the impacts.
set -eu
carom=$1
schemes=${SCHEMES:-kern moreau-jean}
steps="0.0317 0.0163 0.00811 0.00407 0.00203 0.00102"
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
        "$carom" run ball --scheme "$scheme" --h "$h" --every 0 --t-end 5 -o - --quiet | awk "$ball" >"$tmp/ball"
        read -r q v <"$tmp/ball"
        echo "$scheme $h $q" >>"$tmp/q"
        echo "$scheme $h $v" >>"$tmp/v"
        "$carom" run free-flight --scheme "$scheme" --h "$h" --every 0 --t-end 1 -o - --quiet |
            awk -F, '!/^#/ && !/^t,/ { q = $3 - 1/6 } END { printf "%.6e\n", q < 0 ? -q : q }' >"$tmp/free"
        echo "$scheme $h $(cat "$tmp/free")" >>"$tmp/smooth"
    done
done
table "The ball through infinitely many impacts: L1 error of the position on [0, 5]" "$tmp/q"
table "The ball through infinitely many impacts: L1 error of the velocity on [0, 5]" "$tmp/v"
table "Free flight, no impact: error of the position at t = 1" "$tmp/smooth"
