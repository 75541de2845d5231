#include "parsers/json/cut_profiles.h"

#include "base/bisect.h"
#include "base/hash.h"
#include "parsers/json/cut_profiles_internal.h"
#include "parsers/json/profiles.h"

static const struct json_sampled NO_SAMPLES = {INT64_MAX, INT64_MIN};

static struct json_cut_profile *new_profile(struct json_cut_profiles *p)
{
    *vec_push(&p->items) = (struct json_cut_profile){.ts = 0};
    return &vec_last(&p->items);
}

/* The profile that the event is about, by what the importer knows it; a new one where it begins
 * one. NULL: it has not begun, or the id is none. */
static struct json_cut_profile *profile_of(struct json_cut_profiles *p,
                                           const struct json_cut_event *e)
{
    bool inserted;
    uint64_t key = hash_mix(e->id.number, e->process);
    if (!e->id.has_number)
        return NULL;
    if (!p->chunk.has_start) {
        const uint32_t *known = map_find(&p->by_id, key);
        return known ? &p->items.items[*known] : NULL;
    }
    uint32_t *at = map_insert(&p->by_id, key, &inserted);
    if (!inserted)
        return &p->items.items[*at];
    *at = (uint32_t)p->items.count;
    return new_profile(p);
}

/* Of two that are told to call one, either may count. */
static void note_caller(struct json_cut_profiles *p, uint32_t profile, uint32_t id, uint32_t caller)
{
    bool inserted;
    uint32_t *known = map_insert(&p->callers, cut_profiles_node_key(profile, id), &inserted);
    if (inserted)
        *known = caller;
    else if (*known != caller)
        p->items.items[profile].needs_all = true;
}

static struct json_cut_node *node_of(struct json_cut_profiles *p, uint32_t profile, uint32_t id)
{
    bool inserted;
    uint32_t *at = map_insert(&p->node_of, cut_profiles_node_key(profile, id), &inserted);
    if (inserted) {
        *at = (uint32_t)p->nodes.count;
        *vec_push(&p->nodes) = (struct json_cut_node){.sampled = NO_SAMPLES};
    }
    return &p->nodes.items[*at];
}

static void note_nodes(struct json_cut_profiles *p, uint32_t profile)
{
    const struct v8_chunk *c = &p->chunk;
    p->items.items[profile].needs_all |= c->has_tree; /* which is not cut */
    for (size_t i = 0; i < c->nodes.count; i++) {
        const struct v8_node *node = &c->nodes.items[i];
        for (size_t k = 0; k < node->child_count; k++)
            note_caller(p, profile, c->children.items[node->first_child + k], node->id);
        if (node->parent != NULL_U32)
            note_caller(p, profile, node->id, node->parent);
        struct json_cut_node *told = node_of(p, profile, node->id);
        p->items.items[profile].needs_all |= told->is_told;
        told->part = told->is_told ? told->part : (uint32_t)(p->parts.count - 1);
        told->is_told = true;
    }
}

/* When the chunk's samples are, the last one before them having been at `ts`: up to the first one
 * that is at no time, which ends the chunk. */
static void set_times(struct json_cut_profiles *p, int64_t ts)
{
    const struct v8_chunk *c = &p->chunk;
    struct v8_profile profile = {.ts = ts};
    p->times.count = 0;
    if (cut_profiles_uneven(c))
        return;
    for (size_t i = 0; i < c->deltas.count; i++) {
        if (!v8_profile_advance(&profile, c->deltas.items[i]))
            return;
        *vec_push(&p->times) = profile.ts;
    }
}

static void widen(struct json_sampled *s, int64_t ts)
{
    s->first = ts < s->first ? ts : s->first;
    s->last = ts > s->last ? ts : s->last;
}

static void note_samples(struct json_cut_profiles *p, struct json_cut_part *part)
{
    for (size_t i = 0; i < p->times.count; i++) {
        widen(&part->sampled, p->times.items[i]);
        widen(&node_of(p, part->profile, p->chunk.samples.items[i])->sampled, p->times.items[i]);
    }
    if (p->times.count > 0)
        p->items.items[part->profile].ts = vec_last(&p->times);
}

/* Whether the chunk counts as damaged, which is told of each window. */
static bool is_damaged(const struct json_cut_profiles *p, bool is_instant)
{
    const struct v8_chunk *c = &p->chunk;
    return cut_profiles_uneven(c) ? !is_instant : p->times.count < c->samples.count;
}

void json_cut_profiles_note(struct json_cut_profiles *p, const struct json_cut_event *e)
{
    bool is_instant = e->felt == JSON_FELT_PROFILE;
    int64_t begin = 0;
    if (p->parts.count == NULL_U32 || !json_profile_data(NULL, &p->chunk, e->args))
        return;
    bool begins = p->chunk.has_start;
    bool has_begin = begins && !__builtin_mul_overflow(p->chunk.start, 1000, &begin);
    if (is_instant && !has_begin)
        return;
    struct json_cut_part *part = vec_push(&p->parts);
    *part = (struct json_cut_part){.number = e->number, .begins = begins, .sampled = NO_SAMPLES};
    struct json_cut_profile *profile = is_instant            ? new_profile(p)
                                       : begins == has_begin ? profile_of(p, e)
                                                             : NULL;
    if (!profile) { /* a fault */
        part->is_written = part->is_whole = true;
        return;
    }
    part->profile = (uint32_t)(profile - p->items.items);
    if (begins)
        profile->ts = begin;
    part->before = profile->ts;
    if (begins && !is_instant) /* nothing else of it counts */
        return;
    note_nodes(p, part->profile);
    set_times(p, part->before);
    note_samples(p, part);
    part->is_written = is_damaged(p, is_instant);
}

struct json_sampled json_cut_profiles_sampled(const struct json_cut_profiles *p)
{
    struct json_sampled all = NO_SAMPLES;
    for (size_t i = 0; i < p->nodes.count; i++) {
        const struct json_cut_node *node = &p->nodes.items[i];
        if (!node->is_told || node->sampled.first > node->sampled.last)
            continue;
        widen(&all, node->sampled.first);
        widen(&all, node->sampled.last);
    }
    return all;
}

static size_t first_part(const struct json_cut_profiles *p, uint64_t number)
{
    return BISECT(i, (size_t)0, p->parts.count, p->parts.items[i].number < number);
}

struct json_cut_part *cut_profiles_part(const struct json_cut_profiles *p,
                                        const struct json_cut_event *e)
{
    size_t at = first_part(p, e->number);
    return at < p->parts.count && p->parts.items[at].number == e->number ? &p->parts.items[at]
                                                                         : NULL;
}

static bool reaches(const struct json_cut_part *part, int64_t from, int64_t to)
{
    return part->sampled.first < to && part->sampled.last >= from;
}

bool json_cut_profiles_reach(const struct json_cut_profiles *p, uint64_t first, uint64_t end,
                             int64_t from, int64_t to)
{
    for (size_t i = first_part(p, first); i < p->parts.count && p->parts.items[i].number < end; i++)
        if (reaches(&p->parts.items[i], from, to))
            return true;
    return false;
}

/* The node and those that called it. */
static void need_node(struct json_cut_profiles *p, uint32_t profile, uint32_t id)
{
    for (const uint32_t *at, *caller = &id; caller;
         caller = map_find(&p->callers, cut_profiles_node_key(profile, id))) {
        id = *caller;
        at = map_find(&p->node_of, cut_profiles_node_key(profile, id));
        if (!at || !p->nodes.items[*at].is_told || p->nodes.items[*at].is_needed)
            return;
        p->nodes.items[*at].is_needed = true;
        p->parts.items[p->nodes.items[*at].part].is_written = true;
    }
}

bool cut_profiles_read(struct json_cut_profiles *p, const struct json_cut_event *e,
                       const struct json_cut_part *part)
{
    if (!json_profile_data(NULL, &p->chunk, e->args))
        return false;
    set_times(p, part->before);
    return true;
}

void json_cut_profiles_select(struct json_cut_profiles *p, const struct json_cut_event *e,
                              int64_t from, int64_t to)
{
    struct json_cut_part *part = cut_profiles_part(p, e);
    if (!part || !reaches(part, from, to) || !cut_profiles_read(p, e, part))
        return;
    for (size_t i = 0; i < p->times.count; i++) {
        if (!cut_profiles_within(p->times.items[i], from, to))
            continue;
        part->is_written = p->items.items[part->profile].is_used = true;
        need_node(p, part->profile, p->chunk.samples.items[i]);
    }
}

void json_cut_profiles_settle(struct json_cut_profiles *p)
{
    for (size_t i = 0; i < p->parts.count; i++) {
        struct json_cut_part *part = &p->parts.items[i];
        if (part->is_whole)
            continue;
        const struct json_cut_profile *profile = &p->items.items[part->profile];
        part->is_written |= profile->is_used && (part->begins || profile->needs_all);
    }
}

bool json_cut_profiles_have(const struct json_cut_profiles *p, uint64_t first, uint64_t end)
{
    for (size_t i = first_part(p, first); i < p->parts.count && p->parts.items[i].number < end; i++)
        if (p->parts.items[i].is_written)
            return true;
    return false;
}

void json_cut_profiles_release(struct json_cut_profiles *p)
{
    v8_chunk_release(&p->chunk);
    vec_release(&p->times);
    map_release(&p->by_id);
    vec_release(&p->items);
    vec_release(&p->parts);
    vec_release(&p->nodes);
    map_release(&p->node_of);
    map_release(&p->callers);
}
