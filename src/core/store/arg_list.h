/* Args, the keys and values of events, tracks and others, while they are collected or read. */
#ifndef TPTUI_CORE_STORE_ARG_LIST_H
#define TPTUI_CORE_STORE_ARG_LIST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "core/store/string_pool.h"

enum arg_type {
    ARG_NULL,
    ARG_INT,
    ARG_UINT,
    ARG_STRING,
    ARG_REAL,
    ARG_POINTER,
    ARG_BOOL,
    ARG_JSON
};

const char *arg_type_name(enum arg_type type); /* "int", "uint", "string", "real", ... as in SQL */

/* `flat_key` is the path without array indexes ("a.b"), `key` with them ("a[0].b"). */
struct arg {
    string_id flat_key, key;
    enum arg_type type;
    bool is_default; /* the message has no such field: its default value */
    union {
        int64_t i; /* INT, UINT (same bits), POINTER, BOOL */
        double d;
        string_id s; /* STRING, JSON */
    };
};

/* A list of args under construction; keep one and clear it instead of making new ones. */
struct arg_list {
    VEC(struct arg) v;
};

void arg_list_release(struct arg_list *list);
static inline void arg_list_clear(struct arg_list *list)
{
    list->v.count = 0;
}
void arg_list_add(struct arg_list *list, struct arg a);
void arg_list_int(struct arg_list *list, string_id key, int64_t v);
void arg_list_uint(struct arg_list *list, string_id key, uint64_t v);
void arg_list_str(struct arg_list *list, string_id key, string_id v);
void arg_list_real(struct arg_list *list, string_id key, double v);
void arg_list_bool(struct arg_list *list, string_id key, bool v);
void arg_list_pointer(struct arg_list *list, string_id key, uint64_t v);
void arg_list_append(struct arg_list *list, const struct arg_list *other);
/* Of args from `from` on with the same key, only the last stays, in the place of the first: a value
 * set again replaces the one before. */
void arg_list_drop_replaced(struct arg_list *list, size_t from);
/* Whether that may drop any; of long lists it always may. */
bool arg_list_may_have_replaced(const struct arg_list *list);

#endif
