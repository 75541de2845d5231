/* What a trace has in a window, as lines: of the whole trace, and of a load of the window. */
#ifndef TPTUI_TESTS_TEST_WINDOW_ROWS_H
#define TPTUI_TESTS_TEST_WINDOW_ROWS_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/trace_builder.h"
#include "parsers/load.h"
#include "parsers/proto/write.h"

/* What cannot be in a window as it is in the whole; beginnings or parts of names, NULL for none. */
struct window_exceptions {
    const char *told_by_a_begin; /* counters of such tracks say how long ago something began */
};

/* Rows as lines, to be compared in any order. */
struct lines {
    VEC(char *) v;
};

__attribute__((format(printf, 2, 3))) static void add_line(struct lines *l, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    *vec_push(&l->v) = strdup(text);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void lines_release(struct lines *l)
{
    for (size_t i = 0; i < l->v.count; i++)
        free(l->v.items[i]);
    vec_release(&l->v);
}

static const char *text_at(const struct trace *t, const struct column *column, uint32_t row)
{
    string_id id = column_str(column, row);
    return id ? string_pool_get(&t->strings, id).p : "";
}

/* Old async events, and those whose tracks are merged, have tracks that are called after the first
 * slice on them. */
static bool is_called_after_slice(const char *type)
{
    return strncmp(type, "legacy_async", 12) == 0 || strstr(type, "_merged_track_event");
}

/* A track by what it is of: numbers of rows may differ. */
static void describe_track(const struct trace *t, uint32_t track, char *out, size_t n)
{
    const struct column *c = t->tables.track.columns;
    struct arg_list args = {0};
    const char *type = text_at(t, &c[track_col_type], track);
    bool unnamed = is_called_after_slice(type);
    size_t at = (size_t)snprintf(out, n, "%s %s", type,
                                 unnamed ? "" : text_at(t, &c[track_col_name], track));
    uint32_t set = table_u32(&t->tables.track, track_col_dimension_arg_set_id)[track];
    if (set != NULL_U32)
        args_read(&t->args, set, &args);
    for (size_t i = 0; i < args.v.count && at < n; i++) {
        const struct arg *a = &args.v.items[i];
        struct str key = string_pool_get(&t->strings, a->key);
        long long value = (long long)a->i;
        if (str_eq(key, STR("utid")) && a->i < t->tables.thread.rows)
            value = (long long)table_i64(&t->tables.thread, thread_col_tid)[a->i];
        else if (str_eq(key, STR("upid")) && a->i < t->tables.process.rows)
            value = (long long)table_i64(&t->tables.process, process_col_pid)[a->i];
        else if (str_eq(key, STR("track_compressor_idx")) || str_eq(key, STR("ugpu")) ||
                 (unnamed && (str_eq(key, STR("name")) || str_eq(key, STR("merge_key_value")))))
            continue;
        if (a->type == ARG_STRING)
            at += (size_t)snprintf(out + at, n - at, " %s", string_pool_get(&t->strings, a->s).p);
        else
            at += (size_t)snprintf(out + at, n - at, " %lld", value);
    }
    arg_list_release(&args);
}

/* Where a slice ends; one without an end with the one around it, which ended before. */
static int64_t end_of(const struct table *slices, uint32_t row)
{
    for (; row != NULL_U32; row = table_u32(slices, slice_col_parent_id)[row]) {
        int64_t dur = table_i64(slices, slice_col_dur)[row];
        if (dur >= 0)
            return table_i64(slices, slice_col_ts)[row] + dur;
    }
    return INT64_MAX;
}

/* Slices that last in the window, cut off at its ends. */
static void add_slices(const struct trace *t, int64_t from, int64_t to, struct lines *out)
{
    const struct table *slices = &t->tables.slice;
    for (uint32_t i = 0; i < slices->rows; i++) {
        int64_t ts = table_i64(slices, slice_col_ts)[i], end = end_of(slices, i);
        char track[256];
        if (ts >= to || (ts < from && end <= from))
            continue;
        describe_track(t, table_u32(slices, slice_col_track_id)[i], track, sizeof track);
        const char *name = text_at(t, &slices->columns[slice_col_name], i);
        add_line(out, "slice %" PRId64 "-%" PRId64 " %s %u %s", ts < from ? from : ts,
                 end > to ? to : end, name,
                 (unsigned)column_int(&slices->columns[slice_col_depth], i), track);
    }
}

static void add_counters(const struct trace *t, int64_t from, int64_t to,
                         const struct window_exceptions *except, struct lines *out)
{
    const struct table *counters = &t->tables.counter;
    uint32_t tracks = t->tables.track.rows;
    int64_t *last = calloc(tracks + 1, sizeof *last);
    for (uint32_t i = 0; i < counters->rows; i++)
        if (table_i64(counters, counter_col_ts)[i] <=
            from) /* one at the begin holds from there on */
            last[table_u32(counters, counter_col_track_id)[i]] = i + 1;
    for (uint32_t i = 0; i < counters->rows; i++) {
        int64_t ts = table_i64(counters, counter_col_ts)[i];
        uint32_t track_id = table_u32(counters, counter_col_track_id)[i];
        char track[256];
        if (ts >= to || (ts < from && last[track_id] != i + 1))
            continue;
        describe_track(t, track_id, track, sizeof track);
        if (except->told_by_a_begin && strstr(track, except->told_by_a_begin))
            continue;
        add_line(out, "counter %" PRId64 " %g %s", ts < from ? from : ts,
                 table_f64(counters, counter_col_value)[i], track);
    }
    free(last);
}

/* Until when it runs; without an end, until something else does on its CPU. */
static int64_t end_of_sched(const struct table *sched, uint32_t row)
{
    const struct column *cpu = &sched->columns[sched_slice_col_ucpu];
    int64_t dur = table_i64(sched, sched_slice_col_dur)[row];
    if (dur >= 0)
        return table_i64(sched, sched_slice_col_ts)[row] + dur;
    for (uint32_t i = row + 1; i < sched->rows; i++)
        if (column_int(cpu, i) == column_int(cpu, row))
            return table_i64(sched, sched_slice_col_ts)[i];
    return INT64_MAX;
}

/* What runs in the window, cut off at its ends. */
static void add_sched(const struct trace *t, int64_t from, int64_t to, struct lines *out)
{
    const struct table *sched = &t->tables.sched_slice;
    const struct column *c = sched->columns;
    for (uint32_t i = 0; i < sched->rows; i++) {
        int64_t ts = table_i64(sched, sched_slice_col_ts)[i], end = end_of_sched(sched, i);
        uint32_t utid = (uint32_t)column_int(&c[sched_slice_col_utid], i);
        if (ts >= to || end <= from)
            continue;
        add_line(out, "sched %" PRId64 "-%" PRId64 " cpu %d tid %" PRId64 " priority %d %s",
                 ts < from ? from : ts, end > to ? to : end,
                 (int)column_int(&c[sched_slice_col_ucpu], i),
                 table_i64(&t->tables.thread, thread_col_tid)[utid],
                 (int)column_int(&c[sched_slice_col_priority], i),
                 end < to ? text_at(t, &c[sched_slice_col_end_state], i) : "");
    }
}

static void load(struct trace *t, const struct pb_bytes *bytes, int64_t from, int64_t to)
{
    trace_init(t);
    if (from) {
        struct time_window *w = &t->builder->options.window;
        *w = (struct time_window){true,
                                  true,
                                  {TIME_OF_TRACE_CLOCK, from},
                                  {TIME_OF_TRACE_CLOCK, to}};
    }
    struct status s = trace_load_memory(t, "felt", bytes->v.items, bytes->v.count, NULL);
    if (!status_ok(s))
        fail_msg("%s", s.message);
}

static bool show_differences(const struct lines *a, const struct lines *b)
{
    size_t i = 0, k = 0;
    bool same = true;
    while (i < a->v.count || k < b->v.count) {
        int c = i == a->v.count ? 1 : k == b->v.count ? -1 : strcmp(a->v.items[i], b->v.items[k]);
        if (c)
            printf("  %s %s\n",
                   c < 0 ? "whole: " : "window:", c < 0 ? a->v.items[i] : b->v.items[k]);
        same = same && c == 0;
        i += c <= 0;
        k += c >= 0;
    }
    return same;
}

static void rows_of(const struct pb_bytes *bytes, bool windowed, int64_t from, int64_t to,
                    const struct window_exceptions *except, struct lines *out)
{
    struct trace t;
    load(&t, bytes, windowed ? from : 0, to);
    add_slices(&t, from, to, out);
    add_counters(&t, from, to, except, out);
    add_sched(&t, from, to, out);
    if (out->v.count > 1)
        qsort(out->v.items, out->v.count, sizeof *out->v.items, compare_lines);
    trace_release(&t);
}

#endif
