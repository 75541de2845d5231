/* Arg sets as JSON. */
#ifndef TPTUI_SQL_EXPORT_ARGS_JSON_H
#define TPTUI_SQL_EXPORT_ARGS_JSON_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct sql_session;

enum args_json_style {
    /* As Trace Processor's function writes: reals with six decimals, those that are no numbers as
     * "NaN", "Infinity" and "-Infinity". */
    ARGS_JSON_OF_QUERY,
    /* As Chrome's traces have them: without "debug." and "args." in front of keys, reals exact,
     * null for those that are no numbers. */
    ARGS_JSON_OF_CHROME,
};

/* Appends an arg set as an object, nested as its keys are; false and nothing where it has no
 * args. */
bool args_append_json(sqlite3_str *out, struct sql_session *s, uint32_t set,
                      enum args_json_style style);

#endif
