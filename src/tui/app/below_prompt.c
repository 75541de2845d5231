#include "tui/app/below_prompt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/app/draw.h"
#include "tui/context/state.h"
#include "tui/input/sql_text.h"
#include "tui/query/grid.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_run.h"

/* Popups take so many lines below the text. */
enum { POPUP_ROWS = 8, PROMPT_WIDTH = 2, TEXT_LINES_MAX = 200 };

bool below_prompt_is_on(const struct app *a)
{
    if (!a->options.below_prompt)
        return false;
    if (!a->opened)
        return true;
    return a->query_whole && a->focus == FOCUS_EDITOR &&
           (a->overlay == OVERLAY_NONE || a->overlay == OVERLAY_QUIT);
}

static int longest_line(const char *text)
{
    size_t longest = 0;
    struct str rest = str_from(text), line;
    while (str_next_line(&rest, &line))
        longest = line.n > longest ? line.n : longest;
    return longest < CELLS_MAX_WIDTH ? (int)longest : CELLS_MAX_WIDTH;
}

static int message_lines(const struct query_pane *q)
{
    return q->message ? query_lines(q->message) : 0;
}

/* ---- what stays ---- */

/* The statement as it was typed, behind a prompt; returns its lines. */
static int draw_statement(struct cells *c, const struct query_pane *q)
{
    struct editor text = {.multiline = true};
    struct sql_marks marks = {.error = NO_PLACE};
    editor_set(&text, str_from(q->sql ? q->sql : ""));
    int lines = editor_place(&text).lines;
    text.caret = 0; /* in sight */
    lines = lines < TEXT_LINES_MAX ? lines : TEXT_LINES_MAX;
    cells_put(c, 0, 0, '>', ROLE_PROMPT, 0);
    sql_text_draw(c, (struct rect){PROMPT_WIDTH, 0, c->width - PROMPT_WIDTH, lines}, &text, &marks);
    editor_release(&text);
    return lines;
}

static int draw_rows(struct app *a, struct cells *c, int y)
{
    struct grid *g = a->query->grid;
    bool fits = query_fits_below_prompt(a);
    uint32_t rows = grid_rows(g);
    rows = fits || rows < QUERY_HEAD_ROWS ? rows : QUERY_HEAD_ROWS;
    struct rect area = {0, y, term_size(a->term).width, (int)rows + 1};
    uint32_t row = g->row, column = g->column, top = g->top, left = g->left;
    g->row = g->column = g->top = g->left = 0;
    grid_draw(c, area, g, false);
    g->row = row;
    g->column = column;
    g->top = top;
    g->left = left;
    if (!fits)
        cells_put_format(c, 0, y + (int)rows + 1, c->width, ROLE_DIM, 0,
                         "... Tab shows all rows and their %u column%s", (unsigned)g->columns.count,
                         g->columns.count == 1 ? "" : "s");
    return (int)rows + 1 + !fits;
}

/* The statement, its rows and what is said about them; the editor is empty for the next one. */
static void print_result(struct app *a)
{
    struct query_pane *q = a->query;
    struct cells c;
    int text = PROMPT_WIDTH + longest_line(q->sql ? q->sql : "") + 1;
    int said = longest_line(q->message ? q->message : ""), width = term_size(a->term).width;
    width = text > width ? text : width;
    cells_init(&c, said > width ? said : width, CELLS_MAX_HEIGHT);
    int y = draw_statement(&c, q);
    if (q->grid)
        y += draw_rows(a, &c, y);
    y += query_draw_message(&c, (struct rect){0, y, c.width, c.height - y}, q);
    c.height = y < CELLS_MAX_HEIGHT ? y : CELLS_MAX_HEIGHT;
    term_print(a->term, &c);
    cells_release(&c);
    q->unprinted = false;
    free(q->message);
    q->message = NULL;
    if (!q->edited)
        editor_start_anew(&q->editor);
    q->done = false;
}

void below_prompt_end(struct app *a)
{
    if (!a->options.below_prompt || !a->opened)
        return;
    term_take_screen(a->term, false);
    if (a->query->unprinted)
        print_result(a);
}

/* ---- the lines ---- */

static int editor_lines(const struct app *a)
{
    int lines = editor_place(&a->query->editor).lines, most = term_size(a->term).height / 2;
    return lines < 1 ? 1 : lines > most ? most : lines;
}

static int height_needed(const struct app *a)
{
    const struct query_pane *q = a->query;
    size_t found = q->popup.found.v.count;
    int popup = found < POPUP_ROWS ? (int)found : POPUP_ROWS;
    int said = q->running ? 1 : message_lines(q), most = term_size(a->term).height;
    int needed = editor_lines(a) + (popup > said ? popup : said) + 1;
    return needed < most ? needed : most;
}

static void draw_running(struct app *a, int y)
{
    const struct query_pane *q = a->query;
    char rows[48];
    query_print_rows(rows, sizeof rows, q->grid ? grid_rows(q->grid) : 0);
    cells_put_format(&a->cells, 0, y, a->cells.width, ROLE_PROGRESS, 0,
                     "running, %.1f s, %s; Ctrl-C cancels", query_seconds_since(&q->started), rows);
}

static void draw_last_line(struct app *a)
{
    int y = a->cells.height - 1;
    if (a->overlay == OVERLAY_QUIT)
        cells_put_text(&a->cells, 0, y, a->cells.width, STR("Quit? y n"), ROLE_PROMPT, 0);
    else if (a->message[0])
        cells_put_text(&a->cells, 0, y, a->cells.width, str_from(a->message),
                       a->message_is_error ? ROLE_ERROR : ROLE_DIM, 0);
    else if (!a->query->running)
        app_draw_editor_hints(a, y);
}

static void draw_lines(struct app *a)
{
    struct cells *c = &a->cells;
    struct query_pane *q = a->query;
    int lines = editor_lines(a);
    struct sql_marks marks = {.error = q->error_at, .done = q->done};
    cells_put(c, 0, 0, '>', ROLE_PROMPT, 0);
    struct editor_caret caret =
        sql_text_draw(c, (struct rect){PROMPT_WIDTH, 0, c->width - PROMPT_WIDTH, lines}, &q->editor,
                      &marks);
    a->caret_x = caret.x;
    a->caret_y = caret.y;
    if (q->running)
        draw_running(a, lines);
    else
        query_draw_message(c, (struct rect){0, lines, c->width, c->height - lines}, q);
    draw_last_line(a);
    completion_popup_draw(c, (struct rect){0, 0, c->width, c->height}, &q->popup, caret);
}

void below_prompt_show(struct app *a)
{
    int height = a->opened ? height_needed(a) : 1, width = term_size(a->term).width;
    term_take_screen(a->term, false);
    if (a->opened && a->query->unprinted) {
        print_result(a);
        height = height_needed(a);
    }
    if (a->cells.width != width || a->cells.height != height)
        cells_resize(&a->cells, width, height);
    cells_clear(&a->cells);
    a->caret_x = a->caret_y = -1;
    if (a->opened)
        draw_lines(a);
    else
        app_draw_loading_line(a);
    if (a->look.ascii)
        cells_make_ascii(&a->cells);
    term_draw(a->term, &a->cells, a->caret_x, a->caret_y);
}
