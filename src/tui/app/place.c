/* Places as text: "slice 4802", "time 614037000277", either with "window START DUR" behind it, all
 * in ns. Scripts and --goto take them, y l makes them. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/app/state.h"

static const struct {
    const char *name;
    enum event_kind kind;
} kinds[] = {
    {"slice", EVENT_SLICE},     {"state", EVENT_STATE}, {"sched", EVENT_SCHED},
    {"counter", EVENT_COUNTER}, {"time", EVENT_NONE},
};

static uint32_t event_count(const struct tables *t, enum event_kind kind)
{
    switch (kind) {
    case EVENT_SLICE:
        return t->slice.rows;
    case EVENT_STATE:
        return t->thread_state.rows;
    case EVENT_SCHED:
        return t->sched_slice.rows;
    case EVENT_COUNTER:
        return t->counter.rows;
    case EVENT_NONE:
    case EVENT_DEBUG:
    case EVENT_DEBUG_COUNTER:
        break;
    }
    return 0;
}

static struct str next_word(struct str *rest)
{
    while (rest->n && rest->p[0] == ' ')
        *rest = str_skip(*rest, 1);
    size_t end = str_find(*rest, ' ');
    struct str word = str_from_to(*rest, 0, end);
    *rest = str_skip(*rest, end);
    return word;
}

bool app_go_to(struct app *a, struct str place)
{
    struct str rest = place, kind = next_word(&rest);
    enum { KINDS = sizeof kinds / sizeof *kinds };
    int64_t number, start = 0, dur = 0;
    size_t i = 0;
    while (i < KINDS && !str_eq(kind, str_from(kinds[i].name)))
        i++;
    if (i == KINDS || !str_to_i64(next_word(&rest), &number)) {
        app_complain(a, "a place is slice|state|sched|counter ID or time NS, not %.*s",
                     (int)(place.n < 60 ? place.n : 60), place.n ? place.p : "");
        return false;
    }
    struct str word = next_word(&rest);
    if (word.n && (!str_eq(word, STR("window")) || !str_to_i64(next_word(&rest), &start) ||
                   !str_to_i64(next_word(&rest), &dur) || dur <= 0 || next_word(&rest).n)) {
        app_complain(a, "behind the place stands window START DUR, both in ns, or nothing");
        return false;
    }
    bool is_event = kinds[i].kind != EVENT_NONE;
    if (is_event &&
        (number < 0 || number >= event_count(&app_timeline(a)->trace->tables, kinds[i].kind))) {
        app_complain(a, "there is no %s %" PRId64, kinds[i].name, number);
        return false;
    }
    const struct timeline *tl = app_timeline(a);
    if (!is_event && (number < tl->start || number > tl->end)) {
        app_complain(a, "%" PRId64 " is outside the trace: %" PRId64 " .. %" PRId64 " ns", number,
                     tl->start, tl->end);
        return false;
    }
    if (word.n)
        app_set_window(a, start, dur);
    if (is_event)
        app_jump(a, (struct event_ref){kinds[i].kind, (uint32_t)number, 0});
    else
        app_jump_time(a, number);
    return true;
}

void app_place(struct app *a, char *out, size_t size)
{
    struct event_ref event = a->cursor.event;
    const char *name = "time";
    int64_t number = a->cursor.ts;
    for (size_t i = 0; event.kind != EVENT_NONE && i < sizeof kinds / sizeof *kinds; i++)
        if (kinds[i].kind == event.kind) {
            name = kinds[i].name;
            number = event.row;
        }
    snprintf(out, size, "%s %" PRId64 " window %" PRId64 " %" PRId64, name, number,
             a->viewport.start, a->viewport.dur);
}
