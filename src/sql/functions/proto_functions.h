/* Protobuf messages built by SQL: one function a message, Message('field', value, ...), and
 * RepeatedField, an aggregate. What they return is a ProtoBuilderResult (sql_values.proto).
 *
 * There are thousands: a message's function is made when a statement names it. */
#ifndef TPTUI_SQL_FUNCTIONS_PROTO_FUNCTIONS_H
#define TPTUI_SQL_FUNCTIONS_PROTO_FUNCTIONS_H

#include <sqlite3.h>

#include "parsers/proto/write.h"

/* The message becomes a function's result, and is empty then. */
static inline void result_bytes(sqlite3_context *ctx, struct pb_bytes *b)
{
    if (b->v.items) /* also of none, see vec_append */
        sqlite3_result_blob64(ctx, b->v.items, b->v.count, free);
    else
        sqlite3_result_zeroblob(ctx, 0);
    *b = (struct pb_bytes){0};
}

/* The parts of what a message's function gives: its full name and its bytes, which point into
 * `result`. False where that is something else. */
bool built_message(struct str result, struct str *type, struct str *bytes);

/* The elements of a RepeatedField of integers, appended to `out`. False where the bytes are not
 * that; no bytes are an empty field. */
struct int_list {
    VEC(int64_t) v;
};
bool repeated_field_ints(struct str bytes, struct int_list *out);

#endif
