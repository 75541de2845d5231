#include "core/tables.h"

#include <stdlib.h>

#include "base/alloc.h"

#define COLUMN_DEF(TABLE, name, type, flags, joins) {#name, COLUMN_TYPE_##type, flags, joins},

#define DEFINE_TABLE(TABLE, sql_name)                                                              \
    static const struct column_def TABLE##_columns[] = {{"id", COLUMN_TYPE_ID, COLUMN_SORTED, ""}, \
                                                        COLUMNS_##TABLE(COLUMN_DEF, TABLE)};

TABLES(DEFINE_TABLE)

#define TABLE_DEF(TABLE, sql_name)                                                                 \
    {sql_name, sizeof TABLE##_columns / sizeof TABLE##_columns[0], TABLE##_columns},

static const struct table_def defs[] = {TABLES(TABLE_DEF)};

/* The columns of all tables are one block, which the first table's point to. */
void tables_init(struct tables *t)
{
    size_t count = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        count += defs[i].column_count;
    struct column *columns = alloc_array(count, sizeof *columns);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        table_init(&tables_array(t)[i], &defs[i], columns);
        columns += defs[i].column_count;
    }
}

void tables_release(struct tables *t)
{
    struct column *columns = tables_array(t)[0].columns;
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (tables_array(t)[i].cap > 0)
            table_release(&tables_array(t)[i]);
    free(columns);
}

struct table *tables_find(struct tables *t, const char *sql_name)
{
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(defs[i].name, sql_name) == 0)
            return &tables_array(t)[i];
    return NULL;
}
