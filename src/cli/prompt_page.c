/* Rows as Trace Processor's shell shows them: columns of one width, and a question every few rows.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/standard_streams.h"
#include "base/vec.h"
#include "cli/sql_prompt.h"
#include "sql/session.h"

enum { ROWS_PER_PAGE = 32 };

/* A result being printed. */
struct page {
    int width; /* of a column */
    int columns;
    VEC(char *) names; /* owned */
    uint64_t rows;
    int64_t first_row; /* when it came, in ns; 0: not yet */
    bool stopped;      /* by the user */
};

static void forget_names(struct page *p)
{
    for (size_t i = 0; i < p->names.count; i++)
        free(p->names.items[i]);
    p->names.count = 0;
}

static bool begin_page(void *self, int columns, const char *const *names)
{
    struct page *p = self;
    forget_names(p);
    for (int i = 0; i < columns; i++)
        *vec_push(&p->names) = alloc_copy(names[i], strlen(names[i]));
    p->columns = columns;
    p->rows = 0;
    return true;
}

static void print_head(const struct page *p)
{
    for (int i = 0; i < p->columns; i++)
        fprintf(standard_output(), "%-*.*s ", p->width, p->width, p->names.items[i]);
    putc('\n', standard_output());
    for (int i = 0; i < p->columns; i++) {
        for (int n = 0; n < p->width; n++)
            putc('-', standard_output());
        putc(' ', standard_output());
    }
    putc('\n', standard_output());
}

/* Waits until the user wants to see more. The program ends with standard input. */
static bool wants_more(void)
{
    char answer[32];
    fflush(standard_output());
    fputs("...\nType 'q' to stop, Enter for more records: ", standard_errors());
    if (!fgets(answer, sizeof answer, stdin))
        exit(0);
    return answer[0] != 'q';
}

static void print_cell(int width, const struct sql_value *v)
{
    switch (v->type) {
    case SQL_NULL:
        fprintf(standard_output(), "%-*s ", width, "[NULL]");
        break;
    case SQL_INT:
        fprintf(standard_output(), "%*" PRId64 " ", width, v->i);
        break;
    case SQL_REAL:
        fprintf(standard_output(), "%*f ", width, v->d);
        break;
    case SQL_TEXT: {
        int n = (int)strnlen(v->s.p, v->s.n < (size_t)width ? v->s.n : (size_t)width);
        fprintf(standard_output(), "%-*.*s ", width, n, v->s.p);
        break;
    }
    case SQL_BLOB:
        fprintf(standard_output(), "%-*s ", width, "<raw bytes>");
        break;
    }
}

static bool put_row(void *self, int columns, const struct sql_value *values)
{
    struct page *p = self;
    if (p->first_row == 0)
        p->first_row = clock_now_ns();
    if (p->rows > 0 && p->rows % ROWS_PER_PAGE == 0 && !wants_more()) {
        p->stopped = true;
        return false;
    }
    if (p->rows++ % ROWS_PER_PAGE == 0)
        print_head(p);
    for (int i = 0; i < columns; i++)
        print_cell(p->width, &values[i]);
    putc('\n', standard_output());
    return true;
}

void sql_prompt_page(const struct sql_prompt *p, struct str sql)
{
    struct page page = {.width = p->width};
    struct sql_sink sink = {.begin = begin_page, .row = put_row, .self = &page};
    int64_t begin = clock_now_ns();
    size_t last = sql.n, last_end = sql.n;
    for (size_t at = 0, from; (from = sql_script_next(sql, &at)) < sql.n;) {
        last = from;
        last_end = at;
    }
    struct status s = sql_prompt_execute(p, "stdin", sql, 0, last, NULL);
    if (status_ok(s))
        s = sql_prompt_execute(p, "stdin", sql, last, last_end, &sink);
    int64_t end = page.first_row ? page.first_row : clock_now_ns();
    fflush(standard_output());
    if (page.stopped)
        status_release(&s);
    else if (!status_ok(s))
        workspace_print(s.code == STATUS_CANCELLED ? "interrupted" : s.message);
    if (!page.stopped)
        status_release(&s);
    fprintf(standard_output(), "\nQuery executed in %.3f ms\n\n", (double)(end - begin) / 1e6);
    fflush(standard_output());
    forget_names(&page);
    vec_release(&page.names);
}
