#include "core/slice_tracker.h"

#include "core/import_log.h"
#include "core/slice_turn.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

static void release_stack(struct slice_stack *stack)
{
    for (size_t k = 0; k < stack->open.count; k++)
        arg_list_release(&stack->open.items[k].args);
    vec_release(&stack->open);
}

void slice_tracker_release(struct slice_tracker *st)
{
    for (size_t i = 0; i < st->stacks.count; i++)
        release_stack(&st->stacks.items[i]);
    vec_release(&st->stacks);
}

static struct slice_stack *stack_of(struct trace *t, uint32_t track)
{
    struct slice_tracker *st = &t->builder->slices;
    while (st->stacks.count <= track)
        *vec_push(&st->stacks) = (struct slice_stack){0};
    return &st->stacks.items[track];
}

static void set_dur(struct trace *t, uint32_t row, int64_t dur)
{
    table_set_i64(&t->tables.slice, slice_col_dur, row, dur);
}

static int64_t ts_of(const struct trace *t, uint32_t row)
{
    return table_i64(&t->tables.slice, slice_col_ts)[row];
}

static int64_t dur_of(const struct trace *t, uint32_t row)
{
    return table_i64(&t->tables.slice, slice_col_dur)[row];
}

static void pop(struct trace *t, struct slice_stack *stack)
{
    struct open_slice *s = &stack->open.items[--stack->deep];
    uint32_t set;
    stack->begun -= s->begun;
    stack->ended -= s->ended;
    if (s->base.set != NULL_U32)
        set = args_intern_on(&t->args, s->base, &s->args);
    else if (s->args.v.count > 0)
        set = args_intern(&t->args, &s->args);
    else
        return;
    table_set_u32(&t->tables.slice, slice_col_arg_set_id, s->row, set);
    arg_list_clear(&s->args);
}

/* A slice of known duration ended while one inside it was still open: begin/end pairs and complete
 * events overlap. The inner ones are cut at its end, as in Trace Processor also those that told
 * theirs. */
static void cut_inner(struct trace *t, struct slice_stack *stack, uint32_t outer, int64_t end)
{
    stats_count(t, STAT_misplaced_end_event);
    while (stack->deep > outer + 1) {
        uint32_t inner = stack->open.items[stack->deep - 1].row;
        set_dur(t, inner, time_minus(end, ts_of(t, inner)));
        pop(t, stack);
    }
    pop(t, stack);
}

static void log_overlap(struct trace *t, uint32_t row, int64_t ts)
{
    struct arg_list args = {0};
    arg_list_int(&args, trace_intern(t, STR("overlap_start")), ts);
    arg_list_int(&args, trace_intern(t, STR("overlap_end")),
                 time_plus(ts_of(t, row), dur_of(t, row)));
    arg_list_str(&args, trace_intern(t, STR("conflicting_slice_name")),
                 column_str(&t->tables.slice.columns[slice_col_name], row));
    arg_list_int(&args, trace_intern(t, STR("conflicting_slice_ts")), ts_of(t, row));
    arg_list_int(&args, trace_intern(t, STR("conflicting_slice_dur")), dur_of(t, row));
    import_log_at(t, STAT_slice_drop_overlapping_complete_event, ts, &args);
    arg_list_release(&args);
}

static void log_depth(struct trace *t, uint32_t parent, int64_t ts, string_id name)
{
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(t, STR("parent_slice_name")),
                 column_str(&t->tables.slice.columns[slice_col_name], parent));
    arg_list_str(&args, trace_intern(t, STR("current_slice_name")), name);
    import_log_at(t, STAT_slice_max_depth_exceeded, ts, &args);
    arg_list_release(&args);
}

/* Slices of known duration leave the stack when time has passed their end. Returns the slice that
 * the new one starts in and would reach beyond, NULL_U32 for none; `dur` is SLICE_DUR_PENDING where
 * its end is not known. */
static uint32_t close_ended(struct trace *t, struct slice_stack *stack, int64_t ts, int64_t dur)
{
    bool open_inside = false;
    if (stack->begun == stack->deep && stack->ended == 0)
        return NULL_U32; /* none has a known end */
    for (uint32_t i = stack->deep; i-- > 0;) {
        uint32_t row = stack->open.items[i].row;
        int64_t begin = ts_of(t, row), known = dur_of(t, row);
        switch (slice_turn(begin, known, ts, dur, &open_inside)) {
        case SLICE_TAKES_INNER:
            cut_inner(t, stack, i, time_plus(begin, known));
            break;
        case SLICE_IS_LEFT:
            pop(t, stack);
            break;
        case SLICE_IN_THE_WAY:
            return row;
        case SLICE_STAYS:
            if (stack->begun == 0)
                return NULL_U32; /* the outer ones end no earlier */
        }
    }
    return NULL_U32;
}

static uint32_t push(struct trace *t, int64_t ts, int64_t dur, uint32_t track, string_id category,
                     string_id name)
{
    struct slice_stack *stack = stack_of(t, track);
    uint32_t in_the_way = close_ended(t, stack, ts, dur);
    if (in_the_way != NULL_U32) {
        log_overlap(t, in_the_way, ts);
        return NULL_U32;
    }
    if (stack->deep >= SLICES_DEEPEST) {
        log_depth(t, stack->open.items[stack->deep - 1].row, ts, name);
        return NULL_U32;
    }
    struct slice_row row = slice_row_null();
    row.ts = ts;
    row.dur = dur;
    row.track_id = track;
    row.category = category;
    row.name = name;
    row.depth = stack->deep;
    if (stack->deep)
        row.parent_id = stack->open.items[stack->deep - 1].row;
    uint32_t id = slice_append(&t->tables.slice, &row);
    if (stack->deep == stack->open.count)
        *vec_push(&stack->open) = (struct open_slice){0};
    struct open_slice *open = &stack->open.items[stack->deep++];
    open->row = id;
    open->begun = dur == SLICE_DUR_PENDING;
    open->ended = false;
    open->base.set = NULL_U32;
    stack->begun += open->begun;
    flow_slice_begun(t, track, id);
    return id;
}

bool slice_fits(struct trace *t, int64_t ts, int64_t dur, uint32_t track)
{
    int64_t end;
    return !__builtin_add_overflow(ts, dur, &end) &&
           close_ended(t, stack_of(t, track), ts, dur) == NULL_U32;
}

uint32_t slice_begin(struct trace *t, int64_t ts, uint32_t track, string_id category,
                     string_id name)
{
    return push(t, ts, SLICE_DUR_PENDING, track, category, name);
}

uint32_t slice_complete(struct trace *t, int64_t ts, int64_t dur, uint32_t track,
                        string_id category, string_id name)
{
    int64_t end;
    if (dur < 0 || __builtin_add_overflow(ts, dur, &end))
        return NULL_U32;
    return push(t, ts, dur, track, category, name);
}

/* The position of the slice that an end event means, or -1. */
static int64_t find_end(struct trace *t, int64_t ts, struct slice_stack *stack, string_id category,
                        string_id name)
{
    close_ended(t, stack, ts, SLICE_DUR_PENDING);
    const string_id *categories = t->tables.slice.columns[slice_col_category].data;
    const string_id *names = t->tables.slice.columns[slice_col_name].data;
    for (uint32_t i = stack->deep; i-- > 0;) {
        uint32_t row = stack->open.items[i].row;
        if (dur_of(t, row) != SLICE_DUR_PENDING)
            continue;
        if (category && categories[row] != category)
            continue;
        if (name && names[row] && names[row] != name)
            continue;
        return i;
    }
    return -1;
}

uint32_t slice_find_end(struct trace *t, int64_t ts, uint32_t track, string_id category,
                        string_id name)
{
    struct slice_stack *stack = stack_of(t, track);
    int64_t at = find_end(t, ts, stack, category, name);
    return at < 0 ? NULL_U32 : stack->open.items[at].row;
}

static uint32_t close_at(struct trace *t, int64_t ts, struct slice_stack *stack, uint32_t at)
{
    struct open_slice *open = &stack->open.items[at];
    uint32_t row = open->row;
    set_dur(t, row, time_minus(ts, ts_of(t, row)));
    stack->ended += open->begun && !open->ended;
    open->ended = open->begun;
    if (at == stack->deep - 1)
        pop(t, stack);
    return row;
}

uint32_t slice_end(struct trace *t, int64_t ts, uint32_t track, string_id category, string_id name)
{
    struct slice_stack *stack = stack_of(t, track);
    int64_t at = find_end(t, ts, stack, category, name);
    return at < 0 ? NULL_U32 : close_at(t, ts, stack, (uint32_t)at);
}

void slice_close(struct trace *t, int64_t ts, uint32_t track, uint32_t slice)
{
    struct slice_stack *stack = stack_of(t, track);
    for (uint32_t i = stack->deep; i-- > 0;)
        if (stack->open.items[i].row == slice) {
            close_at(t, ts, stack, i);
            return;
        }
}

static struct open_slice *find_open(struct trace *t, uint32_t track, uint32_t slice)
{
    struct slice_stack *stack = stack_of(t, track);
    for (uint32_t i = stack->deep; i-- > 0;)
        if (stack->open.items[i].row == slice)
            return &stack->open.items[i];
    return NULL;
}

struct arg_list *slice_args(struct trace *t, uint32_t track, uint32_t slice)
{
    struct open_slice *open = find_open(t, track, slice);
    return open ? &open->args : NULL;
}

void slice_set_args_base(struct trace *t, uint32_t track, uint32_t slice, struct args_base base)
{
    struct open_slice *open = find_open(t, track, slice);
    if (open)
        open->base = base;
}

uint32_t slice_top(struct trace *t, uint32_t track)
{
    const struct slice_stack *stack = stack_of(t, track);
    return stack->deep ? stack->open.items[stack->deep - 1].row : NULL_U32;
}

static void finish_stack(struct trace *t, struct slice_stack *stack)
{
    while (stack->deep)
        pop(t, stack);
}

void slice_next_file(struct trace *t, uint32_t first_track)
{
    struct slice_tracker *st = &t->builder->slices;
    for (size_t i = first_track; i < st->stacks.count; i++) {
        finish_stack(t, &st->stacks.items[i]);
        release_stack(&st->stacks.items[i]);
    }
}

void slice_tracker_finish(struct trace *t)
{
    for (size_t i = 0; i < t->builder->slices.stacks.count; i++)
        finish_stack(t, &t->builder->slices.stacks.items[i]);
}
