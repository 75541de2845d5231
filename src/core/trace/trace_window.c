#include "core/trace/trace_window.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "text/time.h"
#include "core/trace/ftrace_rows.h"
#include "core/store/zones.h"

/* What becomes of the rows of a table. */
struct kept {
    uint32_t *rows; /* by row: its new number, NULL_U32 where it goes; NULL: all stay */
    uint32_t *sets; /* the same of the sets of its COLUMN_SET_ID; NULL where it has none */
};

struct window {
    struct trace *t;
    int64_t from, to;
    int64_t cut_to; /* what ends behind it has not ended */
    struct kept kept[TABLE_COUNT];
};

static struct table *table_at(struct window *w, size_t i)
{
    return &tables_array(&w->t->tables)[i];
}

static bool is_gone(const struct kept *k, uint32_t row)
{
    return k->rows && k->rows[row] == NULL_U32;
}

static void drop(struct window *w, size_t table, uint32_t row)
{
    struct kept *k = &w->kept[table];
    if (!k->rows)
        k->rows = alloc_array(table_at(w, table)->rows, sizeof *k->rows);
    k->rows[row] = NULL_U32;
}

/* The column of that name; 0 where there is none. */
static uint32_t column_named(const struct table_def *def, struct str name)
{
    for (uint32_t i = 1; i < def->column_count; i++)
        if (str_eq(str_from(def->columns[i].name), name))
            return i;
    return 0;
}

/* Of rows that hold until the next one of their track, from before the window only the last. */
static void drop_values(struct window *w, size_t number, uint32_t time)
{
    struct table *table = table_at(w, number);
    const int64_t *ts = table_i64(table, time);
    const uint32_t *tracks = table_u32(table, column_named(table->def, STR("track_id")));
    struct map last = {0}; /* of the tracks, up to the window's begin */
    for (uint32_t i = 0; i < table->rows; i++) {
        bool inserted;
        if (ts[i] > w->from)
            continue;
        uint32_t *row = map_insert(&last, tracks[i], &inserted);
        if (inserted || ts[*row] <= ts[i])
            *row = i;
    }
    for (uint32_t i = 0; i < table->rows; i++)
        if (ts[i] >= w->to || (ts[i] < w->from && *map_find(&last, tracks[i]) != i))
            drop(w, number, i);
    map_release(&last);
}

/* A state whose end was lost is over where the thread's next begins. */
static void drop_replaced(struct window *w, size_t number)
{
    struct table *table = &w->t->tables.thread_state;
    const int64_t *ts = table_i64(table, thread_state_col_ts);
    const int64_t *durs = table_i64(table, thread_state_col_dur);
    const uint32_t *utids = table_u32(table, thread_state_col_utid);
    struct map last = {0};
    bool inserted;
    for (uint32_t i = 0; i < table->rows; i++) {
        if (ts[i] > w->from)
            continue;
        uint32_t *row = map_insert(&last, utids[i], &inserted);
        if (inserted || ts[*row] <= ts[i])
            *row = i;
    }
    for (uint32_t i = 0; i < table->rows; i++)
        if (ts[i] < w->from && durs[i] < 0 && *map_find(&last, utids[i]) != i)
            drop(w, number, i);
    map_release(&last);
}

/* A slice without an end is over where the one around it is, which stands before it. */
static void drop_ended(struct window *w, size_t number)
{
    struct table *table = &w->t->tables.slice;
    const int64_t *ts = table_i64(table, slice_col_ts), *durs = table_i64(table, slice_col_dur);
    const uint32_t *parents = table_u32(table, slice_col_parent_id);
    for (uint32_t i = 0; i < table->rows; i++)
        if (ts[i] < w->from && durs[i] < 0 && parents[i] < i &&
            is_gone(&w->kept[number], parents[i]))
            drop(w, number, i);
}

static void drop_outside(struct window *w, size_t number)
{
    struct table *table = table_at(w, number);
    uint32_t time = table_def_window_time(table->def);
    if (!time || table->rows == 0)
        return;
    if (table->def->columns[time].flags & COLUMN_HOLDS) {
        drop_values(w, number, time);
        return;
    }
    const int64_t *ts = table_i64(table, time);
    uint32_t dur = column_named(table->def, STR("dur"));
    const int64_t *durs = dur ? table_i64(table, dur) : NULL;
    for (uint32_t i = 0; i < table->rows; i++) {
        if (column_null_bit(&table->columns[time], i))
            continue;
        bool lasts = durs && (durs[i] < 0 || time_plus(ts[i], durs[i]) > w->from);
        if (ts[i] >= w->to || (ts[i] < w->from && !lasts))
            drop(w, number, i);
    }
    if (table == &w->t->tables.thread_state)
        drop_replaced(w, number);
    if (table == &w->t->tables.slice)
        drop_ended(w, number);
}

/* The table that a column's rows are of; TABLE_COUNT where it names none. */
static size_t target_of(const struct column_def *def, struct str *column)
{
    if (!def->joins)
        return TABLE_COUNT;
    struct str joins = str_from(def->joins);
    size_t dot = str_find(joins, '.'), i = 0;
    *column = str_skip(joins, dot + 1);
    while (i < TABLE_COUNT && !str_eq(str_from(table_defs[i].key), str_from_to(joins, 0, dot)))
        i++;
    return i;
}

static uint32_t row_named(const struct column *c, uint32_t row)
{
    return column_is_null(c, row) ? NULL_U32 : (uint32_t)column_int(c, row);
}

/* Rows that must name one that is gone go, too. Whether there were any. */
static bool drop_orphans(struct window *w, size_t number)
{
    struct table *table = table_at(w, number);
    bool any = false;
    for (uint32_t c = 1; c < table->def->column_count; c++) {
        const struct column_def *def = &table->def->columns[c];
        struct str column;
        size_t target = target_of(def, &column);
        if (target == TABLE_COUNT || !w->kept[target].rows || def->flags & COLUMN_NULLABLE ||
            column_named(&table_defs[target], column))
            continue;
        for (uint32_t i = 0; i < table->rows; i++) {
            uint32_t named = row_named(&table->columns[c], i);
            if (is_gone(&w->kept[number], i) || named >= table_at(w, target)->rows ||
                !is_gone(&w->kept[target], named))
                continue;
            drop(w, number, i);
            any = true;
        }
    }
    return any;
}

/* New numbers of the rows that stay, and of sets of them. */
static void number_rows(struct window *w, size_t number)
{
    struct table *table = table_at(w, number);
    struct kept *k = &w->kept[number];
    uint32_t next = 0, set = 0;
    if (!k->rows)
        return;
    for (uint32_t i = 0; i < table->rows; i++)
        k->rows[i] = is_gone(k, i) ? NULL_U32 : next++;
    for (uint32_t c = 1; c < table->def->column_count; c++)
        set = table->def->columns[c].flags & COLUMN_SET_ID ? c : set;
    if (!set)
        return;
    k->sets = alloc_array(table->rows, sizeof *k->sets);
    memset(k->sets, 0xff, table->rows * sizeof *k->sets);
    const uint32_t *first = table_u32(table, set);
    for (uint32_t i = 0; i < table->rows; i++)
        if (!is_gone(k, i) && k->sets[first[i]] == NULL_U32)
            k->sets[first[i]] = k->rows[i];
}

static size_t width_of(const struct column *c)
{
    return c->def->type == COLUMN_TYPE_SMALL ? c->width : column_value_size(c->def->type);
}

static void move_values(struct column *c, const struct kept *k, uint32_t rows)
{
    size_t width = c->data ? width_of(c) : 0;
    for (uint32_t i = 0; i < rows; i++) {
        uint32_t to = k->rows[i];
        if (to == NULL_U32 || to == i)
            continue;
        if (width)
            memcpy((char *)c->data + to * width, (char *)c->data + i * width, width);
        if (!c->nulls)
            continue;
        uint64_t bit = c->nulls[i >> 6] >> (i & 63) & 1;
        c->nulls[to >> 6] = (c->nulls[to >> 6] & ~(UINT64_C(1) << (to & 63))) | bit << (to & 63);
    }
    zones_free(c);
}

/* The payloads beside the rows of video_frames. */
static void move_videos(struct trace *t, const struct kept *k)
{
    size_t left = 0;
    for (uint32_t i = 0; i < t->video_payloads.count; i++)
        if (!is_gone(k, i))
            t->video_payloads.items[left++] = t->video_payloads.items[i];
    t->video_payloads.count = left;
}

static void move_rows(struct window *w, size_t number)
{
    struct table *table = table_at(w, number);
    const struct kept *k = &w->kept[number];
    uint32_t left = 0;
    if (!k->rows)
        return;
    for (uint32_t c = 0; c < table->def->column_count; c++)
        move_values(&table->columns[c], k, table->rows);
    for (uint32_t i = 0; i < table->rows; i++)
        left += !is_gone(k, i);
    if (number == TABLE_video_frames)
        move_videos(w->t, k);
    table->rows = left;
    table_shrink(table);
}

static void set_row(struct table *table, uint32_t c, uint32_t row, uint32_t value)
{
    struct column *column = &table->columns[c];
    if (column->def->type == COLUMN_TYPE_SMALL)
        table_set_small(table, c, row, value);
    else
        ((uint32_t *)column->data)[row] = value;
    column->unsorted |= value == NULL_U32;
}

/* `rows`: of `count` that were there, what their numbers have become. */
static void rename_rows(struct table *table, uint32_t c, const uint32_t *rows, uint32_t count)
{
    const struct column *column = &table->columns[c];
    for (uint32_t i = 0; i < table->rows; i++) {
        uint32_t named = row_named(column, i);
        if (named < count)
            set_row(table, c, i, rows[named]);
    }
}

/* `counts`: how many rows tables had. */
static void rename_named(struct window *w, size_t number, const uint32_t *counts)
{
    struct table *table = table_at(w, number);
    for (uint32_t c = 1; c < table->def->column_count; c++) {
        const struct column_def *def = &table->def->columns[c];
        struct str column;
        size_t target = def->flags & COLUMN_SET_ID ? number : target_of(def, &column);
        if (target == TABLE_COUNT || !w->kept[target].rows)
            continue;
        bool set = def->flags & COLUMN_SET_ID ||
                   table_defs[target].columns[column_named(&table_defs[target], column)].flags &
                       COLUMN_SET_ID;
        const struct kept *k = &w->kept[target];
        rename_rows(table, c, set && k->sets ? k->sets : k->rows, counts[target]);
    }
}

static void cut_ends(struct window *w, size_t number)
{
    struct table *table = table_at(w, number);
    uint32_t time = table_def_window_time(table->def);
    if (!time || table->rows == 0 || !table->columns[time].data)
        return;
    int64_t *ts = table->columns[time].data;
    bool lasts = time + 1 < table->def->column_count &&
                 strcmp(table->def->columns[time + 1].name, "dur") == 0;
    int64_t *durs = lasts ? table->columns[time + 1].data : NULL;
    bool holds = table->def->columns[time].flags & COLUMN_HOLDS;
    for (uint32_t i = 0; (durs || holds) && i < table->rows; i++) {
        bool before = ts[i] < w->from;
        int64_t end = durs && durs[i] >= 0 ? time_plus(ts[i], durs[i]) : ts[i];
        ts[i] = before ? time_minus(w->from, 1) : ts[i];
        if (durs && durs[i] >= 0 && (before || end > w->cut_to)) {
            durs[i] = end > w->cut_to ? -1 : time_minus(end, ts[i]);
            table->columns[time + 1].unsorted = true;
        }
    }
}

void trace_window(struct trace *t, int64_t from, int64_t to)
{
    struct window w = {.t = t, .from = from, .to = to, .cut_to = t->is_window ? INT64_MAX : to};
    uint32_t counts[TABLE_COUNT];
    bool any = true;
    ftrace_rows_ready(t);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        counts[i] = table_at(&w, i)->rows;
        drop_outside(&w, i);
    }
    while (any) {
        any = false;
        for (size_t i = 0; i < TABLE_COUNT; i++)
            any |= drop_orphans(&w, i);
    }
    for (size_t i = 0; i < TABLE_COUNT; i++)
        number_rows(&w, i);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        move_rows(&w, i);
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        rename_named(&w, i, counts);
        cut_ends(&w, i);
    }
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        free(w.kept[i].rows);
        free(w.kept[i].sets);
    }
    if (!t->is_window) {
        t->whole_start = t->start_ts;
        t->whole_end = t->end_ts;
    }
    t->start_ts = from > t->start_ts ? from : t->start_ts;
    t->end_ts = to < t->end_ts ? to : t->end_ts;
    t->is_window = true;
}

bool trace_goes_on(const struct trace *t)
{
    return t->is_window && t->end_ts < t->whole_end;
}

const char *trace_open_words(const struct trace *t)
{
    return trace_goes_on(t) ? "no end in the window" : "never ended";
}

struct edge_words trace_edge_words(const struct trace *t, int64_t ts, bool is_open)
{
    struct edge_words words;
    bool before = t->is_window && ts < t->start_ts;
    snprintf(words.text, sizeof words.text, "%s%s%s", before ? "began before the window" : "",
             before && is_open ? ", " : "", is_open ? trace_open_words(t) : "");
    return words;
}
