/* Logs that Android Studio's window Logcat exports (.logcat): a JSON object whose list
 * "logcatMessages" has a header and the text of each message. Rows of android_logs.
 *
 *     {"header": {"logLevel": "DEBUG", "pid": 1, "tid": 2, "processName": "com.app", "tag": "T",
 *                 "timestamp": {"seconds": 1671234567, "nanos": 1000}}, "message": "text"}
 *
 * As LogcatMessage of Android Studio's sources names the members. */
#include "core/android_log.h"
#include "core/trace_builder.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"

enum { LOG_BYTES_MAX = 1 << 30 };
#define NS_PER_SECOND INT64_C(1000000000)

struct studio_message {
    struct android_log_event event;
    string_id process;
};

struct studio_log {
    struct trace *trace;
    VEC(struct studio_message) messages;
};

static enum android_log_priority priority_of(struct str level)
{
    static const struct {
        struct str name;
        enum android_log_priority priority;
    } levels[] = {{{"VERBOSE", 7}, ANDROID_LOG_VERBOSE}, {{"DEBUG", 5}, ANDROID_LOG_DEBUG},
                  {{"INFO", 4}, ANDROID_LOG_INFO},       {{"WARN", 4}, ANDROID_LOG_WARN},
                  {{"ERROR", 5}, ANDROID_LOG_ERROR},     {{"ASSERT", 6}, ANDROID_LOG_FATAL}};
    for (size_t i = 0; i < sizeof levels / sizeof *levels; i++)
        if (str_eq(levels[i].name, level))
            return levels[i].priority;
    return ANDROID_LOG_UNSPECIFIED;
}

/* What is being read of a message. */
struct reading {
    struct trace *trace;
    struct studio_message message;
    int64_t seconds, nanos;
};

static void take_time(void *self, struct str key, struct json_value v)
{
    struct reading *r = self;
    if (str_eq(key, STR("seconds")))
        json_to_i64(v, &r->seconds);
    else if (str_eq(key, STR("nanos")))
        json_to_i64(v, &r->nanos);
}

static uint32_t id_in(struct json_value v)
{
    int64_t id;
    return json_to_i64(v, &id) && id >= 0 && id <= INT32_MAX ? (uint32_t)id : 0;
}

static void take_header(void *self, struct str key, struct json_value v)
{
    struct reading *r = self;
    struct android_log_event *e = &r->message.event;
    bool text = v.type == JSON_STRING;
    if (str_eq(key, STR("pid")))
        e->pid = id_in(v);
    else if (str_eq(key, STR("tid")))
        e->tid = id_in(v);
    else if (str_eq(key, STR("timestamp")) && v.type == JSON_OBJECT)
        json_members(v, r, take_time);
    else if (str_eq(key, STR("tag")) && text)
        e->tag = trace_intern(r->trace, v.text);
    else if (str_eq(key, STR("processName")) && text)
        r->message.process = trace_intern(r->trace, v.text);
    else if (str_eq(key, STR("logLevel")) && text)
        e->priority = priority_of(v.text);
}

static void take_message(void *self, struct str key, struct json_value v)
{
    struct reading *r = self;
    if (str_eq(key, STR("header")) && v.type == JSON_OBJECT)
        json_members(v, r, take_header);
    else if (str_eq(key, STR("message")) && v.type == JSON_STRING)
        r->message.event.message = trace_intern(r->trace, v.text);
}

static void add_message(void *self, struct json_value object)
{
    struct studio_log *l = self;
    struct reading r = {.trace = l->trace};
    if (object.type != JSON_OBJECT)
        return;
    json_members(object, &r, take_message);
    int64_t ns;
    if (__builtin_mul_overflow(r.seconds, NS_PER_SECOND, &ns) ||
        __builtin_add_overflow(ns, r.nanos, &r.message.event.ts)) {
        stats_count(l->trace, STAT_android_log_num_failed);
        return;
    }
    *vec_push(&l->messages) = r.message;
}

static void take_list(void *self, struct str key, struct json_value list)
{
    if (str_eq(key, STR("logcatMessages")))
        json_items(list, self, add_message);
}

static void apply(struct studio_log *l)
{
    struct trace *t = l->trace;
    uint32_t machine = stats_scope(t)->machine;
    VEC(struct timed) order = {0};
    for (size_t i = 0; i < l->messages.count; i++)
        *vec_push(&order) = (struct timed){.ts = l->messages.items[i].event.ts, .rank = (int64_t)i};
    time_sort(order.items, order.count);
    for (size_t i = 0; i < order.count; i++) {
        struct studio_message *m = &l->messages.items[order.items[i].rank];
        if (!clock_file_time(t, m->event.ts, &m->event.ts))
            continue;
        android_log_append(t, &m->event);
        if (m->process)
            process_tracker_set_process_name(t, process_tracker_process(t, machine, m->event.pid),
                                             m->process, PROCESS_NAME_OTHER);
    }
    vec_release(&order);
}

static struct status studio_log_import(struct trace *t, const char *name,
                                       struct byte_source *source)
{
    (void)name;
    struct studio_log l = {.trace = t};
    if (!byte_source_all(source, LOG_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct json_closed closed = {0};
    bool log_whole;
    json_members(json_document((struct str){(const char *)source->window.p, source->window.n},
                               &closed, &log_whole),
                 &l, take_list);
    if (!log_whole)
        trace_format_ends_early(t);
    apply(&l);
    vec_release(&closed.v);
    vec_release(&l.messages);
    return status_ok_value();
}

static bool sniff_studio_log(struct bytes data)
{
    return json_kind(data) == JSON_KIND_LOG;
}

const struct trace_format studio_log_trace_format = {
    .name = "Android Studio log",
    .type = "android_studio_log",
    .about = "logs that Android Studio exports (.logcat): a JSON object with logcatMessages",
    .clock = CLOCK_REALTIME_NUMBER,
    .sniff = sniff_studio_log,
    .is_text = true,
    .read_source = studio_log_import,
};
