/* The tab about what is under the cursor: an event, as its kind says, or a gap. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/view/descriptions.h"
#include "tui/view/details_parts.h"
#include "text/time_format.h"
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
    format_ms_unit(from, sizeof from, gap.ts - in->tl->start);
    details_put(d, &d->left, ROLE_DEFAULT, "   nothing here for %s from %s", dur, from);
    put_neighbour(d, in, -1);
    put_neighbour(d, in, 1);
}

static void put_whole_trace(struct details *d, const struct details_input *in, uint32_t upid)
{
    const struct process_facts *f = &in->tl->processes[upid];
    char ran[32];
    format_dur_short(ran, sizeof ran, f->running);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "%s",
                in->tl->trace->is_window ? "in the loaded part: " : "in the whole trace: ");
    details_put(d, &d->left, ROLE_VALUE, "CPU %s, %u thread%s, %u slice%s, %u counter%s", ran,
                f->threads, f->threads == 1 ? "" : "s", f->slices, f->slices == 1 ? "" : "s",
                f->counters, f->counters == 1 ? "" : "s");
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

/* What names like the event's stand for, NULL where that is not known. */
static const char *sentence_of(const struct details_input *in)
{
    const struct event_kind *kind = in->cursor.event.kind;
    char name[256];
    if (!in->descriptions)
        return NULL;
    if (kind == &counter_events)
        return descriptions_find(in->descriptions, "counter",
                                 in->tree->nodes.items[in->row->key.node].label);
    if (kind == &state_events) {
        str_copy(timeline_state(in->tl, in->cursor.event.row), name, sizeof name);
        return descriptions_find(in->descriptions, "state", name);
    }
    event_name(in->tl, in->tree, in->cursor.event, name, sizeof name);
    if (kind == &ftrace_events)
        return descriptions_find(in->descriptions, "ftrace", name);
    return kind == &slice_events ? descriptions_find(in->descriptions, "slice", name) : NULL;
}

/* Lines of at most `width` cells, broken at blanks. */
static void put_sentence(struct details *d, struct str text, int width)
{
    while (text.n > 0) {
        size_t n = text.n;
        if (n > (size_t)width)
            for (n = (size_t)width; n > 1 && text.p[n] != ' ';)
                n--;
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_DIM, "%.*s", (int)n, text.p);
        text = str_trim(str_skip(text, n));
    }
}

/* Moves lines [from, ...) to behind the one about the time. */
static void move_up(struct details *d, size_t from)
{
    size_t to = 0, moved = d->left.v.count - from;
    while (to < from && (d->left.v.items[to].count == 0 ||
                         !str_starts(d->left.v.items[to].segments[0].text, STR("start "))))
        to++;
    if (++to >= from)
        return;
    for (size_t i = 0; i < moved; i++) {
        struct detail_line line = d->left.v.items[from + i];
        memmove(&d->left.v.items[to + i + 1], &d->left.v.items[to + i], (from - to) * sizeof line);
        d->left.v.items[to + i] = line;
    }
}

static void add_sentence(struct details *d, const struct details_input *in)
{
    const char *sentence = sentence_of(in);
    size_t from = d->left.v.count;
    int width = details_left_width(in) - 2;
    if (!sentence || width < 20)
        return;
    put_sentence(d, str_from(sentence), width);
    if (d->left.v.count <= (size_t)in->height) /* else what is the event's own goes first */
        move_up(d, from);
}

static void add_event(struct details *d, const struct details_input *in)
{
    const struct event_kind *kind = in->cursor.event.kind;
    if (!kind) {
        add_gap(d, in);
        return;
    }
    kind->add_details(d, in);
    add_sentence(d, in);
    if (kind->add_beside && details_beside_width(in->width) > 0)
        kind->add_beside(d, in);
}

static void print_title(const struct tab_facts *facts, char *out, size_t size)
{
    snprintf(out, size, "%s", facts->kind ? facts->kind->title : "Gap");
}

const struct details_tab event_tab = {.print_title = print_title, .add = add_event};
