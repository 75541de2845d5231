#include "parsers/json/event.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "core/import_log.h"
#include "parsers/json/event_members.h"
#include "parsers/json/phases.h"

static bool same_thread(const struct json_thread *a, const struct json_thread *b)
{
    return a->pid == b->pid && a->tid == b->tid && a->pid_text == b->pid_text &&
           a->tid_text == b->tid_text;
}

static uint32_t thread_index(struct json_import *im, struct json_event *e)
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

static void set_thread(struct json_import *im, struct json_event *e)
{
    e->record.thread = thread_index(im, e);
}

static void push(struct json_import *im, const struct json_event *e)
{
    int64_t values[JSON_PARTS];
    size_t n = 0;
    for (uint32_t parts = e->record.parts; parts; parts &= parts - 1)
        values[n++] = e->values[__builtin_ctz(parts)];
    struct json_record *r = arena_alloc(&im->arena, sizeof *r + n * sizeof values[0]);
    *r = e->record;
    memcpy(r + 1, values, n * sizeof values[0]);
    int64_t dur = r->phase == 'X' && e->values[0] > 0 ? e->values[0] : 0;
    int64_t ts;
    if (clock_file_time(im->trace, e->ts, &ts))
        *vec_push(&im->entries) = (struct timed){.ts = ts, .rank = INT64_MAX - dur, .record = r};
}

static struct json_scan scan_args(const struct json_event *e)
{
    return json_scan_from(e->has_args ? e->args : (struct str){"{}", 2});
}

/* Tells of the event that it is malformed, when its turn comes. */
static void push_fault(struct json_import *im, const struct json_event *e)
{
    struct json_event fault = *e;
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
static string_id series_name(struct json_import *im, const struct json_event *e,
                             string_id event_name, struct str key)
{
    im->series.count = 0;
    add_text(im, string_pool_get(&im->trace->strings, event_name));
    if (e->id.kind == JSON_ID_TEXT) {
        add_text(im, STR(" id: "));
        add_text(im, string_pool_get(&im->trace->strings, e->id.text));
    }
    add_text(im, STR(" "));
    add_text(im, key);
    return trace_intern(im->trace, (struct str){im->series.items, im->series.count});
}

/* One record a series, or that it is malformed. */
static void push_counter(struct json_import *im, struct json_event *e)
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
        json_event_set_real(e, JSON_PART_VALUE, value);
        push(im, e);
        e->record.name = name;
    }
    json_scan_release(&j);
    if (!any)
        push(im, e);
}

/* One record for each arg that names or sorts. */
static void push_metadata(struct json_import *im, struct json_event *e)
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
            json_event_set(e, JSON_PART_TEXT, trace_intern(im->trace, v.text));
            push(im, e);
        } else if (sorts && v.type == JSON_NUMBER && json_to_i64(v, &index)) {
            json_event_set(e, JSON_PART_NUMBER, index);
            push(im, e);
        } else {
            push_fault(im, e);
        }
    }
    json_scan_release(&j);
    if (!any)
        push(im, e);
}

static void read_state_arg(struct json_import *im, struct json_event *e, struct str key,
                           struct json_value v)
{
    int64_t number;
    if (str_eq(key, STR("blocked_function")) && v.type == JSON_STRING && v.text.n)
        json_event_set(e, JSON_PART_TEXT, trace_intern(im->trace, v.text));
    else if (str_eq(key, STR("cpu")) && json_to_i64(v, &number) && number >= 0 &&
             number <= UINT16_MAX)
        json_event_set(e, JSON_PART_NUMBER, number);
    else if (str_eq(key, STR("io_wait")) && json_to_i64(v, &number))
        json_event_set(e, JSON_PART_IO_WAIT, number != 0);
}

/* A state that a thread was in from ts to ts + dur; async steps have the same phase. */
static void push_thread_state(struct json_import *im, struct json_event *e)
{
    struct str category = string_pool_get(&im->trace->strings, e->record.category), key, text;
    struct json_scan j = scan_args(e);
    struct json_value v;
    bool closed;
    if (!str_eq(category, STR(JSON_OF_STATES)) || !(e->record.parts & JSON_PART_DUR) ||
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
static bool set_async_id(struct json_event *e)
{
    bool local = e->id.kind == JSON_ID_NONE && e->id2_global.kind == JSON_ID_NONE;
    const struct json_id *id = e->id.kind != JSON_ID_NONE ? &e->id
                               : local                    ? &e->id2_local
                                                          : &e->id2_global;
    uint64_t what = id->kind == JSON_ID_TEXT ? id->text : id->number;
    json_event_set_flag(e, JSON_ID_LOCAL, local);
    json_event_set(e, JSON_PART_ID, (int64_t)hash_mix(what, (uint64_t)id->kind));
    return id->kind != JSON_ID_NONE && e->has_pid;
}

/* Whether the event lacks what its phase must have. */
static bool is_incomplete(const struct json_event *e)
{
    bool on_thread = e->record.scope != 'g' && e->record.scope != 'p';
    switch (e->record.phase) {
    case 'X':
        return !(e->record.parts & JSON_PART_DUR);
    case 'i':
    case 'I':
    case 'R':
        return (on_thread && !e->has_tid) || (e->record.scope == 'p' && !e->has_pid);
    default:
        return false;
    }
}

static void set_end_args(struct json_import *im, struct json_event *e)
{
    char *args = arena_alloc_bytes(&im->arena, e->args.n);
    memcpy(args, e->args.p, e->args.n);
    json_event_set(e, JSON_PART_ARGS, (int64_t)(uintptr_t)args);
    json_event_set(e, JSON_PART_ARGS_SIZE, (int64_t)e->args.n);
}

static void keep_slice(struct json_import *im, struct json_event *e, bool named)
{
    int64_t number;
    if (is_incomplete(e)) {
        push_fault(im, e);
        return;
    }
    if (named && !e->record.name)
        e->record.name = im->keys.no_name;
    if (json_phase_binds(e->record.phase) && json_flow_number(im, &e->bind_id, &number))
        json_event_set(e, JSON_PART_BIND_ID, number);
    bool args = e->has_args && e->args.n > sizeof "{}" - 1;
    bool ends = e->record.phase == 'E' || e->record.phase == 'e';
    if (args && ends)
        set_end_args(im, e);
    else if (args)
        e->record.arg_set = args_intern_payload_later(&im->trace->args, im->args_kind,
                                                      (const uint8_t *)e->args.p, e->args.n);
    push(im, e);
}

static bool keep_begin(struct json_import *im, struct json_event *e)
{
    set_thread(im, e);
    keep_slice(im, e, true);
    return true;
}

static bool keep_end(struct json_import *im, struct json_event *e)
{
    set_thread(im, e);
    keep_slice(im, e, false);
    return true;
}

static bool keep_async(struct json_import *im, struct json_event *e, bool named)
{
    set_thread(im, e);
    if (!set_async_id(e))
        push_fault(im, e);
    else
        keep_slice(im, e, named);
    return true;
}

static bool keep_async_begin(struct json_import *im, struct json_event *e)
{
    return keep_async(im, e, true);
}

static bool keep_async_end(struct json_import *im, struct json_event *e)
{
    return keep_async(im, e, false);
}

static bool keep_async_instant(struct json_import *im, struct json_event *e)
{
    return keep_async(im, e, false);
}

static bool keep_flow(struct json_import *im, struct json_event *e)
{
    set_thread(im, e);
    int64_t number;
    if (json_flow_number(im, &e->id, &number))
        json_event_set(e, JSON_PART_ID, number);
    push(im, e);
    return true;
}

/* One record for each sample of the chunk that was read. */
static bool push_samples(struct json_import *im, struct json_event *e, uint32_t profile)
{
    struct v8_profiles *p = &im->profiles.v8;
    e->record.thread = thread_index(im, e);
    for (size_t i = 0; i < p->chunk.samples.count; i++) {
        if (!v8_profile_advance(&p->items.items[profile], p->chunk.deltas.items[i]))
            return false;
        e->ts = p->items.items[profile].ts;
        json_event_set(e, JSON_PART_ID, profile);
        json_event_set(e, JSON_PART_NUMBER, p->chunk.samples.items[i]);
        push(im, e);
    }
    return true;
}

static bool keep_chunk(struct json_import *im, struct json_event *e, uint64_t id)
{
    struct str args = e->has_args ? e->args : (struct str){"", 0};
    uint32_t profile;
    if (!json_profiles_chunk(&im->profiles, id, e->thread.pid, args, &profile))
        return false;
    return profile == NULL_U32 || push_samples(im, e, profile);
}

/* The instant with which DevTools used to end a recording has a whole profile. */
static void keep_whole_profile(struct json_import *im, const struct json_event *instant)
{
    struct json_event e = *instant;
    e.record = (struct json_record){.arg_set = NULL_U32, .phase = 'P'};
    uint32_t profile = json_profiles_whole(&im->profiles, e.thread.pid, e.args);
    if (profile != NULL_U32 && !push_samples(im, &e, profile))
        stats_count(im->trace, STAT_json_tokenizer_failure);
}

/* A sample of a frame of "stackFrames", or of none: it then is called as the event. */
static void keep_frame(struct json_import *im, struct json_event *e)
{
    json_event_set_flag(e, JSON_OF_FRAME, true);
    json_event_set(e, JSON_PART_ID, (int64_t)e->frame);
    if (e->has_pid || e->thread.tid_text) {
        e->record.thread = thread_index(im, e);
    } else {
        json_event_set_flag(e, JSON_NO_PID, true);
        json_event_set(e, JSON_PART_NUMBER, e->thread.tid);
    }
    push(im, e);
}

/* A sample of a callstack, or many. */
static bool keep_sample(struct json_import *im, struct json_event *e)
{
    int64_t id;
    if (e->id.kind != JSON_ID_NONE)
        return json_flow_number(im, &e->id, &id) && keep_chunk(im, e, (uint64_t)id);
    if (e->frame)
        keep_frame(im, e);
    return true;
}

static bool keep_instant(struct json_import *im, struct json_event *e)
{
    bool on_thread = e->record.scope != 'g' && e->record.scope != 'p';
    set_thread(im, e);
    keep_slice(im, e, on_thread);
    if (e->record.name == im->keys.cpu_profile && e->has_args)
        keep_whole_profile(im, e);
    return true;
}

static bool keep_metadata(struct json_import *im, struct json_event *e)
{
    set_thread(im, e);
    push_metadata(im, e);
    return true;
}

static bool keep_counter(struct json_import *im, struct json_event *e)
{
    set_thread(im, e);
    push_counter(im, e);
    return true;
}

static bool keep_thread_state(struct json_import *im, struct json_event *e)
{
    set_thread(im, e);
    push_thread_state(im, e);
    return true;
}

/* Its thread is all that rows are made of. */
static bool keep_other(struct json_import *im, struct json_event *e)
{
    set_thread(im, e);
    push(im, e);
    return true;
}

/* Whether the event makes sense. */
static bool keep(struct json_import *im, struct json_event *e)
{
    if (!e->record.phase || (!e->has_ts && e->record.phase != 'M'))
        return false;
    if (e->record.phase != 'P')
        json_order_note(&im->order, e->record.phase, e->ts);
    switch (e->record.phase) {
#define P(letter, keep, apply, felt, binds)                                                        \
    case letter:                                                                                   \
        return keep_##keep(im, e);
        JSON_PHASES(P)
#undef P
    default:
        return keep_other(im, e);
    }
}

/* Keeps what is wrong with a time, and, but for the event's own, how far it was read. */
static void note_bad_number(struct json_import *im, struct json_event *e, enum json_member member,
                            struct json_value v)
{
    /* As Trace Processor numbers them. */
    static const char kinds[] = {[JSON_NULL] = '0',   [JSON_BOOL] = '1',   [JSON_NUMBER] = '3',
                                 [JSON_STRING] = '4', [JSON_OBJECT] = '5', [JSON_ARRAY] = '6'};
    struct json_scan behind = {.p = im->scan.p, .end = im->scan.end};
    bool text = v.type == JSON_STRING;
    bool begins = text && v.text.n && ((*v.text.p >= '0' && *v.text.p <= '9') || *v.text.p == '-');
    json_take(&behind, ',');
    json_skip_space(&behind);
    e->bad_number = false;
    e->read_to = member == JSON_MEMBER_TS ? NULL : behind.p;
    im->series.count = 0;
    add_text(im, begins ? STR("Unexpected trailing characters when parsing string timestamp '")
                 : text ? STR("Invalid number: expected digit in '")
                        : STR("Expected a number in timestamp, got "));
    add_text(im, text ? v.text : (struct str){&kinds[v.type], 1});
    add_text(im, begins ? STR("'") : text ? STR("\"'") : STR(""));
    e->error = trace_intern(im->trace, (struct str){im->series.items, im->series.count});
}

enum { RAW_EVENT_MOST = 64 << 10 };

/* An event from `start` to `end` that is of no use. */
static void log_event(struct json_import *im, const struct json_event *e, const char *start,
                      const char *end)
{
    struct trace *t = im->trace;
    struct arg_list *args = &im->args;
    int64_t at = end - (const char *)im->source->window.p;
    size_t n = (size_t)(end - start);
    arg_list_clear(args);
    if (e->error)
        arg_list_str(args, trace_intern(t, STR("error")), e->error);
    arg_list_str(args, trace_intern(t, STR("raw_event")),
                 trace_intern(t, (struct str){start, n < RAW_EVENT_MOST ? n : RAW_EVENT_MOST}));
    import_log_in_file(t, STAT_json_tokenizer_failure, (int64_t)im->dropped + at, args);
}

/* The member's value, as json_member_read takes it. */
static inline bool read_member(struct json_scan *j, enum json_member member, struct json_value *v)
{
    return member == JSON_MEMBER_ARGS ? json_read_squeezed(j, v) : json_read_value(j, v);
}

bool json_event_read(struct json_import *im)
{
    struct json_scan *j = &im->scan;
    struct json_event e = {.record = {.arg_set = NULL_U32}};
    const char *start = j->p - 1;
    struct str key;
    struct json_value v;
    bool closed;
    for (;; e.any = true) {
        enum json_member member;
        if (!json_member_take(j, !e.any, &member)) {
            if (!json_next_key(j, !e.any, &key, &closed))
                break;
            member = json_member_of(key);
        }
        if (!read_member(j, member, &v))
            return false;
        if (e.read_to)
            continue;
        json_member_read(im, &e, member, &v);
        if (e.bad_number)
            note_bad_number(im, &e, member, v);
    }
    if (!closed)
        return false;
    bool good = !e.read_to && (!e.any || keep(im, &e));
    if (!good && !im->gave_up)
        log_event(im, &e, start, e.read_to ? e.read_to : j->p);
    im->gave_up |= e.read_to != NULL;
    return true;
}

void json_event_read_sample(struct json_import *im, struct str object)
{
    struct json_scan j = json_scan_from(object);
    struct json_event e = {.record = {.arg_set = NULL_U32, .phase = 'P'}};
    struct str key;
    struct json_value v;
    bool closed = false, good = json_take(&j, '{');
    while (good && json_next_key(&j, !e.any, &key, &closed)) {
        e.any = true;
        enum json_member member = json_member_of(key);
        good = read_member(&j, member, &v);
        if (good && member != JSON_MEMBER_ID && member != JSON_MEMBER_PH)
            json_member_read(im, &e, member, &v);
    }
    json_scan_release(&j);
    if (!good || !closed || !e.has_ts || !e.has_tid)
        stats_count(im->trace, STAT_json_tokenizer_failure);
    else
        keep_frame(im, &e);
}
