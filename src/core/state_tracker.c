#include "core/state_tracker.h"

#include "base/map.h"
#include "base/vec.h"
#include "core/store/arg_list.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"
#include "text/time.h"

struct open_state {
    uint32_t row; /* NULL_U32: none is open */
    string_id value;
    struct arg_list args; /* become its set when it ends */
};

struct states {
    struct map by_track; /* -> index of `open` */
    VEC(struct open_state) open;
};

static void set_args(struct trace *t, struct open_state *open)
{
    if (open->row != NULL_U32 && open->args.v.count > 0)
        table_set_u32(&t->tables.state, state_col_arg_set_id, open->row,
                      args_intern(&t->args, &open->args));
    arg_list_clear(&open->args);
}

static void finish(struct trace *t, void *state)
{
    struct states *s = state;
    for (size_t i = 0; i < s->open.count; i++)
        set_args(t, &s->open.items[i]);
}

static void release(void *state)
{
    struct states *s = state;
    for (size_t i = 0; i < s->open.count; i++)
        arg_list_release(&s->open.items[i].args);
    vec_release(&s->open);
    map_release(&s->by_track);
}

static const struct trace_state_kind kind = {.size = sizeof(struct states),
                                             .finish = finish,
                                             .release = release};

static struct open_state *state_of(struct trace *t, uint32_t track)
{
    struct states *s = trace_state(t, &kind);
    bool inserted;
    uint32_t *at = map_insert(&s->by_track, track, &inserted);
    if (inserted) {
        *at = (uint32_t)s->open.count;
        *vec_push(&s->open) = (struct open_state){.row = NULL_U32};
    }
    return &s->open.items[*at];
}

static void end(struct trace *t, int64_t ts, struct open_state *open)
{
    struct table *states = &t->tables.state;
    if (open->row == NULL_U32)
        return;
    table_set_i64(states, state_col_dur, open->row,
                  time_minus(ts, table_i64(states, state_col_ts)[open->row]));
    set_args(t, open);
    open->row = NULL_U32;
}

void state_update(struct trace *t, int64_t ts, uint32_t track, string_id value, string_id category,
                  const struct arg_list *args)
{
    struct open_state *open = state_of(t, track);
    if (open->row == NULL_U32 || open->value != value) {
        end(t, ts, open);
        if (value == NULL_STRING)
            return;
        struct state_row row = state_row_null();
        row.ts = ts;
        row.dur = -1;
        row.track_id = track;
        row.category = category;
        row.value = value;
        open->row = state_append(&t->tables.state, &row);
        open->value = value;
    }
    if (args)
        arg_list_append(&open->args, args);
}

void state_next_file(struct trace *t)
{
    struct states *s = trace_state(t, &kind);
    finish(t, s);
    release(s);
    *s = (struct states){0};
}
