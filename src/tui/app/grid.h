/* The result of a query, kept for the screen: columns, typed values, and a place in it. */
#ifndef TPTUI_TUI_APP_GRID_H
#define TPTUI_TUI_APP_GRID_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/vec.h"
#include "sql/session.h"
#include "tui/cells/cells.h"

enum { GRID_COLUMNS = 256, GRID_ROWS = 500000, GRID_BYTES = 256 << 20 };

struct grid {
    struct arena arena;
    VEC(char *) names;            /* in the arena; of the last result set */
    VEC(struct sql_value) values; /* row after row; text in the arena */
    uint32_t columns, rows;
    char *note;                   /* in the arena: why there are no rows; NULL for no reason */
    bool truncated;               /* more than GRID_ROWS, or too much text */
    VEC(int) widths;              /* of the columns on the screen */
    uint32_t selected, top, left; /* row, first row and first column shown */
};

struct grid *grid_new(void);
void grid_free(struct grid *g);

/* A sink that keeps the last result set. The grid must outlive the run. */
struct sql_sink grid_sink(struct grid *g);
/* For the sink's `note`, where the reason of an empty result is wanted. */
void grid_note(void *self, const char *reason);

/* The column of that name, or -1. */
int grid_column(const struct grid *g, const char *name);
static inline const struct sql_value *grid_value(const struct grid *g, uint32_t row,
                                                 uint32_t column)
{
    return &g->values.items[(size_t)row * g->columns + column];
}
/* A value as text for people, cut at `size`; NULL is empty. */
void grid_text(const struct sql_value *v, char *out, size_t size);

void grid_draw(struct cells *c, struct rect area, struct grid *g, bool focused);
/* Moves the selected row; keeps within. */
void grid_move(struct grid *g, int64_t rows, int64_t columns);

#endif
