#include "tui/view/events.h"

static struct event_ref ref_of(const struct event_source *s, uint32_t row)
{
    return (struct event_ref){s->kind, row, s->debug};
}

static uint32_t step_position(const struct steps *st, uint32_t lane, uint32_t row)
{
    uint32_t p = steps_lower_bound(st, lane, st->ts[row]);
    while (p + 1 < st->starts[lane + 1] && steps_row(st, p) != row)
        p++;
    return p;
}

struct event_span event_times(const struct timeline *tl, const struct track_tree *tree,
                              struct event_ref e)
{
    if (!e.kind)
        return (struct event_span){0, 0};
    if (e.kind->lanes) {
        const struct lanes *l = e.kind->lanes(tl, tree, e.debug);
        int64_t ts = l->ts[e.row], end;
        uint32_t pos = NO_POSITION;
        if (l->dur[e.row] < 0)
            pos = lane_find_row(l, e.kind->lane(tl, tree, e), e.row);
        if (l->dur[e.row] < 0)
            end = pos == NO_POSITION ? ts : lanes_open_end(l, pos);
        else if (__builtin_add_overflow(ts, l->dur[e.row], &end))
            end = INT64_MAX;
        return (struct event_span){ts, end};
    }
    const struct steps *st = e.kind->steps(tl, tree, e.debug);
    uint32_t lane = e.kind->lane(tl, tree, e), p = step_position(st, lane, e.row);
    return (struct event_span){st->ts[e.row],
                               p + 1 < st->starts[lane + 1] ? steps_ts(st, p + 1) : tl->end};
}

bool event_is_open(const struct timeline *tl, const struct track_tree *tree, struct event_ref e)
{
    if (e.kind && e.kind->is_open)
        return e.kind->is_open(tl, e.row);
    return e.kind && e.kind->lanes && e.kind->lanes(tl, tree, e.debug)->dur[e.row] < 0;
}

void event_name(const struct timeline *tl, const struct track_tree *tree, struct event_ref e,
                char *out, size_t size)
{
    out[0] = '\0';
    if (e.kind)
        e.kind->print_name(tl, tree, e, out, size);
}

struct event_ref row_event_at(const struct timeline *tl, const struct track_tree *tree,
                              const struct row *row, int64_t t)
{
    struct event_source sources[SOURCES_MAX];
    int n = row_sources(tl, tree, row, sources);
    for (int i = 0; i < n; i++) {
        const struct event_source *s = &sources[i];
        const struct lanes *l = source_lanes(tl, tree, s);
        uint32_t p = l ? lane_at(l, s->lane, t) : steps_at(source_steps(tl, tree, s), s->lane, t);
        if (p != NO_POSITION)
            return ref_of(s, l ? lanes_row(l, p) : steps_row(source_steps(tl, tree, s), p));
    }
    return NO_EVENT;
}

/* The rule of lane_spans: what begins in the cell goes before what reaches into it; of the former
 * the last if it lasts beyond the cell, else the longest. */
static uint32_t shown_in(const struct lanes *l, uint32_t lane, int64_t t0, int64_t t1)
{
    uint32_t from = lane_lower_bound(l, lane, t0), to = lane_lower_bound(l, lane, t1);
    if (to > from)
        return lanes_end(l, to - 1) > t1 ? to - 1 : lanes_longest(l, from, to);
    return from > l->starts[lane] && lanes_end(l, from - 1) > t0 ? from - 1 : NO_POSITION;
}

struct cell_event row_event_in(const struct timeline *tl, const struct track_tree *tree,
                               const struct row *row, int64_t t0, int64_t t1)
{
    struct event_source sources[SOURCES_MAX];
    int n = row_sources(tl, tree, row, sources);
    struct cell_event best = {.count = 0};
    int64_t best_dur = -1;
    const struct viewport cell = {.start = t0, .dur = t1 - t0, .width = 1};
    struct span in_cell = {0};
    for (int i = 0; i < n; i++) {
        const struct event_source *s = &sources[i];
        const struct lanes *l = source_lanes(tl, tree, s);
        if (!l) {
            const struct steps *st = source_steps(tl, tree, s);
            uint32_t p = steps_at(st, s->lane, t1 - 1);
            if (p != UINT32_MAX)
                return (struct cell_event){.event = ref_of(s, steps_row(st, p)),
                                           .count = steps_lower_bound(st, s->lane, t1) -
                                                    steps_lower_bound(st, s->lane, t0)};
            continue;
        }
        if (s->kind->background && best.event.kind)
            break; /* it only stands in the gaps */
        uint32_t p = shown_in(l, s->lane, t0, t1);
        if (p == NO_POSITION)
            continue;
        best.count += lane_count_in(l, s->lane, t0, t1);
        if (lane_spans(l, s->lane, &cell, &in_cell) > 0 && !s->kind->background &&
            in_cell.busy[0] > best.busy)
            best.busy = in_cell.busy[0];
        if (lanes_dur(l, p) > best_dur) {
            best_dur = lanes_dur(l, p);
            best.event = ref_of(s, lanes_row(l, p));
            best.most = ref_of(s, lanes_row(l, in_cell.most));
        }
    }
    return best;
}

struct position {
    int64_t ts;
    int source;
    uint32_t pos;
};

static bool is_before(struct position a, struct position b)
{
    if (a.ts != b.ts)
        return a.ts < b.ts;
    return a.source != b.source ? a.source < b.source : a.pos < b.pos;
}

/* The first position of a source behind `at`, or the last before it; pos is NO_POSITION for none.
 */
static struct position neighbour(const struct timeline *tl, const struct track_tree *tree,
                                 const struct event_source *s, int index, struct position at,
                                 int direction)
{
    const struct lanes *l = source_lanes(tl, tree, s);
    const struct steps *st = source_steps(tl, tree, s);
    uint32_t from = l ? l->starts[s->lane] : st->starts[s->lane];
    uint32_t to = l ? l->starts[s->lane + 1] : st->starts[s->lane + 1];
    uint32_t p = l ? lane_lower_bound(l, s->lane, at.ts) : steps_lower_bound(st, s->lane, at.ts);
    struct position found = {0, index, NO_POSITION};
    while (direction > 0 && p < to &&
           !is_before(at, (struct position){l ? lanes_ts(l, p) : steps_ts(st, p), index, p}))
        p++;
    while (direction < 0 && p < to &&
           is_before((struct position){l ? lanes_ts(l, p) : steps_ts(st, p), index, p}, at))
        p++;
    if (direction < 0 && p-- == from)
        return found;
    if (p >= to)
        return found;
    found.pos = p;
    found.ts = l ? lanes_ts(l, p) : steps_ts(st, p);
    return found;
}

struct event_ref row_event_step(const struct timeline *tl, const struct track_tree *tree,
                                const struct row *row, struct event_ref from, int64_t t,
                                int direction)
{
    struct event_source sources[SOURCES_MAX];
    int n = row_sources(tl, tree, row, sources);
    /* The states behind slices are not stepped through: the strip of the open thread is for them.
     */
    if (n > 1 && sources[n - 1].kind->background && from.kind != sources[n - 1].kind)
        n--;
    struct position at = {t, direction > 0 ? SOURCES_MAX : -1, 0}, best = {0, 0, NO_POSITION};
    uint32_t own = from.kind ? from.kind->lane(tl, tree, from) : 0;
    for (int i = 0; i < n && from.kind; i++) {
        const struct lanes *l = source_lanes(tl, tree, &sources[i]);
        if (sources[i].kind != from.kind || sources[i].lane != own)
            continue;
        const struct steps *st = source_steps(tl, tree, &sources[i]);
        at = (struct position){l ? l->ts[from.row] : st->ts[from.row], i,
                               l ? lane_find_row(l, own, from.row)
                                 : step_position(st, own, from.row)};
    }
    for (int i = 0; i < n; i++) {
        struct position p = neighbour(tl, tree, &sources[i], i, at, direction);
        if (p.pos == NO_POSITION)
            continue;
        if (best.pos == NO_POSITION || (direction > 0 ? is_before(p, best) : is_before(best, p)))
            best = p;
    }
    if (best.pos == NO_POSITION)
        return NO_EVENT;
    const struct event_source *s = &sources[best.source];
    const struct lanes *l = source_lanes(tl, tree, s);
    return ref_of(s, l ? lanes_row(l, best.pos) : steps_row(source_steps(tl, tree, s), best.pos));
}

struct event_span row_gap_at(const struct timeline *tl, const struct track_tree *tree,
                             const struct row *row, int64_t t)
{
    struct event_ref none = NO_EVENT;
    struct event_ref before = row_event_step(tl, tree, row, none, t, -1);
    struct event_ref after = row_event_step(tl, tree, row, none, t, 1);
    return (struct event_span){!before.kind ? tl->start : event_times(tl, tree, before).end,
                               !after.kind ? tl->end : event_times(tl, tree, after).ts};
}
