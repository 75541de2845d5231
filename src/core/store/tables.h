/* The declared tables as C: for each table `slice` of schema.h
 *   enum { slice_col_id, slice_col_ts, ... }   column numbers
 * struct tables, which holds one struct table for each, in schema order, and what else is declared
 * of tables and views. Rows by name are in core/store/rows.h. */
#ifndef TPTUI_CORE_STORE_TABLES_H
#define TPTUI_CORE_STORE_TABLES_H

#include "core/schema/schema.h"
#include "core/store/table.h"

#define TABLE_COLUMN(TABLE, name, type, flags, description) TABLE##_col_##name,
#define TABLE_COLUMNS(TABLE, sql_name, description, source)                                        \
    enum { TABLE##_col_id, COLUMNS_##TABLE(TABLE_COLUMN, TABLE) };

TABLES(TABLE_COLUMNS)
#undef TABLE_COLUMNS
#undef TABLE_COLUMN

struct tables {
#define TABLE_MEMBER(TABLE, sql_name, description, source) struct table TABLE;
    TABLES(TABLE_MEMBER)
#undef TABLE_MEMBER
};

enum table_number {
#define TABLE_NUMBER(TABLE, sql_name, description, source) TABLE_##TABLE,
    TABLES(TABLE_NUMBER)
#undef TABLE_NUMBER
        TABLE_COUNT
};

/* struct tables as an array of TABLE_COUNT. */
static inline struct table *tables_array(struct tables *t)
{
    return (struct table *)(void *)t;
}

static inline const struct table *tables_array_const(const struct tables *t)
{
    return (const struct table *)(const void *)t;
}

void tables_init(struct tables *t);
void tables_release(struct tables *t);

/* The column `ts` of a table whose rows are events of the recording; 0, where `id` stands, for
 * other tables. */
uint32_t table_def_event_time(const struct table_def *def);

/* The `ts` of a table whose rows are in a window or not; 0 for other tables. Besides those of
 * events it is that of rows which follow from events. */
uint32_t table_def_window_time(const struct table_def *def);
/* Whether a column is called as one that says which rows of a table are meant. */
bool column_is_called_id(const char *name);

/* The declared table of that SQL name, or NULL. */
const struct table *tables_find(const struct tables *t, const char *sql_name);

/* What is declared, by enum table_number. */
extern const struct table_def table_defs[TABLE_COUNT];

/* A view that shows columns of one table, perhaps under other names and in another order. */
struct view_def {
    const char *name;
    enum table_number table;
    const char *columns; /* as in schema.h; NULL where SQL of the prelude defines the view */
};

#define VIEW_ONE(VIEW, table, columns) +1
enum { VIEW_COUNT = 0 VIEWS(VIEW_ONE) };
#undef VIEW_ONE
extern const struct view_def view_defs[VIEW_COUNT];

/* A column as a view shows it. */
struct view_column {
    struct str name;
    const struct column_def *def; /* of its table */
};

/* The column at position `i` of a view that has `columns`; false where there is none. */
bool view_column_at(const struct view_def *view, uint32_t i, struct view_column *out);

/* The declared table that queries know by a name (ASCII case ignored): its own in SQL or that of a
 * view of it; NULL for none. */
const struct table_def *table_def_find(struct str name);
/* The name that queries should use for a declared table: its first view's, or its own in SQL. */
const char *table_def_published_name(const struct table_def *def);

#endif
