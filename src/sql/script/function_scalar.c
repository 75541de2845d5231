#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "sql/engine/family.h"
#include "sql/values/values.h"
#include "sql/script/function_body.h"

/* A memoized function's results by its argument. A call of itself that has none yet is noted and
 * gives NULL; the body runs again once that is known: recursion of any depth, one level at a time.
 */
struct function_memo {
    struct map known;   /* argument -> index in `values` */
    struct map started; /* arguments whose body has run, to find those that need themselves */
    VEC(sqlite3_value *) values;
    VEC(int64_t) waiting; /* arguments to be computed, the last first */
    VEC(int64_t) missing; /* those that the body has asked for */
    bool running;
};

struct function_memo *function_memo_new(void)
{
    return alloc_array(1, sizeof(struct function_memo));
}

void function_memo_free(struct function_memo *m)
{
    if (!m)
        return;
    for (size_t i = 0; i < m->values.count; i++)
        sqlite3_value_free(m->values.items[i]);
    vec_release(&m->values);
    vec_release(&m->waiting);
    vec_release(&m->missing);
    map_release(&m->known);
    map_release(&m->started);
    free(m);
}

bool function_memo_runs(const struct function_memo *m)
{
    return m->running;
}

static void result_failure(sqlite3_context *ctx, const struct sql_function *f, int rc)
{
    if (rc == SQLITE_INTERRUPT) {
        sqlite3_result_error_code(ctx, rc);
        return;
    }
    char *message = function_failure(f);
    result_error(ctx, "%s", message);
    sqlite3_free(message);
}

/* What a statement that ended like this means for the function's caller. */
static void report(sqlite3_context *ctx, const struct sql_function *f, int rc)
{
    if (rc == SQLITE_ROW) {
        result_error(ctx, "function %s: its SELECT gives more than one row", f->name);
    } else if (rc != SQLITE_DONE) {
        result_failure(ctx, f, rc);
    }
}

/* Runs the body for one argument; `*out` is owned by the caller. */
static int run_for(struct sql_function *f, int64_t argument, sqlite3_value **out)
{
    struct function_body b;
    int rc = function_body_take(f, 1, &b);
    if (rc != SQLITE_OK)
        return rc;
    if (b.binds[0])
        sqlite3_bind_int64(b.stmt, b.binds[0], argument);
    rc = session_step(f->session, b.stmt);
    if (rc == SQLITE_ROW) {
        *out = sqlite3_value_dup(sqlite3_column_value(b.stmt, 0));
        rc = session_step(f->session, b.stmt);
    }
    function_body_give_back(f, b);
    return rc;
}

/* The last of those that wait: its value, or what has to be computed before it. */
static int advance(sqlite3_context *ctx, struct sql_function *f)
{
    struct function_memo *m = f->memo;
    int64_t argument = vec_last(&m->waiting);
    sqlite3_value *value = NULL;
    if (map_find(&m->known, (uint64_t)argument)) {
        m->waiting.count--;
        return SQLITE_OK;
    }
    m->missing.count = 0;
    map_set(&m->started, (uint64_t)argument, 1);
    m->running = true;
    int rc = run_for(f, argument, &value);
    m->running = false;
    if (rc == SQLITE_DONE && m->missing.count == 0) {
        map_set(&m->known, (uint64_t)argument, (uint32_t)m->values.count);
        *vec_push(&m->values) = value;
        return SQLITE_OK;
    }
    sqlite3_value_free(value);
    if (rc != SQLITE_DONE) {
        report(ctx, f, rc);
        return SQLITE_ERROR;
    }
    for (size_t i = 0; i < m->missing.count; i++) {
        if (map_find(&m->started, (uint64_t)m->missing.items[i])) {
            result_error(ctx, "function %s: its value for %lld needs itself", f->name,
                         (long long)m->missing.items[i]);
            return SQLITE_ERROR;
        }
        *vec_push(&m->waiting) = m->missing.items[i];
    }
    return SQLITE_OK;
}

static void call_memoized(sqlite3_context *ctx, struct sql_function *f, int64_t argument)
{
    struct function_memo *m = f->memo;
    if (m->running) {
        const uint32_t *known = map_find(&m->known, (uint64_t)argument);
        if (known && m->values.items[*known])
            result_value(ctx, m->values.items[*known]);
        else if (!known)
            *vec_push(&m->missing) = argument;
        return;
    }
    m->waiting.count = 0;
    map_release(&m->started);
    *vec_push(&m->waiting) = argument;
    while (m->waiting.count > 0)
        if (advance(ctx, f) != SQLITE_OK)
            return;
    const uint32_t *known = map_find(&m->known, (uint64_t)argument);
    if (known && m->values.items[*known])
        result_value(ctx, m->values.items[*known]);
}

void function_call_scalar(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct sql_function *f = sqlite3_user_data(ctx);
    char *problem = function_check_arguments(f, argc, argv);
    if (problem) {
        result_error(ctx, "%s", problem);
        sqlite3_free(problem);
        return;
    }
    if (f->memo && sqlite3_value_type(argv[0]) == SQLITE_INTEGER) {
        call_memoized(ctx, f, sqlite3_value_int64(argv[0]));
        return;
    }
    struct function_body b;
    int rc = function_body_take(f, argc, &b);
    if (rc != SQLITE_OK) {
        result_failure(ctx, f, rc);
        return;
    }
    function_body_bind(&b, argc, argv);
    rc = session_step(f->session, b.stmt);
    if (rc == SQLITE_ROW) {
        result_value(ctx, sqlite3_column_value(b.stmt, 0));
        rc = session_step(f->session, b.stmt);
    }
    report(ctx, f, rc);
    function_body_give_back(f, b);
}
