#include "parsers/perfetto/ftrace/ftrace_handlers.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/perfetto/ftrace/ftrace_binder.h"
#include "parsers/perfetto/ftrace/ftrace_device.h"
#include "parsers/perfetto/ftrace/ftrace_display.h"
#include "parsers/perfetto/ftrace/ftrace_gpu.h"
#include "parsers/perfetto/ftrace/ftrace_irq.h"
#include "parsers/perfetto/ftrace/ftrace_marks.h"
#include "parsers/perfetto/ftrace/ftrace_memory.h"
#include "parsers/perfetto/ftrace/ftrace_power.h"
#include "parsers/perfetto/ftrace/ftrace_task.h"
#include "parsers/perfetto/ftrace/ftrace_trusty.h"
#include "parsers/perfetto/ftrace/ftrace_video.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"

static const struct ftrace_module *const modules[] = {
    &ftrace_task_module,   &ftrace_marks_module,  &ftrace_binder_module, &ftrace_irq_module,
    &ftrace_power_module,  &ftrace_memory_module, &ftrace_gpu_module,    &ftrace_display_module,
    &ftrace_device_module, &ftrace_trusty_module, &ftrace_video_module,
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
