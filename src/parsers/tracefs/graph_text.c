#include "parsers/tracefs/graph_text.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/tracefs/graph_line.h"

enum { NAME_MOST = 128 };

struct open_call {
    string_id function;
    int64_t begin;
};

/* What a task, or a CPU where tasks or times are not known, has called. */
struct lane {
    VEC(struct open_call) open;
    int64_t now;
};

struct graph_text {
    struct trace *trace;
    graph_event *emit;
    void *self;
    struct map lane_numbers;
    VEC(struct lane) lanes;
};

struct graph_text *graph_text_new(struct trace *t, graph_event *emit, void *self)
{
    struct graph_text *g = alloc_array(1, sizeof *g);
    g->trace = t;
    g->emit = emit;
    g->self = self;
    return g;
}

void graph_text_free(struct graph_text *g)
{
    if (!g)
        return;
    for (size_t i = 0; i < g->lanes.count; i++)
        vec_release(&g->lanes.items[i].open);
    vec_release(&g->lanes);
    map_release(&g->lane_numbers);
    free(g);
}

/* Valid until the next call. */
static struct lane *lane_of(struct graph_text *g, const struct graph_line *line)
{
    bool of_task = line->has_task && line->has_time && line->pid != 0;
    uint64_t key = of_task ? UINT64_C(1) << 32 | line->pid : line->cpu;
    bool inserted;
    uint32_t *number = map_insert(&g->lane_numbers, key, &inserted);
    if (inserted) {
        *number = (uint32_t)g->lanes.count;
        *vec_push(&g->lanes) = (struct lane){0};
    }
    return &g->lanes.items[*number];
}

static void emit(struct graph_text *g, const struct graph_line *line, bool enters, int64_t ts,
                 string_id function, size_t depth)
{
    char args[NAME_MOST + sizeof "func= depth=18446744073709551615"];
    struct str name = string_pool_get(&g->trace->strings, function);
    int n = snprintf(args, sizeof args, "func=%.*s depth=%zu",
                     (int)(name.n < NAME_MOST ? name.n : NAME_MOST), name.p, depth);
    bool of_task = line->has_task && line->has_time;
    struct trace_line l = {
        .kind = LINE_EVENT,
        .is_of_cpu = !of_task,
        .ts = ts,
        .pid = of_task ? line->pid : 0,
        .tgid = NULL_U32,
        .cpu = line->cpu,
        .task = line->task,
        .event = enters ? STR("funcgraph_entry") : STR("funcgraph_exit"),
        .args = {args, (size_t)n},
    };
    g->emit(g->self, &l);
}

static void enter(struct graph_text *g, const struct graph_line *line, struct lane *lane,
                  int64_t ts)
{
    struct open_call call = {trace_intern(g->trace, line->function), ts};
    emit(g, line, true, ts, call.function, lane->open.count);
    *vec_push(&lane->open) = call;
    lane->now = ts;
}

static void leave(struct graph_text *g, const struct graph_line *line, struct lane *lane,
                  int64_t ts)
{
    struct open_call call = lane->open.items[--lane->open.count];
    emit(g, line, false, ts, call.function, lane->open.count);
    lane->now = ts;
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void add(struct graph_text *g, const struct graph_line *line)
{
    struct lane *lane = lane_of(g, line);
    int64_t ts = line->has_time ? later(line->ts, lane->now) : lane->now;
    switch (line->kind) {
    case GRAPH_ENTRY:
        enter(g, line, lane, ts);
        return;
    case GRAPH_LEAF:
        enter(g, line, lane, ts);
        leave(g, line, lane, time_plus(ts, line->dur));
        return;
    case GRAPH_EXIT:
        if (lane->open.count == 0) /* it was called before the trace */
            return;
        leave(g, line, lane,
              line->has_time ? ts : later(ts, time_plus(vec_last(&lane->open).begin, line->dur)));
        return;
    case GRAPH_SWITCH:
        while (lane->open.count > 0)
            leave(g, line, lane, lane->now);
        return;
    case GRAPH_NOTHING:
        return;
    }
}

bool graph_text_add(struct graph_text *g, struct str text)
{
    struct graph_line line;
    if (!graph_line_read(text, &line))
        return false;
    if (line.kind == GRAPH_SWITCH)
        line.has_task = false; /* what ends are calls of the task before */
    add(g, &line);
    return true;
}

bool graph_text_is_event(struct str event)
{
    return str_starts(event, STR("funcgraph_"));
}

bool graph_text_add_event(struct graph_text *g, const struct trace_line *l)
{
    struct graph_line line = {.has_time = true,
                              .has_task = true,
                              .ts = l->ts,
                              .cpu = l->cpu,
                              .pid = l->pid,
                              .task = l->task};
    if (!graph_line_read_call(l->args, &line))
        return false;
    add(g, &line);
    return true;
}
