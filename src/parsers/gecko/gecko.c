/* Profiles of Firefox and of what writes its format: samply, vernier, simpleperf's export.
 * As docs-developer/gecko-profile-format.md, processed-profile-format.md and src/types/profile.ts
 * of github.com/firefox-devtools/profiler say. */
#include <math.h>

#include "base/merge_sort.h"
#include "parsers/gecko/profile.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/trace_format.h"
#include "parsers/json/args.h"
#include "parsers/samples/samples.h"
#include "core/counter.h"

enum { PROFILE_BYTES_MAX = 1 << 30, EVENTS_PER_CHECK = 1 << 16 };

enum gecko_event_kind { EVENT_SAMPLE, EVENT_MARKER, EVENT_COUNTER, EVENT_KINDS };

/* There are millions: 16 bytes. */
struct gecko_event {
    int64_t ts;
    uint32_t what;  /* EVENT_KINDS times the number of its thread or counter, plus its kind; of
                       those numbers there are fewer than PROFILE_BYTES_MAX / 3 */
    uint32_t index; /* of a sample, its call site; else the place in its table */
};

static uint32_t owner_of(const struct gecko_event *e)
{
    return e->what / EVENT_KINDS;
}

struct gecko_import {
    struct trace *trace;
    struct byte_source *source;
    uint32_t machine;
    struct gecko_profile profile;
    struct samples samples;
    VEC(struct gecko_event) events;
    VEC(uint32_t) utids;          /* by thread; NULL_U32 until its first event */
    VEC(uint32_t) counter_tracks; /* by counter, likewise */
    VEC(uint32_t) shared_callsites;
    uint32_t args_kind;
    bool has_shared;
};

static double number_at(const struct gecko_tables *t, enum gecko_column column, size_t i)
{
    return i < t->columns[column].count ? t->columns[column].items[i] : NAN;
}

/* A number as a position in something of n elements; false where it is none. */
static bool position(double number, size_t n, size_t *out)
{
    if (!(number >= 0 && number < (double)n))
        return false;
    *out = (size_t)number;
    return true;
}

static size_t count_of(const struct gecko_tables *t, enum gecko_column column)
{
    return t->columns[column].count;
}

/* ms as ns; false where that is no time. */
static bool time_of(double ms, int64_t *ns)
{
    double value = ms * 1000 * 1000;
    if (!(value > -9e18 && value < 9e18))
        return false;
    *ns = (int64_t)value;
    return true;
}

/* The name of a frame of the tables; NULL_STRING where it is malformed. */
static string_id frame_name(const struct gecko_tables *t, const struct gecko_tables *names,
                            size_t frame)
{
    size_t at;
    double name = number_at(t, GECKO_FRAME_LOCATION, frame);
    if (position(number_at(t, GECKO_FRAME_FUNC, frame), count_of(t, GECKO_FUNC_NAME), &at))
        name = number_at(t, GECKO_FUNC_NAME, at);
    return position(name, names->strings.count, &at) ? names->strings.items[at] : NULL_STRING;
}

/* "function (in library)" names both. */
static uint32_t intern_frame(struct trace *t, string_id id)
{
    struct str name = string_pool_get(&t->strings, id);
    const char *in = name.n ? memmem(name.p, name.n, " (in ", 5) : NULL;
    if (!in)
        return samples_named_frame(t, trace_intern(t, STR("gecko")), id, NULL_STRING, NULL_U32);
    struct str library = str_skip(name, (size_t)(in - name.p) + 5);
    library.n = str_find(library, ')');
    string_id mapping = trace_intern(t, library);
    return samples_named_frame(t, mapping,
                               trace_intern(t, (struct str){name.p, (size_t)(in - name.p)}),
                               NULL_STRING, NULL_U32);
}

/* The call site of each row of a stack table, whose callers come before it; NULL_U32 where it is
 * malformed. The caller frees them. */
static uint32_t *make_callsites(struct gecko_import *im, const struct gecko_tables *t,
                                const struct gecko_tables *names)
{
    size_t stacks = count_of(t, GECKO_STACK_FRAME), at;
    size_t funcs = count_of(t, GECKO_FRAME_FUNC), locations = count_of(t, GECKO_FRAME_LOCATION);
    size_t frames = funcs > locations ? funcs : locations;
    uint32_t *callsites = alloc_array(stacks + 1, sizeof *callsites);
    uint32_t *rows = alloc_array(frames + 1, sizeof *rows);
    for (size_t i = 0; i < frames; i++) {
        string_id name = frame_name(t, names, i);
        rows[i] = name ? intern_frame(im->trace, name) : NULL_U32;
    }
    for (size_t i = 0; i < stacks; i++) {
        double prefix = number_at(t, GECKO_STACK_PREFIX, i);
        uint32_t parent = NULL_U32;
        callsites[i] = NULL_U32;
        if (position(prefix, i, &at))
            parent = callsites[at];
        if (prefix >= 0 && parent == NULL_U32)
            stats_count(im->trace, STAT_gecko_stack_without_callers);
        if (position(number_at(t, GECKO_STACK_FRAME, i), frames, &at) && rows[at] != NULL_U32)
            callsites[i] = stack_callsite_intern(im->trace, parent, rows[at]);
    }
    free(rows);
    return callsites;
}

/* The call site of the sample, which may have none; false where it names one that is not there. */
static bool sampled_callsite(double stack, const uint32_t *callsites, size_t n, uint32_t *out)
{
    size_t at;
    *out = NULL_U32;
    if (isnan(stack))
        return true;
    if (position(stack, n, &at))
        *out = callsites[at];
    return *out != NULL_U32;
}

static void push(struct gecko_import *im, double ms, enum gecko_event_kind kind, uint32_t owner,
                 uint32_t index)
{
    struct gecko_event event = {.what = owner * EVENT_KINDS + kind, .index = index};
    if (!time_of(ms, &event.ts)) {
        stats_count(im->trace, STAT_json_parser_failure);
        return;
    }
    if (clock_file_time(im->trace, event.ts, &event.ts))
        *vec_push(&im->events) = event;
}

static void push_samples(struct gecko_import *im, uint32_t thread)
{
    const struct gecko_thread *th = &im->profile.threads.items[thread];
    const struct gecko_tables *t = &th->tables, *shared = &im->profile.shared;
    const struct gecko_tables *names = t->strings.count ? t : shared;
    bool own = !im->has_shared;
    const struct gecko_tables *tables = own ? t : shared;
    uint32_t *made = own ? make_callsites(im, t, names) : NULL;
    const uint32_t *callsites = own ? made : im->shared_callsites.items;
    bool deltas = count_of(t, GECKO_SAMPLE_TIME) == 0;
    double ms = 0;
    uint32_t callsite;
    for (size_t i = 0; i < count_of(t, GECKO_SAMPLE_STACK); i++) {
        double time = number_at(t, deltas ? GECKO_SAMPLE_TIME_DELTA : GECKO_SAMPLE_TIME, i);
        ms = deltas ? ms + time : time;
        if (!sampled_callsite(number_at(t, GECKO_SAMPLE_STACK, i), callsites,
                              count_of(tables, GECKO_STACK_FRAME), &callsite))
            stats_count(im->trace, STAT_gecko_sample_without_stack);
        if (callsite == NULL_U32)
            continue;
        push(im, ms + th->time_shift, EVENT_SAMPLE, thread, callsite);
    }
    free(made);
}

/* A marker of the times when markers had no phase says in its data what it is. */
static void complete_marker(struct gecko_tables *t, size_t i)
{
    struct str data = i < t->marker_data.count ? t->marker_data.items[i] : (struct str){"{}", 2};
    struct json_scan j = json_scan_from(data.n ? data : (struct str){"{}", 2});
    struct str key;
    struct json_value v;
    double *start = &t->columns[GECKO_MARKER_START].items[i], end = NAN, number;
    double phase = GECKO_INSTANT;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        bool starts = str_eq(key, STR("startTime")), ends = str_eq(key, STR("endTime"));
        bool interval = str_eq(key, STR("interval"));
        if (!json_read_value(&j, &v))
            break;
        if (starts && json_to_f64(v, &number))
            *start = number;
        if (ends && json_to_f64(v, &number))
            end = number;
        if (interval && v.type == JSON_STRING && str_eq(v.text, STR("start")))
            phase = GECKO_INTERVAL_START;
        if (interval && v.type == JSON_STRING && str_eq(v.text, STR("end")))
            phase = GECKO_INTERVAL_END;
    }
    json_scan_release(&j);
    bool whole = phase == GECKO_INSTANT && !isnan(end);
    *vec_push(&t->columns[GECKO_MARKER_PHASE]) = whole ? GECKO_INTERVAL : phase;
    *vec_push(&t->columns[GECKO_MARKER_END]) = phase == GECKO_INTERVAL_END ? *start : end;
}

static void push_markers(struct gecko_import *im, uint32_t thread)
{
    struct gecko_thread *th = &im->profile.threads.items[thread];
    struct gecko_tables *t = &th->tables;
    size_t n = count_of(t, GECKO_MARKER_NAME);
    if (n > count_of(t, GECKO_MARKER_START))
        n = count_of(t, GECKO_MARKER_START);
    bool old = count_of(t, GECKO_MARKER_PHASE) == 0 && count_of(t, GECKO_MARKER_END) == 0;
    for (size_t i = 0; i < n; i++) {
        if (old)
            complete_marker(t, i);
        bool end = number_at(t, GECKO_MARKER_PHASE, i) == GECKO_INTERVAL_END;
        double ms = number_at(t, end ? GECKO_MARKER_END : GECKO_MARKER_START, i);
        if (ms > im->profile.duration) { /* an hour behind the samples */
            stats_count(im->trace, STAT_gecko_marker_of_other_clock);
            continue;
        }
        push(im, ms + th->time_shift, EVENT_MARKER, thread, (uint32_t)i);
    }
}

/* What counts memory says how it changes, other counters what each sample saw: then both do. */
static void push_counter(struct gecko_import *im, uint32_t counter)
{
    struct gecko_counter *c = &im->profile.counters.items[counter];
    const struct gecko_tables *t = &c->tables;
    bool changes = str_eq(string_pool_get(&im->trace->strings, c->category), STR("Memory"));
    bool deltas = count_of(t, GECKO_COUNTER_TIME) == 0;
    double ms = 0, sum = 0;
    for (size_t i = 0; i < count_of(t, GECKO_COUNTER_COUNT); i++) {
        double time = number_at(t, deltas ? GECKO_COUNTER_TIME_DELTA : GECKO_COUNTER_TIME, i);
        double *count = &c->tables.columns[GECKO_COUNTER_COUNT].items[i];
        ms = deltas ? ms + time : time;
        if (isnan(*count))
            continue;
        sum += *count;
        if (changes)
            *count = sum;
        push(im, ms + c->time_shift, EVENT_COUNTER, counter, (uint32_t)i);
    }
}

static uint32_t thread_of(struct gecko_import *im, uint32_t thread)
{
    uint32_t *utid = &im->utids.items[thread];
    const struct gecko_thread *th = &im->profile.threads.items[thread];
    if (*utid != NULL_U32)
        return *utid;
    *utid = process_tracker_update_thread(im->trace, im->machine, th->tid, th->pid);
    if (th->name)
        process_tracker_set_thread_name(im->trace, *utid, th->name, THREAD_NAME_OTHER);
    return *utid;
}

static void add_marker_args(struct gecko_import *im, const struct gecko_tables *t, size_t i,
                            uint32_t track, uint32_t slice)
{
    struct trace *trace = im->trace;
    const struct column *sets = &trace->tables.slice.columns[slice_col_arg_set_id];
    if (slice == NULL_U32 || i >= t->marker_data.count || t->marker_data.items[i].n == 0)
        return;
    struct str data = t->marker_data.items[i];
    uint32_t set =
        args_intern_payload(&trace->args, im->args_kind, (const uint8_t *)data.p, data.n);
    struct arg_list *args = slice_args(trace, track, slice);
    if (args && !column_is_null(sets, slice)) {
        if (args->v.count == 0)
            args_read(&trace->args, (uint32_t)column_int(sets, slice), args);
        args_read(&trace->args, set, args);
        return;
    }
    table_set_u32(&trace->tables.slice, slice_col_arg_set_id, slice, set);
}

/* Markers of one name and category are a track of their thread. */
static uint32_t marker_track(struct gecko_import *im, uint32_t utid, string_id category,
                             string_id name)
{
    struct track_spec spec = {
        .type = "firefox_marker",
        .machine = im->machine,
        .dimension_count = 3,
        .dimensions = {{.key = "utid", .type = ARG_INT, .i = utid},
                       {.key = "firefox_marker_category", .type = ARG_STRING, .s = category},
                       {.key = "firefox_marker_name", .type = ARG_STRING, .s = name}},
        .name = name,
    };
    return track_intern(im->trace, &spec);
}

static void apply_marker(struct gecko_import *im, int64_t ts, const struct gecko_event *e)
{
    struct trace *trace = im->trace;
    const struct gecko_tables *t = &im->profile.threads.items[owner_of(e)].tables;
    const struct gecko_tables *names = t->strings.count ? t : &im->profile.shared;
    size_t at, i = e->index;
    string_id name, category = NULL_STRING;
    if (!position(number_at(t, GECKO_MARKER_NAME, i), names->strings.count, &at)) {
        stats_count(trace, STAT_json_parser_failure);
        return;
    }
    name = names->strings.items[at];
    if (position(number_at(t, GECKO_MARKER_CATEGORY, i), im->profile.categories.count, &at))
        category = im->profile.categories.items[at];
    uint32_t track = marker_track(im, thread_of(im, owner_of(e)), category, name);
    double phase = number_at(t, GECKO_MARKER_PHASE, i);
    double length = number_at(t, GECKO_MARKER_END, i) - number_at(t, GECKO_MARKER_START, i);
    int64_t dur = 0;
    if (phase == GECKO_INTERVAL_START) {
        add_marker_args(im, t, i, track, slice_begin(trace, ts, track, category, name));
        return;
    }
    if (phase == GECKO_INTERVAL_END) {
        add_marker_args(im, t, i, track, slice_find_end(trace, ts, track, category, name));
        slice_end(trace, ts, track, category, name);
        return;
    }
    if (phase == GECKO_INTERVAL && (!time_of(length, &dur) || dur < 0 || ts > INT64_MAX - dur))
        dur = 0;
    add_marker_args(im, t, i, track, slice_complete(trace, ts, dur, track, category, name));
}

static uint32_t counter_track(struct gecko_import *im, uint32_t counter)
{
    struct trace *t = im->trace;
    const struct gecko_counter *c = &im->profile.counters.items[counter];
    uint32_t upid = process_tracker_process(t, im->machine, c->pid);
    struct track_spec spec = {
        .type = "firefox_counter",
        .machine = im->machine,
        .event_type = TRACK_COUNTER,
        .dimension_count = 3,
        .dimensions = {{.key = "upid", .type = ARG_INT, .i = upid},
                       {.key = "firefox_counter_category", .type = ARG_STRING, .s = c->category},
                       {.key = "firefox_counter_name", .type = ARG_STRING, .s = c->name}},
        .name = c->name,
    };
    return track_intern(t, &spec);
}

static void apply_counter(struct gecko_import *im, const struct gecko_event *e)
{
    uint32_t *track = &im->counter_tracks.items[owner_of(e)];
    const struct gecko_tables *t = &im->profile.counters.items[owner_of(e)].tables;
    if (*track == NULL_U32)
        *track = counter_track(im, owner_of(e));
    counter_push(im->trace, e->ts, *track, number_at(t, GECKO_COUNTER_COUNT, e->index));
}

static int compare_events(const void *a, const void *b)
{
    const struct gecko_event *x = a, *y = b;
    return (x->ts > y->ts) - (x->ts < y->ts);
}

static bool apply(struct gecko_import *im)
{
    static const struct merge_sort by_time = {sizeof(struct gecko_event), compare_events, NULL};
    merge_sort(&by_time, im->events.items, im->events.count);
    progress_begin(im->source->progress, LOAD_SORTING, im->events.count);
    for (size_t i = 0; i < im->events.count; i++) {
        const struct gecko_event *e = &im->events.items[i];
        uint32_t kind = e->what % EVENT_KINDS;
        if (kind == EVENT_SAMPLE)
            samples_add(&im->samples, e->ts, thread_of(im, owner_of(e)), e->index);
        else if (kind == EVENT_MARKER)
            apply_marker(im, e->ts, e);
        else
            apply_counter(im, e);
        if (i % EVENTS_PER_CHECK == 0 && !progress_report(im->source->progress, i))
            return false;
    }
    return true;
}

static void push_all(struct gecko_import *im)
{
    struct gecko_profile *p = &im->profile;
    const struct gecko_tables *shared = &p->shared;
    im->has_shared = count_of(shared, GECKO_STACK_FRAME) > 0;
    if (im->has_shared) {
        im->shared_callsites.items = make_callsites(im, shared, shared);
        im->shared_callsites.count = count_of(shared, GECKO_STACK_FRAME);
    }
    for (size_t i = 0; i < p->threads.count; i++) {
        *vec_push(&im->utids) = NULL_U32;
        push_samples(im, (uint32_t)i);
        push_markers(im, (uint32_t)i);
    }
    for (size_t i = 0; i < p->counters.count; i++) {
        *vec_push(&im->counter_tracks) = NULL_U32;
        push_counter(im, (uint32_t)i);
    }
}

static struct status read_profile(struct gecko_import *im, const char *name)
{
    struct byte_source *source = im->source;
    bool all = byte_source_all(source, PROFILE_BYTES_MAX);
    struct str json = {(const char *)source->window.p, source->window.n};
    if (!gecko_profile_read(im->trace, &im->profile, json) || !all || !json_is_sound(json))
        stats_count(im->trace, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(im->trace, STAT_decompression_errors);
    if (im->profile.threads.count == 0 && im->profile.counters.count == 0)
        return status_error(STATUS_FORMAT,
                            "%s: expected a Firefox profile with a list of threads, found none",
                            name);
    if (!byte_source_done(source, source->window.n))
        return progress_cancelled(name);
    return status_ok_value();
}

static struct status gecko_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct gecko_import im = {
        .trace = t,
        .source = source,
        .machine = stats_scope(t)->machine,
        .samples = samples_begin(t, STR("gecko")),
        .args_kind = json_args_kind(t, STR("data")),
    };
    im.samples.of_threads = true;
    struct status s = read_profile(&im, name);
    if (status_ok(s)) {
        push_all(&im);
        if (!apply(&im))
            s = progress_cancelled(name);
    }
    samples_release(&im.samples);
    gecko_profile_release(&im.profile);
    vec_release(&im.events);
    vec_release(&im.utids);
    vec_release(&im.counter_tracks);
    vec_release(&im.shared_callsites);
    return s;
}

static bool sniff_gecko(struct bytes data)
{
    return json_kind(data) == JSON_KIND_GECKO;
}

const struct trace_format gecko_trace_format = {
    .name = "Firefox profile",
    .type = "gecko",
    .about = "profiles of Firefox, samply and others: a JSON object with meta and threads",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_gecko,
    .is_text = true,
    .read_source = gecko_import,
};
