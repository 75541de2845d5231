#include "parsers/json/event.h"

#include "base/hash.h"
#include "parsers/json/import.h"

/* Members of an event. */
#define MEMBERS(M)                                                                                 \
    M(PH, "ph")                                                                                    \
    M(NAME, "name")                                                                                \
    M(CAT, "cat")                                                                                  \
    M(TS, "ts")                                                                                    \
    M(DUR, "dur")                                                                                  \
    M(PID, "pid")                                                                                  \
    M(TID, "tid")                                                                                  \
    M(ARGS, "args")                                                                                \
    M(TTS, "tts")                                                                                  \
    M(TDUR, "tdur")                                                                                \
    M(ID, "id")                                                                                    \
    M(ID2, "id2")                                                                                  \
    M(S, "s")                                                                                      \
    M(BP, "bp")                                                                                    \
    M(BIND_ID, "bind_id")                                                                          \
    M(FLOW_IN, "flow_in")                                                                          \
    M(FLOW_OUT, "flow_out")

enum member {
#define M(name, text) MEMBER_##name,
    MEMBERS(M)
#undef M
        MEMBER_OTHER,
};

/* An event as far as it was read. */
struct event {
    bool any, has_ts, has_args, has_tid;
    int64_t ts;
    struct json_thread thread;
    struct json_record record;
    int64_t values[JSON_PARTS]; /* by the part's bit */
};

static enum member member_of(struct str key)
{
    static const struct {
        const char *text;
        size_t n;
    } names[] = {
#define M(name, text) {text, sizeof(text) - 1},
        MEMBERS(M)
#undef M
    };
    for (uint32_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].n == key.n && memcmp(names[i].text, key.p, key.n) == 0)
            return (enum member)i;
    return MEMBER_OTHER;
}

static void set_part(struct event *e, enum json_part part, int64_t value)
{
    e->record.parts |= part;
    e->values[__builtin_ctz(part)] = value;
}

static void set_time(struct event *e, enum json_part part, struct json_value v)
{
    int64_t ns;
    if (json_us_to_ns(v, &ns))
        set_part(e, part, ns);
}

static void set_real(struct event *e, enum json_part part, double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    set_part(e, part, bits);
}

/* Pids and tids that are texts get numbers, which others tell from where a text stands in their
 * table of strings: behind those that are always there, and behind all texts that came before it.
 */
enum { NUMBER_OF_EMPTY = 313, STRING_OVERHEAD = 5 };

static int64_t number_of(struct json_import *im, struct str text)
{
    if (text.n == 0)
        return NUMBER_OF_EMPTY;
    bool inserted;
    uint32_t *number = map_insert(&im->numbered, hash_bytes(text.p, text.n, 0), &inserted);
    if (inserted) {
        *number = (uint32_t)im->next_number;
        im->next_number += (int64_t)text.n + STRING_OVERHEAD;
    }
    return *number;
}

static string_id intern_counted(struct json_import *im, struct str text)
{
    number_of(im, text);
    return trace_intern(im->trace, text);
}

/* A pid or tid; `*name` is set where it is a text. */
static bool read_number(struct json_import *im, struct json_value v, int64_t *out, string_id *name)
{
    if (v.type == JSON_STRING) {
        *out = number_of(im, v.text);
        *name = trace_intern(im->trace, v.text);
        return true;
    }
    json_to_i64(v, out);
    return false;
}

static uint64_t hash_of_text(struct json_value v)
{
    return hash_bytes(v.text.p, v.text.n, 0);
}

static void read_id2(struct event *e, struct json_value v)
{
    struct json_scan j = json_scan_from(v.text);
    struct str key;
    struct json_value id;
    bool closed, first = true;
    if (v.type != JSON_OBJECT || !json_take(&j, '{'))
        return;
    while (json_next_key(&j, first, &key, &closed)) {
        first = false;
        bool local = str_eq(key, STR("local")), global = str_eq(key, STR("global"));
        if (!json_read_value(&j, &id))
            break;
        if (!local && !global)
            continue;
        set_part(e, JSON_PART_ID, (int64_t)hash_of_text(id));
        if (local)
            e->record.flags |= JSON_ID_LOCAL;
    }
    json_scan_release(&j);
}

static void set_flag(struct event *e, enum json_flag flag, bool on)
{
    if (on)
        e->record.flags |= (uint8_t)flag;
}

static char first_character(struct json_value v)
{
    return v.type == JSON_STRING && v.text.n ? v.text.p[0] : '\0';
}

/* The object without the white space around its values, so that equal args become one set. */
static void keep_args(struct json_import *im, struct event *e, struct json_value v)
{
    e->has_args = v.type == JSON_OBJECT;
    im->text.count = 0;
    if (!e->has_args)
        return;
    vec_reserve(&im->text, v.text.n);
    char *out = im->text.items;
    bool in_string = false;
    for (size_t i = 0; i < v.text.n; i++) {
        char c = v.text.p[i];
        if (!in_string && (c == ' ' || c == '\n' || c == '\t' || c == '\r'))
            continue;
        *out++ = c;
        if (in_string && c == '\\' && i + 1 < v.text.n)
            *out++ = v.text.p[++i];
        else if (c == '"')
            in_string = !in_string;
    }
    im->text.count = (size_t)(out - im->text.items);
}

static void read_member(struct json_import *im, struct event *e, enum member member,
                        struct json_value v)
{
    switch (member) {
    case MEMBER_PH:
        e->record.phase = first_character(v);
        return;
    case MEMBER_NAME:
        if (v.type == JSON_STRING)
            e->record.name = intern_counted(im, v.text);
        return;
    case MEMBER_CAT:
        if (v.type == JSON_STRING)
            e->record.category = intern_counted(im, v.text);
        return;
    case MEMBER_TS:
        e->has_ts = json_us_to_ns(v, &e->ts);
        return;
    case MEMBER_DUR:
        set_time(e, JSON_PART_DUR, v);
        return;
    case MEMBER_TTS:
        set_time(e, JSON_PART_THREAD_TS, v);
        return;
    case MEMBER_TDUR:
        set_time(e, JSON_PART_THREAD_DUR, v);
        return;
    case MEMBER_PID:
        e->thread.pid_text = read_number(im, v, &e->thread.pid, &e->thread.pid_name);
        return;
    case MEMBER_TID:
        e->has_tid = true;
        e->thread.tid_text = read_number(im, v, &e->thread.tid, &e->thread.tid_name);
        return;
    case MEMBER_ARGS:
        keep_args(im, e, v);
        return;
    case MEMBER_ID:
        set_part(e, JSON_PART_ID, (int64_t)hash_of_text(v));
        return;
    case MEMBER_ID2:
        read_id2(e, v);
        return;
    case MEMBER_S:
        e->record.scope = first_character(v);
        return;
    case MEMBER_BP:
        set_flag(e, JSON_BIND_ENCLOSING, first_character(v) == 'e');
        return;
    case MEMBER_BIND_ID:
        set_part(e, JSON_PART_BIND_ID, (int64_t)hash_of_text(v));
        return;
    case MEMBER_FLOW_IN:
        set_flag(e, JSON_FLOW_IN, v.type == JSON_BOOL && v.text.n == 4);
        return;
    case MEMBER_FLOW_OUT:
        set_flag(e, JSON_FLOW_OUT, v.type == JSON_BOOL && v.text.n == 4);
        return;
    case MEMBER_OTHER:
        return;
    }
}

static uint32_t thread_index(struct json_import *im, struct event *e)
{
    struct json_thread *th = &e->thread;
    if (!e->has_tid || (th->tid == 0 && !th->tid_text))
        th->tid = th->pid; /* the process as such: its main thread */
    uint64_t key =
        hash_mix((uint64_t)th->pid << 2 | (uint64_t)th->pid_text << 1 | (uint64_t)th->tid_text,
                 (uint64_t)th->tid);
    bool inserted;
    uint32_t *index = map_insert(&im->threads_by_id, key, &inserted);
    if (inserted) {
        *index = (uint32_t)im->threads.count;
        th->utid = NULL_U32;
        *vec_push(&im->threads) = *th;
    }
    return *index;
}

static void push(struct json_import *im, const struct event *e)
{
    size_t n = (size_t)__builtin_popcount(e->record.parts), size = sizeof e->values[0];
    struct json_record *r = arena_alloc(&im->arena, sizeof *r + n * size);
    *r = e->record;
    char *out = (char *)(r + 1);
    for (uint32_t i = 0; i < JSON_PARTS; i++) {
        if (!(e->record.parts & 1u << i))
            continue;
        memcpy(out, &e->values[i], size);
        out += size;
    }
    int64_t dur = r->phase == 'X' ? e->values[0] : 0;
    int64_t ts;
    if (clock_file_time(im->trace, e->ts, &ts))
        *vec_push(&im->entries) = (struct timed){.ts = ts, .rank = INT64_MAX - dur, .record = r};
}

static struct json_scan scan_args(const struct json_import *im, const struct event *e)
{
    return json_scan_from(e->has_args ? (struct str){im->text.items, im->text.count}
                                      : (struct str){"{}", 2});
}

/* The counter of an arg is named after the event and the arg. */
static string_id series_name(struct json_import *im, string_id event_name, struct str key)
{
    struct str name = string_pool_get(&im->trace->strings, event_name);
    size_t n = name.n + 1 + key.n;
    vec_reserve(&im->series, n);
    memcpy(im->series.items, name.p, name.n);
    im->series.items[name.n] = ' ';
    memcpy(im->series.items + name.n + 1, key.p, key.n);
    return trace_intern(im->trace, (struct str){im->series.items, n});
}

/* One record a series; one without a value where there is none, for its thread. */
static bool keep_counter(struct json_import *im, struct event *e)
{
    struct json_scan j = scan_args(im, e);
    string_id name = e->record.name;
    struct str key;
    struct json_value v;
    double value;
    bool closed, any = false;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        e->record.name = series_name(im, name, key);
        if (!json_read_value(&j, &v))
            break;
        if (!json_to_f64(v, &value)) {
            stats_count(im->trace, STAT_json_parser_failure);
            continue;
        }
        set_real(e, JSON_PART_VALUE, value);
        push(im, e);
        any = true;
    }
    json_scan_release(&j);
    if (!any)
        push(im, e);
    return true;
}

/* What a name or state needs of its args. */
struct known_args {
    string_id name, labels, blocked_function;
    int64_t sort_index, cpu, io_wait;
    bool has_name, has_sort_index, has_cpu, has_io_wait;
};

static struct known_args read_known_args(struct json_import *im, const struct event *e)
{
    struct json_scan j = scan_args(im, e);
    struct known_args a = {0};
    struct str key;
    struct json_value v;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        enum {
            NAME,
            LABELS,
            FUNCTION,
            SORT_INDEX,
            CPU,
            IO_WAIT,
            OTHER
        } which = str_eq(key, STR("name"))               ? NAME
                  : str_eq(key, STR("labels"))           ? LABELS
                  : str_eq(key, STR("blocked_function")) ? FUNCTION
                  : str_eq(key, STR("sort_index"))       ? SORT_INDEX
                  : str_eq(key, STR("cpu"))              ? CPU
                  : str_eq(key, STR("io_wait"))          ? IO_WAIT
                                                         : OTHER;
        if (!json_read_value(&j, &v))
            break;
        string_id text = v.type == JSON_STRING ? trace_intern(im->trace, v.text) : NULL_STRING;
        switch (which) {
        case NAME:
            a.name = text;
            a.has_name = v.type == JSON_STRING;
            break;
        case LABELS:
            a.labels = text;
            break;
        case FUNCTION:
            a.blocked_function = text;
            break;
        case SORT_INDEX:
            a.has_sort_index = json_to_i64(v, &a.sort_index);
            break;
        case CPU:
            a.has_cpu = json_to_i64(v, &a.cpu);
            break;
        case IO_WAIT:
            a.has_io_wait = json_to_i64(v, &a.io_wait);
            break;
        case OTHER:
            break;
        }
    }
    json_scan_release(&j);
    return a;
}

static bool keep_metadata(struct json_import *im, struct event *e)
{
    const struct json_keys *keys = &im->keys;
    struct known_args a = read_known_args(im, e);
    string_id name = e->record.name;
    if (name == keys->thread_name || name == keys->process_name) {
        if (!a.has_name)
            stats_count(im->trace, STAT_json_parser_failure);
        else
            set_part(e, JSON_PART_TEXT, a.name);
    } else if (name == keys->process_labels && a.labels) {
        set_part(e, JSON_PART_TEXT, a.labels);
    } else if (a.has_sort_index) {
        set_part(e, JSON_PART_NUMBER, a.sort_index);
    }
    push(im, e);
    return true;
}

/* A state that a thread was in from ts to ts + dur; async steps have the same phase. */
static bool keep_thread_state(struct json_import *im, struct event *e)
{
    struct str category = string_pool_get(&im->trace->strings, e->record.category);
    if (!str_eq(category, STR("thread_state")) || !(e->record.parts & JSON_PART_DUR) ||
        e->values[0] < 0) {
        stats_count(im->trace, STAT_json_parser_failure);
        return true;
    }
    struct known_args a = read_known_args(im, e);
    if (a.blocked_function)
        set_part(e, JSON_PART_TEXT, a.blocked_function);
    if (a.has_cpu && a.cpu >= 0 && a.cpu <= UINT16_MAX)
        set_part(e, JSON_PART_NUMBER, a.cpu);
    if (a.has_io_wait)
        set_part(e, JSON_PART_IO_WAIT, a.io_wait != 0);
    push(im, e);
    return true;
}

static void keep_slice(struct json_import *im, struct event *e)
{
    if (e->has_args && im->text.count > sizeof "{}" - 1)
        e->record.arg_set = args_intern_payload(&im->trace->args, im->args_kind,
                                                (const uint8_t *)im->text.items, im->text.count);
    push(im, e);
}

/* Whether the event makes sense. */
static bool keep(struct json_import *im, struct event *e)
{
    if (!e->has_ts && e->record.phase != 'M')
        return false;
    e->record.thread = thread_index(im, e);
    switch (e->record.phase) {
    case 'M':
        return keep_metadata(im, e);
    case 'C':
        return keep_counter(im, e);
    case 'T':
        return keep_thread_state(im, e);
    case 'X':
        if (!(e->record.parts & JSON_PART_DUR) || e->values[0] < 0) {
            stats_count(im->trace, STAT_json_complete_event_without_dur);
            return true;
        }
        break;
    default:
        break;
    }
    keep_slice(im, e);
    return true;
}

bool json_event_read(struct json_import *im)
{
    struct json_scan *j = &im->scan;
    struct event e = {.record = {.arg_set = NULL_U32}};
    struct str key;
    struct json_value v;
    bool closed;
    while (json_next_key(j, !e.any, &key, &closed)) {
        e.any = true;
        enum member member = member_of(key);
        if (!json_read_value(j, &v))
            return false;
        read_member(im, &e, member, v);
    }
    if (!closed)
        return false;
    if (e.any && !keep(im, &e))
        stats_count(im->trace, STAT_json_tokenizer_failure);
    return true;
}
