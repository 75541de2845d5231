/* Times on other clocks and as text. */
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/values/values.h"

enum { CLOCK_ID_REALTIME = 1, CLOCK_ID_MONOTONIC = 3 };

/* A trace time on another clock: it goes on from the last snapshot at or before it, but not past
   the next one, as a clock may be set back. Before all snapshots it is counted from the first. */
static bool convert(const struct sql_session *s, int64_t ts, int64_t clock, int64_t *out)
{
    const struct table *t = &s->trace->tables.clock_snapshot;
    const int64_t *times = table_i64(t, clock_snapshot_col_ts);
    const int64_t *clocks = table_i64(t, clock_snapshot_col_clock_id);
    const int64_t *values = table_i64(t, clock_snapshot_col_clock_value);
    const uint32_t none = UINT32_MAX;
    uint32_t last = none, next = none;
    for (uint32_t i = 0; i < t->rows; i++) {
        if (clocks[i] != clock)
            continue;
        if (times[i] <= ts && (last == none || times[i] >= times[last]))
            last = i;
        if (times[i] > ts && (next == none || times[i] < times[next]))
            next = i;
    }
    uint32_t base = last != none ? last : next;
    int64_t since;
    if (base == none || __builtin_sub_overflow(ts, times[base], &since) ||
        __builtin_add_overflow(values[base], since, out))
        return false;
    if (next != none && values[next] < *out)
        *out = values[next];
    return true;
}

static void convert_argument(sqlite3_context *ctx, sqlite3_value *v, int64_t clock)
{
    int64_t out;
    if (sqlite3_value_type(v) == SQLITE_NULL)
        return;
    if (convert(sqlite3_user_data(ctx), sqlite3_value_int64(v), clock, &out))
        sqlite3_result_int64(ctx, out);
}

static void fn_to_realtime(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "to_realtime", "i", argv))
        return;
    convert_argument(ctx, argv[0], CLOCK_ID_REALTIME);
}

static void fn_to_monotonic(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "to_monotonic", "i", argv))
        return;
    convert_argument(ctx, argv[0], CLOCK_ID_MONOTONIC);
}

/* 2022-08-10T12:34:56.000000789, in UTC. */
static void fn_abs_time_str(SQL_FUNCTION_ARGS)
{
    if (!arguments_fit(ctx, "abs_time_str", "i", argv))
        return;
    int64_t ns;
    if (sqlite3_value_type(argv[0]) == SQLITE_NULL ||
        !convert(sqlite3_user_data(ctx), sqlite3_value_int64(argv[0]), CLOCK_ID_REALTIME, &ns))
        return;
    int64_t rest = ns % 1000000000;
    time_t seconds = (time_t)(ns / 1000000000);
    if (rest < 0) {
        rest += 1000000000;
        seconds--;
    }
    struct tm tm;
    char text[40];
    if (!gmtime_r(&seconds, &tm))
        return;
    size_t n = strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text + n, sizeof text - n, ".%09lld", (long long)rest);
    sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

/* "HH:MM:SS mmm uuu nnn" */
static void fn_to_timecode(SQL_FUNCTION_ARGS)
{
    if (!arguments_known(ctx, "to_timecode", "i", argv))
        return;
    int64_t ns = sqlite3_value_int64(argv[0]);
    int64_t seconds = ns / 1000000000, rest = ns % 1000000000;
    char text[64];
    snprintf(text, sizeof text, "%02lld:%02lld:%02lld %03lld %03lld %03lld",
             (long long)(seconds / 3600), (long long)(seconds / 60 % 60), (long long)(seconds % 60),
             (long long)(rest / 1000000), (long long)(rest / 1000 % 1000),
             (long long)(rest % 1000));
    sqlite3_result_text(ctx, text, -1, SQLITE_TRANSIENT);
}

static const struct native_function functions[] = {
    SQL_PURE("to_realtime", 1, fn_to_realtime),
    SQL_PURE("__intrinsic_to_realtime", 1, fn_to_realtime),
    SQL_PURE("to_monotonic", 1, fn_to_monotonic),
    SQL_PURE("__intrinsic_to_monotonic", 1, fn_to_monotonic),
    SQL_PURE("abs_time_str", 1, fn_abs_time_str),
    SQL_PURE("__intrinsic_abs_time_str", 1, fn_abs_time_str),
    SQL_PURE("to_timecode", 1, fn_to_timecode),
    SQL_PURE("__intrinsic_to_timecode", 1, fn_to_timecode),
    {0},
};

const struct sql_family time_functions_family = {.functions = functions};
