#define PB_READS_LITTLE
#include "summary/summary.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/embedded_file.h"
#include "base/hash.h"
#include "base/map.h"
#include "pb_fields.h"
#include "sql/engine/session_state.h"
#include "sql/session.h"
#include "summary/message.h"
#include "summary/metric_bundle.h"
#include "summary/metric_template.h"
#include "summary/structured_query.h"

/* What is looked at to tell text from an encoded message. */
enum { LOOKED_AT = 128 };

extern const struct embedded_file summary_files[];

static bool looks_like_text(const char *name, struct str bytes)
{
    struct str n = str_from(name);
    if (str_ends(n, STR(".pb")))
        return false;
    if (str_ends(n, STR(".textproto")))
        return true;
    for (size_t i = 0; i < bytes.n && i < LOOKED_AT; i++)
        if (!isprint((unsigned char)bytes.p[i]) && !isspace((unsigned char)bytes.p[i]))
            return false;
    return true;
}

struct status summary_specs_add(struct summary_specs *specs, struct sql_session *s,
                                const char *name, struct str bytes, enum spec_format format)
{
    struct pb_bytes spec = {0};
    struct status status = status_ok_value();
    if (format == SPEC_TEXT || (format == SPEC_BY_LOOKS && looks_like_text(name, bytes))) {
        uint32_t type = descriptors_find(&s->descriptors, STR("perfetto.protos.TraceSummarySpec"));
        status = proto_text_parse(&spec, &s->descriptors, type, name, bytes);
    } else {
        pb_put_raw(&spec, bytes.p, bytes.n);
    }
    if (status_ok(status))
        *vec_push(&specs->v) = spec;
    else
        pb_bytes_release(&spec);
    return status;
}

struct status summary_specs_add_own(struct summary_specs *specs, struct sql_session *s)
{
    struct status status = status_ok_value();
    for (const struct embedded_file *f = summary_files; f->name && status_ok(status); f++)
        status = summary_specs_add(specs, s, f->name, (struct str){(const char *)f->bytes, f->size},
                                   SPEC_TEXT);
    return status;
}

void summary_specs_release(struct summary_specs *specs)
{
    for (size_t i = 0; i < specs->v.count; i++)
        pb_bytes_release(&specs->v.items[i]);
    vec_release(&specs->v);
}

static struct str spec_bytes(const struct summary_specs *specs, size_t i)
{
    const struct pb_bytes *b = &specs->v.items[i];
    return (struct str){b->v.items ? (const char *)b->v.items : "", b->v.count};
}

struct status summary_specs_queries(const struct summary_specs *specs,
                                    struct structured_queries *queries)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < specs->v.count; i++) {
        struct pb_reader r = message_reader(spec_bytes(specs, i));
        struct pb_field f;
        while (status_ok(status) && message_next(&r, PB_TraceSummarySpec_query, &f))
            status = structured_queries_add(queries, pb_str(&f));
        if (r.error && status_ok(status))
            status = status_error(STATUS_FORMAT, "a spec is no TraceSummarySpec message");
    }
    return status;
}

/* A summary being computed. */
struct computation {
    VEC(struct pb_bytes) expanded; /* specs made from templates */
    VEC(struct str) metrics;       /* all encoded specs, those of `expanded` last */
    struct map by_id, twice;       /* hash of an id -> index of the first; ids of several */
    VEC(struct metric_bundle) bundles;
    struct map bundles_by_id; /* hash of the id -> index */
    struct structured_queries *queries;
};

static uint64_t hash_id(struct str id)
{
    return hash_bytes(id.p, id.n, 0);
}

static void add_expanded(void *self, struct pb_bytes *spec)
{
    struct computation *c = self;
    *vec_push(&c->expanded) = *spec;
}

static struct status collect_metrics(struct computation *c, const struct summary_specs *specs)
{
    struct status status = status_ok_value();
    for (size_t i = 0; i < specs->v.count; i++) {
        struct pb_reader r = message_reader(spec_bytes(specs, i));
        struct pb_field f;
        while (status_ok(status) && pb_next(&r, &f)) {
            if (f.number == PB_TraceSummarySpec_metric_spec)
                *vec_push(&c->metrics) = pb_str(&f);
            else if (f.number == PB_TraceSummarySpec_metric_template_spec)
                status = metric_template_expand(pb_str(&f), add_expanded, c);
        }
    }
    for (size_t i = 0; i < c->expanded.count; i++) {
        const struct pb_bytes *b = &c->expanded.items[i];
        *vec_push(&c->metrics) = (struct str){(const char *)b->v.items, b->v.count};
    }
    return status;
}

static struct str metric_id(struct str spec)
{
    struct str id = message_text(spec, PB_TraceMetricV2Spec_id);
    return id.p ? id : STR("");
}

static bool is_all(struct str id)
{
    return str_eq_any_case(id, STR("all"));
}

static struct status index_ids(struct computation *c)
{
    for (size_t i = 0; i < c->metrics.count; i++) {
        struct str id = metric_id(c->metrics.items[i]);
        if (id.n == 0)
            return status_error(STATUS_USAGE, "metric_spec: id is missing");
        if (is_all(id))
            return status_error(STATUS_USAGE, "metric_spec: a metric cannot have the id all");
        bool is_new;
        uint32_t *at = map_insert(&c->by_id, hash_id(id), &is_new);
        if (is_new)
            *at = (uint32_t)i;
        else
            map_set(&c->twice, hash_id(id), 1);
    }
    return status_ok_value();
}

static void add_to_bundle(struct computation *c, struct str spec)
{
    struct str id = message_text(spec, PB_TraceMetricV2Spec_bundle_id);
    if (id.n == 0)
        id = metric_id(spec);
    bool is_new;
    uint32_t *at = map_insert(&c->bundles_by_id, hash_id(id), &is_new);
    if (is_new) {
        *at = (uint32_t)c->bundles.count;
        *vec_push(&c->bundles) = (struct metric_bundle){.id = id};
    }
    *vec_push(&c->bundles.items[*at].specs) = spec;
}

/* Puts the metric of that id into its bundle. */
static struct status want_metric(struct computation *c, struct str id)
{
    const uint32_t *found = map_find(&c->by_id, hash_id(id));
    if (!found)
        return status_error(STATUS_USAGE, "metric %.*s: no spec has it", (int)id.n, id.p);
    if (map_find(&c->twice, hash_id(id)))
        return status_error(STATUS_USAGE, "metric %.*s: two specs have this id", (int)id.n, id.p);
    add_to_bundle(c, c->metrics.items[*found]);
    return status_ok_value();
}

static struct status want_metrics(struct computation *c, struct str ids)
{
    struct status status = status_ok_value();
    if (is_all(ids)) {
        for (size_t i = 0; i < c->metrics.count && status_ok(status); i++)
            status = want_metric(c, metric_id(c->metrics.items[i]));
        return status;
    }
    while (ids.n > 0 && status_ok(status)) {
        struct str id = str_trim(str_cut(&ids, ','));
        if (id.n > 0)
            status = want_metric(c, id);
    }
    return status;
}

/* Rows of (key, value) becoming metadata. */
struct metadata_reader {
    struct pb_bytes *out;
    const char *bad; /* what is wrong; NULL: nothing */
};

static bool begin_metadata(void *self, int columns, const char *const *names)
{
    struct metadata_reader *m = self;
    if (columns != 2 || strcmp(names[0], "key") != 0 || strcmp(names[1], "value") != 0)
        m->bad = "metadata query: the columns are not key and value";
    return !m->bad;
}

static bool put_metadata(void *self, int columns, const struct sql_value *values)
{
    struct metadata_reader *m = self;
    struct pb_bytes entry = {0};
    (void)columns;
    if (values[0].type != SQL_TEXT)
        m->bad = "metadata query: a key is not text";
    else if (values[1].type != SQL_TEXT && values[1].type != SQL_NULL)
        m->bad = "metadata query: a value is not text";
    if (m->bad || values[1].type == SQL_NULL)
        return !m->bad;
    pb_put_str(&entry, PB_TraceSummary_Metadata_key, values[0].s);
    pb_put_str(&entry, PB_TraceSummary_Metadata_value, values[1].s);
    pb_put_message(m->out, PB_TraceSummary_metadata, &entry);
    pb_bytes_release(&entry);
    return true;
}

static struct status write_metadata(struct sql_session *s, const char *sql, struct pb_bytes *out)
{
    struct metadata_reader m = {.out = out};
    struct sql_sink sink = {.begin = begin_metadata, .row = put_metadata, .self = &m};
    struct status status = sql_session_run(s, "metadata query", str_from(sql), &sink);
    if (!m.bad)
        return status;
    status_release(&status);
    return status_error(STATUS_USAGE, "%s", m.bad);
}

static struct status compute_bundle(struct computation *c, size_t i, const struct bundle_sql *sql,
                                    struct sql_session *s, struct pb_bytes *out)
{
    struct pb_bytes bundle = {0};
    struct status status = bundle_compute(&c->bundles.items[i], sql, s, &bundle);
    if (status_ok(status))
        pb_put_message(out, PB_TraceSummary_metric_bundles, &bundle);
    pb_bytes_release(&bundle);
    return status;
}

/* All SQL is made before any of it runs: what it needs is made once. */
static struct status run(struct computation *c, struct sql_session *s, struct str metadata,
                         struct pb_bytes *out)
{
    struct bundle_sql *sql = alloc_array(c->bundles.count + 1, sizeof *sql);
    char *metadata_sql = NULL;
    struct status status = status_ok_value();
    for (size_t i = 0; i < c->bundles.count && status_ok(status); i++) {
        status = bundle_check(&c->bundles.items[i]);
        if (status_ok(status))
            status = bundle_make_sql(&c->bundles.items[i], c->queries, &sql[i]);
    }
    if (status_ok(status) && metadata.n > 0)
        status = structured_query_sql_by_id(c->queries, metadata, REFERENCE_TABLE, &metadata_sql);
    if (status_ok(status))
        status = structured_queries_prepare(c->queries, s);
    for (size_t i = 0; i < c->bundles.count && status_ok(status); i++)
        status = compute_bundle(c, i, &sql[i], s, out);
    if (status_ok(status) && metadata_sql)
        status = write_metadata(s, metadata_sql, out);
    structured_queries_drop(c->queries, s);
    for (size_t i = 0; i < c->bundles.count; i++)
        bundle_sql_release(&sql[i]);
    free(metadata_sql);
    free(sql);
    return status;
}

struct status summary_compute(struct sql_session *s, const struct summary_request *request,
                              struct pb_bytes *out)
{
    struct computation c = {.queries = structured_queries_new()};
    struct status status = summary_specs_queries(request->specs, c.queries);
    if (status_ok(status))
        status = collect_metrics(&c, request->specs);
    if (status_ok(status))
        status = index_ids(&c);
    if (status_ok(status))
        status = want_metrics(&c, request->metrics);
    if (status_ok(status))
        status = run(&c, s, request->metadata, out);
    for (size_t i = 0; i < c.expanded.count; i++)
        pb_bytes_release(&c.expanded.items[i]);
    for (size_t i = 0; i < c.bundles.count; i++)
        vec_release(&c.bundles.items[i].specs);
    map_release(&c.by_id);
    map_release(&c.twice);
    map_release(&c.bundles_by_id);
    vec_release(&c.expanded);
    vec_release(&c.metrics);
    vec_release(&c.bundles);
    structured_queries_free(c.queries);
    return status;
}

void summary_append_text(struct sql_session *s, const struct pb_bytes *summary, struct text *out)
{
    uint32_t type = descriptors_find(&s->descriptors, STR("perfetto.protos.TraceSummary"));
    proto_text_append(out, &s->descriptors, type, summary->v.items, summary->v.count);
    if (out->v.count > 0)
        *vec_push(&out->v) = '\n';
}
