#!/bin/sh
# test_sweep_command.sh: carom sweep and carom merge as a user meets them: tables, threads, shards, kill -9 and --resume, full disks,
# Ctrl-C, mistakes. "The same" always means the same to the last bit: tables hold the shortest text that reads back exactly.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML

same() { cmp -s "$1" "$2" || { complain "$1 and $2 differ"; diff "$1" "$2" | head -5; }; }

# ---- tables on standard output and in a file ----
expect 0 sweep bouncing-ball -p e=0.5:1.1:4 --measure max:y --measure impacts --time 0.9
prints '^index,e,max:y,impacts,status,text$'
prints '^0,0.5,0.5,[0-9]*,ok,$'
prints '^3,1.1,nan,nan,bad_model,.*restitution'
says '^carom: note: 1 of 4 points failed$'
[ "$(wc -l <"$out")" = 5 ] || complain "a table of 4 points has $(wc -l <"$out") lines"
cp "$out" "$tmp/a.csv"
expect 0 sweep bouncing-ball -p e=0.5:1.1:4 --measure max:y --measure impacts --time 0.9 -o "$tmp/b.csv" --threads 2
same "$tmp/a.csv" "$tmp/b.csv"
expect 0 sweep bouncing-ball -p e=0.5:1.1:4 --measure max:y --time 0.9 --json
holds '.points == 4 and .done == 4 and .failed == 1 and (.first_failure | startswith("point 3: ")) and .complete and .measures["max:y"].max == 0.5 and .measures["max:y"].finite == 3'


# ---- contacts that are found have no numbers of their own: what is measured of them is as by formulas ----
cat >"$tmp/formulas.yaml" <<'END'
carom: 1
space: planar
gravity: [0, -9.81]
bodies:
  f: {fixed: true, shape: {plane: [0, 1]}}
  b: {repeat: {i: 6}, shape: {circle: 0.1}, mass: 1, at: [0.3*i, 0.2 + 0.1*i]}
laws: {default: {restitution: 0.3, friction: 0.2}}
run: {t_end: 1, rtol: 1e-8, atol: 1e-8}
END
{ cat "$tmp/formulas.yaml"; echo 'contacts: found'; } >"$tmp/found.yaml"
for way in found formulas; do
    expect 0 sweep "$tmp/$way.yaml" -p 'q.b[0].y=0.2:0.3:3' --measure rest --measure impacts --measure zeno
    awk -F, -v OFS=, 'NR > 1 { $3 = sprintf("%.6f", $3) } { print }' "$out" >"$tmp/$way.csv"
done
same "$tmp/formulas.csv" "$tmp/found.csv"

# ---- nothing could be computed ----
for way in "" "-o $tmp/none.csv" "--quiet" "--json" "--shard 1/2"; do
    # shellcheck disable=SC2086
    expect 1 sweep bouncing-ball -p e=1.1:1.4:4 --measure max:y --time 0.9 $way
    says '^carom: all points failed, [24] of them; the first was point [01]: .*restitution'
done
expect 1 sweep bouncing-ball -p e=1.1:1.4:4 --measure max:y --time 0.9 --json
holds '.failed == 4 and .done == 4 and .complete and (.first_failure | contains("restitution")) and .measures["max:y"].finite == 0'
expect 0 sweep bouncing-ball -p e=0.5:0.9:3 --measure max:y --time 0.9
silent

# ---- random and Sobol points over parameters and initial values ----
expect 0 sweep bouncing-ball --design sobol --points 8 -p q.y=0.1:0.9 -p e=0.5:0.9 --measure max:y --time 0.3
awk -F, 'NR > 1 { if ($2 != $4) bad = 1; n[int(($2 - 0.1)/0.1)]++ } END { for (i = 0; i < 8; i++) if (n[i] != 1) bad = 1; exit bad }' "$out" ||
    complain "Sobol points: one in each eighth of q.y, whose largest y is where it starts"
expect 0 sweep bouncing-ball --design random --points 5 -p e=0.5:0.9 --seed 7 --measure impacts --time 1
cp "$out" "$tmp/random"
expect 0 sweep bouncing-ball --design random --points 5 -p e=0.5:0.9 --seed 7 --measure impacts --time 1 --threads 1
same "$out" "$tmp/random"
expect 0 sweep bouncing-ball --design random --points 5 -p e=0.5:0.9 --seed 8 --measure impacts --time 1
cmp -s "$out" "$tmp/random" && complain "another seed gives the same points"

# A ball that begins at rest on its table and is thrown up has lost its directions in the transient only: chaos is chaos.
table="-p g=1 -p w=1 -p e=0.3 -p A=2.42"
# shellcheck disable=SC2086
expect 0 sweep vibrating-table $table -p q.y=0:0.1:2 -p v.y=2.42 --measure lyapunov --transient 30 --periods 400
awk -F, 'NR > 1 && !($3 > 0.3 && $3 < 0.55) { bad = 1 } END { exit bad }' "$out" || { complain "an exponent of 0.4073 is not found"; cat "$out"; }
# shellcheck disable=SC2086
expect 0 sweep vibrating-table $table -p A=1.2 -p q.y=0:0.1:2 -p v.y=1.2 --measure lyapunov --transient 30 --periods 30 # rest in each period
[ "$(grep -c ',-inf,ok' "$out")" = 2 ] || { complain "rest has an exponent"; cat "$out"; }

# ---- mistakes ----
expect 2 sweep bouncing-ball --measure impacts
says 'needs something to vary'
expect 2 sweep bouncing-ball -p e=0.5:0.9:3
says '--measure'
expect 2 sweep bouncing-ball -p e=0.5:0.9:3 --measure lyapunv
says "did you mean 'lyapunov'"
expect 2 sweep bouncing-ball -p ee=0.5:0.9:3 --measure impacts
says "did you mean 'e'"
expect 2 sweep bouncing-ball -p e=0.5:0.9:3 --measure max:z
says 'z'
expect 2 sweep bouncing-ball -p e=0.5:0.9 --measure impacts
says 'NAME=FROM:TO:N'
expect 2 sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts --periods 5
says 'has no period'
expect 2 sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts --design sobl
says "did you mean 'sobol'"
expect 2 sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts --shard 5/4
says 'K/N'
expect 2 sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts --resume
says 'sqlite'
expect 2 sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts -o x.txt
expect 2 sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts --scheme nothing
expect 1 sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts -o /nowhere/at/all.csv
expect 2 merge
expect 2 merge "$tmp/x.sqlite"
if [ -z "${SQLITE:-}" ]; then
    expect 1 sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts -o "$tmp/x.sqlite"
    says 'without SQLite'
    finish
fi

# ---- one run in one piece, with one thread and with two ----
begin="" # exec: in the background, where a signal is to meet carom itself
map() { # FILE OPTIONS...: a map of exponents, about half a second of work
    file=$1
    shift
    ${begin:-} "$CAROM" sweep impact-oscillator -p w=2:3:20 -p alpha=0.05:0.45:15 --measure lyapunov --measure impacts --transient 10 --periods 30 \
        --measure max:u -o "$file" "$@"
}
rows() { "$CAROM" merge "$2" "$1" --quiet 2>/dev/null; } # STORE TABLE
map "$tmp/whole.sqlite" --quiet --threads 1 || complain "a sweep into a store fails"
rows "$tmp/whole.sqlite" "$tmp/whole.csv"
[ "$(wc -l <"$tmp/whole.csv")" = 301 ] || complain "300 points give $(wc -l <"$tmp/whole.csv") lines"
map "$tmp/two.sqlite" --quiet --threads 2 --export "$tmp/two.csv"
same "$tmp/whole.csv" "$tmp/two.csv"

# ---- kill -9, resume, kill again ----
for round in 1 2; do
    rm -f "$tmp"/killed.sqlite*
    kills=0
    while :; do
        begin=exec
        map "$tmp/killed.sqlite" --quiet --resume --threads 1 2>"$err" &
        job=$! begin=""
        worked $((10 * (round + kills % 3)))
        if [ "$kills" -ge 4 ] || ! kill -9 "$job" 2>/dev/null; then
            wait "$job" 2>/dev/null || { complain "--resume fails after $kills kills"; head -3 "$err"; }
            break
        fi
        wait "$job" 2>/dev/null
        kills=$((kills + 1))
        if [ -f "$tmp/killed.sqlite" ] && command -v sqlite3 >/dev/null 2>&1; then
            cp "$tmp/killed.sqlite" "$tmp/look.sqlite"
            [ ! -f "$tmp/killed.sqlite-wal" ] || cp "$tmp/killed.sqlite-wal" "$tmp/look.sqlite-wal"
            found=$(sqlite3 "$tmp/look.sqlite" 'PRAGMA integrity_check')
            [ "$found" = ok ] || complain "integrity after kill -9: $found"
            rm -f "$tmp"/look.sqlite*
        fi
    done
    [ "$kills" -ge 1 ] || complain "nothing was killed"
    rows "$tmp/killed.sqlite" "$tmp/killed.csv"
    same "$tmp/whole.csv" "$tmp/killed.csv"
done

# ---- Ctrl-C, then resume ----
rm -f "$tmp"/ctrl.sqlite*
begin=exec
map "$tmp/ctrl.sqlite" --threads 1 >"$out" 2>"$err" &
job=$! begin=""
caught
worked 20
kill -INT "$job" 2>/dev/null
code=0
wait "$job" || code=$?
if [ "$code" = 130 ]; then
    says '--resume goes on with'
    expect 2 sweep impact-oscillator -p w=2:3:20 -p alpha=0.05:0.45:15 --measure lyapunov -o "$tmp/ctrl.sqlite" --resume
    says "measures: 'lyapunov"
    says 'span'
    map "$tmp/ctrl.sqlite" --resume --json >"$out" 2>"$err" || complain "resuming after Ctrl-C fails"
    holds '.complete and .computed < 300 and .done == 300'
elif [ "$code" != 0 ]; then # it was done before the signal came
    complain "Ctrl-C exits with $code, not 130"
fi
rows "$tmp/ctrl.sqlite" "$tmp/ctrl.csv"
same "$tmp/whole.csv" "$tmp/ctrl.csv"

# ---- what does not belong is refused ----
cp "$tmp/whole.sqlite" "$tmp/c.sqlite"
map "$tmp/c.sqlite" >"$out" 2>"$err" && complain "a store is overwritten"
says '--resume goes on with it'
map "$tmp/c.sqlite" --resume --rtol 1e-7 >"$out" 2>"$err" && complain "other options are taken"
says "options: 'rtol=1e-06' there, 'rtol=1e-07' here"
map "$tmp/c.sqlite" --resume -p e=0.7 >"$out" 2>"$err" && complain "other parameters are taken"
says 'parameters'
"$CAROM" help impact-oscillator | sed 's/alpha: 0.25/alpha: 0.26/' >"$tmp/impact-oscillator.yaml"
expect 2 sweep "$tmp/impact-oscillator.yaml" -p w=2:3:20 -p alpha=0.05:0.45:15 --measure lyapunov --measure impacts --transient 10 \
    --periods 30 --measure max:u -o "$tmp/c.sqlite" --resume
says 'model_text: .*(line 7)'
rows "$tmp/c.sqlite" "$tmp/c.csv"
same "$tmp/whole.csv" "$tmp/c.csv"

# ---- shards and their union ----
for k in 0 1 2; do
    map "$tmp/part-$k.sqlite" --quiet --shard $k/3 || complain "shard $k/3 fails"
done
expect 0 merge "$tmp/some.sqlite" "$tmp/part-0.sqlite" "$tmp/part-2.sqlite"
says '100 of 300 points are missing: 1, 4, 7'
expect 4 merge "$tmp/some.csv" "$tmp/part-0.sqlite" "$tmp/part-2.sqlite" --strict
expect 0 merge "$tmp/all.sqlite" "$tmp/part-2.sqlite" "$tmp/part-0.sqlite" "$tmp/part-1.sqlite" "$tmp/part-1.sqlite" --json
holds '.complete and .points == 300 and .missing == 0'
rows "$tmp/all.sqlite" "$tmp/all.csv"
same "$tmp/whole.csv" "$tmp/all.csv"
map "$tmp/some.sqlite" --resume --quiet || complain "a union with gaps cannot be completed"
rows "$tmp/some.sqlite" "$tmp/some.csv"
same "$tmp/whole.csv" "$tmp/some.csv"
expect 0 merge "$tmp/part-0.sqlite" "$tmp/part-1.sqlite" -o "$tmp/o.sqlite"
expect 2 merge "$tmp/part-0.sqlite" "$tmp/part-1.sqlite"
says 'is there already'
"$CAROM" sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts -o "$tmp/other.sqlite" --quiet
expect 1 merge "$tmp/mixed.sqlite" "$tmp/part-0.sqlite" "$tmp/other.sqlite"
says 'belongs to another sweep'
[ ! -e "$tmp/mixed.sqlite" ] || complain "half a union is left behind"
if command -v sqlite3 >/dev/null 2>&1; then
    cp "$tmp/part-1.sqlite" "$tmp/wrong.sqlite"
    sqlite3 "$tmp/wrong.sqlite" 'UPDATE point SET c3 = c3 + 1e-15 WHERE i = 4'
    expect 1 merge "$tmp/mixed.sqlite" "$tmp/part-1.sqlite" "$tmp/wrong.sqlite"
    says 'point 4 has two results'
    [ "$(sqlite3 "$tmp/whole.sqlite" 'SELECT count(*) FROM result WHERE lyapunov > 0 AND "max:u" < 100')" -gt 50 ] ||
        complain "the view 'result' has the names of the columns"
fi

# ---- no room ----
if (ulimit -f 1) 2>/dev/null; then
    code=0
    (ulimit -f 40; map "$tmp/full.sqlite" --quiet --threads 1) >"$out" 2>"$err" || code=$?
    if [ "$code" = 0 ]; then complain "a full disk goes unnoticed"; fi
    [ "$code" = 1 ] || complain "no room for the store: exits with $code, not 1"
    says 'full.sqlite'
    says '--resume'
    map "$tmp/full.sqlite" --quiet --resume || complain "cannot resume after a full disk"
    rows "$tmp/full.sqlite" "$tmp/full.csv"
    same "$tmp/whole.csv" "$tmp/full.csv"
fi
if [ -c /dev/full ]; then
    code=0
    "$CAROM" sweep bouncing-ball -p e=0.5:0.9:3 --measure impacts --time 1 >/dev/full 2>"$err" || code=$?
    [ "$code" = 1 ] || complain "a full standard output exits with $code, not 1"
fi

# ---- pictures ----
if [ -n "${PNG:-}" ]; then
    expect 0 merge "$tmp/map.png" "$tmp/whole.sqlite" --quiet
    head -c 8 "$tmp/map.png" | od -An -c | grep -q 'P *N *G' || complain "map.png is no PNG"
    expect 0 merge "$tmp/max.png" "$tmp/whole.sqlite" --measure max:u --quiet
    cmp -s "$tmp/map.png" "$tmp/max.png" && complain "two measures look the same"
    expect 2 merge "$tmp/no.png" "$tmp/whole.sqlite" --measure min:u
    says "no measure 'min:u'"
    expect 2 merge "$tmp/no.png" "$tmp/other.sqlite"
    says 'two axes'
fi

finish
