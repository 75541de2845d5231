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
    pb_put_str(&result, PB_StatusResult_version_code, str_from(e->settings.version));
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

/* A module of RegisterSqlPackageArgs; false where it is not of the package. */
static bool read_module(struct pb_reader r, struct str package, struct registered_module *out)
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
    *out = (struct registered_module){alloc_copy(name.p, name.n), alloc_copy(sql.p, sql.n), sql.n};
    return true;
}

static void add_module(struct rpc_engine *e, struct registered_module m)
{
    *vec_push(&e->modules) = m;
    sql_session_add_module(e->session, m.name, (struct str){m.sql, m.size});
}

/* An error message, or NULL. */
static const char *register_modules(struct rpc_engine *e, struct str args, struct str package)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)args.p, args.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        struct registered_module m;
        if (f.number != PB_RegisterSqlPackageArgs_modules)
            continue;
        if (!read_module(pb_message(&f), package, &m))
            return "the names of a package's modules must begin with its own";
        add_module(e, m);
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
    {METHOD(APPEND_TRACE_DATA), FIELD(append_trace_data), FIELD(append_result),
     PB_AppendTraceDataResult_error, "/parse", method_append},
    {METHOD(FINALIZE_TRACE_DATA), 0, FIELD(finalize_data_result), PB_FinalizeDataResult_error,
     "/notify_eof", method_finalize},
    {METHOD(QUERY_STREAMING), FIELD(query_args), FIELD(query_result), PB_QueryResult_error,
     "/query", method_query},
    {METHOD(COMPUTE_METRIC), FIELD(compute_metric_args), FIELD(metric_result),
     PB_ComputeMetricResult_error, "/compute_metric", method_compute_metric},
    {METHOD(GET_METRIC_DESCRIPTORS), 0, FIELD(metric_descriptors), 0, "/get_metric_descriptors",
     method_metric_descriptors},
    {METHOD(RESTORE_INITIAL_TABLES), 0, 0, 0, "/restore_initial_tables", method_restore},
    {METHOD(ENABLE_METATRACE), 0, 0, 0, "/enable_metatrace", method_enable_metatrace},
    {METHOD(DISABLE_AND_READ_METATRACE), 0, FIELD(metatrace),
     PB_DisableAndReadMetatraceResult_error, "/disable_and_read_metatrace", method_read_metatrace},
    {METHOD(GET_STATUS), 0, FIELD(status), 0, "/status", method_status},
    {METHOD(RESET_TRACE_PROCESSOR), 0, 0, 0, NULL, method_reset},
    {METHOD(REGISTER_SQL_PACKAGE), FIELD(register_sql_package_args),
     FIELD(register_sql_package_result), PB_RegisterSqlPackageResult_error, "/register_sql_package",
     method_register},
    {METHOD(SUMMARIZE_TRACE), FIELD(trace_summary_args), FIELD(trace_summary_result),
     PB_TraceSummaryResult_error, "/trace_summary", method_summarize},
    {METHOD(STATEMENT_STREAMING), FIELD(statement_args), FIELD(statement_result), 0, NULL,
     method_statement},
    {0},
};
