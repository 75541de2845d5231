#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/json/cut_profiles.h"
#include "parsers/json/cut_profiles_internal.h"

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
    const uint32_t *at = map_find(&p->node_of, cut_profiles_node_key(w->part->profile, id));
    return (w->profile->is_used && w->profile->needs_all) || (at && p->nodes.items[*at].is_needed);
}

/* Those of the window, and the one at no time. */
static bool sample_stays(const struct put *w, size_t i)
{
    const struct json_cut_profiles *p = w->profiles;
    return i == p->times.count ||
           (i < p->times.count && cut_profiles_within(p->times.items[i], w->from, w->to));
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
    cut_put(w->out, (struct str){number, (size_t)n});
}

enum list_kind { LIST_OF_NODES, LIST_OF_DELTAS, LIST_OF_SAMPLES };

/* The list's items are the `next`th and those behind it. */
static void put_list(struct put *w, struct str list, enum list_kind kind, size_t *next)
{
    struct json_scan j = json_scan_from(list);
    struct json_value v;
    bool any = false;
    json_take(&j, '[');
    cut_put(w->out, STR("["));
    for (;;) {
        json_take(&j, ',');
        json_skip_space(&j);
        const char *start = j.p;
        if (!json_next_item(&j, true, &v))
            break;
        size_t i = kind == LIST_OF_NODES ? 0 : (*next)++;
        if (kind == LIST_OF_NODES ? !node_stays(w, v) : !sample_stays(w, i))
            continue;
        cut_put(w->out, any ? STR(",") : STR(""));
        if (kind == LIST_OF_DELTAS)
            put_delta(w, i);
        else
            cut_put(w->out, text_between(start, j.p));
        any = true;
    }
    cut_put(w->out, STR("]"));
    json_scan_release(&j);
}

/* Lists with something for each sample are cut as the samples are. */
static void put_value(struct put *w, struct str key, struct str value)
{
    const struct v8_chunk *c = &w->profiles->chunk;
    bool is_list = value.n > 0 && *value.p == '[';
    enum v8_member member = v8_member_of(key);
    size_t first = 0;
    if (is_list && member == V8_NODES)
        put_list(w, value, LIST_OF_NODES, &first);
    else if (!is_list || cut_profiles_uneven(c))
        cut_put(w->out, value);
    else if (member == V8_DELTAS || member == V8_TIMES)
        put_list(w, value, LIST_OF_DELTAS, &w->delta);
    else if (member == V8_SAMPLES)
        put_list(w, value, LIST_OF_SAMPLES, &w->sample);
    else if (count_items(value) == c->samples.count)
        put_list(w, value, LIST_OF_SAMPLES, &first);
    else
        cut_put(w->out, value);
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
        return v8_member_of(key) == V8_PROFILE;
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
    return w->form == FORM_SAMPLES && level >= LEVEL_DATA && v8_member_of(key) == V8_START;
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
    cut_put(w->out, (struct str){text, (size_t)n});
    if (w->form == FORM_BEGIN) {
        n = snprintf(text, sizeof text, ",\"args\":{\"data\":{\"startTime\":%" PRId64 "}}",
                     w->profiles->chunk.start);
        cut_put(w->out, (struct str){text, (size_t)n});
    }
    return true;
}

static void put_object(struct put *w, struct str object, enum level level)
{
    struct json_scan j = json_scan_from(object);
    struct str key;
    bool closed;
    json_take(&j, '{');
    cut_put(w->out, STR("{"));
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
        cut_put(w->out, any ? STR(",") : STR(""));
        cut_put(w->out, text_between(start, value));
        any = true;
        struct str text = text_between(value, j.p);
        bool counts = level != LEVEL_EVENT || value == w->event->args.p; /* not the last args */
        if (text.n > 0 && *text.p == '{' && counts && leads_inside(level, name))
            put_object(w, text, level + 1);
        else if (level >= LEVEL_DATA)
            put_value(w, name, text);
        else
            cut_put(w->out, text);
    }
    cut_put(w->out, STR("}"));
    json_scan_release(&j);
}

void json_cut_profiles_put(struct json_cut_profiles *p, struct cut_output *out,
                           const struct json_cut_event *e, int64_t from, int64_t to)
{
    const struct json_cut_part *part = cut_profiles_part(p, e);
    bool is_instant = e->felt == JSON_FELT_PROFILE;
    bool is_row = is_instant && cut_profiles_within(e->ts, from, to); /* with its args */
    struct put w = {.profiles = p, .part = part, .event = e, .out = out, .from = from, .to = to};
    if (!part || part->is_whole || is_row) {
        cut_put(out, e->text);
        return;
    }
    w.profile = &p->items.items[part->profile];
    if (part->begins)
        w.profile->told_ts = part->before;
    if (!cut_profiles_read(p, e, part) || (part->begins && !is_instant)) {
        cut_put(out, e->text);
        return;
    }
    if (is_instant) {
        w.form = FORM_BEGIN;
        put_object(&w, e->text, LEVEL_EVENT);
        cut_put(out, STR(",\n"));
        w.form = FORM_SAMPLES;
    }
    put_object(&w, e->text, LEVEL_EVENT);
}
