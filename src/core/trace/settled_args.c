#include "core/trace/settled_args.h"

#include "core/trace/ftrace_rows.h"

const char settled_args_lost[] =
    "the trace file was changed after it was opened, before its args were read: open it again";

static void renumber(struct args *a, struct table *table, struct column *c, bool lost)
{
    uint32_t *sets = c->data;
    for (uint32_t row = 0; row < table->rows; row++)
        if (sets[row] & ARGS_DEFERRED)
            sets[row] = lost ? NULL_U32 : args_settled_id(a, sets[row]);
}

static void renumber_all(struct trace *t, bool lost)
{
    struct table *tables = tables_array(&t->tables);
    for (int i = 0; i < TABLE_COUNT; i++)
        for (uint32_t k = 0; k < tables[i].def->column_count; k++)
            if (tables[i].def->columns[k].flags & COLUMN_DEFERRED)
                renumber(&t->args, &tables[i], &tables[i].columns[k], lost);
}

/* No trace is defined const, they are only passed so. */
bool settled_args_settle(const struct trace *trace)
{
    struct trace *t = (struct trace *)(uintptr_t)trace;
    struct args *a = &t->args;
    ftrace_rows_make(t);
    pthread_mutex_lock(&a->lock);
    if (atomic_load(&a->deferred.state) == ARGS_UNSETTLED) {
        bool lost = !args_settle(a);
        renumber_all(t, lost);
        args_deferred_forget(a);
        atomic_store(&a->deferred.state, lost ? ARGS_LOST : ARGS_SETTLED);
    }
    bool ready = atomic_load(&a->deferred.state) == ARGS_SETTLED;
    pthread_mutex_unlock(&a->lock);
    return ready;
}

uint32_t settled_args_of(const struct trace *t, const struct column *c, uint32_t row)
{
    const uint32_t *sets = c->data;
    return !settled_args_waits(sets[row]) || settled_args_ready(t) ? sets[row] : NULL_U32;
}

static void *run(void *self)
{
    ftrace_rows_make(self);
    (void)settled_args_ready(self);
    return NULL;
}

void settled_args_start(struct trace *t)
{
    bool waits = ftrace_rows_are_noted(t) || atomic_load(&t->args.deferred.state) == ARGS_UNSETTLED;
    if (waits && !t->settling)
        t->settling = pthread_create(&t->settler, NULL, run, t) == 0;
}

void settled_args_join(struct trace *t)
{
    if (t->settling)
        pthread_join(t->settler, NULL);
    t->settling = false;
}
