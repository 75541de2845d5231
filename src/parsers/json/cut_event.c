#include "parsers/json/cut_event.h"

#include "base/hash.h"
#include "parsers/input/json_number.h"

static uint64_t text_hash(struct str s)
{
    return hash_bytes(s.p, s.n, 0);
}

/* Texts take numbers as the importer reads them. */
static void number_text(struct json_cut_texts *t, struct json_value v)
{
    if (v.type == JSON_STRING)
        json_number_of(&t->numbers, v.text);
}

static uint64_t number_hash(uint64_t number)
{
    return hash_mix(number, JSON_NUMBER);
}

/* A pid or tid as the importer takes it: what is neither a number nor a text is 0. `raw` as it
 * stands in the file. */
static uint64_t read_number(struct json_cut_texts *t, struct json_value v, struct str raw)
{
    bool inserted;
    int64_t number = 0;
    if (v.type != JSON_STRING) {
        bool good =
            v.type == JSON_NUMBER && json_to_i64(v, &number) && number >= 0 && number <= UINT32_MAX;
        return number_hash(good ? (uint64_t)number : 0);
    }
    uint64_t hash = hash_mix(text_hash(v.text), v.type);
    number = json_number_of(&t->numbers, v.text);
    map_insert(&t->numbered, hash, &inserted);
    if (inserted)
        *vec_push(&t->pids) = (struct json_text_number){raw, number};
    return hash;
}

static struct json_cut_id read_id(struct json_cut_texts *t, struct json_value v)
{
    int64_t number;
    number_text(t, v);
    bool is_number = v.type == JSON_NUMBER && str_to_i64(v.text, &number);
    if (!is_number && v.type != JSON_STRING)
        return (struct json_cut_id){.is_there = false};
    struct json_cut_id id = {.is_there = true,
                             .has_number = is_number,
                             .hash = hash_mix(text_hash(v.text), v.type),
                             .number = is_number ? (uint64_t)number : 0};
    if (!is_number)
        id.has_number = str_to_u64(v.text, 16, &id.number);
    return id;
}

/* 0: it is none. */
static uint64_t flow_id(struct json_cut_id id)
{
    return id.has_number ? hash_mix(id.number, 0) | 1 : 0;
}

static void read_id2(struct json_cut_texts *t, struct json_cut_event *e, struct json_value v)
{
    struct json_scan j = json_scan_from(v.text);
    struct str key;
    struct json_value id;
    bool closed, good = v.type == JSON_OBJECT && json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        bool local = str_eq(key, STR("local")), global = str_eq(key, STR("global"));
        good = json_read_value(&j, &id);
        if (good && local)
            e->local = read_id(t, id);
        else if (good && global)
            e->global = read_id(t, id);
    }
    json_scan_release(&j);
}

static char first_character(struct json_value v)
{
    return v.type == JSON_STRING && v.text.n ? v.text.p[0] : 0;
}

/* Also what is out of range, or neither a number nor a text. */
static bool is_zero(struct json_value v)
{
    int64_t number;
    bool good =
        v.type == JSON_NUMBER && json_to_i64(v, &number) && number > 0 && number <= UINT32_MAX;
    return v.type != JSON_STRING && !good;
}

static bool is_true(struct json_value v)
{
    return v.type == JSON_BOOL && v.text.n == 4;
}

/* As the importer takes names and categories: texts, where they are not empty. */
static void set_text(uint64_t *hash, struct json_value v)
{
    if (v.type == JSON_STRING)
        *hash = v.text.n > 0 ? text_hash(v.text) : 0;
}

void json_cut_member_read(struct json_cut_texts *t, struct json_cut_event *e,
                          enum json_member member, struct json_value v, struct str raw)
{
    switch (member) {
    case JSON_MEMBER_PH:
        e->phase = first_character(v);
        return;
    case JSON_MEMBER_TS:
        e->has_ts = json_us_to_ns(v, &e->ts);
        return;
    case JSON_MEMBER_DUR:
        if (!json_us_to_ns(v, &e->dur))
            e->dur = 0;
        return;
    case JSON_MEMBER_TID:
        e->thread = read_number(t, v, raw);
        e->has_thread = !is_zero(v);
        return;
    case JSON_MEMBER_PID:
        e->process = read_number(t, v, raw);
        e->has_process = v.type == JSON_STRING || v.type == JSON_NUMBER;
        return;
    case JSON_MEMBER_NAME:
        number_text(t, v);
        set_text(&e->name, v);
        return;
    case JSON_MEMBER_CAT:
        number_text(t, v);
        set_text(&e->category, v);
        return;
    case JSON_MEMBER_ID:
        e->id = read_id(t, v);
        e->text_id = v.type == JSON_STRING ? e->id.hash : 0;
        return;
    case JSON_MEMBER_ID2:
        read_id2(t, e, v);
        return;
    case JSON_MEMBER_BIND_ID:
        e->bind_id = flow_id(read_id(t, v));
        return;
    case JSON_MEMBER_FLOW_IN:
        e->flows_in = is_true(v);
        return;
    case JSON_MEMBER_FLOW_OUT:
        e->flows_out = is_true(v);
        return;
    case JSON_MEMBER_S:
        e->scope = v.text.n == 1 ? first_character(v) : 0;
        return;
    case JSON_MEMBER_BP:
        e->encloses = v.type == JSON_STRING && str_eq(v.text, STR("e"));
        return;
    case JSON_MEMBER_ARGS:
        e->args = v.type == JSON_OBJECT ? raw : (struct str){0};
        return;
    default:
        return;
    }
}

static enum json_felt felt_of(char phase)
{
    switch (phase) {
#define P(letter, keep, apply, felt, binds)                                                        \
    case letter:                                                                                   \
        return felt;
        JSON_PHASES(P)
#undef P
    default:
        return JSON_FELT_NOT;
    }
}

/* What is felt of an event also depends on what else it says. */
static enum json_felt felt_of_event(const struct json_cut_event *e)
{
    bool is_async =
        felt_of(e->phase) == JSON_FELT_ASYNC_BEGIN || felt_of(e->phase) == JSON_FELT_ASYNC_END;
    bool has_id = e->id.is_there || e->local.is_there || e->global.is_there;
    bool wide = e->scope == 'g' || e->scope == 'p';
    enum json_felt felt = felt_of(e->phase);
    if (felt == JSON_FELT_INSTANT && e->args.n && e->name == text_hash(STR(JSON_WHOLE_PROFILE)))
        return JSON_FELT_PROFILE;
    if (felt == JSON_FELT_INSTANT && wide)
        return JSON_FELT_NOT;
    if (felt == JSON_FELT_FLOW_TO_NEXT && e->encloses)
        return JSON_FELT_FLOW;
    if (is_async && (!has_id || !e->has_process))
        return JSON_FELT_NOT;
    if (felt == JSON_FELT_PART && !e->id.is_there)
        return JSON_FELT_NOT;
    return felt;
}

bool json_cut_event_read(struct json_cut_texts *texts, struct json_scan *j, uint64_t number,
                         struct json_cut_event *e)
{
    const char *start = j->p;
    struct str key;
    struct json_value v;
    bool closed = false;
    *e = (struct json_cut_event){.number = number, .process = number_hash(0)};
    if (!json_take(j, '{'))
        return false;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        enum json_member member = json_member_of(key);
        json_skip_space(j);
        const char *value = j->p;
        if (!json_read_value(j, &v))
            return false;
        json_cut_member_read(texts, e, member, v, (struct str){value, (size_t)(j->p - value)});
    }
    if (!e->has_thread)
        e->thread = e->process; /* the process as such: its main thread */
    e->felt = felt_of_event(e);
    if (!json_phase_binds(e->phase))
        e->bind_id = 0;
    if (e->felt == JSON_FELT_BEGIN && !e->name)
        e->name = text_hash(STR(JSON_NO_NAME));
    e->text = (struct str){start, (size_t)(j->p - start)};
    return closed;
}

bool json_cut_flow(const struct json_cut_event *e, uint64_t *key)
{
    bool own = e->felt == JSON_FELT_FLOW_BEGIN || e->felt == JSON_FELT_FLOW_STEP ||
               e->felt == JSON_FELT_FLOW || e->felt == JSON_FELT_FLOW_TO_NEXT;
    uint64_t id = own ? flow_id(e->id) : e->bind_id;
    *key = own ? hash_mix(hash_mix(id, e->category), e->name) : id;
    return id != 0;
}

void json_cut_texts_release(struct json_cut_texts *texts)
{
    json_numbers_release(&texts->numbers);
    map_release(&texts->numbered);
    vec_release(&texts->pids);
}
