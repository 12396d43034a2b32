#!/bin/sh
# check-text.sh [ROOT]: no paths of one machine, no tabs, no blanks at line ends, no open ends in the text of the
# project, no line of code beyond 120 columns; lists files that have grown beyond 700 lines.
set -eu
cd "${1:-.}"
failed=0

# Build folders are recognized by what CMake leaves in them, whatever their names.
skip=""
# shellcheck disable=SC2044
for cache in $(find . -name CMakeCache.txt); do
    skip="$skip -path $(dirname "$cache") -o"
done
# shellcheck disable=SC2086
files=$(find . \( $skip -name .git -o -name 'build*' -o -path ./demo -o -path ./tests/bad -o -name node_modules \) -prune \
    -o -type f \( -name '*.[ch]' -o -name '*.sh' -o -name '*.md' -o -name '*.yaml' -o -name '*.cmake' -o -name '*.in' \
       -o -name '*.py' -o -name '*.cff' -o -name CMakeLists.txt -o -name Makefile \) -print | sort)

complain() # heading, pattern, files
{
    heading=$1 pattern=$2
    shift 2
    # shellcheck disable=SC2068
    if found=$(grep -nE "$pattern" /dev/null $@); then
        echo "$heading:"
        echo "$found" | head -20
        failed=1
    fi
}

# shellcheck disable=SC2086
complain "a path of one machine" '(^|[^[:alnum:].$}])/(home|root|work|Users)/' $files
# shellcheck disable=SC2086,SC2046
complain "a tab" "$(printf '\t')" $(echo $files | tr ' ' '\n' | grep -v '/Makefile$')
# shellcheck disable=SC2086
complain "a blank at the end of a line" ' $' $files
# shellcheck disable=SC2086
complain "an open end" '\b(TO''DO|FIX''ME|XX''X)\b' $files

# shellcheck disable=SC2086,SC2046
complain "a line of more than 120 columns" '^.{121}' $(echo $files | tr ' ' '\n' | grep '\.[ch]$')

# shellcheck disable=SC2086
wc -l $files | awk '$2 != "total" && $1 > 700 && $2 ~ /\.[ch]$/ { print "long: " $2 " has " $1 " lines" }'
exit $failed
