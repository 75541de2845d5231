/* Critical paths through wakeups: who kept a thread waiting, and who kept that one waiting.
 *
 * A node is a stretch of one thread's life: it sleeps for idle_dur until ts, when somebody wakes
 * it, then runs (or is able to) for dur. */
#include <stdlib.h>

#include "base/alloc.h"
#include "text/time.h"
#include "sql/engine/family.h"
#include "sql/engine/ptr_table.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"
#include "sql/operators/graph.h"

#define WAKEUPS_TYPE "WAKEUP_GRAPH"

struct wakeup {
    int64_t id, utid;
    int64_t idle_ts, ts, end;
    bool idle_known;       /* else the sleep has no beginning */
    int64_t waker, before; /* ids; meaning nothing unless has_waker, has_before */
    bool has_waker, has_before;
};

struct wakeups {
    VEC(struct wakeup) v;
    struct map by_id;
};

static void free_wakeups(void *p)
{
    struct wakeups *w = p;
    vec_release(&w->v);
    map_release(&w->by_id);
    free(w);
}

static bool is_null(sqlite3_value *v)
{
    return sqlite3_value_type(v) == SQLITE_NULL;
}

/* (id, utid, ts, dur, idle_dur, waker_id, prev_id) */
static void wakeups_step(SQL_FUNCTION_ARGS)
{
    struct wakeups *w = is_null(argv[0]) ? NULL : group_state(ctx, sizeof *w);
    if (!w)
        return;
    struct wakeup n = {
        .id = sqlite3_value_int64(argv[0]),
        .utid = sqlite3_value_int64(argv[1]),
        .ts = sqlite3_value_int64(argv[2]),
        .idle_known = !is_null(argv[4]),
        .waker = sqlite3_value_int64(argv[5]),
        .has_waker = !is_null(argv[5]),
        .before = sqlite3_value_int64(argv[6]),
        .has_before = !is_null(argv[6]),
    };
    if (__builtin_add_overflow(n.ts, sqlite3_value_int64(argv[3]), &n.end) ||
        __builtin_sub_overflow(n.ts, sqlite3_value_int64(argv[4]), &n.idle_ts)) {
        result_error(ctx, "wakeup_graph_agg: ts, dur or idle_dur is out of range");
        return;
    }
    map_set(&w->by_id, (uint64_t)n.id, (uint32_t)w->v.count);
    *vec_push(&w->v) = n;
}

static void wakeups_final(sqlite3_context *ctx)
{
    struct wakeups *w = group_state_made(ctx);
    if (w)
        result_pointer(ctx, w, WAKEUPS_TYPE, free_wakeups);
}

/* A stretch of time of which a node has to give account. */
struct question {
    const struct wakeup *node;
    int64_t from, to;
    int64_t depth; /* wakers between the root and the node */
};

struct walk {
    struct sql_session *session;
    const struct wakeups *wakeups;
    struct table_builder *out;
    VEC(struct question) open;
    uint32_t steps;
};

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Asks another node. Who is asked has to begin before the one that asks, which ends each chain. */
static void ask(struct walk *w, const struct wakeup *asking, int64_t id, struct question q)
{
    const uint32_t *row = map_find(&w->wakeups->by_id, (uint64_t)id);
    if (!row || q.from >= q.to)
        return;
    q.node = &w->wakeups->v.items[*row];
    if (q.node->ts < asking->ts)
        *vec_push(&w->open) = q;
}

static void blame(struct walk *w, const struct wakeup *root, const struct question *q, int64_t from,
                  int64_t to)
{
    if (from >= to)
        return;
    table_builder_row(w->out, cell_int(root->id), cell_int(q->depth), cell_int(from),
                      cell_int(time_minus(to, from)), cell_int(q->node->id),
                      cell_int(q->node->utid), cell_int(root->id));
}

/* Before its sleep the thread's stretch before answers. Of the sleep, the waker; the node itself
 * where nobody is known to have woken it (it slept in the kernel). Of the rest, the node itself. */
static void answer(struct walk *w, const struct wakeup *root, struct question q)
{
    const struct wakeup *n = q.node;
    int64_t idle_from = n->idle_known ? later(q.from, n->idle_ts) : q.from;
    int64_t idle_to = earlier(q.to, earlier(n->ts, n->end));
    if (n->idle_known && n->has_before)
        ask(w, n, n->before,
            (struct question){.from = q.from, .to = earlier(q.to, n->idle_ts), .depth = q.depth});
    if (n->has_waker)
        ask(w, n, n->waker,
            (struct question){.from = idle_from, .to = idle_to, .depth = q.depth + 1});
    else if (n->has_before)
        blame(w, root, &q, idle_from, idle_to);
    blame(w, root, &q, later(q.from, n->ts), earlier(q.to, n->end));
}

static bool walk_root(struct walk *w, int64_t root_id)
{
    const uint32_t *row = map_find(&w->wakeups->by_id, (uint64_t)root_id);
    if (!row)
        return true;
    const struct wakeup *root = &w->wakeups->v.items[*row];
    *vec_push(&w->open) = (struct question){root, root->idle_ts, root->end, 0};
    while (w->open.count > 0) {
        if (session_poll(w->session, &w->steps))
            return false;
        answer(w, root, w->open.items[--w->open.count]);
    }
    return true;
}

/* __intrinsic_critical_path_walk(wakeups, root ids) */
static void fn_walk(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct walk w = {.session = s, .wakeups = pointer_of(argv[0], WAKEUPS_TYPE)};
    const struct int_array *roots = int_array_of_value(argv[1]);
    bool done = true;
    w.out = table_builder_of(&s->trace->strings,
                             "root_id, depth, ts, dur, blocker_id, blocker_utid, parent_id");
    for (size_t i = 0; w.wakeups && roots && i < roots->v.count && done; i++)
        done = walk_root(&w, roots->v.items[i]);
    vec_release(&w.open);
    ptr_table_result(ctx, s, w.out);
}

static const struct native_function functions[] = {
    SQL_AGGREGATE("__intrinsic_wakeup_graph_agg", 7, wakeups),
    SQL_FUNCTION("__intrinsic_critical_path_walk", 2, fn_walk),
    {0},
};

const struct sql_family critical_path_family = {.functions = functions};
