/* Events of ftrace as they were recorded: rows of the table ftrace_event, on a track for each CPU.
 * Most of them are shown as something else already, and there are many: their tracks are filled
 * when they are shown first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/ftrace_rows.h"
#include "core/trace/settled_args.h"
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "tui/view/track_tree.h"

static const struct table *events(const struct timeline *tl)
{
    return ftrace_rows_ready(tl->trace);
}

static uint32_t ftrace_cpu(const struct timeline *tl, uint32_t row)
{
    return table_small(events(tl), ftrace_event_col_ucpu, row);
}

static struct str ftrace_name(const struct timeline *tl, uint32_t row)
{
    return timeline_str(tl, column_str(&events(tl)->columns[ftrace_event_col_name], row));
}

enum { CPU_LIMIT = CPUS_PER_MACHINE * CPU_MACHINES_MAX };

static void see_cpu(void *self, uint32_t ucpu)
{
    bool *seen = self;
    if (ucpu < CPU_LIMIT)
        seen[ucpu] = true;
}

static void add_ftrace_tracks(struct tree_builder *b, const struct timeline *tl)
{
    if (tl->trace->tables.ftrace_event.rows == 0)
        return;
    bool *seen = alloc_array(CPU_LIMIT, sizeof *seen);
    ftrace_rows_cpus(tl->trace, see_cpu, seen);
    for (uint32_t cpu = 0; cpu < CPU_LIMIT; cpu++) {
        char name[CPU_NAME_MAX], label[CPU_NAME_MAX + 8];
        if (!seen[cpu])
            continue;
        timeline_cpu_name(tl, cpu, name);
        snprintf(label, sizeof label, "CPU %s", name);
        struct debug_track *d = debug_track_new(label, &ftrace_events);
        d->source = cpu;
        d->waiting = true;
        debug_track_finish(d, tl->end);
        track_tree_add_own(b, "Ftrace events", d);
    }
    free(seen);
}

/* One index for all CPUs, of which each track shows a lane: a pass for each of them would go
 * through the table as often as there are CPUs. */
static void load_ftrace_tracks(struct track_tree *tree, const struct timeline *tl)
{
    uint32_t rows = events(tl)->rows, lanes = 0;
    uint32_t *lane_of_cpu = alloc_array(CPU_LIMIT, sizeof *lane_of_cpu);
    uint32_t *lane_of = alloc_array((size_t)rows + 1, sizeof *lane_of);
    memset(lane_of_cpu, 0xFF, CPU_LIMIT * sizeof *lane_of_cpu); /* NULL_U32 */
    for (size_t i = 0; i < tree->debug.count; i++)
        if (tree->debug.items[i]->kind == &ftrace_events)
            lane_of_cpu[tree->debug.items[i]->source] = lanes++;
    for (uint32_t i = 0; i < rows; i++)
        lane_of[i] = ftrace_cpu(tl, i) < CPU_LIMIT ? lane_of_cpu[ftrace_cpu(tl, i)] : NULL_U32;
    struct shared_lanes *all =
        shared_lanes_of_instants(lane_of, lanes, rows, table_i64(events(tl), ftrace_event_col_ts),
                                 tl->end);
    for (size_t i = 0; i < tree->debug.count; i++)
        if (tree->debug.items[i]->kind == &ftrace_events)
            debug_track_share(tree->debug.items[i], all, lane_of_cpu[tree->debug.items[i]->source]);
    shared_lanes_release(all);
    free(lane_of_cpu);
    free(lane_of);
}

static void print_ftrace_name(const struct timeline *tl, const struct track_tree *tree,
                              struct event_ref e, char *out, size_t size)
{
    struct str name = ftrace_name(tl, e.row);
    (void)tree;
    str_copy(name, out, size);
}

static uint32_t ftrace_args(const struct timeline *tl, const struct track_tree *tree,
                            struct event_ref e)
{
    (void)tree;
    return settled_args_of(tl->trace, &events(tl)->columns[ftrace_event_col_arg_set_id], e.row);
}

static bool paint_ftrace(const struct scene *s, const struct event_source *source, uint32_t row,
                         struct event_paint *out)
{
    (void)source;
    out->label = ftrace_name(s->tl, row);
    out->role = out->label_role = slice_role(out->label);
    return true;
}

static void add_ftrace_details(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    uint32_t row = in->cursor.event.row, utid = table_small(events(tl), ftrace_event_col_utid, row);
    char cpu[CPU_NAME_MAX];
    timeline_cpu_name(tl, ftrace_cpu(tl, row), cpu);
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG, ftrace_name(tl, row));
    details_put(d, &d->left, ROLE_DIM, "  #%u", row);
    details_put(d, &d->left, ROLE_KEY, "  CPU ");
    details_put(d, &d->left, ROLE_VALUE, "%s", cpu);
    int64_t ts = table_i64(events(tl), ftrace_event_col_ts)[row];
    details_put_times(d, tl, ts, ts);
    if (utid < tl->trace->tables.thread.rows) {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "thread ");
        details_put_thread(d, &d->left, tl, utid);
        details_put_process(d, &d->left, tl, timeline_upid(tl, utid), details_left_width(in));
    }
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_DIM, "2: its args   8: the events of all CPUs around it");
}

const struct event_kind ftrace_events = {
    .shows = (const char *const[]){"ftrace_event", NULL},
    .title = "Ftrace event",
    .add_tracks = add_ftrace_tracks,
    .load_tracks = load_ftrace_tracks,
    .lanes = debug_track_lanes,
    .lane = debug_track_lane,
    .print_name = print_ftrace_name,
    .arg_set = ftrace_args,
    .draw = draw_bars,
    .paint = paint_ftrace,
    .add_details = add_ftrace_details,
};
