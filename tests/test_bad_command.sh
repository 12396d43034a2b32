#!/bin/sh
# Every broken model of tests/bad given to the command: exit code 3, and the same words as the library's.
[ "${YAML:-}" ] || { echo "skipped: this build has no YAML"; exit 77; }
CAROM_COMMAND="$CAROM" exec "$BUILD/tests/test_bad_models"
