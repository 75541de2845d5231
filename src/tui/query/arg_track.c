#include "tui/query/arg_track.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "tui/context/state.h"
#include "tui/input/sql_text.h"
#include "tui/query/query_track.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/events.h"

enum { NAME_BYTES = 80 };

static bool is_number(enum arg_type type)
{
    return type == ARG_INT || type == ARG_UINT || type == ARG_BOOL || type == ARG_REAL;
}

/* "KEY of NAME=SELECT ...", for free(). A = in a name would end it. */
static char *track_of(struct app *a, const struct arg *arg)
{
    struct event_ref e = a->view->cursor.event;
    bool slice = e.kind == &slice_events;
    char called[256];
    event_name(app_timeline(a), app_tree(a), e, called, sizeof called);
    struct str key = timeline_str(app_timeline(a), arg->key);
    struct str name = slice ? slice_name(app_timeline(a), e.row) : str_from(called);
    char label[2 * NAME_BYTES + 8], *text = NULL;
    size_t size;
    snprintf(label, sizeof label, "%.*s of %.*s", (int)(key.n < NAME_BYTES ? key.n : NAME_BYTES),
             key.p, (int)(name.n < NAME_BYTES ? name.n : NAME_BYTES), name.n ? name.p : "");
    for (char *c = label; *c; c++)
        *c = *c == '=' ? ':' : *c;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    char *quoted_key = sql_quote(key), *quoted_name = sql_quote(name);
    fprintf(f,
            "%s=SELECT * FROM (\n"
            "  SELECT id AS %s, ts, %s extract_arg(arg_set_id, %s) AS %s\n"
            "  FROM %s WHERE name = %s\n"
            ") WHERE %s IS NOT NULL ORDER BY ts;",
            label, slice ? "slice_id" : "ftrace_event_id",
            is_number(arg->type) ? ""
            : slice              ? "dur,"
                                 : "0 AS dur,",
            quoted_key, is_number(arg->type) ? "value" : "name", slice ? "slice" : "ftrace_event",
            quoted_name, is_number(arg->type) ? "value" : "name");
    fclose(f);
    free(quoted_key);
    free(quoted_name);
    return text;
}

effects app_track_arg(struct app *a)
{
    struct event_ref e = a->view->cursor.event;
    struct arg_list list = {0};
    if (a->view->pane.tab != &args_tab || (e.kind != &slice_events && e.kind != &ftrace_events)) {
        app_say(a, "the args of a slice or an event of ftrace become tracks: tab 2, on an arg");
        return EFFECT_NONE;
    }
    args_read(&app_timeline(a)->trace->args, e.kind->arg_set(app_timeline(a), app_tree(a), e),
              &list);
    if (a->view->pane.line < list.v.count) { /* a line for each arg */
        char *track = track_of(a, &list.v.items[a->view->pane.line]);
        if (track)
            query_track_ask(a, str_from(track), NULL);
        free(track);
        app_say(a, "the arg becomes a track at the top");
    }
    arg_list_release(&list);
    return EFFECT_NONE;
}
