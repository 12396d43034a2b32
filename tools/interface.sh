#!/bin/sh
# interface.sh HEADER...: writes the public headers and the sizes of their structs as C on standard output, so that the
# library can tell a binding what it looks like:  sh tools/interface.sh include/carom.h ... > interface.c
export LC_ALL=C
echo '/* Made by tools/interface.sh from the public headers. */'
for header in "$@"; do
    printf '#include "%s"\n' "$(basename "$header")"
done
echo '#include "output/interface.h"'
echo
echo 'const char carom_interface_text[] = {'
cat "$@" | od -A n -v -t d1 | awk '{ gsub(/ +/, ","); sub(/^,/, "    "); print $0 "," }'
echo '    0};'
echo
echo 'const carom_interface_size carom_interface_sizes[] = {'
cat "$@" | sed -n 's/^typedef struct \(carom_[a-z0-9_]*\) {.*/    {"\1", sizeof(\1)},/p'
echo '    {NULL, 0}};'
