#!/bin/sh
# test_animate.sh: `carom animate`: models and files as animated GIFs; options, what is refused, Ctrl-C and full disks.
# shellcheck source=tests/testing.sh
. tests/testing.sh
gif=$tmp/a.gif

# How many images a GIF has: headers of frames ("!", 0xf9, 4); and its size.
frames() { od -An -v -t x1 "$gif" | tr -d ' \n' | grep -o '21f90404' | wc -l; }
size() { od -An -t u2 -j 6 -N 4 "$gif" | awk '{print $1 "x" $2}'; }

expect 2 animate
says 'needs a RUN'
expect 2 animate "$tmp/none.csv" -o "$tmp/a.mp4"
says 'should end in .gif'
expect 1 animate "$tmp/none.csv" -o "$gif"
printf 't,x\n0,1\n1,2\n' >"$tmp/foreign.csv"
expect 2 animate "$tmp/foreign.csv" -o "$gif"
says 'the model is not known'
[ -n "${YAML:-}" ] || finish

"$CAROM" run pendulum-wall --t-end 2 --quiet -o "$tmp/run.csv"
expect 0 animate "$tmp/run.csv" --fps 10 --speed 1 --width 200 --height 150 -o "$gif"
grep -q 'animation of 21 frames' "$out" || complain "$(cat "$out")"
[ "$(frames)" = 21 ] || complain "$(frames) frames"
[ "$(size)" = 200x150 ] || complain "size $(size)"
cp "$gif" "$tmp/file.gif"
expect 0 animate pendulum-wall --t-end 2 --every 0.01 --fps 10 --speed 1 --width 200 --height 150 -o "$gif" --quiet
expect 0 animate "$tmp/run.csv" --fps 10 --speed 0.5 --from 0.5 --to 1 --json -o "$gif"
jq -e '.frames == 11 and .fps == 10 and .speed == 0.5' "$out" >/dev/null || complain "$(cat "$out")"
expect 2 animate "$tmp/run.csv" --from 5 --to 6 -o "$gif"
says 'there is no motion'
expect 2 animate "$tmp/run.csv" --speed 1e-6 -o "$gif"
says 'frames are too many'
expect 2 animate "$tmp/run.csv" --fps 0 -o "$gif"
expect 2 animate "$tmp/run.csv" --fsp 10 -o "$gif"
says "did you mean '--fps'"

# in space, with forces; what is there stays when something fails
expect 0 animate models/bodies/dice.yaml --t-end 0.2 --fps 10 --speed 0.1 --forces --width 160 -o "$gif" --quiet
[ "$(frames)" -ge 20 ] || complain "$(frames) frames in space"
# contacts that were found: from files as from the run itself, and not without their table
cat >"$tmp/found.yaml" <<END
carom: 1
space: planar
gravity: [0, -9.81]
contacts: found
laws: {default: {friction: 0.5, restitution: 0}}
bodies:
  floor: {fixed: true, shape: {plane: [0, 1]}}
  box: {repeat: {i: 2}, shape: {box: [0.5, 0.3]}, mass: 1, at: [0.1*i, 0.15 + 0.3*i]}
run: {scheme: moreau-jean, h: 2e-3, t_end: 0.1}
END
arrows() { expect 0 animate "$@" --forces --fps 20 --speed 1 --width 160 -o "$gif" --quiet; }
arrows "$tmp/found.yaml" --set every=0.01
cp "$gif" "$tmp/direct.gif"
"$CAROM" run "$tmp/found.yaml" --every 0.01 --reactions --quiet -o "$tmp/found.csv"
arrows "$tmp/found.csv"
cmp -s "$gif" "$tmp/direct.gif" || complain "forces of contacts that were found are not those of the run"
if "$CAROM" run "$tmp/found.yaml" --every 0.01 --reactions --quiet -o "$tmp/found.h5" 2>/dev/null; then
    arrows "$tmp/found.h5"
    cmp -s "$gif" "$tmp/direct.gif" || complain "forces of contacts in HDF5 are not those of the run"
fi
printf 'what\n' >>"$tmp/found.contacts.csv"
expect 1 animate "$tmp/found.csv" --forces -o "$gif"
says 'is not that of a contact'
rm "$tmp/found.contacts.csv"
arrows "$tmp/found.csv"
cmp -s "$gif" "$tmp/direct.gif" && complain "forces are drawn that no file tells"
cp "$gif" "$tmp/before.gif"
if [ -e /dev/full ]; then
    ln -s /dev/full "$tmp/full.gif"
    expect 1 animate "$tmp/run.csv" --width 100 -o "$tmp/full.gif"
fi
begin animate "$tmp/run.csv" --fps 50 --speed 0.006 --width 1600 --height 1600 -o "$gif"
caught
kill -INT $job
ended 130
says 'no animation was written'
cmp -s "$gif" "$tmp/before.gif" || complain "an animation that was interrupted takes the place of the old one"
find "$tmp" -name '*.part' | grep -q . && complain "parts of animations are left over"
finish
