/* Profiles of programs that GHC compiled, as JSON (+RTS -pj): a tree of cost centres, with what
 * each took by itself.
 *
 *     {"program": "app", "tick_interval": 1000, "cost_centres": [{"id": 19, "label": "main",
 *        "module": "Main", "src_loc": "src/Main.hs:(21,1)-(38,42)", "is_caf": false}],
 *      "profile": {"id": 19, "entries": 1, "alloc": 648, "ticks": 3, "children": [...]}}
 *
 * As GHC's user's guide says. The tree may be deep: it is walked without a call for each level. */
#include "base/map.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/json_document.h"
#include "parsers/input/json_kind.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/stack_sums.h"

enum { PROFILE_BYTES_MAX = 1 << 30, DEFAULT_INTERVAL_US = 1000 };

struct cost_centre {
    struct trace *trace;
    int64_t id;
    string_id label, module, file;
    uint32_t line;
};

struct cost_node {
    int64_t id;
    double ticks, bytes;
    uint32_t callsite; /* NULL_U32: not made yet */
    bool has_callsite, any, in_children, any_child;
};

struct ghc_profile {
    struct trace *trace;
    struct map frames; /* id of a cost centre -> frame */
    double interval_us;
    struct json_value tree;
    VEC(struct cost_node) open; /* outermost first */
    uint32_t time, space, unknown;
};

/* "src/Main.hs:17:1-4", "src/Main.hs:(21,1)-(38,42)", "<built-in>" */
static void read_place(struct cost_centre *c, struct str text)
{
    size_t colon = str_find(text, ':');
    struct str digits = str_behind(text, colon);
    uint64_t line;
    if (str_starts(digits, STR("(")))
        digits = str_skip(digits, 1);
    digits.n = str_count_digits(digits);
    if (colon == text.n || !str_to_u64(digits, 10, &line) || line >= NULL_U32)
        return;
    c->file = trace_intern(c->trace, str_from_to(text, 0, colon));
    c->line = (uint32_t)line;
}

static void take_centre_member(void *self, struct str key, struct json_value v)
{
    struct cost_centre *c = self;
    bool text = v.type == JSON_STRING;
    if (str_eq(key, STR("id")) && !json_to_i64(v, &c->id))
        c->id = -1;
    else if (str_eq(key, STR("label")) && text)
        c->label = trace_intern(c->trace, v.text);
    else if (str_eq(key, STR("module")) && text)
        c->module = trace_intern(c->trace, v.text);
    else if (str_eq(key, STR("src_loc")) && text)
        read_place(c, v.text);
}

static void take_centre(void *self, struct json_value v)
{
    struct ghc_profile *p = self;
    struct trace *t = p->trace;
    struct cost_centre c = {.trace = t, .id = -1, .line = NULL_U32};
    json_members(v, &c, take_centre_member);
    if (!c.label)
        return;
    uint32_t mapping = stack_mapping_of_source(t, string_pool_get(&t->strings, c.module));
    map_set(&p->frames, (uint64_t)c.id,
            stack_frame_intern_source(t, mapping, c.label, c.file, c.line));
}

static void take_member(void *self, struct str key, struct json_value v)
{
    struct ghc_profile *p = self;
    double number;
    if (str_eq(key, STR("cost_centres")))
        json_items(v, p, take_centre);
    else if (str_eq(key, STR("tick_interval")) && json_to_f64(v, &number) && number > 0)
        p->interval_us = number;
    else if (str_eq(key, STR("profile")) && v.type == JSON_OBJECT)
        p->tree = v;
}

static uint32_t callsite_of(struct ghc_profile *p, size_t depth)
{
    struct cost_node *node = &p->open.items[depth];
    const uint32_t *frame = map_find(&p->frames, (uint64_t)node->id);
    uint32_t parent = depth > 0 ? p->open.items[depth - 1].callsite : NULL_U32;
    if (!node->has_callsite)
        node->callsite = stack_callsite_intern(p->trace, parent, frame ? *frame : p->unknown);
    node->has_callsite = true;
    return node->callsite;
}

static void end_node(struct ghc_profile *p)
{
    const double ns_per_us = 1e3;
    uint32_t callsite = callsite_of(p, p->open.count - 1);
    const struct cost_node *node = &vec_last(&p->open);
    if (node->ticks > 0)
        stack_sums_add(p->trace, p->time, callsite, node->ticks * p->interval_us * ns_per_us);
    if (node->bytes > 0)
        stack_sums_add(p->trace, p->space, callsite, node->bytes);
    p->open.count--;
}

static void begin_node(struct ghc_profile *p)
{
    *vec_push(&p->open) = (struct cost_node){.id = -1, .callsite = NULL_U32};
}

/* The next member of the innermost node; false at its end. Children come last, when it is known
 * whose they are. */
static bool read_member(struct ghc_profile *p, struct json_scan *j, bool *closed)
{
    struct cost_node *node = &vec_last(&p->open);
    struct str key;
    struct json_value v;
    bool first = !node->any;
    node->any = true;
    if (!json_next_key(j, first, &key, closed))
        return false;
    bool id = str_eq(key, STR("id")), ticks = str_eq(key, STR("ticks"));
    bool alloc = str_eq(key, STR("alloc"));
    if (str_eq(key, STR("children")) && json_take(j, '[')) {
        callsite_of(p, p->open.count - 1);
        node->in_children = true;
        return true;
    }
    *closed = false;
    if (!json_read_value(j, &v))
        return false;
    if (id && !json_to_i64(v, &node->id))
        node->id = -1;
    if (ticks && !json_to_f64(v, &node->ticks))
        node->ticks = 0;
    if (alloc && !json_to_f64(v, &node->bytes))
        node->bytes = 0;
    return true;
}

static bool next_child(struct ghc_profile *p, struct json_scan *j)
{
    struct cost_node *node = &vec_last(&p->open);
    bool closed, first = !node->any_child;
    node->any_child = true;
    if (json_next_element(j, first, &closed)) {
        if (!json_take(j, '{'))
            return false;
        begin_node(p);
        return true;
    }
    node->in_children = false;
    return closed;
}

static void read_tree(struct ghc_profile *p)
{
    struct json_scan j = json_scan_from(p->tree.text);
    bool good = json_take(&j, '{');
    if (good)
        begin_node(p);
    while (good && p->open.count > 0) {
        bool closed = true;
        if (vec_last(&p->open).in_children)
            good = next_child(p, &j);
        else if (!read_member(p, &j, &closed)) {
            good = closed;
            end_node(p);
        }
    }
    while (p->open.count > 0)
        end_node(p);
    json_scan_release(&j);
}

static struct status ghc_profile_import(struct trace *t, const char *name,
                                        struct byte_source *source)
{
    struct ghc_profile p = {.trace = t, .interval_us = DEFAULT_INTERVAL_US};
    struct json_closed closed = {0};
    bool whole = false;
    if (!byte_source_all(source, PROFILE_BYTES_MAX))
        stats_count(t, STAT_json_tokenizer_failure);
    if (source->cut)
        stats_count(t, STAT_decompression_errors);
    struct str text = {(const char *)source->window.p, source->window.n};
    json_members(json_document(text, &closed, &whole), &p, take_member);
    if (!whole)
        stats_count(t, STAT_json_tokenizer_failure);
    bool found = p.frames.count > 0;
    if (p.tree.type == JSON_OBJECT) {
        uint32_t mapping = stack_mapping_of_source(t, STR(""));
        p.unknown = stack_frame_intern_source(t, mapping, trace_intern(t, STR("[unknown]")),
                                              NULL_STRING, NULL_U32);
        p.time = stack_sums_profile(t, STR("ghc"), STR("time"), STR("cpu"), STR("nanoseconds"));
        p.space = stack_sums_profile(t, STR("ghc"), STR("alloc"), STR("space"), STR("bytes"));
        read_tree(&p);
    }
    vec_release(&p.open);
    map_release(&p.frames);
    vec_release(&closed.v);
    return found
               ? status_ok_value()
               : status_error(STATUS_FORMAT,
                              "%s: expected a profile of GHC with cost centres, found none", name);
}

static bool sniff_ghc_profile(struct bytes data)
{
    return json_kind(data) == JSON_KIND_GHC_PROFILE;
}

const struct trace_format ghc_profile_trace_format = {
    .name = "GHC profile",
    .type = "ghc_profile",
    .about = "profiles of Haskell's GHC as JSON (+RTS -pj): a JSON object with cost_centres",
    .clock = CLOCK_TRACE_FILE_NUMBER,
    .sniff = sniff_ghc_profile,
    .is_text = true,
    .read_source = ghc_profile_import,
};
