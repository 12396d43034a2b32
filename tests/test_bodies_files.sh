#!/bin/sh
# test_bodies_files.sh: files of many bodies.
# shellcheck source=tests/testing.sh
. tests/testing.sh
needs YAML HDF5

cat >"$tmp/many.yaml" <<END
carom: 1
space: spatial
gravity: [0, 0, -10]
contacts: found
bodies:
  floor: {fixed: true, shape: {plane: [0, 0, 1]}}
  ball: {repeat: {i: 300}, shape: {sphere: 0.1}, mass: 1, at: [0.3*i, 0, 0.2]}
laws: {default: {friction: 0.5, restitution: 0}}
run: {t_end: 0.4, h: 1e-2, scheme: moreau-jean, every: 0.01}
END

# 3900 columns of 41 rows: 1.3 MB of numbers, and what HDF5 keeps about each column
expect 0 run "$tmp/many.yaml" -o "$tmp/many.h5" --quiet
bytes=$(wc -c <"$tmp/many.h5")
echo "300 bodies, 41 rows: $bytes bytes"
[ "$bytes" -lt 40000000 ] || complain "a file of 300 bodies has $bytes bytes"

# a run that goes on finds the columns as they are
expect 0 run "$tmp/many.yaml" -o "$tmp/part.h5" --quiet --checkpoint "$tmp/many.checkpoint" --every-steps 7
expect 0 resume "$tmp/many.checkpoint" --quiet
"$(dirname "$CAROM")/tests/same_hdf5" "$tmp/part.h5" "$tmp/many.h5" || complain "a run that went on has another file"
finish
