#include "tui/timeline/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/context/state.h"
#include "tui/timeline/history.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/move.h"
#include "tui/timeline/row_marks.h"
#include "tui/timeline/timeline_view.h"

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

static struct place_result refuse(void)
{
    return (struct place_result){.ok = false};
}

/* What stands behind the event or the time. */
struct screen {
    int64_t start, dur; /* of the window; dur 0: not said */
    struct row_id row;  /* of the cursor; node NO_NODE: not said */
    int64_t at;
    struct str marks; /* of the rows; p NULL: not said */
};

static bool parse_screen(const struct app *a, struct str rest, struct screen *s)
{
    *s = (struct screen){.row = {.node = NO_NODE}};
    for (struct str word; (word = next_word(&rest)).n > 0;) {
        if (str_eq(word, STR("window"))) {
            if (!str_to_i64(next_word(&rest), &s->start) ||
                !str_to_i64(next_word(&rest), &s->dur) || s->dur <= 0)
                return false;
        } else if (str_eq(word, STR("row"))) {
            if (!row_word_parse(a, next_word(&rest), &s->row))
                s->row.node = NO_NODE; /* not in this trace, or not yet */
            if (!str_eq(next_word(&rest), STR("at")) || !str_to_i64(next_word(&rest), &s->at))
                return false;
        } else if (str_eq(word, STR("rows"))) {
            s->marks = str_trim(rest);
            s->marks.p = s->marks.p ? s->marks.p : "";
            return true;
        } else {
            return false;
        }
    }
    return true;
}

static bool check_number(struct app *a, const struct event_kind *kind, int64_t number)
{
    const struct timeline *tl = app_timeline(a);
    if (kind && (number < 0 || number >= kind->count(tl)))
        app_complain(a, "there is no %s %" PRId64, kind->name, number);
    else if (!kind && (number < tl->start || number > tl->end))
        app_complain(a, "%" PRId64 " is outside the trace: %" PRId64 " .. %" PRId64 " ns", number,
                     tl->start, tl->end);
    else
        return true;
    return false;
}

/* The cursor exactly where it was. */
static effects put_exactly(struct app *a, const struct screen *s, struct event_ref event)
{
    if (s->marks.p)
        row_marks_apply(a, s->marks);
    if (s->dur > 0)
        app_set_window(a, s->start, s->dur);
    a->focus = FOCUS_TRACKS;
    app_leave_findings(a);
    return app_put_cursor(a, &s->row, s->at, event);
}

/* `again`: the history has kept what was before. */
static struct place_result go_to(struct app *a, struct str place, bool again)
{
    struct str rest = place, name = next_word(&rest);
    int64_t number;
    const struct event_kind *kind = event_kind_find(name);
    struct screen screen;
    bool is_time = str_eq(name, STR("time"));
    if ((!kind && !is_time) || !str_to_i64(next_word(&rest), &number)) {
        complain_about(a, place);
        return refuse();
    }
    if (!parse_screen(a, rest, &screen)) {
        app_complain(a, "behind the place stand window START DUR, row ROW at TIME, rows MARKS, "
                        "or nothing");
        return refuse();
    }
    if (!check_number(a, kind, number))
        return refuse();
    struct event_ref event = kind ? event_of(kind, (uint32_t)number) : NO_EVENT;
    if (screen.row.node != NO_NODE && !again)
        app_remember(a);
    if (screen.row.node != NO_NODE)
        return (struct place_result){true, put_exactly(a, &screen, event)};
    if (screen.marks.p)
        row_marks_apply(a, screen.marks);
    effects e = kind ? app_jump(a, event) : app_jump_time(a, number);
    if (screen.dur > 0)
        e |= app_set_window(a, screen.start, screen.dur);
    return (struct place_result){true, e};
}

struct place_result app_go_to(struct app *a, struct str place)
{
    return go_to(a, place, false);
}

void app_place_settle(struct app *a)
{
    free(a->view->late_place);
    a->view->late_place = NULL;
}

struct place_result app_open_place(struct app *a, struct str place)
{
    struct place_result result = app_go_to(a, place);
    app_place_settle(a);
    if (result.ok && memmem(place.p, place.n, "query:", 6))
        a->view->late_place = alloc_copy(place.p, place.n);
    return result;
}

effects app_place_late(struct app *a)
{
    if (!a->view->late_place)
        return EFFECT_NONE;
    effects e = go_to(a, str_from(a->view->late_place), true).effects;
    return e | app_keep_window_end(a); /* of what was loaded anew */
}

char *app_print_place(struct app *a)
{
    struct event_ref event = a->view->cursor.event;
    bool named = event.kind && event.kind->name;
    struct row_id row = a->view->cursor.key;
    char word[ROW_WORD_MAX], *text = NULL, *marks = row_marks_print(a);
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (row.place == PLACE_LINKED)
        row.place = PLACE_TREE;
    if (f) {
        row_word_print(a, &row, word);
        fprintf(f, "%s %" PRId64 " row %s at %" PRId64 " window %" PRId64 " %" PRId64 " rows %s",
                named ? event.kind->name : "time", named ? (int64_t)event.row : a->view->cursor.ts,
                word, a->view->cursor.ts, a->view->viewport.start, a->view->viewport.dur, marks);
        fclose(f);
    }
    free(marks);
    return text ? text : alloc_copy("", 0);
}
