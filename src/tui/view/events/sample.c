/* Samples of what ran: rows of the table profiler_sample, a track for each thread. A cell is as
 * high as there are samples in it. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/time.h"
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "text/time_format.h"
#include "tui/view/track_tree.h"

enum { LABEL_MAX = 256 };

static const struct table *samples(const struct timeline *tl)
{
    return &tl->trace->tables.profiler_sample;
}

static uint32_t sample_thread(const struct timeline *tl, uint32_t row)
{
    const struct table *contexts = &tl->trace->tables.profiler_task_context;
    uint32_t context = table_u32(samples(tl), profiler_sample_col_task_context_id)[row];
    uint32_t utid = NULL_U32;
    if (context < contexts->rows)
        utid = table_u32(contexts, profiler_task_context_col_utid)[context];
    return utid < tl->trace->tables.thread.rows ? utid : NULL_U32;
}

static struct debug_track *new_track(const struct timeline *tl, uint32_t utid)
{
    char thread[128] = "of no thread", process[64] = "", label[LABEL_MAX];
    uint32_t upid = utid == NULL_U32 ? NULL_U32 : timeline_upid(tl, utid);
    if (utid != NULL_U32)
        timeline_thread_name(tl, utid, thread, sizeof thread);
    if (upid < tl->trace->tables.process.rows)
        timeline_process_name(tl, upid, process, sizeof process);
    bool other = process[0] && strcmp(process, thread) != 0; /* not as its main thread is called */
    snprintf(label, sizeof label, "%s%s%s", thread, other ? " of " : "", other ? process : "");
    return debug_track_new(label, &sample_events);
}

static int compare_counts(const void *a, const void *b)
{
    const struct debug_track *x = *(struct debug_track *const *)a;
    const struct debug_track *y = *(struct debug_track *const *)b;
    return x->ts.count > y->ts.count ? -1 : x->ts.count < y->ts.count;
}

/* The threads with the most samples first. */
static void add_sample_tracks(struct tree_builder *b, const struct timeline *tl)
{
    uint32_t threads = tl->trace->tables.thread.rows, count = 0;
    if (samples(tl)->rows == 0)
        return;
    struct debug_track **made = alloc_array((size_t)threads + 1, sizeof(struct debug_track *));
    for (uint32_t i = 0; i < samples(tl)->rows; i++) {
        uint32_t utid = sample_thread(tl, i), at = utid == NULL_U32 ? threads : utid;
        if (!made[at])
            made[at] = new_track(tl, utid);
        debug_track_add_row(made[at], table_i64(samples(tl), profiler_sample_col_ts)[i], 0, i);
    }
    for (uint32_t i = 0; i <= threads; i++)
        if (made[i])
            made[count++] = made[i];
    qsort(made, count, sizeof(struct debug_track *), compare_counts);
    for (uint32_t i = 0; i < count; i++) {
        debug_track_finish(made[i], tl->end);
        track_tree_add_own(b, "CPU samples", made[i]);
    }
    free(made);
}

static uint32_t table_row(const struct track_tree *tree, struct event_ref e)
{
    return tree->debug.items[e.debug]->rows.items[e.row];
}

static void print_sample_name(const struct timeline *tl, const struct track_tree *tree,
                              struct event_ref e, char *out, size_t size)
{
    uint32_t row = table_row(tree, e);
    struct str name =
        timeline_callsite_name(tl, table_u32(samples(tl), profiler_sample_col_callsite_id)[row]);
    str_copy(name, out, size);
}

/* A track has one lane, in which nothing lasts. */
static void draw_samples(const struct event_canvas *on)
{
    const struct scene *s = on->scene;
    const struct viewport *v = &s->viewport;
    const struct event_source *source = &on->sources[0];
    const struct lanes *l = source_lanes(s->tl, s->tree, source);
    int x = on->area.x, y = on->area.y;
    uint32_t most = 0, *counts = alloc_array((size_t)v->width, sizeof *counts);
    for (int cell = 0; cell < v->width; cell++) {
        counts[cell] =
            lane_count_in(l, source->lane, viewport_time(v, cell), viewport_time(v, cell + 1));
        most = counts[cell] > most ? counts[cell] : most;
    }
    for (int cell = 0; cell < v->width && most > 0; cell++)
        draw_share(on->cells, x + cell, y, s, (double)counts[cell] / most, ROLE_COUNTER);
    int at = viewport_cell(v, s->cursor.ts);
    if (at >= 0 && at < v->width && s->cursor.event.kind == &sample_events &&
        event_is_selected(s, on->row, source, s->cursor.event.row))
        cells_set_ground(on->cells, (struct rect){x + at, y, 1, 1}, ROLE_SELECTION);
    free(counts);
}

static void add_sample_details(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    const struct table *t = samples(tl);
    uint32_t row = table_row(in->tree, in->cursor.event), utid = sample_thread(tl, row);
    uint32_t callsite = table_u32(t, profiler_sample_col_callsite_id)[row];
    string_id error = column_str(&t->columns[profiler_sample_col_unwind_error], row);
    char at[64];
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG, timeline_callsite_name(tl, callsite));
    details_put(d, &d->left, ROLE_DIM, "  sample #%" PRIu32, row);
    format_exact(at, sizeof at, time_minus(table_i64(t, profiler_sample_col_ts)[row], tl->start));
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "at ");
    details_put(d, &d->left, ROLE_VALUE, "%s", at);
    if (utid != NULL_U32) {
        details_put(d, &d->left, ROLE_KEY, "   thread ");
        details_put_thread(d, &d->left, tl, utid);
        details_put_process(d, &d->left, tl, timeline_upid(tl, utid), details_left_width(in));
    }
    if (error != NULL_STRING) {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_ERROR, "the stack is incomplete: ");
        details_put_name(d, &d->left, ROLE_ERROR, timeline_str(tl, error));
    }
    details_put_callstack(d, tl, callsite);
}

const struct event_kind sample_events = {
    .shows = (const char *const[]){"profiler_sample", NULL},
    .title = "Sample",
    .add_tracks = add_sample_tracks,
    .lanes = debug_track_lanes,
    .lane = debug_track_lane,
    .print_name = print_sample_name,
    .draw = draw_samples,
    .add_details = add_sample_details,
};
