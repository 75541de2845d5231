#include "cli/batch/batch_messages.h"

#include <sqlite3.h>
#include <string.h>

#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "sql/export/json_text.h"
#include "summary/metrics.h"
#include "summary/message.h"
#include "summary/summary.h"

/* Dimensions of a row by their specs' names. */
struct dimension_names {
    VEC(struct str) v;
};

static void read_names(struct str spec, struct dimension_names *out)
{
    struct pb_reader r = message_reader(spec);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TraceMetricV2Spec_dimensions)
            *vec_push(&out->v) = pb_str(&f);
        else if (f.number == PB_TraceMetricV2Spec_dimensions_specs)
            *vec_push(&out->v) = message_text(pb_str(&f), PB_TraceMetricV2Spec_DimensionSpec_name);
    }
}

static void put_dimension(sqlite3_str *out, struct str dimension)
{
    struct pb_reader r = message_reader(dimension);
    struct pb_field f;
    if (!pb_next(&r, &f)) {
        sqlite3_str_appendall(out, "null");
        return;
    }
    switch (f.number) {
    case PB_TraceMetricV2Bundle_Row_Dimension_string_value:
        json_append_text(out, pb_str(&f));
        return;
    case PB_TraceMetricV2Bundle_Row_Dimension_int64_value:
        sqlite3_str_appendf(out, "%lld", (long long)pb_i64(&f));
        return;
    case PB_TraceMetricV2Bundle_Row_Dimension_double_value:
        json_append_real(out, pb_real(&f));
        return;
    case PB_TraceMetricV2Bundle_Row_Dimension_bool_value:
        sqlite3_str_appendall(out, pb_bool(&f) ? "true" : "false");
        return;
    default:
        sqlite3_str_appendall(out, "null");
    }
}

/* {"process_name":"x","cpu":3} */
static char *dimensions_text(const struct dimension_names *names, struct str row)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    struct pb_reader r = message_reader(row);
    struct pb_field f;
    size_t i = 0;
    sqlite3_str_appendchar(out, 1, '{');
    while (message_next(&r, PB_TraceMetricV2Bundle_Row_dimension, &f)) {
        if (i > 0)
            sqlite3_str_appendchar(out, 1, ',');
        json_append_text(out, i < names->v.count ? names->v.items[i] : STR(""));
        sqlite3_str_appendchar(out, 1, ':');
        put_dimension(out, pb_str(&f));
        i++;
    }
    sqlite3_str_appendchar(out, 1, '}');
    return sqlite3_str_finish(out);
}

static struct sql_value value_of(struct str value)
{
    struct pb_reader r = message_reader(value);
    struct pb_field f;
    if (!message_next(&r, PB_TraceMetricV2Bundle_Row_Value_double_value, &f))
        return (struct sql_value){.type = SQL_NULL};
    return (struct sql_value){.type = SQL_REAL, .d = pb_real(&f)};
}

/* The values of a row are those of the bundle's metrics, one each. */
static bool put_row(const struct sql_sink *sink, struct str bundle, struct str row)
{
    struct pb_reader specs = message_reader(bundle), values = message_reader(row);
    struct dimension_names names = {0};
    struct pb_field spec, value;
    bool takes = true;
    while (takes && message_next(&specs, PB_TraceMetricV2Bundle_specs, &spec) &&
           message_next(&values, PB_TraceMetricV2Bundle_Row_values, &value)) {
        if (names.v.count == 0)
            read_names(pb_str(&spec), &names);
        char *dimensions = dimensions_text(&names, row);
        struct sql_value columns[] = {
            {.type = SQL_TEXT, .s = message_text(pb_str(&spec), PB_TraceMetricV2Spec_id)},
            {.type = SQL_TEXT, .s = str_from(dimensions ? dimensions : "")},
            value_of(pb_str(&value)),
        };
        takes = sink->row(sink->self, 3, columns);
        sqlite3_free(dimensions);
    }
    vec_release(&names.v);
    return takes;
}

static void put_summary(const struct sql_sink *sink, const struct pb_bytes *summary)
{
    static const char *const names[] = {"metric", "dimensions", "value"};
    struct str message = {(const char *)summary->v.items, summary->v.count};
    struct pb_reader r = message_reader(message);
    struct pb_field bundle, row;
    bool takes = sink_begin(sink, 3, names);
    while (takes && message_next(&r, PB_TraceSummary_metric_bundles, &bundle)) {
        struct pb_reader rows = pb_message(&bundle);
        while (takes && message_next(&rows, PB_TraceMetricV2Bundle_row, &row))
            takes = put_row(sink, pb_str(&bundle), pb_str(&row));
    }
    if (takes)
        sink_end(sink);
}

static struct status compute_summary(const struct batch_settings *b, struct pb_bytes *out)
{
    struct summary_specs specs = {0};
    struct summary_request request = {.specs = &specs, .metrics = STR("all")};
    struct status s = status_ok_value();
    if (b->summary_metrics)
        request.metrics = str_from(b->summary_metrics);
    for (size_t i = 0; i < b->summaries.count && status_ok(s); i++) {
        const struct text_file *f = &b->summaries.items[i];
        s = summary_specs_add(&specs, workspace_session(), f->name, text_file_str(f),
                              SPEC_BY_LOOKS);
    }
    if (status_ok(s))
        s = summary_compute(workspace_session(), &request, out);
    summary_specs_release(&specs);
    return s;
}

static struct status compute_metrics(const struct batch_settings *b, struct pb_bytes *out)
{
    struct status s = status_ok_value();
    for (size_t i = 0; i < b->metrics.count && status_ok(s); i++)
        s = metrics_compute(workspace_session(), str_from(b->metrics.items[i]), out);
    return s;
}

struct fields {
    const struct sql_sink *sink;
    bool takes;
};

/* "android_mem.process_metrics[0].process_name": the metric, and the path in it. */
static void put_field(void *self, struct str path, const struct sql_value *value)
{
    struct fields *fields = self;
    struct str rest = path, first = str_cut(&rest, '.');
    struct sql_value columns[] = {
        {.type = SQL_TEXT, .s = first},
        {.type = SQL_TEXT, .s = rest},
        *value,
    };
    fields->takes = fields->takes && fields->sink->row(fields->sink->self, 3, columns);
}

static void put_metrics(const struct sql_sink *sink, const struct pb_bytes *metrics)
{
    static const char *const names[] = {"metric", "field", "value"};
    struct fields fields = {sink, sink_begin(sink, 3, names)};
    if (fields.takes)
        metrics_each_field(workspace_session(), metrics, put_field, &fields);
    if (fields.takes)
        sink_end(sink);
}

static void put_bytes(const struct sql_sink *sink, const struct pb_bytes *message)
{
    static const char *const names[] = {"message"};
    struct sql_value value = {.type = SQL_BLOB,
                              .s = {(const char *)message->v.items, message->v.count}};
    if (sink_begin(sink, 1, names) && sink->row(sink->self, 1, &value))
        sink_end(sink);
}

struct status batch_messages(const struct batch_settings *b, const struct sql_sink *sink)
{
    struct pb_bytes message = {0};
    bool summary = b->summaries.count > 0;
    struct status s = summary ? compute_summary(b, &message) : compute_metrics(b, &message);
    if (status_ok(s) && b->messages)
        put_bytes(sink, &message);
    else if (status_ok(s) && summary)
        put_summary(sink, &message);
    else if (status_ok(s))
        put_metrics(sink, &message);
    pb_bytes_release(&message);
    return s;
}
