#include "sql/hints/join_hints.h"

#include <string.h>

#include "sql/engine/query_text.h"
#include "sql/engine/session_state.h"
#include "sql/hints/named_tables.h"

/* Rows that have a key have a row of the table as well. */
struct join {
    const char *key, *table, *text;
};

static const struct join joins[] = {
    {"utid", "thread", "JOIN thread USING (utid)"},
    {"upid", "process", "JOIN process USING (upid)"},
    {"utid", "process", "JOIN thread USING (utid) JOIN process USING (upid)"},
    {"arg_set_id", "args", "JOIN args USING (arg_set_id)"},
};

/* Columns of views that name what they have of another table. */
static const struct renamed {
    const char *name, *table, *column;
} renamed[] = {
    {"thread_name", "thread", "name"},
    {"process_name", "process", "name"},
};

static const char *const counter_tracks[] = {
    "counter_track",         "cpu_counter_track", "thread_counter_track",
    "process_counter_track", "gpu_counter_track",
};

static const char *const slice_contexts[] = {
    "utid", "tid", "thread_name", "is_main_thread", "upid", "pid", "process_name",
};

bool table_has_column(struct sql_session *s, struct str table, const char *column)
{
    return query_has_text(s->db,
                          "SELECT 1 FROM pragma_table_info(%.*Q) WHERE lower(name) = lower(%Q)",
                          (int)table.n, table.p, column);
}

static bool names(const struct token_list *tokens, const char *table)
{
    for (size_t i = 0; i < tokens->v.count; i++)
        if (token_is_word(token_written(tokens->v.items[i]), table))
            return true;
    return false;
}

/* Whether one of the statement's tables has the key. */
static bool has_key(struct sql_session *s, const struct named_tables *tables, const char *key)
{
    for (size_t i = 0; i < tables->v.count; i++)
        if (table_has_column(s, tables->v.items[i], key))
            return true;
    return false;
}

static const struct join *find_join(struct sql_session *s, const struct token_list *tokens,
                                    const char *table, const char *column)
{
    struct named_tables tables;
    const struct join *found = NULL;
    named_tables_find(s, tokens, &tables);
    for (size_t i = 0; !found && i < sizeof joins / sizeof *joins; i++) {
        const struct join *j = &joins[i];
        bool fits = !table || strcmp(table, j->table) == 0;
        if (fits && !names(tokens, j->table) && table_has_column(s, str_from(j->table), column) &&
            has_key(s, &tables, j->key))
            found = j;
    }
    named_tables_release(&tables);
    return found;
}

static char *join_by_key(struct sql_session *s, const struct token_list *tokens, const char *column)
{
    const char *table = NULL, *own = column;
    for (size_t i = 0; i < sizeof renamed / sizeof *renamed; i++)
        if (compare_any_case(renamed[i].name, column) == 0) {
            table = renamed[i].table;
            own = renamed[i].column;
        }
    const struct join *j = find_join(s, tokens, table, own);
    return j ? sqlite3_mprintf("%s has %s: %s", j->table, own, j->text) : NULL;
}

static char *join_counter_track(struct sql_session *s, const char *column)
{
    for (size_t i = 0; i < sizeof counter_tracks / sizeof *counter_tracks; i++) {
        const char *track = counter_tracks[i];
        if (table_has_column(s, str_from(track), column))
            return sqlite3_mprintf("%s has %s: JOIN %s ON counter.track_id = %s.id", track, column,
                                   track, track);
    }
    return NULL;
}

static bool is_slice_context(const char *column)
{
    for (size_t i = 0; i < sizeof slice_contexts / sizeof *slice_contexts; i++)
        if (compare_any_case(slice_contexts[i], column) == 0)
            return true;
    return false;
}

char *suggest_join(struct sql_session *s, const struct token_list *tokens, const char *column)
{
    char *hint = join_by_key(s, tokens, column);
    if (!hint && names(tokens, "counter"))
        hint = join_counter_track(s, column);
    if (!hint && names(tokens, "slice") && is_slice_context(column))
        hint = sqlite3_mprintf("thread_or_process_slice has %s, instead of slice: INCLUDE PERFETTO "
                               "MODULE slices.with_context;",
                               column);
    return hint;
}
