/* For tests that compare an operator with the same written in plain SQL, on random rows. */
#ifndef TPTUI_TESTS_SQL_RANDOM_H
#define TPTUI_TESTS_SQL_RANDOM_H

#include "sql_rows.h"

static uint64_t random_state; /* a test sets it, to see the same rows each time */

static inline uint32_t next_random(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % below;
}

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
