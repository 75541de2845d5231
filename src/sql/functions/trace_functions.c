/* Functions that read the trace: args, bounds. */
#include <stdlib.h>

#include "base/alloc.h"
#include "core/stored_columns.h"
#include "base/hash.h"
#include "core/time.h"
#include "sql/engine/arg_value.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/engine/values.h"

enum { ARG_CACHE = 1 << 12 };

/* Events repeat their arg sets: what extract_arg found last time is kept by set and key. */
struct arg_cache_entry {
    uint32_t set;
    string_id key;
    bool found;
    struct arg value;
};

struct arg_cache {
    struct sql_session *session;
    struct arg_list list;
    uint32_t list_set;
    struct arg_cache_entry entries[ARG_CACHE];
};

static void free_arg_cache(void *p)
{
    struct arg_cache *c = p;
    arg_list_release(&c->list);
    free(c);
}

static void look_up(struct arg_cache *c, struct arg_cache_entry *e)
{
    if (c->list_set != e->set) {
        arg_list_clear(&c->list);
        args_read(&c->session->trace->args, e->set, &c->list);
        c->list_set = e->set;
    }
    e->found = false;
    for (size_t i = 0; i < c->list.v.count && !e->found; i++) {
        if (c->list.v.items[i].key != e->key)
            continue;
        e->found = true;
        e->value = c->list.v.items[i];
    }
}

/* The key's id is kept with the statement where the key is a constant. It is looked up again while
 * unknown: a set that is decoded later may intern it. */
static string_id key_id(sqlite3_context *ctx, struct arg_cache *c, sqlite3_value *key)
{
    void *known = sqlite3_get_auxdata(ctx, 1);
    if (known)
        return (string_id)(uintptr_t)known;
    string_id id = string_pool_lookup(&c->session->trace->strings, value_str(key));
    if (id != NULL_STRING)
        sqlite3_set_auxdata(ctx, 1, (void *)(uintptr_t)id, NULL);
    return id;
}

static void fn_extract_arg(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
    struct arg_cache *c = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        sqlite3_result_error(ctx, "extract_arg: the first argument must be an arg_set_id", -1);
        return;
    }
    if (sqlite3_value_type(argv[1]) != SQLITE_TEXT) {
        sqlite3_result_error(ctx, "extract_arg: the second argument must be a key", -1);
        return;
    }
    int64_t set = sqlite3_value_int64(argv[0]);
    struct args *args = &c->session->trace->args;
    if (set <= 0 || (uint64_t)set > args_count(args))
        return;
    string_id key = key_id(ctx, c, argv[1]);
    if (key == NULL_STRING) {
        struct arg_cache_entry decode = {.set = (uint32_t)set};
        look_up(c, &decode);
        key = key_id(ctx, c, argv[1]);
        if (key == NULL_STRING)
            return;
    }
    uint64_t hash = hash_u64((uint64_t)set << 32 | key);
    struct arg_cache_entry *e = &c->entries[hash >> 52];
    if (e->set != (uint32_t)set || e->key != key) {
        e->set = (uint32_t)set;
        e->key = key;
        look_up(c, e);
    }
    if (e->found)
        arg_result(ctx, &c->session->trace->strings, &e->value);
}

static const struct sql_session *session_of(sqlite3_context *ctx)
{
    return ((const struct arg_cache *)sqlite3_user_data(ctx))->session;
}

static void fn_trace_start(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc, (void)argv;
    const struct sql_session *s = session_of(ctx);
    sqlite3_result_int64(ctx, s->trace->start_ts);
}

static void fn_trace_end(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc, (void)argv;
    const struct sql_session *s = session_of(ctx);
    sqlite3_result_int64(ctx, s->trace->end_ts);
}

static void fn_trace_dur(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc, (void)argv;
    const struct sql_session *s = session_of(ctx);
    sqlite3_result_int64(ctx, time_minus(s->trace->end_ts, s->trace->start_ts));
}

/* slice_is_ancestor(a, b): a is on the way from b to the root. NULL where either does not exist. */
static void fn_slice_is_ancestor(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    (void)argc;
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

static void *make_arg_cache(struct sql_session *s)
{
    struct arg_cache *cache = alloc_array(1, sizeof *cache);
    cache->session = s;
    return cache;
}

static const struct native_function functions[] = {
    {.name = "extract_arg", .argc = 2, .flags = PURE, .call = fn_extract_arg},
    {.name = "trace_start", .argc = 0, .flags = PURE, .call = fn_trace_start},
    {.name = "trace_end", .argc = 0, .flags = PURE, .call = fn_trace_end},
    {.name = "trace_dur", .argc = 0, .flags = PURE, .call = fn_trace_dur},
    {.name = "slice_is_ancestor", .argc = 2, .flags = PURE, .call = fn_slice_is_ancestor},
    {0},
};

const struct sql_family trace_functions_family = {.functions = functions,
                                                  .init = make_arg_cache,
                                                  .release = free_arg_cache};
