#include "tui/view/shown_spans.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { KEPT_MAX = 1 << 16 }; /* spans */

static void forget(struct shown_spans *s)
{
    map_release(&s->entries);
    s->entries = (struct map){0};
    s->v.count = s->lanes.count = s->spans.count = 0;
}

void shown_spans_release(struct shown_spans *s)
{
    map_release(&s->entries);
    vec_release(&s->v);
    vec_release(&s->lanes);
    vec_release(&s->spans);
}

static uint64_t hash_lanes(const struct shown_lane *lanes, int count)
{
    uint64_t h = (uint64_t)count;
    for (int i = 0; i < count; i++)
        h = hash_mix(hash_mix(h, (uintptr_t)lanes[i].lanes), lanes[i].lane);
    return h;
}

static bool is_of(const struct shown_spans *s, const struct shown_entry *e,
                  const struct shown_lane *lanes, int count)
{
    bool same = e->lane_count == count;
    for (int i = 0; same && i < count; i++)
        same = s->lanes.items[e->lanes + (size_t)i].lanes == lanes[i].lanes &&
               s->lanes.items[e->lanes + (size_t)i].lane == lanes[i].lane;
    return same;
}

/* The span that a cell shows so far. */
struct owner {
    int64_t dur;
    int c0, span; /* 1 + index; 0: none */
    float busy;   /* of the busiest lane in the cell */
};

static bool goes_before(const struct owner *a, const struct owner *b)
{
    if (b->span == 0 || a->dur != b->dur)
        return b->span == 0 || a->dur > b->dur;
    return a->c0 < b->c0;
}

static void claim_cells(struct owner *owners, const struct shown_span *span, struct owner claim)
{
    bool narrow = span->span.c1 - span->span.c0 <= SPAN_NARROW;
    for (int c = span->span.c0; c < span->span.c1; c++) {
        float busy = narrow ? span->span.busy[c - span->span.c0] : 1;
        busy = busy > owners[c].busy ? busy : owners[c].busy;
        if (goes_before(&claim, &owners[c]))
            owners[c] = claim;
        owners[c].busy = busy;
    }
}

/* Runs of cells that show the same span. */
static void push_runs(struct shown_spans *s, const struct owner *owners, int width,
                      const struct shown_span *all)
{
    for (int from = 0, to; from < width; from = to) {
        for (to = from + 1; to < width && owners[to].span == owners[from].span;)
            to++;
        if (owners[from].span == 0)
            continue;
        struct shown_span run = all[owners[from].span - 1];
        run.span.begins &= run.span.c0 == from;
        run.span.ends &= run.span.c1 == to;
        for (int c = from; c < to && to - from <= SPAN_NARROW; c++)
            run.span.busy[c - from] = owners[c].busy;
        run.span.c0 = from;
        run.span.c1 = to;
        *vec_push(&s->spans) = run;
    }
}

static void push_merged(struct shown_spans *s, const struct viewport *v,
                        const struct shown_lane *lanes, int count)
{
    size_t width = (size_t)v->width;
    struct span *spans = alloc_array(width, sizeof *spans);
    struct shown_span *all = alloc_array(width * (size_t)count, sizeof *all);
    struct owner *owners = alloc_array(width, sizeof *owners);
    int n = 0;
    for (int k = 0; k < count; k++) {
        int found = lane_spans(lanes[k].lanes, lanes[k].lane, v, spans);
        for (int i = 0; i < found; i++) {
            all[n++] = (struct shown_span){spans[i], k};
            claim_cells(owners, &all[n - 1],
                        (struct owner){.dur = lanes_dur(lanes[k].lanes, spans[i].longest),
                                       .c0 = spans[i].c0,
                                       .span = n});
        }
    }
    push_runs(s, owners, v->width, all);
    free(spans);
    free(all);
    free(owners);
}

static void push_one(struct shown_spans *s, const struct viewport *v, const struct shown_lane *lane)
{
    struct span *spans = alloc_array((size_t)v->width, sizeof *spans);
    int n = lane_spans(lane->lanes, lane->lane, v, spans);
    for (int i = 0; i < n; i++)
        *vec_push(&s->spans) = (struct shown_span){spans[i], 0};
    free(spans);
}

/* Before the first span there is no array. */
static struct shown_list list_of(const struct shown_spans *s, const struct shown_entry *e)
{
    return (struct shown_list){e->span_count > 0 ? s->spans.items + e->spans : NULL, e->span_count};
}

struct shown_list shown_spans_find(struct shown_spans *s, const struct viewport *v,
                                   const struct shown_lane *lanes, int count, bool keep)
{
    bool same_window =
        s->viewport.start == v->start && s->viewport.dur == v->dur && s->viewport.width == v->width;
    if (!same_window || s->spans.count > KEPT_MAX)
        forget(s);
    s->viewport = *v;
    uint64_t key = hash_lanes(lanes, count);
    const uint32_t *known = keep ? map_find(&s->entries, key) : NULL;
    if (known && is_of(s, &s->v.items[*known], lanes, count))
        return list_of(s, &s->v.items[*known]);
    struct shown_entry e = {s->lanes.count, s->spans.count, count, 0};
    if (count == 1)
        push_one(s, v, lanes);
    else
        push_merged(s, v, lanes, count);
    e.span_count = (int)(s->spans.count - e.spans);
    if (keep) {
        vec_append(&s->lanes, lanes, (size_t)count);
        map_set(&s->entries, key, (uint32_t)s->v.count);
        *vec_push(&s->v) = e;
    }
    return list_of(s, &e);
}
