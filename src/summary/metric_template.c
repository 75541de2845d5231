#define PB_READS_LITTLE
#include "summary/metric_template.h"

#include <string.h>

#include "pb_fields.h"
#include "summary/message.h"

#define TEMPLATE(NAME) PB_TraceMetricV2TemplateSpec_##NAME
#define VALUE(NAME)    PB_TraceMetricV2TemplateSpec_ValueColumnSpec_##NAME
#define METRIC(NAME)   PB_TraceMetricV2Spec_##NAME

static void put_id(struct pb_bytes *metric, struct str prefix, struct str column)
{
    struct pb_bytes id = {0};
    pb_put_raw(&id, prefix.p, prefix.n);
    *vec_push(&id.v) = '_';
    pb_put_raw(&id, column.p, column.n);
    pb_put_message(metric, METRIC(id), &id);
    pb_bytes_release(&id);
}

/* Every occurrence of a field of texts or messages. */
static void copy_field(struct pb_bytes *metric, struct str from, uint32_t number, uint32_t as)
{
    struct pb_reader r = message_reader(from);
    struct pb_field f;
    while (message_next(&r, number, &f))
        pb_put_str(metric, as, pb_str(&f));
}

static void copy_number(struct pb_bytes *metric, struct str from, uint32_t number, uint32_t as)
{
    if (message_has(from, number))
        pb_put_uint(metric, as, (uint64_t)message_int(from, number, 0));
}

/* `value` is the encoded spec of the value column, {NULL, 0} where only its name is known. */
static struct pb_bytes make_metric(struct str spec, struct str column, struct str value)
{
    struct str prefix = message_text(spec, TEMPLATE(id_prefix));
    struct pb_bytes m = {0};
    put_id(&m, prefix, column);
    pb_put_str(&m, METRIC(value), column);
    if (value.p) {
        copy_number(&m, value, VALUE(unit), METRIC(unit));
        copy_field(&m, value, VALUE(custom_unit), METRIC(custom_unit));
        copy_number(&m, value, VALUE(polarity), METRIC(polarity));
    }
    copy_field(&m, spec, TEMPLATE(dimensions), METRIC(dimensions));
    copy_field(&m, spec, TEMPLATE(dimensions_specs), METRIC(dimensions_specs));
    copy_number(&m, spec, TEMPLATE(dimension_uniqueness), METRIC(dimension_uniqueness));
    copy_field(&m, spec, TEMPLATE(query), METRIC(query));
    if (!message_int(spec, TEMPLATE(disable_auto_bundling), false))
        pb_put_str(&m, METRIC(bundle_id), prefix);
    copy_field(&m, spec, TEMPLATE(interned_dimension_specs), METRIC(interned_dimension_specs));
    return m;
}

static struct status check(struct str spec)
{
    struct str id = message_text(spec, TEMPLATE(id_prefix));
    bool names = message_has(spec, TEMPLATE(value_columns));
    bool specs = message_has(spec, TEMPLATE(value_column_specs));
    if (id.n == 0)
        return status_error(STATUS_USAGE, "metric_template_spec: id_prefix is missing");
    if (names && specs)
        return status_error(STATUS_USAGE,
                            "metric_template_spec %.*s: value_columns and value_column_specs: "
                            "only one of them may be there",
                            (int)id.n, id.p);
    if (!names && !specs)
        return status_error(STATUS_USAGE, "metric_template_spec %.*s: value_columns is missing",
                            (int)id.n, id.p);
    return status_ok_value();
}

struct status metric_template_expand(struct str spec,
                                     void (*add)(void *self, struct pb_bytes *spec), void *self)
{
    struct status s = check(spec);
    struct pb_reader r = message_reader(spec);
    struct pb_field f;
    while (status_ok(s) && pb_next(&r, &f)) {
        struct str value = pb_str(&f), column = value;
        if (f.number == TEMPLATE(value_column_specs))
            column = message_text(value, VALUE(name));
        else if (f.number == TEMPLATE(value_columns))
            value = (struct str){NULL, 0};
        else
            continue;
        if (column.n == 0)
            return status_error(STATUS_USAGE, "metric_template_spec: a value column without name");
        struct pb_bytes metric = make_metric(spec, column, value);
        add(self, &metric);
    }
    return s;
}
