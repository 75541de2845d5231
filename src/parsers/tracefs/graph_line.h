/* A line of the function_graph tracer, which draws calls in C's way; which columns stand in front
 * is up to its options (funcgraph-abstime, -cpu, -proc, latency-format, -duration):
 *
 *      0)               |  sys_open() {
 *      0)   1.382 us    |    getname();
 *      0) + 12.345 us   |  } (sys_open)
 *      0)    bash-1234    =>    <idle>-0                   the CPU goes on with another task
 *   103.123456 |   0)   bash-1234    |  d..1 |   0.512 us    |  mwait();
 *
 * The forms are those of Documentation/trace/ftrace.rst. */
#ifndef TPTUI_PARSERS_TRACEFS_GRAPH_LINE_H
#define TPTUI_PARSERS_TRACEFS_GRAPH_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum graph_line_kind {
    GRAPH_ENTRY,
    GRAPH_LEAF, /* a call with nothing in it */
    GRAPH_EXIT,
    GRAPH_SWITCH,
    GRAPH_NOTHING, /* comments and rulers */
};

struct graph_line {
    enum graph_line_kind kind;
    bool has_time, has_task;
    int64_t ts, dur; /* ns; `dur` is 0 where it is missing */
    uint32_t cpu, pid;
    struct str task, function; /* within the text */
};

/* False where the text is no such line. */
bool graph_line_read(struct str text, struct graph_line *g);

/* The same of its end only, from the duration on: what trace-cmd prints behind "funcgraph_entry:"
 * and "funcgraph_exit:". */
bool graph_line_read_call(struct str text, struct graph_line *g);

#endif
