/* What is done with an ftrace event beyond its row of ftrace_event. A file about a subject exports
 * one const module with a row for each event that it handles; ftrace_handlers.c lists them. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_HANDLERS_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_HANDLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ftrace_event;
struct ftrace_import;

/* A row of zeros ends a table. */
struct ftrace_handler {
    uint32_t event; /* field number in FtraceEvent */
    void (*handle)(const struct ftrace_event *e);
    bool without_thread; /* the event belongs to no thread and may come without a pid */
    uint32_t last;       /* the row is about all events from `event` to `last`; 0: about one */
};

struct ftrace_module {
    const struct ftrace_handler *handlers;
    void (*release)(struct ftrace_import *f); /* frees the module's state; may be NULL */
};

/* The rows of all modules by event. */
struct ftrace_handlers {
    const struct ftrace_handler **by_event;
    uint32_t count;
};

/* Makes f->handlers; frees it, and the modules' state. */
void ftrace_handlers_init(struct ftrace_import *f);
void ftrace_handlers_release(struct ftrace_import *f);

/* The row of an event, or NULL. */
static inline const struct ftrace_handler *ftrace_handlers_find(const struct ftrace_handlers *h,
                                                                uint32_t event)
{
    return event < h->count ? h->by_event[event] : NULL;
}

#endif
