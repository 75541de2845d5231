#include "tui/query/query_pane.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "fmt/format.h"
#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/input/edit_keys.h"
#include "tui/input/sql_text.h"
#include "tui/query/grid_report.h"
#include "tui/query/query_behind.h"
#include "tui/query/query_run.h"
#include "tui/query/query_schema.h"

void query_init(struct query_pane *q)
{
    for (int i = 0; i < QUERY_TABS; i++)
        q->tabs[i] = (struct query_tab){.editor = {.multiline = true}, .error_at = NO_PLACE};
    q->tab_count = 1;
    q->editor.multiline = true;
    q->error_at = NO_PLACE;
    query_history_init(&q->history);
}

/* What the pane has becomes the current tab's. */
static void put_away(struct query_pane *q)
{
    q->tabs[q->tab] = (struct query_tab){
        .editor = q->editor,
        .grid = q->grid,
        .message = q->message,
        .sql = q->sql,
        .failed = q->failed,
        .done = q->done,
        .error_at = q->error_at,
    };
}

void query_move_texts(struct query_pane *to, struct query_pane *from)
{
    put_away(to);
    put_away(from);
    for (int i = 0; i < QUERY_TABS; i++) {
        struct editor editor = to->tabs[i].editor;
        to->tabs[i].editor = from->tabs[i].editor;
        from->tabs[i].editor = editor;
    }
    to->tab = from->tab;
    to->tab_count = from->tab_count;
    to->editor = to->tabs[to->tab].editor;
    from->editor = from->tabs[from->tab].editor;
}

static void release_tab(struct query_tab *t)
{
    editor_release(&t->editor);
    grid_free(t->grid);
    free(t->message);
    free(t->sql);
}

effects query_choose_tab(struct app *a, int tab)
{
    struct query_pane *q = a->query;
    if (q->running) {
        app_say(a, "a query runs: Ctrl-C cancels it");
        return EFFECT_NONE;
    }
    tab = tab < q->tab_count ? tab : q->tab_count;
    if (tab >= QUERY_TABS)
        return EFFECT_NONE;
    put_away(q);
    q->unprinted = false;
    completion_popup_close(&q->popup);
    const struct query_tab *t = &q->tabs[tab];
    q->tab = tab;
    q->tab_count = tab < q->tab_count ? q->tab_count : tab + 1;
    q->editor = t->editor;
    q->grid = t->grid;
    q->message = t->message;
    q->sql = t->sql;
    q->failed = t->failed;
    q->done = t->done;
    q->error_at = t->error_at;
    a->focus = FOCUS_EDITOR;
    return EFFECT_ROWS;
}

void query_release(struct query_pane *q)
{
    query_history_release(&q->history);
    completion_popup_close(&q->popup);
    schema_free(q->schema);
    put_away(q);
    for (size_t i = 0; i < q->left.count; i++)
        query_left_release(&q->left.items[i]);
    vec_release(&q->left);
    for (int i = 0; i < QUERY_TABS; i++)
        release_tab(&q->tabs[i]);
}

effects query_open(struct app *a)
{
    if (!a->query_open)
        a->query->from_details = a->focus == FOCUS_DETAILS;
    a->query_open = true;
    a->query_whole |= a->options.below_prompt;
    a->focus = FOCUS_EDITOR;
    query_ask_for_schema(a);
    return EFFECT_ROWS;
}

effects query_close(struct app *a)
{
    bool back = a->query->from_details && a->focus != FOCUS_TRACKS;
    a->query_open = false;
    a->query->waits = QUERY_NONE;
    a->focus = back ? FOCUS_DETAILS : FOCUS_TRACKS;
    return EFFECT_ROWS;
}

static void take_text(struct query_pane *q, struct str text)
{
    completion_popup_close(&q->popup);
    editor_set(&q->editor, text);
    q->done = false;
    q->error_at = NO_PLACE;
}

effects query_show(struct app *a, const char *sql)
{
    take_text(a->query, str_from(sql));
    return query_open(a);
}

void query_clear(struct app *a)
{
    struct query_pane *q = a->query;
    if (q->editor.text.count > 0)
        app_say(a, "cleared; Ctrl-_ brings it back");
    take_text(q, STR(""));
    if (!a->options.below_prompt) /* where what is said belongs to the text, not to the rows */
        return;
    free(q->message);
    q->message = NULL;
}

void query_format(struct app *a)
{
    struct query_pane *q = a->query;
    char *text;
    struct status s = sql_format("query", editor_text(&q->editor), &text);
    if (!status_ok(s)) {
        query_set_message(q, true, s.message);
        q->error_at = sql_error_place(editor_text(&q->editor), s.message);
        status_release(&s);
        return;
    }
    size_t n = strlen(text);
    take_text(q, (struct str){text, n - (n > 0)}); /* without the last line's end */
    free(text);
}

void query_edit_outside(struct app *a)
{
    const char *editor = getenv("VISUAL");
    editor = editor && *editor ? editor : getenv("EDITOR");
    editor = editor && *editor ? editor : "vi";
    char path[] = "/tmp/tptui-XXXXXX.sql", command[4096];
    int fd = mkostemps(path, 4, O_CLOEXEC);
    FILE *f = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (!f) {
        app_complain(a, "%s: %s", path, strerror(errno));
        return;
    }
    fwrite(a->query->editor.text.items, 1, a->query->editor.text.count, f);
    fflush(f);
    snprintf(command, sizeof command, "%s %s", editor, path);
    term_leave(a->term);
    int result = system(command);
    term_enter(a->term);
    char *text = NULL;
    size_t cap = 0;
    FILE *edited = result == 0 ? fopen(path, "re") : NULL;
    ssize_t n = edited ? getdelim(&text, &cap, '\0', edited) : -1;
    if (n >= 0)
        take_text(a->query, (struct str){text, (size_t)n - (n > 0 && text[n - 1] == '\n')});
    else
        app_complain(a, "%s did not save the query", editor);
    free(text);
    if (edited)
        fclose(edited);
    fclose(f);
    unlink(path);
}

static void recall(struct query_pane *q, int direction)
{
    const char *text = query_history_step(&q->history, direction, editor_text(&q->editor));
    if (text)
        take_text(q, str_from(text));
}

/* A query that was run is done: what is typed behind it is the next one. */
static void begin_next(struct app *a, const struct key_event *key)
{
    struct query_pane *q = a->query;
    bool types = key->key == TK_PASTE || (key->key > ' ' && key->key < TK_FIRST);
    if (q->done && types && q->editor.caret == q->editor.text.count) {
        editor_start_anew(&q->editor);
        q->history.at = q->history.texts.v.count;
        app_say(a, "a new query; Up or Ctrl-_ brings the one before back");
    }
    q->done = false;
    q->error_at = NO_PLACE;
}

static void list_completions(struct app *a, bool wanted)
{
    struct query_pane *q = a->query;
    completion_popup_follow(&q->popup, q->schema, &q->editor, wanted);
    if (q->popup.found.v.count == 0)
        app_say(a, q->schema ? "nothing to complete here" : "the schema is being read");
}

effects query_complete(struct app *a)
{
    list_completions(a, true);
    return EFFECT_NONE;
}

static bool stands_behind_word(const struct editor *e)
{
    char c = e->caret > 0 ? editor_text(e).p[e->caret - 1] : ' ';
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/* A comma or an opening parenthesis, and blanks perhaps: something must follow. */
static bool is_not_finished(const struct editor *e)
{
    struct str text = editor_text(e);
    size_t n = e->caret;
    while (n > 0 && (text.p[n - 1] == ' ' || text.p[n - 1] == '\n'))
        n--;
    return n > 0 && (text.p[n - 1] == ',' || text.p[n - 1] == '(');
}

bool query_editor_key(struct app *a, const struct key_event *key)
{
    struct query_pane *q = a->query;
    struct editor_place place = editor_place(&q->editor);
    a->query->waits = QUERY_NONE; /* what is written now is not what was to run */
    bool at_end = q->editor.caret == q->editor.text.count;
    bool back = key->key == (TK_SHIFT | TK_TAB);
    if ((key->key == TK_TAB || (back && q->popup.inserted)) &&
        completion_popup_take(&q->popup, &q->editor, back ? -1 : 1))
        return true;
    bool in_word = stands_behind_word(&q->editor); /* who types wants no other pane */
    if (key->key == TK_TAB && (in_word || is_not_finished(&q->editor))) {
        list_completions(a, !in_word);
        return true;
    }
    if (key->key == (TK_CTRL | 'd') && a->options.sql && q->editor.text.count == 0) {
        a->quit = true;
        return true;
    }
    if (key->key == TK_ESC && q->popup.found.v.count > 0) {
        completion_popup_close(&q->popup);
        return true;
    }
    if (key->key == TK_ENTER && at_end && sql_is_complete(editor_text(&q->editor))) {
        query_run(a, false);
        return true;
    }
    if ((key->key == TK_UP && place.line == 0) || key->key == (TK_CTRL | 'p')) {
        recall(q, -1);
        return true;
    }
    if ((key->key == TK_DOWN && place.line == place.lines - 1) || key->key == (TK_CTRL | 'n')) {
        recall(q, 1);
        return true;
    }
    bool done = q->done;
    size_t error_at = q->error_at;
    begin_next(a, key);
    if (edit_keys_press(a->edit_keys, &q->editor, key)) {
        bool typed = key->key >= ' ' && key->key < TK_FIRST;
        bool narrowed = key->key == TK_BACKSPACE && q->popup.found.v.count > 0;
        if (typed || narrowed)
            completion_popup_follow(&q->popup, q->schema, &q->editor, false);
        else
            completion_popup_close(&q->popup);
        q->edited = true;
        return true;
    }
    q->done = done; /* it is no key of the text */
    q->error_at = error_at;
    return false;
}

static int editor_height(const struct app *a, int room)
{
    int lines = editor_place(&a->query->editor).lines;
    int most = room / 2 > 1 ? room / 2 : 1;
    return lines < 1 ? 1 : lines > most ? most : lines;
}

int query_draw_message(struct cells *c, struct rect area, const struct query_pane *q)
{
    struct str rest = str_from(q->message ? q->message : "");
    int y = 0;
    for (struct str line; y < area.h && str_next_line(&rest, &line);)
        cells_put_text(c, area.x, area.y + y++, area.w, line, q->failed ? ROLE_ERROR : ROLE_DIM, 0);
    return y;
}

/* "row 3 of 1,234" at the right end of a line, and the filters before it. */
static void draw_grid_place(struct cells *c, struct rect line, const struct grid *g)
{
    char row[32], rows[32], text[160], filters[200];
    grid_print_filters(g, filters, sizeof filters);
    if (filters[0])
        cells_put_format(c, line.x + 8, line.y, line.w - 50, ROLE_TAB_ACTIVE, 0, " only %s%s ",
                         filters, g->ordering ? " ..." : "");
    if (grid_rows(g) == 0)
        return;
    char type[60] = "";
    if (g->column < g->columns.count)
        grid_print_type(g, &g->columns.items[g->column], type, sizeof type);
    format_value(row, sizeof row, (double)g->row + 1);
    format_value(rows, sizeof rows, grid_rows(g));
    int n = snprintf(text, sizeof text, " %s   row %s of %s ", type, row, rows);
    cells_put_text(c, line.x + line.w - n - 1, line.y, n, str_from(text), ROLE_TAB, 0);
}

void query_draw(struct app *a, struct rect area)
{
    struct cells *c = &a->cells;
    struct query_pane *q = a->query;
    cells_fill(c, (struct rect){area.x, area.y, area.w, 1}, U'─', ROLE_BORDER, 0);
    char number[32] = "";
    if (q->tab_count > 1)
        snprintf(number, sizeof number, " %d of %d", q->tab + 1, q->tab_count);
    if (a->focus == FOCUS_EDITOR)
        cells_put_format(c, area.x + 1, area.y, area.w - 2, ROLE_TAB_ACTIVE, 0,
                         "[SQL%s] Enter after a final ; runs, Up recalls ", number);
    else
        cells_put_format(c, area.x + 1, area.y, area.w - 2, ROLE_TAB, 0, " SQL%s ", number);
    int h = editor_height(a, area.h - 1), y = area.y + 1;
    cells_put(c, area.x, y, '>', ROLE_PROMPT, 0);
    struct sql_marks marks = {.error = q->error_at, .done = q->done};
    struct editor_caret caret =
        sql_text_draw(c, (struct rect){area.x + 2, y, area.w - 2, h}, &q->editor, &marks);
    if (a->focus == FOCUS_EDITOR) {
        a->caret_x = caret.x;
        a->caret_y = caret.y;
    }
    y += h;
    char sums[200] = "";
    grid_print_sums(a, sums, sizeof sums);
    if (sums[0]) {
        cells_put_text(c, area.x + 1, y++, area.w - 2, str_from(sums), ROLE_STRONG, 0);
    } else if (q->running) {
        char rows[48];
        query_print_rows(rows, sizeof rows, q->grid ? grid_rows(q->grid) : 0);
        cells_put_format(c, area.x + 1, y++, area.w - 2, ROLE_PROGRESS, 0,
                         "%s, %.1f s, %s; Ctrl-C cancels",
                         q->waiting ? "waiting for the cancelled query's end" : "running",
                         query_seconds_since(&q->started), rows);
    } else if (q->message) {
        y +=
            query_draw_message(c, (struct rect){area.x + 1, y, area.w - 2, area.y + area.h - y}, q);
    }
    if (q->grid && y + 1 < area.y + area.h) {
        struct rect box = {area.x, y, area.w, area.y + area.h - y};
        struct grid_caret cell = q->grid->plot.on
                                     ? plot_draw(c, box, &q->grid->plot, q->grid)
                                     : grid_draw(c, box, q->grid, a->focus == FOCUS_GRID);
        draw_grid_place(c, (struct rect){area.x, area.y, area.w, 1}, q->grid);
        if (a->focus == FOCUS_GRID) {
            a->caret_x = cell.x;
            a->caret_y = cell.y;
        }
    }
    if (a->focus == FOCUS_EDITOR)
        completion_popup_draw(c, area, &q->popup, caret);
}
