#include "cli/batch/batch_explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "cli/batch/batch_rows.h"
#include "text/time.h"
#include "explain/report.h"

/* ---- of one trace ---- */

#define CAUSE_COLUMNS(X)                                                                           \
    X(key) X(level) X(count) X(cost_ns) X(share) X(certain) X(symptom) X(cause) X(place)
#define COLUMN_ID(name)   COL_##name,
#define COLUMN_NAME(name) #name,
enum { CAUSE_COLUMNS(COLUMN_ID) COL_COUNT };
static const char *const column_names[] = {CAUSE_COLUMNS(COLUMN_NAME)};

static struct sql_value int_value(int64_t i)
{
    return (struct sql_value){.type = SQL_INT, .i = i};
}

static struct sql_value text_value(struct str s)
{
    return (struct sql_value){.type = SQL_TEXT, .s = s};
}

static bool put_problem(const struct sql_sink *sink, const struct problem *p)
{
    char *place = report_text_of(p, report_place);
    struct sql_value row[COL_COUNT] = {
        [COL_key] = text_value(p->key),
        [COL_level] = int_value(p->level),
        [COL_count] = int_value(p->count),
        [COL_cost_ns] = int_value(p->cost),
        [COL_share] = int_value(p->share),
        [COL_certain] = int_value(p->is_certain),
        [COL_symptom] = text_value(p->worst->rule->name),
        [COL_cause] = text_value(p->cause),
        [COL_place] = text_value(str_from(place)),
    };
    bool takes = sink->row(sink->self, COL_COUNT, row);
    free(place);
    return takes;
}

struct status batch_explain(const struct sql_sink *sink)
{
    struct explanation e;
    struct status s =
        explain_trace(&e, workspace_trace(), workspace_session(), &(struct explain_request){0});
    if (status_ok(s) && sink_begin(sink, COL_COUNT, column_names)) {
        bool takes = true;
        for (size_t i = 0; i < e.problems.count && takes; i++)
            takes = put_problem(sink, &e.problems.items[i]);
        if (takes)
            sink_end(sink);
    }
    explanation_release(&e);
    return s;
}

/* ---- of all ---- */

struct cause {
    struct str key;
    enum explain_level level; /* the worst */
    int64_t traces, count, cost;
    double rank; /* the cost, as far as it is explained */
    /* Where it cost most. */
    int64_t most, certain;
    struct str symptom, cause, place;
    const struct batch_task *trace;
};

struct batch_causes {
    VEC(struct cause) v;
    struct map by_key;
    struct arena arena;
    const struct batch_task *task; /* whose rows come */
    int64_t explained;             /* traces */
};

struct batch_causes *batch_causes_new(void)
{
    struct batch_causes *c = alloc_array(1, sizeof *c);
    arena_init(&c->arena);
    return c;
}

void batch_causes_free(struct batch_causes *c)
{
    vec_release(&c->v);
    map_release(&c->by_key);
    arena_release(&c->arena);
    free(c);
}

static struct cause *find_cause(struct batch_causes *c, struct str key)
{
    bool is_new;
    for (uint64_t hash = hash_bytes(key.p, key.n, 0);; hash++) {
        uint32_t *at = map_insert(&c->by_key, hash, &is_new);
        if (is_new) {
            *at = (uint32_t)c->v.count;
            *vec_push(&c->v) =
                (struct cause){.key = arena_copy(&c->arena, key), .level = LEVEL_NOTE, .most = -1};
        }
        if (str_eq(c->v.items[*at].key, key))
            return &c->v.items[*at];
    }
}

static bool take_row(void *self, int columns, const struct sql_value *values)
{
    struct batch_causes *all = self;
    if (columns != COL_COUNT)
        return false;
    struct cause *c = find_cause(all, values[COL_key].s);
    enum explain_level level = (enum explain_level)values[COL_level].i;
    int64_t cost = values[COL_cost_ns].i;
    c->level = level < c->level ? level : c->level;
    c->traces++;
    c->count += values[COL_count].i;
    c->cost = time_plus(c->cost, cost);
    c->rank += (double)cost * (double)values[COL_share].i;
    if (cost > c->most) {
        c->most = cost;
        c->certain = values[COL_certain].i;
        c->symptom = arena_copy(&all->arena, values[COL_symptom].s);
        c->cause = arena_copy(&all->arena, values[COL_cause].s);
        c->place = arena_copy(&all->arena, values[COL_place].s);
        c->trace = all->task;
    }
    return true;
}

static bool add(void *self, const struct batch_task *task, struct status *error)
{
    struct batch_causes *c = self;
    struct sql_sink sink = {.row = take_row, .self = c};
    c->task = task;
    *error = batch_rows_read(task->rows, &sink);
    c->explained += status_ok(*error);
    return true;
}

struct batch_output batch_causes_output(struct batch_causes *c)
{
    return (struct batch_output){add, c};
}

static int compare_causes(const void *a, const void *b)
{
    const struct cause *x = a, *y = b;
    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    if (x->rank != y->rank)
        return x->rank > y->rank ? -1 : 1;
    return strcmp(x->key.p, y->key.p); /* arena_copy ends it */
}

void batch_causes_finish(struct batch_causes *c, struct batch_sink *sink)
{
    static const char *const names[] = {"level",   "traces",  "of",    "problems", "cost_ms",
                                        "certain", "symptom", "cause", "place"};
    enum { COLUMNS = sizeof names / sizeof *names };
    if (c->v.count > 1)
        qsort(c->v.items, c->v.count, sizeof *c->v.items, compare_causes);
    bool takes = batch_sink_begin(sink, COLUMNS, names);
    for (size_t i = 0; i < c->v.count && takes; i++) {
        const struct cause *p = &c->v.items[i];
        struct sql_value row[COLUMNS] = {
            text_value(str_from(explain_level_word(p->level))),
            int_value(p->traces),
            int_value(c->explained),
            int_value(p->count),
            {.type = SQL_REAL, .d = (double)p->cost / 1e6},
            int_value(p->certain),
            text_value(p->symptom),
            text_value(p->cause),
            text_value(p->place),
        };
        takes = batch_sink_row(sink, p->trace, COLUMNS, row);
    }
}
