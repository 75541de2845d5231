#include "parsers/json/event_members.h"

#include "base/hash.h"

/* A duration or thread time. */
static void set_time(struct json_event *e, enum json_part part, const struct json_value *v)
{
    int64_t ns;
    if (json_us_to_ns(*v, &ns))
        json_event_set(e, part, ns);
    else
        e->bad_number = true;
}

/* Whether it is the first time. The strings of before are many where the file is one of an
 * archive's, and few of them are looked at. */
static bool count_string(struct json_import *im, string_id id)
{
    bool first;
    if (id < im->strings_before) {
        map_insert(&im->counted_before, id, &first);
        return first;
    }
    while (im->counted.count <= id - im->strings_before)
        *vec_push(&im->counted) = false;
    bool *counted = &im->counted.items[id - im->strings_before];
    first = !*counted;
    *counted = true;
    return first;
}

static string_id intern_counted(struct json_import *im, struct str text)
{
    if (text.n == 0)
        return NULL_STRING;
    string_id id = trace_intern(im->trace, text);
    if (count_string(im, id))
        json_number_of(im->numbers, text);
    return id;
}

/* Categories: mostly that of the event before. */
static string_id intern_category(struct json_import *im, struct str text)
{
    if (!str_eq(text, string_pool_get(&im->trace->strings, im->category)))
        im->category = intern_counted(im, text);
    return im->category;
}

/* A pid or tid: a number of 32 bits, or else 0; or a text, which is its name. */
static bool read_number(struct json_import *im, const struct json_value *v, int64_t *out,
                        string_id *name, bool *text)
{
    *text = v->type == JSON_STRING;
    *out = 0;
    if (*text) {
        *out = json_number_of(im->numbers, v->text);
        *name = trace_intern(im->trace, v->text);
    } else if (v->type != JSON_NUMBER) {
        return false;
    } else if (!json_to_i64(*v, out) || *out < 0 || *out > UINT32_MAX) {
        *out = 0;
    }
    return true;
}

static struct json_id read_id(struct json_import *im, const struct json_value *v)
{
    int64_t number;
    if (v->type == JSON_STRING) {
        json_number_of(im->numbers, v->text);
        return (struct json_id){JSON_ID_TEXT, trace_intern(im->trace, v->text), 0};
    }
    if (v->type == JSON_NUMBER && str_to_i64(v->text, &number))
        return (struct json_id){JSON_ID_NUMBER, NULL_STRING, (uint64_t)number};
    return (struct json_id){JSON_ID_NONE, NULL_STRING, 0};
}

static void read_id2(struct json_import *im, struct json_event *e, const struct json_value *v)
{
    struct json_scan j = json_scan_from(v->text);
    struct str key;
    struct json_value id;
    bool closed, first = true;
    if (v->type != JSON_OBJECT || !json_take(&j, '{'))
        return;
    while (json_next_key(&j, first, &key, &closed)) {
        first = false;
        bool local = str_eq(key, STR("local")), global = str_eq(key, STR("global"));
        if (!json_read_value(&j, &id))
            break;
        if (local)
            e->id2_local = read_id(im, &id);
        else if (global)
            e->id2_global = read_id(im, &id);
    }
    json_scan_release(&j);
}

bool json_flow_number(struct json_import *im, const struct json_id *id, int64_t *out)
{
    uint64_t number = id->number;
    if (id->kind == JSON_ID_NONE ||
        (id->kind == JSON_ID_TEXT &&
         !str_to_u64(string_pool_get(&im->trace->strings, id->text), 16, &number)))
        return false;
    *out = (int64_t)number;
    return true;
}

static char first_character(const struct json_value *v)
{
    return v->type == JSON_STRING && v->text.n ? v->text.p[0] : '\0';
}

void json_member_read(struct json_import *im, struct json_event *e, enum json_member member,
                      const struct json_value *v)
{
    switch (member) {
    case JSON_MEMBER_PH:
        e->record.phase = first_character(v);
        return;
    case JSON_MEMBER_NAME:
        if (v->type == JSON_STRING)
            e->record.name = intern_counted(im, v->text);
        return;
    case JSON_MEMBER_CAT:
        if (v->type == JSON_STRING)
            e->record.category = intern_category(im, v->text);
        return;
    case JSON_MEMBER_TS:
        e->has_ts = json_us_to_ns(*v, &e->ts);
        e->bad_number = !e->has_ts;
        e->error = NULL_STRING;
        return;
    case JSON_MEMBER_DUR:
        set_time(e, JSON_PART_DUR, v);
        return;
    case JSON_MEMBER_TTS:
        set_time(e, JSON_PART_THREAD_TS, v);
        return;
    case JSON_MEMBER_TDUR:
        set_time(e, JSON_PART_THREAD_DUR, v);
        return;
    case JSON_MEMBER_PID:
        e->has_pid = read_number(im, v, &e->thread.pid, &e->thread.pid_name, &e->thread.pid_text);
        return;
    case JSON_MEMBER_TID:
        e->has_tid = read_number(im, v, &e->thread.tid, &e->thread.tid_name, &e->thread.tid_text);
        return;
    case JSON_MEMBER_ARGS:
        e->has_args = v->type == JSON_OBJECT;
        e->args = v->text;
        return;
    case JSON_MEMBER_ID:
        e->id = read_id(im, v);
        return;
    case JSON_MEMBER_ID2:
        read_id2(im, e, v);
        return;
    case JSON_MEMBER_SF:
        if (v->type == JSON_STRING || v->type == JSON_NUMBER)
            e->frame = json_frame_id(v->text);
        return;
    case JSON_MEMBER_S:
        e->record.scope = v->text.n == 1 ? first_character(v) : '\0';
        return;
    case JSON_MEMBER_BP:
        json_event_set_flag(e, JSON_BIND_ENCLOSING,
                            v->type == JSON_STRING && str_eq(v->text, STR("e")));
        return;
    case JSON_MEMBER_BIND_ID:
        e->bind_id = read_id(im, v);
        return;
    case JSON_MEMBER_FLOW_IN:
        json_event_set_flag(e, JSON_FLOW_IN, v->type == JSON_BOOL && v->text.n == 4);
        return;
    case JSON_MEMBER_FLOW_OUT:
        json_event_set_flag(e, JSON_FLOW_OUT, v->type == JSON_BOOL && v->text.n == 4);
        return;
    case JSON_MEMBER_OTHER:
        return;
    }
}
