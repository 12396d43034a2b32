#!/bin/sh
# orders.sh CAROM: the table of README.md. An oscillator strikes a stop five times (models/linear-oscillator.yaml): error of the
# position against the scheme `exact`, mean over 1000 times in [0, 5] and over five step sizes within 5 % of h; the fitted order.
set -eu
carom=$1
schemes=${SCHEMES:-kern moreau-jean crank-nicolson mixed:rk=radau3 mixed:rk=radau5}
steps=${STEPS:-0.04 0.02 0.01 0.005 0.0025}
near="0.951 0.977 1.003 1.027 1.049"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
samples() { "$carom" run linear-oscillator --t-end 5 --every 0.005 "$@" -o - --quiet | awk -F, '!/^#/ && !/^t,/ && $2 == 0 { print $1, $3 }'; }
samples --scheme exact >"$tmp/exact"
for scheme in $schemes; do
    for h in $steps; do
        for factor in $near; do
            samples --scheme "$scheme" --h "$(awk "BEGIN { print $h*$factor }")" |
                awk -v s="$scheme" -v h="$h" 'NR == FNR { q[$1] = $2; next } $1 in q { e = $2 - q[$1]; sum += e < 0 ? -e : e; n++ }
                    END { print s, h, sum/n }' "$tmp/exact" - >>"$tmp/errors"
        done
    done
done
awk -v schemes="$schemes" -v steps="$steps" '
{ sum[$1, $2] += $3; n[$1, $2]++ }
END {
    m = split(schemes, name, " "); k = split(steps, h, " ")
    printf "| h |"; for (j = 1; j <= m; j++) printf " %s |", name[j]
    printf "\n|---|"; for (j = 1; j <= m; j++) printf "---|"
    printf "\n"
    for (i = 1; i <= k; i++) {
        printf "| %s |", h[i]
        for (j = 1; j <= m; j++) {
            e = sum[name[j], h[i]]/n[name[j], h[i]]; printf " %.1e |", e
            x = log(h[i]); y = log(e); sx[j] += x; sy[j] += y; sxx[j] += x*x; sxy[j] += x*y
        }
        printf "\n"
    }
    printf "| fitted order |"
    for (j = 1; j <= m; j++) printf " %.2f |", (k*sxy[j] - sx[j]*sy[j])/(k*sxx[j] - sx[j]^2)
    printf "\n"
}' "$tmp/errors"
