/* The tab about what is under the cursor: an event, as its kind says, or a gap. */
#include <inttypes.h>
#include <stdio.h>

#include "tui/view/details_parts.h"
#include "tui/view/time_format.h"
#include "tui/view/window_summary.h"

/* The event before or behind the gap; leads there. */
static void put_neighbour(struct details *d, const struct details_input *in, int direction)
{
    struct event_ref e =
        row_event_step(in->tl, in->tree, in->row, NO_EVENT, in->cursor.ts, direction);
    char name[256], at[40];
    if (!e.kind)
        return;
    event_name(in->tl, in->tree, e, name, sizeof name);
    struct event_span span = event_times(in->tl, in->tree, e);
    format_dur_short(at, sizeof at,
                     direction > 0 ? span.ts - in->cursor.ts : in->cursor.ts - span.end);
    details_line(d, &d->left, e);
    details_put(d, &d->left, ROLE_KEY, direction > 0 ? "next, in %s: " : "before, %s ago: ", at);
    details_put(d, &d->left, ROLE_LINK, "%s", name);
}

static void put_gap(struct details *d, const struct details_input *in)
{
    struct event_span gap = row_gap_at(in->tl, in->tree, in->row, in->cursor.ts);
    char dur[40], from[40];
    format_dur(dur, sizeof dur, gap.end - gap.ts);
    format_ms(from, sizeof from, gap.ts - in->tl->start);
    details_put(d, &d->left, ROLE_DEFAULT, "   nothing here for %s from %s ms", dur, from);
    put_neighbour(d, in, -1);
    put_neighbour(d, in, 1);
}

static void put_whole_trace(struct details *d, const struct details_input *in, uint32_t upid)
{
    const struct process_facts *f = &in->tl->processes[upid];
    char ran[32];
    format_dur_short(ran, sizeof ran, f->running);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "in the whole trace: ");
    details_put(d, &d->left, ROLE_VALUE, "CPU %s, %u threads, %u slices, %u counters", ran,
                f->threads, f->slices, f->counters);
}

static void add_gap(struct details *d, const struct details_input *in)
{
    const struct track_node *n = &in->tree->nodes.items[in->row->key.node];
    struct event_source sources[SOURCES_MAX];
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_STRONG, "%s", n->label);
    if (n->kind == NODE_PROCESS)
        details_put(d, &d->left, ROLE_DIM, "  pid %" PRId64, n->number);
    if (row_sources(in->tl, in->tree, in->row, sources) > 0)
        put_gap(d, in);
    details_put_window(d, in);
    if (n->kind == NODE_PROCESS)
        put_whole_trace(d, in, n->id);
}

static void add_event(struct details *d, const struct details_input *in)
{
    const struct event_kind *kind = in->cursor.event.kind;
    if (!kind) {
        add_gap(d, in);
        return;
    }
    kind->add_details(d, in);
    if (kind->add_beside && in->width >= DETAILS_WIDE)
        kind->add_beside(d, in);
}

static void print_title(const struct tab_facts *facts, char *out, size_t size)
{
    snprintf(out, size, "%s", facts->kind ? facts->kind->title : "Gap");
}

const struct details_tab event_tab = {.print_title = print_title, .add = add_event};
