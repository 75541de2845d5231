#include "sql/engine/span_sweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"

static void clear_partition(struct span_partition *p)
{
    free(p->text);
    *p = (struct span_partition){.type = SQLITE_NULL};
}

static void read_partition(sqlite3_stmt *stmt, struct span_partition *p)
{
    sqlite3_value *v = sqlite3_column_value(stmt, 2);
    if (sqlite3_value_type(v) != SQLITE_TEXT) {
        clear_partition(p);
        p->number = sqlite3_value_int64(v);
        p->type = SQLITE_INTEGER;
        return;
    }
    const char *text = (const char *)sqlite3_value_text(v);
    if (p->type == SQLITE_TEXT && strcmp(p->text, text) == 0)
        return;
    clear_partition(p);
    p->text = alloc_copy(text, strlen(text));
    p->type = SQLITE_TEXT;
}

static void read_partition_at(const struct span_sweep *w, struct span_side *s, uint32_t row)
{
    const struct column *c = s->columns.partition;
    struct span_partition *p = &s->row_partition;
    if (c->def->type != COLUMN_TYPE_STR) {
        *p = (struct span_partition){.type = SQLITE_INTEGER, .number = column_int(c, row)};
        return;
    }
    string_id id = column_str(c, row);
    if (p->type == SQLITE_TEXT && p->id == id)
        return;
    struct str text = string_pool_get(&w->session->trace->strings, id);
    clear_partition(p);
    *p = (struct span_partition){.type = SQLITE_TEXT, .id = id, .text = alloc_copy(text.p, text.n)};
}

/* As ORDER BY puts them: numbers before text. */
static int compare_partitions(const struct span_partition *a, const struct span_partition *b)
{
    if (a->type != b->type)
        return a->type == SQLITE_INTEGER ? -1 : 1;
    if (a->type == SQLITE_TEXT)
        return strcmp(a->text, b->text);
    return (a->number > b->number) - (a->number < b->number);
}

static bool row_is_in(const struct span_side *s, const struct span_partition *p)
{
    return !s->done && (!s->partitioned || compare_partitions(&s->row_partition, p) == 0);
}

static int fail(struct span_sweep *w, char *message)
{
    sqlite3_free(w->error);
    w->error = message;
    return SQLITE_ERROR;
}

/* An unfinished span (dur -1) is taken for an instant. */
static int64_t end_of(int64_t ts, int64_t dur)
{
    int64_t end;
    if (dur < 0)
        return ts;
    return __builtin_add_overflow(ts, dur, &end) ? INT64_MAX : end;
}

static void next_of_columns(struct span_sweep *w, struct span_side *s)
{
    uint32_t row = s->next;
    s->done = row >= s->columns.count;
    if (s->done)
        return;
    bool known = s->columns.dur && !column_is_null(s->columns.dur, row);
    int64_t dur = known ? column_int(s->columns.dur, row) : 0;
    s->next++;
    s->row_ts = column_int(s->columns.ts, row);
    s->row_end = end_of(s->row_ts, dur);
    s->row_open = dur < 0;
    if (s->partitioned)
        read_partition_at(w, s, row);
}

static int next_row(struct span_sweep *w, int i)
{
    struct span_side *s = &w->sides[i];
    if (s->columns.ts) {
        next_of_columns(w, s);
        return SQLITE_OK;
    }
    int rc = session_step(w->session, s->stmt);
    s->done = rc != SQLITE_ROW;
    if (rc == SQLITE_DONE)
        return SQLITE_OK;
    if (s->done)
        return rc == SQLITE_INTERRUPT ? rc
                                      : fail(w, sqlite3_mprintf("%s", session_message(w->session)));
    int64_t dur = sqlite3_column_int64(s->stmt, 1);
    s->row_ts = sqlite3_column_int64(s->stmt, 0);
    s->row_end = end_of(s->row_ts, dur);
    s->row_open = dur < 0;
    if (s->partitioned)
        read_partition(s->stmt, &s->row_partition);
    return SQLITE_OK;
}

/* The gap up to the side's row, or without end where the partition has no more rows. */
static void enter_gap(struct span_sweep *w, int i, int64_t from)
{
    struct span_side *s = &w->sides[i];
    s->real = s->open = false;
    s->start = from;
    s->end = row_is_in(s, &w->partition) ? s->row_ts : INT64_MAX;
}

static void enter_row(struct span_side *s)
{
    s->real = true;
    s->open = s->row_open;
    s->start = s->row_ts;
    s->end = s->row_end;
}

/* To the side's next stretch. Gaps of no length are passed over, and so are those of less, before a
 * span that begins while the one before it lasts. */
static int advance(struct span_sweep *w, int i)
{
    struct span_side *s = &w->sides[i];
    if (!s->real) {
        enter_row(s);
        return SQLITE_OK;
    }
    int64_t end = s->end;
    int rc = next_row(w, i);
    if (rc != SQLITE_OK)
        return rc;
    enter_gap(w, i, end);
    if (s->start >= s->end && row_is_in(s, &w->partition))
        enter_row(s);
    return SQLITE_OK;
}

static int rewind_side(struct span_sweep *w, int i)
{
    sqlite3_reset(w->sides[i].stmt);
    w->sides[i].next = 0;
    return next_row(w, i);
}

/* The next partition in which there can be rows; false where there is none. */
static bool pick_partition(struct span_sweep *w)
{
    const struct span_side *a = &w->sides[0], *b = &w->sides[1];
    const struct span_side *from = NULL;
    if (!a->partitioned && !b->partitioned)
        return !w->in_partition; /* one, without a name */
    if (a->partitioned && !a->done)
        from = a;
    if (b->partitioned && !b->done &&
        (!from || compare_partitions(&b->row_partition, &from->row_partition) < 0))
        from = b;
    if (!from)
        return false;
    clear_partition(&w->partition);
    w->partition = from->row_partition;
    if (w->partition.text)
        w->partition.text = alloc_copy(w->partition.text, strlen(w->partition.text));
    return true;
}

/* Sets both sides to the partition's start; a side without a partition starts over. */
static int enter_partition(struct span_sweep *w)
{
    bool mixed = w->sides[0].partitioned != w->sides[1].partitioned;
    for (int i = 0; i < SPAN_SIDES; i++) {
        if (mixed && !w->sides[i].partitioned && w->in_partition) {
            int rc = rewind_side(w, i);
            if (rc != SQLITE_OK)
                return rc;
        }
        enter_gap(w, i, INT64_MIN);
    }
    w->in_partition = true;
    return SQLITE_OK;
}

/* Skips what is left of the partition that a partitioned side stands in. */
static int leave_partition(struct span_sweep *w)
{
    for (int i = 0; i < SPAN_SIDES; i++)
        while (w->sides[i].partitioned && row_is_in(&w->sides[i], &w->partition)) {
            int rc = next_row(w, i);
            if (rc != SQLITE_OK)
                return rc;
        }
    return SQLITE_OK;
}

static int64_t max_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t min_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* For overlapping, a span of no length counts as one nanosecond. */
static int64_t reach(const struct span_side *s)
{
    return s->real && s->end == s->start && s->end < INT64_MAX ? s->end + 1 : s->end;
}

static bool overlap(const struct span_side *a, const struct span_side *b)
{
    return a->start < reach(b) && b->start < reach(a);
}

static bool wanted(const struct span_sweep *w, enum span_join_kind join)
{
    bool a = w->sides[0].real, b = w->sides[1].real;
    return join == SPAN_JOIN_INNER ? a && b : join == SPAN_JOIN_LEFT ? a : a || b;
}

/* Nothing more can come in this partition: both sides are in their last gaps, or one is where the
 * join needs it to be in a span. */
static bool partition_is_over(const struct span_sweep *w, enum span_join_kind join)
{
    const struct span_side *a = &w->sides[0], *b = &w->sides[1];
    bool a_over = !a->real && a->end == INT64_MAX, b_over = !b->real && b->end == INT64_MAX;
    if (join == SPAN_JOIN_OUTER)
        return a_over && b_over;
    return a_over || (b_over && join == SPAN_JOIN_INNER);
}

/* Which side's stretch ends first; of two, the gap, then the right one, but no gap without end.
 * That is Trace Processor's order: an instant of the right side is passed over where a span of the
 * left one ends at its time, and does not meet what begins there. */
static int first_to_end(const struct span_sweep *w)
{
    const struct span_side *a = &w->sides[0], *b = &w->sides[1];
    if (a->end != b->end)
        return a->end < b->end ? 0 : 1;
    if (a->end == INT64_MAX)
        return a->real && !b->real ? 0 : 1;
    return !a->real && b->real ? 0 : 1;
}

/* From the current pair of stretches on, the next row; the pair is left before it is shown. */
static int settle(struct span_sweep *w)
{
    for (unsigned steps = 1;; steps++) {
        if ((steps & 0xffff) == 0 && atomic_load(&w->session->cancel))
            return SQLITE_INTERRUPT;
        if (!w->in_partition || partition_is_over(w, w->join)) {
            int rc = w->in_partition ? leave_partition(w) : SQLITE_OK;
            if (rc != SQLITE_OK)
                return rc;
            w->eof = !pick_partition(w);
            if (w->eof)
                return SQLITE_OK;
            rc = enter_partition(w);
            if (rc != SQLITE_OK)
                return rc;
            continue;
        }
        const struct span_side *a = &w->sides[0], *b = &w->sides[1];
        if (wanted(w, w->join) && overlap(a, b)) {
            w->ts = max_of(a->start, b->start);
            w->dur = a->open || b->open ? -1 : min_of(a->end, b->end) - w->ts;
            w->emit[0] = a->real;
            w->emit[1] = b->real;
            return SQLITE_OK;
        }
        int rc = advance(w, first_to_end(w));
        if (rc != SQLITE_OK)
            return rc;
    }
}

int span_sweep_next(struct span_sweep *w)
{
    int rc = advance(w, first_to_end(w));
    return rc == SQLITE_OK ? settle(w) : rc;
}

int span_sweep_start(struct span_sweep *w)
{
    int rc = SQLITE_OK;
    for (int i = 0; i < SPAN_SIDES && rc == SQLITE_OK; i++) {
        w->sides[i].row_partition.type = SQLITE_NULL;
        rc = next_row(w, i);
    }
    return rc == SQLITE_OK ? settle(w) : rc;
}

void span_sweep_release(struct span_sweep *w)
{
    for (int i = 0; i < SPAN_SIDES; i++) {
        sqlite3_finalize(w->sides[i].stmt);
        clear_partition(&w->sides[i].row_partition);
    }
    clear_partition(&w->partition);
    sqlite3_free(w->error);
    *w = (struct span_sweep){0};
}
