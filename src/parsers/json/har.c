/* HTTP archives (HAR), as browsers and proxies write them: what was asked for, and how long each
 * part of it took, in ms.
 *
 *     {"log": {"pages": [{"id": "page_1", "title": "http://a/", "startedDateTime": "...",
 *        "pageTimings": {"onContentLoad": 120, "onLoad": 300}}],
 *       "entries": [{"pageref": "page_1", "startedDateTime": "2020-07-28T08:47:13.097Z",
 *         "time": 31.5, "request": {"method": "GET", "url": "http://a/"}, "response":
 *         {"status": 200, "content": {"size": 12, "mimeType": "text/html"}},
 *         "timings": {"blocked": 1, "dns": -1, "connect": 9, "ssl": 4, "send": 0.5, "wait": 20,
 *         "receive": 1}}]}}
 *
 * As the specification of HAR 1.2 says: of parts that did not happen the time is -1, ssl is a part
 * of connect. Requests are slices in lanes of their page, with the parts in them. */
#include "parsers/json/har.h"

#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/civil_time.h"

enum { ARCHIVE_BYTES_MAX = 1 << 30, PARTS = 7, ARGS = 10, URL_SHOWN = 200 };

/* In the order in which they happen. */
enum har_part { BLOCKED, DNS, CONNECT, SSL, SEND, WAIT, RECEIVE };
static const struct str part_names[PARTS] = {{"blocked", 7}, {"dns", 3},  {"connect", 7},
                                             {"ssl", 3},     {"send", 4}, {"wait", 4},
                                             {"receive", 7}};

enum har_arg { URL, METHOD, STATUS, PROTOCOL, TYPE, SIZE, TRANSFERRED, SERVER, KIND, PRIORITY };
static const struct {
    struct str member, arg;
} arg_names[ARGS] = {
    [URL] = {{"url", 3}, {"url", 3}},
    [METHOD] = {{"method", 6}, {"method", 6}},
    [STATUS] = {{"status", 6}, {"status", 6}},
    [PROTOCOL] = {{"httpVersion", 11}, {"protocol", 8}},
    [TYPE] = {{"mimeType", 8}, {"mime_type", 9}},
    [SIZE] = {{"size", 4}, {"size", 4}},
    [TRANSFERRED] = {{"_transferSize", 13}, {"transferred", 11}},
    [SERVER] = {{"serverIPAddress", 15}, {"server", 6}},
    [KIND] = {{"_resourceType", 13}, {"resource_type", 13}},
    [PRIORITY] = {{"_priority", 9}, {"priority", 8}},
};

/* An entry that is being read. */
struct har_entry {
    struct trace *trace;
    bool has_ts;
    int64_t ts, dur;
    int64_t parts[PARTS]; /* ns; below 0: it did not happen */
    string_id args[ARGS];
    string_id page;
};

/* A page, or the archive where entries name none. */
struct har_page {
    bool has_ts;
    int64_t ts, content_loaded, loaded; /* ns; below 0: not told */
    string_id id, title;
};

struct har {
    struct span_rows rows;
    VEC(struct har_page) pages;
    struct map titles; /* id -> title */
    string_id of_none;
    bool found;
};

/* Ms as ns; below 0, or where it is no such number, -1. */
static int64_t ms_to_ns(struct json_value v)
{
    const double most = 9e12;
    double ms;
    return json_to_f64(v, &ms) && ms >= 0 && ms < most ? (int64_t)(ms * 1e6 + 0.5) : -1;
}

static void take_timing(void *self, struct str key, struct json_value v)
{
    struct har_entry *e = self;
    for (size_t i = 0; i < PARTS; i++)
        if (str_eq(key, part_names[i]))
            e->parts[i] = ms_to_ns(v);
}

/* Members of an entry, its request, its response and their contents. */
static void take_arg(void *self, struct str key, struct json_value v)
{
    struct har_entry *e = self;
    if ((v.type != JSON_STRING && v.type != JSON_NUMBER) || v.text.n == 0)
        return;
    for (size_t i = 0; i < ARGS; i++)
        if (!e->args[i] && str_eq(key, arg_names[i].member))
            e->args[i] = trace_intern(e->trace, v.text);
}

static void take_response(void *self, struct str key, struct json_value v)
{
    take_arg(self, key, v);
    if (str_eq(key, STR("content")))
        json_members(v, self, take_arg);
}

static void take_member(void *self, struct str key, struct json_value v)
{
    struct har_entry *e = self;
    if (str_eq(key, STR("startedDateTime")))
        e->has_ts = v.type == JSON_STRING && civil_time_iso(v.text, &e->ts);
    else if (str_eq(key, STR("time")))
        e->dur = ms_to_ns(v);
    else if (str_eq(key, STR("pageref")) && v.type == JSON_STRING)
        e->page = trace_intern(e->trace, v.text);
    else if (str_eq(key, STR("timings")))
        json_members(v, e, take_timing);
    else if (str_eq(key, STR("request")))
        json_members(v, e, take_arg);
    else if (str_eq(key, STR("response")))
        json_members(v, e, take_response);
    else
        take_arg(e, key, v);
}

static int64_t sum_of_parts(const struct har_entry *e)
{
    int64_t sum = 0;
    for (size_t i = 0; i < PARTS; i++)
        if (i != SSL && e->parts[i] > 0)
            sum = time_plus(sum, e->parts[i]);
    return sum;
}

static struct service_span *new_span(struct span_rows *rows, string_id service, string_id name,
                                     int64_t ts, int64_t dur)
{
    struct service_span *span = vec_push(&rows->spans);
    *span = (struct service_span){.ts = ts,
                                  .dur = dur,
                                  .name = name,
                                  .service = service,
                                  .slice = NULL_U32,
                                  .track = NULL_U32,
                                  .alone = true};
    return span;
}

/* A name for a span by which its parts find it: its number. */
static string_id id_of(const struct span_rows *rows)
{
    return (string_id)rows->spans.count + 1;
}

/* What happened in the request, one behind the other, as far as that was before it ended. */
static void add_parts(struct span_rows *rows, const struct har_entry *e, string_id service,
                      int64_t ts, string_id request)
{
    int64_t at = ts, end = time_plus(ts, e->dur);
    for (size_t i = 0; i < PARTS; i++) {
        int64_t dur = e->parts[i];
        if (i == SSL || dur <= 0 || at >= end)
            continue;
        dur = dur < end - at ? dur : end - at;
        string_id id = id_of(rows), name = trace_intern(rows->trace, part_names[i]);
        struct service_span *part = new_span(rows, service, name, at, dur);
        part->id = id;
        part->parent = request;
        int64_t ssl = e->parts[SSL] < dur ? e->parts[SSL] : dur;
        if (i == CONNECT && ssl > 0) {
            name = trace_intern(rows->trace, part_names[SSL]);
            new_span(rows, service, name, at + dur - ssl, ssl)->parent = id;
        }
        at += dur;
    }
}

/* "GET http://a/b" without what is asked for behind the path. */
static string_id name_of(const struct har_entry *e)
{
    const struct string_pool *strings = &e->trace->strings;
    char name[URL_SHOWN + 24];
    struct str url = string_pool_get(strings, e->args[URL]);
    struct str method = string_pool_get(strings, e->args[METHOD]);
    url.n = str_find(url, '?');
    size_t n = method.n < 16 ? method.n : 16;
    if (n > 0)
        memcpy(name, method.p, n);
    if (n > 0 && url.n > 0)
        name[n++] = ' ';
    size_t shown = url.n < URL_SHOWN ? url.n : URL_SHOWN;
    if (shown > 0)
        memcpy(name + n, url.p, shown);
    n += shown;
    return trace_intern(e->trace, n > 0 ? (struct str){name, n} : STR("request"));
}

static struct har_entry read_entry(struct trace *t, struct json_value object)
{
    struct har_entry e = {.trace = t, .dur = -1};
    for (size_t i = 0; i < PARTS; i++)
        e.parts[i] = -1;
    json_members(object, &e, take_member);
    if (e.dur <= 0)
        e.dur = sum_of_parts(&e);
    return e;
}

static void add_entry(struct span_rows *rows, const struct har_entry *e, string_id service,
                      int64_t shift)
{
    int64_t ts = time_plus(e->ts, shift);
    string_id id = id_of(rows);
    new_span(rows, service, name_of(e), ts, e->dur)->id = id;
    for (size_t i = 0; i < ARGS; i++)
        if (e->args[i])
            span_rows_arg(rows, arg_names[i].arg, e->args[i]);
    add_parts(rows, e, service, ts, id);
}

bool har_add_entry(struct span_rows *rows, struct json_value entry, string_id service,
                   int64_t shift)
{
    struct har_entry e = read_entry(rows->trace, entry);
    if (e.has_ts)
        add_entry(rows, &e, service, shift);
    return e.has_ts;
}

static void take_entry(void *self, struct json_value v)
{
    struct har *h = self;
    struct har_entry e = read_entry(h->rows.trace, v);
    const uint32_t *title = e.page ? map_find(&h->titles, e.page) : NULL;
    h->found = true;
    if (e.has_ts)
        add_entry(&h->rows, &e, title ? *title : e.page ? e.page : h->of_none, 0);
    else
        stats_count(h->rows.trace, STAT_json_parser_failure);
}

static void take_page_timing(void *self, struct str key, struct json_value v)
{
    struct har_page *page = self;
    if (str_eq(key, STR("onContentLoad")))
        page->content_loaded = ms_to_ns(v);
    else if (str_eq(key, STR("onLoad")))
        page->loaded = ms_to_ns(v);
}

struct page_reader {
    struct trace *trace;
    struct har_page page;
};

static void take_page_member(void *self, struct str key, struct json_value v)
{
    struct page_reader *r = self;
    if (str_eq(key, STR("startedDateTime")))
        r->page.has_ts = v.type == JSON_STRING && civil_time_iso(v.text, &r->page.ts);
    else if (str_eq(key, STR("id")) && v.type == JSON_STRING)
        r->page.id = trace_intern(r->trace, v.text);
    else if (str_eq(key, STR("title")) && v.type == JSON_STRING && v.text.n > 0)
        r->page.title = trace_intern(r->trace, v.text);
    else if (str_eq(key, STR("pageTimings")))
        json_members(v, &r->page, take_page_timing);
}

static void take_page(void *self, struct json_value v)
{
    struct har *h = self;
    struct page_reader r = {.trace = h->rows.trace, .page = {.content_loaded = -1, .loaded = -1}};
    json_members(v, &r, take_page_member);
    if (!r.page.title)
        r.page.title = r.page.id;
    if (r.page.id)
        map_set(&h->titles, r.page.id, r.page.title);
    if (r.page.has_ts && r.page.title)
        *vec_push(&h->pages) = r.page;
}

/* Entries may stand in front of the pages that they name. */
static void take_pages(void *self, struct str key, struct json_value v)
{
    struct har *h = self;
    if (str_eq(key, STR("pages")))
        json_items(v, h, take_page);
}

static void take_entries(void *self, struct str key, struct json_value v)
{
    struct har *h = self;
    if (str_eq(key, STR("entries")))
        json_items(v, h, take_entry);
}

static void take_log(void *self, struct str key, struct json_value v)
{
    if (!str_eq(key, STR("log")))
        return;
    json_members(v, self, take_pages);
    json_members(v, self, take_entries);
}

/* How long each page took to load, on lanes of their own. */
static void add_pages(struct har *h)
{
    struct trace *t = h->rows.trace;
    string_id service = trace_intern(t, STR("Pages"));
    for (size_t i = 0; i < h->pages.count; i++) {
        const struct har_page *page = &h->pages.items[i];
        size_t span = h->rows.spans.count;
        int64_t dur = page->loaded > 0 ? page->loaded : 0;
        new_span(&h->rows, service, page->title, page->ts, dur);
        if (page->content_loaded >= 0 && page->content_loaded <= dur)
            new_span(&h->rows, service, trace_intern(t, STR("onContentLoad")),
                     time_plus(page->ts, page->content_loaded), 0)
                ->span_plus_one = span + 1;
    }
}

static struct status har_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct har h = {.rows = {.trace = t}, .of_none = trace_intern(t, STR("Network"))};
    struct json_closed closed = {0};
    bool whole = false;
    if (!byte_source_all(source, ARCHIVE_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str text = {(const char *)source->window.p, source->window.n};
    json_members(json_document(text, &closed, &whole), &h, take_log);
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    add_pages(&h);
    span_rows_apply(&h.rows);
    h.found |= h.pages.count > 0;
    span_rows_release(&h.rows);
    vec_release(&h.pages);
    map_release(&h.titles);
    vec_release(&closed.v);
    return h.found
               ? status_ok_value()
               : status_error(STATUS_FORMAT, "%s: expected a HAR with entries, found none", name);
}

static bool sniff_har(struct bytes data)
{
    return json_kind(data) == JSON_KIND_HAR;
}

const struct trace_format har_trace_format = {
    .name = "HTTP archive",
    .type = "har",
    .about =
        "HTTP archives (.har) of browsers and proxies: a JSON object with log, and its entries",
    .clock = CLOCK_REALTIME_NUMBER,
    .sniff = sniff_har,
    .is_text = true,
    .read_source = har_import,
};
