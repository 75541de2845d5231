#include "tui/tabs/area_tables.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "tui/context/state.h"
#include "tui/tabs/area_lines.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/timeline_view.h"

void area_tables_init(struct area_tables *t)
{
    *t = (struct area_tables){.sorted_by = -1};
    details_init(&t->lines);
}

/* Forgets the rows of a level and of those below. */
static void drop_levels(struct area_tables *t, int from)
{
    for (int i = from; i < AREA_LEVELS; i++) {
        answer_free(t->levels[i].grid);
        free(t->levels[i].sql);
        t->levels[i] = (struct area_level){0};
    }
    t->open.count = 0;
}

void area_tables_release(struct area_tables *t)
{
    details_release(&t->lines);
    drop_levels(t, 0);
    vec_release(&t->order);
    vec_release(&t->open);
}

struct area_job {
    struct job job;
    const struct trace *trace;
    enum area_table table;
    int level;
    uint32_t opened; /* row of the level above that asked for it, if that is one */
    struct area_level rows;
    struct status status;
};

static void run_area(struct job *job, struct worker *w)
{
    struct area_job *j = (struct area_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (status_ok(j->status))
        j->status = answer_ask(j->rows.grid, session, "area", str_from(j->rows.sql));
}

static int compare_values(const struct sql_value *x, const struct sql_value *y)
{
    if (x->type == SQL_TEXT && y->type == SQL_TEXT) {
        size_t n = x->s.n < y->s.n ? x->s.n : y->s.n;
        int d = n ? memcmp(x->s.p, y->s.p, n) : 0;
        return d ? d : x->s.n < y->s.n ? -1 : x->s.n > y->s.n;
    }
    if (x->type == SQL_INT && y->type == SQL_INT)
        return x->i < y->i ? -1 : x->i > y->i;
    double l = x->type == SQL_INT ? (double)x->i : x->type == SQL_REAL ? x->d : -1e300;
    double r = y->type == SQL_INT ? (double)y->i : y->type == SQL_REAL ? y->d : -1e300;
    return l < r ? -1 : l > r;
}

struct level_order {
    const struct area_tables *t;
    int level;
};

static int compare_rows(const void *x, const void *y, void *ctx)
{
    const struct level_order *o = ctx;
    const struct area_tables *t = o->t;
    const struct answer *g = t->levels[o->level].grid;
    uint32_t a = ((const struct area_row *)x)->row, b = ((const struct area_row *)y)->row;
    uint32_t column = (uint32_t)(t->sorted_by + o->level); /* a column more to group by each */
    struct sql_value left = answer_value(g, a, column), right = answer_value(g, b, column);
    int d = compare_values(&left, &right);
    d = t->ascending ? d : -d;
    return d ? d : a < b ? -1 : a > b;
}

int area_level_keys(const struct area_tables *t, int level)
{
    char by[2 * GROUPING_TEXT];
    area_table_level(t->table, str_from(t->by[t->table]), level, by, sizeof by);
    return area_table_keys(t->table, str_from(by));
}

/* Whether the row is one of those that the one above it is made of: the same in all columns by
 * which that one is grouped. */
static bool is_below(const struct area_tables *t, struct area_row at, struct area_row above,
                     int keys)
{
    for (int i = 0; i < keys; i++) {
        struct sql_value x = answer_value(t->levels[at.level].grid, at.row, (uint32_t)i);
        struct sql_value y = answer_value(t->levels[above.level].grid, above.row, (uint32_t)i);
        if (x.type != y.type || (x.type != SQL_NULL && compare_values(&x, &y) != 0))
            return false;
    }
    return true;
}

/* Puts the rows of a level into the order shown, those below an open one behind it. */
static void put_level(struct area_tables *t, int level, const struct area_row *above)
{
    const struct answer *g = t->levels[level].grid;
    VEC(struct area_row) rows = {0};
    int keys = above ? area_level_keys(t, above->level) : 0;
    for (uint32_t i = 0; g && i < g->rows; i++) {
        struct area_row at = {i, level};
        if (!above || is_below(t, at, *above, keys))
            *vec_push(&rows) = at;
    }
    struct level_order order = {t, level};
    bool by_key = above && t->sorted_by < area_level_keys(t, 0); /* the same in all of them */
    if (t->sorted_by >= 0 && !by_key && rows.count > 1)
        qsort_r(rows.items, rows.count, sizeof *rows.items, compare_rows, &order);
    for (size_t i = 0; i < rows.count; i++) {
        struct area_row at = rows.items[i];
        *vec_push(&t->order) = at;
        if (area_row_is_open(t, at)) /* AREA_LEVELS bounds this */
            put_level(t, level + 1, &at);
    }
    vec_release(&rows);
}

static void sort_rows(struct area_tables *t)
{
    t->order.count = 0;
    put_level(t, 0, NULL);
}

/* The table shown, or the first that the area has something for. */
static bool choose_table(struct app *a, const struct band_tracks *tracks)
{
    struct area_tables *t = a->area_tables;
    for (int i = 0; i < AREA_TABLE_COUNT; i++) {
        if (area_table_applies(t->table, app_timeline(a), tracks))
            return true;
        t->table = (enum area_table)((t->table + 1) % AREA_TABLE_COUNT);
    }
    return false;
}

static void rewrite(struct app *a)
{
    struct band_tracks tracks;
    band_collect(&tracks, a->view->area.band, app_timeline(a), app_tree(a));
    area_lines_write(a, &tracks);
    band_tracks_release(&tracks);
}

static bool same_columns(const struct answer *a, const struct answer *b)
{
    if (!a || a->columns != b->columns)
        return false;
    for (uint32_t i = 0; i < a->columns; i++)
        if (strcmp(answer_name(a, i), answer_name(b, i)) != 0)
            return false;
    return true;
}

/* The rows that were asked for, in place of those before. */
static void take_rows(struct app *a, struct area_job *j)
{
    struct area_tables *t = a->area_tables;
    if (j->level == 0 && !same_columns(t->levels[0].grid, j->rows.grid))
        t->sorted_by = -1; /* of another table, or grouped by something else */
    if (j->level == 0)
        drop_levels(t, 0);
    else
        *vec_push(&t->open) = (struct area_row){j->opened, j->level - 1};
    t->levels[j->level] = j->rows;
    j->rows = (struct area_level){0};
    sort_rows(t);
    rewrite(a);
}

static effects finish_area(struct job *job, struct app *a)
{
    struct area_job *j = (struct area_job *)job;
    if (a) {
        struct area_tables *t = a->area_tables;
        t->running = NULL;
        if (status_ok(j->status) && !t->stale && j->table == t->table)
            take_rows(a, j);
        else if (!status_ok(j->status) && j->status.code != STATUS_CANCELLED)
            app_complain(a, "%s", j->status.message);
        if (!status_ok(j->status) && j->level == 0) { /* what was there may be grouped otherwise */
            drop_levels(t, 0);
            sort_rows(t);
            rewrite(a);
        }
        if (t->stale)
            area_tables_ask(a);
    }
    answer_free(j->rows.grid);
    free(j->rows.sql);
    status_release(&j->status);
    free(j);
    return EFFECT_NONE;
}

static void explain_no_area(struct details *d)
{
    details_clear(d);
    details_line(d, &d->left, NO_EVENT);
    details_put(d, &d->left, ROLE_DIM,
                "no area: r makes one of the event under the cursor, R of the window and all rows, "
                "v starts one at the cursor");
}

static char *level_sql(const struct app *a, const struct band_tracks *tracks, int level)
{
    const struct area_tables *t = a->area_tables;
    char by[2 * GROUPING_TEXT];
    area_table_level(t->table, str_from(t->by[t->table]), level, by, sizeof by);
    return area_table_sql(t->table, &a->view->area, tracks, str_from(by));
}

/* Asks for a level of the table shown; takes the statement. */
static void push_job(struct app *a, char *sql, int level, uint32_t opened)
{
    struct area_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_area, finish_area, NULL};
    j->trace = &a->opened->trace;
    j->table = a->area_tables->table;
    j->level = level;
    j->opened = opened;
    j->rows = (struct area_level){answer_new(), sql};
    a->area_tables->running = j;
    a->area_tables->opening = level > 0;
    worker_push(a->helper, &j->job);
}

/* Asks for the table shown, where that is not what is there. */
static void start_job(struct app *a, const struct band_tracks *tracks)
{
    const struct area_level *shown = &a->area_tables->levels[0];
    char *sql = level_sql(a, tracks, 0);
    if (!sql || (shown->grid && strcmp(shown->sql, sql) == 0))
        free(sql);
    else
        push_job(a, sql, 0, 0);
}

void area_tables_ask(struct app *a)
{
    struct area_tables *t = a->area_tables;
    struct band_tracks tracks;
    t->stale = t->running != NULL;
    if (!a->view->area.on) {
        explain_no_area(&t->lines);
        return;
    }
    band_collect(&tracks, a->view->area.band, app_timeline(a), app_tree(a));
    if (!t->running && choose_table(a, &tracks)) /* asks again when what runs is done */
        start_job(a, &tracks);
    area_lines_write(a, &tracks);
    band_tracks_release(&tracks);
}

/* Lines at the top that name things and are not chosen. */
static uint32_t fixed_lines(const struct app *a)
{
    return a->view->area.on && a->area_tables->levels[0].grid ? AREA_FIXED_LINES : 0;
}

/* Another table than before. */
static effects show_table(struct app *a)
{
    struct area_tables *t = a->area_tables;
    drop_levels(t, 0);
    t->sorted_by = -1;
    t->order.count = 0;
    a->view->pane.line = a->view->pane.top = 0;
    area_tables_ask(a);
    return EFFECT_NONE;
}

effects area_tables_next(struct app *a, int by)
{
    struct area_tables *t = a->area_tables;
    struct band_tracks tracks;
    if (!a->view->area.on)
        return EFFECT_NONE;
    band_collect(&tracks, a->view->area.band, app_timeline(a), app_tree(a));
    for (int i = 0; i < AREA_TABLE_COUNT; i++) {
        t->table = (enum area_table)(((int)t->table + by + AREA_TABLE_COUNT) % AREA_TABLE_COUNT);
        if (area_table_applies(t->table, app_timeline(a), &tracks))
            break;
    }
    band_tracks_release(&tracks);
    return show_table(a);
}

static effects resort(struct app *a)
{
    sort_rows(a->area_tables);
    rewrite(a);
    a->view->pane.line = a->view->pane.top = 0;
    return EFFECT_NONE;
}

effects area_tables_sort(struct app *a, int by)
{
    struct area_tables *t = a->area_tables;
    const struct answer *g = t->levels[0].grid;
    if (!a->view->area.on || !g || g->rows == 0)
        return EFFECT_NONE;
    int columns = (int)area_shown_columns(g);
    t->sorted_by =
        t->sorted_by < 0 && by < 0 ? columns - 1 : (t->sorted_by + by + columns) % columns;
    t->ascending = area_column_is_text(g, (uint32_t)t->sorted_by);
    return resort(a);
}

effects area_tables_reverse(struct app *a)
{
    struct area_tables *t = a->area_tables;
    if (!a->view->area.on || !t->levels[0].grid || t->sorted_by < 0)
        return EFFECT_NONE;
    t->ascending = !t->ascending;
    return resort(a);
}

effects area_tables_group(struct app *a, struct str columns)
{
    struct area_tables *t = a->area_tables;
    const char *known = area_table_groupings(t->table);
    if (!a->view->area.on || !known) {
        app_say(a, "this table has rows of one kind only: slices, states and samples can be "
                   "grouped");
        return EFFECT_NONE;
    }
    if (columns.n >= sizeof t->by[0] || !area_table_can_group(t->table, columns)) {
        app_complain(a, "at most %d of: %s; at most %d levels below, a > before each", GROUPING_MAX,
                     known, AREA_LEVELS - 1);
        return EFFECT_NONE;
    }
    snprintf(t->by[t->table], sizeof t->by[0], "%.*s", (int)columns.n, columns.n ? columns.p : "");
    t->sorted_by = -1;
    drop_levels(t, 1);
    sort_rows(t);
    a->view->pane.line = a->view->pane.top = 0;
    area_tables_ask(a);
    return EFFECT_NONE;
}

static const struct area_row *row_of_line(const struct area_tables *t, uint32_t line)
{
    bool row =
        t->levels[0].grid && line >= AREA_FIXED_LINES && line - AREA_FIXED_LINES < t->order.count;
    return row ? &t->order.items[line - AREA_FIXED_LINES] : NULL;
}

static char *row_text(const struct app *a, uint32_t line)
{
    const struct area_row *row = row_of_line(a->area_tables, line);
    return row ? area_row_text(a, *row) : NULL;
}

bool area_level_unfolds(const struct area_tables *t, int level)
{
    char by[2 * GROUPING_TEXT];
    return area_table_level(t->table, str_from(t->by[t->table]), level + 1, by, sizeof by);
}

static size_t open_index(const struct area_tables *t, struct area_row at)
{
    size_t i = 0;
    while (i < t->open.count &&
           (t->open.items[i].row != at.row || t->open.items[i].level != at.level))
        i++;
    return i;
}

bool area_row_is_open(const struct area_tables *t, struct area_row at)
{
    return open_index(t, at) < t->open.count;
}

/* The row of the selected line, NULL if that is none. */
static const struct area_row *selected_row(const struct app *a)
{
    bool shown = a->view->area.on && a->view->pane.tab == &area_tab;
    return shown ? row_of_line(a->area_tables, a->view->pane.line) : NULL;
}

bool area_tables_on_foldable(const struct app *a)
{
    const struct area_row *at = selected_row(a);
    return at && area_level_unfolds(a->area_tables, at->level);
}

static void open_row(struct app *a, struct area_row at)
{
    struct area_tables *t = a->area_tables;
    struct band_tracks tracks;
    if (t->levels[at.level + 1].grid) {
        *vec_push(&t->open) = at;
        return;
    }
    band_collect(&tracks, a->view->area.band, app_timeline(a), app_tree(a));
    char *sql = level_sql(a, &tracks, at.level + 1);
    if (sql)
        push_job(a, sql, at.level + 1, at.row);
    band_tracks_release(&tracks);
}

effects area_tables_fold(struct app *a)
{
    struct area_tables *t = a->area_tables;
    const struct area_row *selected = selected_row(a);
    if (!selected)
        return EFFECT_NONE;
    if (t->running) {
        app_say(a, "still counting");
        return EFFECT_NONE;
    }
    struct area_row at = *selected;
    size_t open = open_index(t, at);
    if (!area_level_unfolds(t, at.level)) {
        app_say(a, "nothing below this; c groups by other columns, a > between them makes levels");
        return EFFECT_NONE;
    }
    if (open < t->open.count)
        t->open.items[open] = t->open.items[--t->open.count];
    else
        open_row(a, at);
    sort_rows(t);
    rewrite(a);
    return EFFECT_NONE;
}

/* To the event that the line's row is about. */
static effects follow_line(struct app *a, uint32_t line)
{
    const struct area_tables *t = a->area_tables;
    const struct area_row *at = row_of_line(t, line);
    if (!a->view->area.on || !at)
        return EFFECT_NONE;
    const struct answer *g = t->levels[at->level].grid;
    int ref = answer_column(g, "ref"), id = answer_column(g, "id"), ts = answer_column(g, "ts");
    if (ref >= 0 && id >= 0 && answer_value(g, at->row, (uint32_t)ref).type == SQL_TEXT) {
        const struct event_kind *kind = event_kind_find(answer_value(g, at->row, (uint32_t)ref).s);
        int64_t event = answer_value(g, at->row, (uint32_t)id).i;
        if (kind && event >= 0 && event < kind->count(app_timeline(a)))
            return app_jump(a, event_of(kind, (uint32_t)event));
    }
    if (ts >= 0 && answer_value(g, at->row, (uint32_t)ts).type == SQL_INT) {
        a->focus = FOCUS_TRACKS;
        return app_jump_time(a, answer_value(g, at->row, (uint32_t)ts).i);
    }
    app_say(a, "this line leads nowhere");
    return EFFECT_NONE;
}

/* The segment of a line that the cell at x is of, -1 if none. */
static int segment_at(const struct detail_line *line, int x)
{
    int from = 1; /* where lines begin */
    for (int i = 0; i < line->count; i++) {
        from += text_width(line->segments[i].text);
        if (x < from)
            return i;
    }
    return -1;
}

static effects press_name(struct app *a, struct str text)
{
    struct str name = str_trim(text);
    if (str_starts(name, STR("[")))
        return EFFECT_ROWS;
    for (int i = 0; i < AREA_TABLE_COUNT; i++)
        if (str_eq(name, str_from(area_table_title((enum area_table)i)))) {
            a->area_tables->table = (enum area_table)i;
            return EFFECT_ROWS | show_table(a);
        }
    return EFFECT_NONE;
}

/* The names of tables show them, those of columns sort by them. */
static effects press(struct app *a, int x, int y)
{
    struct area_tables *t = a->area_tables;
    const struct detail_line *line =
        (size_t)y < t->lines.left.v.count ? &t->lines.left.v.items[y] : NULL;
    int at = line ? segment_at(line, x) : -1;
    if (!a->view->area.on || at < 0 || (y != AREA_NAMES_LINE && y != AREA_COLUMNS_LINE))
        return EFFECT_NONE;
    if (y == AREA_NAMES_LINE)
        return press_name(a, line->segments[at].text);
    const struct answer *g = t->levels[0].grid;
    if (!g || at >= (int)area_shown_columns(g))
        return EFFECT_NONE;
    t->ascending = t->sorted_by == at ? !t->ascending : area_column_is_text(g, (uint32_t)at);
    t->sorted_by = at;
    return EFFECT_ROWS | resort(a);
}

static const struct details *shown_lines(const struct app *a)
{
    return &a->area_tables->lines;
}

static const char *table_sql(const struct app *a)
{
    const struct area_row *at = selected_row(a);
    return a->view->area.on ? a->area_tables->levels[at ? at->level : 0].sql : NULL;
}

static const struct tab_part part = {
    .make = area_tables_ask,
    .lines = shown_lines,
    .fixed = fixed_lines,
    .follow = follow_line,
    .press = press,
    .text = row_text,
    .sql = table_sql,
    .height_focused = 45,
};

const struct details_tab area_tab = {.title = "Area", .part = &part};
