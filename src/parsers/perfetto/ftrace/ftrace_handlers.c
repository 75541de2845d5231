#include "parsers/perfetto/ftrace/ftrace_handlers.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"

#define DECLARE(name) extern const struct ftrace_module ftrace_##name##_module;
FTRACE_MODULES(DECLARE)
#undef DECLARE

static const struct ftrace_module *const modules[FTRACE_MODULE_COUNT] = {
#define LISTED(name) [FTRACE_MODULE_##name] = &ftrace_##name##_module,
    FTRACE_MODULES(LISTED)
#undef LISTED
};

static uint32_t last_of(const struct ftrace_handler *row)
{
    return row->last ? row->last : row->event;
}

const struct ftrace_handler *ftrace_handlers_of(enum ftrace_module_number module)
{
    return modules[module]->handlers;
}

void ftrace_handlers_init(struct ftrace_import *f)
{
    struct ftrace_handlers *h = &f->handlers;
    for (size_t i = 0; i < FTRACE_MODULE_COUNT; i++)
        for (const struct ftrace_handler *row = modules[i]->handlers; row->event; row++)
            if (last_of(row) >= h->count)
                h->count = last_of(row) + 1;
    h->by_event = alloc_array(h->count, sizeof *h->by_event);
    for (size_t i = 0; i < FTRACE_MODULE_COUNT; i++)
        for (const struct ftrace_handler *row = modules[i]->handlers; row->event; row++)
            for (uint32_t event = row->event; event <= last_of(row); event++)
                h->by_event[event] = row;
}

void ftrace_handlers_release(struct ftrace_import *f)
{
    for (size_t i = 0; i < FTRACE_MODULE_COUNT; i++) {
        if (!f->states[i])
            continue;
        if (modules[i]->release)
            modules[i]->release(f->states[i]);
        free(f->states[i]);
    }
    free(f->handlers.by_event);
}

void *ftrace_state(struct ftrace_import *f, enum ftrace_module_number module)
{
    if (!f->states[module])
        f->states[module] = alloc_array(1, modules[module]->state_size);
    return f->states[module];
}
