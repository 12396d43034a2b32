/* builtin.h: the files of models/, which tools/embed.sh turns into C when the library is built. */
#ifndef CAROM_BUILTIN_H
#define CAROM_BUILTIN_H

typedef struct carom_builtin {
    const char *name, *text;
} carom_builtin;
extern const carom_builtin carom_builtins[]; /* {NULL, NULL} ends it */

#endif
