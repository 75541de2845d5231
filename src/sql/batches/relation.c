#include "sql/batches/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct relation *relation_new(uint32_t columns)
{
    struct relation *r = alloc_array(1, sizeof *r);
    r->defs = alloc_array(columns + (size_t)1, sizeof *r->defs);
    r->columns = alloc_array(columns + (size_t)1, sizeof *r->columns);
    for (uint32_t i = 0; i < columns; i++) {
        r->defs[i] =
            (struct column_def){.name = "", .type = COLUMN_TYPE_U32, .flags = COLUMN_NULLABLE};
        r->columns[i].def = &r->defs[i];
    }
    r->def = (struct table_def){.name = "", .column_count = columns, .columns = r->defs};
    r->table = (struct table){.def = &r->def, .columns = r->columns};
    return r;
}

void relation_free(struct relation *r)
{
    if (!r)
        return;
    for (uint32_t i = 0; i < r->def.column_count; i++) {
        free(r->columns[i].data);
        free(r->columns[i].nulls);
    }
    free(r->columns);
    free(r->defs);
    free(r);
}

void relation_set_type(struct relation *r, uint32_t column, enum column_type type)
{
    r->defs[column].type = type;
}

static size_t bitmap_words(uint32_t rows)
{
    return ((size_t)rows + 63) / 64;
}

/* The first `bytes` of a block in a larger one; the rest of that is zero. */
static void *grown(void *old, size_t bytes, size_t size)
{
    if (bytes == 0)
        return alloc_try_array(size, 1); /* pages that nobody has touched are zero */
    char *block = alloc_try_bytes(size);
    if (!block)
        return NULL;
    memcpy(block, old, bytes);
    memset(block + bytes, 0, size - bytes);
    return block;
}

static bool grow_column(struct column *c, uint32_t rows, uint32_t old_cap, uint32_t cap)
{
    size_t size = column_value_size(c->def->type);
    if (c->def->type == COLUMN_TYPE_U32)
        return true;
    void *data = grown(c->data, rows * size, cap * size);
    if (!data)
        return false;
    free(c->data);
    c->data = data;
    if (!c->nulls)
        return true;
    size_t word = sizeof *c->nulls;
    uint64_t *nulls = grown(c->nulls, bitmap_words(old_cap) * word, bitmap_words(cap) * word);
    if (!nulls)
        return false;
    free(c->nulls);
    c->nulls = nulls;
    return true;
}

bool relation_reserve(struct relation *r, uint32_t n)
{
    uint64_t needed = (uint64_t)r->table.rows + n;
    if (needed <= r->table.cap && r->table.cap > 0)
        return true;
    uint64_t cap = needed + needed / 2 + 64;
    cap = cap < UINT32_MAX ? cap : UINT32_MAX;
    if (needed > cap)
        return false;
    for (uint32_t i = 0; i < r->def.column_count; i++)
        if (!grow_column(&r->columns[i], r->table.rows, r->table.cap, (uint32_t)cap))
            return false;
    r->table.cap = (uint32_t)cap;
    return true;
}

static void put_nulls(struct relation *r, struct column *c, const uint8_t *null, uint32_t n)
{
    if (!c->nulls && !memchr(null, 1, n))
        return;
    if (!c->nulls)
        c->nulls = alloc_array(bitmap_words(r->table.cap), sizeof *c->nulls);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = r->table.rows + i;
        c->nulls[row >> 6] |= (uint64_t)null[i] << (row & 63);
    }
}

void relation_put(struct relation *r, uint32_t column, const void *data, const uint8_t *null,
                  uint32_t n)
{
    struct column *c = &r->columns[column];
    size_t size = column_value_size(c->def->type);
    if (c->def->type == COLUMN_TYPE_U32 || n == 0)
        return;
    memcpy((char *)c->data + r->table.rows * size, data, n * size);
    if (null && c->def->type != COLUMN_TYPE_STR)
        put_nulls(r, c, null, n);
}

void relation_set(struct relation *r, uint32_t column, uint32_t row, const void *data,
                  const uint8_t *null, uint32_t i)
{
    struct column *c = &r->columns[column];
    size_t size = column_value_size(c->def->type);
    memcpy((char *)c->data + row * size, (const char *)data + i * size, size);
    if (c->nulls)
        c->nulls[row >> 6] &= ~(UINT64_C(1) << (row & 63));
    if (null && null[i] && c->def->type != COLUMN_TYPE_STR)
        column_set_null_bit(c, row, r->table.cap);
}

/* Values of 8 or of 4 bytes; false where the plan does not go on. */
static bool pick_values(struct plan *p, const struct column *c, const uint32_t *from, uint32_t n,
                        void *out)
{
    bool large = column_value_size(c->def->type) == sizeof(uint64_t);
    for (uint32_t at = 0; at < n; at += ROWS_BETWEEN_LOOKS) {
        uint32_t end = n - at < ROWS_BETWEEN_LOOKS ? n : at + ROWS_BETWEEN_LOOKS;
        if (!plan_goes_on(p))
            return false;
        for (uint32_t i = at; large && i < end; i++)
            ((uint64_t *)out)[i] = ((const uint64_t *)c->data)[from[i]];
        for (uint32_t i = at; !large && i < end; i++)
            ((uint32_t *)out)[i] = ((const uint32_t *)c->data)[from[i]];
    }
    return true;
}

static bool keep_column(struct plan *p, struct column *c, const uint32_t *from, uint32_t n,
                        uint32_t cap)
{
    if (c->def->type == COLUMN_TYPE_U32)
        return true;
    void *data = alloc_try_bytes(cap * column_value_size(c->def->type));
    uint64_t *nulls = c->nulls ? alloc_try_array(bitmap_words(cap), sizeof *nulls) : NULL;
    if (!data || (c->nulls && !nulls) || !pick_values(p, c, from, n, data)) {
        free(data);
        free(nulls);
        return false;
    }
    for (uint32_t i = 0; nulls && i < n; i++)
        nulls[i >> 6] |= (c->nulls[from[i] >> 6] >> (from[i] & 63) & 1) << (i & 63);
    free(c->data);
    free(c->nulls);
    c->data = data;
    c->nulls = nulls;
    return true;
}

bool relation_keep(struct plan *p, struct relation *r, uint32_t first, const uint32_t *from,
                   uint32_t n)
{
    for (uint32_t i = first; i < r->def.column_count; i++)
        if (!keep_column(p, &r->columns[i], from, n, r->table.cap))
            return false;
    r->table.rows = n;
    return true;
}

void relation_move(struct relation *r, uint32_t column, struct relation *other, uint32_t of)
{
    struct column *to = &r->columns[column], *from = &other->columns[of];
    free(to->data);
    free(to->nulls);
    to->data = from->data;
    to->nulls = from->nulls;
    from->data = NULL;
    from->nulls = NULL;
}
