#include "parsers/json/cut.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/input/json_number.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/retelling.h"
#include "parsers/json/event_members.h"
#include "parsers/json/nesting.h"
#include "parsers/json/numbers.h"
#include "parsers/json/open_slices.h"

enum { EVENTS_PER_CHECK = 4096 };
static const uint64_t EXACT_BELOW = UINT64_C(1) << 52; /* ns that a double holds as us */

/* What an async event goes by. */
struct id {
    bool is_there;
    uint64_t hash;
};

/* A pid or tid that is a text, as it stands in the file. */
struct text_number {
    struct str text;
    int64_t number;
};

/* An event as far as it matters here. Texts stand in the file. */
struct event {
    uint64_t number; /* in the file */
    struct str text; /* with its brackets */
    char phase, scope;
    enum json_felt felt;
    bool has_ts, has_thread, has_args, encloses;
    int64_t ts, dur; /* ns; dur is 0 where there is none */
    uint64_t thread, process, name, category;
    uint64_t text_id; /* of an id that is a text */
    struct id id, local, global;
};

struct cut {
    struct cut_job *job;
    struct str input; /* its data */
    struct json_scan scan;
    uint64_t events; /* so far */
    int64_t first, last;
    int64_t from, to;
    struct selection selection;
    struct retelling told;
    struct map threads; /* hash -> number */
    struct json_open_slices open;
    struct json_numbers numbers;
    struct map numbered; /* of texts: those that are in `text_numbers` */
    VEC(struct text_number) text_numbers;
    VEC(char) rest; /* members of the document beside the events */
    bool any;       /* an event is written */
    void (*each)(struct cut *c, const struct event *e);
};

static void put(struct cut *c, struct str s)
{
    cut_write(c->job->out, s.p, s.n);
}

static uint64_t text_hash(struct str s)
{
    return hash_bytes(s.p, s.n, 1);
}

/* Texts take numbers as the importer reads them. */
static void number_text(struct cut *c, struct json_value v)
{
    if (v.type == JSON_STRING)
        json_number_of(&c->numbers, v.text);
}

/* A pid or tid; `raw` as it stands in the file. */
static uint64_t read_number(struct cut *c, struct json_value v, struct str raw)
{
    bool inserted;
    uint64_t hash = hash_mix(text_hash(v.text), v.type);
    if (v.type != JSON_STRING)
        return hash;
    int64_t number = json_number_of(&c->numbers, v.text);
    map_insert(&c->numbered, hash, &inserted);
    if (inserted)
        *vec_push(&c->text_numbers) = (struct text_number){raw, number};
    return hash;
}

static struct id read_id(struct cut *c, struct json_value v)
{
    int64_t number;
    number_text(c, v);
    bool is = v.type == JSON_STRING || (v.type == JSON_NUMBER && str_to_i64(v.text, &number));
    return (struct id){is, is ? hash_mix(text_hash(v.text), v.type) : 0};
}

static void read_id2(struct cut *c, struct event *e, struct json_value v)
{
    struct json_scan j = json_scan_from(v.text);
    struct str key;
    struct json_value id;
    bool closed, good = v.type == JSON_OBJECT && json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        bool local = str_eq(key, STR("local")), global = str_eq(key, STR("global"));
        good = json_read_value(&j, &id);
        if (good && local)
            e->local = read_id(c, id);
        else if (good && global)
            e->global = read_id(c, id);
    }
    json_scan_release(&j);
}

static char first_character(struct json_value v)
{
    return v.type == JSON_STRING && v.text.n ? v.text.p[0] : 0;
}

static bool is_zero(struct json_value v)
{
    int64_t number;
    return v.type == JSON_NUMBER && json_to_i64(v, &number) && number == 0;
}

static void read_member(struct cut *c, struct event *e, enum json_member member,
                        struct json_value v, struct str raw)
{
    switch (member) {
    case JSON_MEMBER_PH:
        e->phase = first_character(v);
        return;
    case JSON_MEMBER_TS:
        e->has_ts = json_us_to_ns(v, &e->ts);
        return;
    case JSON_MEMBER_DUR:
        if (!json_us_to_ns(v, &e->dur))
            e->dur = 0;
        return;
    case JSON_MEMBER_TID:
        e->thread = read_number(c, v, raw);
        e->has_thread = !is_zero(v);
        return;
    case JSON_MEMBER_PID:
        e->process = read_number(c, v, raw);
        return;
    case JSON_MEMBER_NAME:
        number_text(c, v);
        e->name = text_hash(v.text);
        return;
    case JSON_MEMBER_CAT:
        number_text(c, v);
        e->category = text_hash(v.text);
        return;
    case JSON_MEMBER_ID:
        e->id = read_id(c, v);
        e->text_id = v.type == JSON_STRING ? e->id.hash : 0;
        return;
    case JSON_MEMBER_ID2:
        read_id2(c, e, v);
        return;
    case JSON_MEMBER_BIND_ID:
        number_text(c, v);
        return;
    case JSON_MEMBER_S:
        e->scope = v.text.n == 1 ? first_character(v) : 0;
        return;
    case JSON_MEMBER_BP:
        e->encloses = v.type == JSON_STRING && str_eq(v.text, STR("e"));
        return;
    case JSON_MEMBER_ARGS:
        e->has_args = v.type == JSON_OBJECT;
        return;
    default:
        return;
    }
}

static enum json_felt felt_of(char phase)
{
    switch (phase) {
#define P(letter, keep, apply, felt)                                                               \
    case letter:                                                                                   \
        return felt;
        JSON_PHASES(P)
#undef P
    default:
        return JSON_FELT_NOT;
    }
}

/* What is felt of an event also depends on what else it says. */
static enum json_felt felt_of_event(const struct event *e)
{
    bool wide = e->scope == 'g' || e->scope == 'p';
    enum json_felt felt = felt_of(e->phase);
    if (felt == JSON_FELT_INSTANT && e->has_args && e->name == text_hash(STR(JSON_WHOLE_PROFILE)))
        return JSON_FELT_ALWAYS;
    if (felt == JSON_FELT_INSTANT && wide)
        return JSON_FELT_NOT;
    if (felt == JSON_FELT_FLOW_TO_NEXT && e->encloses)
        return JSON_FELT_FLOW;
    if (felt == JSON_FELT_WITH_ID)
        return e->id.is_there ? JSON_FELT_ALWAYS : JSON_FELT_NOT;
    return felt;
}

/* The event that begins at the scan. False where it is malformed. */
static bool read_event(struct cut *c, struct event *e)
{
    struct json_scan *j = &c->scan;
    const char *start = j->p;
    struct str key;
    struct json_value v;
    bool closed = false;
    *e = (struct event){.number = c->events};
    if (!json_take(j, '{'))
        return false;
    for (bool first = true; json_next_key(j, first, &key, &closed); first = false) {
        enum json_member member = json_member_of(key);
        json_skip_space(j);
        const char *value = j->p;
        if (!json_read_value(j, &v))
            return false;
        read_member(c, e, member, v, (struct str){value, (size_t)(j->p - value)});
    }
    if (!e->has_thread)
        e->thread = e->process; /* the process as such: its main thread */
    e->felt = felt_of_event(e);
    e->text = (struct str){start, (size_t)(j->p - start)};
    return closed;
}

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

/* Events up to the bracket that closes them, or the end. False: loading shall stop. */
static bool read_events(struct cut *c)
{
    struct json_scan *j = &c->scan;
    for (;;) {
        struct event e;
        json_take(j, ',');
        if (json_take(j, ']'))
            return true;
        json_skip_space(j);
        if (j->p >= j->end)
            return true;
        j->ran_out = false;
        if (read_event(c, &e))
            c->each(c, &e);
        else if (j->ran_out || !find_event(j))
            j->p = j->end;
        if (c->events++ % EVENTS_PER_CHECK == 0 &&
            !progress_report(c->job->progress, (uint64_t)(j->p - c->input.p)))
            return false;
    }
}

/* A member that is no list of events stays as it is. */
static void keep_member(struct cut *c, const char *start)
{
    size_t n = (size_t)(c->scan.p - start);
    *vec_push(&c->rest) = ',';
    *vec_push(&c->rest) = '\n';
    vec_append(&c->rest, start, n);
}

/* Events whose times do not matter, or that others refer to. */
static bool is_about_all(const struct event *e)
{
    return !e->has_ts || e->felt == JSON_FELT_ALWAYS;
}

static void note_time(struct cut *c, const struct event *e)
{
    c->open.has_complete |= e->felt == JSON_FELT_COMPLETE;
    if (is_about_all(e))
        return;
    bool lasts = e->felt == JSON_FELT_COMPLETE || e->felt == JSON_FELT_DUR;
    int64_t end = lasts ? time_plus(e->ts, e->dur) : e->ts;
    c->first = e->ts < c->first ? e->ts : c->first;
    c->last = end > c->last ? end : c->last;
}

/* The list "samples" stays as it is; its texts take numbers, and its times are the trace's. */
static void read_samples(struct cut *c, struct str list)
{
    struct json_scan items = json_scan_from(list);
    struct json_value item, v;
    json_take(&items, '[');
    for (bool first = true; json_next_item(&items, first, &item); first = false) {
        struct json_scan j = json_scan_from(item.text);
        struct event sample = {0};
        struct str key;
        bool closed, good = item.type == JSON_OBJECT && json_take(&j, '{');
        for (bool any = false; good && json_next_key(&j, !any, &key, &closed); any = true) {
            enum json_member member = json_member_of(key);
            json_skip_space(&j);
            const char *value = j.p;
            good = json_read_value(&j, &v);
            if (good && member != JSON_MEMBER_ID && member != JSON_MEMBER_PH)
                read_member(c, &sample, member, v, (struct str){value, (size_t)(j.p - value)});
        }
        json_scan_release(&j);
        if (sample.has_ts && sample.thread)
            note_time(c, &sample);
    }
    json_scan_release(&items);
}

/* A member of the document beside its events, from `start` on: its value begins at `value`. */
static void take_member(struct cut *c, struct str name, const char *start, const char *value)
{
    struct str text = {value, (size_t)(c->scan.p - value)};
    if (str_eq(name, STR(JSON_NUMBERS_MEMBER))) {
        json_numbers_read(&c->numbers, text);
        return;
    }
    if (str_eq(name, STR("samples")))
        read_samples(c, text);
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
        char kept[sizeof JSON_NUMBERS_MEMBER]; /* the key may not last */
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

/* Lists and objects, one behind the other. */
static struct status walk(struct cut *c, void (*each)(struct cut *c, const struct event *e))
{
    bool going = true;
    json_scan_release(&c->scan);
    c->scan = json_scan_from(c->input);
    c->each = each;
    c->events = 0;
    c->rest.count = 0;
    json_numbers_release(&c->numbers);
    c->numbers = json_numbers_begin(c->job->packed);
    while (going && c->scan.p < c->scan.end) {
        const char *before = c->scan.p;
        if (json_take(&c->scan, '[') || is_event(c))
            going = read_events(c);
        else if (json_take(&c->scan, '{'))
            going = read_members(c);
        if (c->scan.p == before)
            break;
    }
    return going ? status_ok_value() : progress_cancelled(c->job->name);
}

static void mark(struct cut *c, const struct event *e, enum mark_kind kind, uint64_t key)
{
    struct window_mark m = {
        .ts = e->ts, .key = key, .other = e->name, .number = e->number, .kind = (uint8_t)kind};
    selection_mark(&c->selection, &m);
}

static uint32_t thread_number(struct cut *c, const struct event *e)
{
    bool inserted;
    uint32_t *number = map_insert(&c->threads, hash_mix(e->process, e->thread), &inserted);
    if (inserted)
        *number = (uint32_t)c->threads.count;
    return *number;
}

static void note_of_thread(struct cut *c, const struct event *e)
{
    json_open_slices_add(&c->open,
                         &(struct json_thread_event){.ts = e->ts,
                                                     .dur =
                                                         e->felt == JSON_FELT_COMPLETE ? e->dur : 0,
                                                     .number = e->number,
                                                     .thread = thread_number(c, e),
                                                     .name = (uint32_t)e->name,
                                                     .category = (uint32_t)e->category,
                                                     .felt = e->felt});
}

/* An id of a process, or of all. */
static uint64_t async_key(const struct event *e)
{
    bool local = !e->id.is_there && !e->global.is_there;
    const struct id *id = e->id.is_there ? &e->id : local ? &e->local : &e->global;
    return hash_mix(hash_mix(id->hash, e->category), local ? e->process : 0);
}

static void note_state(struct cut *c, const struct event *e)
{
    if (is_about_all(e) || e->ts >= c->from)
        return;
    switch (e->felt) {
    case JSON_FELT_BEGIN:
    case JSON_FELT_END:
    case JSON_FELT_INSTANT:
    case JSON_FELT_FLOW:
    case JSON_FELT_FLOW_TO_NEXT:
        note_of_thread(c, e);
        return;
    case JSON_FELT_COMPLETE:
        if (e->dur >= 0)
            note_of_thread(c, e);
        return;
    case JSON_FELT_ASYNC_BEGIN:
        mark(c, e, MARK_BEGIN, async_key(e));
        return;
    case JSON_FELT_ASYNC_END:
        mark(c, e, MARK_END_LIKELY, async_key(e));
        return;
    case JSON_FELT_LAST:
        selection_last(&c->selection, hash_mix(hash_mix(e->process, e->name), e->text_id), e->ts,
                       e->number);
        return;
    case JSON_FELT_DUR:
        if (time_plus(e->ts, e->dur) > c->from)
            selection_keep_lasting(&c->selection, e->ts, e->dur, e->number);
        return;
    case JSON_FELT_NOT:
    case JSON_FELT_ALWAYS:
    case JSON_FELT_WITH_ID:
        return;
    }
}

static void put_number(struct cut *c, const char *key, int64_t ns)
{
    char text[64];
    uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    bool exact = magnitude < EXACT_BELOW; /* as us with a fraction */
    int n = exact ? snprintf(text, sizeof text, "\"%s\":%s%" PRIu64 ".%03u,", key,
                             ns < 0 ? "-" : "", magnitude / 1000, (unsigned)(magnitude % 1000))
                  : snprintf(text, sizeof text, "\"%s\":%" PRId64 JSON_NS_AS_US ",", key, ns);
    put(c, (struct str){text, (size_t)n});
}

/* How long an event lasts that is told again at `ts`: to the same end; but what was only in the way
 * of another slice ends right behind that one's begin. */
static int64_t told_dur(const struct cut *c, const struct event *e, int64_t ts)
{
    uint64_t slice;
    int64_t begin;
    if (json_open_slices_overlapped(&c->open, e->number, &slice) &&
        retelling_at(&c->told, slice, &begin))
        return begin + 1 - ts;
    return time_minus(time_plus(e->ts, e->dur), ts);
}

/* The event with another time. */
static void put_at(struct cut *c, const struct event *e, int64_t ts)
{
    bool lasts = e->felt == JSON_FELT_COMPLETE || e->felt == JSON_FELT_DUR;
    struct json_scan j = json_scan_from(e->text);
    struct str key;
    bool closed, any = false;
    put(c, STR("{"));
    put_number(c, "ts", ts);
    if (lasts)
        put_number(c, "dur", told_dur(c, e, ts));
    json_take(&j, '{');
    for (;;) {
        json_take(&j, ',');
        json_skip_space(&j);
        const char *start = j.p;
        if (!json_next_key(&j, true, &key, &closed))
            break;
        bool is_time = str_eq(key, STR("ts")) || (lasts && str_eq(key, STR("dur")));
        if (!json_skip_value(&j))
            break;
        if (is_time)
            continue;
        put(c, any ? STR(",") : STR(""));
        put(c, (struct str){start, (size_t)(j.p - start)});
        any = true;
    }
    put(c, any ? STR("}") : STR("\"args\":{}}"));
    json_scan_release(&j);
}

static void write_event(struct cut *c, const struct event *e)
{
    int64_t ts;
    bool inside = is_about_all(e) || (e->ts >= c->from && e->ts < c->to);
    bool told = !inside && retelling_at(&c->told, e->number, &ts);
    if (!inside && !told)
        return;
    if (c->any)
        put(c, STR(",\n"));
    c->any = true;
    if (told)
        put_at(c, e, ts);
    else
        put(c, e->text);
}

/* What stands in front of the events. */
static void begin_document(struct cut *c)
{
    put(c, STR("{"));
    for (size_t i = 0; i < c->text_numbers.count; i++) {
        const struct text_number *t = &c->text_numbers.items[i];
        char number[32];
        int n = snprintf(number, sizeof number, ":%" PRId64, t->number);
        put(c, i ? STR(",") : STR("\"" JSON_NUMBERS_MEMBER "\":{"));
        put(c, t->text);
        put(c, (struct str){number, (size_t)n});
    }
    put(c, c->text_numbers.count ? STR("},\n\"traceEvents\":[\n") : STR("\"traceEvents\":[\n"));
}

/* Once more, where too much was dropped. */
static struct status walk_keeping_all(struct cut *c)
{
    bool has_complete = c->open.has_complete;
    json_open_slices_release(&c->open);
    c->open = (struct json_open_slices){.selected = &c->selection,
                                        .from = c->from,
                                        .keeps_all = true,
                                        .has_complete = has_complete};
    selection_release(&c->selection);
    c->selection = (struct selection){0};
    return walk(c, note_state);
}

static struct status cut(struct cut *c)
{
    struct status s = walk(c, note_time);
    if (status_ok(s))
        s = cut_resolve(c->job, c->first, c->last);
    if (!status_ok(s))
        return s;
    c->from = c->job->span.from;
    c->to = c->job->span.to;
    c->open.from = c->from;
    c->open.selected = &c->selection;
    s = walk(c, note_state);
    if (status_ok(s) && c->open.out_of_order)
        s = walk_keeping_all(c);
    json_open_slices_select(&c->open);
    retelling_make(&c->told, &c->selection, NULL, c->from);
    begin_document(c);
    if (status_ok(s))
        s = walk(c, write_event);
    put(c, STR("\n]"));
    put(c, (struct str){c->rest.items, c->rest.count});
    put(c, STR("}\n"));
    return cut_finish(c->job, s);
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
    map_release(&c.numbered);
    json_open_slices_release(&c.open);
    json_numbers_release(&c.numbers);
    vec_release(&c.text_numbers);
    vec_release(&c.rest);
    return s;
}
