/* __intrinsic_arg_set_to_json(arg_set_id): the args as one JSON object, nested as their keys
 * are. */
#include "core/trace/settled_args.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "sql/export/args_json.h"

static void fn_args_json(SQL_FUNCTION_ARGS)
{
    struct sql_session *s = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER) {
        result_error(ctx, "__intrinsic_arg_set_to_json: the argument is an arg_set_id");
        return;
    }
    int64_t set = sqlite3_value_int64(argv[0]);
    if (set <= 0 || set >= NULL_U32)
        return;
    if (set > args_count(&s->trace->args) && !settled_args_ready(s->trace)) {
        result_error(ctx, "%s", settled_args_lost);
        return;
    }
    sqlite3_str *out = sqlite3_str_new(s->db);
    if (args_append_json(out, s, (uint32_t)set, ARGS_JSON_OF_QUERY))
        result_built(ctx, out);
    else
        sqlite3_free(sqlite3_str_finish(out));
}

static const struct native_function functions[] = {
    SQL_PURE("__intrinsic_arg_set_to_json", 1, fn_args_json),
    {0},
};

const struct sql_family json_functions_family = {.functions = functions};
