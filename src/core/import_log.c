#include "core/import_log.h"

#include "core/store/rows.h"
#include "core/trace_builder.h"

static struct trace_import_logs_row begin(struct trace *t, enum stat_key key,
                                          const struct arg_list *args)
{
    struct trace_import_logs_row row = trace_import_logs_row_null();
    stats_count(t, key);
    row.trace_id = stats_scope(t)->file;
    row.stat_key = key;
    row.arg_set_id = args ? args_intern(&t->args, args) : NULL_U32;
    return row;
}

void import_log_at(struct trace *t, enum stat_key key, int64_t ts, const struct arg_list *args)
{
    struct trace_import_logs_row row = begin(t, key, args);
    row.ts = ts;
    trace_import_logs_append(&t->tables.trace_import_logs, &row);
}

void import_log_in_file(struct trace *t, enum stat_key key, int64_t offset,
                        const struct arg_list *args)
{
    struct trace_import_logs_row row = begin(t, key, args);
    if (offset >= 0)
        row.byte_offset = offset;
    trace_import_logs_append(&t->tables.trace_import_logs, &row);
}
