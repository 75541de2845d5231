/* The span joins that SQLite is connected to, for those who read them over columns. */
#ifndef TPTUI_SQL_ENGINE_SPAN_SOURCE_H
#define TPTUI_SQL_ENGINE_SPAN_SOURCE_H

#include "base/str.h"
#include "sql/engine/span_sweep.h"

/* Where a column of the result comes from. */
enum { FROM_TS = -1, FROM_DUR = -2, FROM_PARTITION = -3 };

struct span_column {
    int side;   /* 0 or 1, or a FROM_ value */
    int column; /* of the side's statement */
};

struct span_source_side {
    const char *table;
    char *query; /* its rows: ts, dur, the partition if there is one, the other columns */
    bool partitioned, has_dur;
};

/* Everything is the table's of SQLite. */
struct span_source {
    char *name, *schema;
    enum span_join_kind join;
    struct span_source_side sides[SPAN_SIDES];
    const struct span_column *columns;
    char **column_names;
    uint32_t column_count;
    struct span_source *next;
};

/* The one of that name in the main schema, ASCII case ignored; NULL where SQLite knows none, or has
 * not connected it yet. Valid until a statement changes the schema. */
const struct span_source *span_source_find(const struct sql_session *s, struct str name);

/* A table's of SQLite, from its start to its end. */
void span_source_add(struct sql_session *s, struct span_source *source);
void span_source_remove(struct sql_session *s, struct span_source *source);

#endif
