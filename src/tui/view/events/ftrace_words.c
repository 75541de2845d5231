#include "tui/view/events/ftrace_words.h"

#include "core/trace/ftrace_rows.h"
#include "core/trace/settled_args.h"
#include "text/task_state.h"
#include "tui/view/details_parts.h"

enum { ARGS_SHOWN = 24, KEY_SHOWN = 40 };

struct words {
    struct details *d;
    const struct timeline *tl;
    kernel_version version;
    struct arg_list args;
};

static kernel_version version_of(const struct timeline *tl, uint32_t cpu)
{
    const struct table *machines = &tl->trace->tables.machine;
    uint32_t machine = cpu / CPUS_PER_MACHINE;
    if (machine >= machines->rows)
        return 0;
    string_id release = column_str(&machines->columns[machine_col_release], machine);
    return kernel_version_parse(timeline_str(tl, release));
}

static const struct arg *arg_of(const struct words *w, const char *key)
{
    for (size_t i = 0; i < w->args.v.count; i++)
        if (str_eq(timeline_str(w->tl, w->args.v.items[i].key), str_from(key)))
            return &w->args.v.items[i];
    return NULL;
}

static bool is_number(const struct arg *a)
{
    return a->type == ARG_INT || a->type == ARG_UINT;
}

/* A state that the kernel counts is shown as the letters that other tables have. */
static void put_state(const struct words *w, const struct arg *a)
{
    struct task_state_text state = {.n = 0};
    if (is_number(a))
        state = task_state_from_raw(a->i, w->version);
    if (state.n > 0)
        details_put(w->d, &w->d->left, ROLE_VALUE, "%.*s", (int)state.n, state.text);
    else
        details_put_arg(w->d, w->tl, a);
}

static void put_key(const struct words *w, struct str key)
{
    details_put(w->d, &w->d->left, ROLE_KEY, "  %.*s ",
                (int)(key.n < KEY_SHOWN ? key.n : KEY_SHOWN), key.p);
}

/* "app 12 prio 120 S -> other 34 prio 110"; false where it has not these args. */
static bool put_switch(const struct words *w)
{
    static const char *const keys[] = {"prev_comm", "prev_pid", "prev_prio", "prev_state",
                                       "next_comm", "next_pid", "next_prio"};
    enum { COUNT = sizeof keys / sizeof *keys };
    static const char *const before[COUNT] = {"  ", " ", " prio ", " ", " \u2192 ", " ", " prio "};
    const struct arg *args[COUNT];
    for (int i = 0; i < COUNT; i++)
        if (!(args[i] = arg_of(w, keys[i])))
            return false;
    if (w->args.v.count != COUNT)
        return false; /* what it has beside is to be seen, too */
    for (int i = 0; i < COUNT; i++) {
        details_put(w->d, &w->d->left, ROLE_KEY, "%s", before[i]);
        if (i == 3)
            put_state(w, args[i]);
        else
            details_put_arg(w->d, w->tl, args[i]);
    }
    return true;
}

/* The state of a CPU that leaves idleness is -1. */
static bool is_idle_exit(struct str event, struct str key, const struct arg *a)
{
    return str_eq(event, STR("cpu_idle")) && str_eq(key, STR("state")) && is_number(a) &&
           (uint32_t)a->i == UINT32_MAX;
}

static void put_args(const struct words *w, struct str event)
{
    for (size_t i = 0; i < w->args.v.count && i < ARGS_SHOWN; i++) {
        const struct arg *a = &w->args.v.items[i];
        struct str key = timeline_str(w->tl, a->key);
        put_key(w, key);
        if (is_idle_exit(event, key, a))
            details_put(w->d, &w->d->left, ROLE_VALUE, "exit");
        else if (str_eq(key, STR("prev_state")))
            put_state(w, a);
        else
            details_put_arg(w->d, w->tl, a);
    }
}

void ftrace_words_put(struct details *d, const struct timeline *tl, uint32_t row)
{
    const struct table *t = ftrace_rows_ready(tl->trace);
    struct str event = timeline_str(tl, column_str(&t->columns[ftrace_event_col_name], row));
    struct words w = {.d = d,
                      .tl = tl,
                      .version = version_of(tl, table_small(t, ftrace_event_col_ucpu, row))};
    args_read(&tl->trace->args,
              settled_args_of(tl->trace, &t->columns[ftrace_event_col_arg_set_id], row), &w.args);
    if (!str_eq(event, STR("sched_switch")) || !put_switch(&w))
        put_args(&w, event);
    arg_list_release(&w.args);
}
