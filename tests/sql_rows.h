/* For SQL tests: a query's result sets as text, one row a line, values separated by "|". */
#ifndef TPTUI_TESTS_SQL_ROWS_H
#define TPTUI_TESTS_SQL_ROWS_H

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <sqlite3.h>

#include "sql/session.h"

static inline bool rows_begin(void *self, int columns, const char *const *names)
{
    (void)self, (void)columns, (void)names;
    return true;
}

static inline bool rows_row(void *self, int columns, const struct sql_value *values)
{
    sqlite3_str *out = self;
    for (int i = 0; i < columns; i++) {
        if (i)
            sqlite3_str_appendchar(out, 1, '|');
        if (values[i].type == SQL_NULL)
            sqlite3_str_appendall(out, "NULL");
        else if (values[i].type == SQL_INT)
            sqlite3_str_appendf(out, "%lld", (long long)values[i].i);
        else if (values[i].type == SQL_REAL)
            sqlite3_str_appendf(out, "%!.15g", values[i].d);
        else
            sqlite3_str_append(out, values[i].s.p, (int)values[i].s.n);
    }
    sqlite3_str_appendchar(out, 1, '\n');
    return true;
}

static inline bool rows_end(void *self)
{
    (void)self;
    return true;
}

/* For sqlite3_free; an error gives its message. */
static inline char *sql_rows(struct sql_session *s, const char *query)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    struct sql_sink sink = {.begin = rows_begin, .row = rows_row, .end = rows_end, .self = out};
    struct status status = sql_session_run(s, "query", str_from(query), &sink);
    if (!status_ok(status))
        sqlite3_str_appendf(out, "error: %s\n", status.message);
    status_release(&status);
    char *text = sqlite3_str_finish(out);
    return text ? text : sqlite3_mprintf("");
}

static inline void expect_rows(struct sql_session *s, const char *query, const char *rows)
{
    char *got = sql_rows(s, query);
    if (strcmp(got, rows) != 0)
        print_message("query: %s\n", query);
    assert_string_equal(got, rows);
    sqlite3_free(got);
}

static inline void expect_error(struct sql_session *s, const char *query, const char *part)
{
    char *got = sql_rows(s, query);
    if (!strstr(got, "error: ") || !strstr(got, part))
        print_message("query: %s\ngot: %s\n", query, got);
    assert_non_null(strstr(got, "error: "));
    assert_non_null(strstr(got, part));
    sqlite3_free(got);
}

/* A query, and what its error says besides. */
struct error_case {
    const char *query, *part;
};

static inline void expect_errors(struct sql_session *s, const struct error_case *cases, size_t n)
{
    for (size_t i = 0; i < n; i++)
        expect_error(s, cases[i].query, cases[i].part);
}

#define EXPECT_ERRORS(session, cases) expect_errors(session, cases, sizeof(cases) / sizeof *(cases))

/* A SELECT without the word, and its rows. */
struct query_case {
    const char *expression, *rows;
};

/* Of an error the first line is compared: where it stands is tested elsewhere. */
static inline void expect_expressions(struct sql_session *s, const struct query_case *cases,
                                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *query = sqlite3_mprintf("SELECT %s", cases[i].expression);
        char *rows = sql_rows(s, query);
        char *error = strstr(rows, "error: "), *end = error ? strstr(error, "\n  ") : NULL;
        if (end)
            end[1] = 0;
        if (strcmp(rows, cases[i].rows) != 0)
            print_message("query: %s\n", query);
        assert_string_equal(rows, cases[i].rows);
        sqlite3_free(rows);
        sqlite3_free(query);
    }
}

#define EXPECT_EXPRESSIONS(session, cases)                                                         \
    expect_expressions(session, cases, sizeof(cases) / sizeof *(cases))

#endif
