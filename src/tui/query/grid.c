#include "tui/query/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "text/time_format.h"

enum { COLUMN_WIDTH_MAX = 48, COLUMN_WIDTH_MIN = 4, TEXT_SIZE = 256, GAP = 2, LAST_WIDTH = 16 };
enum { WIDTH_STEP = 8 };

static enum column_kind kind_of(const char *name)
{
    if (name_is_of_times(name))
        return COLUMN_TIME;
    return name_is_of_durations(name) ? COLUMN_DURATION : COLUMN_PLAIN;
}

struct grid *grid_new(struct result *result)
{
    struct grid *g = alloc_array(1, sizeof *g);
    g->result = result_retain(result);
    g->reader.result = result;
    g->sorted_by = -1;
    g->anchor = NO_ROW;
    for (uint32_t i = 0; i < result_columns(result); i++)
        *vec_push(&g->columns) =
            (struct grid_column){.source = i, .kind = kind_of(result_name(result, i))};
    return g;
}

void grid_free(struct grid *g)
{
    if (!g)
        return;
    result_release(g->result);
    vec_release(&g->columns);
    row_order_release(g->order);
    while (g->filters.count > 0)
        grid_drop_filter(g);
    vec_release(&g->filters);
    free(g);
}

uint32_t grid_rows(const struct grid *g)
{
    return g->order ? g->order->count : result_rows(g->result);
}

uint32_t grid_row(const struct grid *g, uint32_t row)
{
    return g->order ? g->order->rows[row] : row;
}

struct sql_value grid_value(struct grid *g, uint32_t row, uint32_t source)
{
    return result_read(&g->reader, grid_row(g, row), source);
}

struct grid_column *grid_current(struct grid *g)
{
    return g->column < g->columns.count ? &g->columns.items[g->column] : NULL;
}

void grid_set_order(struct grid *g, struct row_order *order)
{
    bool at_top = g->row == 0;
    uint32_t kept = grid_rows(g) ? grid_row(g, g->row) : 0;
    row_order_release(g->order);
    g->order = order;
    g->row = order || at_top ? 0 : kept;
    g->anchor = NO_ROW;
    for (uint32_t i = 0; order && !at_top && i < order->count; i++)
        if (order->rows[i] == kept)
            g->row = i;
}

struct row_order *row_order_new(uint32_t *rows, uint32_t count)
{
    struct row_order *o = alloc_array(1, sizeof *o);
    atomic_init(&o->references, 1);
    o->rows = rows;
    o->count = count;
    return o;
}

struct row_order *row_order_retain(struct row_order *o)
{
    if (o)
        atomic_fetch_add(&o->references, 1);
    return o;
}

void row_order_release(struct row_order *o)
{
    if (!o || atomic_fetch_sub(&o->references, 1) > 1)
        return;
    free(o->rows);
    free(o);
}

void grid_add_filter(struct grid *g, enum grid_filter_kind kind, uint32_t source,
                     const struct sql_value *value, const char *text)
{
    struct grid_filter f = {.kind = kind, .source = source};
    size_t n = strlen(text);
    if (value)
        f.value = *value;
    bool bytes = f.value.type == SQL_TEXT || f.value.type == SQL_BLOB;
    f.text = bytes ? alloc_copy(f.value.s.p, f.value.s.n) : alloc_copy(text, n);
    if (bytes)
        f.value.s.p = f.text;
    *vec_push(&g->filters) = f;
}

void grid_drop_filter(struct grid *g)
{
    if (g->filters.count > 0)
        free(g->filters.items[--g->filters.count].text);
}

void grid_print_filters(const struct grid *g, char *out, size_t size)
{
    static const char *const signs[] = {
        [FILTER_EQUAL] = "=", [FILTER_DIFFERENT] = "!=", [FILTER_MATCHES] = "~"};
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < g->filters.count && used < size; i++) {
        const struct grid_filter *f = &g->filters.items[i];
        bool quoted = f->kind != FILTER_MATCHES && f->value.type == SQL_TEXT;
        bool null = f->kind != FILTER_MATCHES && f->value.type == SQL_NULL;
        int n = snprintf(out + used, size - used, "%s%s %s %s%.40s%s", i ? ", " : "",
                         result_name(g->result, f->source), signs[f->kind], quoted ? "'" : "",
                         null ? "NULL" : f->text, quoted ? "'" : "");
        used += n > 0 ? (size_t)n : 0;
    }
}

/* "2024-03-01 12:34:56.123456789", UTC. */
static void print_wall_time(int64_t ns, char *out, size_t size)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm parts;
    char date[32] = "";
    if (ns % 1000000000 < 0)
        seconds--;
    if (gmtime_r(&seconds, &parts))
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S", &parts);
    snprintf(out, size, "%s.%09" PRId64, date, (ns % 1000000000 + 1000000000) % 1000000000);
}

static void print_time(const struct grid_style *style, int64_t ts, char *out, size_t size)
{
    int64_t since, wall;
    bool fits = !__builtin_sub_overflow(ts, style->trace_start, &since) &&
                !__builtin_add_overflow(ts, style->wall_offset, &wall);
    if (!fits || style->time == TIME_NS)
        snprintf(out, size, "%" PRId64, ts);
    else if (style->time == TIME_TRACE)
        format_exact(out, size, since);
    else if (style->time == TIME_SECONDS)
        snprintf(out, size, "%s%" PRId64 ".%09" PRId64, since < 0 ? "-" : "",
                 since < 0 ? -(since / 1000000000) : since / 1000000000,
                 since < 0 ? -(since % 1000000000) : since % 1000000000);
    else
        print_wall_time(wall, out, size);
}

void grid_text(const struct grid *g, const struct grid_column *column, const struct sql_value *v,
               char *out, size_t size)
{
    if (v->type == SQL_INT && column->kind == COLUMN_TIME)
        print_time(&g->style, v->i, out, size);
    else if (v->type == SQL_INT && column->kind == COLUMN_DURATION && g->style.human_durations)
        format_dur_short(out, size, v->i);
    else if (v->type == SQL_REAL && column->kind == COLUMN_DURATION && g->style.human_durations &&
             v->d > -9e18 && v->d < 9e18)
        format_dur_short(out, size, (int64_t)v->d);
    else
        result_text(v, out, size);
}

void grid_print_type(const struct grid *g, const struct grid_column *column, char *out, size_t size)
{
    static const char *const names[] = {
        [SQL_INT] = "LONG", [SQL_REAL] = "DOUBLE", [SQL_TEXT] = "STRING", [SQL_BLOB] = "BYTES"};
    uint8_t types = result_shape(g->result, column->source).types;
    size_t used = 0;
    snprintf(out, size, "%s", types & 1u << SQL_NULL ? "NULL" : "");
    for (int i = SQL_INT; i <= SQL_BLOB; i++) {
        const char *name = names[i];
        if (!(types & 1u << i))
            continue;
        if (i == SQL_INT && column->kind != COLUMN_PLAIN)
            name = column->kind == COLUMN_TIME ? "TIMESTAMP" : "DURATION";
        int n = snprintf(out + used, size - used, "%s%s", used ? " or " : "", name);
        used += n > 0 && (size_t)n < size - used ? (size_t)n : 0;
    }
}

struct grid_range grid_selection(const struct grid *g)
{
    if (grid_rows(g) == 0)
        return (struct grid_range){0, 0};
    if (g->anchor == NO_ROW)
        return (struct grid_range){g->row, g->row + 1};
    return g->anchor < g->row ? (struct grid_range){g->anchor, g->row + 1}
                              : (struct grid_range){g->row, g->anchor + 1};
}

static bool is_shown(const struct grid *g, uint32_t column)
{
    return !g->columns.items[column].hidden;
}

void grid_move(struct grid *g, int64_t rows, int64_t columns)
{
    int64_t row = (int64_t)g->row + rows, last = (int64_t)grid_rows(g) - 1;
    g->row = (uint32_t)(row > last ? (last < 0 ? 0 : last) : row < 0 ? 0 : row);
    int step = columns < 0 ? -1 : 1;
    uint32_t count = (uint32_t)g->columns.count, at = g->column;
    for (int64_t left = columns < 0 ? -columns : columns; left > 0;) {
        if (step < 0 ? at == 0 : at + 1 >= count)
            break;
        at += (uint32_t)step;
        if (!is_shown(g, at))
            continue;
        g->column = at;
        left--;
    }
}

bool grid_hide(struct grid *g)
{
    uint32_t shown = 0, hidden = g->column;
    for (uint32_t i = 0; i < g->columns.count; i++)
        shown += is_shown(g, i);
    if (shown < 2)
        return false;
    grid_move(g, 0, 1);
    if (g->column == hidden)
        grid_move(g, 0, -1);
    g->columns.items[hidden].hidden = true;
    return true;
}

void grid_show_all(struct grid *g)
{
    for (uint32_t i = 0; i < g->columns.count; i++)
        g->columns.items[i].hidden = false;
}

void grid_shift(struct grid *g, int direction)
{
    uint32_t from = g->column;
    grid_move(g, 0, direction);
    struct grid_column moved = g->columns.items[from];
    g->columns.items[from] = g->columns.items[g->column];
    g->columns.items[g->column] = moved;
}

static void wish_width(struct grid_column *column, int width)
{
    column->wish = width < COLUMN_WIDTH_MIN  ? COLUMN_WIDTH_MIN
                   : width < CELLS_MAX_WIDTH ? width
                                             : CELLS_MAX_WIDTH;
}

void grid_widen(struct grid *g, int steps)
{
    struct grid_column *column = grid_current(g);
    if (column)
        wish_width(column, column->drawn_width + steps * WIDTH_STEP);
}

bool grid_point_edge(struct grid *g, int x, int y)
{
    for (uint32_t i = 0; i < g->columns.count && y == g->drawn_y; i++) {
        const struct grid_column *column = &g->columns.items[i];
        int end = column->x + column->drawn_width;
        if (column->x < 0 || x < end || x >= end + GAP)
            continue;
        g->column = i;
        return true;
    }
    return false;
}

void grid_pull_edge(struct grid *g, int x)
{
    struct grid_column *column = grid_current(g);
    if (column && column->x >= 0)
        wish_width(column, x - column->x);
}

void grid_widen_whole(struct grid *g)
{
    struct grid_column *column = grid_current(g);
    if (!column)
        return;
    int longest = (int)strlen(result_name(g->result, column->source));
    uint32_t width = result_shape(g->result, column->source).width;
    longest = column->whole > longest ? column->whole : longest;
    if (width > (uint32_t)longest)
        longest = width < CELLS_MAX_WIDTH ? (int)width : CELLS_MAX_WIDTH;
    column->wish = column->wish ? 0 : longest;
}

void grid_freeze(struct grid *g)
{
    g->frozen = g->frozen == g->column + 1 ? 0 : g->column + 1;
    g->left = g->frozen;
}

static bool is_number(const struct sql_value *v)
{
    return v->type == SQL_INT || v->type == SQL_REAL;
}

/* Cells that a value takes when it is shown whole. */
static int value_width(const struct grid *g, const struct grid_column *column,
                       const struct sql_value *v)
{
    char text[TEXT_SIZE];
    if (v->type == SQL_TEXT) {
        struct str s = {v->s.p, v->s.n < CELLS_MAX_WIDTH ? v->s.n : CELLS_MAX_WIDTH};
        return text_width(s);
    }
    if (v->type == SQL_NULL)
        return 4;
    grid_text(g, column, v, text, sizeof text);
    return (int)strlen(text);
}

/* What the rows in sight need. Columns only get wider, so that they stay where they are while one
 * scrolls; numbers get what the longest takes at once. */
static void widen(struct grid *g, struct grid_column *column, uint32_t page)
{
    struct result_shape shape = result_shape(g->result, column->source);
    bool numbers = column->kind == COLUMN_PLAIN && !(shape.types & 1u << SQL_TEXT);
    int n = (int)strlen(result_name(g->result, column->source));
    n += g->sorted_by == (int)column->source ? 2 : 0;
    if (numbers && shape.width > (uint32_t)n)
        n = shape.width < COLUMN_WIDTH_MAX ? (int)shape.width : COLUMN_WIDTH_MAX;
    for (uint32_t i = 0; i < page && g->top + i < grid_rows(g); i++) {
        struct sql_value v = grid_value(g, g->top + i, column->source);
        int width = value_width(g, column, &v);
        n = width > n ? width : n;
    }
    column->whole = n > column->whole ? n : column->whole;
    n = n > COLUMN_WIDTH_MAX ? COLUMN_WIDTH_MAX : n < COLUMN_WIDTH_MIN ? COLUMN_WIDTH_MIN : n;
    column->width = n > column->width ? n : column->width;
}

static int column_width(const struct grid_column *column)
{
    return column->wish ? column->wish : column->width ? column->width : COLUMN_WIDTH_MIN;
}

static bool is_cut(const struct grid_column *column)
{
    return column->wish == 0 && column->drawn_width < column->whole;
}

static void draw_value(struct cells *c, struct rect cell, struct grid *g,
                       const struct grid_column *column, uint32_t row)
{
    char text[TEXT_SIZE];
    struct sql_value v = grid_value(g, row, column->source);
    if (v.type == SQL_NULL) {
        cells_put_text(c, cell.x, cell.y, cell.w, STR("NULL"), ROLE_GRID_NULL, 0);
        return;
    }
    if (v.type == SQL_TEXT) { /* as long as it is: what is cut shows that it is */
        cells_put_text(c, cell.x, cell.y, cell.w, v.s, ROLE_VALUE, 0);
        return;
    }
    grid_text(g, column, &v, text, sizeof text);
    int n = (int)strlen(text), pad = is_number(&v) && n < cell.w ? cell.w - n : 0;
    bool link = v.type == SQL_INT && (column->leads_to.table[0] || column->kind == COLUMN_TIME);
    cells_put_text(c, cell.x + pad, cell.y, cell.w - pad, str_from(text),
                   link ? ROLE_LINK : ROLE_VALUE, 0);
}

struct grid_drawing {
    struct cells *c;
    struct rect area;
    uint32_t page;
    int x;
    struct grid_caret caret;
};

/* A column at d->x, which moves behind it. */
static void draw_column(struct grid_drawing *d, struct grid *g, uint32_t index, bool focused)
{
    struct grid_column *column = &g->columns.items[index];
    int room = d->area.x + d->area.w - d->x;
    int width = column->drawn_width < room ? column->drawn_width : room;
    column->x = d->x;
    bool current = focused && index == g->column, sorted = g->sorted_by == (int)column->source;
    uint8_t attrs = current ? CELL_UNDERLINE : 0;
    int used =
        cells_put_text(d->c, d->x, d->area.y, width,
                       str_from(result_name(g->result, column->source)), ROLE_GRID_HEADER, attrs);
    if (sorted && used + 1 < width)
        cells_put(d->c, d->x + used + 1, d->area.y, g->descending ? U'▼' : U'▲', ROLE_GRID_HEADER,
                  0);
    for (uint32_t k = 0; k < d->page && g->top + k < grid_rows(g); k++) {
        struct rect cell = {d->x, d->area.y + 1 + (int)k, width, 1};
        draw_value(d->c, cell, g, column, g->top + k);
        if (!current || g->top + k != g->row)
            continue;
        d->caret = (struct grid_caret){cell.x, cell.y};
    }
    d->x += width + GAP;
}

int grid_width(struct grid *g, uint32_t rows)
{
    int width = 1, last = 0;
    for (uint32_t i = 0; i < g->columns.count; i++) {
        if (!is_shown(g, i))
            continue;
        widen(g, &g->columns.items[i], rows);
        last = column_width(&g->columns.items[i]);
        width += last + GAP;
    }
    return last > LAST_WIDTH ? width - (last - LAST_WIDTH) : width;
}

static int column_room(const struct grid *g, uint32_t index)
{
    return g->columns.items[index].hidden ? 0 : column_width(&g->columns.items[index]) + GAP;
}

/* Scrolls so that the cursor's column is in sight behind the frozen ones. */
static void scroll_columns(struct grid *g, int room, uint32_t page)
{
    uint32_t frozen = g->frozen < g->columns.count ? g->frozen : 0;
    g->left = g->left < frozen ? frozen : g->left;
    if (g->column < frozen)
        return;
    for (uint32_t i = 0; i < frozen; i++)
        room -= column_room(g, i);
    if (g->column < g->left)
        g->left = g->column;
    widen(g, &g->columns.items[g->column], page);
    int used = 0;
    for (uint32_t i = g->left; i <= g->column; i++)
        used += column_room(g, i);
    while (used > room && g->left < g->column)
        used -= column_room(g, g->left++);
}

static bool is_in_sight(const struct grid *g, uint32_t index)
{
    uint32_t frozen = g->frozen < g->columns.count ? g->frozen : 0;
    return is_shown(g, index) && (index < frozen || index >= g->left);
}

/* Columns whose values are cut share what is left of so many cells, evenly as far as they need it.
 */
static void fit_columns(struct grid *g, int room, uint32_t page)
{
    int cut = 0;
    for (uint32_t i = 0; i < g->columns.count && room > 0; i++) {
        struct grid_column *column = &g->columns.items[i];
        if (!is_in_sight(g, i))
            continue;
        widen(g, column, page);
        column->drawn_width = column_width(column);
        room -= column->drawn_width + GAP;
        cut += is_cut(column);
    }
    for (room += GAP; room > 0 && cut > 0;) {
        int share = room > cut ? room / cut : 1;
        cut = 0;
        for (uint32_t i = 0; i < g->columns.count && room > 0; i++) {
            struct grid_column *column = &g->columns.items[i];
            int lacks =
                is_in_sight(g, i) && is_cut(column) ? column->whole - column->drawn_width : 0;
            int more = lacks < share ? lacks : share;
            more = more < room ? more : room;
            column->drawn_width += more;
            room -= more;
            cut += more < lacks;
        }
    }
}

static void scroll_rows(struct grid *g, uint32_t page)
{
    uint32_t rows = grid_rows(g);
    if (g->row >= rows)
        g->row = rows ? rows - 1 : 0;
    if (g->row < g->top)
        g->top = g->row;
    if (g->row - g->top >= page)
        g->top = g->row - page + 1;
}

static void mark_rows(struct grid_drawing *d, const struct grid *g)
{
    struct grid_range selected = grid_selection(g);
    for (uint32_t k = 0; k < d->page && g->top + k < grid_rows(g); k++)
        if (g->top + k >= selected.from && g->top + k < selected.to)
            cells_set_role(d->c, (struct rect){d->area.x, d->area.y + 1 + (int)k, d->area.w, 1},
                           ROLE_SELECTION);
}

void grid_point(struct grid *g, int x, int y)
{
    uint32_t row = g->top + (uint32_t)(y > g->drawn_y ? y - g->drawn_y - 1 : 0);
    for (uint32_t i = 0; i < g->columns.count; i++)
        if (g->columns.items[i].x >= 0 && g->columns.items[i].x <= x)
            g->column = i;
    if (row < grid_rows(g))
        g->row = row;
}

struct grid_caret grid_draw(struct cells *c, struct rect area, struct grid *g, bool focused)
{
    struct rect clip = cells_clip(c, area);
    struct grid_drawing d = {
        c, area, area.h > 1 ? (uint32_t)area.h - 1 : 1, area.x + 1, {area.x + 1, area.y + 1}};
    scroll_rows(g, d.page);
    if (g->columns.count > 0)
        scroll_columns(g, area.w - 2, d.page);
    fit_columns(g, area.w - 1, d.page);
    cells_fill(c, (struct rect){area.x, area.y, area.w, 1}, ' ', ROLE_GRID_HEADER, 0);
    uint32_t frozen = g->frozen < g->columns.count ? g->frozen : 0;
    g->drawn_y = area.y;
    for (uint32_t i = 0; i < g->columns.count; i++)
        g->columns.items[i].x = -1;
    for (uint32_t i = 0; i < g->columns.count && d.x < area.x + area.w; i++)
        if (is_in_sight(g, i)) {
            if (i == g->left && frozen > 0)
                cells_fill(c, (struct rect){d.x - 1, area.y, 1, area.h}, U'│', ROLE_BORDER, 0);
            draw_column(&d, g, i, focused);
        }
    if (focused)
        mark_rows(&d, g);
    if (focused && grid_rows(g) > 0) {
        struct grid_column *current = grid_current(g);
        cells_add_attrs(c,
                        (struct rect){d.caret.x, d.caret.y, current ? current->drawn_width : 1, 1},
                        CELL_REVERSE);
    }
    cells_clip(c, clip);
    return d.caret;
}
