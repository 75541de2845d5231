#include "core/track_set.h"

#include "base/hash.h"
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

static struct track_set_member *add_member(struct trace *t, uint32_t set,
                                           const struct track_spec *spec)
{
    struct track_set *s = &t->builder->track_sets.sets.items[set];
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

static void hold(struct trace *t, uint32_t set, struct track_set_member *m, int64_t cookie)
{
    m->cookie = cookie;
    map_set(&t->builder->track_sets.holders, hash_mix((uint64_t)cookie, set),
            (uint32_t)(m - t->builder->track_sets.sets.items[set].members.items));
}

struct track_set_member *track_set_member_find(struct trace *t, uint32_t set, int64_t cookie)
{
    struct track_set *s = &t->builder->track_sets.sets.items[set];
    const uint32_t *held =
        map_find(&t->builder->track_sets.holders, hash_mix((uint64_t)cookie, set));
    if (held && *held < s->members.count) {
        struct track_set_member *m = &s->members.items[*held];
        if (!m->timed && m->cookie == cookie)
            return m;
    }
    for (; s->first_unused < s->members.count; s->first_unused++) {
        struct track_set_member *m = &s->members.items[s->first_unused];
        if (m->timed || m->nested > 0)
            continue;
        hold(t, set, m, cookie);
        return m;
    }
    return NULL;
}

void track_set_member_end(struct trace *t, uint32_t set, struct track_set_member *m)
{
    struct track_set *s = &t->builder->track_sets.sets.items[set];
    uint32_t at = (uint32_t)(m - s->members.items);
    m->nested -= m->nested > 0;
    if (m->nested == 0 && at < s->first_unused)
        s->first_unused = at;
}

/* The member that the cookie holds, else one that nobody does, else a new one. */
static struct track_set_member *member_of_cookie(struct trace *t, uint32_t set,
                                                 const struct track_spec *spec, int64_t cookie)
{
    struct track_set_member *m = track_set_member_find(t, set, cookie);
    if (!m) {
        m = add_member(t, set, spec);
        hold(t, set, m, cookie);
    }
    return m;
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
    track_set_member_end(t, set, m);
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
