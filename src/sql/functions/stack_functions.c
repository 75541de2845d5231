/* Callstacks as values: put together by functions, summed up as a profile. */
#include <stdlib.h>

#include "base/alloc.h"
#include "pb_fields.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/values/values.h"
#include "core/callstack_annotation.h"
#include "parsers/samples/pprof_writer.h"
#include "sql/functions/proto_functions.h"

static void put_entry(struct pb_bytes *stack, const struct pb_bytes *entry)
{
    pb_put_message(stack, PB_Stack_entries, entry);
}

/* cat_stacks(root, ..., leaf): stacks and names, NULLs left out. A stack has its leaf first. */
static void fn_cat_stacks(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct pb_bytes stack = {0}, entry = {0};
    for (int i = argc; i-- > 0;) {
        struct str s = value_str(argv[i]);
        switch (sqlite3_value_type(argv[i])) {
        case SQLITE_NULL:
            break;
        case SQLITE_BLOB:
            pb_put_raw(&stack, s.p, s.n);
            break;
        case SQLITE_TEXT:
            entry.v.count = 0;
            pb_put_str(&entry, PB_Stack_Entry_name, s);
            put_entry(&stack, &entry);
            break;
        default:
            pb_bytes_release(&stack);
            pb_bytes_release(&entry);
            result_error(
                ctx, "cat_stacks: each argument is a stack or the name of a frame, not a number");
            return;
        }
    }
    pb_bytes_release(&entry);
    result_bytes(ctx, &stack);
}

static void result_entry(sqlite3_context *ctx, uint32_t field, int64_t id)
{
    struct pb_bytes stack = {0}, entry = {0};
    pb_put_uint(&entry, field, (uint64_t)id);
    put_entry(&stack, &entry);
    pb_bytes_release(&entry);
    result_bytes(ctx, &stack);
}

/* stack_from_stack_profile_callsite(callsite_id [, annotate]) */
static void fn_stack_from_callsite(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    int64_t id = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || id < 0 ||
        id >= s->trace->tables.stack_profile_callsite.rows) {
        result_error(ctx, "stack_from_stack_profile_callsite: callsite_id is no id of "
                          "stack_profile_callsite");
        return;
    }
    if (argc == 2 && sqlite3_value_type(argv[1]) != SQLITE_INTEGER) {
        result_error(ctx, "stack_from_stack_profile_callsite: annotate is TRUE or FALSE");
        return;
    }
    bool annotate = argc == 2 && sqlite3_value_int64(argv[1]) != 0;
    result_entry(ctx, annotate ? PB_Stack_Entry_annotated_callsite_id : PB_Stack_Entry_callsite_id,
                 id);
}

static void fn_stack_from_frame(SQL_FUNCTION_ARGS)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    int64_t id = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) == SQLITE_INTEGER && id >= 0 &&
        id < s->trace->tables.stack_profile_frame.rows)
        result_entry(ctx, PB_Stack_Entry_frame_id, id);
    else
        result_error(ctx,
                     "stack_from_stack_profile_frame: frame_id is no id of stack_profile_frame");
}

/* The text of an arg behind a prefix as a frame; nothing where there is no such arg. */
static void put_arg_entry(struct pb_bytes *stack, const struct trace *t,
                          const struct arg_list *args, struct str key, struct str prefix)
{
    for (size_t i = 0; i < args->v.count; i++) {
        const struct arg *a = &args->v.items[i];
        if (a->type != ARG_STRING || !str_eq(string_pool_get(&t->strings, a->flat_key), key))
            continue;
        struct pb_bytes name = {0}, entry = {0};
        struct str value = string_pool_get(&t->strings, a->s);
        pb_put_raw(&name, prefix.p, prefix.n);
        pb_put_raw(&name, value.p, value.n);
        pb_put_message(&entry, PB_Stack_Entry_name, &name);
        put_entry(stack, &entry);
        pb_bytes_release(&entry);
        pb_bytes_release(&name);
    }
}

static void put_name_entry(struct pb_bytes *stack, const struct trace *t, string_id name)
{
    struct pb_bytes entry = {0};
    if (name == NULL_STRING)
        return;
    pb_put_str(&entry, PB_Stack_Entry_name, string_pool_get(&t->strings, name));
    put_entry(stack, &entry);
    pb_bytes_release(&entry);
}

/* experimental_proto_path_to_frame(path_id): a part of a path as the stack of its event's name and
 * category, its field and its type, which is the leaf. */
static void fn_proto_path_to_frame(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    const struct table *t = &s->trace->tables.experimental_proto_path;
    int64_t id = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || id < 0 || id >= t->rows)
        return;
    uint32_t row = (uint32_t)id;
    const struct column *c = t->columns;
    uint32_t set = table_u32(t, experimental_proto_path_col_arg_set_id)[row];
    struct pb_bytes stack = {0};
    struct arg_list args = {0};
    if (set != NULL_U32)
        args_read(&s->trace->args, set, &args);
    put_name_entry(&stack, s->trace, column_str(&c[experimental_proto_path_col_field_type], row));
    put_name_entry(&stack, s->trace, column_str(&c[experimental_proto_path_col_field_name], row));
    put_arg_entry(&stack, s->trace, &args, STR("event.category"), STR("event.category:"));
    put_arg_entry(&stack, s->trace, &args, STR("event.name"), STR("event.name:"));
    arg_list_release(&args);
    result_bytes(ctx, &stack);
}

/* experimental_profile(stack [, 'type', 'unit', value]...), value 1 of "samples" where none is
 * given. */
struct profile_state {
    struct profile *profile;
    int64_t *values;
    int argc;
};

static bool start_profile(sqlite3_context *ctx, struct profile_state *p, int argc,
                          sqlite3_value **argv)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    if (argc % 3 != 1) {
        result_error(ctx,
                     "experimental_profile takes a stack and any number of 'type', 'unit', value");
        return false;
    }
    for (int i = 1; i < argc; i += 3)
        if (sqlite3_value_type(argv[i]) != SQLITE_TEXT ||
            sqlite3_value_type(argv[i + 1]) != SQLITE_TEXT) {
            result_error(ctx, "experimental_profile: a value's type and unit are texts");
            return false;
        }
    p->argc = argc;
    p->profile = profile_new(s->trace);
    p->values = alloc_array((size_t)argc / 3 + 1, sizeof *p->values);
    for (int i = 1; i < argc; i += 3)
        profile_add_type(p->profile, value_str(argv[i]), value_str(argv[i + 1]));
    if (argc == 1)
        profile_add_type(p->profile, STR("samples"), STR("count"));
    return true;
}

static void profile_step(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
    struct profile_state *p = sqlite3_aggregate_context(ctx, sizeof *p);
    if (!p || (!p->profile && !start_profile(ctx, p, argc, argv)))
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_BLOB) {
        result_error(ctx, "experimental_profile: the first argument is a stack, as cat_stacks and "
                          "stack_from_stack_profile_callsite make it; leave rows without one out");
        return;
    }
    p->values[0] = 1;
    for (int i = 3; i < argc; i += 3) {
        if (sqlite3_value_type(argv[i]) != SQLITE_INTEGER) {
            result_error(ctx, "experimental_profile: a sample's value is an integer");
            return;
        }
        p->values[i / 3 - 1] = sqlite3_value_int64(argv[i]);
    }
    struct status s = profile_add_sample(p->profile, value_str(argv[0]), p->values);
    if (!status_ok(s)) {
        result_error(ctx, "experimental_profile: %s", s.message);
    }
    status_release(&s);
}

static void profile_final(sqlite3_context *ctx)
{
    struct profile_state *p = sqlite3_aggregate_context(ctx, 0);
    if (!p || !p->profile)
        return;
    struct pb_bytes out = {0};
    profile_write(p->profile, &out);
    result_bytes(ctx, &out);
    profile_free(p->profile);
    free(p->values);
}

/* The callsite and those that called it, the leaf first. */
static struct status fill_annotated(struct sql_session *s, sqlite3_value **argv,
                                    struct table_builder *b)
{
    const struct table *t = &s->trace->tables.stack_profile_callsite;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return status_ok_value();
    int64_t id = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER || id < 0 || id >= t->rows)
        return status_error(STATUS_SQL, "experimental_annotated_callstack: start_callsite_id is "
                                        "no id of stack_profile_callsite");
    struct annotated_callstack stack = {0};
    callstack_annotate(s->trace, (uint32_t)id, &stack);
    for (size_t i = 0; i < stack.v.count; i++) {
        struct annotated_callsite c = stack.v.items[i];
        table_builder_row(b, cell_int(c.callsite),
                          cell_int(table_u32(t, stack_profile_callsite_col_depth)[c.callsite]),
                          cell_id(table_u32(t, stack_profile_callsite_col_parent_id)[c.callsite]),
                          cell_int(table_u32(t, stack_profile_callsite_col_frame_id)[c.callsite]),
                          cell_chars(c.annotation));
    }
    vec_release(&stack.v);
    return status_ok_value();
}

static const struct native_function functions[] = {
    SQL_PURE("cat_stacks", -1, fn_cat_stacks),
    SQL_PURE("stack_from_stack_profile_callsite", 1, fn_stack_from_callsite),
    SQL_PURE("stack_from_stack_profile_callsite", 2, fn_stack_from_callsite),
    SQL_FUNCTION("experimental_proto_path_to_frame", 1, fn_proto_path_to_frame),
    SQL_PURE("stack_from_stack_profile_frame", 1, fn_stack_from_frame),
    SQL_AGGREGATE("experimental_profile", -1, profile),
    {0},
};

static const struct table_function table_functions[] = {
    {.name = "experimental_annotated_callstack",
     .columns = "id LONG, depth LONG, parent_id LONG, frame_id LONG, annotation STRING",
     .parameters = "start_callsite_id",
     .fill = fill_annotated},
    {0},
};

const struct sql_family stack_functions_family = {.functions = functions,
                                                  .table_functions = table_functions};
