#include "parsers/json/event.h"

#include "base/hash.h"
#include "core/import_log.h"
#include "parsers/json/import.h"

/* Members of an event, none of more than eight characters. */
#define MEMBERS(M)                                                                                 \
    M(PH, 'p', 'h')                                                                                \
    M(NAME, 'n', 'a', 'm', 'e')                                                                    \
    M(CAT, 'c', 'a', 't')                                                                          \
    M(TS, 't', 's')                                                                                \
    M(DUR, 'd', 'u', 'r')                                                                          \
    M(PID, 'p', 'i', 'd')                                                                          \
    M(TID, 't', 'i', 'd')                                                                          \
    M(ARGS, 'a', 'r', 'g', 's')                                                                    \
    M(TTS, 't', 't', 's')                                                                          \
    M(TDUR, 't', 'd', 'u', 'r')                                                                    \
    M(ID, 'i', 'd')                                                                                \
    M(ID2, 'i', 'd', '2')                                                                          \
    M(SF, 's', 'f')                                                                                \
    M(S, 's')                                                                                      \
    M(BP, 'b', 'p')                                                                                \
    M(BIND_ID, 'b', 'i', 'n', 'd', '_', 'i', 'd')                                                  \
    M(FLOW_IN, 'f', 'l', 'o', 'w', '_', 'i', 'n')                                                  \
    M(FLOW_OUT, 'f', 'l', 'o', 'w', '_', 'o', 'u', 't')

enum member {
#define M(name, ...) MEMBER_##name,
    MEMBERS(M)
#undef M
        MEMBER_OTHER,
};

/* What an event is known by: a text or a whole number. */
struct id {
    enum { ID_NONE, ID_TEXT, ID_NUMBER } kind;
    string_id text;
    uint64_t number;
};

/* An event as far as it was read. */
struct event {
    bool any, has_ts, has_args, has_pid, has_tid, bad_number;
    const char *read_to; /* behind the bad number */
    struct str args;     /* without white space */
    int64_t ts;
    struct id id, id2_local, id2_global, bind_id;
    uint64_t frame; /* a hash of its id; 0: none */
    struct json_thread thread;
    struct json_record record;
    int64_t values[JSON_PARTS]; /* by the part's bit */
};

/* A name of up to eight characters as a number. */
#define WORD(...)                            WORD_OF(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0, 0)
#define WORD_OF(a, b, c, d, e, f, g, h, ...) (HALF_WORD(a, b, c, d) | HALF_WORD(e, f, g, h) << 32)
#define HALF_WORD(a, b, c, d)                                                                      \
    ((uint64_t)(a) | (uint64_t)(b) << 8 | (uint64_t)(c) << 16 | (uint64_t)(d) << 24)

static enum member member_of(struct str key)
{
    uint64_t name = 0;
    if (key.n > sizeof name)
        return MEMBER_OTHER;
    for (size_t i = key.n; i-- > 0;)
        name = name << 8 | (uint8_t)key.p[i];
    switch (name) {
#define M(name, ...)                                                                               \
    case WORD(__VA_ARGS__):                                                                        \
        return MEMBER_##name;
        MEMBERS(M)
#undef M
    default:
        return MEMBER_OTHER;
    }
}

static void set_part(struct event *e, enum json_part part, int64_t value)
{
    e->record.parts |= part;
    e->values[__builtin_ctz(part)] = value;
}

/* A duration or thread time. */
static void set_time(struct event *e, enum json_part part, struct json_value v)
{
    int64_t ns;
    if (json_us_to_ns(v, &ns))
        set_part(e, part, ns);
    else
        e->bad_number = true;
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
    if (text.n == 0)
        return NULL_STRING;
    string_id id = trace_intern(im->trace, text);
    while (im->counted.count <= id)
        *vec_push(&im->counted) = false;
    if (!im->counted.items[id])
        number_of(im, text);
    im->counted.items[id] = true;
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
static bool read_number(struct json_import *im, struct json_value v, int64_t *out, string_id *name,
                        bool *text)
{
    *text = v.type == JSON_STRING;
    *out = 0;
    if (*text) {
        *out = number_of(im, v.text);
        *name = trace_intern(im->trace, v.text);
    } else if (v.type != JSON_NUMBER) {
        return false;
    } else if (!json_to_i64(v, out) || *out < 0 || *out > UINT32_MAX) {
        *out = 0;
    }
    return true;
}

static struct id read_id(struct json_import *im, struct json_value v)
{
    int64_t number;
    if (v.type == JSON_STRING) {
        number_of(im, v.text);
        return (struct id){ID_TEXT, trace_intern(im->trace, v.text), 0};
    }
    if (v.type == JSON_NUMBER && str_to_i64(v.text, &number))
        return (struct id){ID_NUMBER, NULL_STRING, (uint64_t)number};
    return (struct id){ID_NONE, NULL_STRING, 0};
}

static void read_id2(struct json_import *im, struct event *e, struct json_value v)
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
        if (local)
            e->id2_local = read_id(im, id);
        else if (global)
            e->id2_global = read_id(im, id);
    }
    json_scan_release(&j);
}

/* The number of a flow: a text is one in base 16. False where the id is none. */
static bool flow_number(struct json_import *im, const struct id *id, int64_t *out)
{
    uint64_t number = id->number;
    if (id->kind == ID_NONE ||
        (id->kind == ID_TEXT &&
         !str_to_u64(string_pool_get(&im->trace->strings, id->text), 16, &number)))
        return false;
    *out = (int64_t)number;
    return true;
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
static void squeeze(struct json_import *im, struct str text)
{
    const char *p = text.p, *end = text.p + text.n;
    im->text.count = 0;
    vec_reserve(&im->text, text.n);
    char *out = im->text.items;
    while ((p = json_behind_space(p, end)) < end) {
        char c = *out++ = *p++;
        for (bool inside = c == '"'; inside && p < end;) {
            c = *out++ = *p++;
            inside = c != '"';
            if (c == '\\' && p < end)
                *out++ = *p++;
        }
    }
    im->text.count = (size_t)(out - im->text.items);
}

static void keep_args(struct json_import *im, struct event *e, struct json_value v)
{
    e->has_args = v.type == JSON_OBJECT;
    e->args = v.text;
    if (!e->has_args || !v.spaced)
        return;
    squeeze(im, v.text);
    e->args = (struct str){im->text.items, im->text.count};
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
            e->record.category = intern_category(im, v.text);
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
        e->has_pid = read_number(im, v, &e->thread.pid, &e->thread.pid_name, &e->thread.pid_text);
        return;
    case MEMBER_TID:
        e->has_tid = read_number(im, v, &e->thread.tid, &e->thread.tid_name, &e->thread.tid_text);
        return;
    case MEMBER_ARGS:
        keep_args(im, e, v);
        return;
    case MEMBER_ID:
        e->id = read_id(im, v);
        return;
    case MEMBER_ID2:
        read_id2(im, e, v);
        return;
    case MEMBER_SF:
        if (v.type == JSON_STRING || v.type == JSON_NUMBER)
            e->frame = json_frame_id(v.text);
        return;
    case MEMBER_S:
        e->record.scope = v.text.n == 1 ? first_character(v) : '\0';
        return;
    case MEMBER_BP:
        set_flag(e, JSON_BIND_ENCLOSING, v.type == JSON_STRING && str_eq(v.text, STR("e")));
        return;
    case MEMBER_BIND_ID:
        e->bind_id = read_id(im, v);
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

static bool same_thread(const struct json_thread *a, const struct json_thread *b)
{
    return a->pid == b->pid && a->tid == b->tid && a->pid_text == b->pid_text &&
           a->tid_text == b->tid_text;
}

static uint32_t thread_index(struct json_import *im, struct event *e)
{
    struct json_thread *th = &e->thread;
    if (th->tid == 0 && !th->tid_text)
        th->tid = th->pid; /* the process as such: its main thread */
    if (im->threads.count && same_thread(th, &im->threads.items[im->thread]))
        return im->thread;
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
    im->thread = *index;
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
    int64_t dur = r->phase == 'X' && e->values[0] > 0 ? e->values[0] : 0;
    int64_t ts;
    if (clock_file_time(im->trace, e->ts, &ts))
        *vec_push(&im->entries) = (struct timed){.ts = ts, .rank = INT64_MAX - dur, .record = r};
}

static struct json_scan scan_args(const struct event *e)
{
    return json_scan_from(e->has_args ? e->args : (struct str){"{}", 2});
}

/* Tells of the event that it is malformed, when its turn comes. */
static void push_fault(struct json_import *im, const struct event *e)
{
    struct event fault = *e;
    fault.record.parts = 0;
    fault.record.flags = JSON_FAULT;
    push(im, &fault);
}

static void add_text(struct json_import *im, struct str text)
{
    size_t n = im->series.count;
    vec_reserve(&im->series, n + text.n);
    if (text.n)
        memcpy(im->series.items + n, text.p, text.n);
    im->series.count = n + text.n;
}

/* The counter of an arg is named after the event, its id and the arg. */
static string_id series_name(struct json_import *im, const struct event *e, string_id event_name,
                             struct str key)
{
    im->series.count = 0;
    add_text(im, string_pool_get(&im->trace->strings, event_name));
    if (e->id.kind == ID_TEXT) {
        add_text(im, STR(" id: "));
        add_text(im, string_pool_get(&im->trace->strings, e->id.text));
    }
    add_text(im, STR(" "));
    add_text(im, key);
    return trace_intern(im->trace, (struct str){im->series.items, im->series.count});
}

/* One record a series, or that it is malformed. */
static void keep_counter(struct json_import *im, struct event *e)
{
    struct json_scan j = scan_args(e);
    string_id name = e->record.name;
    struct str key;
    struct json_value v;
    double value;
    bool closed, any = false;
    if (!e->has_args) {
        push_fault(im, e);
        return;
    }
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        string_id series = series_name(im, e, name, key);
        if (!json_read_value(&j, &v))
            break;
        any = true;
        if (!json_to_f64(v, &value)) {
            push_fault(im, e);
            continue;
        }
        e->record.name = series;
        set_real(e, JSON_PART_VALUE, value);
        push(im, e);
        e->record.name = name;
    }
    json_scan_release(&j);
    if (!any)
        push(im, e);
}

/* One record for each arg that names or sorts. */
static void keep_metadata(struct json_import *im, struct event *e)
{
    const struct json_keys *keys = &im->keys;
    string_id name = e->record.name;
    bool names = name == keys->thread_name || name == keys->process_name;
    bool sorts = name == keys->thread_sort_index || name == keys->process_sort_index;
    struct str wanted = names ? STR("name") : STR("sort_index"), key;
    struct json_scan j = scan_args(e);
    struct json_value v;
    bool closed, any = false;
    int64_t index;
    json_take(&j, '{');
    for (bool first = true; (names || sorts) && json_next_key(&j, first, &key, &closed);
         first = false) {
        bool is = str_eq(key, wanted);
        if (!json_read_value(&j, &v))
            break;
        if (!is)
            continue;
        any = true;
        if (names && v.type == JSON_STRING && v.text.n) {
            set_part(e, JSON_PART_TEXT, trace_intern(im->trace, v.text));
            push(im, e);
        } else if (sorts && v.type == JSON_NUMBER && json_to_i64(v, &index)) {
            set_part(e, JSON_PART_NUMBER, index);
            push(im, e);
        } else {
            push_fault(im, e);
        }
    }
    json_scan_release(&j);
    if (!any)
        push(im, e);
}

static void read_state_arg(struct json_import *im, struct event *e, struct str key,
                           struct json_value v)
{
    int64_t number;
    if (str_eq(key, STR("blocked_function")) && v.type == JSON_STRING && v.text.n)
        set_part(e, JSON_PART_TEXT, trace_intern(im->trace, v.text));
    else if (str_eq(key, STR("cpu")) && json_to_i64(v, &number) && number >= 0 &&
             number <= UINT16_MAX)
        set_part(e, JSON_PART_NUMBER, number);
    else if (str_eq(key, STR("io_wait")) && json_to_i64(v, &number))
        set_part(e, JSON_PART_IO_WAIT, number != 0);
}

/* A state that a thread was in from ts to ts + dur; async steps have the same phase. */
static void keep_thread_state(struct json_import *im, struct event *e)
{
    struct str category = string_pool_get(&im->trace->strings, e->record.category), key, text;
    struct json_scan j = scan_args(e);
    struct json_value v;
    bool closed;
    if (!str_eq(category, STR("thread_state")) || !(e->record.parts & JSON_PART_DUR) ||
        e->values[0] < 0) {
        push_fault(im, e);
        return;
    }
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        char name[sizeof "blocked_function"];
        text = (struct str){name, key.n < sizeof name ? key.n : 0};
        memcpy(name, key.p, text.n); /* the next string takes the key's place */
        if (!json_read_value(&j, &v))
            break;
        read_state_arg(im, e, text, v);
    }
    json_scan_release(&j);
    push(im, e);
}

/* Which of the ids an async event goes by; false where it has none. */
static bool set_async_id(struct event *e)
{
    bool local = e->id.kind == ID_NONE && e->id2_global.kind == ID_NONE;
    const struct id *id = e->id.kind != ID_NONE ? &e->id : local ? &e->id2_local : &e->id2_global;
    uint64_t what = id->kind == ID_TEXT ? id->text : id->number;
    set_flag(e, JSON_ID_LOCAL, local);
    set_part(e, JSON_PART_ID, (int64_t)hash_mix(what, (uint64_t)id->kind));
    return id->kind != ID_NONE && e->has_pid;
}

/* Whether the event lacks what its phase must have. */
static bool is_incomplete(const struct event *e)
{
    bool on_thread = e->record.scope != 'g' && e->record.scope != 'p';
    switch (e->record.phase) {
    case 'X':
        return !(e->record.parts & JSON_PART_DUR) || e->values[0] < 0;
    case 'i':
    case 'I':
    case 'R':
        return (on_thread && !e->has_tid) || (e->record.scope == 'p' && !e->has_pid);
    default:
        return false;
    }
}

static void set_end_args(struct json_import *im, struct event *e)
{
    char *args = arena_alloc_bytes(&im->arena, e->args.n);
    memcpy(args, e->args.p, e->args.n);
    set_part(e, JSON_PART_ARGS, (int64_t)(uintptr_t)args);
    set_part(e, JSON_PART_ARGS_SIZE, (int64_t)e->args.n);
}

static void keep_slice(struct json_import *im, struct event *e, bool binds, bool named)
{
    int64_t number;
    if (is_incomplete(e)) {
        push_fault(im, e);
        return;
    }
    if (named && !e->record.name)
        e->record.name = im->keys.no_name;
    if (binds && flow_number(im, &e->bind_id, &number))
        set_part(e, JSON_PART_BIND_ID, number);
    bool args = e->has_args && e->args.n > sizeof "{}" - 1;
    bool ends = e->record.phase == 'E' || e->record.phase == 'e';
    if (args && ends)
        set_end_args(im, e);
    else if (args)
        e->record.arg_set = args_intern_payload(&im->trace->args, im->args_kind,
                                                (const uint8_t *)e->args.p, e->args.n);
    push(im, e);
}

static void keep_async(struct json_import *im, struct event *e)
{
    if (!set_async_id(e))
        push_fault(im, e);
    else
        keep_slice(im, e, e->record.phase != 'e', e->record.phase == 'b');
}

static void keep_flow(struct json_import *im, struct event *e)
{
    int64_t number;
    if (flow_number(im, &e->id, &number))
        set_part(e, JSON_PART_ID, number);
    push(im, e);
}

/* One record for each sample of the chunk that was read. */
static bool push_samples(struct json_import *im, struct event *e, uint32_t profile)
{
    struct v8_profiles *p = &im->profiles.v8;
    e->record.thread = thread_index(im, e);
    for (size_t i = 0; i < p->chunk.samples.count; i++) {
        if (!v8_profile_advance(&p->items.items[profile], p->chunk.deltas.items[i]))
            return false;
        e->ts = p->items.items[profile].ts;
        set_part(e, JSON_PART_ID, profile);
        set_part(e, JSON_PART_NUMBER, p->chunk.samples.items[i]);
        push(im, e);
    }
    return true;
}

static bool keep_chunk(struct json_import *im, struct event *e, uint64_t id)
{
    struct str args = e->has_args ? e->args : (struct str){"", 0};
    uint32_t profile;
    if (!json_profiles_chunk(&im->profiles, id, e->thread.pid, args, &profile))
        return false;
    return profile == NULL_U32 || push_samples(im, e, profile);
}

/* The instant with which DevTools used to end a recording has a whole profile. */
static void keep_whole_profile(struct json_import *im, const struct event *instant)
{
    struct event e = *instant;
    e.record = (struct json_record){.arg_set = NULL_U32, .phase = 'P'};
    uint32_t profile = json_profiles_whole(&im->profiles, e.thread.pid, e.args);
    if (profile != NULL_U32 && !push_samples(im, &e, profile))
        stats_count(im->trace, STAT_json_tokenizer_failure);
}

/* A sample of a frame of "stackFrames", or of none: it then is called as the event. */
static void keep_frame(struct json_import *im, struct event *e)
{
    set_flag(e, JSON_OF_FRAME, true);
    set_part(e, JSON_PART_ID, (int64_t)e->frame);
    if (e->has_pid || e->thread.tid_text) {
        e->record.thread = thread_index(im, e);
    } else {
        set_flag(e, JSON_NO_PID, true);
        set_part(e, JSON_PART_NUMBER, e->thread.tid);
    }
    push(im, e);
}

/* A sample of a callstack, or many. */
static bool keep_sample(struct json_import *im, struct event *e)
{
    int64_t id;
    if (e->id.kind != ID_NONE)
        return flow_number(im, &e->id, &id) && keep_chunk(im, e, (uint64_t)id);
    if (e->frame)
        keep_frame(im, e);
    return true;
}

/* Whether the event makes sense. */
static bool keep(struct json_import *im, struct event *e)
{
    bool on_thread = e->record.scope != 'g' && e->record.scope != 'p';
    if (!e->record.phase || (!e->has_ts && e->record.phase != 'M'))
        return false;
    if (e->record.phase == 'P')
        return keep_sample(im, e);
    e->record.thread = thread_index(im, e);
    switch (e->record.phase) {
    case 'M':
        keep_metadata(im, e);
        return true;
    case 'C':
        keep_counter(im, e);
        return true;
    case 'T':
        keep_thread_state(im, e);
        return true;
    case 'B':
    case 'X':
        keep_slice(im, e, true, true);
        return true;
    case 'E':
        keep_slice(im, e, false, false);
        return true;
    case 'i':
    case 'I':
    case 'R':
        keep_slice(im, e, false, on_thread);
        if (e->record.name == im->keys.cpu_profile && e->has_args)
            keep_whole_profile(im, e);
        return true;
    case 'b':
    case 'e':
    case 'n':
        keep_async(im, e);
        return true;
    case 's':
    case 't':
    case 'f':
        keep_flow(im, e);
        return true;
    default: /* its thread is all that it tells of */
        push(im, e);
        return true;
    }
}

/* Keeps what is wrong with a duration or thread time, in im->series, and how far it was read. */
static void note_bad_number(struct json_import *im, struct event *e, struct json_value v)
{
    struct json_scan behind = {.p = im->scan.p, .end = im->scan.end};
    bool text = v.type == JSON_STRING;
    bool begins = text && v.text.n && ((*v.text.p >= '0' && *v.text.p <= '9') || *v.text.p == '-');
    json_take(&behind, ',');
    json_skip_space(&behind);
    e->read_to = behind.p;
    im->series.count = 0;
    add_text(im, begins ? STR("Unexpected trailing characters when parsing string timestamp '")
                 : text ? STR("Invalid number: expected digit in '")
                        : STR("Expected a number in timestamp"));
    if (text)
        add_text(im, v.text);
    add_text(im, begins ? STR("'") : text ? STR("\"'") : STR(""));
}

/* An event that begins at `start` has a number that is none. */
static void log_bad_number(struct json_import *im, const struct event *e, const char *start)
{
    struct trace *t = im->trace;
    struct arg_list *args = &im->args;
    int64_t at = e->read_to - (const char *)im->source->window.p;
    if (im->gave_up)
        return;
    im->gave_up = true;
    arg_list_clear(args);
    arg_list_str(args, trace_intern(t, STR("error")),
                 trace_intern(t, (struct str){im->series.items, im->series.count}));
    arg_list_str(args, trace_intern(t, STR("raw_event")),
                 trace_intern(t, (struct str){start, (size_t)(e->read_to - start)}));
    import_log_in_file(t, STAT_json_tokenizer_failure, (int64_t)im->dropped + at, args);
}

bool json_event_read(struct json_import *im)
{
    struct json_scan *j = &im->scan;
    struct event e = {.record = {.arg_set = NULL_U32}};
    const char *start = j->p - 1;
    struct str key;
    struct json_value v;
    bool closed;
    while (json_next_key(j, !e.any, &key, &closed)) {
        e.any = true;
        enum member member = member_of(key);
        if (!json_read_value(j, &v))
            return false;
        if (e.read_to)
            continue;
        read_member(im, &e, member, v);
        if (e.bad_number)
            note_bad_number(im, &e, v);
    }
    if (!closed)
        return false;
    if (e.read_to)
        log_bad_number(im, &e, start);
    else if (e.any && !keep(im, &e) && !im->gave_up)
        stats_count(im->trace, STAT_json_tokenizer_failure);
    return true;
}

void json_event_read_sample(struct json_import *im, struct str object)
{
    struct json_scan j = json_scan_from(object);
    struct event e = {.record = {.arg_set = NULL_U32, .phase = 'P'}};
    struct str key;
    struct json_value v;
    bool closed = false, good = json_take(&j, '{');
    while (good && json_next_key(&j, !e.any, &key, &closed)) {
        e.any = true;
        enum member member = member_of(key);
        good = json_read_value(&j, &v);
        if (good && member != MEMBER_ID && member != MEMBER_PH)
            read_member(im, &e, member, v);
    }
    json_scan_release(&j);
    if (!good || !closed || !e.has_ts || !e.has_tid)
        stats_count(im->trace, STAT_json_tokenizer_failure);
    else
        keep_frame(im, &e);
}
