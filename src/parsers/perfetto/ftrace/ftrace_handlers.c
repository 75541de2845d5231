#include "parsers/perfetto/ftrace/ftrace_handlers.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"

/* A file ftrace_NAME.c exports one of these and stands here. */
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

#define DECLARE(name) extern const struct ftrace_module ftrace_##name##_module;
FTRACE_MODULES(DECLARE)
#undef DECLARE

static const struct ftrace_module *const modules[] = {
#define LISTED(name) &ftrace_##name##_module,
    FTRACE_MODULES(LISTED)
#undef LISTED
};

enum { MODULES = sizeof modules / sizeof modules[0] };

static uint32_t last_of(const struct ftrace_handler *row)
{
    return row->last ? row->last : row->event;
}

void ftrace_handlers_init(struct ftrace_import *f)
{
    struct ftrace_handlers *h = &f->handlers;
    for (size_t i = 0; i < MODULES; i++)
        for (const struct ftrace_handler *row = modules[i]->handlers; row->event; row++)
            if (last_of(row) >= h->count)
                h->count = last_of(row) + 1;
    h->by_event = alloc_array(h->count, sizeof *h->by_event);
    for (size_t i = 0; i < MODULES; i++)
        for (const struct ftrace_handler *row = modules[i]->handlers; row->event; row++)
            for (uint32_t event = row->event; event <= last_of(row); event++)
                h->by_event[event] = row;
}

void ftrace_handlers_release(struct ftrace_import *f)
{
    for (size_t i = 0; i < MODULES; i++)
        if (modules[i]->release)
            modules[i]->release(f);
    free(f->handlers.by_event);
}
