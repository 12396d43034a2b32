# Calls that fail on purpose, here some of them: tools/failures.sh (make failures) takes all.
. tests/testing.sh
needs YAML HDF5 SQLITE
out=$(sh tools/failures.sh "$BUILD" 6)
code=$?
echo "$out"
[ $code = 77 ] && exit 77
[ $code = 0 ] || complain "a failure was not handled well"
finish
