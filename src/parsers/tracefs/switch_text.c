#include "parsers/tracefs/switch_text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parsers/tracefs/sched_text.h"
#include "parsers/tracefs/text_args.h"

/* The letters of kernels before 4.8, which Trace Processor takes them for; numbers are from
 * recordings that were printed without knowledge of the states. */
int64_t switch_text_state(struct str text)
{
    enum { INVALID = 0xffff, PREEMPTED = 0x800 };
    static const uint16_t bits[] = {
        ['S'] = 1,  ['D'] = 2,   ['T'] = 4,   ['t'] = 8,   ['X'] = 16,   ['Z'] = 32,
        ['x'] = 64, ['K'] = 128, ['W'] = 256, ['P'] = 512, ['N'] = 1024, ['I'] = 1026};
    int64_t raw;
    if (str_to_i64(text, &raw))
        return raw;
    if (text.n == 0)
        return INVALID;
    if (text.p[0] == 'R')
        return str_eq(text, STR("R+")) ? PREEMPTED : 0;
    raw = 0;
    for (size_t i = 0; i < text.n; i++) {
        size_t letter = (unsigned char)text.p[i];
        if (letter == '|')
            continue;
        if (letter >= sizeof bits / sizeof bits[0] || !bits[letter])
            return INVALID;
        raw |= bits[letter];
    }
    return raw;
}

/* "key=value " at the start of `rest`, which then begins behind it; `key` ends in '='. */
static inline bool take_word(struct str *rest, struct str key, struct str *value)
{
    if (!str_starts(*rest, key))
        return false;
    size_t end = key.n;
    while (end < rest->n && rest->p[end] != ' ' && rest->p[end] != '=')
        end++;
    if (end == key.n || (end < rest->n && rest->p[end] == '='))
        return false;
    *value = str_from_to(*rest, key.n, end);
    *rest = str_behind(*rest, end);
    return true;
}

static inline bool take_number(struct str *rest, struct str key, int32_t *value)
{
    enum { DIGITS_MAX = 9 };
    if (!str_starts(*rest, key))
        return false;
    bool negative = key.n < rest->n && rest->p[key.n] == '-';
    size_t at = key.n + negative, from = at;
    int32_t v = 0;
    for (; at < rest->n && at - from < DIGITS_MAX && rest->p[at] >= '0' && rest->p[at] <= '9'; at++)
        v = v * 10 + (rest->p[at] - '0');
    if (at == from || (at < rest->n && rest->p[at] != ' '))
        return false;
    *value = negative ? -v : v;
    *rest = str_behind(*rest, at);
    return true;
}

/* As the kernel prints it, where the names are single words. */
static bool read_plain_switch(struct str text, struct switch_text *s)
{
    if (!take_word(&text, STR("prev_comm="), &s->prev_comm) ||
        !take_number(&text, STR("prev_pid="), &s->prev_pid) ||
        !take_number(&text, STR("prev_prio="), &s->prev_prio) ||
        !take_word(&text, STR("prev_state="), &s->prev_state))
        return false;
    if (str_starts(text, STR("==> ")))
        text = str_skip(text, 4);
    return take_word(&text, STR("next_comm="), &s->next_comm) &&
           take_number(&text, STR("next_pid="), &s->next_pid) &&
           take_number(&text, STR("next_prio="), &s->next_prio);
}

/* As trace-cmd prints it. */
static bool read_short_switch(struct str text, struct switch_text *s)
{
    struct sched_text_task prev, next;
    struct str state;
    if (!sched_text_switch(text, &prev, &state, &next))
        return false;
    *s = (struct switch_text){.prev_comm = prev.comm,
                              .prev_pid = (int32_t)prev.pid,
                              .prev_prio = (int32_t)prev.prio,
                              .prev_state = state,
                              .next_comm = next.comm,
                              .next_pid = (int32_t)next.pid,
                              .next_prio = (int32_t)next.prio};
    return true;
}

bool switch_text_read(struct str text, struct switch_text *out)
{
    if (read_plain_switch(text, out))
        return true;
    /* In the kernel's order. */
    enum { PREV_COMM, PREV_PID, PREV_PRIO, PREV_STATE, NEXT_COMM, NEXT_PID, NEXT_PRIO, KEYS };
    static const struct str keys[KEYS] = {
        {"prev_comm", 9}, {"prev_pid", 8}, {"prev_prio", 9}, {"prev_state", 10},
        {"next_comm", 9}, {"next_pid", 8}, {"next_prio", 9},
    };
    struct str v[KEYS] = {{"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}, {"", 0}};
    int64_t prev_pid, prev_prio, next_pid, next_prio;
    text_args_find_all(text, keys, v, KEYS);
    if (!str_to_i64(v[PREV_PID], &prev_pid) || !str_to_i64(v[PREV_PRIO], &prev_prio) ||
        !str_to_i64(v[NEXT_PID], &next_pid) || !str_to_i64(v[NEXT_PRIO], &next_prio))
        return read_short_switch(text, out);
    *out = (struct switch_text){.prev_comm = v[PREV_COMM],
                                .prev_pid = (int32_t)prev_pid,
                                .prev_prio = (int32_t)prev_prio,
                                .prev_state = v[PREV_STATE],
                                .next_comm = v[NEXT_COMM],
                                .next_pid = (int32_t)next_pid,
                                .next_prio = (int32_t)next_prio};
    return true;
}

bool wakeup_text_read(struct str text, struct str *comm, int64_t *pid)
{
    struct str rest = text;
    int32_t plain;
    if (take_word(&rest, STR("comm="), comm) && take_number(&rest, STR("pid="), &plain) &&
        plain >= 0) {
        *pid = plain;
        return true;
    }
    static const struct str keys[] = {{"comm", 4}, {"pid", 3}};
    struct str v[] = {{"", 0}, {"", 0}};
    struct sched_text_task task;
    text_args_find_all(text, keys, v, 2);
    if (str_to_i64(v[1], pid) && *pid >= 0 && *pid <= UINT32_MAX) {
        *comm = v[0];
        return true;
    }
    if (!sched_text_wakeup(text, &task))
        return false;
    *pid = task.pid;
    *comm = task.comm;
    return true;
}

/* What stands behind "key=", up to `end` or to a blank; empty where it is not there. */
static struct str value_of(struct str args, struct str key, struct str end)
{
    const char *at = memmem(args.p, args.n, key.p, key.n);
    if (!at)
        return (struct str){"", 0};
    struct str value = str_skip(args, (size_t)(at - args.p) + key.n);
    const char *stop = end.n ? memmem(value.p, value.n, end.p, end.n) : NULL;
    value.n = stop ? (size_t)(stop - value.p) : str_find(value, ' ');
    return str_trim(value);
}

static int64_t number_of(struct str args, struct str key)
{
    int64_t v = 0;
    return str_to_i64(value_of(args, key, STR("")), &v) ? v : 0;
}

static struct sched_task task_of(struct sched_text_task t)
{
    return (struct sched_task){t.pid, (int32_t)t.prio, sched_comm_from(t.comm)};
}

bool switch_text_told(struct str text, struct switch_told *out)
{
    struct switch_text is_read;
    struct sched_text_task prev, next;
    struct str state;
    if (!switch_text_read(text, &is_read))
        return false;
    if (!sched_text_switch(text, &prev, &state, &next)) {
        prev.comm = value_of(text, STR("prev_comm="), STR(" prev_pid="));
        prev.pid = is_read.prev_pid;
        prev.prio = is_read.prev_prio;
        state = is_read.prev_state;
        next.comm = value_of(text, STR("next_comm="), STR(" next_pid="));
        next.pid = is_read.next_pid;
        next.prio = is_read.next_prio;
    }
    *out = (struct switch_told){task_of(prev), task_of(next), state};
    return true;
}

bool wakeup_text_told(struct str text, struct sched_states_waking *out)
{
    struct sched_text_task woken;
    struct str comm;
    int64_t pid;
    if (!wakeup_text_read(text, &comm, &pid))
        return false;
    if (!sched_text_wakeup(text, &woken)) {
        woken.comm = value_of(text, STR("comm="), STR(" pid="));
        woken.pid = number_of(text, STR(" pid="));
        woken.prio = number_of(text, STR("prio="));
    }
    *out = (struct sched_states_waking){
        .task = task_of(woken),
        .target_cpu = (int32_t)number_of(text, STR("target_cpu=")),
    };
    return true;
}

size_t switch_text_tell(const struct switch_told *told, char *out)
{
    enum { STATE_MAX = 8 };
    const struct sched_task *prev = &told->prev, *next = &told->next;
    int state = (int)(told->state.n < STATE_MAX ? told->state.n : STATE_MAX);
    return (size_t)snprintf(out, SWITCH_TEXT_MAX,
                            "sched_switch: prev_comm=%.*s prev_pid=%" PRId64
                            " prev_prio=%d prev_state=%.*s "
                            "==> next_comm=%.*s next_pid=%" PRId64 " next_prio=%d\n",
                            prev->comm.n, prev->comm.text, prev->pid, prev->prio, state,
                            told->state.p, next->comm.n, next->comm.text, next->pid, next->prio);
}

size_t wakeup_text_tell(const struct sched_thread_state *woken, bool has_waking, char *out)
{
    const struct sched_task *task = &woken->task;
    return (size_t)snprintf(out, SWITCH_TEXT_MAX,
                            "%s: comm=%.*s pid=%" PRId64 " prio=%d success=1 target_cpu=%03d\n",
                            has_waking ? "sched_waking" : "sched_wakeup", task->comm.n,
                            task->comm.text, task->pid, woken->waking_prio, woken->target_cpu);
}
