/* The tab about what is under the cursor: an event, as its kind says, or a gap. */
#include <inttypes.h>
#include <stdio.h>

#include "tui/view/details_parts.h"
#include "tui/view/time_format.h"

static void add_gap(struct details *d, const struct details_input *in)
{
    const struct track_node *n = &in->tree->nodes.items[in->row->key.node];
    struct event_source sources[SOURCES_MAX];
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_STRONG, "%s", n->label);
    if (n->kind == NODE_PROCESS) {
        const struct process_facts *f = &in->tl->processes[n->id];
        char ran[32];
        format_dur_short(ran, sizeof ran, f->running);
        details_put(d, &d->left, ROLE_DIM, "  pid %" PRId64, n->number);
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "in the whole trace: ");
        details_put(d, &d->left, ROLE_VALUE, "CPU %s, %u threads, %u slices, %u counters", ran,
                    f->threads, f->slices, f->counters);
    }
    if (row_sources(in->tl, in->tree, in->row, sources) == 0)
        return;
    struct event_span gap = row_gap_at(in->tl, in->tree, in->row, in->cursor.ts);
    char dur[40];
    format_dur(dur, sizeof dur, gap.end - gap.ts);
    details_put(d, &d->left, ROLE_DEFAULT, "   nothing here: a gap of %s", dur);
    details_put_times(d, in->tl, gap.ts, gap.end);
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
