#include "core/trace_bounds.h"

#include <string.h>

#include "core/trace/ftrace_rows.h"
#include "core/trace_builder.h"

struct bounds {
    int64_t start, end;
};

static void bounds_add(struct bounds *b, const struct table *table, uint32_t ts_col,
                       const int64_t *dur)
{
    const int64_t *ts = table_i64(table, ts_col);
    const struct column *c = &table->columns[ts_col];
    /* Of sorted times the first and the last tell. */
    uint32_t step = !dur && !c->unsorted && table->rows > 1 ? table->rows - 1 : 1;
    for (uint64_t at = 0; at < table->rows; at += step) {
        uint32_t i = (uint32_t)at;
        if (column_null_bit(c, i))
            continue;
        if (ts[i] < b->start)
            b->start = ts[i];
        int64_t end;
        if (!dur || dur[i] < 0 || __builtin_add_overflow(ts[i], dur[i], &end))
            end = ts[i];
        if (end > b->end)
            b->end = end;
    }
}

static void bounds_add_table(struct bounds *b, const struct table *table)
{
    const struct table_def *def = table->def;
    for (uint32_t i = 0; i < def->column_count; i++) {
        if (!(def->columns[i].flags & COLUMN_IN_BOUNDS))
            continue;
        bool has_dur = i + 1 < def->column_count && strcmp(def->columns[i + 1].name, "dur") == 0;
        bounds_add(b, table, i, has_dur ? table_i64(table, i + 1) : NULL);
    }
}

static void bounds_add_time(struct bounds *b, int64_t ts)
{
    b->start = ts < b->start ? ts : b->start;
    b->end = ts > b->end ? ts : b->end;
}

static void bounds_add_ftrace(struct bounds *b, const struct trace *t)
{
    int64_t first, last;
    if (ftrace_rows_noted_times(t, &first, &last)) {
        bounds_add_time(b, first);
        bounds_add_time(b, last);
    } else {
        bounds_add_table(b, &t->tables.ftrace_event);
    }
}

void trace_bounds_add_text(struct trace *t, uint64_t rows)
{
    t->builder->text_rows += rows;
}

void trace_bounds_find(struct trace *t)
{
    const struct trace_builder *w = t->builder;
    struct bounds b = {INT64_MAX, 0};
    const struct table *ftrace = &t->tables.ftrace_event;
    bool all_text = ftrace->rows == w->text_rows;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table *table = &tables_array(&t->tables)[i];
        if (table != ftrace)
            bounds_add_table(&b, table);
    }
    if (!all_text || b.start == INT64_MAX)
        bounds_add_ftrace(&b, t);
    t->is_window = w->has_window;
    if (t->is_window) {
        b.start = b.start < w->whole_from ? b.start : w->whole_from;
        b.end = b.end > 0 && b.end > w->whole_to ? b.end : w->whole_to;
        b.start = b.start > w->window_from ? b.start : w->window_from;
        b.end = b.end < w->window_to ? b.end : w->window_to;
        t->whole_start = w->whole_from;
        t->whole_end = w->whole_to;
    }
    if (b.start == INT64_MAX)
        return;
    t->start_ts = b.start;
    t->end_ts = b.end + (b.start == b.end);
}
