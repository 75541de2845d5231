/* What the kernel's latency tracers print behind the time of a line, as the words of an event:
 *
 *     #1     inner/outer(us):   11/12    ts:1581527483.343962693 count:6        hwlat
 *     #1     context    irq timer_latency       932 ns                          timerlat
 *     1000000        190  99.98100       9     18      0   1007     18      1   osnoise
 *     8,0    Q   R 6973 + 8 [ls]                                                blk
 *     0:120:R   + [003]  2389: 94:R sleep           wakeup: sleep is woken up
 *     0:120:R ==> [003]  2389: 94:R sleep           wakeup: sleep runs instead
 *
 * The forms are those of the kernel's Documentation/trace. */
#ifndef TPTUI_PARSERS_TRACEFS_TRACER_TEXT_H
#define TPTUI_PARSERS_TRACEFS_TRACER_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/trace/trace.h"

enum { TRACER_ARGS_MAX = 256 };

/* An event of ftrace's text; `args` are "key=value" between blanks. */
struct tracer_event {
    struct str event;
    size_t n;
    char args[TRACER_ARGS_MAX];
};

/* False where the text is none of these. `task` is who was running. */
bool tracer_text_read(struct str text, struct str task, struct tracer_event *e);

/* The values of such an event as counters of the CPU: how long interruptions were. */
void tracer_text_count(struct trace *t, uint32_t machine, uint32_t cpu, int64_t ts,
                       struct str event, struct str args);

#endif
