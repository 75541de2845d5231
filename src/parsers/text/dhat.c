/* What Valgrind's DHAT writes (dhat.out.PID), and the Rust library of that name: where memory was
 * asked for, and how much.
 *
 *     {"dhatFileVersion": 2, "mode": "heap", "cmd": "./app", "pid": 42, "bklt": true,
 *      "pps": [{"tb": 120, "tbk": 2, "gb": 30, "gbk": 1, "eb": 0, "ebk": 0, "fs": [1, 2]}],
 *      "ftbl": ["[root]", "0x48E41B4: malloc (in /usr/lib/valgrind/dhat.so)",
 *        "0x10920F: main (app.c:10)"]}
 *
 * As dhat/dh_main.c of Valgrind says: frames stand innermost first. */
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/source_place.h"
#include "parsers/text/stack_sums.h"

enum { PROFILE_BYTES_MAX = 1 << 30, VALUES = 6 };

/* What is counted of a place, and when. */
static const struct {
    struct str member, name, type, unit;
} value_kinds[VALUES] = {
    {{"tb", 2}, {"bytes in total", 14}, {"space", 5}, {"bytes", 5}},
    {{"tbk", 3}, {"blocks in total", 15}, {"blocks", 6}, {"count", 5}},
    {{"gb", 2}, {"bytes at the maximum", 20}, {"space", 5}, {"bytes", 5}},
    {{"gbk", 3}, {"blocks at the maximum", 21}, {"blocks", 6}, {"count", 5}},
    {{"eb", 2}, {"bytes at the end", 16}, {"space", 5}, {"bytes", 5}},
    {{"ebk", 3}, {"blocks at the end", 17}, {"blocks", 6}, {"count", 5}},
};

struct dhat {
    struct trace *trace;
    VEC(uint32_t) table;       /* frames by their numbers */
    VEC(uint32_t) stack;       /* of a place, innermost first */
    double values[VALUES];     /* of a place; 0: not told */
    uint32_t profiles[VALUES]; /* NULL_U32: there is no such value so far */
    bool found;
};

static void take_frame(void *self, struct json_value v)
{
    struct dhat *d = self;
    struct str text = v.type == JSON_STRING ? v.text : STR("");
    *vec_push(&d->table) = source_place_valgrind(d->trace, text);
}

static void take_table(void *self, struct str key, struct json_value v)
{
    if (str_eq(key, STR("ftbl")))
        json_items(v, self, take_frame);
}

static void take_number(void *self, struct json_value v)
{
    struct dhat *d = self;
    int64_t number;
    if (json_to_i64(v, &number) && number >= 0 && (uint64_t)number < d->table.count)
        *vec_push(&d->stack) = d->table.items[number];
}

static void take_place_member(void *self, struct str key, struct json_value v)
{
    struct dhat *d = self;
    if (str_eq(key, STR("fs")))
        json_items(v, d, take_number);
    for (size_t i = 0; i < VALUES; i++)
        if (str_eq(key, value_kinds[i].member) && !json_to_f64(v, &d->values[i]))
            d->values[i] = 0;
}

static void take_place(void *self, struct json_value v)
{
    struct dhat *d = self;
    uint32_t callsite = NULL_U32;
    d->stack.count = 0;
    memset(d->values, 0, sizeof d->values);
    json_members(v, d, take_place_member);
    for (size_t i = d->stack.count; i-- > 0;)
        callsite = stack_callsite_intern(d->trace, callsite, d->stack.items[i]);
    d->found = true;
    if (callsite == NULL_U32)
        callsite = stack_sums_call(d->trace, NULL_U32, STR(""), STR("[unknown]"));
    for (size_t i = 0; i < VALUES; i++) {
        if (!(d->values[i] > 0))
            continue;
        if (d->profiles[i] == NULL_U32)
            d->profiles[i] = stack_sums_profile(d->trace, STR("dhat"), value_kinds[i].name,
                                                value_kinds[i].type, value_kinds[i].unit);
        stack_sums_add(d->trace, d->profiles[i], callsite, d->values[i]);
    }
}

/* The table of frames stands behind the places. */
static void take_places(void *self, struct str key, struct json_value v)
{
    if (str_eq(key, STR("pps")))
        json_items(v, self, take_place);
}

static struct status dhat_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct dhat d = {.trace = t};
    struct json_closed closed = {0};
    bool whole = false;
    memset(d.profiles, 0xff, sizeof d.profiles);
    if (!byte_source_all(source, PROFILE_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str text = {(const char *)source->window.p, source->window.n};
    struct json_value document = json_document(text, &closed, &whole);
    json_members(document, &d, take_table);
    json_members(document, &d, take_places);
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    vec_release(&d.table);
    vec_release(&d.stack);
    vec_release(&closed.v);
    return d.found ? status_ok_value()
                   : status_error(STATUS_FORMAT,
                                  "%s: expected a profile of DHAT with pps, found none", name);
}

static bool sniff_dhat(struct bytes data)
{
    return json_kind(data) == JSON_KIND_DHAT;
}

const struct trace_format dhat_trace_format = {
    .name = "DHAT",
    .type = "dhat",
    .about = "dhat.out of Valgrind and Rust's dhat: a JSON object with dhatFileVersion",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_dhat,
    .is_text = true,
    .read_source = dhat_import,
};
