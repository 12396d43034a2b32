# Killed in the middle and gone on: some of what tools/kills.sh (make kills) does at length.
. tests/testing.sh
needs YAML
out=$(sh tools/kills.sh "$BUILD" 3)
code=$?
echo "$out"
[ $code = 77 ] && exit 77
[ $code = 0 ] || complain "something was lost"
finish
