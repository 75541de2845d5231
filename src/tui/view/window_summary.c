#include "tui/view/window_summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/utf8.h"
#include "text/time.h"
#include "tui/view/debug_track.h"
#include "tui/view/details_parts.h"
#include "tui/view/events.h"
#include "text/time_format.h"

enum { TOP_LINES = 8, EVENTS_MAX = 50000, COUNTERS_MAX = 12, STEPS_MAX = 200000 };

/* A window of time, and how many events may still be looked at. */
struct window {
    int64_t from, to;
    uint32_t left;
};

struct share {
    uint32_t id; /* utid, name of slices or of a state */
    uint32_t count;
    int64_t sum, longest;
    struct event_ref event; /* the longest */
};

struct shares {
    struct map index; /* id -> item */
    VEC(struct share) v;
};

static void add_share(struct shares *s, uint32_t id, int64_t dur, struct event_ref event)
{
    bool is_new;
    uint32_t *at = map_insert(&s->index, id, &is_new);
    if (is_new) {
        *at = (uint32_t)s->v.count;
        *vec_push(&s->v) = (struct share){.id = id, .longest = -1};
    }
    struct share *share = &s->v.items[*at];
    share->count++;
    share->sum += dur;
    if (dur > share->longest) {
        share->longest = dur;
        share->event = event;
    }
}

static int compare_shares(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void sort_shares(struct shares *s)
{
    if (s->v.count > 1)
        qsort(s->v.items, s->v.count, sizeof *s->v.items, compare_shares);
}

static void release_shares(struct shares *s)
{
    map_release(&s->index);
    vec_release(&s->v);
}

/* The events of a lane in the window, by what `id_of` says; NULL_U32 is left out. */
static void add_lane(struct shares *s, const struct timeline *tl, const struct lanes *l,
                     uint32_t lane, struct window *w, const struct event_kind *kind,
                     uint32_t (*id_of)(const struct timeline *, uint32_t))
{
    uint32_t p = lane_first_in(l, lane, w->from), end = l->starts[lane + 1];
    for (; p < end && lanes_ts(l, p) < w->to && w->left > 0; p++, w->left--) {
        uint32_t id = id_of(tl, lanes_row(l, p));
        if (id != NULL_U32)
            add_share(s, id, lanes_dur_in(l, p, w->from, w->to), event_of(kind, lanes_row(l, p)));
    }
}

static uint32_t slice_name_of(const struct timeline *tl, uint32_t row)
{
    return slice_u32(tl, row, slice_col_name);
}

static uint32_t state_of(const struct timeline *tl, uint32_t row)
{
    return column_str(&tl->trace->tables.thread_state.columns[thread_state_col_state], row);
}

static uint32_t running_thread(const struct timeline *tl, uint32_t row)
{
    uint32_t utid = table_u32(&tl->trace->tables.sched_slice, sched_slice_col_utid)[row];
    return utid < tl->trace->tables.thread.rows && timeline_tid(tl, utid) != 0 ? utid : NULL_U32;
}

static void put_amount(struct details *d, struct detail_list *list, const struct share *s,
                       const struct window *w)
{
    char ms[40];
    format_ms_unit(ms, sizeof ms, s->sum);
    details_put(d, list, ROLE_VALUE, "%14s %3d%%  ", ms, percent_of(s->sum, w->to - w->from));
}

/* Who ran, by the sums of the threads' running time. */
static void put_threads(struct details *d, struct detail_list *list, const struct timeline *tl,
                        struct shares *s, const struct window *w)
{
    sort_shares(s);
    details_line(d, list, NO_EVENT);
    details_put(d, list, ROLE_STRONG, "%zu thread%s ran", s->v.count, s->v.count == 1 ? "" : "s");
    for (size_t i = 0; i < s->v.count && i < TOP_LINES; i++) {
        details_line(d, list, s->v.items[i].event);
        put_amount(d, list, &s->v.items[i], w);
        details_put_thread(d, list, tl, s->v.items[i].id);
    }
}

/* In percent of the time of which states are known: many threads live for a part of the window. */
static void put_states(struct details *d, struct detail_list *list, const struct timeline *tl,
                       struct shares *s)
{
    wide_int known = 0;
    for (size_t i = 0; i < s->v.count; i++)
        known += s->v.items[i].sum;
    sort_shares(s);
    details_line(d, list, NO_EVENT);
    details_put(d, list, ROLE_STRONG, "states");
    for (size_t i = 0; i < s->v.count && i < 5; i++) {
        struct str name = timeline_str(tl, s->v.items[i].id);
        char dur[32];
        format_dur_short(dur, sizeof dur, s->v.items[i].sum);
        details_put(d, list, ROLE_VALUE, "  %.*s %s", (int)(name.n < 24 ? name.n : 24),
                    name.n ? name.p : "", dur);
        details_put(d, list, ROLE_DIM, " %d%%", percent_of(s->v.items[i].sum, known));
    }
}

static void put_slices(struct details *d, struct detail_list *list, const struct timeline *tl,
                       struct shares *s, const struct window *w)
{
    sort_shares(s);
    details_line(d, list, NO_EVENT);
    details_put(d, list, ROLE_STRONG, "slices by name%s", w->left == 0 ? ", of the first" : "");
    for (size_t i = 0; i < s->v.count && i < TOP_LINES; i++) {
        details_line(d, list, s->v.items[i].event);
        put_amount(d, list, &s->v.items[i], w);
        details_put(d, list, ROLE_DIM, "%5u x ", s->v.items[i].count);
        details_put_name(d, list, ROLE_LINK, timeline_str(tl, s->v.items[i].id));
    }
}

/* The mean over time of the values in force in the window, or, of how deeply a CPU sleeps, the
 * share of the time that it does; false where there is none, or too many steps to look at. */
static bool mean_of(const struct timeline *tl, uint32_t track, const struct window *w, double *out)
{
    const struct steps *s = &tl->counters;
    bool sleeps = timeline_is_idle_counter(tl, track);
    uint32_t p = steps_at(s, track, w->from), end = steps_lower_bound(s, track, w->to);
    double sum = 0, time = 0;
    if (p == UINT32_MAX)
        p = s->starts[track];
    if (p >= end || end - p > STEPS_MAX)
        return false;
    for (; p < end; p++) {
        int64_t from = steps_ts(s, p) > w->from ? steps_ts(s, p) : w->from;
        int64_t to = p + 1 < end ? steps_ts(s, p + 1) : w->to;
        double value = steps_value(s, p);
        sum += (sleeps ? timeline_level(tl, track, value) > 0 : value) * (double)(to - from);
        time += (double)(to - from);
    }
    *out = time > 0 ? sum / time : 0;
    return time > 0;
}

/* How much a counter that only grows has grown between its first and last step in the window, and
 * how fast. False where it is no such or has too few steps. */
static bool put_growth(struct details *d, struct detail_list *list, const struct timeline *tl,
                       uint32_t track, const struct window *w)
{
    const struct steps *s = &tl->counters;
    struct counter_look rate = counter_look_resolve(tl, track, (struct counter_look){0});
    struct counter_look value = {.lines = 1, .scale = SCALE_ZERO, .mode = COUNTER_VALUE};
    uint32_t first = steps_lower_bound(s, track, w->from), end = steps_lower_bound(s, track, w->to);
    if (rate.mode != COUNTER_RATE || end - first < 2 || steps_ts(s, end - 1) == steps_ts(s, first))
        return false;
    double grown = steps_value(s, end - 1) - steps_value(s, first);
    double seconds = (double)(steps_ts(s, end - 1) - steps_ts(s, first)) / 1e9;
    char text[40];
    counter_print(tl, track, rate, grown / seconds, text, sizeof text);
    details_put(d, list, ROLE_KEY, "window mean ");
    details_put(d, list, ROLE_VALUE, "%s", text);
    counter_print(tl, track, value, grown, text, sizeof text);
    details_put(d, list, ROLE_VALUE, ", %s in all", text);
    return true;
}

void details_put_counter_window(struct details *d, struct detail_list *list,
                                const struct details_input *in, uint32_t track)
{
    const struct steps *s = &in->tl->counters;
    const struct counter_look values = {.lines = 1, .scale = SCALE_ZERO, .mode = COUNTER_VALUE};
    struct window w = {in->viewport.start, viewport_end(&in->viewport), 0};
    struct step_cell all = steps_cell(s, track, w.from, w.to);
    char low[40], high[40], mean[40];
    double value;
    if (!all.known || put_growth(d, list, in->tl, track, &w))
        return;
    counter_print(in->tl, track, values, all.range.min, low, sizeof low);
    counter_print(in->tl, track, values, all.range.max, high, sizeof high);
    details_put(d, list, ROLE_KEY, "window ");
    if (strcmp(low, high) == 0)
        details_put(d, list, ROLE_VALUE, "%s", low);
    else
        details_put(d, list, ROLE_VALUE, "%s .. %s", low, high);
    bool has_mean = strcmp(low, high) != 0 && mean_of(in->tl, track, &w, &value);
    if (has_mean && timeline_is_idle_counter(in->tl, track)) {
        details_put(d, list, ROLE_VALUE, ", asleep %.1f %%", 100 * value);
    } else if (has_mean) {
        counter_print(in->tl, track, values, value, mean, sizeof mean);
        details_put(d, list, ROLE_VALUE, ", mean %s", mean);
    }
    details_put(d, list, ROLE_DIM, "  %u step%s", all.count, all.count == 1 ? "" : "s");
}

/* Nodes stand in the tree as they are shown. */
static int compare_places(const void *a, const void *b, void *tree)
{
    const uint32_t *x = a, *y = b, *nodes = ((const struct track_tree *)tree)->track_node;
    return nodes[*x] < nodes[*y] ? -1 : nodes[*x] > nodes[*y];
}

static void put_counters(struct details *d, const struct details_input *in, struct band_tracks *t)
{
    const struct steps *s = &in->tl->counters;
    if (t->counters.count > 1)
        qsort_r(t->counters.items, t->counters.count, sizeof *t->counters.items, compare_places,
                (void *)(uintptr_t)in->tree);
    for (size_t i = 0; i < t->counters.count && i < COUNTERS_MAX; i++) {
        uint32_t track = t->counters.items[i], p = steps_at(s, track, in->cursor.ts);
        uint32_t node = in->tree->track_node[track];
        const char *name = node == NO_NODE ? "" : in->tree->nodes.items[node].label;
        char value[40];
        struct counter_look look =
            counter_look_resolve(in->tl, track,
                                 node == NO_NODE ? (struct counter_look){0}
                                                 : in->tree->nodes.items[node].look);
        details_line(d, &d->left,
                     p == UINT32_MAX ? NO_EVENT : event_of(&counter_events, steps_row(s, p)));
        counter_print(in->tl, track, look, counter_at(in->tl, track, look, in->cursor.ts), value,
                      sizeof value);
        details_put(d, &d->left, ROLE_VALUE, "%14s  ", value);
        int width = text_width(str_from(name));
        details_put(d, &d->left, ROLE_LINK, "%s", name);
        details_put(d, &d->left, ROLE_DEFAULT, "%*s", (width < 28 ? 28 - width : 0) + 2, "");
        details_put_counter_window(d, &d->left, in, track);
    }
    if (t->counters.count > COUNTERS_MAX) {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_DIM, "and %zu counters more; R and tab Area show all",
                    t->counters.count - COUNTERS_MAX);
    }
}

/* What ran on a CPU at the cursor, and what came next. */
static void put_cpu_now(struct details *d, const struct details_input *in, uint32_t ucpu)
{
    const struct lanes *l = &in->tl->sched;
    uint32_t p = lane_at(l, ucpu, in->cursor.ts);
    uint32_t next = lane_lower_bound(l, ucpu, in->cursor.ts + 1);
    char at[40];
    if (p != NO_POSITION && running_thread(in->tl, lanes_row(l, p)) != NULL_U32) {
        details_line(d, &d->left, event_of(&sched_events, lanes_row(l, p)));
        details_put(d, &d->left, ROLE_KEY, "at the cursor ");
        details_put_thread(d, &d->left, in->tl, running_thread(in->tl, lanes_row(l, p)));
    } else {
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_KEY, "at the cursor idle");
    }
    details_put_cpu_clock(d, in, ucpu);
    while (next < l->starts[ucpu + 1] && running_thread(in->tl, lanes_row(l, next)) == NULL_U32)
        next++;
    if (next >= l->starts[ucpu + 1])
        return;
    format_dur_short(at, sizeof at, time_minus(lanes_ts(l, next), in->cursor.ts));
    details_line(d, &d->left, event_of(&sched_events, lanes_row(l, next)));
    details_put(d, &d->left, ROLE_KEY, "in %s ", at);
    details_put_thread(d, &d->left, in->tl, running_thread(in->tl, lanes_row(l, next)));
}

static void put_cpus(struct details *d, const struct details_input *in, const struct band_tracks *t,
                     struct window w)
{
    int64_t busy = 0, dur = w.to - w.from;
    char text[32];
    for (size_t i = 0; i < t->cpus.count; i++)
        busy += timeline_busy(in->tl, t->cpus.items[i], w.from, w.to);
    format_dur_short(text, sizeof text, busy);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "busy ");
    details_put(d, &d->left, ROLE_VALUE, "%s, %d%%", text,
                percent_of(busy, (wide_int)dur * (int)t->cpus.count));
    format_dur_short(text, sizeof text, dur * (int64_t)t->cpus.count - busy);
    details_put(d, &d->left, ROLE_KEY, "   idle ");
    details_put(d, &d->left, ROLE_VALUE, "%s", text);
    if (t->cpus.count == 1)
        put_cpu_now(d, in, t->cpus.items[0]);
}

/* The running time of threads; of a CPU, of what ran on it. */
static void collect_threads(struct shares *s, const struct timeline *tl,
                            const struct band_tracks *t, bool all, struct window *w)
{
    if (t->cpus.count > 0 && !all) {
        for (size_t i = 0; i < t->cpus.count; i++)
            add_lane(s, tl, &tl->sched, t->cpus.items[i], w, &sched_events, running_thread);
        return;
    }
    size_t count = all ? tl->trace->tables.thread.rows : t->threads.count;
    for (size_t i = 0; i < count; i++) {
        uint32_t utid = all ? (uint32_t)i : t->threads.items[i];
        int64_t ran = timeline_running(tl, utid, w->from, w->to);
        uint32_t p = lane_first_in(&tl->states, utid, w->from);
        if (ran > 0 && timeline_tid(tl, utid) != 0)
            add_share(s, utid, ran,
                      p < tl->states.starts[utid + 1]
                          ? event_of(&state_events, lanes_row(&tl->states, p))
                          : NO_EVENT);
    }
}

static void put_activity(struct details *d, const struct details_input *in,
                         const struct band_tracks *t, bool all_cpus)
{
    const struct timeline *tl = in->tl;
    struct window w = {in->viewport.start, viewport_end(&in->viewport), EVENTS_MAX};
    struct shares threads = {0}, states = {0}, slices = {0};
    struct detail_list *beside = details_beside_width(in->width) > 0 ? &d->right : &d->left;
    if (t->cpus.count > 0 && tl->sched.count > 0)
        put_cpus(d, in, t, w);
    if (tl->states.count > 0 && t->threads.count > 0) {
        for (size_t i = 0; i < t->threads.count; i++)
            add_lane(&states, tl, &tl->states, t->threads.items[i], &w, &state_events, state_of);
        put_states(d, &d->left, tl, &states);
    }
    w.left = EVENTS_MAX;
    collect_threads(&threads, tl, t, all_cpus, &w);
    if (threads.v.count > 0 && t->threads.count != 1)
        put_threads(d, &d->left, tl, &threads, &w);
    w.left = EVENTS_MAX;
    for (size_t i = 0; i < t->slices.count; i++)
        for (uint32_t k = 0; k < timeline_track_depths(tl, t->slices.items[i]); k++)
            add_lane(&slices, tl, &tl->slices, tl->slice_base[t->slices.items[i]] + k, &w,
                     &slice_events, slice_name_of);
    if (slices.v.count > 0)
        put_slices(d, beside, tl, &slices, &w);
    release_shares(&threads);
    release_shares(&states);
    release_shares(&slices);
}

/* The longest events, those of one length in order of time. */
struct longest {
    struct {
        struct event_ref event;
        int64_t ts, dur;
    } items[TOP_LINES];
    int kept;
    uint32_t count; /* of all */
};

static void add_longest(struct longest *l, struct event_ref event, int64_t ts, int64_t dur)
{
    int at = l->kept;
    l->count++;
    while (at > 0 && (dur > l->items[at - 1].dur ||
                      (dur == l->items[at - 1].dur && ts < l->items[at - 1].ts)))
        at--;
    if (at == TOP_LINES)
        return;
    int moved = (l->kept < TOP_LINES ? l->kept : TOP_LINES - 1) - at;
    memmove(&l->items[at + 1], &l->items[at], (size_t)moved * sizeof *l->items);
    l->items[at].event = event;
    l->items[at].ts = ts;
    l->items[at].dur = dur;
    l->kept += l->kept < TOP_LINES;
}

static void add_own_track(struct longest *l, const struct details_input *in, uint32_t debug,
                          struct window *w)
{
    const struct debug_track *track = in->tree->debug.items[debug];
    const struct lanes *lanes = &track->lanes;
    if (!track->kind->lanes || track->waiting)
        return;
    for (uint32_t lane = 0; lane < lanes->lane_count; lane++) {
        uint32_t p = lane_first_in(lanes, lane, w->from), end = lanes->starts[lane + 1];
        for (; p < end && lanes_ts(lanes, p) < w->to && w->left > 0; p++, w->left--) {
            struct event_ref event = event_of(track->kind, lanes_row(lanes, p));
            event.debug = debug;
            add_longest(l, event, lanes_ts(lanes, p), lanes_dur_in(lanes, p, w->from, w->to));
        }
    }
}

/* What stands on tracks of its own: alerts, logs, samples, moments, rows of queries. */
static void put_own(struct details *d, const struct details_input *in)
{
    struct window w = {in->viewport.start, viewport_end(&in->viewport), EVENTS_MAX};
    struct longest l = {.count = 0};
    for (uint32_t i = 0; i < in->tree->debug.count; i++)
        if (track_tree_is_within(in->tree, in->tree->debug.items[i]->node, in->row->key.node))
            add_own_track(&l, in, i, &w);
    if (l.count == 0)
        return;
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_STRONG, "%s%u event%s", w.left == 0 ? "more than " : "", l.count,
                l.count == 1 ? "" : "s");
    for (int i = 0; i < l.kept; i++) {
        char at[40], dur[32] = "", name[256];
        format_ms_unit(at, sizeof at, l.items[i].ts - in->tl->start);
        if (l.items[i].dur > 0)
            format_dur_short(dur, sizeof dur, l.items[i].dur);
        event_name(in->tl, in->tree, l.items[i].event, name, sizeof name);
        details_line(d, &d->left, l.items[i].event);
        details_put(d, &d->left, ROLE_VALUE, "%14s ", dur);
        details_put(d, &d->left, ROLE_DIM, "%14s  ", at);
        details_put_name(d, &d->left, ROLE_LINK, str_from(name));
    }
}

void details_put_window(struct details *d, const struct details_input *in)
{
    uint32_t node = in->row->key.node;
    struct band band = {0};
    struct band_tracks tracks;
    char dur[32], from[40];
    *vec_push(&band.v) = (struct band_node){node, true};
    band_collect(&tracks, &band, in->tl, in->tree);
    format_dur_short(dur, sizeof dur, in->viewport.dur);
    format_ms_unit(from, sizeof from, in->viewport.start - in->tl->start);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_KEY, "in the window, %s from %s", dur, from);
    bool all = in->tree->nodes.items[node].kind == NODE_CPUS && !timeline_several_machines(in->tl);
    put_activity(d, in, &tracks, all);
    put_counters(d, in, &tracks);
    put_own(d, in);
    band_tracks_release(&tracks);
    band_release(&band);
}
