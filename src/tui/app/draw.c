#include "tui/app/draw.h"

#include "text/time.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "sql/export/result_writer.h"
#include "text/time_format.h"
#include "tui/app/bindings.h"
#include "tui/app/follow.h"
#include "tui/app/help.h"
#include "tui/app/program.h"
#include "tui/app/text_draw.h"
#include "tui/app/trace_list.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/update.h"
#include "tui/view/events.h"

/* The file's name; of a "trace.pftrace", which tells nothing, its folder's. */
static struct str base_name(const char *path)
{
    struct str name = str_from(path), folder = {"", 0};
    for (size_t slash; (slash = str_find(name, '/')) + 1 < name.n;) {
        folder = str_from_to(name, 0, slash);
        name = str_skip(name, slash + 1);
    }
    return str_starts(name, STR("trace.")) && folder.n > 0 && !str_eq(folder, STR("..")) ? folder
                                                                                         : name;
}

const char *app_loading_phase(struct app *a)
{
    static const char *const phases[] = {
        [LOAD_READING] = "reading", [LOAD_SORTING] = "sorting", [LOAD_FINISHING] = "indexing"};
    int phase = atomic_load(&a->progress.phase);
    return phases[phase < LOAD_READING || phase > LOAD_FINISHING ? LOAD_READING : phase];
}

/* How far it is; of a pipe nobody knows how much comes. */
struct loading {
    uint64_t done, total; /* bytes */
    char text[64];
};

static struct loading loading(struct app *a)
{
    struct loading l = {.done = atomic_load(&a->progress.done),
                        .total = atomic_load(&a->progress.total)};
    int n = snprintf(l.text, sizeof l.text, "%s: %.1f", app_loading_phase(a), (double)l.done / 1e6);
    if (l.total > 0)
        n += snprintf(l.text + n, sizeof l.text - (size_t)n, " of %.1f", (double)l.total / 1e6);
    snprintf(l.text + n, sizeof l.text - (size_t)n, " MB");
    return l;
}

void app_draw_loading_line(struct app *a)
{
    struct cells *c = &a->cells;
    struct str name = base_name(a->options.path);
    int x = cells_put_text(c, 0, 0, c->width / 2, name, ROLE_STRONG, 0);
    cells_put_format(c, x + 2, 0, c->width - x - 2, ROLE_PROGRESS, 0, "%s; Ctrl-C cancels",
                     loading(a).text);
}

/* What the header calls the trace, or both. */
static struct str title(struct app *a)
{
    const struct pair_options *p = &a->options.pair;
    struct str first = base_name(a->options.path), second;
    if (!p->b)
        return first;
    second = base_name(p->b);
    snprintf(a->program->title, sizeof a->program->title, "A %.*s  B %.*s",
             (int)(first.n < 60 ? first.n : 60), first.p, (int)(second.n < 60 ? second.n : 60),
             second.p);
    return str_from(a->program->title);
}

static void draw_loading(struct app *a)
{
    struct cells *c = &a->cells;
    struct loading l = loading(a);
    int y = c->height / 2 - 2, w = c->width - 8;
    cells_put_text(c, 4, y, w, title(a), ROLE_STRONG, 0);
    cells_put_text(c, 4, y + 1, w, str_from(l.text), ROLE_DEFAULT, 0);
    uint64_t done = l.done < l.total ? l.done : l.total;
    int full = l.total ? (int)((double)w * (double)done / (double)l.total) : 0;
    cells_fill(c, (struct rect){4, y + 2, w, 1}, a->look.ascii ? '-' : U'░', ROLE_DIM, 0);
    cells_fill(c, (struct rect){4, y + 2, full, 1}, a->look.ascii ? '#' : U'█', ROLE_PROGRESS, 0);
    cells_put_text(c, 4, y + 4, w, STR("q or Ctrl-C cancels"), ROLE_HINT, 0);
    a->caret_x = 4 + (full < w ? full : w - 1);
    a->caret_y = y + 2;
}

/* How many events the cell of the cursor has, and where they are too narrow for their names, what
 * takes most of it; the details name a single one. */
static void cell_text(struct app *a, const struct row *row, char *out, size_t size)
{
    const struct timeline *tl = app_timeline(a);
    int cell = viewport_cell(&a->view->viewport, a->view->cursor.ts);
    int64_t t0 = viewport_time(&a->view->viewport, cell),
            t1 = viewport_time(&a->view->viewport, cell + 1);
    struct cell_event hit = row_event_in(tl, app_tree(a), row, t0, t1);
    char name[48], busy[24] = "";
    if (hit.count == 0)
        return;
    int n = snprintf(out, size, "   %u event%s in cell", hit.count, hit.count == 1 ? "" : "s");
    struct event_span span = event_times(tl, app_tree(a), hit.event);
    if (hit.count == 1 && a->layout.details_h > 0 && !a->query_open)
        return;
    if (!hit.most.kind ||
        (hit.count == 1 && viewport_cell(&a->view->viewport, span.end) - cell > 2))
        return;
    event_name(tl, app_tree(a), hit.most, name, sizeof name);
    if (hit.busy > 0)
        snprintf(busy, sizeof busy, ", %s%d %% busy", hit.busy < 0.01 ? "<" : "",
                 hit.busy < 0.01 ? 1 : (int)(hit.busy * 100));
    snprintf(out + n, size - (size_t)n, "%s, %s%s", busy, hit.count == 1 ? "" : "most of it ",
             name);
}

static void cursor_text(struct app *a, char *out, size_t size)
{
    const struct timeline *tl = app_timeline(a);
    const struct row *row = app_row(a);
    char time[48], name[80] = "", count[160] = "";
    format_exact(time, sizeof time, time_minus(a->view->cursor.ts, tl->start));
    if (row) {
        const struct track_node *n = &app_tree(a)->nodes.items[row->key.node];
        if (row->key.kind == ROW_DEPTH)
            snprintf(name, sizeof name, "%.40s/%u", n->label, row->key.depth);
        else
            snprintf(name, sizeof name, "%.40s", n->label);
        cell_text(a, row, count, sizeof count);
    }
    snprintf(out, size, "%s   %s%s", time, name, count);
}

/* At the right, where what stands before it may become longer or shorter. */
static void draw_view_number(struct app *a, int from)
{
    char text[48];
    size_t back = a->view->history.back.count, forward = a->view->history.forward.count;
    if (back + forward == 0)
        return;
    int n = snprintf(text, sizeof text, "view %zu/%zu", back + 1, back + forward + 1);
    int y = a->layout.status_y, w = a->cells.width, x = w - n - 1;
    x = x < from + 3 ? from + 3 : x;
    cells_put_text(&a->cells, x, y, w - x, str_from(text), ROLE_STATUS, 0);
}

/* The count, or the first of two keys. */
static void draw_typed(struct app *a)
{
    char typed[64], key[KEY_NAME_MAX];
    snprintf(typed, sizeof typed, " %" PRId64, a->program->count >= 0 ? a->program->count : 0);
    if (a->program->pending_count > 0)
        snprintf(typed, sizeof typed, " %s ", key_text(a->program->pending[0], key));
    int n = (int)strlen(typed);
    cells_put_text(&a->cells, a->cells.width - n - 1, a->layout.status_y, n, str_from(typed),
                   ROLE_CURSOR, 0);
}

static void draw_status(struct app *a)
{
    struct cells *c = &a->cells;
    int y = a->layout.status_y, w = c->width;
    char text[256], marks[80] = "", found[160] = "";
    cells_fill(c, (struct rect){0, y, w, 1}, ' ', ROLE_STATUS, 0);
    if (a->message[0]) {
        cells_put_text(c, 1, y, w - 2, str_from(a->message),
                       a->message_is_error ? ROLE_ERROR : ROLE_STATUS, CELL_BOLD);
        return;
    }
    cursor_text(a, text, sizeof text);
    int x = 1 + cells_put_text(c, 1, y, w - 2, str_from(text), ROLE_STATUS, 0);
    if (a->layout.details_h == 0 && a->view->cursor.event.kind) {
        char name[128], dur[32] = "";
        struct event_span span = event_times(app_timeline(a), app_tree(a), a->view->cursor.event);
        event_name(app_timeline(a), app_tree(a), a->view->cursor.event, name, sizeof name);
        if (span.end > span.ts)
            format_dur_short(dur, sizeof dur, span.end - span.ts);
        cells_fill(c, (struct rect){0, y, w, 1}, ' ', ROLE_STATUS, 0);
        cells_put_format(c, 1, y, w - 2, ROLE_STATUS, 0, "%s%s%s", dur, dur[0] ? " " : "", name);
        return;
    }
    if (a->view->notes.count >= 2) {
        const struct note *last = &vec_last(&a->view->notes);
        char distance[40];
        format_dur(distance, sizeof distance, last->mark.ts - last[-1].mark.ts);
        snprintf(marks, sizeof marks, "   %c..%c %s", last[-1].mark.letter, last->mark.letter,
                 distance);
    }
    if (a->view->search.running)
        snprintf(found, sizeof found, "   searching");
    else if (a->view->search.hits.count > 0)
        snprintf(found, sizeof found, "   find %.40s: %zu hit%s", a->view->search.pattern,
                 a->view->search.hits.count, a->view->search.hits.count == 1 ? "" : "s");
    x += cells_put_text(c, x, y, w - x, str_from(marks), ROLE_STATUS, 0);
    x += cells_put_text(c, x, y, w - x, str_from(found), ROLE_STATUS, 0);
    if (a->program->count >= 0 || a->program->pending_count > 0)
        draw_typed(a);
    else
        draw_view_number(a, x);
}

static int put_hint(struct cells *c, int x, int y, const char *key, const char *word)
{
    x += cells_put_text(c, x, y, c->width - x, str_from(key), ROLE_HINT_KEY, 0);
    x += cells_put_format(c, x, y, c->width - x, ROLE_HINT, 0, " %s  ", word);
    return x;
}

static const char *const count_hints[][2] = {{"a key", "so many times"},
                                             {"Enter", "tab of that number"}};
static const char *const quit_hints[][2] = {{"y q", "quit"}, {"other keys", "stay"}};
static const char *const foreign_hints[][2] = {{"y", "run it"}, {"n", "do not"}, {"s", "show it"}};
static const char *const editor_hints[][2] = {{"Enter", "after a final ; runs"},
                                              {"F5", "run"},
                                              {"Alt-Enter", "statement"},
                                              {"Up", "earlier"},
                                              {"Ctrl-R", "history"},
                                              {"Tab", "pane"},
                                              {"F1", "help"},
                                              {"Esc", "close"}};

static void draw_hints_at(struct app *a, int y, const char *const hints[][2], int n)
{
    int x = 1;
    for (int i = 0; i < n && x < a->cells.width; i++)
        x = put_hint(&a->cells, x, y, hints[i][0], hints[i][1]);
}

static void draw_fixed_hints(struct app *a, const char *const hints[][2], int n)
{
    draw_hints_at(a, a->layout.hints_y, hints, n);
}

enum { HINTS_MAX = 64 };

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const char *const prompt_editor_hints[][2] = {{"Enter", "after a final ; runs"},
                                                     {"Up", "earlier"},
                                                     {"Ctrl-R", "history"},
                                                     {"Tab", "complete/rows"},
                                                     {"F2", "schema"},
                                                     {"F1", "help"},
                                                     {"Ctrl-D", "end"}};

void app_draw_editor_hints(struct app *a, int y)
{
    draw_hints_at(a, y, prompt_editor_hints, COUNT(prompt_editor_hints));
}

/* The numbers of the actions whose hints are worth their place, by rank; returns how many. */
static int hinted_actions(struct app *a, uint32_t *hinted)
{
    unsigned context = action_context(a);
    uint32_t count = action_count();
    int n = 0;
    for (uint32_t i = 0; i < count && n < HINTS_MAX; i++) {
        const struct action *action = action_at(i);
        if (!action->hint.word || !(action->contexts & context) ||
            !*bindings_keys(a->options.bindings, action) ||
            (action->hint.worth && !action->hint.worth(a)))
            continue;
        int at = n++;
        for (; at > 0 && action_at(hinted[at - 1])->hint.rank > action->hint.rank; at--)
            hinted[at] = hinted[at - 1];
        hinted[at] = i;
    }
    return n;
}

/* The first key of an action, and that of the next if the hint stands for both. */
static void hint_keys(const struct app *a, uint32_t i, char *out, size_t size)
{
    const struct action *action = action_at(i);
    const struct action *next = i + 1 < action_count() ? action_at(i + 1) : NULL;
    const char *first = *bindings_keys(a->options.bindings, action);
    const char *second = next ? *bindings_keys(a->options.bindings, next) : NULL;
    bool both = second && !next->hint.word && next->run && next->run == action->run &&
                next->contexts == action->contexts;
    snprintf(out, size, "%s%s%s", first, both ? " " : "", both ? second : "");
}

void app_draw_hints(struct app *a)
{
    int x = 1, y = a->layout.hints_y, w = a->cells.width;
    if (a->overlay == OVERLAY_QUIT) {
        draw_fixed_hints(a, quit_hints, COUNT(quit_hints));
        return;
    }
    if (a->overlay == OVERLAY_FOREIGN_SQL) {
        draw_fixed_hints(a, foreign_hints, COUNT(foreign_hints));
        return;
    }
    bool over = a->overlay != OVERLAY_NONE;
    if (!over && a->focus == FOCUS_TRACKS && a->program->count > 0) {
        draw_fixed_hints(a, count_hints, COUNT(count_hints));
        return;
    }
    if (!over && a->focus == FOCUS_EDITOR && !a->query->running) {
        draw_fixed_hints(a, editor_hints, COUNT(editor_hints));
        return;
    }
    uint32_t hinted[HINTS_MAX];
    int n = hinted_actions(a, hinted);
    bool full = false;
    for (int i = 0; i < n; i++) {
        const struct action *action = action_at(hinted[i]);
        const char *word = action->hint_word ? action->hint_word(a) : action->hint.word;
        char key[64];
        hint_keys(a, hinted[i], key, sizeof key);
        bool help = strcmp(action->name, "help") == 0; /* always has its place at the end */
        full |= x + (int)strlen(key) + (int)strlen(word) + 1 > (help ? w : w - 10);
        if (full && !help)
            continue;
        x = put_hint(&a->cells, x, y, key, word);
    }
}

static void draw_overlay(struct app *a)
{
    struct cells *c = &a->cells;
    int status = a->layout.status_y;
    switch (a->overlay) {
    case OVERLAY_PICKER: {
        int h = status - 1 < 6 ? status - 1 : (status * 6) / 10;
        struct editor_caret caret =
            picker_draw(c, (struct rect){0, status - h, c->width, h}, &a->picker);
        a->caret_x = caret.x;
        a->caret_y = caret.y;
        break;
    }
    case OVERLAY_HELP:
        help_draw(a);
        break;
    case OVERLAY_PROMPT: {
        static const char *const labels[] = {
            [PROMPT_SEARCH] = "/",
            [PROMPT_TIME] = "go to time: ",
            [PROMPT_FILTER] = "only tracks called: ",
            [PROMPT_NOTE] = "note: ",
            [PROMPT_FLAME] = "only stacks with: ",
            [PROMPT_LOGS] = "only lines with: ",
            [PROMPT_GROUP] = "group by: ",
            [PROMPT_SAVE] = "save (.txt .svg; the area: .csv .tsv .json .md): ",
            [PROMPT_QUERY] = "find in the query: ",
            [PROMPT_GRID_SEARCH] = "find in the rows: ",
            [PROMPT_GRID_FILTER] = "only rows whose value matches: ",
            [PROMPT_COLUMN] = "column (dur / 1e6 AS ms): ",
            [PROMPT_TRACK] = "track of the rows, called: ",
            [PROMPT_EXPORT] = "to file (" RESULT_FORMAT_ENDINGS ".sqlite): ",
        };
        const char *label = labels[a->prompt_kind];
        cells_fill(c, (struct rect){0, status, c->width, 1}, ' ', ROLE_DEFAULT, 0);
        int label_w = c->width * 2 / 3;
        int x = 1 + cells_put_text(c, 1, status, label_w, str_from(label), ROLE_PROMPT, 0);
        struct editor_caret caret =
            editor_draw(c, (struct rect){x, status, c->width - x - 1, 1}, &a->prompt);
        a->caret_x = caret.x;
        a->caret_y = caret.y;
        break;
    }
    case OVERLAY_QUIT:
        cells_fill(c, (struct rect){0, status, c->width, 1}, ' ', ROLE_DEFAULT, 0);
        cells_put_text(c, 1, status, c->width - 2, STR("Quit?"), ROLE_PROMPT, 0);
        a->caret_x = 1;
        a->caret_y = status;
        break;
    case OVERLAY_FOREIGN_SQL:
        cells_fill(c, (struct rect){0, status, c->width, 1}, ' ', ROLE_DEFAULT, 0);
        cells_put_format(c, 1, status, c->width - 2, ROLE_PROMPT, 0,
                         "Run the SQL of %zu track%s in this session? %s",
                         a->program->foreign_sql.tracks.count,
                         a->program->foreign_sql.tracks.count == 1 ? "" : "s",
                         a->program->foreign_sql.why);
        a->caret_x = 1;
        a->caret_y = status;
        break;
    case OVERLAY_TEXT:
        text_view_draw(a, (struct rect){0, status / 4, c->width, status - status / 4});
        break;
    case OVERLAY_NONE:
        break;
    }
}

static struct scene make_scene(struct app *a)
{
    return (struct scene){
        .tl = app_timeline(a),
        .tree = app_tree(a),
        .look = a->look,
        .layout = a->layout,
        .viewport = a->view->viewport,
        .rows = &a->view->rows,
        .shown = &a->view->shown,
        .overview = &a->view->overview,
        .top = a->view->top,
        .cursor = a->view->cursor,
        .links = a->view->links,
        .link_count = a->view->link_count,
        .matched = a->view->search.names.items,
        .matched_count = a->view->search.names.count,
        .area = a->view->area,
        .marks = a->view->marks.items,
        .mark_count = (int)a->view->marks.count,
        .title = title(a),
        .loss = a->program->loss,
        .part = follow_part_text(a),
        .is_empty = a->program->is_empty,
    };
}

static void draw_bottom(struct app *a)
{
    struct rect area = {0, a->layout.details_y, a->layout.width, a->layout.details_h};
    if (a->query_open)
        query_draw(a, area);
    else
        details_pane_draw(a, area);
}

/* Over the lower pane where that has the whole screen. */
static void draw_whole_header(struct app *a)
{
    struct cells *c = &a->cells;
    struct str name = base_name(a->options.path);
    char dur[32];
    format_dur_short(dur, sizeof dur, app_timeline(a)->end - app_timeline(a)->start);
    cells_fill(c, (struct rect){0, 0, c->width, 1}, ' ', ROLE_HEADER, 0);
    int x = 1 + cells_put_text(c, 1, 0, c->width - 2, name, ROLE_HEADER, CELL_BOLD);
    cells_put_format(c, x + 2, 0, c->width - x - 3, ROLE_HEADER, 0, "%s   %s", dur,
                     a->options.below_prompt ? "q: back to the prompt"
                                             : "Ctrl-X z: the timeline, too");
}

void app_draw(struct app *a)
{
    struct term_size size = term_size(a->term);
    if (a->cells.width != size.width || a->cells.height != size.height)
        cells_resize(&a->cells, size.width, size.height);
    cells_clear(&a->cells);
    a->caret_x = a->caret_y = -1;
    if (trace_list_is_shown(a)) {
        trace_list_draw(a);
        return;
    }
    if (!a->opened) {
        draw_loading(a);
        return;
    }
    details_pane_make(a);
    struct scene scene = make_scene(a);
    if (app_pane_is_whole(a))
        draw_whole_header(a);
    else
        draw_timeline(&a->cells, &scene);
    if (a->view->rows.v.count > 0 && a->focus == FOCUS_TRACKS) {
        uint32_t index = rows_find(&a->view->rows, app_tree(a), &a->view->cursor.key);
        int x = viewport_cell(&a->view->viewport, a->view->cursor.ts);
        a->caret_x = a->layout.track_x + (x < 0                    ? 0
                                          : x >= a->layout.track_w ? a->layout.track_w - 1
                                                                   : x);
        a->caret_y = a->layout.tracks_y + (int)(index - a->view->top);
    }
    draw_bottom(a);
    draw_status(a);
    draw_overlay(a);
    app_draw_hints(a);
}
