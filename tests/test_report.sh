#!/bin/sh
# test_report.sh: `carom report`: models and files of every format, alone and over each other; what is missing is said; typos,
# full disks and failing runs; every built-in model is drawn.
# shellcheck source=tests/testing.sh
. tests/testing.sh
page=$tmp/page.html

shows() { grep -q -e "$1" "$page" || complain "the page lacks '$1'"; }
hides() { ! grep -q -e "$1" "$page" || complain "the page has '$1'"; }
number() { grep -o "$1" "$page" | wc -l; }
# Every block of numbers is JSON.
numbers_are_json()
{
    awk '/<script type="application\/json">/ { sub(/.*<script type="application\/json">/, ""); on = 1 }
         on { line = $0; done = sub(/<\/script>.*/, "", line); print line; if (done) on = 0 }' "$page" >"$tmp/blocks"
    jq -e -s 'length > 0 and all(.[]; has("data") or has("t"))' "$tmp/blocks" >/dev/null || complain "numbers that are not JSON"
}

expect 2 report
says 'needs a RUN'
expect 1 report "$tmp/none.csv" -o "$page"
says 'none.csv'
expect 2 report "$tmp/none.csv" -o "$tmp/page.pdf"
says 'should end in .html'
printf 'a,b\n1,2\n' >"$tmp/other.csv"
expect 2 report "$tmp/other.csv" -o "$page"
says "no column 't'"
[ ! -e "$page" ] || complain "a failed report leaves a page"
printf 't,x\n0,1\n1,2\n' >"$tmp/foreign.csv"
expect 0 report "$tmp/foreign.csv" -o "$page"
shows 'no section .draw\|model is not known'
shows 'no pair of columns'
shows 'There is no column <code>energy</code>'
[ -n "${YAML:-}" ] || finish

# ---- a model: exact numbers of the bouncing ball reach the page ----
expect 0 report bouncing-ball -o "$page"
grep -q "page.html" "$out" || complain "the command does not say where the page is"
for id in runs animation motion portrait contacts impacts energy steps; do
    shows "<section id=\"$id\">"
    shows "href=\"#$id\""
done
shows 'carom run bouncing-ball'
shows 'name: bouncing ball'                     # the text of the model
shows 'accumulate at <em>t = 6.00832755'        # sqrt(2 y0/g) (1 + e)/(1 - e)
shows 'error of the balance'
shows 'Step sizes'
shows 'class="animation"'
hides 'class="note"><p>.*no gaps'
[ "$(number '<figure class="plot')" -ge 9 ] || complain "only $(number '<figure class="plot') plots"
[ "$(number '<div class="static"><svg')" = "$(number '<figure class="plot')" ] || complain "a plot has no static picture"
numbers_are_json

# ---- parameters, settings, schemes ----
expect 0 report ball -p e=0.25 --h 0.01 --schemes moreau-jean:theta=1,tolerance --json -o "$page"
jq -e '.runs | length == 2 and .[0].name == "moreau-jean:theta=1" and .[1].drawn and .[0].status == "ok"' "$out" >/dev/null ||
    { complain "--json"; cat "$out"; }
shows 'carom run ball --set h=0.01 -p e=0.25 --scheme moreau-jean:theta=1'
numbers_are_json
expect 2 report ball --schemes tolerence -o "$page"
says "did you mean 'tolerance'"
expect 2 report ball -p ee=1 -o "$page"
says "ee"
expect 3 report bal -o "$page"
says "did you mean 'ball'"

# ---- files of every format, over each other; what they do not hold is said ----
formats="csv json"
[ -z "${HDF5:-}" ] || formats="$formats h5"
files=""
for format in $formats; do
    "$CAROM" run pendulum-wall --quiet -o "$tmp/run.$format" || complain "run -o run.$format"
    files="$files $tmp/run.$format"
    expect 0 report "$tmp/run.$format" -o "$page"
    shows 'pendulum against a wall'
    shows 'The file holds no gaps'
    shows 'does not hold work and dissipation'
    shows 'does not tell the steps'
    shows 'Drawn with the model <code>pendulum-wall</code> and the parameters that the file tells'
    shows 'class="animation"'
    numbers_are_json
    grep -c 'class="plot' "$page" >"$tmp/$format.count"
    cmp -s "$tmp/csv.count" "$tmp/$format.count" || complain "$format has other plots than csv"
done
# shellcheck disable=SC2086
expect 0 report $files -o "$page"
shows '"name":"run.csv"'
shows '"name":"run.json"'
numbers_are_json
# The file tells its parameters: the mechanism is drawn as in a report of the run itself, in every format and without -p
frames() { sed -n '/<figure class="animation">/,/<\/figure>/p' "$page" | grep -v '<figcaption>' | sed 's/"name":"[^"]*"//g'; }
expect 0 report pendulum-wall -p l=2 -p wall=-0.5 -o "$page"
frames >"$tmp/frames.run"
for format in $formats; do
    "$CAROM" run pendulum-wall -p l=2 -p wall=-0.5 --quiet -o "$tmp/long.$format"
    expect 0 report "$tmp/long.$format" -o "$page"
    frames >"$tmp/frames.$format"
    cmp -s "$tmp/frames.run" "$tmp/frames.$format" || complain "$format: the animation is not that of the run"
    shows 'l=2 .*wall=-0.5'
done
[ -s "$tmp/frames.run" ] || complain "no animation to compare"
expect 0 report "$tmp/long.csv" -p l=1 -o "$page" # the command line has the last word
frames >"$tmp/frames.other"
cmp -s "$tmp/frames.run" "$tmp/frames.other" && complain "-p does not change the drawing of a file"
sed '/^# parameters/d; /^# source/d' "$tmp/long.csv" >"$tmp/old.csv"
expect 0 report "$tmp/old.csv" -o "$page"
shows 'the file does not tell those of its run'
# a model of the user's own is found where it was; one that is no more, or has changed, is not
cp models/pendulum-wall.yaml "$tmp/own.yaml"
sed -i 's/^name: .*/name: my own/' "$tmp/own.yaml"
"$CAROM" run "$tmp/own.yaml" -p l=2 -p wall=-0.5 --quiet -o "$tmp/own.csv"
expect 0 report "$tmp/own.csv" -o "$page"
shows "Drawn with the model <code>$tmp/own.yaml</code>"
frames >"$tmp/frames.own"
cmp -s "$tmp/frames.run" "$tmp/frames.own" || complain "a model of one's own is drawn in another way"
echo 'name: broken' >"$tmp/own.yaml"
expect 0 report "$tmp/own.csv" -o "$page"
says 'shown without its model'
rm "$tmp/own.yaml"
expect 0 report "$tmp/own.csv" -o "$page"
shows 'is not drawn: the model is not known'
mkfifo "$tmp/own.yaml" # nobody will ever write to it
expect 0 report "$tmp/own.csv" -o "$page"
shows 'is not drawn: the model is not known'
sed 's/^# parameters: .*/# parameters: e=-5 l=nan m=1e/' "$tmp/long.csv" >"$tmp/odd.csv"
expect 0 report "$tmp/odd.csv" -o "$page"
says 'its parameters do not suit'
{ printf '# carom 0.1.0\n# parameters:'; awk 'BEGIN { for (i = 0; i < 20000; i++) printf " p%d=%d", i, i; printf "\nt,x\n0,1\n1,2\n" }'; } >"$tmp/many.csv"
expect 0 report "$tmp/many.csv" -o "$page"
"$CAROM" run pendulum-wall --gaps --every 0 --quiet -o "$tmp/full.csv"
expect 0 report "$tmp/full.csv" --model pendulum-wall -p l=2 -o "$page"
hides 'The file holds no gaps'
shows 'distances of its rows'
"$CAROM" run pendulum-wall --set energy=false -o "$tmp/plain.json" --quiet
sed 's/"model":"[^"]*","source":"[^"]*"/"model":"unheard of","source":"nowhere.yaml"/' "$tmp/plain.json" >"$tmp/unknown.json"
expect 0 report "$tmp/unknown.json" -o "$page"
shows 'is not drawn: the model is not known'
head -c 3000 "$tmp/run.csv" >"$tmp/cut.csv"
expect 0 report "$tmp/cut.csv" -o "$page"
says 'not complete'
shows 'file is not complete'
# a model may be JSON, too
printf '{"carom": 1, "coordinates": {"x": 0}, "velocities": {"x": 1}, "kinetic": "x'"'"'^2/2", "draw": {"p": {"point": ["x", 0]}}}' >"$tmp/model.json"
expect 0 report "$tmp/model.json" -o "$page"
shows 'There are no contacts'
shows 'class="animation"'
printf 'carom: 1\nname: bare\ncoordinates: {x: 0}\nkinetic: x'"'"'^2/2\n' >"$tmp/bare.yaml"
expect 0 report "$tmp/bare.yaml" -o "$page"
shows "is not drawn: the model 'bare' has no section"

# ---- runs that fail, disks that are full ----
printf 'carom: 1\ncoordinates: {x: 1}\nkinetic: x'"'"'^2/2\nforces: {x: 1/(x - 1.5)^2}\nrun: {t_end: 10}\n' >"$tmp/fails.yaml"
code=0
"$CAROM" report "$tmp/fails.yaml" -o "$page" >"$out" 2>"$err" || code=$?
[ "$code" != 0 ] || complain "a failing run is reported as a success"
shows 'class="note"'
if [ -e /dev/full ]; then
    expect 1 report ball -o /dev/full
    says 'cannot be written'
fi
expect 1 report ball -o "$tmp/no/such/folder.html"
says 'cannot be created'
find "$tmp" -name '*.part' | grep -q . && complain "parts of pages are left over"

# ---- every built-in model ----
for file in models/*.yaml; do
    name=$(basename "$file" .yaml)
    expect 0 report "$name" -o "$page"
    shows 'class="animation"'
    shows 'id="energy"'
done
finish
