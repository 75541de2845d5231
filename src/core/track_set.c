#include "core/track_set.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/alloc.h"
#include "core/trace_builder.h"

void track_sets_release(struct track_sets *ts)
{
    for (size_t i = 0; i < ts->sets.count; i++)
        vec_release(&ts->sets.items[i].members);
    vec_release(&ts->sets);
    map_release(&ts->by_identity);
    map_release(&ts->holders);
}

uint32_t track_set_number(struct trace *t, const struct track_spec *spec)
{
    struct track_sets *ts = &t->builder->track_sets;
    bool inserted;
    uint32_t *set = map_insert(&ts->by_identity, track_identity(t, spec), &inserted);
    if (inserted) {
        *set = (uint32_t)ts->sets.count;
        *vec_push(&ts->sets) = (struct track_set){0};
    }
    return *set;
}

static void hold(struct track_sets *ts, uint32_t set, struct track_set_member *m, int64_t cookie)
{
    m->cookie = cookie;
    map_set(&ts->holders, hash_mix((uint64_t)cookie, set),
            (uint32_t)(m - ts->sets.items[set].members.items));
}

struct track_set_member *track_set_member_find(struct track_sets *ts, uint32_t set, int64_t cookie)
{
    struct track_set *s = &ts->sets.items[set];
    const uint32_t *held = map_find(&ts->holders, hash_mix((uint64_t)cookie, set));
    if (held && *held < s->members.count) {
        struct track_set_member *m = &s->members.items[*held];
        if (!m->timed && m->cookie == cookie)
            return m;
    }
    for (; s->first_unused < s->members.count; s->first_unused++) {
        struct track_set_member *m = &s->members.items[s->first_unused];
        if (m->timed || m->nested > 0)
            continue;
        hold(ts, set, m, cookie);
        return m;
    }
    return NULL;
}

struct track_set_member *track_set_member_add(struct track_sets *ts, uint32_t set, uint32_t track,
                                              int64_t cookie)
{
    struct track_set_member *m = vec_push(&ts->sets.items[set].members);
    *m = (struct track_set_member){.track = track};
    hold(ts, set, m, cookie);
    return m;
}

void track_set_member_end(struct track_sets *ts, uint32_t set, struct track_set_member *m)
{
    struct track_set *s = &ts->sets.items[set];
    uint32_t at = (uint32_t)(m - s->members.items);
    m->nested -= m->nested > 0;
    if (m->nested == 0 && at < s->first_unused)
        s->first_unused = at;
}

/* A new track of the set. */
static uint32_t new_track(struct trace *t, uint32_t set, const struct track_spec *spec)
{
    struct track_spec one = *spec;
    if (one.dimension_count == TRACK_DIMENSIONS)
        one.dimension_count--;
    one.dimensions[one.dimension_count++] =
        (struct track_dimension){.key = "track_compressor_idx",
                                 .type = ARG_INT,
                                 .i =
                                     (int64_t)t->builder->track_sets.sets.items[set].members.count};
    one.group_plus_one = set + 1;
    return track_new(t, &one);
}

static struct track_set_member *add_member(struct trace *t, uint32_t set,
                                           const struct track_spec *spec)
{
    uint32_t track = new_track(t, set, spec);
    struct track_set_member *m = vec_push(&t->builder->track_sets.sets.items[set].members);
    *m = (struct track_set_member){.track = track};
    return m;
}

/* The member that the cookie holds, else one that nobody does, else a new one. */
static struct track_set_member *member_of_cookie(struct trace *t, uint32_t set,
                                                 const struct track_spec *spec, int64_t cookie)
{
    struct track_sets *ts = &t->builder->track_sets;
    struct track_set_member *m = track_set_member_find(ts, set, cookie);
    return m ? m : track_set_member_add(ts, set, new_track(t, set, spec), cookie);
}

uint32_t track_set_begin(struct trace *t, const struct track_spec *spec, int64_t cookie)
{
    struct track_set_member *m = member_of_cookie(t, track_set_number(t, spec), spec, cookie);
    m->nested++;
    return m->track;
}

uint32_t track_set_begin_once(struct trace *t, const struct track_spec *spec, int64_t cookie)
{
    struct track_set_member *m = member_of_cookie(t, track_set_number(t, spec), spec, cookie);
    m->nested = 1;
    return m->track;
}

uint32_t track_set_end(struct trace *t, const struct track_spec *spec, int64_t cookie)
{
    uint32_t set = track_set_number(t, spec);
    struct track_set_member *m = member_of_cookie(t, set, spec, cookie);
    track_set_member_end(&t->builder->track_sets, set, m);
    return m->track;
}

uint32_t track_set_first(struct trace *t, const struct track_spec *spec)
{
    uint32_t set = track_set_number(t, spec);
    const struct track_set *s = &t->builder->track_sets.sets.items[set];
    return s->members.count ? s->members.items[0].track : add_member(t, set, spec)->track;
}

uint32_t track_set_add(struct trace *t, const struct track_spec *spec)
{
    struct track_set_member *m = add_member(t, track_set_number(t, spec), spec);
    m->timed = true;
    m->cookie = INT64_MAX;
    return m->track;
}

uint32_t track_set_complete(struct trace *t, const struct track_spec *spec, int64_t ts, int64_t dur)
{
    uint32_t set = track_set_number(t, spec);
    struct track_set *s = &t->builder->track_sets.sets.items[set];
    struct track_set_member *m = NULL;
    for (size_t i = 0; i < s->members.count && !m; i++)
        if (s->members.items[i].timed && s->members.items[i].cookie <= ts)
            m = &s->members.items[i];
    if (!m)
        m = add_member(t, set, spec);
    m->timed = true;
    if (__builtin_add_overflow(ts, dur, &m->cookie))
        m->cookie = INT64_MAX;
    return m->track;
}

/* ---- numbers ---- */

struct group_start {
    int64_t ts;
    uint32_t group;
};

static int group_start_compare(const void *a, const void *b)
{
    const struct group_start *x = a, *y = b;
    if (x->ts != y->ts)
        return x->ts < y->ts ? -1 : 1;
    return (x->group > y->group) - (x->group < y->group);
}

/* The group of a track; `n` where it has none of the sets', as tracks of an export have. */
static uint32_t group_of(const struct table *tracks, uint32_t track, uint32_t n)
{
    if (column_is_null(&tracks->columns[track_col_track_group_id], track))
        return n;
    uint32_t group = table_u32(tracks, track_col_track_group_id)[track];
    return group < n ? group : n;
}

/* When the first slice of each begins; of one without slices, when that of the one before does. */
static void find_starts(const struct trace *t, struct group_start *starts, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        starts[i] = (struct group_start){INT64_MAX, i};
    const struct table *slices = &t->tables.slice, *tracks = &t->tables.track;
    for (uint32_t i = 0; i < slices->rows; i++) {
        uint32_t track = table_u32(slices, slice_col_track_id)[i];
        int64_t ts = table_i64(slices, slice_col_ts)[i];
        uint32_t group = group_of(tracks, track, n);
        if (group < n && ts < starts[group].ts)
            starts[group].ts = ts;
    }
    for (uint32_t i = 0; i < n; i++)
        if (starts[i].ts == INT64_MAX)
            starts[i].ts = i == 0 ? INT64_MIN : starts[i - 1].ts;
}

/* Not those that only hold others. */
static uint32_t files_with_events(const struct trace *t)
{
    const struct table *files = &t->tables.trace_file;
    uint32_t n = 0;
    for (uint32_t i = 0; i < files->rows; i++)
        n += column_int(&files->columns[trace_file_col_is_container], i) == 0;
    return n;
}

void track_sets_number(struct trace *t)
{
    uint32_t n = (uint32_t)t->builder->track_sets.sets.count;
    if (n == 0 || (t->tables.machine.rows < 2 && files_with_events(t) < 2))
        return;
    struct group_start *starts = alloc_array(n, sizeof *starts);
    uint32_t *numbers = alloc_array(n, sizeof *numbers);
    find_starts(t, starts, n);
    qsort(starts, n, sizeof *starts, group_start_compare);
    for (uint32_t i = 0; i < n; i++)
        numbers[starts[i].group] = i;
    struct table *tracks = &t->tables.track;
    for (uint32_t i = 0; i < tracks->rows; i++) {
        uint32_t group = group_of(tracks, i, n);
        if (group < n)
            table_set_u32(tracks, track_col_track_group_id, i, numbers[group]);
    }
    free(starts);
    free(numbers);
}
