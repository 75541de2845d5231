#include "tui/app/copy.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/user_path.h"
#include "base/utf8.h"
#include "sql/export/result_writer.h"
#include "tui/context/state.h"
#include "tui/query/grid.h"
#include "tui/query/query_pane.h"
#include "tui/timeline/place.h"
#include "tui/timeline/timeline_view.h"
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

static void print_escaped(FILE *f, struct str s)
{
    char glyph[TEXT_ESCAPE_MAX];
    while (s.n) {
        struct text_glyph g = text_escape_next(s, glyph);
        fputs(glyph, f);
        s = str_skip(s, g.used);
    }
}

static void print_value(FILE *f, const struct sql_value *v)
{
    if (v->type == SQL_TEXT) {
        print_escaped(f, v->s);
        return;
    }
    char *text = result_value_text(v);
    fputs(text ? text : "", f);
    free(text);
}

static void print_grid_row(FILE *f, struct grid *g, uint32_t row)
{
    bool first = true;
    for (uint32_t i = 0; i < g->columns.count; i++) {
        if (g->columns.items[i].hidden)
            continue;
        struct sql_value v = grid_value(g, row, g->columns.items[i].source);
        if (!first)
            fputc('\t', f);
        print_value(f, &v);
        first = false;
    }
}

static void print_grid_names(FILE *f, const struct grid *g)
{
    bool first = true;
    for (uint32_t i = 0; i < g->columns.count; i++) {
        if (g->columns.items[i].hidden)
            continue;
        fputs(first ? "" : "\t", f);
        print_escaped(f, str_from(result_name(g->result, g->columns.items[i].source)));
        first = false;
    }
    fputc('\n', f);
}

/* More than the clipboard takes is not even collected. */
static bool has_room(FILE *f)
{
    return ftell(f) <= TERM_COPY_MAX;
}

/* What is copied of a result; for free(). */
static char *grid_copy(struct grid *g, enum copy_what what)
{
    char *text = NULL;
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    struct grid_range range = grid_selection(g);
    const struct grid_column *column = grid_current(g);
    if (!f)
        return alloc_copy("", 0);
    if (what == COPY_ALL)
        print_grid_names(f, g);
    if (what == COPY_ALL || what == COPY_COLUMN)
        range = (struct grid_range){0, grid_rows(g)};
    if (what == COPY_CELL)
        range = (struct grid_range){g->row, g->row + 1};
    for (uint32_t row = range.from; row < range.to && column && has_room(f); row++) {
        if (row > range.from)
            fputc('\n', f);
        if (what == COPY_ROW || what == COPY_ALL) {
            print_grid_row(f, g, row);
            continue;
        }
        struct sql_value v = grid_value(g, row, column->source);
        print_value(f, &v);
    }
    fclose(f);
    return text;
}

/* What a terminal or a shell's line editor acts on instead of taking it, also between quotes. */
static bool is_control(char c)
{
    return (unsigned char)c < ' ' || c == '\x7f';
}

/* As one word of a shell's. */
static void quote(char *out, size_t size, const char *text)
{
    size_t used = 0;
    out[used++] = '\'';
    for (const char *p = text; *p && used + 6 < size; p++)
        used += (size_t)snprintf(out + used, size - used, *p == '\'' ? "'\\''" : "%c",
                                 is_control(*p) ? '?' : *p);
    out[used++] = '\'';
    out[used] = '\0';
}

/* The command that opens the trace at this place. */
static void copy_link(struct app *a, char *out, size_t size)
{
    char path[4096];
    char *full = realpath(a->options.path, NULL), *place = app_print_place(a);
    quote(path, sizeof path, full ? full : a->options.path);
    const struct pair_options *pair = &a->options.pair;
    char *other = pair->b ? realpath(pair->b, NULL) : NULL, second[4096];
    if (pair->b) {
        quote(second, sizeof second, other ? other : pair->b);
        snprintf(out, size, "tptui --goto '%s' --compare %s --align %" PRId64 " %s", place, second,
                 pair->shift, path);
    } else {
        snprintf(out, size, "tptui --goto '%s' %s", place, path);
    }
    free(other);
    free(place);
    free(full);
}

static void event_text(struct app *a, enum copy_what what, char *out, size_t size)
{
    const struct timeline *tl = app_timeline(a);
    char raw[512], name[4 * sizeof raw];
    struct event_span span = event_times(tl, app_tree(a), a->view->cursor.event);
    event_name(tl, app_tree(a), a->view->cursor.event, raw, sizeof raw);
    put_escaped(name, sizeof name, str_from(raw));
    switch (what) {
    case COPY_ROW:
        snprintf(out, size, "%" PRId64 "\t%" PRId64 "\t%s", span.ts, span.end - span.ts, name);
        break;
    case COPY_NAME:
        snprintf(out, size, "%s", name);
        break;
    case COPY_TIME:
        snprintf(out, size, "%" PRId64, a->view->cursor.ts);
        break;
    case COPY_SQL:
        if (a->view->cursor.event.kind && a->view->cursor.event.kind->table)
            snprintf(out, size, "SELECT * FROM %s WHERE id = %u;",
                     a->view->cursor.event.kind->table, a->view->cursor.event.row);
        else
            snprintf(out, size, "%.*s", (int)a->query->editor.text.count,
                     a->query->editor.text.count ? a->query->editor.text.items : "");
        break;
    case COPY_LINK:
        copy_link(a, out, size);
        break;
    case COPY_SCREEN:
    case COPY_CELL:
    case COPY_COLUMN:
    case COPY_ALL:
        out[0] = '\0';
        break;
    }
}

/* Also into a file, for where no clipboard can be reached: its path, or an empty text. */
static void keep_copy(struct str text, char *path, size_t size)
{
    struct status s = user_path(USER_STATE, "copied", path, size, true)
                          ? replace_file_text(path, text.p, text.n)
                          : status_error(STATUS_IO, "there is no folder for it");
    if (!status_ok(s))
        path[0] = '\0';
    status_release(&s);
}

void app_copy(struct app *a, enum copy_what what)
{
    char text[65536], path[4096];
    char *screen = what == COPY_SCREEN ? cells_text(&a->cells) : NULL;
    bool of_grid = a->focus == FOCUS_GRID && a->query->grid && grid_rows(a->query->grid) > 0;
    bool grid_only = what == COPY_CELL || what == COPY_COLUMN || what == COPY_ALL;
    char *rows =
        of_grid && (grid_only || what == COPY_ROW) ? grid_copy(a->query->grid, what) : NULL;
    event_text(a, what, text, sizeof text);
    struct str copied = str_from(screen ? screen : rows ? rows : text);
    if (copied.n > TERM_COPY_MAX) {
        app_complain(a, "more than the clipboard takes (%d bytes): w writes all rows to a file",
                     TERM_COPY_MAX);
        free(screen);
        free(rows);
        return;
    }
    keep_copy(copied, path, sizeof path);
    const char *shown = screen ? "the screen" : rows ? rows : text;
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
    free(rows);
}
