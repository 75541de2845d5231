#include "tui/app/copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/app/state.h"

static const char *table_of(enum event_kind kind)
{
    switch (kind) {
    case EVENT_SLICE:
        return "slice";
    case EVENT_STATE:
        return "thread_state";
    case EVENT_SCHED:
        return "sched_slice";
    case EVENT_COUNTER:
        return "counter";
    case EVENT_NONE:
    case EVENT_DEBUG:
    case EVENT_DEBUG_COUNTER:
        break;
    }
    return NULL;
}

static void copy_grid_row(struct app *a, char *out, size_t size)
{
    const struct grid *g = a->query.grid;
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; g && g->rows && i < g->columns && used + 1 < size; i++) {
        if (i > 0)
            out[used++] = '\t';
        grid_text(grid_value(g, g->selected, i), out + used, size - used);
        used += strlen(out + used);
    }
}

static void event_text(struct app *a, enum copy_what what, char *out, size_t size)
{
    const struct timeline *tl = app_timeline(a);
    char name[512];
    struct event_span span = event_times(tl, app_tree(a), a->cursor.event);
    event_name(tl, app_tree(a), a->cursor.event, name, sizeof name);
    switch (what) {
    case COPY_ROW:
        if (a->focus == FOCUS_GRID)
            copy_grid_row(a, out, size);
        else
            snprintf(out, size, "%" PRId64 "\t%" PRId64 "\t%s", span.ts, span.end - span.ts, name);
        break;
    case COPY_NAME:
        snprintf(out, size, "%s", name);
        break;
    case COPY_TIME:
        snprintf(out, size, "%" PRId64, a->cursor.ts);
        break;
    case COPY_SQL:
        if (table_of(a->cursor.event.kind))
            snprintf(out, size, "SELECT * FROM %s WHERE id = %u;", table_of(a->cursor.event.kind),
                     a->cursor.event.row);
        else
            snprintf(out, size, "%.*s", (int)a->query.editor.text.count,
                     a->query.editor.text.count ? a->query.editor.text.items : "");
        break;
    case COPY_SCREEN:
        out[0] = '\0';
        break;
    }
}

void app_copy(struct app *a, enum copy_what what)
{
    char text[4096];
    char *screen = what == COPY_SCREEN ? cells_text(&a->cells) : NULL;
    event_text(a, what, text, sizeof text);
    struct str copied = str_from(screen ? screen : text);
    switch (term_copy(a->term, copied)) {
    case COPIED_OSC52:
        app_say(a, "copied by OSC 52, if the terminal takes it: %.60s",
                screen ? "the screen" : text);
        break;
    case COPIED_TMUX:
        app_say(a, "copied to tmux: %.60s", screen ? "the screen" : text);
        break;
    case COPIED_NOT:
        app_complain(a, "not copied: no way to the clipboard, or too long");
        break;
    }
    free(screen);
}
