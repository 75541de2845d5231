#include "tui/tabs/area_lines.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/utf8.h"
#include "text/time.h"
#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/timeline/timeline_view.h"

enum { TEXT_MIN = 12, CELL_TEXT = 256, COLUMNS_MAX = 256 };

uint32_t area_shown_columns(const struct answer *g)
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

bool area_column_is_text(const struct answer *g, uint32_t column)
{
    for (uint32_t row = 0; row < g->rows; row++)
        if (answer_value(g, row, column).type != SQL_NULL)
            return answer_value(g, row, column).type == SQL_TEXT;
    return true;
}

/* The column of a row that stands in a column of the table: of one below, the last column by which
 * it is grouped in the first, and none in the others of the table. -1: nothing. */
static int column_of(const struct area_tables *t, struct area_row at, uint32_t column)
{
    if (at.level == 0)
        return (int)column;
    int keys = area_level_keys(t, 0);
    if (column == 0)
        return keys + at.level - 1;
    return (int)column < keys ? -1 : (int)column + at.level;
}

/* A cell as it is shown: in the first column behind whether the row is open. */
static void print_shown(const struct app *a, struct area_row at, uint32_t column, char *out,
                        size_t size)
{
    const struct area_tables *t = a->area_tables;
    int of = column_of(t, at, column), n = 0;
    *out = '\0';
    if (column == 0 && area_level_unfolds(t, 0))
        n = snprintf(out, size, "%*s%s ", 2 * at.level, "",
                     !area_level_unfolds(t, at.level) ? " "
                     : area_row_is_open(t, at)        ? "▾"
                                                      : "▸");
    if (of >= 0)
        print_cell(a, t->levels[at.level].grid, at.row, (uint32_t)of, out + n, size - (size_t)n);
    if (column == 0 && at.level > 0 && !out[n])
        snprintf(out + n, size - (size_t)n, "(none)");
}

/* Names stand on the left, numbers on the right. */
static bool is_left(const struct area_tables *t, uint32_t column)
{
    return area_column_is_text(t->levels[0].grid, column) ||
           (column == 0 && area_level_unfolds(t, 0));
}

struct column_widths {
    int items[COLUMNS_MAX];
};

/* Numbers have all the room they need; of the rest, a text that is longer than its share gets less.
 */
static struct column_widths measure(const struct app *a, int width)
{
    struct column_widths w = {0};
    const struct area_tables *t = a->area_tables;
    const struct answer *g = t->levels[0].grid;
    uint32_t columns = area_shown_columns(g);
    char text[CELL_TEXT];
    int total = 0, texts = 0;
    for (uint32_t i = 0; i < columns; i++) {
        print_column(answer_name(g, i), text, sizeof text);
        w.items[i] = text_width(str_from(text));
        for (size_t row = 0; row < t->order.count && row < AREA_LINES_MAX; row++) {
            print_shown(a, t->order.items[row], i, text, sizeof text);
            int n = text_width(str_from(text));
            w.items[i] = n > w.items[i] ? n : w.items[i];
        }
        total += w.items[i] + 2;
        texts += area_column_is_text(g, i);
    }
    while (total > width && texts > 0) {
        uint32_t widest = 0;
        for (uint32_t i = 1; i < columns; i++)
            if (area_column_is_text(g, i) &&
                (!area_column_is_text(g, widest) || w.items[i] > w.items[widest]))
                widest = i;
        if (w.items[widest] <= TEXT_MIN)
            break;
        w.items[widest]--;
        total--;
    }
    return w;
}

static void put_row(struct app *a, const struct column_widths *w, struct area_row at)
{
    struct area_tables *t = a->area_tables;
    char text[CELL_TEXT], cut[CELL_TEXT];
    for (uint32_t i = 0; i < area_shown_columns(t->levels[0].grid); i++) {
        print_shown(a, at, i, text, sizeof text);
        bool left = is_left(t, i);
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
    struct area_tables *t = a->area_tables;
    struct details *d = &t->lines;
    const struct timeline *tl = app_timeline(a);
    char from[40], dur[40];
    details_line(d, &d->left, NO_EVENT);
    format_exact(from, sizeof from, time_minus(a->view->area.from, tl->start));
    format_exact(dur, sizeof dur, a->view->area.to - a->view->area.from);
    details_put(d, &d->left, ROLE_KEY, "area ");
    details_put(d, &d->left, ROLE_VALUE, "%s", from);
    details_put(d, &d->left, ROLE_KEY, "   dur ");
    details_put(d, &d->left, ROLE_VALUE, "%s", dur);
    if (tl->cpu_count > 0) {
        details_put(d, &d->left, ROLE_KEY, "   CPUs busy ");
        details_put(d, &d->left, ROLE_VALUE, "%.1f of %u",
                    timeline_load(tl, NULL_U32, a->view->area.from, a->view->area.to) *
                        tl->cpu_count,
                    tl->cpu_count);
    }
    details_put(d, &d->left, ROLE_KEY, "   of ");
    if (a->view->area.band->all)
        details_put(d, &d->left, ROLE_VALUE, "all rows");
    else if (a->view->area.band->v.count == 1)
        details_put(d, &d->left, ROLE_VALUE, "%s",
                    app_tree(a)->nodes.items[a->view->area.band->v.items[0].node].label);
    else
        details_put(d, &d->left, ROLE_VALUE, "%zu tracks", a->view->area.band->v.count);
    details_put(d, &d->left, ROLE_DIM, "   A: %s",
                a->view->area.band->all ? "only the chosen" : "all rows");
}

/* What c may group by, as far as there is room. */
static void put_groupings(struct app *a)
{
    enum { WIDE = 160 };
    struct area_tables *t = a->area_tables;
    const char *known = area_table_groupings(t->table);
    if (known)
        details_put(&t->lines, &t->lines.left, ROLE_HINT, "  c group by%s%s",
                    a->layout.width >= WIDE ? " " : "", a->layout.width >= WIDE ? known : "");
}

static void put_table_names(struct app *a, const struct band_tracks *tracks)
{
    struct area_tables *t = a->area_tables;
    details_line(&t->lines, &t->lines.left, NO_EVENT);
    for (int i = 0; i < AREA_TABLE_COUNT; i++) {
        bool active = i == (int)t->table;
        if (!area_table_applies((enum area_table)i, app_timeline(a), tracks))
            continue;
        details_put(&t->lines, &t->lines.left, active ? ROLE_TAB_ACTIVE : ROLE_TAB,
                    active ? "[%s]" : " %s ", area_table_title((enum area_table)i));
    }
    const struct answer *g = t->levels[0].grid;
    if (g && !t->running)
        details_put(&t->lines, &t->lines.left, ROLE_DIM, "  %u row%s", g->rows,
                    g->rows == 1 ? "" : "s");
    details_put(&t->lines, &t->lines.left, ROLE_HINT, "   ( ) table  < > sort  e its SQL");
    put_groupings(a);
    if (t->running)
        details_put(&t->lines, &t->lines.left, ROLE_PROGRESS, "%s",
                    g && !t->opening ? "   counting; these were the area's before" : "   counting");
}

static void put_column_names(struct app *a, const struct column_widths *w)
{
    struct area_tables *t = a->area_tables;
    char text[CELL_TEXT];
    details_line(&t->lines, &t->lines.left, NO_EVENT);
    const struct answer *g = t->levels[0].grid;
    for (uint32_t i = 0; i < area_shown_columns(g); i++) {
        print_column(answer_name(g, i), text, sizeof text);
        bool left = is_left(t, i);
        int pad = w->items[i] - text_width(str_from(text));
        details_put(&t->lines, &t->lines.left,
                    (int)i == t->sorted_by ? ROLE_TAB_ACTIVE : ROLE_GRID_HEADER, "%*s%s%*s",
                    left ? 0 : pad, "", text, (left ? pad : 0) + 2, "");
    }
}

void area_lines_write(struct app *a, const struct band_tracks *tracks)
{
    struct area_tables *t = a->area_tables;
    details_clear(&t->lines);
    put_heading(a);
    put_table_names(a, tracks);
    if (!t->levels[0].grid)
        return;
    struct column_widths w = measure(a, a->layout.width - 3);
    put_column_names(a, &w);
    for (uint32_t i = 0; i < t->order.count && i < AREA_LINES_MAX; i++) {
        details_line(&t->lines, &t->lines.left, NO_EVENT);
        put_row(a, &w, t->order.items[i]);
    }
}

char *area_row_text(const struct app *a, struct area_row at)
{
    const struct answer *g = a->area_tables->levels[at.level].grid;
    char *text = NULL;
    size_t size;
    FILE *f = open_memstream(&text, &size);
    if (!f)
        return NULL;
    for (uint32_t i = 0; i < area_shown_columns(g); i++) {
        struct sql_value v = answer_value(g, at.row, i);
        char name[CELL_TEXT], value[CELL_TEXT];
        print_column(answer_name(g, i), name, sizeof name);
        fprintf(f, "%s%-16s ", i ? "\n" : "", name);
        if (v.type == SQL_TEXT) {
            fwrite(v.s.p, 1, v.s.n, f);
        } else {
            print_cell(a, g, at.row, i, value, sizeof value);
            fputs(value, f);
        }
    }
    fclose(f);
    return text;
}
