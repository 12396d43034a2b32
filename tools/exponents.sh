#!/bin/sh
# exponents.sh CAROM [FACTOR]: Lyapunov exponents of chaotic motions against references from independent programs, and by
# displaced copies with schemes that locate impacts and schemes that do not. FACTOR lengthens the runs (1: minutes). Exits with 1
# when an exponent is off by more than 4 of its standard errors (of both numbers together).
set -eu
carom=$1
factor=${2:-1}
failed=0

# line NAME REFERENCES ERRORS ARGUMENTS...: REFERENCES and their ERRORS as JSON arrays
line()
{
    name=$1 references=$2 errors=$3
    shift 3
    "$carom" lyapunov "$@" --json >"$tmp"
    jq -r --arg name "$name" --argjson x "$references" --argjson dx "$errors" '
        def show: if . == null then "-" else (. * 100000 | round / 100000 | tostring) end;
        (.exponents | length) as $n
        | [range($n) | {is: $data.exponents[.], off: (if $x[.] == null then null else
              (($data.exponents[.] - $x[.]) / (($data.stderr[.] | . * .) + ($dx[.] | . * .) | sqrt)) end)}] as $rows
        | "| \($name) | \([$rows[].is | show] | join(", ")) | \($data.stderr | map(show) | join(", ")) | "
          + "\(if $x == [] then "-" else ($x | map(tostring) | join(", ")) end) | "
          + "\([$rows[].off | if . == null then "-" else (. * 10 | round / 10 | tostring) end] | join(", ")) | "
          + "\($data.impacts_per_period | show) | \($data.length) |"' --argjson data "$(cat "$tmp")" "$tmp"
    jq -e --argjson x "$references" --argjson dx "$errors" '
        . as $d | [range($x | length) | ($d.exponents[.] - $x[.] | fabs) <= 4 * (($d.stderr[.] | . * .) + ($dx[.] | . * .) | sqrt)]
        | all' "$tmp" >/dev/null || failed=1
}

tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
periods=$((10000 * factor))
echo '| motion | exponents per period | standard error | reference | off by (standard errors) | impacts per period | periods |'
echo '|---|---|---|---|---|---|---|'
c1='[0.8613, -2.9035]' c1_errors='[0.0002, 0.0002]'
line "impact-oscillator, tolerance" "$c1" "$c1_errors" impact-oscillator --rtol 1e-8 --atol 1e-8 --starts 32 --periods $periods
line "impact-oscillator, exact" "$c1" "$c1_errors" impact-oscillator --scheme exact --starts 4 --periods $((8 * periods))
line "ball on a table, A w^2/g = 2.42, e = 0.3" '[0.40732, -2.81526]' '[0.00006, 0.00006]' \
    vibrating-table -p g=1 -p w=1 -p A=2.42 -p e=0.3 --rtol 1e-8 --atol 1e-8 --starts 32 --periods $periods
line "chain" '[0.1905, -0.3703, -0.4596, -0.7454]' '[0.0005, 0.0003, 0.0003, 0.0005]' \
    chain --rtol 1e-8 --atol 1e-8 --starts 32 --periods $((periods / 2))
line "driven-pendulum" '[0.1637, -1.1219]' '[0.0004, 0.0005]' driven-pendulum --rtol 1e-8 --atol 1e-8 --starts 32 --periods $periods
# Displaced copies with steps of T/2513 and displacements of that size, 3000 periods from 6 starts. The references are means of 6
# starts of another program, whose spread of 0.013 for one start is the error.
displaced() # NAME REFERENCES SCHEME
{
    line "displaced copies, $1" "$2" '[0.006, 0.008]' impact-oscillator --method perturbation --scheme "$3" --steps 2513 --epsilon h \
        --periods $((300 * factor)) --starts 6
}
displaced "exact impacts" '[0.872, -2.61]' exact
displaced "crank-nicolson, printed" '[0.870, -2.60]' crank-nicolson:variant=printed
displaced "crank-nicolson, consistent" '[0.866, -2.61]' crank-nicolson:variant=consistent
displaced "schatzman-paoli" '[0.933, -2.09]' schatzman-paoli:theta=0
exit $failed
