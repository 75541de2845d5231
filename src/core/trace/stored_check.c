/* What a stored table may refer to. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "core/trace/stored_parts.h"

static const struct table *table_of_key(const struct trace *t, struct str key)
{
    const struct table *tables = (const struct table *)(const void *)&t->tables;
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        if (str_eq(key, str_from(tables[i].def->key)))
            return &tables[i];
    return NULL;
}

/* Whether each value is below the limit, or null where the column may be. Values are shifted by
 * one, so that null becomes 0: no branch, as it is asked of every row. */
static bool all_below(const struct column *c, uint32_t rows, uint32_t limit)
{
    const uint32_t *values = c->data;
    bool nullable = c->def->flags & COLUMN_NULLABLE;
    uint32_t most = 0;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t v = values[i] + nullable;
        most = v > most ? v : most;
    }
    return most < (uint64_t)limit + nullable;
}

/* The same of a column whose values may take fewer bytes. */
static bool all_small_below(const struct column *c, uint32_t rows, uint32_t limit)
{
    bool nullable = c->def->flags & COLUMN_NULLABLE;
    uint32_t most = 0;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t v = column_small(c, i) + nullable;
        most = v > most ? v : most;
    }
    return most < (uint64_t)limit + nullable;
}

static bool texts_exist(const struct column *c, uint32_t rows, uint32_t strings)
{
    const string_id *values = c->data;
    string_id most = 0;
    for (uint32_t i = 0; i < rows; i++)
        most = values[i] > most ? values[i] : most;
    return most < strings;
}

enum { VISITED = 1, ON_PATH = 2 };

/* Whether following the column from row to row ends, from every row. */
static bool ends_everywhere(const uint32_t *next, uint32_t rows)
{
    uint32_t i = 0;
    while (i < rows && (next[i] == NULL_U32 || next[i] < i))
        i++;
    if (i == rows)
        return true; /* as nearly always: what is referred to came before */
    uint8_t *state = alloc_array(rows, 1);
    bool ends = true;
    for (i = 0; i < rows && ends; i++) {
        uint32_t at = i;
        for (; at != NULL_U32 && !state[at]; at = next[at])
            state[at] = ON_PATH;
        ends = at == NULL_U32 || state[at] == VISITED;
        for (at = i; ends && at != NULL_U32 && state[at] == ON_PATH; at = next[at])
            state[at] = VISITED;
    }
    free(state);
    return ends;
}

static bool join_exists(const struct trace *t, const struct table *table, const struct column *c)
{
    struct str joins = str_from(c->def->joins);
    size_t dot = str_find(joins, '.');
    const struct table *target = table_of_key(t, str_from_to(joins, 0, dot));
    if (!target)
        return false;
    if (c->def->type == COLUMN_TYPE_SMALL)
        return all_small_below(c, table->rows, target->rows);
    if (!all_below(c, table->rows, target->rows))
        return false;
    return target != table || c->def->flags & COLUMN_MAY_LOOP ||
           ends_everywhere(c->data, table->rows);
}

static bool column_is_sound(const struct trace *t, const struct table *table, uint32_t number)
{
    const struct column *c = &table->columns[number];
    if (table->rows == 0 || !c->data)
        return c->data || table->rows == 0 || column_value_size(c->def->type) == 0 ||
               column_may_be_absent(c->def);
    if (c->def->type == COLUMN_TYPE_STR)
        return texts_exist(c, table->rows, t->strings.count);
    if (c->def->type != COLUMN_TYPE_U32 && c->def->type != COLUMN_TYPE_SMALL)
        return true;
    if (c->def->joins)
        return join_exists(t, table, c);
    if (strcmp(c->def->declared, "ARGSETID") == 0)
        return all_below(c, table->rows, args_count(&t->args) + 1);
    return true;
}

bool stored_table_is_sound(const struct trace *t, const struct table *table)
{
    for (uint32_t i = 0; i < table->def->column_count; i++)
        if (!column_is_sound(t, table, i))
            return false;
    return true;
}
