/* Scripts and statements over RPC. */

#include "pb_fields.h"
#include "base/clock.h"
#include "rpc/methods.h"
#include "rpc/result_batches.h"
#include "sql/session.h"

/* Counts the result sets with rows of the statements before the last. */
struct counter {
    uint32_t results;
    bool has_row;
};

static bool count_begin(void *self, int columns, const char *const *names)
{
    (void)columns, (void)names;
    ((struct counter *)self)->has_row = false;
    return true;
}

static bool count_row(void *self, int columns, const struct sql_value *values)
{
    struct counter *c = self;
    (void)columns, (void)values;
    c->results += !c->has_row;
    c->has_row = true;
    return true;
}

/* A statement's text without the blanks around it and the semicolon. */
static struct str statement_text(struct str sql, size_t from, size_t to)
{
    struct str s = str_from_to(sql, from, to);
    while (s.n > 0 && (str_is_blank(*s.p) || *s.p == '\n'))
        s = str_skip(s, 1);
    while (s.n > 0 && (str_is_blank(s.p[s.n - 1]) || s.p[s.n - 1] == '\n' || s.p[s.n - 1] == ';'))
        s.n--;
    return s;
}

static bool send_result(void *self, const struct pb_bytes *result)
{
    return rpc_reply_send(self, result);
}

/* Ends the result with what happened. */
static void finish(struct result_batches *b, struct status s, double begin)
{
    const char *error = s.message ? s.message : "";
    result_batches_end(b, status_ok(s) ? NULL : error, (double)clock_now_ns() / 1e6 - begin);
    status_release(&s);
    result_batches_release(b);
}

/* Runs all statements; rows are those of the last. */
static void run_script(struct rpc_engine *e, struct str sql, struct result_batches *b)
{
    double begin = (double)clock_now_ns() / 1e6;
    size_t last = 0, last_end = 0;
    for (size_t at = 0, from; (from = sql_script_next(sql, &at)) < sql.n;) {
        last = from;
        last_end = at;
        b->statements++;
    }
    struct counter counter = {0};
    struct sql_sink counting = {.begin = count_begin, .row = count_row, .self = &counter};
    struct status s = rpc_engine_trace_status(e);
    if (status_ok(s))
        s = sql_session_run_part(e->session, "query", sql, 0, last, &counting);
    b->with_output = counter.results;
    b->last_statement = statement_text(sql, last, last_end);
    struct sql_sink sink = result_batches_sink(b);
    if (status_ok(s))
        s = sql_session_run_part(e->session, "query", sql, last, last_end, &sink);
    finish(b, s, begin);
}

void method_query(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct pb_field f =
        pb_last(pb_reader_from((const uint8_t *)args.p, args.n), PB_QueryArgs_sql_query);
    struct str sql = pb_str(&f);
    struct result_batches b = {.send = send_result, .self = reply};
    run_script(e, sql, &b);
}

/* A statement of a longer script. */
struct statement {
    struct rpc_reply *reply;
    uint32_t tail; /* where the next one begins */
    bool executed;
};

static bool send_statement(void *self, const struct pb_bytes *result)
{
    const struct statement *s = self;
    struct pb_bytes wrapped = {0};
    pb_put_message(&wrapped, PB_StatementResult_result, result);
    pb_put_uint(&wrapped, PB_StatementResult_tail_offset, s->tail);
    pb_put_uint(&wrapped, PB_StatementResult_statement_executed, s->executed);
    bool read = rpc_reply_send(s->reply, &wrapped);
    pb_bytes_release(&wrapped);
    return read;
}

void method_statement(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)args.p, args.n);
    struct pb_field f;
    struct str sql = {"", 0};
    size_t at = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_StatementArgs_sql)
            sql = pb_str(&f);
        else if (f.number == PB_StatementArgs_start_offset)
            at = pb_u32(&f);
    }
    double begin = (double)clock_now_ns() / 1e6;
    size_t from = at < sql.n ? sql_script_next(sql, &at) : sql.n;
    struct statement statement = {reply, (uint32_t)(at < sql.n ? at : sql.n), from < sql.n};
    struct result_batches b = {.send = send_statement,
                               .self = &statement,
                               .statements = from < sql.n,
                               .last_statement =
                                   statement_text(sql, from, at < sql.n ? at : sql.n)};
    struct sql_sink sink = result_batches_sink(&b);
    struct status s = rpc_engine_trace_status(e);
    if (status_ok(s) && from < sql.n)
        s = sql_session_run_part(e->session, "query", sql, from, at, &sink);
    finish(&b, s, begin);
}
