/* A tree of names and values as a pprof profile: each node with a value is a sample whose stack is
 * the node and those above it. */
#include <math.h>
#include <stdlib.h>

#include "pb_fields.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/values/values.h"
#include "parsers/samples/pprof_writer.h"
#include "sql/functions/proto_functions.h"
#include "sql/operators/tree.h"

enum { ID, PARENT, NAME, VALUE, TYPE, UNIT, COLUMNS = TYPE };

/* The rows so far; the profile, which has the type of its values, from the first on. */
struct tree_samples {
    struct table_builder *rows;
    struct profile *profile;
};

static bool start_samples(sqlite3_context *ctx, struct tree_samples *p, sqlite3_value **argv)
{
    static const char *const names[] = {"id", "parent_id", "name", "value"};
    struct sql_session *s = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[TYPE]) != SQLITE_TEXT ||
        sqlite3_value_type(argv[UNIT]) != SQLITE_TEXT) {
        result_error(ctx, "profile_from_tree: the type and the unit are texts");
        return false;
    }
    p->rows = table_builder_new(&s->trace->strings, COLUMNS, names);
    table_builder_declare(p->rows, NAME, DECLARED_STRING);
    p->profile = profile_new(s->trace);
    profile_add_type(p->profile, value_str(argv[TYPE]), value_str(argv[UNIT]));
    return true;
}

/* profile_from_tree(id, parent_id, name, value, 'type', 'unit') */
static void add_node(SQL_FUNCTION_ARGS)
{
    struct tree_samples *p = sqlite3_aggregate_context(ctx, sizeof *p);
    if (!p || (!p->rows && !start_samples(ctx, p, argv)))
        return;
    for (int i = 0; i < COLUMNS; i++) {
        struct status status = table_builder_put_value(p->rows, argv[i]);
        if (!status_ok(status)) {
            result_failed(ctx, status_prefix(status, "profile_from_tree"));
            return;
        }
    }
    table_builder_end_row(p->rows);
}

static int64_t value_of(const struct column *c, uint32_t row)
{
    if (column_is_null(c, row) || c->def->type == COLUMN_TYPE_STR)
        return 0;
    return c->def->type == COLUMN_TYPE_F64 ? (int64_t)llround(column_f64(c, row))
                                           : column_int(c, row);
}

static void put_names(struct pb_bytes *stack, const struct string_pool *strings,
                      const struct tree *t, uint32_t row)
{
    const struct column *name = &t->table->table->columns[1 + NAME];
    struct pb_bytes entry = {0};
    stack->v.count = 0;
    for (; row != TREE_NO_ROW; row = t->parent[row]) {
        if (column_is_null(name, row))
            continue;
        entry.v.count = 0;
        pb_put_str(&entry, PB_Stack_Entry_name, string_pool_get(strings, column_str(name, row)));
        pb_put_message(stack, PB_Stack_entries, &entry);
    }
    pb_bytes_release(&entry);
}

static struct status add_samples(struct sql_session *s, struct profile *profile,
                                 const struct tree *t)
{
    struct status status = status_ok_value();
    struct pb_bytes stack = {0};
    uint32_t steps = 0;
    for (uint32_t i = 0; i < t->count && status_ok(status) && !session_poll(s, &steps); i++) {
        int64_t value = value_of(&t->table->table->columns[1 + VALUE], i);
        if (value == 0)
            continue;
        put_names(&stack, &s->trace->strings, t, i);
        status =
            profile_add_sample(profile, (struct str){(const char *)stack.v.items, stack.v.count},
                               &value);
    }
    pb_bytes_release(&stack);
    return status;
}

static void finish_profile(sqlite3_context *ctx)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    struct tree_samples *p = sqlite3_aggregate_context(ctx, 0);
    struct tree *t = NULL;
    if (!p || !p->rows)
        return;
    struct status status = tree_new(sql_table_own(table_builder_finish(p->rows, "tree"),
                                                  &s->trace->strings, &s->cancel),
                                    TREE_ORPHANS_FAIL, &t);
    if (status_ok(status))
        status = add_samples(s, p->profile, t);
    if (status_ok(status)) {
        struct pb_bytes out = {0};
        profile_write(p->profile, &out);
        result_bytes(ctx, &out);
    } else {
        result_failed(ctx, status_prefix(status, "profile_from_tree"));
    }
    tree_free(t);
    profile_free(p->profile);
}

static const struct native_function functions[] = {
    {.name = "profile_from_tree", .argc = 6, .step = add_node, .final = finish_profile},
    {0},
};

const struct sql_family tree_profile_family = {.functions = functions};
