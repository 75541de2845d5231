/* Metrics of version 1 over RPC. */
#include "summary/metrics.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "pb_fields.h"
#include "rpc/methods.h"
#include "sql/engine/session_state.h"

/* What ComputeMetricArgs asks for; `names` has commas in between and is for free(). */
struct metric_request {
    struct pb_bytes names;
    uint32_t format; /* ResultFormat */
};

static struct metric_request read_request(struct str args)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)args.p, args.n);
    struct pb_field f;
    struct metric_request request = {0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_ComputeMetricArgs_format)
            request.format = pb_u32(&f);
        if (f.number != PB_ComputeMetricArgs_metric_names)
            continue;
        if (request.names.v.count > 0)
            *vec_push(&request.names.v) = ',';
        pb_put_raw(&request.names, pb_str(&f).p, pb_str(&f).n);
    }
    return request;
}

/* Clients may not have files read. */
static bool is_path(struct str names)
{
    return str_find(names, '/') < names.n || str_find(names, '.') < names.n;
}

static void put_text(struct rpc_engine *e, const char *format, uint32_t field,
                     const struct pb_bytes *metrics, struct pb_bytes *result)
{
    struct text text = {0};
    metrics_append(e->session, metrics_format_find(str_from(format)), metrics, &text);
    pb_put_str(result, field, (struct str){text.v.items, text.v.count});
    vec_release(&text.v);
}

void method_compute_metric(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct metric_request request = read_request(args);
    struct pb_bytes metrics = {0}, result = {0};
    struct str names = {(const char *)request.names.v.items, request.names.v.count};
    struct status s = rpc_engine_trace_status(e);
    if (status_ok(s))
        s = is_path(names) ? status_error(STATUS_USAGE, "metrics are named here, not files")
                           : metrics_compute(e->session, names, &metrics);
    if (!status_ok(s))
        pb_put_str(&result, PB_ComputeMetricResult_error, str_from(s.message));
    else if (request.format == PB_ComputeMetricArgs_ResultFormat_TEXTPROTO)
        put_text(e, "text", PB_ComputeMetricResult_metrics_as_prototext, &metrics, &result);
    else if (request.format == PB_ComputeMetricArgs_ResultFormat_JSON)
        put_text(e, "json", PB_ComputeMetricResult_metrics_as_json, &metrics, &result);
    else
        pb_put_message(&result, PB_ComputeMetricResult_metrics, &metrics);
    rpc_reply_send(reply, &result);
    status_release(&s);
    pb_bytes_release(&metrics);
    pb_bytes_release(&result);
    pb_bytes_release(&request.names);
}

static void put_type_name(struct pb_bytes *out, uint32_t number, struct str name)
{
    struct pb_bytes dotted = {0};
    *vec_push(&dotted.v) = '.';
    pb_put_raw(&dotted, name.p, name.n);
    pb_put_message(out, number, &dotted);
    pb_bytes_release(&dotted);
}

/* The types found so far, in the order in which fields name them. */
struct type_list {
    VEC(uint32_t) types;
    struct map known;
};

static void add_type(struct type_list *l, uint32_t type)
{
    bool is_new;
    uint32_t *at = map_insert(&l->known, type, &is_new);
    if (!is_new)
        return;
    *at = 1;
    *vec_push(&l->types) = type;
}

/* A field as a FieldDescriptorProto; the type it names is added to the list. */
static void put_field(struct descriptors *d, const struct field_descriptor *f, struct type_list *l,
                      struct pb_bytes *message)
{
    struct pb_bytes field = {0};
    pb_put_str(&field, PB_FieldDescriptorProto_name, f->name);
    pb_put_uint(&field, PB_FieldDescriptorProto_number, f->number);
    pb_put_uint(&field, PB_FieldDescriptorProto_label,
                f->repeated ? PB_FieldDescriptorProto_Label_LABEL_REPEATED
                            : PB_FieldDescriptorProto_Label_LABEL_OPTIONAL);
    pb_put_uint(&field, PB_FieldDescriptorProto_type, f->type);
    if (f->type_index != DESCRIPTOR_NONE) {
        const struct type_descriptor *type = descriptors_type(d, f->type_index);
        put_type_name(&field, PB_FieldDescriptorProto_type_name, type->name);
        if (type->kind == DESCRIPTOR_MESSAGE)
            add_type(l, f->type_index);
    }
    pb_put_message(message, PB_DescriptorProto_field, &field);
    pb_bytes_release(&field);
}

/* All messages that a TraceMetrics may hold. */
void method_metric_descriptors(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    (void)args;
    struct descriptors *d = &e->session->descriptors;
    struct type_list list = {0};
    struct pb_bytes result = {0};
    uint32_t root = descriptors_find(d, STR("perfetto.protos.TraceMetrics"));
    if (root != DESCRIPTOR_NONE)
        add_type(&list, root);
    for (size_t i = 0; i < list.types.count; i++) {
        struct pb_bytes message = {0};
        uint32_t type = list.types.items[i];
        put_type_name(&message, PB_DescriptorProto_name, descriptors_type(d, type)->name);
        for (uint32_t f = descriptors_first_member(d, type); f != DESCRIPTOR_NONE;
             f = descriptors_next_member(d, type, f))
            put_field(d, descriptors_field_at(d, f), &list, &message);
        pb_put_message(&result, PB_DescriptorSet_descriptors, &message);
        pb_bytes_release(&message);
    }
    rpc_reply_send(reply, &result);
    pb_bytes_release(&result);
    vec_release(&list.types);
    map_release(&list.known);
}
