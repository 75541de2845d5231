#include "tui/view/empty_timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/loss.h"
#include "core/trace/trace.h"

enum { NAMED_MAX = 6, LOSS_SIZE = 1024 };

static bool is_dump(const struct table *t, const struct tables *all)
{
    return t == &all->heap_profile || t == &all->heap_graph;
}

static bool has_dumps(const struct trace *trace)
{
    return trace->tables.heap_profile.rows > 0 || trace->tables.heap_graph.rows > 0;
}

/* States of threads and dumps of heaps are drawn, too; of a dump, what is in it. */
bool timeline_is_empty(const struct trace *trace)
{
    const struct tables *all = &trace->tables;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table *t = &tables_array_const(all)[i];
        if (t->rows > 0 && !is_dump(t, all) && table_def_event_time(t->def) > 0)
            return false;
    }
    return trace->tables.thread_state.rows == 0 && trace->tables.heap_graph_object.rows == 0;
}

/* What every trace has: how it was read, and what other tables refer to. */
static bool is_plumbing(const struct table *t, const struct tables *all)
{
    static const char *const keys[] = {"args",
                                       "track",
                                       "cpu",
                                       "stack_profile_callsite",
                                       "stack_profile_frame",
                                       "stack_profile_mapping"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(t->def->key, keys[i]) == 0)
            return true;
#define IS_OF_TRACE(TABLE, sql_name, description, source) || t == &all->TABLE
    bool is_idle_task = t->rows == 1 && (t == &all->process || t == &all->thread);
    return is_idle_task TRACE_TABLES(IS_OF_TRACE);
#undef IS_OF_TRACE
}

static int compare_rows(const void *pa, const void *pb)
{
    const struct table *a = *(const struct table *const *)pa;
    const struct table *b = *(const struct table *const *)pb;
    return a->rows != b->rows ? (a->rows > b->rows ? -1 : 1) : strcmp(a->def->key, b->def->key);
}

/* The tables that have rows, the largest first; how many there are. */
static size_t find_tables(const struct trace *trace, const struct table *found[TABLE_COUNT])
{
    size_t count = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table *t = &tables_array_const(&trace->tables)[i];
        if (t->rows > 0 && !is_plumbing(t, &trace->tables))
            found[count++] = t;
    }
    qsort(found, count, sizeof *found, compare_rows);
    return count;
}

void empty_timeline_print(const struct trace *trace, char *out, size_t size)
{
    const struct table *found[TABLE_COUNT];
    size_t count = find_tables(trace, found);
    char lost[LOSS_SIZE];
    FILE *f = fmemopen(out, size, "w");
    if (!f) {
        out[0] = 0;
        return;
    }
    loss_print(trace, lost, sizeof lost);
    fprintf(f, "Nothing is drawn: %s\n",
            lost[0]            ? "no event with a time could be read."
            : has_dumps(trace) ? "its dumps of heaps have nothing in them."
            : count > 0        ? "no event of this file has a time."
                               : "this file has no events.");
    if (!lost[0])
        loss_print_doubt(trace, lost, sizeof lost);
    if (lost[0])
        fprintf(f, "%s\n", lost);
    if (count > 0)
        fputs("It holds", f);
    for (size_t i = 0; i < count && i < NAMED_MAX; i++)
        fprintf(f, "%s %" PRIu32 " row%s of %s", i == 0 ? "" : ",", found[i]->rows,
                found[i]->rows == 1 ? "" : "s", table_def_published_name(found[i]->def));
    if (count > NAMED_MAX)
        fprintf(f, " and rows of %zu more tables", count - NAMED_MAX);
    fputs(count > 0 ? ".\n" : "It holds no rows but those about itself.\n", f);
    if (trace->tables.aggregate_sample.rows > 0)
        fputs("7 shows its sums as flamegraphs.\n", f);
    fputs("I shows what is known of it, ; asks in SQL.\n", f);
    fclose(f);
}
