#include "parsers/input/json_kind.h"

#include "parsers/input/json_scan.h"
#include "parsers/input/trace_format.h"

enum { HEAD_BYTES = 1 << 20, PEEK_BYTES = 1 << 12 };

static bool contains(struct str s, struct str word)
{
    return s.n >= word.n && memmem(s.p, s.n, word.p, word.n);
}

static enum json_kind kind_if(bool is, enum json_kind kind)
{
    return is ? kind : JSON_KIND_NONE;
}

/* Spans of a distributed trace; events of Chrome have a phase. Google's Cloud Trace has the id of
 * the trace beside them. */
static bool has_spans(struct str near)
{
    return (contains(near, STR("\"traceId\"")) || contains(near, STR("\"traceID\"")) ||
            contains(near, STR("\"spanId\""))) &&
           !contains(near, STR("\"ph\""));
}

/* The kinds of which one member with its inside tells. */
static enum json_kind kind_of_whole(struct str key, struct str near, bool array, bool object)
{
    if (str_eq(key, STR("log")))
        return kind_if(object && (contains(near, STR("\"entries\"")) ||
                                  contains(near, STR("\"creator\""))),
                       JSON_KIND_HAR);
    if (str_eq(key, STR("recording")))
        return kind_if(object && contains(near, STR("\"instrumentTypes\"")),
                       JSON_KIND_WEB_RECORDING);
    if (str_eq(key, STR("cost_centres")))
        return kind_if(array, JSON_KIND_GHC_PROFILE);
    if (str_eq(key, STR("dhatFileVersion")))
        return JSON_KIND_DHAT;
    if (str_eq(key, STR("code")))
        return kind_if(array && contains(near, STR("\"type\"")) &&
                           contains(near, STR("\"name\"")) && !contains(near, STR("\"ph\"")),
                       JSON_KIND_V8_TICKS);
    return JSON_KIND_NONE;
}

/* What a member says about the file; `value` begins with its value and may be cut. */
static enum json_kind kind_of_member(struct str key, struct str value)
{
    bool array = value.n && *value.p == '[', object = value.n && *value.p == '{';
    struct str near = value;
    if (near.n > PEEK_BYTES)
        near.n = PEEK_BYTES;
    if (str_eq(key, STR("traceEvents")) || str_eq(key, STR("systemTraceEvents")) ||
        str_eq(key, STR("displayTimeUnit")))
        return JSON_KIND_TRACE;
    if (str_eq(key, STR("$schema")))
        return kind_if(contains(near, STR("speedscope")), JSON_KIND_SPEEDSCOPE);
    if (str_eq(key, STR("nodes")))
        return kind_if(array && contains(near, STR("callFrame")), JSON_KIND_CPU_PROFILE);
    if (str_eq(key, STR("gc_samples")))
        return JSON_KIND_STACKPROF;
    if (str_eq(key, STR("linux-perf-json-version")))
        return JSON_KIND_PERF;
    if (str_eq(key, STR("logcatMessages")))
        return kind_if(array, JSON_KIND_LOG);
    if (str_eq(key, STR("snapshot")))
        return kind_if(object && contains(near, STR("\"node_fields\"")), JSON_KIND_HEAP_SNAPSHOT);
    if (str_eq(key, STR("profiles")))
        return kind_if(array && (contains(near, STR("\"evented\"")) ||
                                 contains(near, STR("\"sampled\""))),
                       JSON_KIND_SPEEDSCOPE);
    if (str_eq(key, STR("resourceSpans")))
        return kind_if(array, JSON_KIND_SPANS);
    if (str_eq(key, STR("batches")) || str_eq(key, STR("data")) || str_eq(key, STR("spans")) ||
        str_eq(key, STR("traces")))
        return kind_if(array && has_spans(near), JSON_KIND_SPANS);
    if (str_eq(key, STR("head")))
        return contains(near, STR("\"selfSize\""))
                   ? JSON_KIND_HEAP_PROFILE
                   : kind_if(contains(near, STR("\"functionName\"")), JSON_KIND_CPU_PROFILE);
    if (str_eq(key, STR("shared")))
        return contains(near, STR("\"frames\"")) ? JSON_KIND_SPEEDSCOPE
                                                 : kind_if(object, JSON_KIND_GECKO);
    if (str_eq(key, STR("threads")) || str_eq(key, STR("libs")))
        return kind_if(array, JSON_KIND_GECKO);
    if (str_eq(key, STR("profileJSON")))
        return kind_if(array || object, JSON_KIND_GECKO);
    return kind_of_whole(key, near, array, object);
}

/* "meta" may be anybody's; Gecko's says how often was sampled. */
static enum json_kind kind_of_meta(struct json_value v)
{
    return kind_if(v.type == JSON_OBJECT &&
                       (contains(v.text, STR("\"preprocessedProfileVersion\"")) ||
                        contains(v.text, STR("\"interval\""))),
                   JSON_KIND_GECKO);
}

/* A recording of Firefox's own tools holds the profile as one of its members; so does what the
 * protocol of V8's inspector answers. */
static enum json_kind kind_of_profile(struct str value)
{
    struct json_scan j = json_scan_from(value);
    struct str key = {NULL, 0};
    bool closed;
    bool first = json_take(&j, '{') && json_next_key(&j, true, &key, &closed);
    bool gecko = first && (str_eq(key, STR("meta")) || str_eq(key, STR("libs")) ||
                           str_eq(key, STR("threads")) || str_eq(key, STR("shared")) ||
                           str_eq(key, STR("counters")) || str_eq(key, STR("processes")));
    json_scan_release(&j);
    if (gecko)
        return JSON_KIND_GECKO;
    struct str near = {value.p, value.n < PEEK_BYTES ? value.n : PEEK_BYTES};
    if (!contains(near, STR("\"callFrame\"")) && !contains(near, STR("\"functionName\"")))
        return JSON_KIND_NONE;
    return contains(near, STR("\"selfSize\"")) ? JSON_KIND_HEAP_PROFILE : JSON_KIND_CPU_PROFILE;
}

static bool is_of_profile(struct str key)
{
    return str_eq(key, STR("profile")) || str_eq(key, STR("cpuProfile"));
}

/* Firefox's developer tools wrote these before the profile, which may be far behind. */
static bool is_of_recording(struct str key)
{
    static const char *const names[] = {"label",  "duration", "markers",    "frames",
                                        "memory", "ticks",    "allocations"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq(key, str_from(names[i])))
            return true;
    return false;
}

static enum json_kind kind_of_object(struct json_scan *j)
{
    enum { RECORDING_MEMBERS = 3 };
    struct str key;
    struct json_value v;
    bool closed;
    int of_recording = 0;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        json_skip_space(j);
        struct str value = {j->p, (size_t)(j->end - j->p)};
        enum json_kind kind =
            is_of_profile(key) ? kind_of_profile(value) : kind_of_member(key, value);
        bool meta = str_eq(key, STR("meta"));
        of_recording += is_of_recording(key);
        if (kind != JSON_KIND_NONE)
            return kind;
        if (of_recording >= RECORDING_MEMBERS)
            return JSON_KIND_GECKO;
        if (!json_read_value(j, &v))
            return kind_if(meta && j->ran_out, JSON_KIND_GECKO);
        if (meta && kind_of_meta(v) != JSON_KIND_NONE)
            return JSON_KIND_GECKO;
    }
    return JSON_KIND_NONE;
}

/* `next` is the first byte of what is inside. */
static enum json_kind kind_of_array(struct str inside, char next)
{
    struct str near = {inside.p, inside.n < PEEK_BYTES ? inside.n : PEEK_BYTES};
    if ((next == '{' || next == '[') && has_spans(near))
        return JSON_KIND_SPANS;
    return kind_if(next == '{' || next == ']', JSON_KIND_TRACE);
}

enum json_kind json_kind(struct bytes data)
{
    struct str s = {(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
    s = trace_format_skip_space(s);
    if (s.n == 0 || (*s.p != '{' && *s.p != '['))
        return JSON_KIND_NONE;
    bool object = *s.p == '{';
    struct str inside = trace_format_skip_space(str_skip(s, 1));
    char next = inside.n ? *inside.p : '\0';
    if (!object)
        return kind_of_array(inside, next);
    if (next != '"')
        return kind_if(next == '}', JSON_KIND_TRACE);
    struct json_scan j = json_scan_from(inside);
    enum json_kind kind = kind_of_object(&j);
    json_scan_release(&j);
    return kind == JSON_KIND_NONE ? JSON_KIND_TRACE : kind;
}
