#include "sql/values/values.h"

#include <stdarg.h>
#include <stdlib.h>

#include "base/alloc.h"

bool values_same(sqlite3_value *a, sqlite3_value *b)
{
    int type = sqlite3_value_type(a);
    if (type != sqlite3_value_type(b))
        return false;
    if (type == SQLITE_INTEGER)
        return sqlite3_value_int64(a) == sqlite3_value_int64(b);
    if (type == SQLITE_FLOAT)
        return sqlite3_value_double(a) == sqlite3_value_double(b);
    return type == SQLITE_NULL || str_eq(value_str(a), value_str(b));
}

bool values_are_texts(int count, sqlite3_value **values)
{
    for (int i = 0; i < count; i++)
        if (sqlite3_value_type(values[i]) != SQLITE_TEXT)
            return false;
    return true;
}

void result_error(sqlite3_context *ctx, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *message = sqlite3_vmprintf(format, args);
    va_end(args);
    sqlite3_result_error(ctx, message ? message : "out of memory", -1);
    sqlite3_free(message);
}

void result_built(sqlite3_context *ctx, sqlite3_str *text)
{
    int n = sqlite3_str_length(text), rc = sqlite3_str_errcode(text);
    char *bytes = sqlite3_str_finish(text);
    if (bytes && rc == SQLITE_OK) {
        sqlite3_result_text(ctx, bytes, n, sqlite3_free);
        return;
    }
    sqlite3_free(bytes);
    if (rc == SQLITE_OK)
        sqlite3_result_text(ctx, "", 0, SQLITE_STATIC);
    else
        sqlite3_result_error_code(ctx, rc);
}

void result_failed(sqlite3_context *ctx, struct status status)
{
    if (status.code == STATUS_CANCELLED)
        sqlite3_result_error_code(ctx, SQLITE_INTERRUPT);
    else
        sqlite3_result_error(ctx, status.message, -1);
    status_release(&status);
}

const char *value_type_name(int type)
{
    static const char *const names[] = {
        [SQLITE_INTEGER] = "LONG", [SQLITE_FLOAT] = "DOUBLE", [SQLITE_TEXT] = "STRING",
        [SQLITE_BLOB] = "BYTES",   [SQLITE_NULL] = "NULL",
    };
    return names[type];
}

struct argument_kind {
    char letter;
    const char *name;
    int types[2]; /* besides NULL */
};

bool arguments_fit(sqlite3_context *ctx, const char *function, const char *kinds,
                   sqlite3_value **argv)
{
    static const struct argument_kind all[] = {
        {'i', "LONG", {SQLITE_INTEGER, SQLITE_INTEGER}},
        {'n', "a number", {SQLITE_INTEGER, SQLITE_FLOAT}},
        {'t', "STRING", {SQLITE_TEXT, SQLITE_TEXT}},
        {'b', "BYTES", {SQLITE_BLOB, SQLITE_TEXT}},
    };
    for (int i = 0; kinds[i]; i++) {
        int type = sqlite3_value_type(argv[i]);
        size_t k = 0;
        while (all[k].letter != kinds[i])
            k++;
        if (type == SQLITE_NULL || type == all[k].types[0] || type == all[k].types[1])
            continue;
        result_error(ctx, "%s: argument %d must be %s, not %s", function, i + 1, all[k].name,
                     value_type_name(type));
        return false;
    }
    return true;
}

bool arguments_known(sqlite3_context *ctx, const char *function, const char *kinds,
                     sqlite3_value **argv)
{
    bool known = arguments_fit(ctx, function, kinds, argv);
    for (int i = 0; kinds[i]; i++)
        known = known && sqlite3_value_type(argv[i]) != SQLITE_NULL;
    return known;
}

#define SHARED_TYPE "tptui"

/* What SQLite is given for any pointer: it copies pointers without asking their owner. */
struct shared {
    void *p;
    const char *type;
    void (*release)(void *);
    int values;
};

static void unshare(void *pointer)
{
    struct shared *s = pointer;
    if (--s->values > 0)
        return;
    s->release(s->p);
    free(s);
}

static struct shared *share(void *p, const char *type, void (*release)(void *))
{
    struct shared *s = alloc_array(1, sizeof *s);
    *s = (struct shared){p, type, release, 1};
    return s;
}

void result_pointer(sqlite3_context *ctx, void *p, const char *type, void (*release)(void *))
{
    sqlite3_result_pointer(ctx, share(p, type, release), SHARED_TYPE, unshare);
}

int bind_pointer(sqlite3_stmt *stmt, int i, void *p, const char *type, void (*release)(void *))
{
    return sqlite3_bind_pointer(stmt, i, share(p, type, release), SHARED_TYPE, unshare);
}

void *pointer_of(sqlite3_value *v, const char *type)
{
    struct shared *s = sqlite3_value_pointer(v, SHARED_TYPE);
    return s && !alloc_is_low() && strcmp(s->type, type) == 0 ? s->p : NULL;
}

void *group_state(sqlite3_context *ctx, size_t size)
{
    void **state = sqlite3_aggregate_context(ctx, sizeof *state);
    if (state && !*state)
        *state = alloc_array(1, size);
    return state ? *state : NULL;
}

void *group_state_made(sqlite3_context *ctx)
{
    void **state = sqlite3_aggregate_context(ctx, 0);
    return state ? *state : NULL;
}

void result_value(sqlite3_context *ctx, sqlite3_value *v)
{
    struct shared *s = sqlite3_value_pointer(v, SHARED_TYPE);
    if (!s) {
        sqlite3_result_value(ctx, v);
        return;
    }
    s->values++;
    sqlite3_result_pointer(ctx, s, SHARED_TYPE, unshare);
}

int bind_value(sqlite3_stmt *stmt, int i, sqlite3_value *v)
{
    struct shared *s = sqlite3_value_pointer(v, SHARED_TYPE);
    if (!s)
        return sqlite3_bind_value(stmt, i, v);
    s->values++;
    return sqlite3_bind_pointer(stmt, i, s, SHARED_TYPE, unshare);
}

#define VOID_TYPE "VOID"

void result_void(sqlite3_context *ctx)
{
    static char nothing;
    sqlite3_result_pointer(ctx, &nothing, VOID_TYPE, NULL);
}

bool value_is_void(sqlite3_value *v)
{
    return sqlite3_value_pointer(v, VOID_TYPE) != NULL;
}
