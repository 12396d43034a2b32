/* carom_plugin.h: models in native code that a model file names with `plugin: file.so`.
 *
 * The library defines one symbol, carom_plugin_model; its function fills a carom_model with callbacks (or with an
 * evaluator). What it points at must stay valid as long as the library is loaded. See examples/plugin. */
#ifndef CAROM_PLUGIN_H
#define CAROM_PLUGIN_H

#include "carom.h"

#define CAROM_PLUGIN_ABI 2 /* changes whenever carom_model or carom_eval change */

typedef struct carom_plugin {
    int abi;            /* CAROM_PLUGIN_ABI */
    size_t model_bytes; /* sizeof(carom_model): a second guard */
    carom_status (*fill)(carom_model *model, carom_error *error);
} carom_plugin;

#ifdef __cplusplus
extern "C" {
#endif
extern const carom_plugin carom_plugin_model;
#ifdef __cplusplus
}
#endif
#endif
