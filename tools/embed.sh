#!/bin/sh
# embed.sh: writes the model files as C arrays on standard output.
#     sh tools/embed.sh models/*.yaml > builtin_models.c
export LC_ALL=C
echo '/* Made by tools/embed.sh from the files of models/. */'
echo '#include <stddef.h>'
echo
echo '#include "model/builtin.h"'
echo
i=0
for file in "$@"; do
    echo "static const char text$i[] = {"
    od -A n -v -t d1 "$file" | awk '{ gsub(/ +/, ","); sub(/^,/, "    "); print $0 "," }'
    echo '    0};'
    i=$((i + 1))
done
echo
echo 'const carom_builtin carom_builtins[] = {'
i=0
for file in "$@"; do
    printf '    {"%s", text%d},\n' "$(basename "$file" .yaml)" "$i"
    i=$((i + 1))
done
echo '    {NULL, NULL}};'
