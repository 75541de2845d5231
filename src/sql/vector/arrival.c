#include "sql/vector/arrival.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/query_plan.h"
#include "sql/engine/shown_table.h"
#include "sql/vector/bind.h"
#include "sql/vector/evaluate.h"
#include "sql/vector/source.h"

/* The words that begin a line about reading a table. */
static const char scans[] = "SCAN ", searches[] = "SEARCH ";

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static const struct query_plan *plan_of_sqlite(struct plan *p)
{
    if (p->sqlite_plan)
        return p->sqlite_plan;
    p->sqlite_plan = alloc_array(1, sizeof *p->sqlite_plan);
    char *text = tokens_text(p->tokens, p->token_count);
    if (!query_plan_read(p->session, text, p->sqlite_plan))
        query_plan_release(p->sqlite_plan);
    free(text);
    return p->sqlite_plan;
}

bool arrival_compiles(struct plan *p)
{
    return plan_of_sqlite(p)->v.count > 0;
}

/* Calls of count(DISTINCT) are SQLite's in other words, whose plan may differ. */
static bool has_distinct(const struct plan *p)
{
    for (size_t i = 0; i < p->token_count; i++)
        if (token_is_word(p->tokens[i], "DISTINCT"))
            return true;
    return false;
}

/* What stands behind a table's name in a line about reading it; NULL where the line is another. */
static const char *behind_name(const char *detail, const struct source_table *t)
{
    static const struct str nameless = {"(subquery-)", 11};
    struct str name = t->alias.n ? t->alias : nameless;
    bool search = begins(detail, searches);
    if (!search && !begins(detail, scans))
        return NULL;
    detail += strlen(search ? searches : scans);
    if (strncmp(detail, name.p, name.n) != 0)
        return NULL;
    return detail[name.n] == 0 || detail[name.n] == ' ' ? detail + name.n : NULL;
}

/* The first table of that name which is not among those that were read; TABLES_MAX for none. */
static uint32_t table_read(const struct plan_source *from, const char *detail, uint32_t read)
{
    for (uint32_t t = 0; t < from->count; t++)
        if (!(read >> t & 1) && behind_name(detail, &from->tables[t]))
            return t;
    return TABLES_MAX;
}

/* Whether an OR is read in several scans, whose lines look like those of others. */
static bool has_or(const struct query_plan *plan)
{
    for (size_t i = 0; i < plan->v.count; i++)
        if (begins(plan->v.items[i].detail, "MULTI-INDEX OR"))
            return true;
    return false;
}

static bool reads(const struct query_plan_line *line)
{
    return begins(line->detail, scans) || begins(line->detail, searches);
}

/* Whether the lines that belong to one read the tables of the FROM, each once. */
static bool reads_all(const struct query_plan *plan, int parent, const struct plan_source *from)
{
    uint32_t read = 0, count = 0;
    for (size_t i = 0; i < plan->v.count; i++) {
        const struct query_plan_line *line = &plan->v.items[i];
        if (line->parent != parent || !reads(line))
            continue;
        uint32_t t = table_read(from, line->detail, read);
        if (t == TABLES_MAX)
            return false;
        read |= UINT32_C(1) << t;
        count++;
    }
    return count == from->count;
}

/* Lines beside those that read tables which change nothing of their order. */
static bool is_harmless(const char *detail)
{
    static const char *const words[] = {"USE TEMP B-TREE ", "LIST SUBQUERY",  "SCALAR SUBQUERY",
                                        "CO-ROUTINE ",      "MATERIALIZE ",   "REUSE LIST SUBQUERY",
                                        "BLOOM FILTER ON ", "REUSE SUBQUERY", "CORRELATED "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (begins(detail, words[i]))
            return true;
    return false;
}

/* Keys of an order. */

static void add_row_key(struct plan *p, uint32_t table, struct order_list *out)
{
    struct expr *e = expr_new(p, EXPR_ROW, VALUE_INT, 0);
    e->table = table;
    *vec_push(&out->v) = (struct order_key){e, false};
}

static bool add_column_key(struct plan *p, const struct plan_source *from, uint32_t table,
                           struct str term, struct order_list *out)
{
    static const struct str descending = {" DESC", 5};
    const struct shown_table *shown = from->tables[table].shown;
    bool desc = term.n > descending.n &&
                memcmp(term.p + term.n - descending.n, descending.p, descending.n) == 0;
    term.n -= desc ? descending.n : 0;
    for (int i = 0; i < shown->column_count; i++) {
        uint32_t column = shown->columns[i].column;
        if (!str_eq(term, str_from(shown->columns[i].name)))
            continue;
        struct expr *e = expr_column(p, table, column, bind_column_type(shown->table, column));
        *vec_push(&out->v) = (struct order_key){e, desc};
        return true;
    }
    return false;
}

/* Whether each word of the plan is a name or what it is between names. */
static bool has_plain_names(const struct shown_table *shown)
{
    for (int i = 0; i < shown->column_count; i++)
        if (strpbrk(shown->columns[i].name, " ,"))
            return false;
    return true;
}

/* The order of a table's rows, as its virtual table describes it; "a=? ORDER BY b, c DESC". */
static bool add_order_keys(struct plan *p, const struct select *s, uint32_t table, const char *text,
                           struct order_list *out)
{
    const struct source_table *t = &s->from.tables[table];
    const char *order = strstr(text, " ORDER BY ");
    size_t first = out->v.count;
    bool desc = false;
    if (!order && s->kind == SELECT_GROUP)
        order = strstr(text, " GROUP BY ");
    else if (strstr(text, " GROUP BY "))
        return false;
    if (!has_plain_names(t->shown) || strstr(text, " DISTINCT ") || strstr(text, " LIMIT "))
        return false;
    for (const char *at = order ? order + strlen(" ORDER BY ") : ""; *at;) {
        const char *end = strstr(at, ", ");
        struct str term = {at, end ? (size_t)(end - at) : strlen(at)};
        if (!add_column_key(p, &s->from, table, term, out))
            return false;
        desc |= vec_last(&out->v).desc;
        at = end ? end + strlen(", ") : at + term.n;
    }
    /* A table that is in the order is read from its end. */
    return !desc || !sql_table_sorted(t->stored, out->v.items[first].expr->column);
}

/* What a table's line adds to the order of all rows. */
static bool add_table_keys(struct plan *p, const struct select *s, uint32_t table,
                           const char *detail, struct order_list *out)
{
    static const char index[] = " VIRTUAL TABLE INDEX ";
    const struct source_table *t = &s->from.tables[table];
    const char *rest = behind_name(detail, t);
    if (!begins(detail, scans) || t->left)
        return false;
    if (!t->stored)
        return *rest == 0;
    if (!begins(rest, index))
        return false;
    for (rest += strlen(index); isdigit((unsigned char)*rest);)
        rest++;
    return *rest == ':' && add_order_keys(p, s, table, rest + 1, out);
}

static bool is_named_once(const struct plan_source *from, const char *detail)
{
    uint32_t names = 0;
    for (uint32_t t = 0; t < from->count; t++)
        names += behind_name(detail, &from->tables[t]) != NULL;
    return names == 1;
}

/* The order in which a line's loops give their rows. All tables have one row for each of the first
 * that is looked at here: those that are read behind that do not count. */
static bool keys_of_loops(struct plan *p, const struct select *s, int parent,
                          struct order_list *out)
{
    const struct query_plan *plan = p->sqlite_plan;
    uint32_t first = s->from.order[0];
    bool met = false;
    for (size_t i = 0; i < plan->v.count; i++) {
        const struct query_plan_line *line = &plan->v.items[i];
        if (line->parent != parent || is_harmless(line->detail))
            continue;
        if (!reads(line))
            return false;
        if (met)
            continue;
        uint32_t t = table_read(&s->from, line->detail, 0);
        if (!is_named_once(&s->from, line->detail) || !add_table_keys(p, s, t, line->detail, out))
            return false;
        met = t == first;
        if (!met)
            add_row_key(p, t, out);
    }
    return met;
}

/* Which keys count. */

static bool is_among(const struct expr_list *list, const struct expr *e)
{
    for (size_t i = 0; i < list->v.count; i++)
        if (expr_same(list->v.items[i], e))
            return true;
    return false;
}

/* Whether rows that are equal in all of the list have the same row of a table. */
static bool row_is_determined(const struct select *s, const struct expr_list *by, uint32_t table,
                              uint32_t depth)
{
    const struct source_table *t = &s->from.tables[table];
    for (size_t i = 0; t->stored && i < by->v.count; i++)
        if (source_is_row_number(&s->from, by->v.items[i], table))
            return true;
    if (!t->key || depth == TABLES_MAX)
        return false;
    return is_among(by, t->key) ||
           (t->key->op == EXPR_COLUMN && row_is_determined(s, by, t->key->table, depth + 1));
}

static void list_order(struct expr_list *out, const struct order_list *order)
{
    for (size_t i = 0; i < order->v.count; i++)
        *vec_push(&out->v) = order->v.items[i].expr;
}

/* What decides before the order of arrival does. */
static void list_deciding(const struct select *s, struct expr_list *out)
{
    const struct expr_list *first = s->kind == SELECT_GROUP ? &s->keys : &s->partition;
    for (size_t i = 0; i < first->v.count; i++)
        *vec_push(&out->v) = first->v.items[i];
    if (s->kind != SELECT_GROUP)
        list_order(out, s->kind == SELECT_PLAIN ? &s->order : &s->window_order);
}

static void keep_telling(const struct select *s, struct order_list *keys)
{
    struct expr_list by = {0};
    size_t kept = 0;
    list_deciding(s, &by);
    for (size_t i = 0; i < keys->v.count; i++) {
        const struct expr *e = keys->v.items[i].expr;
        bool told =
            (e->op == EXPR_COLUMN && is_among(&by, e)) || row_is_determined(s, &by, e->table, 0);
        if (!told)
            keys->v.items[kept++] = keys->v.items[i];
    }
    keys->v.count = kept;
    vec_release(&by.v);
}

static bool same_order(const struct order_list *a, const struct order_list *b)
{
    bool same = a->v.count == b->v.count;
    for (size_t i = 0; same && i < a->v.count; i++)
        same = expr_same(a->v.items[i].expr, b->v.items[i].expr) &&
               a->v.items[i].desc == b->v.items[i].desc;
    return same;
}

/* Several SELECTs may read tables of these names: they have to agree. */
bool arrival_find(struct plan *p, struct select *s)
{
    bool found = false, ok = !has_distinct(p);
    for (uint32_t t = 0; t < s->from.count; t++)
        ok = ok && (!s->from.tables[t].alias.n ||
                    !memchr(s->from.tables[t].alias.p, ' ', s->from.tables[t].alias.n));
    const struct query_plan *plan = ok ? plan_of_sqlite(p) : NULL;
    ok = ok && !has_or(plan);
    for (size_t i = 0; ok && i < plan->v.count; i++) {
        const struct query_plan_line *line = &plan->v.items[i];
        struct order_list keys = {0};
        if (!reads(line) || !reads_all(plan, line->parent, &s->from))
            continue;
        ok = keys_of_loops(p, s, line->parent, &keys);
        keep_telling(s, &keys);
        ok = ok && (!found || same_order(&keys, &s->from.arrival));
        vec_release(&s->from.arrival.v);
        s->from.arrival = keys;
        found = true;
    }
    return ok && found && s->from.arrival.v.count <= SCAN_ORDERS;
}
