/* The tab about a stretch of time: who ran how long, and the slices of the cursor's track by name.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "tui/view/details.h"
#include "tui/view/time_format.h"

enum { AREA_LINES = 40, AREA_SLICES_MAX = 200000 };

struct share {
    uint32_t id; /* utid, or name */
    uint32_t count;
    uint32_t longest; /* slice */
    int64_t sum, longest_dur;
};

static int compare_shares(const void *a, const void *b)
{
    const struct share *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum > y->sum ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void put_share(struct details *d, const struct share *s, int64_t dur)
{
    char ms[40];
    format_ms(ms, sizeof ms, s->sum);
    details_put(d, &d->left, ROLE_VALUE, "%12s ms %3d%%  ", ms, percent_of(s->sum, dur));
}

/* The threads that ran, the longest first. */
static void put_threads(struct details *d, const struct timeline *tl, struct area area)
{
    uint32_t threads = tl->trace->tables.thread.rows, n = 0;
    struct share *shares = alloc_array((size_t)threads + 1, sizeof *shares);
    for (uint32_t i = 0; i < threads; i++) {
        int64_t sum = timeline_running(tl, i, area.from, area.to);
        if (sum > 0 && timeline_tid(tl, i) != 0)
            shares[n++] = (struct share){.id = i, .sum = sum};
    }
    qsort(shares, n, sizeof *shares, compare_shares);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_STRONG, "%u threads ran", n);
    for (uint32_t i = 0; i < n && i < AREA_LINES; i++) {
        char name[128];
        uint32_t p = lane_first_in(&tl->states, shares[i].id, area.from);
        timeline_thread_name(tl, shares[i].id, name, sizeof name);
        details_line(d, &d->left,
                     p < tl->states.starts[shares[i].id + 1]
                         ? event_of(&state_events, tl->states.rows[p])
                         : NO_EVENT);
        put_share(d, &shares[i], area.to - area.from);
        details_put(d, &d->left, ROLE_LINK, "%s", name);
        details_put(d, &d->left, ROLE_DIM, " %lld", (long long)timeline_tid(tl, shares[i].id));
    }
    free(shares);
}

struct names {
    struct map index; /* name -> item */
    VEC(struct share) v;
    uint32_t looked;
};

static void add_lane(struct names *names, const struct timeline *tl, uint32_t lane,
                     struct area area)
{
    uint32_t p = lane_first_in(&tl->slices, lane, area.from), end = tl->slices.starts[lane + 1];
    for (; p < end && lanes_ts(&tl->slices, p) < area.to; p++) {
        if (names->looked++ == AREA_SLICES_MAX)
            return;
        int64_t from = lanes_ts(&tl->slices, p), to = lanes_end(&tl->slices, p);
        int64_t dur = (to < area.to ? to : area.to) - (from > area.from ? from : area.from);
        uint32_t name = slice_u32(tl, tl->slices.rows[p], slice_col_name);
        bool is_new;
        uint32_t *item = map_insert(&names->index, name, &is_new);
        if (is_new) {
            *item = (uint32_t)names->v.count;
            *vec_push(&names->v) = (struct share){.id = name, .longest_dur = -1};
        }
        struct share *s = &names->v.items[*item];
        s->count++;
        s->sum += dur;
        if (dur > s->longest_dur) {
            s->longest_dur = dur;
            s->longest = tl->slices.rows[p];
        }
    }
}

static void add_track(struct names *names, const struct timeline *tl, uint32_t track,
                      struct area area)
{
    for (uint32_t d = 0; d < timeline_track_depths(tl, track); d++)
        add_lane(names, tl, tl->slice_base[track] + d, area);
}

/* The slices of a node by name; each line leads to the longest. */
static void put_slices(struct details *d, const struct timeline *tl, const struct track_tree *tree,
                       const struct track_node *n, struct area area)
{
    struct names names = {0};
    if (n->kind == NODE_THREAD && tl->threads[n->id].track != NULL_U32)
        add_track(&names, tl, tl->threads[n->id].track, area);
    for (uint32_t i = 0; n->kind == NODE_TRACKS && i < n->count; i++)
        add_track(&names, tl, tree->tracks.items[n->first + i], area);
    if (names.v.count > 0) {
        qsort(names.v.items, names.v.count, sizeof *names.v.items, compare_shares);
        details_line(d, &d->left, NO_EVENT);
        details_put(d, &d->left, ROLE_STRONG, "slices on %s%s", n->label,
                    names.looked >= AREA_SLICES_MAX ? ", the first of them" : "");
    }
    for (size_t i = 0; i < names.v.count && i < AREA_LINES; i++) {
        const struct share *s = &names.v.items[i];
        struct str name = timeline_str(tl, s->id);
        details_line(d, &d->left, event_of(&slice_events, s->longest));
        put_share(d, s, area.to - area.from);
        details_put(d, &d->left, ROLE_DIM, "%6u x ", s->count);
        details_put(d, &d->left, ROLE_LINK, "%.*s", (int)(name.n < 200 ? name.n : 200),
                    name.n ? name.p : "");
    }
    map_release(&names.index);
    vec_release(&names.v);
}

static void add_area(struct details *d, const struct details_input *in)
{
    const struct timeline *tl = in->tl;
    struct area area = in->area;
    uint32_t node = in->cursor.key.node;
    char from[40], dur[40];
    details_line(d, &d->left, NO_EVENT);
    if (!area.on || area.to <= area.from) {
        details_put(
            d, &d->left, ROLE_DIM,
            "no area: r makes one of the event under the cursor, v starts one at the cursor");
        return;
    }
    format_exact(from, sizeof from, area.from - tl->start);
    format_exact(dur, sizeof dur, area.to - area.from);
    details_put(d, &d->left, ROLE_KEY, "area ");
    details_put(d, &d->left, ROLE_VALUE, "%s", from);
    details_put(d, &d->left, ROLE_KEY, "   dur ");
    details_put(d, &d->left, ROLE_VALUE, "%s", dur);
    details_put(d, &d->left, ROLE_KEY, "   CPUs busy ");
    details_put(d, &d->left, ROLE_VALUE, "%.1f of %u",
                timeline_load(tl, area.from, area.to) * tl->cpu_count, tl->cpu_count);
    if (node != NO_NODE)
        put_slices(d, tl, in->tree, &in->tree->nodes.items[node], area);
    put_threads(d, tl, area);
}

const struct details_tab area_tab = {.title = "Area", .add = add_area};
