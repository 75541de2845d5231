#include "parsers/json/cut.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_number.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/retelling.h"
#include "parsers/json/cut_chunks.h"
#include "parsers/json/cut_counters.h"
#include "parsers/json/cut_event.h"
#include "parsers/json/cut_flows.h"
#include "parsers/json/cut_profiles.h"
#include "parsers/json/cut_put.h"
#include "parsers/json/nesting.h"
#include "parsers/json/open_slices.h"

enum {
    EVENTS_PER_CHECK = 4096,
    MANY_ASYNC = 1 << 16, /* events that are kept until what they come to is looked at */
};

struct cut {
    struct cut_job *job;
    struct str input; /* its data */
    struct json_scan scan;
    struct byte_source source; /* of this walk: what lies behind the scan is done */
    uint64_t events;           /* so far */
    int64_t unread;            /* of them */
    int64_t first, last;
    int64_t from, to;
    struct selection selection;
    struct retelling told;
    struct map threads; /* hash -> number */
    struct map ids;     /* of async events, likewise */
    struct json_order order;
    struct json_open_slices open, async;
    struct json_cut_texts texts;
    struct json_cut_flows flows;
    struct json_cut_counters counters;
    struct json_cut_profiles profiles;
    VEC(char) rest;                /* members of the document beside the events */
    bool writes;                   /* it is the last walk: */
    bool any;                      /* an event is written */
    bool has_text;                 /* of ftrace, of which only reading it says when it was */
    struct json_cut_chunks chunks; /* of the first walk */
    bool has_flows;                /* events that are bound to slices of their thread */
    bool may_leave;                /* one of them, in the window, to one from before it */
    void (*each)(struct cut *c, const struct json_cut_event *e);
    bool (*wants)(const struct cut *c,
                  const struct json_cut_chunk *chunk); /* NULL: it is the first walk */
};

/* Behind a malformed event: to the next one. */
static bool find_event(struct json_scan *j)
{
    while (j->p < j->end) {
        const char *hit = memchr(j->p, '}', (size_t)(j->end - j->p));
        if (!hit)
            return false;
        j->p = hit + 1;
        if (json_take(j, ',') && json_take(j, '{')) {
            j->p--;
            return true;
        }
    }
    return false;
}

static size_t position(const struct cut *c)
{
    return (size_t)(c->scan.p - c->input.p);
}

/* Goes behind chunks that the walk does not want. */
static void pass_chunks(struct cut *c)
{
    const struct json_cut_chunk *chunk;
    while ((chunk = json_cut_chunks_at(&c->chunks, position(c))) && !c->wants(c, chunk)) {
        c->scan.p = c->input.p + chunk->end;
        c->events += chunk->count;
    }
}

/* Events whose times do not matter. */
static bool is_about_all(const struct json_cut_event *e)
{
    return !e->has_ts || e->felt == JSON_FELT_ALWAYS;
}

/* Of a profile, whose samples have times of their own. */
static bool is_of_profile(const struct json_cut_event *e)
{
    return e->has_ts && (e->felt == JSON_FELT_PART || e->felt == JSON_FELT_PROFILE);
}

/* Of a part of a profile only when its samples are matters. */
static void note_in_chunk(struct cut *c, const struct json_cut_event *e)
{
    if (is_about_all(e))
        json_cut_chunks_add_all(&c->chunks);
    else if (e->felt != JSON_FELT_PART)
        json_cut_chunks_add_time(&c->chunks, e->ts);
}

/* Events up to the bracket that closes them, or the end. False: loading shall stop. */
static bool read_events(struct cut *c)
{
    struct json_scan *j = &c->scan;
    for (bool first = true;; first = false) {
        struct json_cut_event e;
        if (c->wants)
            pass_chunks(c);
        else
            json_cut_chunks_note(&c->chunks, position(c), c->events, first);
        json_take(j, ',');
        if (json_take(j, ']'))
            return true;
        json_skip_space(j);
        if (j->p >= j->end)
            return true;
        j->ran_out = false;
        if (json_cut_event_read(&c->texts, j, c->events, &e)) {
            c->each(c, &e);
            if (!c->wants)
                note_in_chunk(c, &e);
        } else {
            c->unread++;
            if (j->ran_out || !find_event(j))
                j->p = j->end;
        }
        if (c->events++ % EVENTS_PER_CHECK == 0 && !byte_source_done(&c->source, position(c)))
            return false;
    }
}

static void keep_text(struct cut *c, struct str text)
{
    vec_append(&c->rest, text.p, text.n);
}

/* A member that is no list of events stays as it is. */
static void keep_member(struct cut *c, const char *start)
{
    keep_text(c, STR(",\n"));
    keep_text(c, (struct str){start, (size_t)(c->scan.p - start)});
}

/* To the slice that is the thread's last one at its time. */
static bool is_bound_flow(const struct json_cut_event *e)
{
    return e->felt == JSON_FELT_FLOW || e->felt == JSON_FELT_FLOW_BEGIN ||
           e->felt == JSON_FELT_FLOW_STEP;
}

static void note_span(struct cut *c, int64_t first, int64_t last)
{
    c->first = first < c->first ? first : c->first;
    c->last = last > c->last ? last : c->last;
}

static void note_time(struct cut *c, const struct json_cut_event *e)
{
    c->has_flows |= is_bound_flow(e);
    if (is_about_all(e))
        return;
    if (is_of_profile(e))
        json_cut_profiles_note(&c->profiles, e);
    if (e->felt == JSON_FELT_PART)
        return;
    bool lasts = e->felt == JSON_FELT_COMPLETE || e->felt == JSON_FELT_DUR;
    note_span(c, e->ts, lasts ? time_plus(e->ts, e->dur) : e->ts);
}

static void note_event(struct cut *c, const struct json_cut_event *e)
{
    bool is_event = e->has_ts || e->felt == JSON_FELT_ALWAYS;
    if (e->phase && e->phase != 'P' && is_event)
        json_order_note(&c->order, e->phase, e->ts);
    note_time(c, e);
}

/* An item of the list "samples": its texts take numbers. */
static struct json_cut_event read_sample(struct cut *c, struct json_value item)
{
    struct json_scan j = json_scan_from(item.text);
    struct json_cut_event sample = {.phase = 'P'};
    struct json_value v;
    struct str key;
    bool closed, good = json_take(&j, '{');
    for (bool any = false; good && json_next_key(&j, !any, &key, &closed); any = true) {
        enum json_member member = json_member_of(key);
        json_skip_space(&j);
        const char *value = j.p;
        good = json_read_value(&j, &v);
        if (good && member != JSON_MEMBER_ID && member != JSON_MEMBER_PH)
            json_cut_member_read(&c->texts, &sample, member, v,
                                 (struct str){value, (size_t)(j.p - value)});
    }
    json_scan_release(&j);
    return sample;
}

static bool is_row(const struct json_cut_event *sample)
{
    return sample->has_ts && sample->thread;
}

/* The trace's times are also those of the list "samples". */
static void note_samples_of(struct cut *c, struct str list)
{
    struct json_scan items = json_scan_from(list);
    struct json_value item;
    json_take(&items, '[');
    for (bool first = true; json_next_item(&items, first, &item); first = false) {
        if (item.type != JSON_OBJECT)
            continue;
        struct json_cut_event sample = read_sample(c, item);
        if (is_row(&sample))
            note_time(c, &sample);
    }
    json_scan_release(&items);
}

/* Of that list, `start` being where the member does, what is in the window. What is malformed is
 * told of each window. */
static void keep_samples(struct cut *c, const char *start, struct str list)
{
    struct json_scan items = json_scan_from(list);
    struct json_value item;
    bool any = false;
    keep_text(c, STR(",\n"));
    keep_text(c, (struct str){start, (size_t)(list.p - start)});
    keep_text(c, STR("["));
    json_take(&items, '[');
    for (bool first = true; json_next_item(&items, first, &item); first = false) {
        if (item.type != JSON_OBJECT)
            continue;
        struct json_cut_event sample = read_sample(c, item);
        if (is_row(&sample) && (sample.ts < c->from || sample.ts >= c->to))
            continue;
        keep_text(c, any ? STR(",") : STR(""));
        keep_text(c, item.text);
        any = true;
    }
    keep_text(c, STR("]"));
    json_scan_release(&items);
}

/* A member of the document beside its events, from `start` on: its value begins at `value`. */
static void take_member(struct cut *c, struct str name, const char *start, const char *value)
{
    struct str text = {value, (size_t)(c->scan.p - value)};
    if (str_eq(name, STR(JSON_NUMBERS_MEMBER))) {
        json_numbers_read(&c->texts.numbers, text);
        return;
    }
    if (str_eq(name, STR(JSON_ORDER_MEMBER))) {
        struct json_scan j = json_scan_from(text);
        struct json_value v;
        if (!c->wants && json_read_value(&j, &v))
            json_order_give(&c->order, v);
        json_scan_release(&j);
        return;
    }
    bool is_samples = str_eq(name, STR("samples")) && *text.p == '[';
    c->has_text |= str_eq(name, STR("systemTraceEvents")) && *text.p == '"';
    if (!c->wants && is_samples)
        note_samples_of(c, text);
    if (!c->writes)
        return;
    if (is_samples)
        keep_samples(c, start, text);
    else
        keep_member(c, start);
}

/* Of an object inside of the document, only the events. */
static bool read_members(struct cut *c)
{
    struct json_scan *j = &c->scan;
    struct json_nesting nesting = {0};
    struct str key;
    bool closed;
    for (bool first = true;; first = false) {
        json_skip_space(j);
        if (!first)
            json_take(j, ',');
        json_skip_space(j);
        const char *start = j->p;
        if (!json_next_key(j, true, &key, &closed)) {
            if (closed && json_nesting_leave(&nesting))
                continue;
            return true;
        }
        struct json_nesting inside = nesting;
        if (json_nesting_enter(&inside, key) && json_take(j, '{')) {
            nesting = inside;
            continue;
        }
        if (str_eq(key, STR("traceEvents")) && json_take(j, '[')) {
            if (!read_events(c))
                return false;
            continue;
        }
        char kept[sizeof JSON_ORDER_MEMBER]; /* the key may not last */
        struct str name = {kept, key.n < sizeof kept ? key.n : 0};
        memcpy(kept, key.p, name.n);
        json_skip_space(j);
        const char *value = j->p;
        if (!json_skip_value(j)) {
            j->p = j->end;
            return true;
        }
        if (nesting.depth == 0)
            take_member(c, name, start, value);
    }
}

/* Whether the object that comes next is an event. */
static bool is_event(const struct cut *c)
{
    struct cut look = {.scan = {.p = c->scan.p, .end = c->scan.end, .last = true}};
    struct str key;
    bool closed, is = false, list = false, good = json_take(&look.scan, '{');
    for (bool first = true; good && !is && json_next_key(&look.scan, first, &key, &closed);
         first = false) {
        is = str_eq(key, STR("ph"));
        list = str_eq(key, STR("traceEvents"));
        good = !list && json_skip_value(&look.scan);
    }
    json_scan_release(&look.scan);
    return is;
}

/* Lists and objects, one behind the other. `wants` says of which events `each` shall see all. */
static struct status walk(struct cut *c,
                          void (*each)(struct cut *c, const struct json_cut_event *e),
                          bool (*wants)(const struct cut *c, const struct json_cut_chunk *chunk))
{
    bool going = true;
    json_scan_release(&c->scan);
    c->scan = json_scan_from(c->input);
    c->source = byte_source_memory(c->job->data, c->job->mapped, c->job->progress);
    c->source.looks_for_holes = !wants;
    c->each = each;
    c->wants = wants;
    c->chunks.next = 0;
    c->events = 0;
    c->unread = 0;
    json_numbers_release(&c->texts.numbers);
    c->texts.numbers = json_numbers_begin(c->job->packed);
    while (going && c->scan.p < c->scan.end) {
        const char *before = c->scan.p;
        if (json_take(&c->scan, '[') || is_event(c))
            going = read_events(c);
        else if (json_take(&c->scan, '{'))
            going = read_members(c);
        if (c->scan.p == before)
            break;
    }
    if (!wants) {
        c->job->unread.counts[UNREAD_HOLES] = byte_source_hole_bytes(&c->source, false);
        c->job->unread.counts[UNREAD_JSON] = c->unread;
    }
    byte_source_release(&c->source);
    return going ? status_ok_value() : progress_cancelled(c->job->name);
}

/* For flows the thread's next slices matter, too. */
static bool has_earlier(const struct cut *c, const struct json_cut_chunk *chunk)
{
    return chunk->has_time && chunk->first < (c->has_flows ? c->to : c->from);
}

static bool has_up_to_end(const struct cut *c, const struct json_cut_chunk *chunk)
{
    return chunk->has_time && chunk->first < c->to;
}

static bool has_written(const struct cut *c, const struct json_cut_chunk *chunk)
{
    uint64_t end = chunk->number + chunk->count;
    return chunk->has_all || (chunk->has_time && chunk->first < c->to && chunk->last >= c->from) ||
           retelling_has(&c->told, chunk->number, end) ||
           json_cut_profiles_have(&c->profiles, chunk->number, end);
}

static bool has_samples(const struct cut *c, const struct json_cut_chunk *chunk)
{
    return json_cut_profiles_reach(&c->profiles, chunk->number, chunk->number + chunk->count,
                                   c->from, c->to);
}

/* An id of a process, or of all. */
static uint64_t async_key(const struct json_cut_event *e)
{
    bool local = !e->id.is_there && !e->global.is_there;
    const struct json_cut_id *id = e->id.is_there ? &e->id : local ? &e->local : &e->global;
    return hash_mix(hash_mix(id->hash, e->category), local ? e->process : 0);
}

static bool is_async(const struct json_cut_event *e)
{
    return e->felt == JSON_FELT_ASYNC_BEGIN || e->felt == JSON_FELT_ASYNC_END;
}

/* Of the thread, or of the id that has slices as a thread does. */
static uint32_t thread_number(struct cut *c, const struct json_cut_event *e)
{
    bool inserted;
    struct map *numbers = is_async(e) ? &c->ids : &c->threads;
    uint64_t key = is_async(e) ? async_key(e) : hash_mix(e->process, e->thread);
    uint32_t *number = map_insert(numbers, key, &inserted);
    if (inserted)
        *number = (uint32_t)numbers->count;
    return *number;
}

static struct json_thread_event of_thread(struct cut *c, const struct json_cut_event *e)
{
    uint64_t flow = 0;
    json_cut_flow(e, &flow);
    return (struct json_thread_event){.ts = e->ts,
                                      .dur = e->felt == JSON_FELT_COMPLETE ? e->dur : 0,
                                      .number = e->number,
                                      .thread = thread_number(c, e),
                                      .name = (uint32_t)e->name,
                                      .category = (uint32_t)e->category,
                                      .flow = flow,
                                      .felt = e->felt};
}

static void note_of_thread(struct cut *c, const struct json_cut_event *e)
{
    struct json_thread_event of = of_thread(c, e);
    json_open_slices_add(is_async(e) ? &c->async : &c->open, &of);
}

static bool is_slice_of_thread(const struct json_cut_event *e)
{
    return e->felt == JSON_FELT_BEGIN || e->felt == JSON_FELT_END || e->felt == JSON_FELT_INSTANT ||
           (e->felt == JSON_FELT_COMPLETE && e->dur >= 0);
}

/* Of what comes from the window's begin on. */
static void note_later(struct cut *c, const struct json_cut_event *e)
{
    if (!c->has_flows || e->ts >= c->to)
        return;
    c->may_leave |= is_bound_flow(e);
    if (is_slice_of_thread(e)) {
        struct json_thread_event of = of_thread(c, e);
        json_open_slices_add_later(&c->open, &of);
    }
}

/* Whether it is a flow of the window that is bound to a slice that is not in it. */
static bool leaves_window(struct cut *c, const struct json_cut_event *e)
{
    if (!c->may_leave || !is_bound_flow(e) || e->ts < c->from)
        return false;
    struct json_thread_event of = of_thread(c, e);
    return json_open_slices_leave(&c->open, &of);
}

static void note_state(struct cut *c, const struct json_cut_event *e)
{
    uint64_t flow;
    if (is_about_all(e) || is_of_profile(e))
        return;
    if (e->ts >= c->from) {
        note_later(c, e);
        return;
    }
    if (e->bind_id && json_cut_begins_flow(e) && json_cut_flow(e, &flow))
        json_cut_flow_begun(&c->flows, flow, e->ts, e->number);
    switch (e->felt) {
    case JSON_FELT_BEGIN:
    case JSON_FELT_END:
    case JSON_FELT_INSTANT:
    case JSON_FELT_FLOW:
    case JSON_FELT_FLOW_BEGIN:
    case JSON_FELT_FLOW_STEP:
    case JSON_FELT_FLOW_TO_NEXT:
    case JSON_FELT_ASYNC_BEGIN:
    case JSON_FELT_ASYNC_END:
        note_of_thread(c, e);
        return;
    case JSON_FELT_COMPLETE:
        if (e->dur >= 0)
            note_of_thread(c, e);
        return;
    case JSON_FELT_LAST:
        json_cut_counters_note(&c->counters, e);
        return;
    case JSON_FELT_DUR:
        if (time_plus(e->ts, e->dur) > c->from)
            selection_keep_lasting(&c->selection, e->ts, e->dur, e->number);
        return;
    case JSON_FELT_NOT:
    case JSON_FELT_ALWAYS:
    case JSON_FELT_PART:
    case JSON_FELT_PROFILE:
        return;
    }
}

/* How long an event lasts that is told again at `ts`: to the same end; but what was only in the way
 * of another slice ends right behind that one's begin. */
static int64_t told_dur(const struct cut *c, const struct json_cut_event *e, int64_t ts)
{
    uint64_t slice;
    int64_t begin;
    if (json_open_slices_overlapped(&c->open, e->number, &slice) &&
        retelling_at(&c->told, slice, &begin))
        return begin + 1 - ts;
    return time_minus(time_plus(e->ts, e->dur), ts);
}

/* Whether the window has the event; NULL in `told` where that is at its own time, else the one at
 * which it is told again. */
static bool is_written(const struct cut *c, const struct json_cut_event *e,
                       const struct window_item **told)
{
    bool inside = e->ts >= c->from && e->ts < c->to;
    bool is_written =
        is_about_all(e) || (e->felt != JSON_FELT_PART && inside) ||
        (is_of_profile(e) && json_cut_profiles_have(&c->profiles, e->number, e->number + 1));
    *told = is_written ? NULL : retelling_find(&c->told, e->number);
    return is_written || *told;
}

/* Nothing comes behind the window that matters to it. */
static void note_flow(struct cut *c, const struct json_cut_event *e)
{
    const struct window_item *told;
    if (e->ts < c->to && !leaves_window(c, e))
        json_cut_flow_seen(&c->flows, e, is_written(c, e, &told));
}

static void note_left(struct cut *c, const struct json_cut_event *e)
{
    uint64_t flow;
    if (e->ts >= c->to || !leaves_window(c, e))
        return;
    if (e->felt == JSON_FELT_FLOW_STEP)
        json_cut_flow_left_inside(&c->flows, e);
    else if (e->felt == JSON_FELT_FLOW_BEGIN && json_cut_flow(e, &flow))
        json_cut_flow_begun(&c->flows, flow, e->ts, e->number);
}

static void note_samples(struct cut *c, const struct json_cut_event *e)
{
    if (is_of_profile(e))
        json_cut_profiles_select(&c->profiles, e, c->from, c->to);
}

static void write_event(struct cut *c, const struct json_cut_event *e)
{
    const struct window_item *told;
    if (!is_written(c, e, &told) || leaves_window(c, e))
        return;
    enum json_flow_change flow = json_cut_flow_change(&c->flows, e);
    if (flow == JSON_FLOW_GOES && !e->bind_id)
        return;
    if (c->any)
        cut_put(c->job->out, STR(",\n"));
    c->any = true;
    struct json_cut_change to = {.is_told = told != NULL,
                                 .lasts = e->felt == JSON_FELT_COMPLETE || e->felt == JSON_FELT_DUR,
                                 .counters = e->felt == JSON_FELT_LAST ? &c->counters : NULL,
                                 .flow = flow,
                                 .flow_id =
                                     flow == JSON_FLOW_GOES ? 0 : json_cut_flow_id(&c->flows, e)};
    if (told) {
        to.ts = told->ts;
        to.dur = told_dur(c, e, told->ts);
    }
    if (is_of_profile(e))
        json_cut_profiles_put(&c->profiles, c->job->out, e, c->from, c->to);
    else if (told || flow != JSON_FLOW_STAYS || to.flow_id)
        json_cut_put(c->job->out, e, &to);
    else
        cut_put(c->job->out, e->text);
}

/* An event without a time counts as one that cannot be read. */
static void put_losses(struct cut *c, uint64_t losses)
{
    for (uint64_t i = 0; i < losses; i++) {
        cut_put(c->job->out, c->any ? STR(",\n") : STR(""));
        cut_put(c->job->out, STR("{\"ph\":\"i\",\"name\":\"not read by trim\"}"));
        c->any = true;
    }
}

/* What stands in front of the events. */
static void begin_document(struct cut *c)
{
    cut_put(c->job->out, STR("{"));
    for (size_t i = 0; i < c->texts.pids.count; i++) {
        const struct json_text_number *t = &c->texts.pids.items[i];
        char number[32];
        int n = snprintf(number, sizeof number, ":%" PRId64, t->number);
        cut_put(c->job->out, i ? STR(",") : STR("\"" JSON_NUMBERS_MEMBER "\":{"));
        cut_put(c->job->out, t->text);
        cut_put(c->job->out, (struct str){number, (size_t)n});
    }
    cut_put(c->job->out, c->texts.pids.count ? STR("},\n") : STR(""));
    if (c->order.is_complete && c->order.is_broken) {
        char member[64];
        int n = snprintf(member, sizeof member, "\"" JSON_ORDER_MEMBER "\":%" PRId64 ",\n",
                         c->order.from);
        cut_put(c->job->out, (struct str){member, (size_t)n});
    }
    cut_put(c->job->out, STR("\"traceEvents\":[\n"));
}

/* What of the time before the window matters in it. */
static struct status walk_state(struct cut *c, bool keeps_all)
{
    json_open_slices_release(&c->open);
    json_open_slices_release(&c->async);
    selection_release(&c->selection);
    json_cut_flows_release(&c->flows);
    json_cut_counters_release(&c->counters);
    c->selection = (struct selection){0};
    c->flows = (struct json_cut_flows){.from = c->from};
    c->open = (struct json_open_slices){.selected = &c->selection,
                                        .flows = &c->flows,
                                        .from = c->from,
                                        .keeps_all = keeps_all,
                                        .order = &c->order};
    c->async = (struct json_open_slices){.selected = &c->selection,
                                         .from = c->from,
                                         .is_async = true,
                                         .keeps_all = keeps_all,
                                         .many = MANY_ASYNC,
                                         .order = &c->order};
    return walk(c, note_state, has_earlier);
}

/* Events keep what is left of holes in them, but the loss of these is told once. */
struct without_zeros {
    struct cut_output output;
    struct cut_output *below;
};

static bool write_without_zeros(struct cut_output *self, const void *p, size_t n)
{
    struct cut_output *below = ((struct without_zeros *)self)->below;
    struct str rest = {p, n};
    while (rest.n > 0)
        cut_put(below, str_cut(&rest, '\0'));
    return !below->failed;
}

static struct status write_document(struct cut *c, struct status s)
{
    struct without_zeros clean = {.output = {.write = write_without_zeros}, .below = c->job->out};
    if (c->job->tells_unread && c->job->unread.counts[UNREAD_HOLES] > 0)
        c->job->out = &clean.output;
    begin_document(c);
    c->writes = true;
    if (status_ok(s))
        s = walk(c, write_event, has_written);
    if (c->job->tells_unread)
        put_losses(c, cut_unread_places(&c->job->unread));
    cut_put(c->job->out, STR("\n]"));
    cut_put(c->job->out, (struct str){c->rest.items, c->rest.count});
    cut_put(c->job->out, STR("}\n"));
    c->job->out = clean.below;
    return cut_finish(c->job, s);
}

static struct status cut(struct cut *c)
{
    struct status s = walk(c, note_event, NULL);
    struct json_sampled sampled = json_cut_profiles_sampled(&c->profiles);
    note_span(c, sampled.first, sampled.last);
    c->job->uncut = status_ok(s) && c->first > c->last && c->has_text;
    if (c->job->uncut)
        return s;
    if (status_ok(s))
        s = cut_resolve(c->job, c->first, c->first, c->last);
    if (!status_ok(s))
        return s;
    c->from = c->job->span.from;
    c->to = c->job->span.to;
    s = walk_state(c, false);
    if (status_ok(s) && (c->open.out_of_order || c->async.out_of_order)) /* too much was dropped */
        s = walk_state(c, true);
    json_open_slices_select(&c->open);
    json_open_slices_select(&c->async);
    json_cut_counters_select(&c->counters, &c->selection);
    retelling_make(&c->told, &c->selection, NULL, c->from);
    if (status_ok(s) && c->may_leave)
        s = walk(c, note_left, has_up_to_end);
    if (status_ok(s) && c->flows.flows.count)
        s = walk(c, note_flow, has_up_to_end);
    json_cut_flows_settle(&c->flows);
    if (status_ok(s) && c->profiles.parts.count)
        s = walk(c, note_samples, has_samples);
    json_cut_profiles_settle(&c->profiles);
    return write_document(c, s);
}

struct status json_cut(struct cut_job *job)
{
    struct cut c = {.job = job,
                    .input = {(const char *)job->data.p, job->data.n},
                    .first = INT64_MAX,
                    .last = INT64_MIN};
    struct status s = cut(&c);
    json_scan_release(&c.scan);
    selection_release(&c.selection);
    retelling_release(&c.told);
    map_release(&c.threads);
    map_release(&c.ids);
    json_open_slices_release(&c.open);
    json_open_slices_release(&c.async);
    json_cut_texts_release(&c.texts);
    json_cut_flows_release(&c.flows);
    json_cut_counters_release(&c.counters);
    json_cut_profiles_release(&c.profiles);
    vec_release(&c.rest);
    json_cut_chunks_release(&c.chunks);
    return s;
}
