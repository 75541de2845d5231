#include "sql/engine/query_plan.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"

enum { LINES_MAX = 2000 };

void query_plan_release(struct query_plan *p)
{
    for (size_t i = 0; i < p->v.count; i++)
        free(p->v.items[i].detail);
    vec_release(&p->v);
}

/* The length of a subquery's name up to its number, where the text begins with one. */
static size_t counted_name(const char *text)
{
    static const char *const names[] = {"(subquery-", "SUBQUERY "};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strncmp(text, names[i], strlen(names[i])) == 0)
            return strlen(names[i]);
    return 0;
}

static char *normal_detail(const char *text)
{
    char *copy = alloc_copy(text, strlen(text)), *to = copy;
    for (const char *from = copy; *from;) {
        size_t n = counted_name(from);
        if (n == 0) {
            *to++ = *from++;
            continue;
        }
        memmove(to, from, n);
        to += n;
        from += n;
        while (isdigit((unsigned char)*from))
            from++;
    }
    *to = 0;
    return copy;
}

static int depth_of(const struct query_plan *p, int parent)
{
    for (size_t i = p->v.count; i-- > 0;)
        if (p->v.items[i].id == parent)
            return p->v.items[i].depth + 1;
    return 0;
}

bool query_plan_read(struct sql_session *s, const char *text, struct query_plan *out)
{
    sqlite3_stmt *stmt = NULL;
    char *sql = sqlite3_mprintf("EXPLAIN QUERY PLAN %s", text);
    int rc = session_prepare(s, sql, 0, &stmt);
    *out = (struct query_plan){0};
    while (rc == SQLITE_OK && sqlite3_step(stmt) == SQLITE_ROW && out->v.count < LINES_MAX) {
        const char *detail = (const char *)sqlite3_column_text(stmt, 3);
        struct query_plan_line line = {.id = sqlite3_column_int(stmt, 0),
                                       .parent = sqlite3_column_int(stmt, 1),
                                       .detail = normal_detail(detail ? detail : "")};
        line.depth = depth_of(out, line.parent);
        *vec_push(&out->v) = line;
    }
    sqlite3_finalize(stmt);
    sqlite3_free(sql);
    return rc == SQLITE_OK && out->v.count < LINES_MAX;
}
