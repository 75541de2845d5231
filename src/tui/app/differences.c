#include "tui/app/differences.h"

#include <stdio.h>

#include "tui/app/loading.h"
#include "tui/app/query_run.h"
#include "tui/app/state.h"

static const struct {
    const char *name, *about, *sql;
} tables[] = {
    {"slices", "how long, how many, median and longest, by process, thread and name",
     "INCLUDE PERFETTO MODULE tptui.diff;\nSELECT * FROM tptui_diff_slices;"},
    {"threads", "CPU time, and how often they were scheduled",
     "INCLUDE PERFETTO MODULE tptui.diff;\nSELECT * FROM tptui_diff_threads;"},
    {"states", "what threads waited for and how long",
     "INCLUDE PERFETTO MODULE tptui.diff;\nSELECT * FROM tptui_diff_states;"},
    {"counters", "mean, smallest and largest value",
     "INCLUDE PERFETTO MODULE tptui.diff;\nSELECT * FROM tptui_diff_counters;"},
};

enum { TABLES = sizeof tables / sizeof *tables };

effects app_list_differences(struct app *a)
{
    static const struct picker_column columns[] = {{"of", 12, false}, {"what differs", 0, false}};
    struct picker *p = &a->picker;
    if (!a->options.pair.b) {
        app_say(a, "one trace alone: tptui diff A B opens two");
        return EFFECT_NONE;
    }
    picker_open(p, PICK_DIFFERENCE, columns, 2, false);
    snprintf(p->title, sizeof p->title, "differences of B from A");
    for (uint32_t i = 0; i < TABLES; i++) {
        struct picker_item *item = picker_add(p, i);
        picker_set(p, item, 0, "%s", tables[i].name);
        picker_set(p, item, 1, "%s", tables[i].about);
    }
    picker_filter(p);
    a->overlay = OVERLAY_PICKER;
    return EFFECT_NONE;
}

effects app_show_difference(struct app *a, uint32_t table)
{
    effects e = query_show(a, tables[table].sql);
    a->query.style.human_durations = true;
    query_run(a, false);
    return e;
}

static uint32_t machine_of_row(uint32_t row, const struct table *t, uint32_t column)
{
    return row < t->rows ? table_u32(t, column)[row] : 0;
}

char app_side(struct app *a, uint32_t node)
{
    const struct track_tree *tree = app_tree(a);
    const struct trace *t = &a->opened->trace;
    const struct tables *tables_of = &t->tables;
    for (; node != NO_NODE; node = tree->nodes.items[node].parent) {
        const struct track_node *n = &tree->nodes.items[node];
        switch (n->kind) {
        case NODE_CPUS:
            return pair_side(t, n->id);
        case NODE_CPU:
            return pair_side(t, timeline_cpu_machine(app_timeline(a), n->id));
        case NODE_PROCESS:
            return pair_side(t, timeline_process_machine(app_timeline(a), n->id));
        case NODE_THREAD:
            return pair_side(t, machine_of_row(n->id, &tables_of->thread, thread_col_machine_id));
        case NODE_COUNTER:
            return pair_side(t, machine_of_row(n->id, &tables_of->track, track_col_machine_id));
        case NODE_TRACKS:
            return pair_side(t, machine_of_row(tree->tracks.items[n->first], &tables_of->track,
                                               track_col_machine_id));
        case NODE_GROUP:
        case NODE_COUNTERS:
        case NODE_DEBUG:
            break;
        }
    }
    return 0;
}

effects app_align(struct app *a)
{
    struct pair_options *p = &a->options.pair;
    int64_t by, shift;
    if (!p->b || a->follow.loading) {
        app_say(a, p->b ? "both are being loaded already" : "one trace alone: tptui diff A B");
        return EFFECT_NONE;
    }
    const struct note *mark = a->notes.count > 0 ? &vec_last(&a->notes) : NULL;
    char here = app_side(a, a->cursor.key.node);
    char there = mark ? app_side(a, mark->cursor.key.node) : 0;
    if (!mark || !here || !there || here == there) {
        app_complain(a, "align: mark an event of the one trace (m), then go to one of the other");
        return EFFECT_NONE;
    }
    int64_t in_a = here == 'A' ? a->cursor.ts : mark->mark.ts;
    int64_t in_b = here == 'B' ? a->cursor.ts : mark->mark.ts;
    if (__builtin_sub_overflow(in_a, in_b, &by) || __builtin_add_overflow(p->shift, by, &shift)) {
        app_complain(a, "these times are too far apart");
        return EFFECT_NONE;
    }
    p->shift = shift;
    p->shifted = true;
    app_load_again(a, in_a);
    app_say(a, "both are loaded anew, aligned");
    return EFFECT_NONE;
}
