#include "sql/engine/state_ends.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "core/trace/stored_columns.h"
#include "core/trace/trace.h"
#include "sql/engine/session_state.h"

struct open_state {
    uint32_t row;
    int64_t end;
};

struct state_ends {
    const struct table *states;
    int64_t last;            /* the trace's end */
    struct open_state *open; /* by row */
    uint32_t count;
};

static int64_t value(const struct state_ends *e, uint32_t column, uint32_t row)
{
    return column_int(&e->states->columns[column], row);
}

static uint32_t count_open(const struct state_ends *e)
{
    uint32_t open = 0;
    for (uint32_t row = 0; row < e->states->rows; row++)
        open += value(e, thread_state_col_dur, row) < 0;
    return open;
}

/* From the last state to the first: `next` is when the state behind begins, of each thread. */
static void find_ends(struct state_ends *e, uint32_t threads, int64_t *next)
{
    uint32_t at = e->count;
    for (uint32_t i = 0; i < threads; i++)
        next[i] = e->last;
    for (uint32_t row = e->states->rows; row-- > 0;) {
        int64_t thread = value(e, thread_state_col_utid, row);
        bool known = thread < threads;
        if (value(e, thread_state_col_dur, row) < 0)
            e->open[--at] = (struct open_state){row, known ? next[thread] : e->last};
        if (known)
            next[thread] = value(e, thread_state_col_ts, row);
    }
}

const struct state_ends *state_ends_of(struct sql_session *s)
{
    const struct tables *t = &s->trace->tables;
    if (s->state_ends || !stored_table_ready(s->trace, &t->thread_state))
        return s->state_ends;
    struct state_ends *e = alloc_array(1, sizeof *e);
    *e = (struct state_ends){.states = &t->thread_state, .last = s->trace->end_ts};
    e->count = count_open(e);
    e->open = alloc_try_array(e->count + (size_t)1, sizeof *e->open);
    int64_t *next = e->open ? alloc_try_array(t->thread.rows + (size_t)1, sizeof *next) : NULL;
    if (next)
        find_ends(e, t->thread.rows, next);
    else
        state_ends_free(e);
    s->state_ends = next ? e : NULL;
    free(next);
    return s->state_ends;
}

void state_ends_free(struct state_ends *e)
{
    if (!e)
        return;
    free(e->open);
    free(e);
}

bool state_end(const struct state_ends *e, int64_t row, int64_t *end)
{
    if (row < 0 || row >= e->states->rows)
        return false;
    uint32_t at = (uint32_t)row;
    int64_t dur = value(e, thread_state_col_dur, at), ts = value(e, thread_state_col_ts, at);
    if (dur < 0)
        *end = e->open[BISECT(i, 0, e->count, e->open[i].row < at)].end;
    else if (__builtin_add_overflow(ts, dur, end))
        *end = e->last;
    return true;
}
