#include "sql/script/create_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/catalog.h"
#include "sql/engine/session_state.h"
#include "sql/engine/sql_table.h"
#include "sql/language/language.h"
#include "sql/tokens/source_error.h"

struct sql_index_name {
    struct token name, table;
};

static struct status parse_index_name(struct token_cursor *c, struct sql_index_name *out)
{
    struct status s = cursor_take_name(c, "the index's name", &out->name);
    if (status_ok(s))
        s = cursor_expect(c, "ON");
    return status_ok(s) ? cursor_take_name(c, "the table's name", &out->table) : s;
}

static char *index_key(struct sql_index_name i)
{
    struct str n = token_name(i.name), t = token_name(i.table);
    return sqlite3_mprintf("%.*s ON %.*s", (int)n.n, n.p, (int)t.n, t.p);
}

/* The position of an index in the session's list, or -1. */
static int find_index(const struct sql_session *s, const char *key)
{
    for (size_t i = 0; i < s->language->index_names.count; i++)
        if (sqlite3_stricmp(s->language->index_names.items[i], key) == 0)
            return (int)i;
    return -1;
}

static struct status index_columns(struct creation *p, struct sql_table *t)
{
    if (!cursor_accept_char(&p->c, '('))
        return expected_error(cursor_peek(&p->c), "(");
    bool first = true;
    do {
        struct token column;
        struct status s = cursor_take_name(&p->c, "a column's name", &column);
        if (!status_ok(s))
            return s;
        struct str n = token_name(column);
        char *name = alloc_copy(n.p, n.n);
        int at = sql_table_find(t, name);
        free(name);
        if (at < 0)
            return token_error(column, "no such column: %.*s", (int)n.n, n.p);
        if (first && !sql_table_index(t, (uint32_t)at))
            return status_error(STATUS_CANCELLED, "interrupted");
        first = false;
    } while (cursor_accept_char(&p->c, ','));
    return cursor_accept_char(&p->c, ')') ? status_ok_value()
                                          : expected_error(cursor_peek(&p->c), ") or a comma");
}

struct status create_index(struct creation *p)
{
    struct sql_index_name i;
    struct status s = parse_index_name(&p->c, &i);
    if (!status_ok(s))
        return s;
    struct str n = token_name(i.table);
    char *name = alloc_copy(n.p, n.n);
    struct sql_table *t = catalog_find(&p->session->catalog, name);
    free(name);
    if (!t)
        return token_error(i.table, "%.*s is not a Perfetto table, and only those have indexes",
                           (int)n.n, n.p);
    char *key = index_key(i);
    bool known = find_index(p->session, key) >= 0;
    if (known && !p->replace)
        s = token_error(i.name,
                        "index %s already exists: CREATE OR REPLACE PERFETTO INDEX would "
                        "replace it",
                        key);
    if (status_ok(s))
        s = index_columns(p, t);
    if (status_ok(s) && !known)
        *vec_push(&p->session->language->index_names) = alloc_copy(key, strlen(key));
    sqlite3_free(key);
    return s;
}

struct status drop_index(struct creation *p)
{
    struct sql_index_name i;
    struct status s = parse_index_name(&p->c, &i);
    if (!status_ok(s))
        return s;
    char *key = index_key(i);
    int at = find_index(p->session, key);
    if (at < 0) {
        s = token_error(i.name, "no such index: %s", key);
    } else {
        free(p->session->language->index_names.items[at]);
        p->session->language->index_names.items[at] = vec_last(&p->session->language->index_names);
        p->session->language->index_names.count--;
    }
    sqlite3_free(key);
    return s;
}
