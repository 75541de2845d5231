/* Trace summaries over RPC. */
#include "pb_fields.h"
#include "rpc/methods.h"
#include "summary/summary.h"

/* What TraceSummaryArgs asks for. */
struct summary_args {
    struct summary_specs specs;
    struct pb_bytes metrics; /* ids with commas in between, or "all" */
    struct str metadata;
    bool text;
};

static void read_computation(struct pb_reader r, struct summary_args *a)
{
    struct pb_field f;
    bool all = false;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TraceSummaryArgs_ComputationSpec_metadata_query_id)
            a->metadata = pb_str(&f);
        all |= f.number == PB_TraceSummaryArgs_ComputationSpec_run_all_metrics && pb_bool(&f);
        if (f.number != PB_TraceSummaryArgs_ComputationSpec_metric_ids)
            continue;
        if (a->metrics.v.count > 0)
            *vec_push(&a->metrics.v) = ',';
        pb_put_raw(&a->metrics, pb_str(&f).p, pb_str(&f).n);
    }
    if (!all)
        return;
    a->metrics.v.count = 0;
    pb_put_raw(&a->metrics, "all", 3);
}

static struct status read_args(struct rpc_engine *e, struct str args, struct summary_args *a)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)args.p, args.n);
    struct pb_field f;
    struct status s = status_ok_value();
    while (status_ok(s) && pb_next(&r, &f)) {
        if (f.number == PB_TraceSummaryArgs_proto_specs)
            s = summary_specs_add(&a->specs, e->session, "spec", pb_str(&f), SPEC_BINARY);
        else if (f.number == PB_TraceSummaryArgs_textproto_specs)
            s = summary_specs_add(&a->specs, e->session, "spec", pb_str(&f), SPEC_TEXT);
        else if (f.number == PB_TraceSummaryArgs_computation_spec)
            read_computation(pb_message(&f), a);
        else if (f.number == PB_TraceSummaryArgs_output_format)
            a->text = pb_u32(&f) == PB_TraceSummaryArgs_Format_TEXTPROTO;
    }
    if (status_ok(s) && a->specs.v.count == 0)
        s = summary_specs_add_own(&a->specs, e->session);
    return s;
}

static void send_summary(struct rpc_engine *e, const struct summary_args *a,
                         const struct pb_bytes *summary, struct rpc_reply *reply)
{
    struct pb_bytes result = {0};
    struct text text = {0};
    if (a->text) {
        summary_append_text(e->session, summary, &text);
        pb_put_str(&result, PB_TraceSummaryResult_textproto_summary,
                   (struct str){text.v.items, text.v.count});
    } else {
        pb_put_message(&result, PB_TraceSummaryResult_proto_summary, summary);
    }
    rpc_reply_send(reply, &result);
    pb_bytes_release(&result);
    vec_release(&text.v);
}

void method_summarize(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct summary_args a = {.metadata = STR("")};
    struct pb_bytes summary = {0};
    struct status s = rpc_engine_trace_status(e);
    if (status_ok(s))
        s = read_args(e, args, &a);
    struct summary_request request = {
        .specs = &a.specs,
        .metrics = {(const char *)a.metrics.v.items, a.metrics.v.count},
        .metadata = a.metadata,
    };
    if (status_ok(s))
        s = summary_compute(e->session, &request, &summary);
    if (status_ok(s))
        send_summary(e, &a, &summary, reply);
    else
        rpc_reply_error(reply, s.message);
    status_release(&s);
    pb_bytes_release(&summary);
    pb_bytes_release(&a.metrics);
    summary_specs_release(&a.specs);
}
