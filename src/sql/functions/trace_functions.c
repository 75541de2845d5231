/* Functions that read the trace: args, bounds. */
#include <stdlib.h>

#include "base/alloc.h"
#include "core/trace/settled_args.h"
#include "core/trace/stored_columns.h"
#include "text/time.h"
#include "core/store/arg_cache.h"
#include "sql/engine/arg_value.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/slice_stacks.h"
#include "sql/engine/state_ends.h"
#include "sql/values/values.h"

/* What the functions keep in a session. */
struct reading {
    struct sql_session *session;
    struct arg_cache *args;
};

static void free_reading(void *p)
{
    struct reading *r = p;
    arg_cache_free(r->args);
    free(r);
}

/* The key's id is kept with the statement where the key is a constant. It is looked up again while
 * unknown: a set that is decoded later may intern it. */
static string_id key_id(sqlite3_context *ctx, const struct reading *r, sqlite3_value *key)
{
    void *known = sqlite3_get_auxdata(ctx, 1);
    if (known)
        return (string_id)(uintptr_t)known;
    string_id id = string_pool_lookup(&r->session->trace->strings, value_str(key));
    if (id != NULL_STRING)
        sqlite3_set_auxdata(ctx, 1, (void *)(uintptr_t)id, NULL);
    return id;
}

static void fn_extract_arg(SQL_FUNCTION_ARGS)
{
    const struct reading *r = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        result_error(ctx, "extract_arg: the first argument must be an arg_set_id");
        return;
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_TEXT) {
        result_error(ctx, "extract_arg: the second argument must be a key");
        return;
    }
    int64_t set = sqlite3_value_int64(argv[0]);
    const struct args *args = &r->session->trace->args;
    if (set > args_count(args) && !settled_args_ready(r->session->trace)) {
        result_error(ctx, "%s", settled_args_lost);
        return;
    }
    if (set <= 0 || set > args_count(args))
        return;
    string_id key = key_id(ctx, r, argv[1]);
    if (key == NULL_STRING) {
        (void)arg_cache_find(r->args, (uint32_t)set, NULL_STRING); /* decodes the set */
        key = key_id(ctx, r, argv[1]);
    }
    const struct arg *found =
        key == NULL_STRING ? NULL : arg_cache_find(r->args, (uint32_t)set, key);
    if (found)
        arg_result(ctx, &r->session->trace->strings, found);
}

static const struct sql_session *session_of(sqlite3_context *ctx)
{
    return ((const struct reading *)sqlite3_user_data(ctx))->session;
}

static void fn_trace_start(SQL_FUNCTION_ARGS)
{
    const struct sql_session *s = session_of(ctx);
    sqlite3_result_int64(ctx, s->trace->start_ts);
}

static void fn_trace_end(SQL_FUNCTION_ARGS)
{
    const struct sql_session *s = session_of(ctx);
    sqlite3_result_int64(ctx, s->trace->end_ts);
}

static void fn_trace_dur(SQL_FUNCTION_ARGS)
{
    const struct sql_session *s = session_of(ctx);
    sqlite3_result_int64(ctx, time_minus(s->trace->end_ts, s->trace->start_ts));
}

/* slice_is_ancestor(a, b): a is on the way from b to the root. NULL where either does not exist. */
static void fn_slice_is_ancestor(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "slice_is_ancestor", "ii", argv))
        return;
    const struct sql_session *s = session_of(ctx);
    const struct table *t = &s->trace->tables.slice;
    const uint32_t *parent = table_u32(t, slice_col_parent_id);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL || sqlite3_value_type(argv[1]) == SQLITE_NULL)
        return;
    int64_t ancestor = sqlite3_value_int64(argv[0]), start = sqlite3_value_int64(argv[1]);
    if (!stored_table_ready(s->trace, t))
        return; /* the statement fails for it */
    if (ancestor < 0 || ancestor >= t->rows || start < 0 || start >= t->rows)
        return;
    bool found = false;
    for (uint32_t at = (uint32_t)start, up; (up = parent[at]) < at && !found; at = up)
        found = up == ancestor;
    sqlite3_result_int(ctx, found);
}

/* __intrinsic_thread_state_end(id): when the state ends, also where its duration is not known. */
static void fn_thread_state_end(SQL_FUNCTION_ARGS)
{
    struct reading *r = sqlite3_user_data(ctx);
    int64_t end;
    if (!arguments_known(ctx, "__intrinsic_thread_state_end", "i", argv))
        return;
    const struct state_ends *ends = state_ends_of(r->session);
    if (!ends)
        sqlite3_result_error_nomem(ctx);
    else if (state_end(ends, sqlite3_value_int64(argv[0]), &end))
        sqlite3_result_int64(ctx, end);
}

/* __intrinsic_slice_stack(id): the stack of a slice. */
static void fn_slice_stack(SQL_FUNCTION_ARGS)
{
    struct reading *r = sqlite3_user_data(ctx);
    int64_t id = sqlite3_value_int64(argv[0]);
    if (!arguments_known(ctx, "__intrinsic_slice_stack", "i", argv))
        return;
    const int64_t *stacks = slice_stacks_of(r->session);
    if (!stacks)
        sqlite3_result_error_code(ctx,
                                  session_stopped(r->session) ? SQLITE_INTERRUPT : SQLITE_NOMEM);
    else if (id >= 0 && id < r->session->trace->tables.slice.rows)
        sqlite3_result_int64(ctx, stacks[id]);
}

static void *make_reading(struct sql_session *s)
{
    struct reading *r = alloc_array(1, sizeof *r);
    r->session = s;
    r->args = arg_cache_new(&s->trace->args);
    return r;
}

static const struct native_function functions[] = {
    SQL_PURE("extract_arg", 2, fn_extract_arg),
    SQL_PURE("trace_start", 0, fn_trace_start),
    SQL_PURE("trace_end", 0, fn_trace_end),
    SQL_PURE("trace_dur", 0, fn_trace_dur),
    SQL_PURE("slice_is_ancestor", 2, fn_slice_is_ancestor),
    SQL_PURE("__intrinsic_thread_state_end", 1, fn_thread_state_end),
    SQL_PURE("__intrinsic_slice_stack", 1, fn_slice_stack),
    {0},
};

const struct sql_family trace_functions_family = {.functions = functions,
                                                  .init = make_reading,
                                                  .release = free_reading};
