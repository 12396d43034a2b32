/* output.h: what the writers share beyond the public interface: the writer of JSON, kinds of columns. */
#ifndef CAROM_OUTPUT_H
#define CAROM_OUTPUT_H

#include "carom_output.h"
#include "core/archive.h"

/* ---- json ----------------------------------------------------------------------------------------------
 *   carom_json *json; CAROM_TRY(carom_json_new(&json, path, stream, true, error));
 *   carom_json_object(json, NULL); carom_json_number(json, "t", 1.5); carom_json_end(json);
 *   return carom_json_close(json, error);
 * key is NULL inside arrays and at the top. Failures are kept until close. NaN and infinities become null. */
carom_status carom_json_new(carom_json **json, const char *path, FILE *stream, bool pretty, carom_error *error);
void carom_json_object(carom_json *json, const char *key);
void carom_json_array(carom_json *json, const char *key);
void carom_json_end(carom_json *json); /* of the innermost object or array */
void carom_json_number(carom_json *json, const char *key, double value);
void carom_json_integer(carom_json *json, const char *key, long long value);
void carom_json_string(carom_json *json, const char *key, const char *value); /* NULL: null */
void carom_json_bool(carom_json *json, const char *key, bool value);
void carom_json_null(carom_json *json, const char *key);
void carom_json_numbers(carom_json *json, const char *key, const double *values, int n); /* an array */
carom_status carom_json_close(carom_json *json, carom_error *error); /* ends what is open, a newline; frees */

/* ---- checkpoints ---------------------------------------------------------------------------------------
 * What a sink has written reaches the disk, and the archive keeps where its files stand; a later run goes on from
 * there: the files end as if there had been one run. */
carom_status carom_sink_save(carom_sink *sink, carom_archive *archive); /* a failure: carom_sink_status */
carom_status carom_sink_continue(carom_sink **sink, const char *path, const carom_archive *from,
                                 const carom_model *model, const double *p, const carom_sink_info *info, double every,
                                 carom_error *error);
void carom_sink_forget(const char *path); /* what is kept beside a file for that: its run is complete */

/* ---- columns ------------------------------------------------------------------------------------------- */
/* What a column of a trajectory is, by its name alone. */
typedef enum carom_column_kind {
    CAROM_COLUMN_TIME,
    CAROM_COLUMN_COORDINATE,
    CAROM_COLUMN_VELOCITY,
    CAROM_COLUMN_OUTPUT,
    CAROM_COLUMN_GAP,
    CAROM_COLUMN_MODE,
    CAROM_COLUMN_FORCE,
    CAROM_COLUMN_IMPULSE,
    CAROM_COLUMN_REACTION,
    CAROM_COLUMN_ENERGY
} carom_column_kind;
carom_column_kind carom_columns_kind(const carom_columns *table, int column);

#endif
