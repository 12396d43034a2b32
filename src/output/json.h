/* json.h: the pieces of the JSON writer that the trajectory writer uses on a stream of its own. */
#ifndef CAROM_OUTPUT_JSON_H
#define CAROM_OUTPUT_JSON_H

#include "output/stream.h"

void carom_json_quote(carom_stream *stream, const char *text);  /* "text" with escapes */
void carom_json_value(carom_stream *stream, double value);      /* a number, or null */

#endif
