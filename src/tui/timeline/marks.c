#include "tui/timeline/marks.h"

#include <stdio.h>

#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/events.h"

struct note *app_put_mark(struct app *a, const struct timeline_cursor *at, struct str text)
{
    struct note *note = vec_push(&a->view->notes);
    *note = (struct note){.mark = {at->ts, (char)('A' + (a->view->notes.count - 1) % 26)},
                          .cursor = *at};
    snprintf(note->text, sizeof note->text, "%.*s", (int)(text.n < 79 ? text.n : 79),
             text.n ? text.p : "");
    *vec_push(&a->view->marks) = note->mark;
    return note;
}

void app_mark(struct app *a, struct str text)
{
    char name[80], distance[40];
    event_name(app_timeline(a), app_tree(a), a->view->cursor.event, name, sizeof name);
    const struct note *note = app_put_mark(a, &a->view->cursor, text.n > 0 ? text : str_from(name));
    if (a->view->notes.count < 2) {
        app_say(a, "mark A; the next one shows the distance");
        return;
    }
    const struct note *before = note - 1;
    format_exact(distance, sizeof distance, note->mark.ts - before->mark.ts);
    app_say(a, "%c..%c %s", before->mark.letter, note->mark.letter, distance);
}
