#include "parsers/json/json.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "parsers/input/json_kind.h"
#include "parsers/json/apply.h"
#include "parsers/json/args.h"
#include "parsers/json/cut.h"
#include "parsers/json/event.h"
#include "parsers/json/import.h"
#include "parsers/json/metadata.h"
#include "parsers/json/nesting.h"
#include "parsers/json/phases.h"
#include "parsers/tracefs/systrace_text.h"

enum { EVENT_MAX = 1 << 26, EVENT_ALWAYS = 1 << 10 };

static void init(struct json_import *im)
{
    struct trace *t = im->trace;
    arena_init(&im->arena);
    im->strings_before = t->strings.count;
    im->profiles = json_profiles_begin(t);
    im->args_kind = json_args_kind(t, STR("args"));
    im->numbers = json_numbers_of(im->trace, im->source->stream);
    im->keys = (struct json_keys){
        .thread_name = trace_intern(t, STR("thread_name")),
        .process_name = trace_intern(t, STR("process_name")),
        .process_sort_index = trace_intern(t, STR("process_sort_index")),
        .thread_sort_index = trace_intern(t, STR("thread_sort_index")),
        .sort_index_process = trace_intern(t, STR("process_sort_index_hint")),
        .sort_index_thread = trace_intern(t, STR("thread_sort_index_hint")),
        .running = trace_intern(t, STR("Running")),
        .no_name = trace_intern(t, STR(JSON_NO_NAME)),
        .source = trace_intern(t, STR("source")),
        .chrome = trace_intern(t, STR("chrome")),
        .source_scope = trace_intern(t, STR("source_scope")),
        .is_process_scoped = trace_intern(t, STR("trace_id_is_process_scoped")),
        .upid = trace_intern(t, STR("upid")),
        .utid = trace_intern(t, STR("utid")),
        .event_name = trace_intern(t, STR("event_name")),
        .event_phase = trace_intern(t, STR("event_phase")),
        .cpu_profile = trace_intern(t, STR(JSON_WHOLE_PROFILE)),
        .conflicting_name = trace_intern(t, STR("conflicting_slice_name")),
        .conflicting_ts = trace_intern(t, STR("conflicting_slice_ts")),
        .conflicting_dur = trace_intern(t, STR("conflicting_slice_dur")),
        .overlap_start = trace_intern(t, STR("overlap_start")),
        .overlap_end = trace_intern(t, STR("overlap_end")),
    };
}

static void release(struct json_import *im)
{
    arena_release(&im->arena);
    vec_release(&im->entries);
    vec_release(&im->threads);
    vec_release(&im->series);
    vec_release(&im->members);
    map_release(&im->threads_by_id);
    map_release(&im->async_names);
    map_release(&im->counted_before);
    vec_release(&im->counted);
    arg_list_release(&im->args);
    json_scan_release(&im->scan);
    json_profiles_release(&im->profiles);
}

static size_t used_bytes(const struct json_import *im)
{
    return (size_t)(im->scan.p - (const char *)im->source->window.p);
}

static void scan_window(struct json_import *im, size_t at)
{
    const struct bytes *w = &im->source->window;
    im->scan.p = (const char *)w->p + at;
    im->scan.end = (const char *)w->p + w->n;
    im->scan.ran_out = false;
}

/* After a call that failed: where it ran out of the window and more follows, makes the window begin
 * at `from`, to read again from there. */
static bool read_on(struct json_import *im, const char *from)
{
    size_t at = (size_t)(from - (const char *)im->source->window.p);
    if (!im->scan.ran_out || !byte_source_more(im->source, at))
        return false;
    im->dropped += at;
    scan_window(im, 0);
    return true;
}

static bool take(struct json_import *im, char c)
{
    while (!json_take(&im->scan, c))
        if (!read_on(im, im->scan.p))
            return false;
    return true;
}

/* To behind the '{' of the next event after a malformed one: what follows "}," most likely. */
static bool find_next_event(struct json_import *im)
{
    struct json_scan *j = &im->scan;
    for (;;) {
        const char *hit = j->p < j->end ? memchr(j->p, '}', (size_t)(j->end - j->p)) : NULL;
        j->p = hit ? hit + 1 : j->end;
        if (!hit && j->p == j->end) {
            j->ran_out = true;
            if (!read_on(im, j->p))
                return false;
            continue;
        }
        if (take(im, ',') && take(im, '{'))
            return true;
    }
}

/* How long the next event may be. One that never ends is read up to there for nothing: the more
 * was, the less may be of those that follow, until as much was read well. */
static size_t event_max(const struct json_import *im)
{
    uint64_t spare = EVENT_MAX + im->read > im->wasted ? EVENT_MAX + im->read - im->wasted : 0;
    return spare > EVENT_MAX ? EVENT_MAX : spare < EVENT_ALWAYS ? EVENT_ALWAYS : (size_t)spare;
}

/* The event behind '{'. False where it is malformed, never ends or is too long. */
static bool read_event(struct json_import *im)
{
    struct json_scan *j = &im->scan;
    size_t max = event_max(im);
    for (const char *start = j->p;; start = j->p) {
        bool limited = (size_t)(j->end - start) > max;
        const char *end = j->end;
        if (limited)
            j->end = start + max;
        j->ran_out = false;
        bool good = json_event_read(im);
        im->read += good ? (size_t)(j->p - start) : 0;
        if (!good && j->ran_out) {
            im->wasted += (size_t)(j->end - start);
            j->p = start;
        }
        j->end = end;
        j->ran_out &= !limited;
        if (good || !read_on(im, start))
            return good;
    }
}

/* What cannot be read; where a part of the file ends within it, the rest is to come. */
static void count_unread(struct json_import *im)
{
    const struct import_options *options = &im->trace->builder->options;
    if (!im->scan.ran_out || (!options->growing && options->head == 0))
        stats_count(im->trace, STAT_json_tokenizer_failure);
}

/* The events behind '[', up to behind ']'. False where loading was cancelled. */
static bool read_events(struct json_import *im)
{
    im->found_events = true;
    for (bool good = true;;) {
        if (good) {
            take(im, ',');
            im->closed = take(im, ']');
            if (im->closed)
                return true;
            good = take(im, '{');
            if (!good && im->scan.ran_out)
                return true; /* cut short between events, as the format allows */
        } else {
            good = find_next_event(im);
            if (!good)
                return true;
        }
        good = good && read_event(im);
        if (!good)
            count_unread(im);
        if (!byte_source_done(im->source, used_bytes(im)))
            return false;
    }
}

/* The next value, whole. */
static bool read_value(struct json_import *im, struct json_value *v)
{
    const char *start = im->scan.p;
    while (!json_read_value(&im->scan, v)) {
        if (!read_on(im, start))
            return false;
        start = im->scan.p;
    }
    return true;
}

enum section {
    SECTION_OTHER,
    SECTION_EVENTS,
    SECTION_METADATA,
    SECTION_SYSTEM,
    SECTION_UNIT,
    SECTION_FRAMES,
    SECTION_SAMPLES,
    SECTION_NUMBERS,
    SECTION_ORDER,
    SECTION_ENTERED, /* an object with members of the same kind, whose '{' was taken */
};

static enum section section_of(struct str key)
{
    return str_eq(key, STR("traceEvents"))         ? SECTION_EVENTS
           : str_eq(key, STR("metadata"))          ? SECTION_METADATA
           : str_eq(key, STR("systemTraceEvents")) ? SECTION_SYSTEM
           : str_eq(key, STR("displayTimeUnit"))   ? SECTION_UNIT
           : str_eq(key, STR("stackFrames"))       ? SECTION_FRAMES
           : str_eq(key, STR("samples"))           ? SECTION_SAMPLES
           : str_eq(key, STR(JSON_NUMBERS_MEMBER)) ? SECTION_NUMBERS
           : str_eq(key, STR(JSON_ORDER_MEMBER))   ? SECTION_ORDER
                                                   : SECTION_OTHER;
}

/* Keeps the name of a member, for the message that the document is none of ours. */
static void note_member(struct json_import *im, struct str key)
{
    enum { NAMES = 60 };
    if (im->found_events || im->members.count > NAMES)
        return;
    if (im->members.count > 0)
        vec_append(&im->members, ", ", 2);
    vec_append(&im->members, key.p, key.n < NAMES ? key.n : NAMES);
}

static struct status no_trace(struct json_import *im)
{
    char *members = text_escape((struct str){im->members.items, im->members.count});
    bool none = im->members.count == 0;
    bool is_part = im->trace->builder->options.head > 0; /* the events may be behind it */
    struct status s = status_error(
        is_part ? STATUS_USAGE : STATUS_UNKNOWN_FORMAT,
        "%s: this is a JSON object with %s: not a trace format known here, as one with a list of "
        "traceEvents or spans; `tptui formats` lists all",
        im->name, none ? "nothing in it" : members);
    free(members);
    return s;
}

/* The next member's name, up to behind the colon. */
static bool read_section(struct json_import *im, bool first, struct json_nesting *nesting,
                         enum section *section)
{
    struct str key;
    bool closed;
    const char *start = im->scan.p;
    while (!json_next_key(&im->scan, first, &key, &closed)) {
        if (closed && json_nesting_leave(nesting)) {
            first = false;
            start = im->scan.p;
            continue;
        }
        im->closed = closed;
        if (closed || !read_on(im, start))
            return false;
        start = im->scan.p;
    }
    *section = section_of(key);
    note_member(im, key);
    struct json_nesting inside = *nesting;
    if (*section == SECTION_OTHER && json_nesting_enter(&inside, key) && take(im, '{')) {
        *nesting = inside;
        *section = SECTION_ENTERED;
    }
    return true;
}

static void read_samples(struct json_import *im, struct str array)
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    im->found_events = true;
    json_take(&j, '[');
    for (bool first = true; json_next_item(&j, first, &v); first = false) {
        if (v.type == JSON_OBJECT)
            json_event_read_sample(im, v.text);
    }
    json_scan_release(&j);
}

/* The members behind the outermost '{'. */
static bool read_sections(struct json_import *im)
{
    enum section section = SECTION_ENTERED;
    struct json_value v;
    struct json_nesting nesting = {0};
    while (read_section(im, section == SECTION_ENTERED, &nesting, &section)) {
        if (section == SECTION_ENTERED)
            continue;
        if (section == SECTION_EVENTS && take(im, '[')) {
            if (!read_events(im))
                return false;
            continue;
        }
        if (!read_value(im, &v)) {
            count_unread(im);
            return true;
        }
        if (section == SECTION_METADATA && v.type == JSON_OBJECT)
            json_metadata(im->trace, "json_metadata.", v.text);
        if (section == SECTION_UNIT)
            stats_count(im->trace, STAT_json_display_time_unit);
        if (section == SECTION_SYSTEM && v.type == JSON_STRING)
            systrace_text_read(im->trace, v.text);
        if (section == SECTION_FRAMES && v.type == JSON_OBJECT)
            json_profiles_add_frames(&im->profiles, v.text);
        if (section == SECTION_NUMBERS && v.type == JSON_OBJECT)
            json_numbers_read(im->numbers, v.text);
        if (section == SECTION_ORDER)
            json_order_give(&im->order, v);
        if (section == SECTION_SAMPLES && v.type == JSON_ARRAY)
            read_samples(im, v.text);
        if (!byte_source_done(im->source, used_bytes(im)))
            return false;
    }
    if (!im->closed && !im->scan.ran_out) /* something else stands between the members */
        stats_count(im->trace, STAT_json_tokenizer_failure);
    return true;
}

/* Whether the text is events one behind the other, without a list around them: the first object has
 * a phase. */
static bool is_bare_events(const struct json_import *im)
{
    struct json_scan j = {.p = im->scan.p, .end = im->scan.end, .last = true};
    struct str key;
    bool closed, is = false, list = false, good = json_take(&j, '{');
    for (bool first = true; good && !is && json_next_key(&j, first, &key, &closed); first = false) {
        is = str_eq(key, STR("ph"));
        list = str_eq(key, STR("traceEvents"));
        good = !list && json_skip_value(&j);
    }
    json_scan_release(&j);
    return is;
}

/* Lists and objects, mostly one, but files may have been put together. */
static bool read_documents(struct json_import *im)
{
    bool going = true;
    for (im->closed = true; going && im->closed;) {
        im->closed = false;
        if (take(im, '[') || is_bare_events(im))
            going = read_events(im);
        else if (take(im, '{'))
            going = read_sections(im);
    }
    return going;
}

static struct status read_all(struct json_import *im)
{
    if (!read_documents(im))
        return progress_cancelled(im->name);
    if (!im->found_events)
        return no_trace(im);
    return json_apply(im);
}

static struct status json_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct json_import im = {.trace = t,
                             .name = name,
                             .machine = stats_scope(t)->machine,
                             .source = source};
    init(&im);
    struct str text = {(const char *)source->window.p, source->window.n};
    scan_window(&im, str_starts(text, STR(BYTE_ORDER_MARK)) ? sizeof BYTE_ORDER_MARK - 1 : 0);
    struct status s = read_all(&im);
    release(&im);
    return s;
}

/* "\n{" also begins a protobuf trace whose first packet has 123 bytes: what follows must be JSON
 * too. */
static bool sniff_json(struct bytes data)
{
    return json_kind(data) == JSON_KIND_TRACE;
}

const struct trace_format json_trace_format = {
    .name = "JSON",
    .type = "json",
    .about = "array or object of trace events, as Chrome, Node, PyTorch, Bazel write: begins with "
             "[ or {",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_json,
    .is_text = true,
    .read_source = json_import,
    .cut = json_cut,
};
