#include "parsers/json/cut.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "parsers/input/json_scan.h"
#include "parsers/input/retelling.h"
#include "parsers/json/nesting.h"

enum { EVENTS_PER_CHECK = 4096 };

/* An event as far as it matters here. Texts stand in the file. */
struct event {
    uint64_t number; /* in the file */
    struct str text; /* with its brackets */
    char phase;
    bool has_ts;
    int64_t ts, dur; /* ns; dur is 0 where there is none */
    uint64_t thread, process, name, category, id;
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

static uint64_t id_hash(struct json_value v)
{
    return hash_mix(text_hash(v.text), v.type == JSON_OBJECT);
}

static void read_member(struct event *e, struct str key, struct json_value v)
{
    if (str_eq(key, STR("ph")))
        e->phase = v.text.n ? v.text.p[0] : 0;
    else if (str_eq(key, STR("ts")))
        e->has_ts = json_us_to_ns(v, &e->ts);
    else if (str_eq(key, STR("dur")) && !json_us_to_ns(v, &e->dur))
        e->dur = 0;
    else if (str_eq(key, STR("tid")))
        e->thread = text_hash(v.text);
    else if (str_eq(key, STR("pid")))
        e->process = text_hash(v.text);
    else if (str_eq(key, STR("name")))
        e->name = text_hash(v.text);
    else if (str_eq(key, STR("cat")))
        e->category = text_hash(v.text);
    else if (str_eq(key, STR("id")) || str_eq(key, STR("id2")) || str_eq(key, STR("scope")))
        e->id ^= id_hash(v);
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
        char name[8]; /* longer ones are of no interest; the key may not last */
        size_t n = key.n < sizeof name ? key.n : 0;
        memcpy(name, key.p, n);
        if (!json_read_value(j, &v))
            return false;
        read_member(e, (struct str){name, n}, v);
    }
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
        if (!json_skip_value(j)) {
            j->p = j->end;
            return true;
        }
        if (nesting.depth == 0)
            keep_member(c, start);
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

static void note_time(struct cut *c, const struct event *e)
{
    if (!e->has_ts || e->phase == 'M')
        return;
    int64_t end = e->phase == 'X' ? time_plus(e->ts, e->dur) : e->ts;
    c->first = e->ts < c->first ? e->ts : c->first;
    c->last = end > c->last ? end : c->last;
}

/* Events whose times do not matter, or that others refer to. */
static bool is_about_all(const struct event *e)
{
    return !e->has_ts || e->phase == 'M' || e->phase == 'c' || e->phase == 'P';
}

static void mark(struct cut *c, const struct event *e, enum mark_kind kind, uint64_t key)
{
    struct window_mark m = {
        .ts = e->ts, .key = key, .other = e->name, .number = e->number, .kind = kind};
    selection_mark(&c->selection, &m);
}

static void note_state(struct cut *c, const struct event *e)
{
    uint64_t thread = hash_mix(e->process, e->thread);
    uint64_t async = hash_mix(hash_mix(e->id, e->category), e->process);
    if (is_about_all(e) || e->ts >= c->from)
        return;
    switch (e->phase) {
    case 'B':
        mark(c, e, MARK_BEGIN, thread);
        return;
    case 'E':
        mark(c, e, MARK_END, thread);
        return;
    case 'b':
        mark(c, e, MARK_BEGIN, async);
        return;
    case 'e':
        mark(c, e, MARK_END_LIKELY, async);
        return;
    case 'S':
        mark(c, e, MARK_BEGIN, hash_mix(async, e->name));
        return;
    case 'F':
        mark(c, e, MARK_END, hash_mix(async, e->name));
        return;
    case 'C':
        selection_last(&c->selection, hash_mix(hash_mix(e->process, e->name), e->id), e->ts,
                       e->number);
        return;
    case 'X':
        if (time_plus(e->ts, e->dur) > c->from)
            selection_keep_lasting(&c->selection, e->ts, e->dur, e->number);
        return;
    default:
        return;
    }
}

static void put_number(struct cut *c, const char *key, int64_t ns)
{
    char text[64];
    uint64_t magnitude = ns < 0 ? 0 - (uint64_t)ns : (uint64_t)ns;
    int n = snprintf(text, sizeof text, "\"%s\":%s%" PRIu64 ".%03u,", key, ns < 0 ? "-" : "",
                     magnitude / 1000, (unsigned)(magnitude % 1000));
    put(c, (struct str){text, (size_t)n});
}

/* The event with another time, and the same end. */
static void put_at(struct cut *c, const struct event *e, int64_t ts)
{
    struct json_scan j = json_scan_from(e->text);
    struct str key;
    bool closed, any = false;
    put(c, STR("{"));
    put_number(c, "ts", ts);
    if (e->phase == 'X')
        put_number(c, "dur", time_minus(time_plus(e->ts, e->dur), ts));
    json_take(&j, '{');
    for (;;) {
        json_take(&j, ',');
        json_skip_space(&j);
        const char *start = j.p;
        if (!json_next_key(&j, true, &key, &closed))
            break;
        bool is_time = str_eq(key, STR("ts")) || (e->phase == 'X' && str_eq(key, STR("dur")));
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
    put(c, c->any ? STR(",\n") : STR("{\"traceEvents\":[\n"));
    c->any = true;
    if (told)
        put_at(c, e, ts);
    else
        put(c, e->text);
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
    s = walk(c, note_state);
    retelling_make(&c->told, &c->selection, NULL, c->from);
    if (status_ok(s))
        s = walk(c, write_event);
    if (!c->any)
        put(c, STR("{\"traceEvents\":["));
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
    vec_release(&c.rest);
    return s;
}
