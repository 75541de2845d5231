/* Arg sets as JSON. */
#ifndef TPTUI_SQL_EXPORT_ARGS_JSON_H
#define TPTUI_SQL_EXPORT_ARGS_JSON_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

struct sql_session;

/* Appends an arg set as an object, nested as its keys are; false and nothing where it has no args.
 * Without `origins`, "debug." and "args." in front of keys are left out. */
bool args_append_json(sqlite3_str *out, struct sql_session *s, uint32_t set, bool origins);

#endif
