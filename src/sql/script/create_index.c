#include "sql/script/creation.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/tables/catalog.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/language/language.h"
#include "sql/tokens/source_error.h"

static char *index_key(const struct creation *p)
{
    struct str n = token_name(creation_token(p, INDEX_NAME));
    struct str t = token_name(creation_token(p, INDEX_TABLE));
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
    const struct sql_node *columns = p->node->part[INDEX_COLUMNS];
    for (uint32_t i = 0; i < columns->count; i++) {
        struct token column = p->tokens->v.items[columns->part[i]->span.first];
        struct str n = token_name(column);
        char *name = alloc_copy(n.p, n.n);
        int at = sql_table_find(t, name);
        free(name);
        if (at < 0)
            return token_error(column, "no such column: %.*s", (int)n.n, n.p);
        if (i == 0 && !sql_table_index(t, (uint32_t)at))
            return status_error(STATUS_CANCELLED, "interrupted");
    }
    return status_ok_value();
}

struct status create_index(struct creation *p)
{
    struct status s = status_ok_value();
    struct token indexed = creation_token(p, INDEX_TABLE);
    struct str n = token_name(indexed);
    char *name = alloc_copy(n.p, n.n);
    struct sql_table *t = catalog_find(&p->session->catalog, name);
    free(name);
    if (!t)
        return token_error(indexed, "%.*s is not a Perfetto table, and only those have indexes",
                           (int)n.n, n.p);
    if (!sql_table_ready(t, p->session->trace))
        return token_error(indexed, "the kept columns of %.*s are damaged (tptui cache clear)",
                           (int)n.n, n.p);
    char *key = index_key(p);
    bool known = find_index(p->session, key) >= 0;
    if (known && !p->replace)
        s = token_error(creation_token(p, INDEX_NAME),
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
    struct status s = status_ok_value();
    char *key = index_key(p);
    int at = find_index(p->session, key);
    if (at < 0) {
        s = token_error(creation_token(p, INDEX_NAME), "no such index: %s", key);
    } else {
        free(p->session->language->index_names.items[at]);
        p->session->language->index_names.items[at] = vec_last(&p->session->language->index_names);
        p->session->language->index_names.count--;
    }
    sqlite3_free(key);
    return s;
}
