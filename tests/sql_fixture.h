/* For SQL tests: a trace made in memory and a session on it, as a test's state. */
#ifndef TPTUI_TESTS_SQL_FIXTURE_H
#define TPTUI_TESTS_SQL_FIXTURE_H

#include <stdlib.h>

#include "base/alloc.h"
#include "core/trace_builder.h"
#include "sql_rows.h"

struct fixture {
    struct trace trace;
    struct sql_session *session;
};

/* `fill` adds rows before the trace is finished; NULL: it stays empty. */
static inline int fixture_open(void **state, void (*fill)(struct trace *t))
{
    struct fixture *f = alloc_array(1, sizeof *f);
    struct status status;
    trace_init(&f->trace);
    trace_machine(&f->trace, HOST_RAW_ID);
    if (fill)
        fill(&f->trace);
    trace_finish(&f->trace);
    f->session = sql_session_new(&f->trace, &status);
    if (!status_ok(status))
        print_message("%s\n", status.message);
    assert_true(status_ok(status));
    *state = f;
    return 0;
}

static inline int teardown(void **state)
{
    struct fixture *f = *state;
    sql_session_free(f->session);
    trace_release(&f->trace);
    free(f);
    return 0;
}

/* A test that opens and closes the fixture by its file's `setup`. */
#define SQL_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static inline struct sql_session *session_of(void **state)
{
    return ((struct fixture *)*state)->session;
}

#endif
