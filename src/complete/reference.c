#include "complete/reference.h"

#include <stdio.h>
#include <string.h>

#include "core/store/tables.h"
#include "complete/sources.h"

/* What is a reference, too, though declared as a plain number: sets of rows, and what is stored as
 * another type. */
static const struct {
    const char *column, *table, *target;
} undeclared[] = {
    {"symbol_set_id", "stack_profile_symbol", "symbol_set_id"},
    {"counter_set_id", "__intrinsic_profiler_counter_set", "counter_set_id"},
    {"flags_id", "__intrinsic_surfaceflinger_transaction_flag", "flags_id"},
    {"arg_set_id", "args", "arg_set_id"},
    {"thread_state_id", "thread_state", "id"},
    {"classloader_id", "heap_graph_object", "id"},
    {"object_data_id", "heap_graph_object_data", "id"},
    {"transform_id", "winscope_transform", "id"},
    {"binder_txn_id", "slice", "id"},
    {"binder_reply_id", "slice", "id"},
    {"server_slice", "slice", "id"},
    {"client_slice", "slice", "id"},
};

enum { UNDECLARED = sizeof undeclared / sizeof *undeclared };

static struct reference make(const char *table, const char *column)
{
    struct reference r;
    snprintf(r.table, sizeof r.table, "%s", table);
    snprintf(r.column, sizeof r.column, "%s", column);
    return r;
}

/* "track.id", of which the table is named as in core/schema/schema.h or as queries know it. */
static struct reference split(struct str joins)
{
    size_t dot = str_find(joins, '.');
    char table[REFERENCE_NAME_MAX], column[REFERENCE_NAME_MAX];
    struct str to = str_behind(joins, dot);
    snprintf(table, sizeof table, "%.*s", (int)dot, joins.p);
    snprintf(column, sizeof column, "%.*s", (int)to.n, to.n ? to.p : "");
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (strcmp(table_defs[i].key, table) == 0)
            return make(table_def_published_name(&table_defs[i]), column);
    return make(table, column);
}

/* ---- by what the statement reads from ---- */

static struct reference by_type(const struct schema_object *table, const struct schema_column *c)
{
    struct str type = str_from(c->type);
    if (str_starts(type, STR("JOINID(")) && type.n > 8)
        return split(str_from_to(type, 7, type.n - 1));
    if (strcmp(c->type, "ID") == 0)
        return make(table->name, c->name);
    return (struct reference){0};
}

/* The last statement of the script that says anything. */
static struct str last_statement(struct str script)
{
    size_t end = script.n;
    while (end > 0 && (script.p[end - 1] == ';' || (unsigned char)script.p[end - 1] <= ' '))
        end--;
    size_t from = end;
    while (from > 0 && script.p[from - 1] != ';')
        from--;
    return str_from_to(script, from, end);
}

static struct reference by_sources(const struct schema *schema, struct str script,
                                   const char *column)
{
    struct str statement = last_statement(script);
    struct sources sources = {0};
    struct reference found = {0};
    sources_read(&sources, schema, statement, statement.n);
    for (size_t i = 0; i < sources.used.count && !found.table[0]; i++) {
        const struct schema_object *table = sources.used.items[i].table;
        for (uint32_t k = 0; table && k < table->column_count && !found.table[0]; k++) {
            const struct schema_column *c = &schema_columns(schema, table)[k];
            if (strcmp(c->name, column) == 0)
                found = by_type(table, c);
        }
    }
    sources_release(&sources);
    return found;
}

/* ---- by name ---- */

static struct reference by_whole_name(const char *column)
{
    struct reference found = {0};
    for (size_t i = 0; i < UNDECLARED; i++)
        if (strcmp(undeclared[i].column, column) == 0)
            return make(undeclared[i].table, undeclared[i].target);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_def *def = &table_defs[i];
        for (uint32_t k = 0; k < def->column_count; k++) {
            if (!def->columns[k].joins || strcmp(def->columns[k].name, column) != 0)
                continue;
            struct reference r = split(str_from(def->columns[k].joins));
            if (found.table[0] && strcmp(found.table, r.table) != 0)
                return (struct reference){0};
            found = r;
        }
    }
    return found;
}

static struct reference by_name(const char *column)
{
    struct reference found = by_whole_name(column);
    for (const char *rest = strchr(column, '_'); rest && !found.table[0]; rest = strchr(rest, '_'))
        found = by_whole_name(++rest);
    return found;
}

struct reference reference_find(const struct schema *schema, struct str script, const char *column)
{
    struct reference found = {0};
    if (schema)
        found = by_sources(schema, script, column);
    return found.table[0] ? found : by_name(column);
}
