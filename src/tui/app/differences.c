#include "tui/app/differences.h"

#include <stdio.h>

#include "tui/app/loading.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"
#include "tui/timeline/side.h"
#include "tui/timeline/timeline_view.h"

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
    a->query->style.human_durations = true;
    query_run(a, false);
    return e;
}

effects app_align(struct app *a)
{
    struct pair_options *p = &a->options.pair;
    int64_t by, shift;
    if (!p->b || a->loading_next) {
        app_say(a, p->b ? "both are being loaded already" : "one trace alone: tptui diff A B");
        return EFFECT_NONE;
    }
    const struct note *mark = a->view->notes.count > 0 ? &vec_last(&a->view->notes) : NULL;
    char here = app_side(a, a->view->cursor.key.node);
    char there = mark ? app_side(a, mark->cursor.key.node) : 0;
    if (!mark || !here || !there || here == there) {
        app_complain(a, "align: mark an event of the one trace (m), then go to one of the other");
        return EFFECT_NONE;
    }
    int64_t in_a = here == 'A' ? a->view->cursor.ts : mark->mark.ts;
    int64_t in_b = here == 'B' ? a->view->cursor.ts : mark->mark.ts;
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
