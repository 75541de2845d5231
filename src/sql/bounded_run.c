#include "sql/bounded_run.h"

#include "sql/session.h"

struct bounded_run {
    struct sql_session *session;
    const char *source;
    struct str script;
    const struct sql_bounds *bounds;
    const struct sql_sink *sink;
    uint64_t rows;
    bool met;
};

static bool pass_begin(void *self, int columns, const char *const *names)
{
    return sink_begin(((struct bounded_run *)self)->sink, columns, names);
}

static bool pass_row(void *self, int columns, const struct sql_value *values)
{
    struct bounded_run *r = self;
    r->met = r->rows >= r->bounds->rows;
    if (r->met)
        return false;
    r->rows++;
    return r->sink->row(r->sink->self, columns, values);
}

static bool pass_end(void *self)
{
    return sink_end(((struct bounded_run *)self)->sink);
}

static struct status run(void *self)
{
    struct bounded_run *r = self;
    struct sql_sink sink = {.begin = pass_begin, .row = pass_row, .end = pass_end, .self = r};
    return sql_session_run(r->session, r->source, r->script, &sink);
}

struct status sql_session_run_bounded(struct sql_session *s, const char *source, struct str script,
                                      const struct sql_bounds *bounds, struct sql_spent *spent,
                                      const struct sql_sink *sink)
{
    struct bounded_run r = {.session = s,
                            .source = source,
                            .script = script,
                            .bounds = bounds,
                            .sink = sink,
                            .rows = spent->rows};
    struct status status = session_bound(s, source, bounds, spent, run, &r);
    spent->rows = r.rows;
    if (status.code != STATUS_CANCELLED || !r.met)
        return status;
    status_release(&status);
    return status_error(STATUS_SQL, "%s: stopped beyond %llu rows: run it in the query pane",
                        source, (unsigned long long)bounds->rows);
}
