#include "parsers/tracefs/switch_text.h"

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
