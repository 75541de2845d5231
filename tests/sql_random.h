/* For tests that compare an operator with the same written in plain SQL, on random rows. */
#ifndef TPTUI_TESTS_SQL_RANDOM_H
#define TPTUI_TESTS_SQL_RANDOM_H

#include "sql_rows.h"
#include "test_random.h"

static inline void expect_same(struct sql_session *s, const char *ours, const char *theirs)
{
    char *want = sql_rows(s, theirs);
    if (strstr(want, "error"))
        print_message("query: %s\n%s\n", theirs, want);
    assert_null(strstr(want, "error"));
    expect_rows(s, ours, want);
    sqlite3_free(want);
}

#endif
