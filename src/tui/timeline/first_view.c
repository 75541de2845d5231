#include "tui/timeline/first_view.h"

#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "tui/context/state.h"
#include "tui/timeline/move.h"
#include "tui/timeline/timeline_view.h"

bool app_has_only_profiles(const struct app *a)
{
    const struct tables *t = &a->opened->trace.tables;
    enum { FEW_SLICES = 10 };
    return t->slice.rows < FEW_SLICES && t->sched_slice.rows == 0 &&
           (t->profiler_sample.rows || t->heap_graph_object.rows ||
            t->heap_profile_allocation.rows || t->aggregate_sample.rows);
}

/* The only one of siblings that has events, NO_NODE where several have. */
static uint32_t only_one(const struct track_tree *t, uint32_t first)
{
    uint32_t found = NO_NODE;
    for (uint32_t i = first; i != NO_NODE; i = t->nodes.items[i].next) {
        if (t->nodes.items[i].empty)
            continue;
        if (found != NO_NODE)
            return NO_NODE;
        found = i;
    }
    return found;
}

/* A heading that has all there is opens by itself, and so does what is alone in it. */
static void open_only_heading(struct track_tree *t)
{
    uint32_t node = only_one(t, t->first_root);
    while (node != NO_NODE && t->nodes.items[node].first_child != NO_NODE &&
           t->nodes.items[node].kind != NODE_THREAD) {
        t->nodes.items[node].fold =
            t->nodes.items[node].kind == NODE_PROCESS ? FOLD_ALL : FOLD_OPEN;
        node = only_one(t, t->nodes.items[node].first_child);
    }
}

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
    for (size_t i = 0; i < sizeof labels / sizeof *labels && app_has_only_profiles(a); i++) {
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

/* A part of the trace; `dur` is more than 0. */
struct stretch {
    wide_int start, dur;
};

enum { PARTS = 200 };

/* How many of a table's events begin in each of PARTS equal parts of the stretch. */
static void add_events(struct stretch in, const struct table *t, uint32_t column,
                       uint64_t events[PARTS])
{
    const int64_t *ts = table_i64(t, column);
    if (!t->columns[column].unsorted) {
        uint32_t from = BISECT(mid, 0, t->rows, ts[mid] < in.start);
        for (int i = 0; i < PARTS; i++) {
            wide_int end = in.start + (in.dur * (i + 1) + PARTS - 1) / PARTS;
            uint32_t to = BISECT(mid, from, t->rows, ts[mid] < end);
            events[i] += to - from;
            from = to;
        }
        return;
    }
    for (uint32_t i = 0; i < t->rows; i++)
        if (ts[i] >= in.start && ts[i] < in.start + in.dur)
            events[(ts[i] - in.start) * PARTS / in.dur]++;
}

/* What lasts goes on beyond where it begins, which matters where there is little else. */
static void add_ends(struct stretch in, const struct table *slices, uint64_t events[PARTS])
{
    enum { FEW = 100000 };
    const int64_t *ts = table_i64(slices, slice_col_ts), *dur = table_i64(slices, slice_col_dur);
    for (uint32_t i = 0; i < slices->rows && slices->rows <= FEW; i++) {
        wide_int end = (wide_int)ts[i] + dur[i];
        if (dur[i] > 0 && end > in.start && end <= in.start + in.dur)
            events[(end - 1 - in.start) * PARTS / in.dur]++;
    }
}

/* Where things happen in it: all but its empty ends. */
static struct stretch busy_part(const struct timeline *tl, struct stretch in)
{
    const struct tables *t = &tl->trace->tables;
    uint64_t *events = alloc_array(PARTS, sizeof *events), all = 0;
    add_events(in, &t->slice, slice_col_ts, events);
    add_ends(in, &t->slice, events);
    add_events(in, &t->counter, counter_col_ts, events);
    add_events(in, &t->sched_slice, sched_slice_col_ts, events);
    for (int i = 0; i < PARTS; i++)
        all += events[i];
    int from = 0, to = PARTS;
    for (uint64_t left = all / 100; from < to && events[from] <= left; from++)
        left -= events[from];
    for (uint64_t left = all / 100; to > from && events[to - 1] <= left; to--)
        left -= events[to - 1];
    free(events);
    bool few_counters = t->counter.rows > 0 && all < PARTS; /* whose last values last */
    if (all == 0 || to <= from || few_counters)
        return in;
    wide_int dur = in.dur * (to - from) / PARTS;
    return (struct stretch){in.start + in.dur * from / PARTS, dur > 0 ? dur : 1};
}

/* A few events at the begin of time may make nearly all of the trace empty: what is left of it may
 * be mostly empty, too. A window is shown as it was asked for. */
static void choose_window(struct app *a)
{
    enum { TIMES_MAX = 6 };
    const struct timeline *tl = app_timeline(a);
    const struct stretch whole = {tl->start, (wide_int)tl->end - tl->start};
    struct stretch shown = whole;
    for (int i = 0; i < TIMES_MAX && !tl->trace->is_window; i++) {
        struct stretch part = busy_part(tl, shown);
        if (part.dur > shown.dur / 2)
            break;
        shown = part;
    }
    if (shown.dur == whole.dur) {
        app_set_window(a, whole.start, whole.dur);
        return;
    }
    app_set_window(a, shown.start - shown.dur / 20, shown.dur + shown.dur / 10);
    if (!a->options.place) /* which is gone to next */
        app_say(a, "the window shows where most of the events are; 0 shows the whole trace");
}

static bool first_child_is_process(const struct track_tree *t, uint32_t node)
{
    uint32_t child = t->nodes.items[node].first_child;
    return child != NO_NODE && t->nodes.items[child].kind == NODE_PROCESS;
}

/* Where no process did anything, their memory and other counters are what the trace is about. */
static void open_quiet_processes(struct track_tree *t)
{
    for (uint32_t i = t->first_root; i != NO_NODE; i = t->nodes.items[i].next)
        if (t->nodes.items[i].kind != NODE_GROUP && !t->nodes.items[i].empty)
            return;
    uint32_t node = find_group(t, "Memory");
    if (node != NO_NODE)
        t->nodes.items[node].fold = FOLD_OPEN;
    for (uint32_t i = t->first_root; i != NO_NODE && t->most_memory > 0; i = t->nodes.items[i].next)
        if (first_child_is_process(t, i))
            t->nodes.items[i].fold = FOLD_OPEN;
    if (node != NO_NODE)
        track_tree_put_first(t, node);
}

/* The cursor would show what has no event. */
static uint32_t first_shown(const struct track_tree *t)
{
    uint32_t node = t->first_root;
    while (node != NO_NODE && t->nodes.items[node].empty)
        node = t->nodes.items[node].next;
    return node != NO_NODE ? node : t->first_root;
}

void app_first_view(struct app *a)
{
    put_power_first(a);
    put_profiles_first(a);
    open_only_process(app_tree(a));
    open_only_heading(app_tree(a));
    open_quiet_processes(app_tree(a));
    choose_window(a);
    a->view->cursor =
        (struct timeline_cursor){.key = {.node = first_shown(app_tree(a))},
                                 .ts = a->view->viewport.start + a->view->viewport.dur / 2};
    a->view->goal_ts = a->view->cursor.ts;
}

static size_t count_rows(struct app *a)
{
    struct rows rows = {0};
    const struct rows_input in = {.tl = app_timeline(a),
                                  .tree = app_tree(a),
                                  .viewport = a->view->viewport,
                                  .cursor = a->view->cursor.key};
    rows_build(&rows, &in);
    size_t count = rows.v.count;
    rows_release(&rows);
    return count;
}

/* With what the pane has taken only because no row needed it. */
static size_t room_for_rows(const struct app *a)
{
    return (size_t)(a->layout.tracks_h + a->view->pane_grown);
}

/* False if there is no room for so much of it, or nothing to show. */
static bool open_if_it_fits(struct app *a, uint32_t node, uint32_t shown)
{
    struct track_node *n = &app_tree(a)->nodes.items[node];
    size_t before = a->view->filled.rows, room = a->view->filled.room;
    if (before >= room)
        return false;
    struct track_node was = *n;
    n->fold = FOLD_OPEN;
    n->shown = shown;
    size_t count = count_rows(a);
    if (count > before && count <= room) {
        a->view->filled.rows = count;
        return true;
    }
    *n = was;
    return false;
}

static bool is_folded(const struct track_tree *t, uint32_t node)
{
    return t->nodes.items[node].fold == FOLD_AUTO && !t->nodes.items[node].empty;
}

static void open_whole(struct app *a, uint32_t node)
{
    if (is_folded(app_tree(a), node))
        open_if_it_fits(a, node, SHOWN_ALL);
}

/* As many of a thread's depths as there is room for; of a single one there is none to show. */
static void open_part(struct app *a, uint32_t thread)
{
    if (is_folded(app_tree(a), thread))
        for (uint32_t depths = ROWS_DEPTHS - 1; depths > 1; depths--)
            if (open_if_it_fits(a, thread, depths))
                return;
}

static bool is_open(const struct track_tree *t, uint32_t node)
{
    return t->nodes.items[node].fold == FOLD_OPEN || t->nodes.items[node].fold == FOLD_ALL;
}

/* Where there are no states, an open thread of one depth says what it says folded. */
static bool is_worth_opening(const struct app *a, uint32_t node)
{
    const struct timeline *tl = &a->opened->timeline;
    const struct track_node *n = &a->opened->tree.nodes.items[node];
    if (n->kind != NODE_THREAD || lane_size(&tl->states, n->id) > 0)
        return true;
    uint32_t track = tl->threads[n->id].track;
    return track != NULL_U32 && timeline_track_depths(tl, track) > 1;
}

typedef void open_node(struct app *a, uint32_t node);

/* The stacks of an open process's threads, or of its tracks; the first ones did most. */
static void open_children(struct app *a, uint32_t parent, enum node_kind kind, open_node *open)
{
    const struct track_tree *t = app_tree(a);
    for (uint32_t i = t->nodes.items[parent].first_child; i != NO_NODE; i = t->nodes.items[i].next)
        if (t->nodes.items[i].kind == kind && is_worth_opening(a, i))
            open(a, i);
}

/* The thread of a process that did most; NO_NODE: it has no stack. */
static uint32_t first_thread(const struct app *a, uint32_t process)
{
    const struct track_tree *t = &a->opened->tree;
    uint32_t i = t->nodes.items[process].first_child;
    while (i != NO_NODE && (t->nodes.items[i].kind != NODE_THREAD || t->nodes.items[i].empty))
        i = t->nodes.items[i].next;
    return i != NO_NODE && is_worth_opening(a, i) ? i : NO_NODE;
}

static void open_first_thread(struct app *a, uint32_t process)
{
    uint32_t thread = first_thread(a, process);
    if (!is_open(app_tree(a), process) || thread == NO_NODE)
        return;
    open_whole(a, thread);
    open_part(a, thread);
}

/* The stack that did most goes before the other threads of its process, and the process opens also
 * where there is room for only some of them. */
static void open_first_process(struct app *a, uint32_t process)
{
    struct track_tree *t = app_tree(a);
    uint32_t thread = first_thread(a, process);
    if (!is_folded(t, process))
        return;
    bool whole = open_if_it_fits(a, process, SHOWN_ALL);
    if (whole && thread != NO_NODE)
        open_whole(a, thread);
    if (whole && (thread == NO_NODE || is_open(t, thread)))
        return;
    t->nodes.items[process].fold = FOLD_AUTO;
    t->nodes.items[process].shown = 0;
    a->view->filled.rows = count_rows(a);
    open_if_it_fits(a, process, 1);
}

/* More of the threads of a process that has no room for all. */
static void widen_part(struct app *a, uint32_t process)
{
    const struct track_node *n = &app_tree(a)->nodes.items[process];
    while (n->shown > 0 && n->shown < n->children && open_if_it_fits(a, process, n->shown + 1))
        continue;
}

/* Of processes what did most in each goes before what did less in any. */
static void open_processes(struct app *a)
{
    const struct track_tree *t = app_tree(a);
    uint32_t first = NO_NODE;
    for (uint32_t i = t->first_root; i != NO_NODE; i = t->nodes.items[i].next) {
        if (t->nodes.items[i].kind != NODE_PROCESS)
            continue;
        if (first == NO_NODE)
            open_first_process(a, first = i);
        open_whole(a, i);
        open_first_thread(a, i);
    }
    if (first != NO_NODE)
        widen_part(a, first);
    static const enum node_kind kinds[] = {NODE_THREAD, NODE_TRACKS};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (uint32_t i = t->first_root; i != NO_NODE; i = t->nodes.items[i].next)
            if (t->nodes.items[i].kind == NODE_PROCESS && is_open(t, i))
                open_children(a, i, kinds[k], open_whole);
}

/* Tracks that are filled when they are shown take time where much scheduling was recorded, too. */
static bool is_worth_filling(const struct app *a, uint32_t node)
{
    enum { FEW_SCHED = 1000 };
    const struct track_tree *t = &a->opened->tree;
    uint32_t child = t->nodes.items[node].first_child;
    return a->opened->trace.tables.sched_slice.rows < FEW_SCHED || child == NO_NODE ||
           t->nodes.items[child].kind != NODE_DEBUG ||
           !t->debug.items[t->nodes.items[child].id]->waiting;
}

/* Threads that are of no process may be all there is: they open also where they do not fit. */
static void open_headings(struct app *a)
{
    struct track_tree *t = app_tree(a);
    for (uint32_t i = t->first_root; i != NO_NODE; i = t->nodes.items[i].next) {
        struct track_node *n = &t->nodes.items[i];
        if (n->kind == NODE_PROCESS || n->first_child == NO_NODE || !is_worth_filling(a, i))
            continue;
        open_whole(a, i);
        bool threads = t->nodes.items[n->first_child].kind == NODE_THREAD;
        if (threads && n->fold == FOLD_AUTO && !n->empty &&
            a->view->filled.rows < a->view->filled.room / 2) {
            n->fold = FOLD_OPEN;
            a->view->filled.rows = count_rows(a);
        }
        if (is_open(t, i))
            open_children(a, i, NODE_THREAD, open_whole);
    }
}

/* What is left has room for some of a stack. */
static void open_parts(struct app *a)
{
    const struct track_tree *t = app_tree(a);
    for (uint32_t i = t->first_root; i != NO_NODE; i = t->nodes.items[i].next)
        if (is_open(t, i))
            open_children(a, i, NODE_THREAD, open_part);
}

/* The counters of a process that has nothing else, where its own row does not show its memory. */
static uint32_t only_counters(const struct track_tree *t, uint32_t process)
{
    const struct track_node *n = &t->nodes.items[process];
    if (n->kind != NODE_PROCESS || t->process_memory[n->id] != NO_NODE)
        return NO_NODE;
    uint32_t child = only_one(t, n->first_child);
    return child != NO_NODE && t->nodes.items[child].kind == NODE_COUNTERS ? child : NO_NODE;
}

static void open_counters(struct app *a, uint32_t process, uint32_t counters)
{
    struct track_node *p = &app_tree(a)->nodes.items[process],
                      *c = &app_tree(a)->nodes.items[counters];
    struct track_node process_was = *p, counters_were = *c;
    p->fold = FOLD_ALL;
    p->shown = SHOWN_ALL;
    if (open_if_it_fits(a, counters, SHOWN_ALL))
        return;
    *p = process_was;
    *c = counters_were;
}

/* Tracks under headings and of CPUs, and processes of which only counters are known. */
static void open_rest(struct app *a)
{
    enum { TRIES_MAX = 200 }; /* each counts all rows */
    const struct track_tree *t = app_tree(a);
    for (uint32_t i = 0, tries = 0; i < t->nodes.count && tries < TRIES_MAX; i++) {
        const struct track_node *n = &t->nodes.items[i];
        uint32_t counters = only_counters(t, i);
        bool tracks = n->kind == NODE_TRACKS || n->kind == NODE_CPU;
        if ((!tracks && counters == NO_NODE) || !is_folded(t, i) ||
            (n->parent != NO_NODE && !is_open(t, n->parent)))
            continue;
        tries++;
        if (counters != NO_NODE)
            open_counters(a, i, counters);
        else
            open_whole(a, i);
    }
}

/* Counters that are as high as usual. */
static void find_low_counters(struct app *a, struct rows *rows)
{
    const struct rows_input in = {.tl = app_timeline(a),
                                  .tree = app_tree(a),
                                  .viewport = a->view->viewport,
                                  .cursor = a->view->cursor.key};
    size_t count = 0;
    rows_build(rows, &in);
    for (size_t i = 0; i < rows->v.count; i++) {
        const struct track_node *n = &app_tree(a)->nodes.items[rows->v.items[i].key.node];
        if (n->kind == NODE_COUNTER && n->look.lines <= 1)
            rows->v.items[count++] = rows->v.items[i];
    }
    rows->v.count = count;
}

/* What nothing else needs makes counters higher, most where they are what the trace is about. */
static void raise_counters(struct app *a)
{
    enum { LINES_BESIDE_OTHERS = 3 };
    const struct tables *t = &a->opened->trace.tables;
    struct rows counters = {0};
    size_t before = a->view->filled.rows, room = a->view->filled.room;
    find_low_counters(a, &counters);
    size_t most = t->slice.rows + t->sched_slice.rows > 0 ? LINES_BESIDE_OTHERS : COUNTER_LINES_MAX;
    size_t lines =
        before < room && counters.v.count > 0 ? 1 + (room - before) / counters.v.count : 1;
    lines = lines > most ? most : lines;
    for (size_t i = 0; i < counters.v.count && lines > 1; i++) {
        struct track_node *n = &app_tree(a)->nodes.items[counters.v.items[i].key.node];
        n->look.lines = (uint8_t)lines;
        n->shown = (uint32_t)lines;
    }
    rows_release(&counters);
    if (lines > 1)
        a->view->filled.rows = count_rows(a);
}

/* There may be more room than when it was filled before, or less. */
static void fold_what_filled(struct track_tree *t)
{
    for (uint32_t i = 0; i < t->nodes.count; i++) {
        struct track_node *n = &t->nodes.items[i];
        if (n->shown == 0)
            continue;
        n->fold = FOLD_AUTO;
        n->shown = 0;
        n->look.lines = 0;
    }
}

effects app_fill_screen(struct app *a)
{
    size_t room = room_for_rows(a);
    if (a->layout.tracks_h <= 0 ||
        (room == a->view->filled.room && count_rows(a) == a->view->filled.rows))
        return EFFECT_NONE;
    fold_what_filled(app_tree(a));
    a->view->filled = (struct filled_screen){room, count_rows(a)};
    open_processes(a);
    open_headings(a);
    open_parts(a);
    open_rest(a);
    raise_counters(a);
    return EFFECT_ROWS;
}
