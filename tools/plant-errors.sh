#!/bin/sh
# plant-errors.sh [--check] [NAME...]: is `carom reproduce` able to fail? Copies the tree, plants one error of one line at a
# time, builds, runs `carom reproduce --quick`, and tells which entries fail. Each error must fail at least one. With --check
# nothing is built: every error must still change exactly one line of its file. It takes minutes; not part of the tests.
set -eu
cd "$(dirname "$0")/.."

# NAME | FILE | EXPRESSION OF sed | WHAT IS WRONG
errors='
restitution|src/laws/law.h|s/return law->restitution ? c\[row > 0\] : 0;/return law->restitution ? 1.01 * c[row > 0] : 0;/|restitution 1 % off
gamma|src/schemes/moreau/moreau_jean.c|s/forecast(s, w, s->field\[GAMMA\] \* h);/forecast(s, w, h);/|gamma of (16e) ignored
forecast|src/schemes/moreau/moreau_jean.c|s/ || s->field\[FORECAST\] == GAP) {/ || s->field[FORECAST] != GAP) {/|the gap ahead instead of (16e)
theta|src/schemes/moreau/moreau_jean.c|s/double theta = s->field\[THETA\], rest = 1 - theta;/double theta = 0.5, rest = 1 - theta;/|theta of (16b) ignored
weight|src/core/tableau.c|s/{1.0 \/ 3, 1}, {3.0 \/ 4, 1.0 \/ 4}/{1.0 \/ 3, 1}, {3.0 \/ 4 + 1e-3, 1.0 \/ 4 - 1e-3}/|one weight of Radau IIA 3 off by a thousandth
stage|src/core/tableau.c|s/{{0}, {5.0 \/ 24, 1.0 \/ 3, -1.0 \/ 24}/{{0}, {5.0 \/ 24 + 1e-3, 1.0 \/ 3 - 1e-3, -1.0 \/ 24}/|a stage of Lobatto IIIA 4 off by a thousandth
critical|src/schemes/piecewise/mixed.c|s/pow(full, T->order + 1), 1e-15)/pow(full, T->order), 1e-15)/|critical steps of h^p instead of h^(p+1)
estimate|src/schemes/moreau/control.c|s/double e_q = distance(s, nq, now->q, next->q, one->q)/double e_q = 0.5 * distance(s, nq, now->q, next->q, one->q)/|the printed estimate (67) halved
order-guess|src/schemes/moreau/control.c|s/if (c->g_now\[i\] > 0 \&\& c->g_end\[i\] <= 0)/if (c->g_now[i] > 0 \&\& c->g_end[i] <= -1)/|the order of (68)-(70) is always 1
d-plus|src/schemes/galerkin/table.c|s/t->s\[l\] = (double)(a \/ beta_M);/t->s[l] = 0 * (double)(a \/ beta_M);/|stage shapes of D+ are zero
interaction|src/schemes/galerkin/end.c|s/w->I\[r\] += s->h \* beta\[k\] \* w->force/w->I[r] += 1.001 * s->h * beta[k] * w->force/|forces of the Galerkin schemes weighed 0.1 % too much
shear|src/analysis/tangent/saltation.c|s/v\[i \* n\] = s->Dv\[i\] - s->a_after\[i\] \* dt\[j\];/v[i * n] = s->Dv[i];/|saltation without the acceleration after the impact
schatzman|src/schemes/schatzman_paoli/newton.c|s/add_force(s, w, 1 - 2 \* theta, w->t, w->q);/add_force(s, w, 1 - theta, w->t, w->q);/|weights of the forces in (22a) do not add up to 1
kern|src/schemes/kern.c|s/w->v_free\[i\] = h \* sys->at.F\[i\];/w->v_free[i] = 1.001 * h * sys->at.F[i];/|gravity of the scheme of Kern 0.1 % off
norm|src/analysis/converge/norms.c|s/here = norm->kind == CAROM_NORM_MAX ? fmax(here, e) : here + (norm->kind == CAROM_NORM_L2 ? e \* e : e);/here = norm->kind == CAROM_NORM_MAX ? fmax(here, e) : here + 1.05 * (norm->kind == CAROM_NORM_L2 ? e * e : e);/|norms on the grid 5 % off
'

names=
check=false
for word in "$@"; do
    case $word in
    --check) check=true ;;
    -*) echo "plant-errors.sh: unknown option $word" >&2; exit 2 ;;
    *) names="$names $word" ;;
    esac
done
case $(printf '%s' "$errors" | grep -c '|') in [0-9]) echo "plant-errors.sh: a dozen errors at least" >&2; exit 1 ;; esac

tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
tree=$tmp/tree
bad=0

# plant FILE EXPRESSION: how many lines of the copy change
plant()
{
    sed "$2" "$1" >"$tmp/changed"
    diff "$1" "$tmp/changed" | grep -c '^>' || :
}

if $check; then tree=.; else
    mkdir "$tree"
    git ls-files -z | xargs -0 tar cf - | tar xf - -C "$tree"
    cmake -S "$tree" -B "$tree/build" -DCMAKE_C_FLAGS_RELWITHDEBINFO=-O2 $(command -v ninja >/dev/null && echo -G Ninja) \
        $(command -v ccache >/dev/null && echo -DCMAKE_C_COMPILER_LAUNCHER=ccache) >/dev/null
    export CCACHE_NOHASHDIR=1 CCACHE_BASEDIR="$tmp"
    nice cmake --build "$tree/build" --parallel 2 --target carom >/dev/null
    code=0
    "$tree/build/carom" reproduce --quick --quiet -o "$tmp/page.html" || code=$?
    [ $code = 0 ] || { echo "plant-errors.sh: entries fail before anything is planted" >&2; exit 1; }
fi
printf '%s\n' "$errors" | grep '|' >"$tmp/list"
while IFS= read -r line; do
    name=${line%%|*} rest=${line#*|}
    file=${rest%%|*} rest=${rest#*|}
    what=${rest##*|} expression=${rest%|*}
    case " $names " in "  " | *" $name "*) ;; *) continue ;; esac
    changed=$(plant "$tree/$file" "$expression")
    [ "$changed" = 1 ] || { echo "$name: changes $changed lines of $file, not 1"; bad=$((bad + 1)); continue; }
    $check && continue
    cp "$tree/$file" "$tmp/kept"
    cp "$tmp/changed" "$tree/$file"
    if nice cmake --build "$tree/build" --parallel 2 --target carom >"$tmp/log" 2>&1; then
        "$tree/build/carom" reproduce --quick --json -o "$tmp/page.html" >"$tmp/out.json" 2>/dev/null || :
        failed=$(jq -r '[.entries[] | select(.verdict == "fail") | .id] | join(" ")' "$tmp/out.json")
    else
        failed='(does not build)' && tail -3 "$tmp/log"
    fi
    case $failed in '' | '('*) bad=$((bad + 1)) ;; esac
    printf '%-12s %-64s %s\n' "$name" "$what" "${failed:-NOTHING FAILS}"
    cp "$tmp/kept" "$tree/$file"
done <"$tmp/list"
[ $bad = 0 ] || { echo "$bad of the errors are not seen, or cannot be planted"; exit 1; }
