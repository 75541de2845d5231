#include "complete/likely.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sql/tokens/lexer.h"

/* How much a table that statements have named outweighs those that only have the column, too. */
enum { USE_WEIGHT = 100, TABLES_NAMED = 3 };

struct column_of {
    const struct schema_object *table;
    const struct schema_column *column;
};

static bool is_offered(const struct schema_object *o)
{
    bool table = o->kind == OBJECT_TABLE || o->kind == OBJECT_VIEW;
    return table && (o->uses > 0 || (o->rows != 0 && !*o->module && o->name[0] != '_'));
}

/* By name; of one name the tables used most first, then those with most rows. */
static int compare_named(const void *a, const void *b)
{
    const struct column_of *x = a, *y = b;
    int d = compare_any_case(x->column->name, y->column->name);
    if (d != 0)
        return d;
    if (x->table->uses != y->table->uses)
        return x->table->uses > y->table->uses ? -1 : 1;
    if (x->table->rows != y->table->rows)
        return x->table->rows > y->table->rows ? -1 : 1;
    return compare_any_case(x->table->name, y->table->name);
}

static int compare_score(const void *a, const void *b)
{
    const struct likely_column *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    return compare_any_case(x->column->name, y->column->name);
}

/* Of `count` tables that have a column of one name. */
static struct likely_column likely_of(const struct column_of *in, size_t count)
{
    struct likely_column c = {.column = in->column};
    size_t used = 0;
    for (size_t i = 0; i < count; i++)
        c.score += 1 + (uint64_t)USE_WEIGHT * in[i].table->uses;
    for (size_t i = 0; i < count && i < TABLES_NAMED && used < sizeof c.tables; i++)
        used += (size_t)snprintf(c.tables + used, sizeof c.tables - used, "%s%.40s", i ? ", " : "",
                                 in[i].table->name);
    if (count > TABLES_NAMED && used < sizeof c.tables)
        snprintf(c.tables + used, sizeof c.tables - used, " and %zu more", count - TABLES_NAMED);
    return c;
}

void likely_columns_find(const struct schema *s, struct likely_columns *out)
{
    VEC(struct column_of) all = {0};
    for (size_t i = 0; i < s->objects.count; i++) {
        const struct schema_object *o = &s->objects.items[i];
        for (uint32_t k = 0; is_offered(o) && k < o->column_count; k++)
            *vec_push(&all) = (struct column_of){o, &schema_columns(s, o)[k]};
    }
    if (all.count > 1)
        qsort(all.items, all.count, sizeof *all.items, compare_named);
    for (size_t i = 0, end; i < all.count; i = end) {
        for (end = i + 1; end < all.count; end++)
            if (compare_any_case(all.items[end].column->name, all.items[i].column->name) != 0)
                break;
        *vec_push(&out->v) = likely_of(all.items + i, end - i);
    }
    if (out->v.count > 1)
        qsort(out->v.items, out->v.count, sizeof *out->v.items, compare_score);
    vec_release(&all);
}

void schema_count_use(struct schema *s, struct str text)
{
    struct sql_source source = {.name = "use", .text = text};
    bool reads = false;
    for (size_t at = 0; at < text.n;) {
        struct token t = lexer_token(&source, at);
        at += t.text.n ? t.text.n : 1;
        if (token_is_blank(t))
            continue;
        bool name = t.kind == TOKEN_WORD || t.kind == TOKEN_QUOTED;
        const struct schema_object *table = reads && name ? schema_table(s, token_name(t)) : NULL;
        if (table) {
            uint32_t *uses = &s->objects.items[table - s->objects.items].uses;
            *uses += *uses < UINT32_MAX;
        }
        reads = token_is_word(t, "FROM") || token_is_word(t, "JOIN");
    }
}
