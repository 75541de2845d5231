/* Args as SQL values. */
#ifndef TPTUI_SQL_ENGINE_ARG_VALUE_H
#define TPTUI_SQL_ENGINE_ARG_VALUE_H

#include <sqlite3.h>

#include "core/store/args.h"

/* The value with its own type, as extract_arg gives it; JSON is text. */
void arg_result(sqlite3_context *ctx, const struct string_pool *strings, const struct arg *a);
/* The value as text, as the column args.display_value has it. */
void arg_result_display(sqlite3_context *ctx, const struct string_pool *strings,
                        const struct arg *a);

#endif
