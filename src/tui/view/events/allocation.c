/* What is allocated: rows of the table heap_profile_allocation, a track of bytes not freed for each
 * process and heap, with a step for each dump. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/draw_events.h"
#include "text/time_format.h"
#include "tui/view/track_tree.h"

enum { LABEL_MAX = 256 };

struct change {
    uint32_t upid;
    string_id heap;
    int64_t ts, size;
};

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;
    if (x->upid != y->upid)
        return x->upid < y->upid ? -1 : 1;
    if (x->heap != y->heap)
        return x->heap < y->heap ? -1 : 1;
    return x->ts < y->ts ? -1 : x->ts > y->ts;
}

static bool same_heap(const struct change *a, const struct change *b)
{
    return a->upid == b->upid && a->heap == b->heap;
}

/* A track of the changes [from, to), which are of one heap. */
static void add_heap(struct tree_builder *b, const struct timeline *tl, const struct change *c,
                     uint32_t from, uint32_t to)
{
    struct str heap = timeline_str(tl, c[from].heap);
    char process[128] = "no process", label[LABEL_MAX];
    double bytes = 0;
    if (c[from].upid < tl->trace->tables.process.rows)
        timeline_process_name(tl, c[from].upid, process, sizeof process);
    snprintf(label, sizeof label, "%s %.*s", process, (int)(heap.n < 64 ? heap.n : 64),
             heap.n ? heap.p : "");
    struct debug_track *track = debug_track_new(label, &allocation_events);
    for (uint32_t i = from; i < to; i++) {
        bytes += (double)c[i].size;
        if (i + 1 == to || c[i + 1].ts != c[i].ts)
            debug_track_add_value(track, c[i].ts, bytes);
    }
    debug_track_finish(track, tl->end);
    track_tree_add_own(b, "Heaps", track);
}

static void add_allocation_tracks(struct tree_builder *b, const struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.heap_profile_allocation;
    if (t->rows == 0)
        return;
    struct change *changes = alloc_array(t->rows, sizeof *changes);
    for (uint32_t i = 0; i < t->rows; i++)
        changes[i] = (struct change){
            .upid = table_u32(t, heap_profile_allocation_col_upid)[i],
            .heap = column_str(&t->columns[heap_profile_allocation_col_heap_name], i),
            .ts = table_i64(t, heap_profile_allocation_col_ts)[i],
            .size = table_i64(t, heap_profile_allocation_col_size)[i],
        };
    qsort(changes, t->rows, sizeof *changes, compare_changes);
    for (uint32_t i = 0, n; i < t->rows; i += n) {
        for (n = 1; i + n < t->rows && same_heap(&changes[i], &changes[i + n]);)
            n++;
        add_heap(b, tl, changes, i, i + n);
    }
    free(changes);
}

static void print_bytes(const struct timeline *tl, const struct track_tree *tree,
                        struct event_ref e, char *out, size_t size)
{
    char number[40];
    (void)tl;
    format_short_value(number, sizeof number, tree->debug.items[e.debug]->values.items[e.row],
                       STR("bytes"));
    snprintf(out, size, "%sB", number);
}

static void add_allocation_details(struct details *d, const struct details_input *in)
{
    struct event_ref e = in->cursor.event;
    const struct debug_track *track = in->tree->debug.items[e.debug];
    struct event_span span = event_times(in->tl, in->tree, e);
    double before = e.row > 0 ? track->values.items[e.row - 1] : 0;
    char text[64];
    details_line(d, &d->left, NO_EVENT);
    details_put_name(d, &d->left, ROLE_STRONG, str_from(track->label));
    print_bytes(in->tl, in->tree, e, text, sizeof text);
    details_put(d, &d->left, ROLE_VALUE, "  %s", text);
    details_put(d, &d->left, ROLE_DIM, "  not freed");
    details_put_times(d, in->tl, span.ts, span.end);
    format_value(text, sizeof text, track->values.items[e.row] - before);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "change since the dump before ");
    details_put(d, &d->left, ROLE_VALUE, "%s bytes", text);
    details_put(d, &d->left, ROLE_DIM, "   dump %u of %zu   7: who allocated, r first: until here",
                e.row + 1, track->values.count);
}

const struct event_kind allocation_events = {
    .shows = (const char *const[]){"heap_profile", "heap_profile_allocation", NULL},
    .title = "Heap",
    .add_tracks = add_allocation_tracks,
    .steps = debug_track_steps,
    .lane = debug_track_only_lane,
    .print_name = print_bytes,
    .draw = draw_steps,
    .add_details = add_allocation_details,
};
