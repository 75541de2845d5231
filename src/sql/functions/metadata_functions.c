/* Functions that look one thing up in a table of the trace. */
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"
#include "text/android_uids.h"

#include <inttypes.h>
#include <stdio.h>

/* Wanted machine and trace; -1 is "any". */
struct metadata_key {
    struct str name;
    int64_t machine, trace;
};

static bool id_matches(uint32_t have, int64_t wanted)
{
    return wanted < 0 || have == (uint32_t)wanted;
}

/* The first row of that name: of several machines or files the primary one's. */
static void result_metadata(sqlite3_context *ctx, struct metadata_key key)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    const struct table *t = &s->trace->tables.metadata;
    const struct column *ints = &t->columns[metadata_col_int_value];
    string_id name = string_pool_lookup(&s->trace->strings, key.name);
    for (uint32_t row = 0; name != NULL_STRING && row < t->rows; row++) {
        if (column_str(&t->columns[metadata_col_name], row) != name ||
            !id_matches(table_u32(t, metadata_col_machine_id)[row], key.machine) ||
            !id_matches(table_u32(t, metadata_col_trace_id)[row], key.trace))
            continue;
        string_id text = column_str(&t->columns[metadata_col_str_value], row);
        if (text != NULL_STRING)
            result_static(ctx, string_pool_get(&s->trace->strings, text));
        else if (!column_is_null(ints, row))
            sqlite3_result_int64(ctx, column_int(ints, row));
        return;
    }
}

static int64_t id_argument(sqlite3_value *v)
{
    return sqlite3_value_type(v) == SQLITE_NULL ? -1 : sqlite3_value_int64(v);
}

static void fn_metadata(SQL_FUNCTION_ARGS)
{
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT)
        return;
    result_metadata(ctx, (struct metadata_key){value_str(argv[0]), -1, -1});
}

static void fn_metadata_for_machine(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "extract_metadata_for_machine", "it", argv))
        return;
    result_metadata(ctx, (struct metadata_key){value_str(argv[1]), id_argument(argv[0]), -1});
}

static void fn_metadata_for_trace(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "extract_metadata_for_trace", "it", argv))
        return;
    result_metadata(ctx, (struct metadata_key){value_str(argv[1]), -1, id_argument(argv[0])});
}

static void fn_exact_metadata(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "extract_exact_metadata", "iit", argv))
        return;
    result_metadata(ctx, (struct metadata_key){value_str(argv[2]), id_argument(argv[0]),
                                               id_argument(argv[1])});
}

/* Of the packages that share a uid, which one is meant: Google's services before others, those that
 * only provide data after them. */
static int package_rank(struct str name)
{
    if (str_starts(name, STR("com.android.providers.")))
        return 0;
    return str_eq(name, STR("com.google.android.gms")) ? 2 : 1;
}

/* The package that is installed for a uid within a person's share; empty if none is. */
static struct str installed_package(const struct trace *trace, uint32_t uid)
{
    const struct table *t = &trace->tables.package_list;
    struct str best = STR("");
    int best_rank = -1;
    for (uint32_t row = 0; row < t->rows; row++) {
        if (table_i64(t, package_list_col_uid)[row] != uid)
            continue;
        struct str name =
            string_pool_get(&trace->strings,
                            column_str(&t->columns[package_list_col_package_name], row));
        int rank = package_rank(name);
        if (rank <= best_rank)
            continue;
        best = name;
        best_rank = rank;
    }
    return best;
}

/* The Android package of a uid, whichever person runs it, or what the system calls the uid. */
static void fn_package(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "_intrinsic_package_lookup", "i", argv))
        return;
    const struct sql_session *s = sqlite3_user_data(ctx);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    uint32_t uid = (uint32_t)sqlite3_value_int64(argv[0]);
    uint32_t of_person = uid % ANDROID_UIDS_PER_USER;
    struct str name = STR("");
    if (of_person >= ANDROID_FIRST_APP)
        name = installed_package(s->trace, of_person);
    if (name.n == 0)
        name = android_uid_name(of_person);
    if (name.n > 0) {
        result_static(ctx, name);
        return;
    }
    char text[sizeof "uid=4294967295"];
    int n = snprintf(text, sizeof text, "uid=%" PRIu32, uid);
    sqlite3_result_text(ctx, text, n, SQLITE_TRANSIENT);
}

/* The value of a sample's counter, by the name of the counter's track. */
static void fn_perf_counter(SQL_FUNCTION_ARGS)
{
    const struct sql_session *s = sqlite3_user_data(ctx);
    const struct tables *t = &s->trace->tables;
    int64_t sample = sqlite3_value_int64(argv[0]);
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
        return;
    if (sqlite3_value_type(argv[0]) != SQLITE_INTEGER ||
        sqlite3_value_type(argv[1]) != SQLITE_TEXT) {
        result_error(ctx, "__intrinsic_perf_counter_for_sample takes a sample's id and a "
                          "counter's name");
        return;
    }
    string_id name = string_pool_lookup(&s->trace->strings, value_str(argv[1]));
    if (sample < 0 || sample >= t->profiler_sample.rows || name == NULL_STRING)
        return;
    uint32_t set = table_u32(&t->profiler_sample, profiler_sample_col_counter_set_id)[sample];
    const struct table *sets = &t->profiler_counter_set;
    const uint32_t *set_ids = table_u32(sets, profiler_counter_set_col_counter_set_id);
    /* A set's id is its first row. */
    for (uint32_t row = set; row < sets->rows && set_ids[row] == set; row++) {
        uint32_t counter = table_u32(sets, profiler_counter_set_col_counter_id)[row];
        uint32_t track = table_u32(&t->counter, counter_col_track_id)[counter];
        if (column_str(&t->track.columns[track_col_name], track) != name)
            continue;
        sqlite3_result_double(ctx, table_f64(&t->counter, counter_col_value)[counter]);
        return;
    }
}

static const struct native_function functions[] = {
    SQL_PURE("extract_metadata", 1, fn_metadata),
    SQL_PURE("extract_metadata_for_machine", 2, fn_metadata_for_machine),
    SQL_PURE("extract_metadata_for_trace", 2, fn_metadata_for_trace),
    SQL_PURE("extract_exact_metadata", 3, fn_exact_metadata),
    SQL_PURE("_intrinsic_package_lookup", 1, fn_package),
    SQL_PURE("__intrinsic_perf_counter_for_sample", 2, fn_perf_counter),
    {0},
};

const struct sql_family metadata_functions_family = {.functions = functions};
