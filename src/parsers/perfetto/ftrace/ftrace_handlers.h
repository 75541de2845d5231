/* What is done with an ftrace event beyond its row of ftrace_event. A file about a subject exports
 * one const module with a row for each event that it handles, and stands in FTRACE_MODULES. */
#ifndef TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_HANDLERS_H
#define TPTUI_PARSERS_PERFETTO_FTRACE_FTRACE_HANDLERS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/perfetto/ftrace/ftrace_felt.h"

struct ftrace_event;
struct ftrace_import;

/* A row of zeros ends a table. */
struct ftrace_handler {
    uint32_t event;                               /* field number in FtraceEvent */
    void (*handle)(const struct ftrace_event *e); /* NULL: what it does, another file does */
    struct felt felt;                             /* what of it is felt later; no row lacks it */
    bool has_own_time;                            /* it happens at another time: ftrace_retime.h */
    bool without_thread; /* the event belongs to no thread and may come without a pid */
    uint32_t last;       /* the row is about all events from `event` to `last`; 0: about one */
};

/* A file ftrace_NAME.c exports ftrace_NAME_module and stands here as X(NAME), which declares it. */
#define FTRACE_MODULES(X)                                                                          \
    X(task)                                                                                        \
    X(marks)                                                                                       \
    X(binder)                                                                                      \
    X(irq)                                                                                         \
    X(power)                                                                                       \
    X(memory)                                                                                      \
    X(gpu)                                                                                         \
    X(display)                                                                                     \
    X(device)                                                                                      \
    X(trusty)                                                                                      \
    X(video)

enum ftrace_module_number {
#define NUMBER(name) FTRACE_MODULE_##name,
    FTRACE_MODULES(NUMBER)
#undef NUMBER
        FTRACE_MODULE_COUNT
};

struct ftrace_module {
    const struct ftrace_handler *handlers;
    size_t state_size;            /* of what it remembers between events; 0: nothing */
    void (*release)(void *state); /* of what the state owns; may be NULL */
};

/* The rows of all modules by event. */
struct ftrace_handlers {
    const struct ftrace_handler **by_event;
    uint32_t count;
};

/* Makes f->handlers; frees it, and the modules' states. */
void ftrace_handlers_init(struct ftrace_import *f);
void ftrace_handlers_release(struct ftrace_import *f);

/* The rows of a module, for tests. */
const struct ftrace_handler *ftrace_handlers_of(enum ftrace_module_number module);

/* What the module remembers, made zeroed at the first call; freed with the handlers. */
void *ftrace_state(struct ftrace_import *f, enum ftrace_module_number module);

/* The row of an event, or NULL. */
static inline const struct ftrace_handler *ftrace_handlers_find(const struct ftrace_handlers *h,
                                                                uint32_t event)
{
    return event < h->count ? h->by_event[event] : NULL;
}

#endif
