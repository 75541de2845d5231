/* What `node --prof-process --preprocess` makes of V8's log: codes, functions, and ticks with the
 * codes on the stack, innermost first, each with an offset in it.
 *
 *     {"code": [{"name": "node", "type": "SHARED_LIB"}, {"name": "run /a.js:1:2", "type": "JS",
 *        "kind": "Opt", "func": 0}],
 *      "functions": [{"name": "run /a.js:1:2", "codes": [1]}],
 *      "ticks": [{"tm": 658, "vm": 5, "s": [1, 12, 0, 0]}]}
 *
 * As tools/profview of V8 reads it. Times are us since the start, -1 is no code that is known. */
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/trace_format.h"
#include "parsers/samples/flame_chart.h"
#include "parsers/samples/samples.h"
#include "parsers/text/v8_code.h"

enum { TICKS_BYTES_MAX = 1 << 30, COLLECTING = 1, INTERVAL_US = 1000 };

struct v8_ticks {
    struct trace *trace;
    VEC(uint32_t) functions; /* frames by their numbers */
    VEC(uint32_t) codes;
    VEC(int64_t) stack; /* numbers as they stand in a tick */
    int64_t us, state, last;
    uint32_t utid, collector, program;
    struct samples samples;
    struct flame_chart chart;
};

/* A function or a code. */
struct tick_code {
    struct v8_ticks *ticks;
    string_id name;
    int64_t function;
    bool is_function;
};

static void take_code_member(void *self, struct str key, struct json_value v)
{
    struct tick_code *c = self;
    if (str_eq(key, STR("name")) && v.type == JSON_STRING)
        c->name = trace_intern(c->ticks->trace, v.text);
    else if (str_eq(key, STR("type")) && v.type == JSON_STRING)
        c->is_function = str_eq(v.text, STR("JS"));
    else if (str_eq(key, STR("func")) && !json_to_i64(v, &c->function))
        c->function = -1;
}

static uint32_t read_code(struct v8_ticks *ticks, struct json_value v, bool is_function)
{
    struct trace *t = ticks->trace;
    struct tick_code c = {.ticks = ticks, .function = -1, .is_function = is_function};
    json_members(v, &c, take_code_member);
    if (c.function >= 0 && (uint64_t)c.function < ticks->functions.count)
        return ticks->functions.items[c.function];
    return v8_frame(t, c.name ? string_pool_get(&t->strings, c.name) : STR("[unknown]"),
                    c.is_function);
}

static void take_function(void *self, struct json_value v)
{
    struct v8_ticks *ticks = self;
    *vec_push(&ticks->functions) = read_code(ticks, v, true);
}

static void take_code(void *self, struct json_value v)
{
    struct v8_ticks *ticks = self;
    *vec_push(&ticks->codes) = read_code(ticks, v, false);
}

static void take_number(void *self, struct json_value v)
{
    struct v8_ticks *ticks = self;
    int64_t number;
    *vec_push(&ticks->stack) = json_to_i64(v, &number) ? number : -1;
}

static void take_tick_member(void *self, struct str key, struct json_value v)
{
    struct v8_ticks *ticks = self;
    if (str_eq(key, STR("tm")) && !json_to_i64(v, &ticks->us))
        ticks->us = -1;
    else if (str_eq(key, STR("vm")) && !json_to_i64(v, &ticks->state))
        ticks->state = -1;
    else if (str_eq(key, STR("s")))
        json_items(v, ticks, take_number);
}

static uint32_t callsite_of(struct v8_ticks *ticks)
{
    struct trace *t = ticks->trace;
    uint32_t callsite = NULL_U32;
    for (size_t i = ticks->stack.count / 2; i-- > 0;) {
        int64_t code = ticks->stack.items[i * 2];
        if (code >= 0 && (uint64_t)code < ticks->codes.count)
            callsite = stack_callsite_intern(t, callsite, ticks->codes.items[code]);
    }
    if (ticks->state == COLLECTING)
        callsite = stack_callsite_intern(t, callsite, ticks->collector);
    return callsite == NULL_U32 ? stack_callsite_intern(t, callsite, ticks->program) : callsite;
}

static void take_tick(void *self, struct json_value v)
{
    struct v8_ticks *ticks = self;
    int64_t ns, ts;
    ticks->us = ticks->state = -1;
    ticks->stack.count = 0;
    json_members(v, ticks, take_tick_member);
    if (ticks->us < 0 || ticks->us < ticks->last || __builtin_mul_overflow(ticks->us, 1000, &ns) ||
        !clock_file_time(ticks->trace, ns, &ts))
        return;
    uint32_t callsite = callsite_of(ticks);
    ticks->last = ticks->us;
    samples_add(&ticks->samples, ts, ticks->utid, callsite);
    flame_chart_add(&ticks->chart, ts, callsite);
}

static void take_functions(void *self, struct str key, struct json_value v)
{
    if (str_eq(key, STR("functions")))
        json_items(v, self, take_function);
}

static void take_codes(void *self, struct str key, struct json_value v)
{
    if (str_eq(key, STR("code")))
        json_items(v, self, take_code);
}

static void take_ticks(void *self, struct str key, struct json_value v)
{
    if (str_eq(key, STR("ticks")))
        json_items(v, self, take_tick);
}

static struct status v8_ticks_import(struct trace *t, const char *name, struct byte_source *source)
{
    struct v8_ticks ticks = {.trace = t, .last = -1, .samples = samples_begin(t, STR("v8_log"))};
    struct json_closed closed = {0};
    bool whole = false;
    if (!byte_source_all(source, TICKS_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    ticks.utid = samples_new_thread(t, 0, trace_intern(t, STR("JavaScript")));
    ticks.collector = v8_frame(t, STR("(garbage collector)"), false);
    ticks.program = v8_frame(t, STR("(program)"), false);
    ticks.chart =
        flame_chart_begin(t, ticks.utid, 0, source->window.n / sizeof "{\"tm\":1,\"s\":[]},");
    struct str text = {(const char *)source->window.p, source->window.n};
    struct json_value document = json_document(text, &closed, &whole);
    json_members(document, &ticks, take_functions);
    json_members(document, &ticks, take_codes);
    json_members(document, &ticks, take_ticks);
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    int64_t ns, ts;
    if (ticks.last >= 0 && !__builtin_mul_overflow(time_plus(ticks.last, INTERVAL_US), 1000, &ns) &&
        clock_file_time(t, ns, &ts))
        flame_chart_add(&ticks.chart, ts, NULL_U32);
    bool found = ticks.codes.count > 0;
    flame_chart_release(&ticks.chart);
    samples_release(&ticks.samples);
    vec_release(&ticks.functions);
    vec_release(&ticks.codes);
    vec_release(&ticks.stack);
    vec_release(&closed.v);
    return found ? status_ok_value()
                 : status_error(STATUS_FORMAT, "%s: expected ticks of V8 with code, found none",
                                name);
}

static bool sniff_v8_ticks(struct bytes data)
{
    return json_kind(data) == JSON_KIND_V8_TICKS;
}

const struct trace_format v8_ticks_trace_format = {
    .name = "V8 log as JSON",
    .type = "v8_ticks",
    .about = "what node --prof-process --preprocess writes: a JSON object with code, functions and "
             "ticks",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_v8_ticks,
    .is_text = true,
    .read_source = v8_ticks_import,
};
