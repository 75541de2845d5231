#include "tui/app/area_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "text/time.h"
#include "tui/app/details_pane.h"
#include "tui/app/jump.h"
#include "tui/app/state.h"
#include "text/time_format.h"

enum { LINES_MAX = 5000, FIXED_LINES = 3, TEXT_MIN = 12, CELL_TEXT = 256, COLUMNS_MAX = 256 };

void area_tables_init(struct area_tables *t)
{
    *t = (struct area_tables){.sorted_by = -1};
    details_init(&t->lines);
}

void area_tables_release(struct area_tables *t)
{
    details_release(&t->lines);
    answer_free(t->grid);
    vec_release(&t->order);
    free(t->sql);
}

struct area_job {
    struct job job;
    const struct trace *trace;
    enum area_table table;
    char *sql;
    struct answer *grid;
    struct status status;
};

static void run_area(struct job *job, struct worker *w)
{
    struct area_job *j = (struct area_job *)job;
    struct sql_session *session = worker_session(w, j->trace, &j->status);
    if (status_ok(j->status))
        j->status = answer_ask(j->grid, session, "area", str_from(j->sql));
}

/* Columns from `ref` on say where a row leads. */
static uint32_t shown_columns(const struct answer *g)
{
    int ref = answer_column(g, "ref");
    uint32_t columns = g->columns < COLUMNS_MAX ? g->columns : COLUMNS_MAX;
    return ref >= 0 ? (uint32_t)ref : columns;
}

/* What the values of a row are counted in, where the table says. */
static struct str unit_of(const struct answer *g, uint32_t row)
{
    int unit = answer_column(g, "unit");
    struct sql_value v = {.type = SQL_NULL};
    if (unit >= 0)
        v = answer_value(g, row, (uint32_t)unit);
    return v.type == SQL_TEXT ? v.s : (struct str){"", 0};
}

static void print_cell(const struct app *a, const struct answer *g, uint32_t row, uint32_t column,
                       char *out, size_t size)
{
    struct sql_value v = answer_value(g, row, column);
    struct str name = str_from(answer_name(g, column));
    if (v.type == SQL_INT && str_ends(name, STR("dur")))
        format_ms(out, size, v.i);
    else if (v.type == SQL_INT && str_eq(name, STR("ts")))
        format_ms(out, size, v.i - a->opened->timeline.start);
    else if (v.type == SQL_REAL && str_ends(name, STR("percent")))
        snprintf(out, size, "%.1f%%", v.d);
    else if (v.type == SQL_REAL)
        format_short_value(out, size, v.d, unit_of(g, row));
    else
        result_text(&v, out, size);
}

/* "total_dur" is shown as "total ms". */
static void print_column(const char *column, char *out, size_t size)
{
    struct str name = str_from(column);
    const char *unit = "";
    if (str_ends(name, STR("_dur"))) {
        name.n -= 4;
        unit = " ms";
    } else if (str_eq(name, STR("ts"))) {
        name = STR("at");
        unit = " ms";
    } else if (str_eq(name, STR("percent"))) {
        name = STR("of area");
    }
    snprintf(out, size, "%.*s%s", (int)name.n, name.p, unit);
    for (char *c = out; *c; c++)
        *c = *c == '_' ? ' ' : *c;
}

static bool is_text(const struct answer *g, uint32_t column)
{
    for (uint32_t row = 0; row < g->rows; row++)
        if (answer_value(g, row, column).type != SQL_NULL)
            return answer_value(g, row, column).type == SQL_TEXT;
    return true;
}

struct column_widths {
    int items[COLUMNS_MAX];
};

/* Numbers have all the room they need; of the rest, a text that is longer than its share gets less.
 */
static struct column_widths measure(const struct app *a, const struct answer *g, int width)
{
    struct column_widths w = {0};
    uint32_t columns = shown_columns(g), rows = g->rows < LINES_MAX ? g->rows : LINES_MAX;
    char text[CELL_TEXT];
    int total = 0, texts = 0;
    for (uint32_t i = 0; i < columns; i++) {
        print_column(answer_name(g, i), text, sizeof text);
        w.items[i] = text_width(str_from(text));
        for (uint32_t row = 0; row < rows; row++) {
            print_cell(a, g, row, i, text, sizeof text);
            int n = text_width(str_from(text));
            w.items[i] = n > w.items[i] ? n : w.items[i];
        }
        total += w.items[i] + 2;
        texts += is_text(g, i);
    }
    while (total > width && texts > 0) {
        uint32_t widest = 0;
        for (uint32_t i = 1; i < columns; i++)
            if (is_text(g, i) && (!is_text(g, widest) || w.items[i] > w.items[widest]))
                widest = i;
        if (w.items[widest] <= TEXT_MIN)
            break;
        w.items[widest]--;
        total--;
    }
    return w;
}

static void put_row(struct app *a, const struct column_widths *w, uint32_t row)
{
    struct area_tables *t = &a->area_tables;
    char text[CELL_TEXT], cut[CELL_TEXT];
    for (uint32_t i = 0; i < shown_columns(t->grid); i++) {
        print_cell(a, t->grid, row, i, text, sizeof text);
        bool left = is_text(t->grid, i);
        text_cut_middle(str_from(text), w->items[i], cut, sizeof cut);
        int pad = w->items[i] - text_width(str_from(cut));
        int before = left ? 0 : pad, behind = (left ? pad : 0) + 2;
        if (i > 0) {
            details_put(&t->lines, &t->lines.left, ROLE_VALUE, "%*s%s%*s", before, "", cut, behind,
                        "");
            continue;
        }
        if (before > 0)
            details_put(&t->lines, &t->lines.left, ROLE_VALUE, "%*s", before, "");
        details_put(&t->lines, &t->lines.left, ROLE_LINK, "%s", cut);
        details_put(&t->lines, &t->lines.left, ROLE_VALUE, "%*s", behind, "");
    }
}

static void put_heading(struct app *a)
{
    struct area_tables *t = &a->area_tables;
    struct details *d = &t->lines;
    const struct timeline *tl = app_timeline(a);
    char from[40], dur[40];
    details_line(d, &d->left, NO_EVENT);
    format_exact(from, sizeof from, time_minus(a->area.from, tl->start));
    format_exact(dur, sizeof dur, a->area.to - a->area.from);
    details_put(d, &d->left, ROLE_KEY, "area ");
    details_put(d, &d->left, ROLE_VALUE, "%s", from);
    details_put(d, &d->left, ROLE_KEY, "   dur ");
    details_put(d, &d->left, ROLE_VALUE, "%s", dur);
    if (tl->cpu_count > 0) {
        details_put(d, &d->left, ROLE_KEY, "   CPUs busy ");
        details_put(d, &d->left, ROLE_VALUE, "%.1f of %u",
                    timeline_load(tl, NULL_U32, a->area.from, a->area.to) * tl->cpu_count,
                    tl->cpu_count);
    }
    details_put(d, &d->left, ROLE_KEY, "   of ");
    if (a->area.band->all)
        details_put(d, &d->left, ROLE_VALUE, "all rows");
    else if (a->area.band->v.count == 1)
        details_put(d, &d->left, ROLE_VALUE, "%s",
                    app_tree(a)->nodes.items[a->area.band->v.items[0].node].label);
    else
        details_put(d, &d->left, ROLE_VALUE, "%zu tracks", a->area.band->v.count);
    details_put(d, &d->left, ROLE_DIM, "   A: %s",
                a->area.band->all ? "only the chosen" : "all rows");
}

/* What c may group by, as far as there is room. */
static void put_groupings(struct app *a)
{
    enum { WIDE = 160 };
    struct area_tables *t = &a->area_tables;
    const char *known = area_table_groupings(t->table);
    if (known)
        details_put(&t->lines, &t->lines.left, ROLE_HINT, "  c group by%s%s",
                    a->layout.width >= WIDE ? " " : "", a->layout.width >= WIDE ? known : "");
}

static void put_table_names(struct app *a, const struct band_tracks *tracks)
{
    struct area_tables *t = &a->area_tables;
    details_line(&t->lines, &t->lines.left, NO_EVENT);
    for (int i = 0; i < AREA_TABLE_COUNT; i++) {
        bool active = i == (int)t->table;
        if (!area_table_applies((enum area_table)i, app_timeline(a), tracks))
            continue;
        details_put(&t->lines, &t->lines.left, active ? ROLE_TAB_ACTIVE : ROLE_TAB,
                    active ? "[%s]" : " %s ", area_table_title((enum area_table)i));
    }
    if (t->grid && !t->running)
        details_put(&t->lines, &t->lines.left, ROLE_DIM, "  %u row%s", t->grid->rows,
                    t->grid->rows == 1 ? "" : "s");
    details_put(&t->lines, &t->lines.left, ROLE_HINT, "   ( ) table  < > sort  e its SQL");
    put_groupings(a);
    if (t->running)
        details_put(&t->lines, &t->lines.left, ROLE_PROGRESS, "%s",
                    t->grid ? "   counting; these were the area's before" : "   counting");
}

static void put_column_names(struct app *a, const struct column_widths *w)
{
    struct area_tables *t = &a->area_tables;
    char text[CELL_TEXT];
    details_line(&t->lines, &t->lines.left, NO_EVENT);
    for (uint32_t i = 0; i < shown_columns(t->grid); i++) {
        print_column(answer_name(t->grid, i), text, sizeof text);
        bool left = is_text(t->grid, i);
        int pad = w->items[i] - text_width(str_from(text));
        details_put(&t->lines, &t->lines.left,
                    (int)i == t->sorted_by ? ROLE_TAB_ACTIVE : ROLE_GRID_HEADER, "%*s%s%*s",
                    left ? 0 : pad, "", text, (left ? pad : 0) + 2, "");
    }
}

static void write_lines(struct app *a, const struct band_tracks *tracks)
{
    struct area_tables *t = &a->area_tables;
    details_clear(&t->lines);
    put_heading(a);
    put_table_names(a, tracks);
    if (!t->grid)
        return;
    struct column_widths w = measure(a, t->grid, a->layout.width - 3);
    put_column_names(a, &w);
    for (uint32_t i = 0; i < t->order.count && i < LINES_MAX; i++) {
        details_line(&t->lines, &t->lines.left, NO_EVENT);
        put_row(a, &w, t->order.items[i]);
    }
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

static int compare_rows(const void *x, const void *y, void *ctx)
{
    const struct area_tables *t = ctx;
    uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
    struct sql_value left = answer_value(t->grid, a, (uint32_t)t->sorted_by);
    struct sql_value right = answer_value(t->grid, b, (uint32_t)t->sorted_by);
    int d = compare_values(&left, &right);
    d = t->ascending ? d : -d;
    return d ? d : a < b ? -1 : a > b;
}

static void sort_rows(struct area_tables *t)
{
    t->order.count = 0;
    for (uint32_t i = 0; t->grid && i < t->grid->rows; i++)
        *vec_push(&t->order) = i;
    if (t->sorted_by >= 0 && t->order.count > 1)
        qsort_r(t->order.items, t->order.count, sizeof(uint32_t), compare_rows, t);
}

/* The table shown, or the first that the area has something for. */
static bool choose_table(struct app *a, const struct band_tracks *tracks)
{
    struct area_tables *t = &a->area_tables;
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
    band_collect(&tracks, a->area.band, app_timeline(a), app_tree(a));
    write_lines(a, &tracks);
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

static effects finish_area(struct job *job, struct app *a)
{
    struct area_job *j = (struct area_job *)job;
    if (a) {
        struct area_tables *t = &a->area_tables;
        t->running = NULL;
        if (status_ok(j->status) && !t->stale && j->table == t->table) {
            if (!same_columns(t->grid, j->grid))
                t->sorted_by = -1; /* of another table, or grouped by something else */
            answer_free(t->grid);
            free(t->sql);
            t->grid = j->grid;
            t->sql = j->sql;
            j->grid = NULL;
            j->sql = NULL;
            sort_rows(t);
            rewrite(a);
        } else if (!status_ok(j->status) && j->status.code != STATUS_CANCELLED) {
            app_complain(a, "%s", j->status.message);
        }
        if (t->stale)
            area_tables_ask(a);
    }
    answer_free(j->grid);
    free(j->sql);
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

/* Asks for the table shown, where that is not what is there. */
static void start_job(struct app *a, const struct band_tracks *tracks)
{
    struct area_tables *t = &a->area_tables;
    char *sql = area_table_sql(t->table, &a->area, tracks, str_from(t->by[t->table]));
    if (!sql || (t->grid && t->sql && strcmp(t->sql, sql) == 0)) {
        free(sql);
        return;
    }
    struct area_job *j = alloc_array(1, sizeof *j);
    j->job = (struct job){run_area, finish_area, NULL};
    j->trace = &a->opened->trace;
    j->table = t->table;
    j->grid = answer_new();
    j->sql = sql;
    t->running = j;
    worker_push(a->helper, &j->job);
}

void area_tables_ask(struct app *a)
{
    struct area_tables *t = &a->area_tables;
    struct band_tracks tracks;
    t->stale = t->running != NULL;
    if (!a->area.on) {
        explain_no_area(&t->lines);
        return;
    }
    band_collect(&tracks, a->area.band, app_timeline(a), app_tree(a));
    if (!t->running && choose_table(a, &tracks)) /* asks again when what runs is done */
        start_job(a, &tracks);
    write_lines(a, &tracks);
    band_tracks_release(&tracks);
}

/* Lines at the top that name things and are not chosen. */
static uint32_t fixed_lines(const struct app *a)
{
    return a->area.on && a->area_tables.grid ? FIXED_LINES : 0;
}

/* Another table than before. */
static effects show_table(struct app *a)
{
    struct area_tables *t = &a->area_tables;
    answer_free(t->grid);
    t->grid = NULL;
    t->sorted_by = -1;
    t->order.count = 0;
    a->pane.line = a->pane.top = 0;
    area_tables_ask(a);
    return EFFECT_NONE;
}

effects area_tables_next(struct app *a, int by)
{
    struct area_tables *t = &a->area_tables;
    struct band_tracks tracks;
    if (!a->area.on)
        return EFFECT_NONE;
    band_collect(&tracks, a->area.band, app_timeline(a), app_tree(a));
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
    sort_rows(&a->area_tables);
    rewrite(a);
    a->pane.line = a->pane.top = 0;
    return EFFECT_NONE;
}

effects area_tables_sort(struct app *a, int by)
{
    struct area_tables *t = &a->area_tables;
    if (!a->area.on || !t->grid || t->grid->rows == 0)
        return EFFECT_NONE;
    int columns = (int)shown_columns(t->grid);
    t->sorted_by =
        t->sorted_by < 0 && by < 0 ? columns - 1 : (t->sorted_by + by + columns) % columns;
    t->ascending = is_text(t->grid, (uint32_t)t->sorted_by);
    return resort(a);
}

effects area_tables_reverse(struct app *a)
{
    struct area_tables *t = &a->area_tables;
    if (!a->area.on || !t->grid || t->sorted_by < 0)
        return EFFECT_NONE;
    t->ascending = !t->ascending;
    return resort(a);
}

effects area_tables_group(struct app *a, struct str columns)
{
    struct area_tables *t = &a->area_tables;
    const char *known = area_table_groupings(t->table);
    if (!a->area.on || !known) {
        app_say(a, "this table has rows of one kind only: slices, states and samples can be "
                   "grouped");
        return EFFECT_NONE;
    }
    if (columns.n >= sizeof t->by[0] || !area_table_can_group(t->table, columns)) {
        app_complain(a, "at most %d of: %s", GROUPING_MAX, known);
        return EFFECT_NONE;
    }
    snprintf(t->by[t->table], sizeof t->by[0], "%.*s", (int)columns.n, columns.n ? columns.p : "");
    t->sorted_by = -1;
    a->pane.line = a->pane.top = 0;
    area_tables_ask(a);
    return EFFECT_NONE;
}

static const uint32_t *row_of_line(const struct area_tables *t, uint32_t line)
{
    bool row = t->grid && line >= FIXED_LINES && line - FIXED_LINES < t->order.count;
    return row ? &t->order.items[line - FIXED_LINES] : NULL;
}

/* The row of a line in full, a column a line; NULL where it is no row. */
static char *row_text(const struct app *a, uint32_t line)
{
    const struct area_tables *t = &a->area_tables;
    const uint32_t *row = row_of_line(t, line);
    char *text = NULL;
    size_t size;
    FILE *f = row ? open_memstream(&text, &size) : NULL;
    if (!f)
        return NULL;
    for (uint32_t i = 0; i < shown_columns(t->grid); i++) {
        struct sql_value v = answer_value(t->grid, *row, i);
        char name[CELL_TEXT], value[CELL_TEXT];
        print_column(answer_name(t->grid, i), name, sizeof name);
        fprintf(f, "%s%-16s ", i ? "\n" : "", name);
        if (v.type == SQL_TEXT) {
            fwrite(v.s.p, 1, v.s.n, f);
        } else {
            print_cell(a, t->grid, *row, i, value, sizeof value);
            fputs(value, f);
        }
    }
    fclose(f);
    return text;
}

/* To the event that the line's row is about. */
static effects follow_line(struct app *a, uint32_t line)
{
    const struct area_tables *t = &a->area_tables;
    const uint32_t *at = row_of_line(t, line);
    if (!a->area.on || !at)
        return EFFECT_NONE;
    uint32_t row = *at;
    int ref = answer_column(t->grid, "ref"), id = answer_column(t->grid, "id");
    int ts = answer_column(t->grid, "ts");
    if (ref >= 0 && id >= 0 && answer_value(t->grid, row, (uint32_t)ref).type == SQL_TEXT) {
        const struct event_kind *kind =
            event_kind_find(answer_value(t->grid, row, (uint32_t)ref).s);
        int64_t event = answer_value(t->grid, row, (uint32_t)id).i;
        if (kind && event >= 0 && event < kind->count(app_timeline(a)))
            return app_jump(a, event_of(kind, (uint32_t)event));
    }
    if (ts >= 0 && answer_value(t->grid, row, (uint32_t)ts).type == SQL_INT) {
        a->focus = FOCUS_TRACKS;
        return app_jump_time(a, answer_value(t->grid, row, (uint32_t)ts).i);
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
            a->area_tables.table = (enum area_table)i;
            return EFFECT_ROWS | show_table(a);
        }
    return EFFECT_NONE;
}

/* The names of tables show them, those of columns sort by them. */
static effects press(struct app *a, int x, int y)
{
    enum { NAMES_LINE = 1, COLUMNS_LINE = 2 };
    struct area_tables *t = &a->area_tables;
    const struct detail_line *line =
        (size_t)y < t->lines.left.v.count ? &t->lines.left.v.items[y] : NULL;
    int at = line ? segment_at(line, x) : -1;
    if (!a->area.on || at < 0 || (y != NAMES_LINE && y != COLUMNS_LINE))
        return EFFECT_NONE;
    if (y == NAMES_LINE)
        return press_name(a, line->segments[at].text);
    if (!t->grid || at >= (int)shown_columns(t->grid))
        return EFFECT_NONE;
    t->ascending = t->sorted_by == at ? !t->ascending : is_text(t->grid, (uint32_t)at);
    t->sorted_by = at;
    return EFFECT_ROWS | resort(a);
}

static const struct details *shown_lines(const struct app *a)
{
    return &a->area_tables.lines;
}

static const char *table_sql(const struct app *a)
{
    return a->area.on ? a->area_tables.sql : NULL;
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
