#include "rpc/methods.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "pb_fields.h"
#include "sql/session.h"

static void method_status(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    (void)args;
    struct pb_bytes result = {0};
    char version[64];
    snprintf(version, sizeof version, "tptui %s", e->settings.version);
    pb_put_str(&result, PB_StatusResult_loaded_trace_name,
               str_from(e->trace_name ? e->trace_name : ""));
    pb_put_str(&result, PB_StatusResult_human_readable_version, str_from(version));
    pb_put_uint(&result, PB_StatusResult_api_version,
                PB_TraceProcessorApiVersion_TRACE_PROCESSOR_CURRENT_API_VERSION);
    /* No version_code: a UI takes it for a release of Perfetto's, and looks for that one's page. */
    rpc_reply_send(reply, &result);
    pb_bytes_release(&result);
}

static void method_restore(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    (void)args;
    struct status s = rpc_engine_renew(e, NULL);
    status_release(&s); /* what could fail has not failed before */
    rpc_reply_send(reply, &(struct pb_bytes){0});
}

struct read_module {
    struct str name, sql;
};

/* A module of RegisterSqlPackageArgs; false where it is not of the package. */
static bool read_module(struct pb_reader r, struct str package, struct read_module *out)
{
    struct pb_field f;
    struct str name = {"", 0}, sql = {"", 0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_RegisterSqlPackageArgs_Module_name)
            name = pb_str(&f);
        else if (f.number == PB_RegisterSqlPackageArgs_Module_sql)
            sql = pb_str(&f);
    }
    bool below = name.n > package.n && str_starts(name, package) && name.p[package.n] == '.';
    if (memchr(name.p, 0, name.n) || !(below || str_eq(name, package)))
        return false;
    *out = (struct read_module){name, sql};
    return true;
}

/* In place of one of the same name, if there is one. */
static void keep_module(struct rpc_engine *e, const struct read_module *m)
{
    struct registered_module *kept = NULL;
    for (size_t i = 0; i < e->modules.count && !kept; i++)
        if (str_eq(str_from(e->modules.items[i].name), m->name))
            kept = &e->modules.items[i];
    if (!kept) {
        kept = vec_push(&e->modules);
        *kept = (struct registered_module){.name = alloc_copy(m->name.p, m->name.n),
                                           .sql.memory = &e->memory};
    }
    rpc_bytes_release(&kept->sql);
    rpc_bytes_append(&kept->sql, m->sql.p, m->sql.n);
    sql_session_add_module(e->session, kept->name, m->sql);
}

/* An error message, or NULL. */
static const char *register_modules(struct rpc_engine *e, struct str args, struct str package)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)args.p, args.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct read_module m;
        if (f.number != PB_RegisterSqlPackageArgs_modules)
            continue;
        if (!read_module(pb_message(&f), package, &m))
            return "the names of a package's modules must begin with its own";
        keep_module(e, &m);
    }
    return NULL;
}

static void method_register(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)args.p, args.n);
    struct pb_field f;
    struct str package = {"", 0};
    bool may_override = false;
    while (pb_next(&r, &f)) {
        if (f.number == PB_RegisterSqlPackageArgs_package_name)
            package = pb_str(&f);
        else if (f.number == PB_RegisterSqlPackageArgs_allow_override)
            may_override = pb_bool(&f);
    }
    char *name = alloc_copy(package.p, package.n);
    const char *error = NULL;
    if (package.n == 0 || strlen(name) != package.n)
        error = "a package needs a name";
    else if (!rpc_memory_has_room(&e->memory, args.n))
        error = "the server keeps too much already";
    else if (!may_override && sql_session_has_package(e->session, name))
        error = "there is a package of that name; allow_override replaces it";
    else
        error = register_modules(e, args, package);
    free(name);
    if (error)
        rpc_reply_error(reply, error);
    else
        rpc_reply_send(reply, &(struct pb_bytes){0});
}

#define METHOD(NAME) PB_TraceProcessorRpc_TraceProcessorMethod_TPM_##NAME
#define FIELD(NAME)  PB_TraceProcessorRpc_##NAME

const struct rpc_method rpc_methods[] = {
    {.number = METHOD(APPEND_TRACE_DATA),
     .args = FIELD(append_trace_data),
     .result = FIELD(append_result),
     .error = PB_AppendTraceDataResult_error,
     .run = method_append},
    {.number = METHOD(FINALIZE_TRACE_DATA),
     .result = FIELD(finalize_data_result),
     .error = PB_FinalizeDataResult_error,
     .run = method_finalize},
    {.number = METHOD(QUERY_STREAMING),
     .args = FIELD(query_args),
     .result = FIELD(query_result),
     .error = PB_QueryResult_error,
     .run = method_query},
    {.number = METHOD(COMPUTE_METRIC),
     .args = FIELD(compute_metric_args),
     .result = FIELD(metric_result),
     .error = PB_ComputeMetricResult_error,
     .run = method_compute_metric},
    {.number = METHOD(GET_METRIC_DESCRIPTORS),
     .result = FIELD(metric_descriptors),
     .run = method_metric_descriptors},
    {.number = METHOD(RESTORE_INITIAL_TABLES), .run = method_restore},
    {.number = METHOD(ENABLE_METATRACE), .run = method_enable_metatrace},
    {.number = METHOD(DISABLE_AND_READ_METATRACE),
     .result = FIELD(metatrace),
     .error = PB_DisableAndReadMetatraceResult_error,
     .run = method_read_metatrace},
    {.number = METHOD(GET_STATUS), .result = FIELD(status), .run = method_status},
    {.number = METHOD(RESET_TRACE_PROCESSOR),
     .args = FIELD(reset_trace_processor_args),
     .optional_args = true,
     .run = method_reset},
    {.number = METHOD(REGISTER_SQL_PACKAGE),
     .args = FIELD(register_sql_package_args),
     .result = FIELD(register_sql_package_result),
     .error = PB_RegisterSqlPackageResult_error,
     .run = method_register},
    {.number = METHOD(SUMMARIZE_TRACE),
     .args = FIELD(trace_summary_args),
     .result = FIELD(trace_summary_result),
     .error = PB_TraceSummaryResult_error,
     .run = method_summarize},
    {.number = METHOD(CREATE_SUMMARIZER),
     .args = FIELD(create_summarizer_args),
     .result = FIELD(create_summarizer_result),
     .error = PB_CreateSummarizerResult_error,
     .run = method_create_summarizer},
    {.number = METHOD(UPDATE_SUMMARIZER_SPEC),
     .args = FIELD(update_summarizer_spec_args),
     .result = FIELD(update_summarizer_spec_result),
     .error = PB_UpdateSummarizerSpecResult_error,
     .run = method_update_summarizer},
    {.number = METHOD(QUERY_SUMMARIZER),
     .args = FIELD(query_summarizer_args),
     .result = FIELD(query_summarizer_result),
     .error = PB_QuerySummarizerResult_error,
     .run = method_query_summarizer},
    {.number = METHOD(DESTROY_SUMMARIZER),
     .args = FIELD(destroy_summarizer_args),
     .result = FIELD(destroy_summarizer_result),
     .error = PB_DestroySummarizerResult_error,
     .run = method_destroy_summarizer},
    {.number = METHOD(STATEMENT_STREAMING),
     .args = FIELD(statement_args),
     .result = FIELD(statement_result),
     .run = method_statement},
    {.number = METHOD(EXPORT),
     .args = FIELD(export_args),
     .result = FIELD(export_result),
     .error = PB_ExportResult_error,
     .run = method_export},
    {0},
};
