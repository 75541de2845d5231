#include "tui/query/plot.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "tui/cells/braille.h"
#include "tui/query/grid.h"
#include "tui/query/grid_report.h"

enum {
    ROWS_MAX = 200000, /* are drawn at most: a frame of them takes 60 ms */
    LABEL_WIDTH = 11,  /* at least */
    LABEL_WIDTH_MAX = 24,
    LEAST_WIDTH = 24,
    LEAST_HEIGHT = 5
};

static bool has_numbers(const struct grid *g, uint32_t source)
{
    unsigned types = result_shape(g->result, source).types;
    return types & (1u << SQL_INT | 1u << SQL_REAL);
}

static const struct grid_column *column_of(const struct grid *g, uint32_t source)
{
    for (size_t i = 0; i < g->columns.count; i++)
        if (g->columns.items[i].source == source)
            return &g->columns.items[i];
    return NULL;
}

/* ---- what is plotted ---- */

static int usual_x(const struct grid *g)
{
    int first = -1, numbers = 0;
    for (size_t i = 0; i < g->columns.count; i++) {
        const struct grid_column *column = &g->columns.items[i];
        if (column->hidden || !has_numbers(g, column->source))
            continue;
        if (column->kind == COLUMN_TIME)
            return (int)column->source;
        first = numbers++ == 0 ? (int)column->source : first;
    }
    return numbers > 1 ? first : -1;
}

bool plot_open(struct plot *p, struct grid *g)
{
    const struct grid_column *current = grid_current(g);
    bool any = false;
    p->x = usual_x(g);
    p->series_count = 0;
    for (size_t i = 0; i < g->columns.count; i++)
        any |= !g->columns.items[i].hidden && has_numbers(g, g->columns.items[i].source);
    if (!any || !current)
        return false;
    for (uint32_t i = 0; i < g->columns.count; i++) { /* one that can be seen at once */
        const struct grid_column *column = &g->columns.items[i];
        bool fits = !column->hidden && has_numbers(g, column->source);
        if (has_numbers(g, current->source) && (int)current->source != p->x)
            break;
        if (!fits || (int)column->source == p->x)
            continue;
        uint32_t shown = 0;
        for (uint32_t k = 0; k < i; k++)
            shown += !g->columns.items[k].hidden;
        g->column = shown;
        break;
    }
    p->on = true;
    return true;
}

void plot_set_x(struct plot *p, struct grid *g)
{
    const struct grid_column *current = grid_current(g);
    if (current && has_numbers(g, current->source))
        p->x = p->x == (int)current->source ? -1 : (int)current->source;
}

bool plot_keep(struct plot *p, struct grid *g)
{
    const struct grid_column *current = grid_current(g);
    for (uint32_t i = 0; current && i < p->series_count; i++) {
        if (p->series[i] != current->source)
            continue;
        memmove(&p->series[i], &p->series[i + 1], (--p->series_count - i) * sizeof *p->series);
        return true;
    }
    if (!current || !has_numbers(g, current->source) || p->series_count == PLOT_SERIES_MAX)
        return false;
    p->series[p->series_count++] = current->source;
    return true;
}

void plot_next_scale(struct plot *p)
{
    bool was_y = p->log_y;
    p->log_y = !p->log_y;
    p->log_x ^= was_y;
}

/* The columns that stay, and the one under the cursor. */
static uint32_t list_series(const struct plot *p, struct grid *g, uint32_t out[PLOT_SERIES_MAX + 1])
{
    const struct grid_column *current = grid_current(g);
    uint32_t n = p->series_count;
    bool kept = false;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = p->series[i];
        kept |= current && p->series[i] == current->source;
    }
    if (current && !kept && has_numbers(g, current->source) &&
        ((int)current->source != p->x || n == 0))
        out[n++] = current->source;
    return n;
}

/* ---- scales ---- */

struct axis {
    bool log;
    double low, high; /* of what is shown; logarithms where `log` */
};

/* NAN where it is no number, or has no logarithm. */
static double on_axis(const struct axis *a, double value)
{
    if (!a->log)
        return value;
    return value > 0 ? log10(value) : (double)NAN;
}

static double number_of(const struct sql_value *v)
{
    return v->type == SQL_INT ? (double)v->i : v->type == SQL_REAL ? v->d : (double)NAN;
}

static double x_value(const struct plot *p, struct grid *g, uint32_t row)
{
    if (p->x < 0)
        return row + 1.0;
    struct sql_value v = grid_value(g, row, (uint32_t)p->x);
    return number_of(&v);
}

static double y_value(struct grid *g, uint32_t row, uint32_t source)
{
    struct sql_value v = grid_value(g, row, source);
    return number_of(&v);
}

static void axis_take(struct axis *a, double value)
{
    double at = on_axis(a, value);
    if (!isfinite(at))
        return;
    a->low = at < a->low ? at : a->low;
    a->high = at > a->high ? at : a->high;
}

/* Something, where nothing or one value only was seen. */
static void axis_settle(struct axis *a)
{
    const double most = DBL_MAX / 4; /* differences are numbers */
    if (!(a->low <= a->high))
        a->low = a->high = 0;
    a->low = a->low < -most ? -most : a->low;
    a->high = a->high > most ? most : a->high;
    if (a->low < a->high)
        return;
    double room = a->log || a->low == 0 ? 1 : fabs(a->low) / 2;
    a->low -= room / 2;
    a->high += room / 2;
}

/* The dot of `dots` from the low end, -1 where there is none. */
static int axis_dot(const struct axis *a, double value, int dots)
{
    double at = (on_axis(a, value) - a->low) / (a->high - a->low);
    return isfinite(at) && at >= 0 && at <= 1 ? (int)(at * (dots - 1) + 0.5) : -1;
}

/* The value at a part of the axis. */
static double axis_value(const struct axis *a, double part)
{
    double at = a->low + (a->high - a->low) * part;
    return a->log ? pow(10, at) : at;
}

struct plotted {
    struct grid *g;
    const struct plot *plot;
    uint32_t series[PLOT_SERIES_MAX + 1], series_count, rows;
    struct axis x, y;
    int label_width; /* of those upwards */
};

static void find_axes(struct plotted *q)
{
    q->x = (struct axis){q->plot->log_x, INFINITY, -INFINITY};
    q->y = (struct axis){q->plot->log_y, INFINITY, -INFINITY};
    for (uint32_t row = 0; row < q->rows; row++) {
        axis_take(&q->x, x_value(q->plot, q->g, row));
        for (uint32_t i = 0; i < q->series_count; i++)
            axis_take(&q->y, y_value(q->g, row, q->series[i]));
    }
    if (q->plot->kind == PLOT_BARS && !q->y.log)
        axis_take(&q->y, 0);
    axis_settle(&q->x);
    axis_settle(&q->y);
}

/* ---- drawing ---- */

struct dot {
    int x, y;
};

static int compare_dots(const void *a, const void *b)
{
    const struct dot *p = a, *q = b;
    return p->x != q->x ? (p->x < q->x ? -1 : 1) : 0;
}

/* The dots of a series that can be seen, in the order of the rows. */
static uint32_t find_dots(const struct plotted *q, const struct braille *b, uint32_t series,
                          struct dot *out)
{
    uint32_t n = 0;
    for (uint32_t row = 0; row < q->rows; row++) {
        struct dot dot = {axis_dot(&q->x, x_value(q->plot, q->g, row), b->width),
                          axis_dot(&q->y, y_value(q->g, row, q->series[series]), b->height)};
        if (dot.x >= 0 && dot.y >= 0)
            out[n++] = (struct dot){dot.x, b->height - 1 - dot.y};
    }
    return n;
}

static bool are_sorted(const struct dot *dots, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (dots[i].x < dots[i - 1].x)
            return false;
    return true;
}

/* As wide as leaves a gap between neighbours. */
static int bar_width(const struct plotted *q, const struct braille *b)
{
    int room = q->rows > 0 ? b->width / (int)q->rows : 1;
    return room > 3 ? room - 1 : 1;
}

static void draw_series(const struct plotted *q, struct braille *b, uint32_t series)
{
    uint16_t role = role_slice(series * 5 + 2);
    struct dot *dots = alloc_array((size_t)q->rows + 1, sizeof *dots);
    uint32_t n = find_dots(q, b, series, dots);
    int zero = axis_dot(&q->y, q->y.log ? axis_value(&q->y, 0) : 0, b->height);
    int floor = b->height - 1 - (zero < 0 ? 0 : zero), width = bar_width(q, b);
    if (q->plot->kind == PLOT_LINES && !are_sorted(dots, n))
        qsort(dots, n, sizeof *dots, compare_dots);
    for (uint32_t i = 0; i < n; i++) {
        if (q->plot->kind == PLOT_LINES && i > 0)
            braille_line(b, dots[i - 1].x, dots[i - 1].y, dots[i].x, dots[i].y, role);
        else if (q->plot->kind == PLOT_BARS)
            for (int x = dots[i].x - width / 2; x < dots[i].x - width / 2 + width; x++)
                braille_line(b, x, floor, x, dots[i].y, role);
        else
            braille_dot(b, dots[i].x, dots[i].y, role);
    }
    free(dots);
}

static void print_value(const struct plotted *q, int source, double value, char *out, size_t size)
{
    const struct grid_column *column = source >= 0 ? column_of(q->g, (uint32_t)source) : NULL;
    if (!isfinite(value)) {
        snprintf(out, size, "-");
    } else if (column && column->kind == COLUMN_TIME && fabs(value) < 9e18) {
        struct sql_value v = {.type = SQL_INT, .i = (int64_t)value};
        grid_text(q->g, column, &v, out, size);
    } else if (column)
        grid_print_number(column, value, out, size);
    else
        snprintf(out, size, "row %.0f", value);
}

static void put_right(struct cells *c, int x, int y, int w, const char *text)
{
    int n = (int)strlen(text);
    cells_put_text(c, x + (n < w ? w - n : 0), y, w, str_from(text), ROLE_DIM, 0);
}

enum { LABELS = 3 };

/* Those of the axis upwards, the highest first. */
static void print_label(const struct plotted *q, int i, char *out, size_t size)
{
    print_value(q, (int)q->series[0], axis_value(&q->y, 1 - i / (LABELS - 1.0)), out, size);
}

static int label_width(const struct plotted *q)
{
    int widest = LABEL_WIDTH;
    for (int i = 0; i < LABELS; i++) {
        char text[64];
        print_label(q, i, text, sizeof text);
        widest = (int)strlen(text) > widest ? (int)strlen(text) : widest;
    }
    return widest < LABEL_WIDTH_MAX ? widest : LABEL_WIDTH_MAX;
}

static void draw_labels(struct cells *c, struct rect inside, const struct plotted *q)
{
    char text[64];
    for (int i = 0; i < LABELS; i++) {
        int y = inside.y + (inside.h - 1) * i / (LABELS - 1);
        print_label(q, i, text, sizeof text);
        put_right(c, inside.x - q->label_width - 1, y, q->label_width, text);
    }
    for (int y = inside.y; y < inside.y + inside.h; y++)
        cells_put(c, inside.x - 1, y, U'│', ROLE_DIM, 0);
    int below = inside.y + inside.h;
    print_value(q, q->plot->x, axis_value(&q->x, 0), text, sizeof text);
    cells_put_text(c, inside.x, below, inside.w / 3, str_from(text), ROLE_DIM, 0);
    print_value(q, q->plot->x, axis_value(&q->x, 0.5), text, sizeof text);
    int half = (int)strlen(text) / 2;
    cells_put_text(c, inside.x + inside.w / 2 - half, below, inside.w / 3, str_from(text), ROLE_DIM,
                   0);
    print_value(q, q->plot->x, axis_value(&q->x, 1), text, sizeof text);
    put_right(c, inside.x + inside.w - inside.w / 3, below, inside.w / 3, text);
}

/* A value of the cursor's row: as the labels have it, whole numbers that a double lacks as the grid
 * does. */
static void print_cell(const struct plotted *q, int source, char *out, size_t size)
{
    static const int64_t exact = INT64_C(1) << 53;
    const struct grid_column *column = source >= 0 ? column_of(q->g, (uint32_t)source) : NULL;
    if (!column) {
        snprintf(out, size, "row %u", q->g->row + 1);
        return;
    }
    struct sql_value v = grid_value(q->g, q->g->row, (uint32_t)source);
    if (v.type == SQL_INT && (v.i > exact || v.i < -exact))
        grid_text(q->g, column, &v, out, size);
    else
        print_value(q, source, number_of(&v), out, size);
}

/* What is drawn in which colour against what, how, and the values of the cursor's row. */
static void draw_title(struct cells *c, struct rect line, const struct plotted *q)
{
    static const char *const kinds[] = {"lines", "points", "bars"};
    char value[64];
    int x = line.x + 1, end = line.x + line.w;
    for (uint32_t i = 0; i < q->series_count; i++) {
        print_cell(q, (int)q->series[i], value, sizeof value);
        cells_put(c, x, line.y, U'■', role_slice(i * 5 + 2), CELL_SOLID);
        x += 2 + cells_put_text(c, x + 2, line.y, end - x - 2,
                                str_from(result_name(q->g->result, q->series[i])), ROLE_STRONG, 0);
        x += 2 + cells_put_format(c, x + 1, line.y, end - x - 1, ROLE_VALUE, 0, "%s", value);
    }
    print_cell(q, q->plot->x, value, sizeof value);
    x +=
        cells_put_format(c, x, line.y, end - x, ROLE_DIM, 0, " over %s ",
                         q->plot->x < 0 ? "rows" : result_name(q->g->result, (uint32_t)q->plot->x));
    x += cells_put_format(c, x, line.y, end - x, ROLE_VALUE, 0, "%s", value);
    cells_put_format(c, x, line.y, end - x, ROLE_DIM, 0, "   %s%s%s", kinds[q->plot->kind],
                     q->plot->log_y && q->plot->log_x ? ", both logarithmic"
                     : q->plot->log_y                 ? ", logarithmic"
                     : q->plot->log_x                 ? ", logarithmic across"
                                                      : "",
                     q->rows < grid_rows(q->g) ? ", the first 200,000 rows" : "");
}

struct grid_caret plot_draw(struct cells *c, struct rect area, const struct plot *p, struct grid *g)
{
    struct plotted q = {.g = g, .plot = p};
    q.rows = grid_rows(g) < ROWS_MAX ? grid_rows(g) : ROWS_MAX;
    q.series_count = list_series(p, g, q.series);
    if (q.series_count > 0 && q.rows > 0) {
        find_axes(&q);
        q.label_width = label_width(&q);
    }
    struct rect inside = {area.x + q.label_width + 2, area.y + 1, area.w - q.label_width - 3,
                          area.h - 2};
    if (inside.w < LEAST_WIDTH || inside.h < LEAST_HEIGHT || q.series_count == 0 || q.rows == 0) {
        cells_put_text(c, area.x + 1, area.y, area.w - 2,
                       q.series_count ? STR("no room for the plot: F4 gives it the whole screen")
                                      : STR("no number in this column: h and l choose another"),
                       ROLE_DIM, 0);
        return (struct grid_caret){area.x + 1, area.y};
    }
    struct braille b;
    braille_init(&b, inside.w, inside.h);
    for (uint32_t i = 0; i < q.series_count; i++)
        draw_series(&q, &b, i);
    draw_title(c, (struct rect){area.x, area.y, area.w, 1}, &q);
    draw_labels(c, inside, &q);
    braille_show(&b, c, inside.x, inside.y);
    int at = axis_dot(&q.x, x_value(p, g, g->row), b.width);
    braille_release(&b);
    int x = inside.x + (at < 0 ? 0 : at / 2);
    for (int y = inside.y; at >= 0 && y < inside.y + inside.h; y++)
        if (cells_at(c, x, y) && cells_at(c, x, y)->ch == ' ')
            cells_put(c, x, y, U'┊', ROLE_DIM, 0);
    return (struct grid_caret){x, inside.y + inside.h - 1};
}
