/* Summarizers: specs that a client keeps here and changes, and whose queries it asks for as tables.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/proto/proto_text.h"
#include "base/clock.h"
#include "pb_fields.h"
#include "rpc/methods.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/session.h"
#include "summary/message.h"
#include "summary/structured_query.h"

enum { TABLE_NAME = 64 };

static struct rpc_summarizer *find(struct rpc_engine *e, struct str id)
{
    for (size_t i = 0; i < e->summarizers.count; i++)
        if (str_eq(str_from(e->summarizers.items[i].id), id))
            return &e->summarizers.items[i];
    return NULL;
}

static void release(struct rpc_summarizer *s)
{
    for (size_t i = 0; i < s->tables.count; i++) {
        free(s->tables.items[i].query);
        rpc_bytes_release(&s->tables.items[i].sql);
    }
    vec_release(&s->tables);
    free(s->id);
    rpc_bytes_release(&s->spec);
}

void summarizers_release(struct rpc_engine *e)
{
    for (size_t i = 0; i < e->summarizers.count; i++)
        release(&e->summarizers.items[i]);
    vec_release(&e->summarizers);
}

void method_create_summarizer(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct str id = message_text(args, PB_CreateSummarizerArgs_summarizer_id);
    struct pb_bytes result = {0};
    char made[32];
    snprintf(made, sizeof made, "summarizer_%zu", e->summarizers.count);
    if (id.n == 0)
        id = str_from(made);
    if (find(e, id)) {
        rpc_reply_error(reply, "there is a summarizer of that id");
        return;
    }
    *vec_push(&e->summarizers) =
        (struct rpc_summarizer){.id = alloc_copy(id.p, id.n), .spec.memory = &e->memory};
    pb_put_str(&result, PB_CreateSummarizerResult_summarizer_id, id);
    rpc_reply_send(reply, &result);
    pb_bytes_release(&result);
}

void method_destroy_summarizer(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct rpc_summarizer *s = find(e, message_text(args, PB_DestroySummarizerArgs_summarizer_id));
    if (!s) {
        rpc_reply_error(reply, "there is no summarizer of that id");
        return;
    }
    release(s);
    *s = e->summarizers.items[--e->summarizers.count];
    rpc_reply_send(reply, &(struct pb_bytes){0});
}

/* The query of that id in a spec; {NULL, 0} where there is none. */
static struct str find_query(struct str spec, struct str id)
{
    struct pb_reader r = message_reader(spec);
    struct pb_field f;
    while (message_next(&r, PB_TraceSummarySpec_query, &f))
        if (str_eq(message_text(pb_str(&f), PB_PerfettoSqlStructuredQuery_id), id))
            return pb_str(&f);
    return (struct str){NULL, 0};
}

static struct status add_queries(struct structured_queries *q, struct str spec)
{
    struct pb_reader r = message_reader(spec);
    struct pb_field f;
    struct status s = status_ok_value();
    while (status_ok(s) && message_next(&r, PB_TraceSummarySpec_query, &f))
        s = structured_queries_add(q, pb_str(&f));
    return s;
}

static void put_sync(struct pb_bytes *result, struct str id, struct structured_queries *q,
                     bool updated)
{
    struct pb_bytes info = {0};
    char *sql = NULL;
    struct status s = structured_query_sql_by_id(q, id, REFERENCE_INLINE, &sql);
    pb_put_str(&info, PB_SummarizerQuerySyncInfo_query_id, id);
    if (!status_ok(s))
        pb_put_str(&info, PB_SummarizerQuerySyncInfo_error, str_from(s.message));
    pb_put_uint(&info, PB_SummarizerQuerySyncInfo_was_updated, updated);
    pb_put_message(result, PB_UpdateSummarizerSpecResult_queries, &info);
    pb_bytes_release(&info);
    status_release(&s);
    free(sql);
}

/* What has changed from one spec to the next, query by query. */
static struct status put_changes(struct str before, struct str after, struct pb_bytes *result)
{
    struct structured_queries *q = structured_queries_new();
    struct status s = add_queries(q, after);
    struct pb_reader r = message_reader(after);
    struct pb_field f;
    while (status_ok(s) && message_next(&r, PB_TraceSummarySpec_query, &f)) {
        struct str id = message_text(pb_str(&f), PB_PerfettoSqlStructuredQuery_id);
        struct str old = find_query(before, id);
        put_sync(result, id, q, !old.p || !str_eq(old, pb_str(&f)));
    }
    r = message_reader(before);
    while (status_ok(s) && message_next(&r, PB_TraceSummarySpec_query, &f)) {
        struct str id = message_text(pb_str(&f), PB_PerfettoSqlStructuredQuery_id);
        struct pb_bytes info = {0};
        if (find_query(after, id).p)
            continue;
        pb_put_str(&info, PB_SummarizerQuerySyncInfo_query_id, id.p ? id : STR(""));
        pb_put_uint(&info, PB_SummarizerQuerySyncInfo_was_dropped, true);
        pb_put_message(result, PB_UpdateSummarizerSpecResult_queries, &info);
        pb_bytes_release(&info);
    }
    structured_queries_free(q);
    return s;
}

void method_update_summarizer(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct rpc_summarizer *s =
        find(e, message_text(args, PB_UpdateSummarizerSpecArgs_summarizer_id));
    struct str spec = message_text(args, PB_UpdateSummarizerSpecArgs_spec);
    struct pb_bytes result = {0};
    if (!spec.p)
        spec = STR("");
    if (!s || !rpc_memory_has_room(&e->memory, spec.n)) {
        rpc_reply_error(reply, s ? "the server keeps too much already"
                                 : "there is no summarizer of that id");
        return;
    }
    struct status status = put_changes(rpc_bytes_text(&s->spec), spec, &result);
    if (status_ok(status)) {
        rpc_bytes_release(&s->spec);
        rpc_bytes_append(&s->spec, spec.p, spec.n);
        rpc_reply_send(reply, &result);
    } else {
        rpc_reply_error(reply, status.message);
    }
    status_release(&status);
    pb_bytes_release(&result);
}

/* The table's columns and rows. */
static struct status put_table(struct rpc_engine *e, const char *table, struct pb_bytes *result)
{
    char sql[128];
    int64_t rows = 0;
    sqlite3_stmt *probe = NULL;
    snprintf(sql, sizeof sql, "SELECT count(*) FROM %s", table);
    struct status s = sql_session_int(e->session, sql, &rows);
    snprintf(sql, sizeof sql, "SELECT * FROM %s", table);
    if (status_ok(s) && sqlite3_prepare_v2(e->session->db, sql, -1, &probe, NULL) != SQLITE_OK)
        s = status_error(STATUS_SQL, "%s", sqlite3_errmsg(e->session->db));
    for (int i = 0; i < sqlite3_column_count(probe); i++)
        pb_put_str(result, PB_QuerySummarizerResult_columns,
                   str_from(sqlite3_column_name(probe, i)));
    sqlite3_finalize(probe);
    pb_put_str(result, PB_QuerySummarizerResult_table_name, str_from(table));
    pb_put_uint(result, PB_QuerySummarizerResult_row_count, (uint64_t)rows);
    return s;
}

static void table_name(char out[static TABLE_NAME], uint64_t number)
{
    snprintf(out, TABLE_NAME, "_summarizer_table_%llu", (unsigned long long)number);
}

static struct rpc_summary_table *table_of(struct rpc_engine *e, struct rpc_summarizer *s,
                                          struct str query)
{
    for (size_t i = 0; i < s->tables.count; i++)
        if (str_eq(str_from(s->tables.items[i].query), query))
            return &s->tables.items[i];
    *vec_push(&s->tables) =
        (struct rpc_summary_table){.query = alloc_copy(query.p, query.n), .sql.memory = &e->memory};
    return &vec_last(&s->tables);
}

/* The SQL with what has to run before it, for sqlite3_free. */
static char *standalone_sql(const struct structured_queries *q, const char *sql)
{
    char *before = structured_queries_preamble(q);
    char *standalone = sqlite3_mprintf("%s%s", before, sql);
    free(before);
    return standalone;
}

/* Whether the table has what the SQL gives: a client's statement may have dropped it. */
static bool is_current(struct rpc_engine *e, const struct rpc_summary_table *t, const char *sql)
{
    char name[TABLE_NAME], type[8];
    table_name(name, t->number);
    return str_eq(rpc_bytes_text(&t->sql), str_from(sql)) &&
           session_object_exists(e->session, str_from(name), type);
}

/* The query's table, which is made where its SQL, or what has to run before that, is another than
 * when it was asked last. */
static struct status make_table(struct rpc_engine *e, struct rpc_summary_table *t,
                                struct structured_queries *q, const char *sql,
                                const char *standalone)
{
    char name[TABLE_NAME], old[TABLE_NAME];
    if (is_current(e, t, standalone))
        return status_ok_value();
    struct status s = structured_queries_prepare(q, e->session);
    if (!status_ok(s))
        return s;
    table_name(old, t->number);
    table_name(name, e->tables_made);
    bool was_made = rpc_bytes_count(&t->sql) > 0;
    char *statement =
        sqlite3_mprintf("%s%s;CREATE PERFETTO TABLE %s AS\n%s",
                        was_made ? "DROP TABLE IF EXISTS " : "", was_made ? old : "", name, sql);
    rpc_bytes_release(&t->sql);
    t->number = e->tables_made++;
    s = sql_session_run(e->session, "query", str_from(statement), NULL);
    if (status_ok(s) && rpc_memory_has_room(&e->memory, strlen(standalone)))
        rpc_bytes_append(&t->sql, standalone, strlen(standalone));
    sqlite3_free(statement);
    return s;
}

static void put_texts(struct rpc_engine *e, struct str query, const char *sql,
                      const char *standalone, struct pb_bytes *result)
{
    struct text text = {0};
    uint32_t type = descriptors_find(&e->session->descriptors,
                                     STR("perfetto.protos.PerfettoSqlStructuredQuery"));
    proto_text_append(&text, &e->session->descriptors, type, (const uint8_t *)query.p, query.n);
    pb_put_str(result, PB_QuerySummarizerResult_sql, str_from(sql));
    pb_put_str(result, PB_QuerySummarizerResult_standalone_sql, str_from(standalone));
    pb_put_str(result, PB_QuerySummarizerResult_textproto,
               (struct str){text.v.items, text.v.count});
    vec_release(&text.v);
}

void method_query_summarizer(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct rpc_summarizer *s = find(e, message_text(args, PB_QuerySummarizerArgs_summarizer_id));
    struct str id = message_text(args, PB_QuerySummarizerArgs_query_id);
    struct str query = s && id.p ? find_query(rpc_bytes_text(&s->spec), id) : (struct str){NULL, 0};
    struct structured_queries *q = structured_queries_new();
    struct pb_bytes result = {0};
    char table[TABLE_NAME], *sql = NULL, *standalone = NULL;
    double begin = (double)clock_now_ns() / 1e6;
    pb_put_uint(&result, PB_QuerySummarizerResult_exists, query.p != NULL);
    struct status status = query.p ? add_queries(q, rpc_bytes_text(&s->spec)) : status_ok_value();
    if (status_ok(status) && query.p)
        status = structured_query_sql(q, query, REFERENCE_INLINE, &sql);
    if (status_ok(status) && query.p) {
        struct rpc_summary_table *t = table_of(e, s, id);
        standalone = standalone_sql(q, sql);
        status = make_table(e, t, q, sql, standalone);
        table_name(table, t->number);
    }
    if (status_ok(status) && query.p)
        status = put_table(e, table, &result);
    if (standalone)
        put_texts(e, query, sql, standalone, &result);
    if (!status_ok(status))
        pb_put_str(&result, PB_QuerySummarizerResult_error, str_from(status.message));
    pb_put_double(&result, PB_QuerySummarizerResult_duration_ms,
                  (double)clock_now_ns() / 1e6 - begin);
    rpc_reply_send(reply, &result);
    status_release(&status);
    structured_queries_free(q);
    pb_bytes_release(&result);
    sqlite3_free(standalone);
    free(sql);
}
