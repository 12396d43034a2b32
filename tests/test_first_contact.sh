#!/bin/sh
# test_first_contact.sh: what somebody tries first: a new model, a model on standard input, Tab, help about a section, numbers
# as expressions, outputs by name, a report from another folder.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML
CAROM=$(realpath "$CAROM")
here=$(pwd)
sed -n '/^```yaml wheel.yaml/,/^```$/p' docs/orbit.md | sed '1d; $d' >"$tmp/wheel.yaml"
cd "$tmp" || exit 1

# ---- new ----
expect 0 new hopper
expect 0 check --quiet hopper.yaml
expect 0 run hopper.yaml --json
holds '.model == "hopper" and .impacts > 3'
cp hopper.yaml before.yaml
expect 1 new hopper
says "there already"
cmp -s hopper.yaml before.yaml || complain "carom new changed a file that was there"
expect 2 new bird --from woodpekker
says "did you mean 'woodpecker'"
[ ! -e bird.yaml ] || complain "a file was written for an unknown template"
expect 2 new a/b
for model in $("$CAROM" list models --json | jq -r '.models[].name' 2>/dev/null); do
    rm -f copy.yaml
    expect 0 new copy --from "$model" --quiet
    "$CAROM" help "$model" | sed 's/^name: .*/name: copy/' | cmp -s - copy.yaml || complain "new --from $model is no copy"
done

# ---- standard input ----
"$CAROM" run - --json <hopper.yaml >piped.json || complain "a model on standard input does not run"
"$CAROM" run hopper.yaml --json >file.json
[ "$(jq .q piped.json)" = "$(jq .q file.json)" ] || complain "a model on standard input runs differently"
printf 'carom: 1\nkinetc: 1\n' | "$CAROM" check - >"$out" 2>"$err" && complain "a wrong model on standard input is taken"
says "standard input:2:1: unknown key"
expect 2 sweep - -p e=0.1:0.9:3 --measure impacts
says "give a file"

# ---- colours: on a terminal, unless somebody wants none ----
if command -v script >/dev/null 2>&1; then
    printf 'carom: 1\nkinetc: 1\n' >typo.yaml
    escape=$(printf '\033')
    TERM=xterm NO_COLOR="" script -qec "$CAROM check typo.yaml" /dev/null >"$out" 2>/dev/null </dev/null || true
    grep -q "$escape\[1;31mcarom:" "$out" && grep -q "$escape\[31m  | ^~~~~~" "$out" || complain "errors have no colours on a terminal"
    TERM=xterm NO_COLOR=1 script -qec "$CAROM check typo.yaml" /dev/null >"$out" 2>/dev/null </dev/null || true
    grep -q "unknown key" "$out" && ! grep -q "$escape\[" "$out" || complain "NO_COLOR is not heard"
fi
"$CAROM" check typo.yaml >"$out" 2>"$err" && complain "a wrong key is taken"
! grep -q "$(printf '\033')" "$err" || complain "colours go into a file"

# ---- completion ----
"$CAROM" completion bash >carom.bash
cat >try.bash <<'END'
. ./carom.bash
complete_at() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _carom; echo "${COMPREPLY[*]}"; }
complete_at carom bif
complete_at carom run boun
complete_at carom run x --scheme schatz
complete_at carom lyapunov x --per
complete_at carom new x --from wood
complete_at carom help dra
END
if command -v bash >/dev/null 2>&1; then
    bash try.bash >"$out"
    printf 'bifurcate\nbouncing-ball\nschatzman-paoli\n--periods\nwoodpecker\ndraw\n' | diff - "$out" || complain "bash completes something else"
fi
"$CAROM" completion zsh >_carom
if command -v zsh >/dev/null 2>&1; then zsh -n _carom || complain "zsh cannot read its completion"; fi
grep -q "'\*--rtol\[relative tolerance" _carom || complain "the completion of zsh has no options"
expect 2 completion fish
says "unknown shell"

# ---- help about sections: every key of a model file but those that need no words ----
for key in $(awk '/const char \*const keys\[\] = \{/, /\};/' "$here/src/model/load.c" | grep -o '"[a-z]*"' | tr -d '"'); do
    case $key in carom | run) continue ;; esac
    expect 0 help "$key"
done
expect 0 help contacts
prints "restitution (needed)"

# ---- repeat ----
sed 's/^  s0: .*/  s: {repeat: {k: 8}, gap: "y - l*cos(phi + w*(2*k + 1))", slip: "x'"'"' + l*cos(phi + w*(2*k + 1))*phi'"'"'", friction: mu, restitution: 0}/; /^  s[1-7]: /d' "$tmp/wheel.yaml" >"$tmp/short.yaml"
printf 'draw:\n  spoke: {repeat: {k: 8}, line: [[x, y], [x + l*sin(phi + w*(2*k + 1)), y - l*cos(phi + w*(2*k + 1))]], contact: s}\n' >>"$tmp/short.yaml"
expect 0 run "$tmp/wheel.yaml" --json
mv "$out" long.json
expect 0 run "$tmp/short.yaml" --json
[ "$(jq -c '[.q, .v, .impacts]' long.json)" = "$(jq -c '[.q, .v, .impacts]' "$out")" ] || complain "repeated contacts move differently"
expect 0 run "$tmp/short.yaml" -o short.csv --quiet
grep -q 's\[7\].force' short.csv || complain "repeated contacts have no names"
expect 0 report short.csv -o short.html
for wrong in 'k: 0' 'k: 2.5' 'x: 8' '9: 8' 'k: 8, j: 2' 'k: 5000'; do
    sed "s/repeat: {k: 8}, gap/repeat: {$wrong}, gap/" "$tmp/short.yaml" >wrong.yaml
    expect 3 check wrong.yaml
done

# ---- vectors: the same as when they are written out ----
sed -n '/^```yaml chain.yaml/,/^```$/p' "$here/docs/model-file.md" | sed '1d; $d' >chain.yaml
cat >beads.yaml <<'END'
carom: 1
parameters: {k: 100, a: 1, b: 1, c: 2, d: 1, f: 1, gap: 0.1, e: 0.5}
coordinates: {p: 0, q: gap, r: 2*gap, s: 3*gap, u: 4*gap}
velocities: {p: 2}
kinetic: a*p'^2/2 + b*q'^2/2 + c*r'^2/2 + d*s'^2/2 + f*u'^2/2
potential: k*(q - p - gap)^2/2 + k*(r - q - gap)^2/2 + k*(s - r - gap)^2/2 + k*(u - s - gap)^2/2
contacts: {A: {gap: q - p, restitution: e}, B: {gap: r - q, restitution: e}, C: {gap: s - r, restitution: e}, D: {gap: u - s, restitution: e}, wall: {gap: 0.6 - u, restitution: e}}
run: {t_end: 2}
END
expect 0 run beads.yaml -p c=3 --json
mv "$out" long.json
expect 0 run chain.yaml -p 'm[2]=3' --json
[ "$(jq -c '[.q[], .v[], .impacts]' long.json)" = "$(jq -c '[.q[], .v[], .impacts]' "$out")" ] || complain "vectors move differently"
holds '.impacts > 2 and .q["x[4]"] > 0.3'
expect 0 gradient chain.yaml --of "centre + x[1]'" --with-respect-to 'm[2],q.x[0]' --t-end 0.5 --json
holds '(.gradient["m[2]"] - .differences["m[2]"] | fabs < 1e-6) and (.gradient["q.x[0]"] | fabs > 0.1)'
expect 3 run chain.yaml -p n=6 # how many there are is asked anew
says "unknown name 'm\[5\]'"
wrong_vector() # SED MESSAGE
{
    sed "$1" chain.yaml >wrong.yaml
    expect 3 check wrong.yaml
    says "$2"
}
wrong_vector 's/0.6 - x\[4\]/0.6 - x/' "unknown name 'x'; did you mean 'x\[0\]'"
wrong_vector 's/0.6 - x\[4\]/0.6 - x[5]/' "unknown name 'x\[5\]'"
wrong_vector 's/0.6 - x\[4\]/0.6 - x[0.5]/' "whole number from 0 on"
wrong_vector 's/kinetic: sum(i/kinetic: sum(e/' "cannot be the index of a sum"
wrong_vector 's/kinetic: sum(i, n/kinetic: sum(i n/' "a sum is written"
wrong_vector 's/kinetic: .*/kinetic: sum(a, 1000, sum(b, 1000, sum(c, 1000, 1)))/' "more than 20000 terms"
wrong_vector 's/repeat: {i: 5}, value/repeat: {e: 5}, value/' "the index 'e' has the name of something else"
wrong_vector 's/value: gap.i/start: 0/' "unknown key 'start'"
wrong_vector 's/x: \[2, 0, 0, 0, 0\]/x: [2, 0, 0, 0, 0, 0]/' "no coordinate 'x\[5\]'"
wrong_vector 's/m: \[1, 1, 2, 1, 1\]/m: []/' "empty list"

# ---- the models that the tutorial led to ----
for model in "$here"/examples/models/*.yaml; do
    expect 0 run "$model" --json
    holds '.status == "ok" and .impacts + .events.stick + .events.slip >= 3 and (.energy.balance_error / (.energy.initial - .energy.final) | fabs < 1e-4)'
done
for model in bell catapult coaster curling door drop-hammer feeder hopper kendama pinball ratchet rattle toggle-clamp wagons; do
    expect 0 run "$here/examples/models/$model.yaml" --verify --quiet
done
# Of many accumulations the first are listed, and it is said that there are more.
expect 0 run "$here/examples/models/rattle.yaml" --json
holds '(.zeno | length) == 16 and .accumulations > 16 and .accumulations == .events.closing'
expect 0 run "$here/examples/models/rattle.yaml"
prints '^  and [0-9]* more accumulations$'

# ---- forces at an instant ----
expect 0 run sliding-block --every 0.5 --reactions --quiet -o reactions.csv
grep -q '^0.5,0,.*,9.81,-2.943' reactions.csv || complain "no reactions of the block that slides"
expect 0 plot reactions.csv --panel floor.reaction,floor.reaction_t -o reactions.svg
expect 0 run sliding-block --every 0.5 --quiet -o without.csv
expect 2 plot without.csv --panel floor.reaction -o without.svg
grep -q "carom run --reactions writes it" "$err" || complain "plot does not say how to get the column of a force"
expect 0 audit reactions.csv sliding-block --quiet
expect 0 report reactions.csv -o reactions.html --quiet
grep -q 'Forces of contacts and joints: floor.reaction<' reactions.html || complain "the page has no plot of the forces"

# ---- names that nothing uses ----
sed 's/e: 0.3}/e: 0.3, mu: 0.2, nu: 1}/; s/^let:/let:\n  half: l\/2/' "$here/examples/models/toggle-clamp.yaml" >idle.yaml
expect 0 check idle.yaml
prints '^parameters that nothing uses: mu, nu$'
prints '^names of let that nothing uses: half$'
expect 0 check "$here/examples/models/toggle-clamp.yaml"
if grep -q 'nothing uses' "$out"; then complain "check finds a name that nothing uses where there is none"; fi

# ---- numbers ----
expect 0 run bouncing-ball -p 'e=sqrt(1/4)' -p 'g=2*pi' --t-end 1 --json
mv "$out" a.json
expect 0 run bouncing-ball -p e=0.5 -p g=6.283185307179586 --t-end 1 --json
[ "$(jq -c .q a.json)" = "$(jq -c .q "$out")" ] || complain "-p g=2*pi is something else"
expect 2 run bouncing-ball -p e=foo+1
says "2\*pi/3"
expect 2 run bouncing-ball -p e=1/0

# ---- outputs by name ----
expect 0 gradient hopper.yaml --of height --with-respect-to g --t-end 0.2 --no-check --json
holds '(.value - (1 - 9.81*0.02) | fabs < 1e-12) and (.gradient.g + 0.02 | fabs < 1e-12)'
expect 0 gradient hopper.yaml --of "2*height + x" --with-respect-to g --t-end 0.2 --no-check --json
holds '.gradient.g + 0.04 | fabs < 1e-12'

# ---- a picture for print ----
expect 0 run hopper.yaml -o h.csv --quiet
expect 0 plot h.csv --style paper -o paper.svg
grep -q 'Times' paper.svg && ! grep -q 'class="title"' paper.svg && ! grep -q 'prefers-color-scheme' paper.svg || complain "--style paper is no picture for print"
expect 2 plot h.csv --style papr -o paper.svg
says "did you mean 'paper'"

# ---- a report from another folder ----
mkdir results other
expect 0 run hopper.yaml -o results/h.csv --quiet
cd other || exit 1
for file in ../results/h.csv ../h.csv; do
    expect 0 report "$file" -o page.html
    grep -q '"draw"\|canvas' page.html && grep -q 'hopper' page.html || complain "the report of $file has no animation"
    ! grep -q 'without its model' "$err" || complain "the report of $file did not find its model"
done
finish
