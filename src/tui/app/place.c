#include "tui/app/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tui/app/jump.h"
#include "tui/app/move.h"
#include "tui/app/state.h"

static struct str next_word(struct str *rest)
{
    while (rest->n && rest->p[0] == ' ')
        *rest = str_skip(*rest, 1);
    size_t end = str_find(*rest, ' ');
    struct str word = str_from_to(*rest, 0, end);
    *rest = str_skip(*rest, end);
    return word;
}

/* "a place is slice|state|... ID or time NS, not ..." */
static void complain_about(struct app *a, struct str place)
{
    char names[120] = "";
    const struct event_kind *kind;
    size_t used = 0;
    for (size_t i = 0; (kind = event_kind_at(i)) && used < sizeof names; i++)
        if (kind->name)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? "|" : "",
                                     kind->name);
    app_complain(a, "a place is %s ID or time NS, not %.*s", names,
                 (int)(place.n < 60 ? place.n : 60), place.n ? place.p : "");
}

struct place_result app_go_to(struct app *a, struct str place)
{
    struct str rest = place, name = next_word(&rest);
    int64_t number, start = 0, dur = 0;
    const struct event_kind *kind = event_kind_find(name);
    bool is_time = str_eq(name, STR("time"));
    if ((!kind && !is_time) || !str_to_i64(next_word(&rest), &number)) {
        complain_about(a, place);
        return (struct place_result){.ok = false};
    }
    struct str word = next_word(&rest);
    if (word.n && (!str_eq(word, STR("window")) || !str_to_i64(next_word(&rest), &start) ||
                   !str_to_i64(next_word(&rest), &dur) || dur <= 0 || next_word(&rest).n)) {
        app_complain(a, "behind the place stands window START DUR, both in ns, or nothing");
        return (struct place_result){.ok = false};
    }
    const struct timeline *tl = app_timeline(a);
    if (kind && (number < 0 || number >= kind->count(tl))) {
        app_complain(a, "there is no %s %" PRId64, kind->name, number);
        return (struct place_result){.ok = false};
    }
    if (is_time && (number < tl->start || number > tl->end)) {
        app_complain(a, "%" PRId64 " is outside the trace: %" PRId64 " .. %" PRId64 " ns", number,
                     tl->start, tl->end);
        return (struct place_result){.ok = false};
    }
    effects e = word.n ? app_set_window(a, start, dur) : EFFECT_NONE;
    e |= kind ? app_jump(a, event_of(kind, (uint32_t)number)) : app_jump_time(a, number);
    return (struct place_result){true, e};
}

void app_print_place(struct app *a, char *out, size_t size)
{
    struct event_ref event = a->cursor.event;
    bool named = event.kind && event.kind->name;
    snprintf(out, size, "%s %" PRId64 " window %" PRId64 " %" PRId64,
             named ? event.kind->name : "time", named ? (int64_t)event.row : a->cursor.ts,
             a->viewport.start, a->viewport.dur);
}
