/* Loads bytes in memory as a mapped file is loaded: with args that are found in them again after
 * the load. */
#ifndef TPTUI_TESTS_SETTLE_H
#define TPTUI_TESTS_SETTLE_H

#include <stdlib.h>

#include "core/trace/settled_args.h"

struct settle_file {
    uint8_t *bytes;
    size_t n;
};

static const uint8_t *settle_map(void *self, size_t *n)
{
    const struct settle_file *file = self;
    *n = file->n;
    return file->bytes;
}

static void settle_forget(void *self)
{
    (void)self;
}

static bool settle_unmap(void *self)
{
    (void)self;
    return true;
}

static void settle_free(void *self)
{
    struct settle_file *file = self;
    free(file->bytes);
    free(file);
}

/* After trace_finish: gives all sets their ids. Takes over `bytes`, for which args_defer was
 * called. */
static inline void settle(struct trace *t, uint8_t *bytes, size_t n)
{
    struct settle_file *file = malloc(sizeof *file);
    *file = (struct settle_file){bytes, n};
    args_defer(&t->args, NULL, 0);
    if (!args_any_deferred(&t->args)) {
        settle_free(file);
        return;
    }
    args_deferred_lie_in(&t->args, (struct args_file){.map = settle_map,
                                                      .forget = settle_forget,
                                                      .unmap = settle_unmap,
                                                      .free = settle_free,
                                                      .self = file});
    if (!settled_args_ready(t))
        abort();
}

#endif
