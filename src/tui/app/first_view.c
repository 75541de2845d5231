#include "tui/app/first_view.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "tui/app/move.h"
#include "tui/app/state.h"

/* A process that is alone opens by itself. */
static void open_only_process(struct track_tree *t)
{
    uint32_t found = NO_NODE, processes = 0;
    for (uint32_t i = t->first_root; i != NO_NODE; i = t->nodes.items[i].next)
        if (t->nodes.items[i].kind == NODE_PROCESS && !t->nodes.items[i].empty) {
            found = i;
            processes++;
        }
    if (processes == 1)
        t->nodes.items[found].fold = FOLD_OPEN;
}

static uint64_t steps_below(const struct app *a, uint32_t node)
{
    const struct track_tree *t = &a->opened->tree;
    uint64_t steps = 0;
    for (uint32_t i = node; i < t->nodes.count; i++)
        if (t->nodes.items[i].kind == NODE_COUNTER && track_tree_is_within(t, i, node))
            steps += timeline_track_steps(&a->opened->timeline, t->nodes.items[i].id);
    return steps;
}

/* The heading of that name at the root, NO_NODE if none. */
static uint32_t find_group(const struct track_tree *t, const char *label)
{
    uint32_t node = t->first_root;
    while (node != NO_NODE && (t->nodes.items[node].kind != NODE_GROUP ||
                               strcmp(t->nodes.items[node].label, label) != 0))
        node = t->nodes.items[node].next;
    return node;
}

/* The samples and heaps of a trace with little else. */
static void put_profiles_first(struct app *a)
{
    static const char *const labels[] = {"Heaps", "CPU samples"};
    struct track_tree *t = app_tree(a);
    for (size_t i = 0; i < sizeof labels / sizeof *labels && flame_is_all(a); i++) {
        uint32_t node = find_group(t, labels[i]);
        if (node == NO_NODE)
            continue;
        track_tree_put_first(t, node);
        t->nodes.items[node].fold = FOLD_OPEN;
    }
}

/* The rails and the battery of a trace with few slices are what it is about. */
static void put_power_first(struct app *a)
{
    enum { SLICES_PER_STEP = 4 };
    struct track_tree *t = app_tree(a);
    uint32_t node = find_group(t, "Power");
    if (node == NO_NODE)
        return;
    uint64_t steps = steps_below(a, node), slices = a->opened->trace.tables.slice.rows;
    if (steps == 0 || slices > steps * SLICES_PER_STEP)
        return;
    track_tree_put_first(t, node);
    t->nodes.items[node].fold = FOLD_OPEN;
}

/* How many of a table's events begin in each of `parts` equal parts of the trace. */
static void add_events(const struct timeline *tl, const struct table *t, uint32_t column,
                       uint64_t *events, int parts)
{
    const int64_t *ts = table_i64(t, column);
    wide_int whole = (wide_int)tl->end - tl->start;
    if (!t->columns[column].unsorted) {
        uint32_t from = BISECT(mid, 0, t->rows, ts[mid] < tl->start);
        for (int i = 0; i < parts; i++) {
            int64_t end = (int64_t)(tl->start + (whole * (i + 1) + parts - 1) / parts);
            uint32_t to = BISECT(mid, from, t->rows, ts[mid] < end);
            events[i] += to - from;
            from = to;
        }
        return;
    }
    for (uint32_t i = 0; i < t->rows; i++)
        if (ts[i] >= tl->start && ts[i] < tl->end)
            events[(wide_int)(ts[i] - tl->start) * parts / whole]++;
}

/* Where things happen: all but the empty ends of the trace, if those are most of it. */
static void choose_window(struct app *a)
{
    enum { PARTS = 200 };
    const struct timeline *tl = app_timeline(a);
    const struct tables *t = &tl->trace->tables;
    wide_int whole = (wide_int)tl->end - tl->start;
    uint64_t *events = alloc_array(PARTS, sizeof *events), all = 0;
    add_events(tl, &t->slice, slice_col_ts, events, PARTS);
    add_events(tl, &t->counter, counter_col_ts, events, PARTS);
    add_events(tl, &t->sched_slice, sched_slice_col_ts, events, PARTS);
    for (int i = 0; i < PARTS; i++)
        all += events[i];
    int from = 0, to = PARTS;
    for (uint64_t left = all / 100; from < to && events[from] <= left; from++)
        left -= events[from];
    for (uint64_t left = all / 100; to > from && events[to - 1] <= left; to--)
        left -= events[to - 1];
    free(events);
    if (all == 0 || to - from > PARTS / 2 || to <= from) {
        app_set_window(a, tl->start, whole);
        return;
    }
    wide_int start = tl->start + whole * from / PARTS, dur = whole * (to - from) / PARTS;
    app_set_window(a, start - dur / 20, dur + dur / 10);
    app_say(a, "the window shows where most of the events are; 0 shows the whole trace");
}

void app_first_view(struct app *a)
{
    put_power_first(a);
    put_profiles_first(a);
    open_only_process(app_tree(a));
    choose_window(a);
    a->cursor = (struct timeline_cursor){.key = {.node = app_tree(a)->first_root},
                                         .ts = a->viewport.start + a->viewport.dur / 2};
    a->goal_ts = a->cursor.ts;
}
