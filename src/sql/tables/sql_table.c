#include "sql/tables/sql_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "core/store/row_sort.h"
#include "core/trace/stored_columns.h"

enum { SAMPLE = 256, CANCEL_STRIDE = 1 << 16 };

static enum column_reader choose_reader(const struct sql_column *c)
{
    const struct column *v = c->values;
    bool stored = v->def->type != COLUMN_TYPE_ID && v->def->type != COLUMN_TYPE_ALIAS;
    if (v->nulls || (stored && !v->data))
        return READ_SLOWLY;
    switch (v->def->type) {
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
        return READ_ROW;
    case COLUMN_TYPE_U32:
        return v->def->flags & COLUMN_NULLABLE ? READ_U32_OR_NULL : READ_U32;
    case COLUMN_TYPE_SMALL:
        return READ_SLOWLY;
    case COLUMN_TYPE_I32:
        return READ_I32;
    case COLUMN_TYPE_I64:
        return READ_I64;
    case COLUMN_TYPE_F64:
        return READ_F64;
    case COLUMN_TYPE_STR:
        return READ_TEXT;
    }
    return READ_SLOWLY;
}

struct sql_table *sql_table_new(const struct table *t, const struct string_pool *strings,
                                const atomic_bool *cancel)
{
    struct sql_table *s = alloc_array(1, sizeof *s);
    *s = (struct sql_table){.table = t, .strings = strings, .references = 1, .cancel = cancel};
    s->column_count = t->def->column_count;
    s->columns = alloc_array(s->column_count, sizeof *s->columns);
    s->states = alloc_array(s->column_count, sizeof *s->states);
    for (uint32_t i = 0; i < t->def->column_count; i++) {
        const struct column_def *def = &t->def->columns[i];
        s->columns[i] = (struct sql_column){.name = def->name,
                                            .values = &t->columns[i],
                                            .data = t->columns[i].data,
                                            .hidden = def->flags & COLUMN_HIDDEN};
        s->columns[i].reader = choose_reader(&s->columns[i]);
    }
    for (uint32_t i = 0; i < s->column_count; i++)
        s->states[i].sorted = -1;
    return s;
}

struct sql_table *sql_table_own(struct table *t, const struct string_pool *strings,
                                const atomic_bool *cancel)
{
    struct sql_table *s = sql_table_new(t, strings, cancel);
    s->owned = t;
    return s;
}

bool sql_table_ready(struct sql_table *t, const struct trace *trace)
{
    if (!stored_table_ready(trace, t->table))
        return false;
    for (uint32_t i = 0; i < t->column_count; i++) {
        struct sql_column *c = &t->columns[i];
        if (c->data == c->values->data)
            continue;
        c->data = c->values->data;
        c->reader = choose_reader(c);
        t->states[i].sorted = -1;
    }
    return true;
}

static void free_index(struct sql_index *index)
{
    if (!index)
        return;
    free(index->rows);
    free(index->starts);
    free(index->keys);
    free(index);
}

static void free_owned(struct table *t)
{
    const struct table_def *def = t->def;
    struct column *columns = t->columns;
    for (uint32_t i = 0; i < def->column_count; i++)
        free((void *)(uintptr_t)def->columns[i].name);
    free((void *)(uintptr_t)def->columns);
    free((void *)(uintptr_t)def->name);
    table_release(t);
    free(columns);
    free((void *)(uintptr_t)def);
    free(t);
}

void sql_table_unref(struct sql_table *t)
{
    if (!t || --t->references > 0)
        return;
    for (uint32_t i = 0; i < t->column_count; i++)
        free_index(t->states[i].index);
    if (t->owned)
        free_owned(t->owned);
    free(t->columns);
    free(t->states);
    free(t);
}

int sql_table_find(const struct sql_table *t, const char *name)
{
    for (uint32_t i = 0; i < t->column_count; i++)
        if (compare_any_case(t->columns[i].name, name) == 0)
            return (int)i;
    return -1;
}

static bool measure_sorted(const struct sql_table *t, const struct sql_column *c)
{
    switch (c->values->def->type) {
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
        return true;
    case COLUMN_TYPE_U32:
        /* A null is the largest number here, the smallest in SQL. Settling puts other numbers in
         * the place of some. */
        return !c->values->unsorted && !(c->values->def->flags & COLUMN_DEFERRED) &&
               (t->table->rows == 0 || !column_is_null(c->values, t->table->rows - 1));
    case COLUMN_TYPE_I32:
    case COLUMN_TYPE_I64:
    case COLUMN_TYPE_F64:
        return !c->values->unsorted && !c->values->nulls &&
               (c->values->data || t->table->rows == 0);
    case COLUMN_TYPE_SMALL: /* not looked for by bisection */
    case COLUMN_TYPE_STR:
        break;
    }
    return false;
}

bool sql_table_measure_sorted(struct sql_table *t, uint32_t column)
{
    t->states[column].sorted = measure_sorted(t, &t->columns[column]);
    return t->states[column].sorted;
}

/* Rows that are null are found by no value: each value finds the fewer, the more there are. */
static uint32_t with_nulls(uint32_t distinct, uint32_t rows, uint32_t known)
{
    uint64_t scaled = (uint64_t)(distinct ? distinct : 1) * rows / (known ? known : 1);
    return scaled < UINT32_MAX ? scaled > 0 ? (uint32_t)scaled : 1 : UINT32_MAX;
}

/* From a sample: when every sampled value is new, the column is taken for unique. */
static uint32_t estimate_distinct(const struct sql_table *t, const struct sql_column *c)
{
    uint32_t n = t->table->rows;
    struct row_key sample[SAMPLE];
    uint32_t taken = n < SAMPLE ? n : SAMPLE, used = 0, distinct = 1;
    for (uint32_t i = 0; i < taken; i++) {
        uint32_t row = (uint32_t)((uint64_t)i * n / taken);
        if (!column_is_null(c->values, row))
            sample[used++] = (struct row_key){sql_column_key(c, row), row};
    }
    row_sort(sample, used, t->cancel);
    for (uint32_t i = 1; i < used; i++)
        distinct += sample[i].key != sample[i - 1].key;
    if (used < 2 || taken == n || distinct * 2 < used)
        return with_nulls(distinct, taken, used);
    uint64_t scaled = (uint64_t)n * distinct / used;
    return scaled ? (uint32_t)scaled : 1;
}

uint32_t sql_table_distinct(struct sql_table *t, uint32_t column)
{
    struct sql_column_state *state = &t->states[column];
    if (state->distinct == 0)
        state->distinct = estimate_distinct(t, &t->columns[column]);
    return state->distinct;
}

static bool cancelled(const struct sql_table *t, uint32_t i)
{
    return (i & (CANCEL_STRIDE - 1)) == 0 && atomic_load_explicit(t->cancel, memory_order_relaxed);
}

static void build_dense(const struct sql_table *t, struct sql_index *index,
                        const struct row_key *items)
{
    index->starts = alloc_try_array((size_t)index->span + 2, sizeof *index->starts);
    uint32_t *next = alloc_try_array((size_t)index->span + 1, sizeof *next);
    if (!index->starts || !next) {
        free(next);
        return;
    }
    for (uint32_t i = 0; i < index->count && !cancelled(t, i); i++)
        index->starts[items[i].key - index->min + 1]++;
    for (uint64_t k = 0; k <= index->span; k++)
        index->starts[k + 1] += index->starts[k];
    memcpy(next, index->starts, ((size_t)index->span + 1) * sizeof *next);
    for (uint32_t i = 0; i < index->count && !cancelled(t, i); i++)
        index->rows[next[items[i].key - index->min]++] = items[i].row;
    free(next);
}

static void build_sorted(struct sql_index *index, struct row_key *items, const atomic_bool *cancel)
{
    row_sort(items, index->count, cancel);
    index->keys = alloc_try_array(index->count, sizeof *index->keys);
    for (uint32_t i = 0; i < index->count && index->keys; i++) {
        index->keys[i] = items[i].key;
        index->rows[i] = items[i].row;
    }
}

const struct sql_index *sql_table_index(struct sql_table *t, uint32_t column)
{
    struct sql_column_state *state = &t->states[column];
    if (state->index)
        return state->index;
    const struct sql_column *c = &t->columns[column];
    struct row_key *items = alloc_try_array(t->table->rows + (size_t)1, sizeof *items);
    if (!items)
        return NULL;
    uint64_t min = UINT64_MAX, max = 0;
    uint32_t count = 0;
    for (uint32_t row = 0; row < t->table->rows; row++) {
        if (cancelled(t, row)) {
            free(items);
            return NULL;
        }
        if (column_is_null(c->values, row))
            continue;
        uint64_t key = sql_column_key(c, row);
        min = key < min ? key : min;
        max = key > max ? key : max;
        items[count++] = (struct row_key){key, row};
    }
    struct sql_index *index = alloc_array(1, sizeof *index);
    index->count = count;
    index->rows = alloc_try_array(count + (size_t)1, sizeof *index->rows);
    if (count > 0 && index->rows) {
        index->min = min;
        index->span = max - min;
        if (index->span / 4 <= count)
            build_dense(t, index, items);
        else
            build_sorted(index, items, t->cancel);
    }
    free(items);
    if (atomic_load(t->cancel)) { /* perhaps while it was built */
        free_index(index);
        return NULL;
    }
    state->index = index;
    return index;
}

/* Behind the last row of the same key as row `first`: mostly near it. */
static uint32_t end_of_key(const struct sql_index *index, uint32_t first)
{
    uint64_t key = index->keys[first], step = 1;
    while (first + step < index->count && index->keys[first + step] == key)
        step *= 2;
    uint64_t end = first + step < index->count ? first + step : index->count;
    return (uint32_t)BISECT(mid, first + step / 2, end, index->keys[mid] == key);
}

struct index_rows sql_index_find(const struct sql_index *index, uint64_t key)
{
    if (index->count == 0 || key < index->min || key - index->min > index->span)
        return (struct index_rows){index->rows, 0};
    uint32_t from, to;
    if (index->starts) {
        from = index->starts[key - index->min];
        to = index->starts[key - index->min + 1];
    } else {
        from = BISECT(mid, 0, index->count, index->keys[mid] < key);
        to = from < index->count && index->keys[from] == key ? end_of_key(index, from) : from;
    }
    return (struct index_rows){index->rows + from, to - from};
}
