/* Spans of distributed traces, as services report them:
 *
 *     {"data": [{"traceID": "1", "spans": [{"spanID": "2", "operationName": "GET", "startTime": 5,
 *       "duration": 7, "references": [...], "tags": [...], "logs": [...], "processID": "p1"}],
 *       "processes": {"p1": {"serviceName": "shop"}}}]}                       Jaeger, times in us
 *     [{"traceId": "1", "id": "2", "parentId": "3", "name": "get", "timestamp": 5, "duration": 7,
 *       "localEndpoint": {"serviceName": "shop"}, "annotations": [...], "tags": {...}}]     Zipkin
 *     {"resourceSpans": [{"resource": {"attributes": [...]}, "scopeSpans": [{"spans": [{"traceId":
 *       "1", "spanId": "2", "name": "GET", "startTimeUnixNano": "5", "endTimeUnixNano": "12",
 *       "attributes": [...], "events": [...]}]}]}]}                          OpenTelemetry (OTLP)
 *
 *     {"projectId": "shop", "traceId": "1", "spans": [{"spanId": "2", "kind": "RPC_SERVER", "name":
 *       "/get", "startTime": "2024-01-02T03:04:05.678Z", "endTime": "...", "parentSpanId": "1",
 *       "labels": {...}}]}                     Google's Cloud Trace, one, or a list as "traces"
 *
 * What Next.js writes to .next/trace is like Zipkin's, a list a line. As the API of Zipkin,
 * Jaeger's model and OpenTelemetry's protocol say. Members may stand in any order. */
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/trace_format.h"
#include "parsers/json/span_rows.h"
#include "parsers/text/civil_time.h"

enum { TEXT_BYTES_MAX = 1 << 30 };

struct spans {
    struct span_rows rows;
    bool found;
    /* What is around a span in the file. */
    string_id service, trace;
    struct map processes; /* Jaeger's: "processID" -> its service */
    string_id service_name, of_nobody, event_key, message_key;
};

/* What a function reads of each member of an object, or of each element of an array. */
typedef void read_member(struct spans *s, struct str key, struct json_value v);

static void each_member(struct spans *s, struct json_value object, read_member *read)
{
    struct json_scan j = json_scan_from(object.text);
    struct str key;
    struct json_value v;
    bool closed;
    VEC(char) name = {0}; /* the key may have escapes, as may the value */
    bool good = object.type == JSON_OBJECT && json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        name.count = 0;
        vec_append(&name, key.p, key.n);
        if (!json_read_value(&j, &v))
            break;
        read(s, (struct str){name.items, name.count}, v);
    }
    vec_release(&name);
    json_scan_release(&j);
}

static void each_element(struct spans *s, struct json_value array, read_member *read)
{
    struct json_scan j = json_scan_from(array.text);
    struct json_value v;
    bool good = array.type == JSON_ARRAY && json_take(&j, '[');
    for (bool first = true; good && json_next_item(&j, first, &v); first = false)
        read(s, STR(""), v);
    json_scan_release(&j);
}

/* The value of a member; JSON_NULL where it is not there. The text is within the object's. */
static struct json_value member(struct json_value object, struct str name, struct json_scan *j)
{
    struct json_value v = {.type = JSON_NULL, .text = {NULL, 0}};
    struct str key;
    bool closed;
    *j = json_scan_from(object.text);
    if (object.type != JSON_OBJECT || !json_take(j, '{'))
        return v;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        bool is = str_eq(key, name);
        if (!json_read_value(j, &v))
            break;
        if (is)
            return v;
    }
    return (struct json_value){.type = JSON_NULL, .text = {NULL, 0}};
}

/* Strings and numbers are what they are, all else is JSON. */
static string_id text_of(struct spans *s, struct json_value v)
{
    return v.type == JSON_NULL ? NULL_STRING : trace_intern(s->rows.trace, v.text);
}

static string_id text_member(struct spans *s, struct json_value object, struct str name)
{
    struct json_scan j;
    string_id id = text_of(s, member(object, name, &j));
    json_scan_release(&j);
    return id;
}

static struct service_span *current(struct spans *s)
{
    return &vec_last(&s->rows.spans);
}

static void begin_span(struct spans *s)
{
    s->found = true;
    *vec_push(&s->rows.spans) = (struct service_span){.service = s->service,
                                                      .trace = s->trace,
                                                      .ts = NULL_I64,
                                                      .slice = NULL_U32,
                                                      .track = NULL_U32};
}

/* What has no time is nothing to show; nor is what ends before it begins. */
static void end_span(struct spans *s)
{
    struct service_span *span = current(s);
    if (span->ts == NULL_I64 || span->dur < 0) {
        s->rows.spans.count--;
        stats_count(s->rows.trace, STAT_json_parser_failure);
        return;
    }
    if (!span->service)
        span->service = s->of_nobody;
}

/* {"key": "http.method", "value": "GET"} of Jaeger, {"key": "a", "value": {"intValue": "7"}} of
 * OpenTelemetry. */
static void read_tag(struct spans *s, struct str key, struct json_value tag)
{
    struct json_scan j, inner;
    struct json_value v = member(tag, STR("value"), &j), name;
    struct str kinds[] = {STR("stringValue"), STR("intValue"), STR("doubleValue"), STR("boolValue"),
                          STR("arrayValue")};
    (void)key;
    string_id value = v.type == JSON_OBJECT ? NULL_STRING : text_of(s, v);
    for (size_t i = 0; v.type == JSON_OBJECT && !value && i < sizeof kinds / sizeof *kinds; i++)
        value = text_member(s, v, kinds[i]);
    name = member(tag, STR("key"), &inner);
    if (name.type == JSON_STRING && value)
        span_rows_arg(&s->rows, name.text, value);
    json_scan_release(&inner);
    json_scan_release(&j);
}

static void read_plain_tag(struct spans *s, struct str key, struct json_value v)
{
    if (v.type != JSON_NULL)
        span_rows_arg(&s->rows, key, text_of(s, v));
}

/* An event of the span that is being read: it stands behind it. */
static void add_event(struct spans *s, size_t span, int64_t ts, string_id name)
{
    begin_span(s);
    current(s)->ts = ts;
    current(s)->name = name;
    current(s)->span_plus_one = span + 1;
}

/* Logs of Jaeger have no name, but mostly a field that says what happened. */
static string_id name_of_log(struct spans *s)
{
    const struct service_span *event = current(s);
    for (size_t i = 0; i < event->args; i++) {
        struct arg a = s->rows.args.v.items[event->first_arg + i];
        if (a.key == s->event_key || a.key == s->message_key)
            return a.s;
    }
    return trace_intern(s->rows.trace, STR("log"));
}

/* {"timestamp": 5, "value": "cache miss"} of Zipkin, {"timestamp": 5, "fields": [{"key": "event",
 * "value": "cache miss"}]} of Jaeger, {"timeUnixNano": "5", "name": "cache miss"}. */
static void read_event(struct spans *s, size_t span, struct json_value event)
{
    struct json_scan j;
    int64_t ts;
    bool timed = json_us_to_ns(member(event, STR("timestamp"), &j), &ts);
    json_scan_release(&j);
    if (!timed) {
        timed = json_to_i64(member(event, STR("timeUnixNano"), &j), &ts);
        json_scan_release(&j);
    }
    if (!timed || ts < s->rows.spans.items[span].ts)
        return;
    string_id name = text_member(s, event, STR("value"));
    add_event(s, span, ts, name ? name : text_member(s, event, STR("name")));
    each_element(s, member(event, STR("fields"), &j), read_tag);
    json_scan_release(&j);
    each_element(s, member(event, STR("attributes"), &j), read_tag);
    json_scan_release(&j);
    if (!current(s)->name)
        current(s)->name = name_of_log(s);
}

/* All events behind the span, which is the last one so far. */
static void read_events(struct spans *s, struct json_value object, struct str name)
{
    struct json_scan list, j;
    struct json_value array = member(object, name, &list), v;
    size_t span = s->rows.spans.count - 1;
    j = json_scan_from(array.text);
    bool good = array.type == JSON_ARRAY && json_take(&j, '[');
    for (bool first = true; good && json_next_item(&j, first, &v); first = false)
        read_event(s, span, v);
    json_scan_release(&j);
    json_scan_release(&list);
}

/* {"refType": "CHILD_OF", "traceID": "1", "spanID": "2"} */
static void read_reference(struct spans *s, struct str key, struct json_value v)
{
    (void)key;
    if (!current(s)->parent)
        current(s)->parent = text_member(s, v, STR("spanID"));
}

static void read_endpoint(struct spans *s, struct json_value v)
{
    string_id service = text_member(s, v, STR("serviceName"));
    if (service && !current(s)->service)
        current(s)->service = service;
}

/* Zipkin's first version has the service and, where there is none else, the times here. */
static void read_annotation(struct spans *s, struct str key, struct json_value v)
{
    struct json_scan j;
    struct service_span *span = current(s);
    int64_t ts;
    (void)key;
    read_endpoint(s, member(v, STR("endpoint"), &j));
    json_scan_release(&j);
    bool timed = json_us_to_ns(member(v, STR("timestamp"), &j), &ts);
    json_scan_release(&j);
    if (!timed || span->dur > 0)
        return;
    if (span->ts == NULL_I64)
        span->ts = ts;
    else if (ts > span->ts)
        span->dur = time_minus(ts, span->ts);
}

/* "p1": {"serviceName": "shop"} */
static void read_process(struct spans *s, struct str key, struct json_value v)
{
    bool inserted;
    *map_insert(&s->processes, trace_intern(s->rows.trace, key), &inserted) =
        text_member(s, v, STR("serviceName"));
}

/* Names, and the times that have a member of their own. */
static void read_span_member(struct spans *s, struct str key, struct json_value v)
{
    struct service_span *span = current(s);
    const uint32_t *of;
    int64_t end;
    if (str_eq(key, STR("name")) || str_eq(key, STR("operationName")))
        span->name = text_of(s, v);
    else if (str_eq(key, STR("traceId")) || str_eq(key, STR("traceID")))
        span->trace = text_of(s, v);
    else if (str_eq(key, STR("id")) || str_eq(key, STR("spanId")) || str_eq(key, STR("spanID")))
        span->id = text_of(s, v);
    else if (str_eq(key, STR("parentId")) || str_eq(key, STR("parentSpanId")) ||
             str_eq(key, STR("parentSpanID")))
        span->parent = v.text.n ? text_of(s, v) : NULL_STRING;
    else if (str_eq(key, STR("startTime")) && v.type == JSON_STRING && civil_time_iso(v.text, &end))
        span->ts = end;
    else if (str_eq(key, STR("timestamp")) || str_eq(key, STR("startTime")))
        span->ts = span->ts == NULL_I64 || str_eq(key, STR("timestamp"))
                       ? (json_us_to_ns(v, &end) ? end : span->ts)
                       : span->ts;
    else if (str_eq(key, STR("duration")) && json_us_to_ns(v, &end))
        span->dur = end;
    else if (str_eq(key, STR("startTimeUnixNano")) && json_to_i64(v, &end))
        span->ts = end;
    else if (str_eq(key, STR("kind")))
        span_rows_arg(&s->rows, key, text_of(s, v));
    else if (str_eq(key, STR("processID")) && (of = map_find(&s->processes, text_of(s, v))))
        span->service = *of;
    else if (str_eq(key, STR("references")))
        each_element(s, v, read_reference);
    else if (str_eq(key, STR("localEndpoint")))
        read_endpoint(s, v);
}

static void read_tags(struct spans *s, struct str key, struct json_value v)
{
    bool list = v.type == JSON_ARRAY;
    if (str_eq(key, STR("tags")) || str_eq(key, STR("attributes")) || str_eq(key, STR("labels")) ||
        str_eq(key, STR("binaryAnnotations"))) {
        if (list)
            each_element(s, v, read_tag);
        else
            each_member(s, v, read_plain_tag);
    }
    if (list && (str_eq(key, STR("annotations")) || str_eq(key, STR("binaryAnnotations"))))
        each_element(s, v, read_annotation);
}

static void end_at(struct service_span *span, int64_t end)
{
    if (span->ts != NULL_I64 && __builtin_sub_overflow(end, span->ts, &span->dur))
        span->dur = -1;
}

static void read_span(struct spans *s, struct str key, struct json_value v)
{
    struct json_scan j;
    int64_t end;
    (void)key;
    if (v.type != JSON_OBJECT)
        return;
    begin_span(s);
    each_member(s, v, read_span_member);
    each_member(s, v, read_tags);
    struct service_span *span = current(s);
    if (json_to_i64(member(v, STR("endTimeUnixNano"), &j), &end))
        end_at(span, end);
    json_scan_release(&j);
    struct json_value text = member(v, STR("endTime"), &j);
    if (text.type == JSON_STRING && civil_time_iso(text.text, &end))
        end_at(span, end);
    json_scan_release(&j);
    size_t before = s->rows.spans.count;
    end_span(s);
    if (s->rows.spans.count < before)
        return;
    read_events(s, v, STR("logs"));
    read_events(s, v, STR("annotations"));
    read_events(s, v, STR("events"));
}

/* Of the attributes of a resource only the service's name is of interest here. */
static void read_resource(struct spans *s, struct str key, struct json_value v)
{
    struct json_scan j;
    (void)key;
    if (text_member(s, v, STR("key")) == s->service_name) {
        struct json_value value = member(v, STR("value"), &j);
        s->service = value.type == JSON_OBJECT ? text_member(s, value, STR("stringValue"))
                                               : text_of(s, value);
        json_scan_release(&j);
    }
}

static void read_scope(struct spans *s, struct str key, struct json_value v)
{
    struct json_scan j;
    (void)key;
    each_element(s, member(v, STR("spans"), &j), read_span);
    json_scan_release(&j);
}

/* {"resource": {"attributes": [...]}, "scopeSpans": [{"spans": [...]}]} */
static void read_resource_spans(struct spans *s, struct str key, struct json_value v)
{
    static const struct str lists[] = {{"scopeSpans", 10},
                                       {"instrumentationLibrarySpans", 27},
                                       {"ilSpans", 7}};
    struct json_scan j, inner;
    (void)key;
    s->service = NULL_STRING;
    struct json_value resource = member(v, STR("resource"), &j);
    each_element(s, member(resource, STR("attributes"), &inner), read_resource);
    json_scan_release(&inner);
    json_scan_release(&j);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        each_element(s, member(v, lists[i], &j), read_scope);
        json_scan_release(&j);
    }
}

/* {"traceID": "1", "spans": [...], "processes": {...}}, or Google's with the names of the project
 * and of the trace. */
static void read_jaeger(struct spans *s, struct str key, struct json_value v)
{
    struct json_scan j;
    (void)key;
    s->service = text_member(s, v, STR("projectId"));
    s->trace = text_member(s, v, STR("traceId"));
    map_release(&s->processes);
    s->processes = (struct map){0};
    each_member(s, member(v, STR("processes"), &j), read_process);
    json_scan_release(&j);
    each_element(s, member(v, STR("spans"), &j), read_span);
    json_scan_release(&j);
    s->service = s->trace = NULL_STRING;
}

/* Zipkin's list of spans may be in a list of traces. */
static void read_zipkin(struct spans *s, struct str key, struct json_value v)
{
    struct json_scan j;
    s->service = NULL_STRING;
    bool holds_spans = member(v, STR("spans"), &j).type == JSON_ARRAY;
    json_scan_release(&j);
    if (v.type == JSON_ARRAY)
        each_element(s, v, read_span);
    else if (holds_spans)
        read_jaeger(s, key, v);
    else
        read_span(s, key, v);
}

static void read_document_member(struct spans *s, struct str key, struct json_value v)
{
    if (str_eq(key, STR("data")) || str_eq(key, STR("traces")))
        each_element(s, v, read_jaeger);
    else if (str_eq(key, STR("resourceSpans")) || str_eq(key, STR("batches")))
        each_element(s, v, read_resource_spans);
}

static void read_document(struct spans *s, struct json_value v)
{
    each_element(s, v, read_zipkin);
    each_member(s, v, read_document_member);
    read_jaeger(s, STR(""), v);
}

/* Documents one behind the other; false where the last one is not whole, which begins at `*rest`.
 */
static bool read_documents(struct spans *s, struct str text, struct str *rest)
{
    struct json_scan j = json_scan_from(text);
    struct json_value v;
    for (json_skip_space(&j); j.p < j.end; json_skip_space(&j)) {
        *rest = (struct str){j.p, (size_t)(j.end - j.p)};
        if (!json_read_value(&j, &v))
            break;
        read_document(s, v);
    }
    bool whole = j.p >= j.end && !j.ran_out;
    json_scan_release(&j);
    return whole;
}

static struct status spans_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct spans s = {.rows = {.trace = t},
                      .service_name = trace_intern(t, STR("service.name")),
                      .of_nobody = trace_intern(t, STR("service")),
                      .event_key = trace_intern(t, STR("args.event")),
                      .message_key = trace_intern(t, STR("args.message"))};
    struct json_closed closed = {0};
    struct str rest = STR("");
    if (!byte_source_all(source, TEXT_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str text = {(const char *)source->window.p, source->window.n};
    if (!read_documents(&s, text, &rest)) {
        stats_count(t, STAT_json_tokenizer_failure);
        bool whole;
        read_document(&s, json_document(rest, &closed, &whole));
    }
    span_rows_apply(&s.rows);
    span_rows_release(&s.rows);
    map_release(&s.processes);
    vec_release(&closed.v);
    return s.found ? status_ok_value()
                   : status_error(STATUS_FORMAT, "%s: expected JSON with spans, found none", name);
}

static bool sniff_spans(struct bytes data)
{
    return json_kind(data) == JSON_KIND_SPANS;
}

const struct trace_format spans_trace_format = {
    .name = "spans as JSON",
    .type = "spans",
    .about =
        "spans of services, as Jaeger, Zipkin, OpenTelemetry, Google's Cloud Trace and Next.js "
        "write them: JSON with spans that have a traceId",
    .clock = CLOCK_REALTIME_NUMBER,
    .sniff = sniff_spans,
    .is_text = true,
    .read_source = spans_import,
};
