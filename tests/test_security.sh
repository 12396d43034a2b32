# What a file from a stranger can do, and what it cannot: docs/security.md.
. tests/testing.sh
needs YAML
escape=$(printf '\033')

# A terminal does not get to see control characters, from wherever they come.
tame() { ! LC_ALL=C grep -q "$(printf '[\001-\010\013\014\016-\037\177]')" "$1" || complain "a control character in $1 ($2)"; }
printf 'carom: 1\nname: "a\\e[31mred"\ncoordinates: {y: 1}\nkinetic: y'"'"'^2/2\npotential: y\n' >"$tmp/name.yaml"
expect 3 run "$tmp/name.yaml"
says 'control character 0x1b'
printf '{"carom": 1, "name": "a\\u009b31m", "coordinates": {"y": 1}, "kinetic": "y'"'"'^2/2", "potential": "y"}' >"$tmp/name.json"
expect 3 run "$tmp/name.json"
says 'control character'
expect 3 run "no${escape}[31msuch"
tame "$err" "the name of a file"
printf '# carom 0.1.0\n# model: a%s[31m title\nt,x\n0,1\n1,2\n' "$escape" >"$tmp/title.csv"
expect 0 plot "$tmp/title.csv" -o "$tmp/title.svg"
tame "$tmp/title.svg" "a title"
expect 0 report "$tmp/title.csv" -o "$tmp/title.html"
tame "$out" "a title on the terminal"
tame "$tmp/title.html" "a title on a page"
expect 0 run ball --quiet --t-end 1 -o "$tmp/head${escape}.csv"
tame "$tmp/head${escape}.csv" "the head of a table"

# What is read is not written over, under whatever name.
cp models/ball.yaml "$tmp/model.csv"
ln -s model.csv "$tmp/link.csv"
before=$(cksum <"$tmp/model.csv")
for option in "-o $tmp/model.csv" "-o $tmp/link.csv" "--dump $tmp/model.csv" "--checkpoint $tmp/link.csv"; do
    # shellcheck disable=SC2086 # two words
    expect 2 run "$tmp/model.csv" $option
    says 'it is not written over'
done
expect 2 plot "$tmp/title.csv" -o "$tmp/title.csv"
expect 2 sweep "$tmp/model.csv" -p e=0.1:0.5:2 --measure impacts -o "$tmp/link.csv"
[ "$(cksum <"$tmp/model.csv")" = "$before" ] || complain "the model was written over"

expect 2 run ball -o "$tmp/both.csv" --checkpoint "$tmp/both.csv"
says 'name the same file'

# Plugins: by flag only, also when a run goes on that had it.
printf 'carom: 1\nplugin: ./none.so\n' >"$tmp/plugin.yaml"
expect 3 run "$tmp/plugin.yaml"
says 'would run foreign code'

# Limits.
expect 1 run bouncing-ball --t-end 1e9 --scheme kern --h 1e-6 --limit-time 0.2 --quiet
says 'the time is over'
if [ -f "$BUILD/tests/inject.so" ]; then # sanitizers reserve terabytes of addresses
    expect 1 check bouncing-ball --limit-memory 2
    says 'memory'
    expect 0 check bouncing-ball --limit-memory 4000 --limit-time 1000
fi
expect 2 check bouncing-ball --limit-memory lots
says 'takes megabytes'
expect 2 check bouncing-ball --limit-time 0
says 'takes seconds'

# A limit on the size of files is a full disk: a sentence, no signal.
for file in t.csv t.json; do
    code=0
    (ulimit -f 8 && "$CAROM" run bouncing-ball --every 0.001 --quiet -o "$tmp/$file" 2>"$err") || code=$?
    [ $code = 1 ] || complain "$file beyond a limit: exit code $code"
    says "$file' cannot be written: File too large"
done
code=0
(ulimit -f 1 && "$CAROM" sweep bouncing-ball -p e=0.1:0.9:200 --threads 1 --t-end 0.1 --measure impacts -o "$tmp/s.csv" 2>"$err") || code=$?
[ $code = 1 ] || complain "a table beyond a limit: exit code $code"
says 'File too large'
[ ! -f "$tmp/s.csv" ] || complain "half a table was left"
finish
