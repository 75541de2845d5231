#include "tui/app/marks.h"

#include <stdio.h>

#include "tui/app/state.h"
#include "tui/view/events.h"
#include "tui/view/time_format.h"

void app_mark(struct app *a, struct str text)
{
    struct note *note = vec_push(&a->notes);
    char distance[40];
    *note = (struct note){.mark = {a->cursor.ts, (char)('A' + (a->notes.count - 1) % 26)},
                          .cursor = a->cursor};
    if (text.n > 0)
        snprintf(note->text, sizeof note->text, "%.*s", (int)(text.n < 79 ? text.n : 79), text.p);
    else
        event_name(app_timeline(a), app_tree(a), a->cursor.event, note->text, sizeof note->text);
    *vec_push(&a->marks) = note->mark;
    if (a->notes.count < 2) {
        app_say(a, "mark A; the next one shows the distance");
        return;
    }
    const struct note *before = note - 1;
    format_exact(distance, sizeof distance, note->mark.ts - before->mark.ts);
    app_say(a, "%c..%c %s", before->mark.letter, note->mark.letter, distance);
}
