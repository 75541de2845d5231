#include "tui/app/copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tui/app/place.h"
#include "tui/app/state.h"
#include "tui/app/state_path.h"
#include "tui/view/events.h"

/* Escaped: what is in a trace must not act on the terminal into which it is pasted. */
static size_t put_escaped(char *out, size_t size, struct str s)
{
    size_t used = 0;
    char glyph[TEXT_ESCAPE_MAX];
    while (s.n) {
        struct text_glyph g = text_escape_next(s, glyph);
        size_t n = strlen(glyph);
        if (used + n >= size)
            break;
        memcpy(out + used, glyph, n);
        used += n;
        s = str_skip(s, g.used);
    }
    out[used] = '\0';
    return used;
}

static size_t put_value(char *out, size_t size, const struct sql_value *v)
{
    if (v->type == SQL_TEXT)
        return put_escaped(out, size, v->s);
    if (v->type != SQL_BLOB) {
        result_text(v, out, size);
        return strlen(out);
    }
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < v->s.n && used + 3 < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%02x", (unsigned char)v->s.p[i]);
    return used;
}

static void copy_grid_row(struct app *a, char *out, size_t size)
{
    struct grid *g = a->query.grid;
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; g && grid_rows(g) && i < g->columns.count && used + 1 < size; i++) {
        struct sql_value v = grid_value(g, g->row, g->columns.items[i].source);
        if (i > 0)
            out[used++] = '\t';
        used += put_value(out + used, size - used, &v);
    }
}

/* As one word of a shell's. */
static void quote(char *out, size_t size, const char *text)
{
    size_t used = 0;
    out[used++] = '\'';
    for (const char *p = text; *p && used + 6 < size; p++)
        used += (size_t)snprintf(out + used, size - used, *p == '\'' ? "'\\''" : "%c", *p);
    out[used++] = '\'';
    out[used] = '\0';
}

/* The command that opens the trace at this place. */
static void copy_link(struct app *a, char *out, size_t size)
{
    char path[4096];
    char *full = realpath(a->options.path, NULL), *place = app_print_place(a);
    quote(path, sizeof path, full ? full : a->options.path);
    snprintf(out, size, "tptui --goto '%s' %s", place, path);
    free(place);
    free(full);
}

static void event_text(struct app *a, enum copy_what what, char *out, size_t size)
{
    const struct timeline *tl = app_timeline(a);
    char raw[512], name[4 * sizeof raw];
    struct event_span span = event_times(tl, app_tree(a), a->cursor.event);
    event_name(tl, app_tree(a), a->cursor.event, raw, sizeof raw);
    put_escaped(name, sizeof name, str_from(raw));
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
        if (a->cursor.event.kind && a->cursor.event.kind->table)
            snprintf(out, size, "SELECT * FROM %s WHERE id = %u;", a->cursor.event.kind->table,
                     a->cursor.event.row);
        else
            snprintf(out, size, "%.*s", (int)a->query.editor.text.count,
                     a->query.editor.text.count ? a->query.editor.text.items : "");
        break;
    case COPY_LINK:
        copy_link(a, out, size);
        break;
    case COPY_SCREEN:
        out[0] = '\0';
        break;
    }
}

/* Also into a file, for where no clipboard can be reached: its path, or an empty text. */
static void keep_copy(struct str text, char *path, size_t size)
{
    FILE *f = app_state_path("copied", path, size, true) ? fopen(path, "we") : NULL;
    if (!f || fwrite(text.p, 1, text.n, f) != text.n)
        path[0] = '\0';
    if (f && fclose(f) != 0)
        path[0] = '\0';
}

void app_copy(struct app *a, enum copy_what what)
{
    char text[65536], path[4096];
    char *screen = what == COPY_SCREEN ? cells_text(&a->cells) : NULL;
    event_text(a, what, text, sizeof text);
    struct str copied = str_from(screen ? screen : text);
    keep_copy(copied, path, sizeof path);
    const char *shown = screen ? "the screen" : text;
    switch (term_copy(a->term, copied)) {
    case COPIED_OSC52:
        app_say(a, "copied, if the terminal takes OSC 52, and to %s: %.60s", path, shown);
        break;
    case COPIED_TMUX:
        app_say(a, "copied to tmux: %.80s", shown);
        break;
    case COPIED_NOT:
        if (path[0])
            app_say(a, "no way to the clipboard; in %s: %.60s", path, shown);
        else
            app_complain(a, "not copied: no way to the clipboard, and no folder to write to");
        break;
    }
    free(screen);
}
