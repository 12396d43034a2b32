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
