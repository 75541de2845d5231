#include "parsers/tracefs/sched_text.h"

/* "bash:1234 [120]", behind which `rest` begins. Names may hold all of these characters. */
static bool take_task(struct str *rest, struct sched_text_task *task)
{
    for (size_t open = 0; (open += str_find(str_skip(*rest, open), '[')) < rest->n; open++) {
        struct str before = str_trim(str_from_to(*rest, 0, open));
        struct str inside = str_skip(*rest, open + 1);
        size_t close = str_find(inside, ']'), colon = before.n;
        while (colon > 0 && before.p[colon - 1] != ':')
            colon--;
        if (colon < 2 || close == inside.n || !str_to_i64(str_skip(before, colon), &task->pid) ||
            !str_to_i64(str_trim(str_from_to(inside, 0, close)), &task->prio))
            continue;
        task->comm = str_from_to(before, 0, colon - 1);
        *rest = str_trim(str_skip(inside, close + 1));
        return task->pid >= 0 && task->pid <= UINT32_MAX;
    }
    return false;
}

bool sched_text_switch(struct str text, struct sched_text_task *prev, struct str *state,
                       struct sched_text_task *next)
{
    struct str rest = str_trim(text), arrow = STR("==>");
    if (!take_task(&rest, prev))
        return false;
    *state = str_from_to(rest, 0, str_find(rest, ' '));
    rest = str_trim(str_skip(rest, state->n));
    if (!str_starts(rest, arrow))
        return false;
    rest = str_trim(str_skip(rest, arrow.n));
    return take_task(&rest, next);
}

bool sched_text_wakeup(struct str text, struct sched_text_task *woken)
{
    struct str rest = str_trim(text);
    return take_task(&rest, woken);
}
