#include "core/track_set.h"

#include "core/trace.h"

void track_sets_release(struct track_sets *ts)
{
    for (size_t i = 0; i < ts->sets.count; i++)
        vec_release(&ts->sets.items[i].members);
    vec_release(&ts->sets);
    map_release(&ts->by_identity);
}

uint32_t track_set_number(struct trace *t, const struct track_spec *spec)
{
    struct track_sets *ts = &t->track_sets;
    bool inserted;
    uint32_t *set = map_insert(&ts->by_identity, track_identity(spec), &inserted);
    if (inserted) {
        *set = (uint32_t)ts->sets.count;
        *vec_push(&ts->sets) = (struct track_set){0};
    }
    return *set;
}

static struct track_set_member *add_member(struct trace *t, uint32_t set,
                                           const struct track_spec *spec)
{
    struct track_set *s = &t->track_sets.sets.items[set];
    struct track_spec one = *spec;
    if (one.dimension_count == TRACK_DIMENSIONS)
        one.dimension_count--;
    one.dimensions[one.dimension_count++] =
        (struct track_dimension){.key = "track_compressor_idx",
                                 .type = ARG_INT,
                                 .i = (int64_t)s->members.count};
    one.group_plus_one = set + 1;
    struct track_set_member *m = vec_push(&s->members);
    *m = (struct track_set_member){.track = track_new(t, &one)};
    return m;
}

struct track_set_member *track_set_member_find(struct trace *t, uint32_t set, int64_t cookie)
{
    struct track_set *s = &t->track_sets.sets.items[set];
    struct track_set_member *unused = NULL;
    for (size_t i = 0; i < s->members.count; i++) {
        struct track_set_member *m = &s->members.items[i];
        if (m->timed)
            continue;
        if (m->cookie == cookie)
            return m;
        if (!unused && m->nested == 0)
            unused = m;
    }
    if (unused)
        unused->cookie = cookie;
    return unused;
}

/* The member that the cookie holds, else one that nobody does, else a new one. */
static struct track_set_member *member_of_cookie(struct trace *t, const struct track_spec *spec,
                                                 int64_t cookie)
{
    uint32_t set = track_set_number(t, spec);
    struct track_set_member *m = track_set_member_find(t, set, cookie);
    if (!m) {
        m = add_member(t, set, spec);
        m->cookie = cookie;
    }
    return m;
}

uint32_t track_set_begin(struct trace *t, const struct track_spec *spec, int64_t cookie)
{
    struct track_set_member *m = member_of_cookie(t, spec, cookie);
    m->nested++;
    return m->track;
}

uint32_t track_set_begin_once(struct trace *t, const struct track_spec *spec, int64_t cookie)
{
    struct track_set_member *m = member_of_cookie(t, spec, cookie);
    m->nested = 1;
    return m->track;
}

uint32_t track_set_end(struct trace *t, const struct track_spec *spec, int64_t cookie)
{
    struct track_set_member *m = member_of_cookie(t, spec, cookie);
    if (m->nested)
        m->nested--;
    return m->track;
}

uint32_t track_set_first(struct trace *t, const struct track_spec *spec)
{
    uint32_t set = track_set_number(t, spec);
    const struct track_set *s = &t->track_sets.sets.items[set];
    return s->members.count ? s->members.items[0].track : add_member(t, set, spec)->track;
}

uint32_t track_set_complete(struct trace *t, const struct track_spec *spec, int64_t ts, int64_t dur)
{
    uint32_t set = track_set_number(t, spec);
    struct track_set *s = &t->track_sets.sets.items[set];
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
