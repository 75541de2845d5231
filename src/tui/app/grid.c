#include "tui/app/grid.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { COLUMN_WIDTH_MAX = 48 };

struct grid *grid_new(void)
{
    struct grid *g = alloc_array(1, sizeof *g);
    arena_init(&g->arena);
    return g;
}

void grid_free(struct grid *g)
{
    if (!g)
        return;
    vec_release(&g->names);
    vec_release(&g->values);
    vec_release(&g->widths);
    arena_release(&g->arena);
    free(g);
}

static char *keep(struct grid *g, struct str s)
{
    char *copy = arena_alloc_bytes(&g->arena, s.n + 1);
    if (s.n)
        memcpy(copy, s.p, s.n);
    copy[s.n] = '\0';
    return copy;
}

static bool grid_begin(void *self, int columns, const char *const *names)
{
    struct grid *g = self;
    arena_release(&g->arena);
    arena_init(&g->arena);
    g->names.count = g->values.count = g->widths.count = 0;
    g->rows = 0;
    g->note = NULL;
    g->truncated = false;
    g->columns = columns < GRID_COLUMNS ? (uint32_t)columns : GRID_COLUMNS;
    for (uint32_t i = 0; i < g->columns; i++) {
        size_t n = strlen(names[i]);
        *vec_push(&g->names) = keep(g, str_from(names[i]));
        *vec_push(&g->widths) = n < COLUMN_WIDTH_MAX ? (int)n : COLUMN_WIDTH_MAX;
    }
    return true;
}

static bool grid_row(void *self, int columns, const struct sql_value *values)
{
    struct grid *g = self;
    if (g->rows == GRID_ROWS || g->arena.total > GRID_BYTES) {
        g->truncated = true;
        return false;
    }
    for (uint32_t i = 0; i < g->columns && (int)i < columns; i++) {
        struct sql_value *v = vec_push(&g->values);
        *v = values[i];
        if (v->type == SQL_TEXT || v->type == SQL_BLOB)
            v->s.p = keep(g, v->s);
        char text[COLUMN_WIDTH_MAX + 1];
        grid_text(v, text, sizeof text);
        int n = (int)strlen(text);
        g->widths.items[i] = n > g->widths.items[i] ? n : g->widths.items[i];
    }
    g->rows++;
    return true;
}

static bool grid_end(void *self)
{
    (void)self;
    return true;
}

void grid_note(void *self, const char *reason)
{
    struct grid *g = self;
    g->note = keep(g, str_from(reason));
}

struct sql_sink grid_sink(struct grid *g)
{
    return (struct sql_sink){.begin = grid_begin, .row = grid_row, .end = grid_end, .self = g};
}

int grid_column(const struct grid *g, const char *name)
{
    for (uint32_t i = 0; i < g->columns; i++)
        if (strcmp(g->names.items[i], name) == 0)
            return (int)i;
    return -1;
}

void grid_text(const struct sql_value *v, char *out, size_t size)
{
    switch (v->type) {
    case SQL_NULL:
        snprintf(out, size, "%s", "");
        break;
    case SQL_INT:
        snprintf(out, size, "%" PRId64, v->i);
        break;
    case SQL_REAL:
        snprintf(out, size, "%.15g", v->d);
        break;
    case SQL_TEXT:
        snprintf(out, size, "%.*s", (int)(v->s.n < size ? v->s.n : size), v->s.p);
        break;
    case SQL_BLOB:
        snprintf(out, size, "(%zu bytes)", v->s.n);
        break;
    }
}

static void draw_value(struct cells *c, int x, int y, int width, const struct sql_value *v)
{
    char text[256];
    bool number = v->type == SQL_INT || v->type == SQL_REAL;
    if (v->type == SQL_NULL) {
        cells_put_text(c, x, y, width, STR("NULL"), ROLE_GRID_NULL, 0);
        return;
    }
    grid_text(v, text, sizeof text);
    int n = (int)strlen(text);
    int pad = number && n < width ? width - n : 0;
    cells_put_text(c, x + pad, y, width - pad, str_from(text), ROLE_VALUE, 0);
}

void grid_draw(struct cells *c, struct rect area, struct grid *g, bool focused)
{
    struct rect clip = cells_clip(c, area);
    uint32_t page = area.h > 1 ? (uint32_t)area.h - 1 : 1;
    if (g->selected < g->top)
        g->top = g->selected;
    if (g->selected >= g->top + page)
        g->top = g->selected - page + 1;
    int x = area.x + 1;
    cells_fill(c, (struct rect){area.x, area.y, area.w, 1}, ' ', ROLE_GRID_HEADER, 0);
    for (uint32_t i = g->left; i < g->columns && x < area.x + area.w; i++) {
        int width = g->widths.items[i] < 4 ? 4 : g->widths.items[i];
        int room = area.x + area.w - x;
        width = width < room ? width : room;
        cells_put_text(c, x, area.y, width, str_from(g->names.items[i]), ROLE_GRID_HEADER, 0);
        for (uint32_t k = 0; k < page && g->top + k < g->rows; k++)
            draw_value(c, x, area.y + 1 + (int)k, width, grid_value(g, g->top + k, i));
        x += width + 2;
    }
    if (focused && g->rows > 0)
        cells_set_role(c,
                       (struct rect){area.x, area.y + 1 + (int)(g->selected - g->top), area.w, 1},
                       ROLE_SELECTION);
    cells_clip(c, clip);
}

void grid_move(struct grid *g, int64_t rows, int64_t columns)
{
    int64_t row = (int64_t)g->selected + rows, left = (int64_t)g->left + columns;
    int64_t last = g->rows ? (int64_t)g->rows - 1 : 0,
            last_column = g->columns ? (int64_t)g->columns - 1 : 0;
    g->selected = (uint32_t)(row < 0 ? 0 : row > last ? last : row);
    g->left = (uint32_t)(left < 0 ? 0 : left > last_column ? last_column : left);
}
