#include "parsers/json/cut_profiles.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bisect.h"
#include "base/hash.h"
#include "parsers/json/profiles.h"

static const struct json_sampled NO_SAMPLES = {INT64_MAX, INT64_MIN};

static uint64_t node_key(uint32_t profile, uint32_t id)
{
    return (uint64_t)profile << 32 | id;
}

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
    uint32_t *known = map_insert(&p->callers, node_key(profile, id), &inserted);
    if (inserted)
        *known = caller;
    else if (*known != caller)
        p->items.items[profile].needs_all = true;
}

static struct json_cut_node *node_of(struct json_cut_profiles *p, uint32_t profile, uint32_t id)
{
    bool inserted;
    uint32_t *at = map_insert(&p->node_of, node_key(profile, id), &inserted);
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

/* Of such a chunk no sample counts. */
static bool is_uneven(const struct v8_chunk *c)
{
    return c->samples.count != c->deltas.count;
}

/* When the chunk's samples are, the last one before them having been at `ts`: up to the first one
 * that is at no time, which ends the chunk. */
static void set_times(struct json_cut_profiles *p, int64_t ts)
{
    const struct v8_chunk *c = &p->chunk;
    struct v8_profile profile = {.ts = ts};
    p->times.count = 0;
    if (is_uneven(c))
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
    struct json_sampled all = NO_SAMPLES;
    for (size_t i = 0; i < p->times.count; i++) {
        widen(&all, p->times.items[i]);
        widen(&node_of(p, part->profile, p->chunk.samples.items[i])->sampled, p->times.items[i]);
    }
    part->has_samples = p->times.count > 0;
    part->first = all.first;
    part->last = all.last;
    if (part->has_samples)
        p->items.items[part->profile].ts = vec_last(&p->times);
}

/* Whether the chunk counts as damaged, which is told of each window. */
static bool is_damaged(const struct json_cut_profiles *p, bool is_instant)
{
    const struct v8_chunk *c = &p->chunk;
    return is_uneven(c) ? !is_instant : p->times.count < c->samples.count;
}

void json_cut_profiles_note(struct json_cut_profiles *p, const struct json_cut_event *e)
{
    bool is_instant = e->phase != 'P';
    int64_t begin = 0;
    if (p->parts.count == NULL_U32 || !json_profile_data(NULL, &p->chunk, e->args))
        return;
    bool begins = p->chunk.has_start;
    bool has_begin = begins && !__builtin_mul_overflow(p->chunk.start, 1000, &begin);
    if (is_instant && !has_begin)
        return;
    struct json_cut_part *part = vec_push(&p->parts);
    *part = (struct json_cut_part){.number = e->number, .begins = begins};
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

static struct json_cut_part *part_of(const struct json_cut_profiles *p,
                                     const struct json_cut_event *e)
{
    size_t at = first_part(p, e->number);
    return at < p->parts.count && p->parts.items[at].number == e->number ? &p->parts.items[at]
                                                                         : NULL;
}

static bool reaches(const struct json_cut_part *part, int64_t from, int64_t to)
{
    return part->has_samples && part->first < to && part->last >= from;
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
         caller = map_find(&p->callers, node_key(profile, id))) {
        id = *caller;
        at = map_find(&p->node_of, node_key(profile, id));
        if (!at || !p->nodes.items[*at].is_told || p->nodes.items[*at].is_needed)
            return;
        p->nodes.items[*at].is_needed = true;
        p->parts.items[p->nodes.items[*at].part].is_written = true;
    }
}

/* Reads a part again, with its times. */
static bool read_part(struct json_cut_profiles *p, const struct json_cut_event *e,
                      const struct json_cut_part *part)
{
    if (!json_profile_data(NULL, &p->chunk, e->args))
        return false;
    set_times(p, part->before);
    return true;
}

static bool is_within(int64_t ts, int64_t from, int64_t to)
{
    return ts >= from && ts < to;
}

void json_cut_profiles_select(struct json_cut_profiles *p, const struct json_cut_event *e,
                              int64_t from, int64_t to)
{
    struct json_cut_part *part = part_of(p, e);
    if (!part || !reaches(part, from, to) || !read_part(p, e, part))
        return;
    for (size_t i = 0; i < p->times.count; i++) {
        if (!is_within(p->times.items[i], from, to))
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

/* Outside of the window an instant that holds a profile is two parts, as it is a row itself. */
enum form {
    FORM_OWN,
    FORM_BEGIN,   /* of an instant */
    FORM_SAMPLES, /* behind it */
};

/* A part while it is written. */
struct put {
    struct json_cut_profiles *profiles;
    struct json_cut_profile *profile;
    const struct json_cut_part *part;
    const struct json_cut_event *event;
    struct cut_output *out;
    enum form form;
    int64_t from, to;           /* the window */
    size_t node, sample, delta; /* the next ones: each may have many lists */
};

static void put_text(struct put *w, struct str text)
{
    cut_write(w->out, text.p, text.n);
}

static struct str text_between(const char *from, const char *to)
{
    return (struct str){from, (size_t)(to - from)};
}

static size_t count_items(struct str list)
{
    struct json_scan j = json_scan_from(list);
    struct json_value v;
    size_t n = 0;
    json_take(&j, '[');
    while (json_next_item(&j, n == 0, &v))
        n++;
    json_scan_release(&j);
    return n;
}

static bool node_stays(struct put *w, struct json_value v)
{
    struct json_cut_profiles *p = w->profiles;
    if (v.type != JSON_OBJECT || w->node >= p->chunk.nodes.count)
        return false;
    uint32_t id = p->chunk.nodes.items[w->node++].id;
    const uint32_t *at = map_find(&p->node_of, node_key(w->part->profile, id));
    return (w->profile->is_used && w->profile->needs_all) || (at && p->nodes.items[*at].is_needed);
}

/* Those of the window, and the one at no time. */
static bool sample_stays(const struct put *w, size_t i)
{
    const struct json_cut_profiles *p = w->profiles;
    return i == p->times.count ||
           (i < p->times.count && is_within(p->times.items[i], w->from, w->to));
}

/* Of the `i`th sample, which stays: since the one before it that does. */
static void put_delta(struct put *w, size_t i)
{
    const struct json_cut_profiles *p = w->profiles;
    int64_t us = INT64_MAX; /* from no time on to another */
    if (i < p->times.count) {
        us = time_minus(p->times.items[i], w->profile->told_ts) / 1000;
        w->profile->told_ts = p->times.items[i];
    }
    char number[32];
    int n = snprintf(number, sizeof number, "%" PRId64, us);
    put_text(w, (struct str){number, (size_t)n});
}

enum list_kind { LIST_OF_NODES, LIST_OF_DELTAS, LIST_OF_SAMPLES };

/* The list's items are the `next`th and those behind it. */
static void put_list(struct put *w, struct str list, enum list_kind kind, size_t *next)
{
    struct json_scan j = json_scan_from(list);
    struct json_value v;
    bool any = false;
    json_take(&j, '[');
    put_text(w, STR("["));
    for (;;) {
        json_take(&j, ',');
        json_skip_space(&j);
        const char *start = j.p;
        if (!json_next_item(&j, true, &v))
            break;
        size_t i = kind == LIST_OF_NODES ? 0 : (*next)++;
        if (kind == LIST_OF_NODES ? !node_stays(w, v) : !sample_stays(w, i))
            continue;
        put_text(w, any ? STR(",") : STR(""));
        if (kind == LIST_OF_DELTAS)
            put_delta(w, i);
        else
            put_text(w, text_between(start, j.p));
        any = true;
    }
    put_text(w, STR("]"));
    json_scan_release(&j);
}

/* Lists with something for each sample are cut as the samples are. */
static void put_value(struct put *w, struct str key, struct str value)
{
    const struct v8_chunk *c = &w->profiles->chunk;
    bool is_list = value.n > 0 && *value.p == '[';
    bool is_delta = str_eq(key, STR("timeDeltas")) || str_eq(key, STR("timestamps"));
    size_t first = 0;
    if (is_list && str_eq(key, STR("nodes")))
        put_list(w, value, LIST_OF_NODES, &first);
    else if (!is_list || is_uneven(c))
        put_text(w, value);
    else if (is_delta)
        put_list(w, value, LIST_OF_DELTAS, &w->delta);
    else if (str_eq(key, STR("samples")))
        put_list(w, value, LIST_OF_SAMPLES, &w->sample);
    else if (count_items(value) == c->samples.count)
        put_list(w, value, LIST_OF_SAMPLES, &first);
    else
        put_text(w, value);
}

/* What is in what. */
enum level { LEVEL_EVENT, LEVEL_ARGS, LEVEL_DATA, LEVEL_PROFILE };

static bool leads_inside(enum level level, struct str key)
{
    switch (level) {
    case LEVEL_EVENT:
        return str_eq(key, STR("args"));
    case LEVEL_ARGS:
        return str_eq(key, STR("data"));
    case LEVEL_DATA:
        return str_eq(key, STR("cpuProfile")) || str_eq(key, STR("profile"));
    default:
        return false;
    }
}

/* Members that say something else in another form. */
static bool is_left_out(const struct put *w, enum level level, struct str key)
{
    if (w->form == FORM_BEGIN)
        return !str_eq(key, STR("pid")) && !str_eq(key, STR("ts"));
    if (w->form == FORM_SAMPLES && level == LEVEL_EVENT)
        return str_eq(key, STR("ph")) || str_eq(key, STR("id"));
    return w->form == FORM_SAMPLES && level >= LEVEL_DATA && str_eq(key, STR("startTime"));
}

/* What stands there instead; false: nothing. The id is nobody else's. */
static bool put_head(struct put *w)
{
    const struct json_cut_event *e = w->event;
    char text[128];
    if (w->form == FORM_OWN)
        return false;
    uint64_t id = hash_bytes(e->text.p, e->text.n, e->number);
    int n = snprintf(text, sizeof text, "\"ph\":\"P\",\"id\":\"0x%" PRIx64 "\"", id);
    put_text(w, (struct str){text, (size_t)n});
    if (w->form == FORM_BEGIN) {
        n = snprintf(text, sizeof text, ",\"args\":{\"data\":{\"startTime\":%" PRId64 "}}",
                     w->profiles->chunk.start);
        put_text(w, (struct str){text, (size_t)n});
    }
    return true;
}

static void put_object(struct put *w, struct str object, enum level level)
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    bool closed;
    json_take(&j, '{');
    put_text(w, STR("{"));
    for (bool any = level == LEVEL_EVENT && put_head(w);;) {
        json_take(&j, ',');
        json_skip_space(&j);
        const char *start = j.p;
        if (!json_next_key(&j, true, &key, &closed))
            break;
        char room[16]; /* the value may take the key's place */
        struct str name = {room, key.n < sizeof room ? key.n : 0};
        memcpy(room, key.p, name.n);
        json_skip_space(&j);
        const char *value = j.p;
        if (!json_skip_value(&j))
            break;
        if (is_left_out(w, level, name))
            continue;
        put_text(w, any ? STR(",") : STR(""));
        put_text(w, text_between(start, value));
        any = true;
        struct str text = text_between(value, j.p);
        bool counts = level != LEVEL_EVENT || value == w->event->args.p; /* not the last args */
        if (text.n > 0 && *text.p == '{' && counts && leads_inside(level, name))
            put_object(w, text, level + 1);
        else if (level >= LEVEL_DATA)
            put_value(w, name, text);
        else
            put_text(w, text);
    }
    put_text(w, STR("}"));
    json_scan_release(&j);
}

void json_cut_profiles_put(struct json_cut_profiles *p, struct cut_output *out,
                           const struct json_cut_event *e, int64_t from, int64_t to)
{
    const struct json_cut_part *part = part_of(p, e);
    bool is_row = e->phase != 'P' && is_within(e->ts, from, to); /* with its args */
    struct put w = {.profiles = p, .part = part, .event = e, .out = out, .from = from, .to = to};
    if (!part || part->is_whole || is_row) {
        put_text(&w, e->text);
        return;
    }
    w.profile = &p->items.items[part->profile];
    if (part->begins)
        w.profile->told_ts = part->before;
    if (!read_part(p, e, part) || (part->begins && e->phase == 'P')) {
        put_text(&w, e->text);
        return;
    }
    if (e->phase != 'P') {
        w.form = FORM_BEGIN;
        put_object(&w, e->text, LEVEL_EVENT);
        put_text(&w, STR(",\n"));
        w.form = FORM_SAMPLES;
    }
    put_object(&w, e->text, LEVEL_EVENT);
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
