#include "core/store/table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/block_store.h"
#include "core/store/zones.h"

enum { COPIED_ROWS = 1 << 14 }; /* whose columns may lie in blocks that move by copying */

size_t column_value_size(enum column_type type)
{
    switch (type) {
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
        return 0;
    case COLUMN_TYPE_U32:
    case COLUMN_TYPE_SMALL:
    case COLUMN_TYPE_I32:
    case COLUMN_TYPE_STR:
        return 4;
    case COLUMN_TYPE_I64:
    case COLUMN_TYPE_F64:
        return 8;
    }
    return 0;
}

void table_init(struct table *t, const struct table_def *def, struct column *columns)
{
    *t = (struct table){.def = def, .columns = columns};
    for (uint32_t i = 0; i < def->column_count; i++)
        t->columns[i].def = &def->columns[i];
}

void table_release(struct table *t)
{
    for (uint32_t i = 0; t->columns && i < t->def->column_count; i++) {
        struct column *c = &t->columns[i];
        free(c->data);
        free(c->nulls);
        zones_free(c);
    }
    *t = (struct table){0};
}

static size_t null_words(uint32_t cap)
{
    return ((size_t)cap + 63) / 64;
}

bool column_may_be_absent(const struct column_def *def)
{
    return (def->flags & COLUMN_NULLABLE) &&
           (def->type == COLUMN_TYPE_I32 || def->type == COLUMN_TYPE_I64 ||
            def->type == COLUMN_TYPE_F64);
}

/* Bytes of the column's values now. */
static size_t width_of(const struct column *c)
{
    return c->def->type == COLUMN_TYPE_SMALL ? c->width : column_value_size(c->def->type);
}

/* From the last to the first: no value is written over before it was read. */
void column_widen(struct column *c, uint32_t rows, uint32_t cap, uint32_t v)
{
    struct column wide = {.width = v < UINT16_MAX ? sizeof(uint16_t) : sizeof(uint32_t)};
    c->data = realloc_array(c->data, cap, wide.width);
    wide.data = c->data;
    for (uint32_t row = rows; row-- > 0;)
        column_set_small(&wide, row, column_small(c, row));
    c->width = wide.width;
}

void column_put_wide(struct column *c, uint32_t row, uint32_t cap, uint32_t v)
{
    if (v != NULL_U32 && v >= column_small_limit(c))
        column_widen(c, row, cap, v);
    column_set_small(c, row, v);
    if (!c->unsorted && row > 0 && v < column_small(c, row - 1))
        c->unsorted = true;
}

static void set_cap(struct table *t, uint32_t cap)
{
    for (uint32_t i = 0; i < t->def->column_count; i++) {
        struct column *c = &t->columns[i];
        if (c->def->type == COLUMN_TYPE_SMALL && c->width == 0)
            c->width = sizeof(uint8_t);
        size_t size = width_of(c);
        if (size > 0 && (c->data || !column_may_be_absent(c->def)))
            c->data = realloc_array(c->data, cap, size);
        if (!c->nulls)
            continue;
        size_t old = null_words(t->cap), new = null_words(cap);
        c->nulls = realloc_array(c->nulls, new, sizeof *c->nulls);
        if (new > old)
            memset(c->nulls + old, 0, (new - old) * sizeof *c->nulls);
    }
    t->cap = cap;
}

void column_add_data(struct column *c, uint32_t rows, uint32_t cap)
{
    c->data = alloc_array(cap, column_value_size(c->def->type));
    if (rows == 0)
        return;
    c->nulls = alloc_array(null_words(cap), sizeof *c->nulls);
    memset(c->nulls, 0xff, rows / 64 * sizeof *c->nulls);
    if (rows % 64)
        c->nulls[rows / 64] = (UINT64_C(1) << rows % 64) - 1;
    c->unsorted = true;
}

void table_reserve(struct table *t, uint32_t n)
{
    uint32_t need;
    if (__builtin_add_overflow(t->rows, n, &need))
        need =
            UINT32_MAX; /* 2^32 rows of any table do not fit into memory: realloc_array ends it */
    if (need <= t->cap)
        return;
    uint64_t most = block_store_step() / sizeof(int64_t); /* of a file, or without end */
    uint64_t more = t->cap / 2 < most ? t->cap / 2 : most;
    uint64_t cap = t->cap < COPIED_ROWS ? t->cap * UINT64_C(4) : t->cap + more;
    cap += 16;
    set_cap(t, cap < need ? need : cap > UINT32_MAX ? UINT32_MAX : (uint32_t)cap);
}

void table_shrink(struct table *t)
{
    if (t->rows < t->cap && t->rows > 0)
        set_cap(t, t->rows);
}

void column_set_null_bit(struct column *c, uint32_t row, uint32_t cap)
{
    if (!c->nulls)
        c->nulls = alloc_array(null_words(cap), sizeof *c->nulls);
    c->nulls[row >> 6] |= UINT64_C(1) << (row & 63);
    c->unsorted = true;
    if (column_value_size(c->def->type) == sizeof(uint64_t))
        ((uint64_t *)c->data)[row] = 0;
    else
        ((uint32_t *)c->data)[row] = 0;
}
