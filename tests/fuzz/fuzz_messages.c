/* Bytes as calls of messages' functions, with right and wrong fields and values, nested, in
 * RepeatedField and out of it, and as bytes in the place of what such a call gives. Whatever comes
 * out is written as text and as JSON, and the text must be read again. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

#include "brief.h"
#include "core/trace_builder.h"
#include "fuzz.h"
#include "parsers/load.h"
#include "parsers/proto/proto_json.h"
#include "pb_fields.h"
#include "sql/functions/proto_functions.h"
#include "sql/session.h"

enum { DEPTH_MAX = 5, FIELDS_MAX = 4, RUN_MS = 1000 };

#define PACKAGE "perfetto.protos."

static const char *const roots[] = {
    PACKAGE "TraceMetrics", PACKAGE "AndroidStartupMetric", PACKAGE "TrackEvent",
    PACKAGE "TraceConfig",  PACKAGE "DebugAnnotation",      PACKAGE "InternedData",
};

static const char *const values[] = {
    "NULL", "0",          "-1",   "1",   "9223372036854775807", "0.5",         "-1e300", "9e999",
    "''",   "'a''\"\\b'", "'NS'", "x''", "x'0a020801'",         "zeroblob(3)",
};

enum { VALUES = sizeof values / sizeof *values };

struct generator {
    const uint8_t *p, *end;
    struct descriptors *d;
    sqlite3_str *out;
    int depth;
};

static uint32_t choose(struct generator *g, size_t below)
{
    uint32_t v = 0;
    for (int i = 0; i < (below > 256 ? 2 : 1); i++)
        v = v << 8 | (g->p < g->end ? *g->p++ : 0);
    return v % (uint32_t)below;
}

static void put_bytes(struct generator *g)
{
    size_t n = choose(g, 32);
    n = n < (size_t)(g->end - g->p) ? n : (size_t)(g->end - g->p);
    sqlite3_str_appendall(g->out, "x'");
    for (size_t i = 0; i < n; i++)
        sqlite3_str_appendf(g->out, "%02x", *g->p++);
    sqlite3_str_appendall(g->out, "'");
}

static void put_message(struct generator *g, uint32_t type);

/* Mostly of the kind that the field takes. */
static void put_value(struct generator *g, const struct field_descriptor *f)
{
    uint32_t how = choose(g, 8);
    if (how == 0)
        put_bytes(g);
    else if (f->type == PB_FieldDescriptorProto_Type_TYPE_MESSAGE && how > 2 &&
             g->depth < DEPTH_MAX && f->type_index != DESCRIPTOR_NONE)
        put_message(g, f->type_index);
    else
        sqlite3_str_appendall(g->out, values[choose(g, VALUES)]);
}

static const struct field_descriptor *choose_field(struct generator *g, uint32_t type)
{
    uint32_t steps = choose(g, 24), i = descriptors_first_member(g->d, type);
    for (uint32_t next = i; steps-- > 0 && next != DESCRIPTOR_NONE;) {
        i = next;
        next = descriptors_next_member(g->d, type, i);
    }
    return i == DESCRIPTOR_NONE ? NULL : descriptors_field_at(g->d, i);
}

static void put_field(struct generator *g, uint32_t type)
{
    const struct field_descriptor *f = choose_field(g, type);
    if (!f)
        return;
    bool repeated = f->repeated != (choose(g, 16) == 0);
    sqlite3_str_appendf(g->out, "'%.*s', %s", (int)f->name.n, f->name.p,
                        repeated ? "(SELECT RepeatedField(x) FROM (SELECT " : "");
    put_value(g, f);
    if (!repeated)
        return;
    sqlite3_str_appendall(g->out, " AS x UNION ALL SELECT ");
    put_value(g, f);
    sqlite3_str_appendall(g->out, "))");
}

static void put_message(struct generator *g, uint32_t type)
{
    struct str name = descriptors_type(g->d, type)->name;
    g->depth++;
    for (size_t i = sizeof PACKAGE - 1; i < name.n; i++)
        sqlite3_str_appendchar(g->out, 1, name.p[i] == '.' ? '_' : name.p[i]);
    sqlite3_str_appendall(g->out, "(");
    uint32_t fields =
        descriptors_first_member(g->d, type) == DESCRIPTOR_NONE ? 0 : choose(g, FIELDS_MAX);
    for (uint32_t i = 0; i < fields; i++) {
        sqlite3_str_appendall(g->out, i ? ", " : "");
        put_field(g, type);
    }
    sqlite3_str_appendall(g->out, ")");
    g->depth--;
}

struct result {
    struct descriptors *d;
    struct text text;
};

/* Texts may hold bytes that are no text, which JSON and text show as they can. */
static bool take_row(void *self, int columns, const struct sql_value *row)
{
    struct result *r = self;
    struct str type, bytes;
    struct pb_bytes again = {0};
    if (columns != 1 || row[0].type != SQL_BLOB || !built_message(row[0].s, &type, &bytes))
        return true;
    uint32_t index = descriptors_find(r->d, type);
    if (index == DESCRIPTOR_NONE)
        return true;
    r->text.v.count = 0;
    proto_json_append(&r->text, r->d, index, (const uint8_t *)bytes.p, bytes.n);
    r->text.v.count = 0;
    proto_text_append(&r->text, r->d, index, (const uint8_t *)bytes.p, bytes.n);
    struct status s = proto_text_parse(&again, r->d, index, "text",
                                       (struct str){r->text.v.items, r->text.v.count});
    status_release(&s);
    pb_bytes_release(&again);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct trace trace;
    static struct sql_session *session;
    static struct descriptors known;
    struct status s;
    if (!session) {
        trace_init(&trace);
        trace_finish(&trace);
        session = sql_session_new(&trace, &s);
        status_release(&s);
    }
    struct generator g = {.p = data, .end = data + size, .d = &known, .out = sqlite3_str_new(NULL)};
    const char *root = roots[choose(&g, sizeof roots / sizeof *roots)];
    sqlite3_str_appendall(g.out, "SELECT ");
    put_message(&g, descriptors_find(&known, str_from(root)));
    char *sql = sqlite3_str_finish(g.out);
    if (getenv("FUZZ_SHOW"))
        fprintf(stderr, "%s\n", sql);
    struct result result = {.d = &known};
    struct sql_sink sink = {.row = take_row, .self = &result};
    brief_set(session, RUN_MS);
    s = sql_session_run(session, "fuzz", str_from(sql ? sql : ""), &sink);
    brief_set(NULL, 0);
    status_release(&s);
    vec_release(&result.text.v);
    sqlite3_free(sql);
    return 0;
}
