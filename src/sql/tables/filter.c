#include "sql/tables/filter.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/vec.h"
#include "core/store/row_sort.h"

bool filter_is_exact(const struct sql_column *c, enum filter_op op, bool value_is_text)
{
    if (op == FILTER_IS_NULL || op == FILTER_NOT_NULL || !sql_column_is_text(c))
        return true;
    /* Of a LIKE in the ON of a LEFT JOIN that is not checked again, SQLite with
     * LIKE_DOESNT_MATCH_BLOBS drops the rows that match nothing. */
    return value_is_text && op != FILTER_IN && op != FILTER_LIKE;
}

static void int_range(struct filter *f, int64_t lo, int64_t hi)
{
    f->kind = FILTER_INT_RANGE;
    f->lo = lo;
    f->hi = hi;
}

static void int_filter(struct filter *f, enum filter_op op, int64_t v)
{
    switch (op) {
    case FILTER_NE:
        f->kind = FILTER_INT_NOT;
        f->lo = v;
        break;
    case FILTER_LT:
        if (v == INT64_MIN)
            f->kind = FILTER_NONE;
        else
            int_range(f, INT64_MIN, v - 1);
        break;
    case FILTER_LE:
        int_range(f, INT64_MIN, v);
        break;
    case FILTER_GT:
        if (v == INT64_MAX)
            f->kind = FILTER_NONE;
        else
            int_range(f, v + 1, INT64_MAX);
        break;
    case FILTER_GE:
        int_range(f, v, INT64_MAX);
        break;
    default:
        int_range(f, v, v);
        break;
    }
}

/* An integer column against a real: the bound moves to the next integer that compares the same. */
static void int_filter_real(struct filter *f, enum filter_op op, double v)
{
    const double limit = 9223372036854775808.0;
    bool below = op == FILTER_LT || op == FILTER_LE, above = op == FILTER_GT || op == FILTER_GE;
    double whole = floor(v);
    if (v >= limit)
        f->kind = below || op == FILTER_NE ? FILTER_VALUES : FILTER_NONE;
    else if (v < -limit)
        f->kind = above || op == FILTER_NE ? FILTER_VALUES : FILTER_NONE;
    else if (whole == v)
        int_filter(f, op, (int64_t)v);
    else if (op == FILTER_NE)
        f->kind = FILTER_VALUES;
    else if (below)
        int_range(f, INT64_MIN, (int64_t)whole);
    else if (above)
        int_filter(f, FILTER_GT, (int64_t)whole);
    else
        f->kind = FILTER_NONE;
}

static void real_filter(struct filter *f, enum filter_op op, double v)
{
    f->kind = FILTER_REAL_RANGE;
    f->real_lo = -INFINITY;
    f->real_hi = INFINITY;
    f->lo_open = op == FILTER_GT;
    f->hi_open = op == FILTER_LT;
    switch (op) {
    case FILTER_NE:
        f->kind = FILTER_REAL_NOT;
        f->real_lo = v;
        break;
    case FILTER_LT:
    case FILTER_LE:
        f->real_hi = v;
        break;
    case FILTER_GT:
    case FILTER_GE:
        f->real_lo = v;
        break;
    default:
        f->real_lo = f->real_hi = v;
        break;
    }
}

/* A real column against an integer that no double holds: compared with its neighbour instead. */
static void real_filter_int(struct filter *f, enum filter_op op, int64_t v)
{
    double d = (double)v;
    bool above = d >= 9223372036854775808.0 || (int64_t)d > v; /* d was rounded up */
    if (!above && (int64_t)d == v) {
        real_filter(f, op, d);
        return;
    }
    switch (op) {
    case FILTER_NE:
        f->kind = FILTER_VALUES;
        break;
    case FILTER_LT:
    case FILTER_LE:
        real_filter(f, above ? FILTER_LT : FILTER_LE, d);
        break;
    case FILTER_GT:
    case FILTER_GE:
        real_filter(f, above ? FILTER_GE : FILTER_GT, d);
        break;
    default:
        f->kind = FILTER_NONE;
        break;
    }
}

static void number_filter(struct filter *f, enum filter_op op, sqlite3_value *v, int type)
{
    bool real = sql_column_type(f->column) == COLUMN_TYPE_F64;
    if (type == SQLITE_TEXT)
        type = sqlite3_value_numeric_type(v);
    if (type == SQLITE_INTEGER) {
        int64_t i = sqlite3_value_int64(v);
        if (real)
            real_filter_int(f, op, i);
        else
            int_filter(f, op, i);
    } else if (type == SQLITE_FLOAT) {
        double d = sqlite3_value_double(v);
        if (real)
            real_filter(f, op, d);
        else
            int_filter_real(f, op, d);
    } else { /* every number is less than every text and every blob */
        bool pass = op == FILTER_LT || op == FILTER_LE || op == FILTER_NE;
        f->kind = pass ? FILTER_VALUES : FILTER_NONE;
    }
}

static struct str value_bytes(sqlite3_value *v)
{
    const void *p = sqlite3_value_blob(v);
    return (struct str){p ? p : "", (size_t)sqlite3_value_bytes(v)};
}

static void text_range(struct filter *f, enum filter_op op, struct str bytes)
{
    f->kind = FILTER_TEXT_RANGE;
    f->op = op;
    f->pattern = alloc_copy(bytes.p, bytes.n);
    f->pattern_size = bytes.n;
    f->owns = true;
}

static void text_match(struct filter *f, bool like, struct str pattern)
{
    size_t ids = __atomic_load_n(&f->strings->count, __ATOMIC_ACQUIRE);
    f->kind = FILTER_TEXT_MATCH;
    f->like = like;
    f->pattern = alloc_copy(pattern.p, pattern.n);
    f->memo = alloc_try_array(ids + 1, 1);
    f->owns = true;
    if (!f->memo) /* the statement ends */
        f->kind = FILTER_NONE;
}

static string_id find_text(const struct string_pool *strings, struct str bytes, string_id *hint)
{
    if (*hint == NULL_STRING || !str_eq(string_pool_get(strings, *hint), bytes))
        *hint = string_pool_lookup((struct string_pool *)(uintptr_t)strings, bytes);
    return *hint;
}

static void text_filter(struct filter *f, enum filter_op op, sqlite3_value *v, int type,
                        string_id *hint)
{
    if (type != SQLITE_TEXT) {
        f->kind = FILTER_VALUES;
        return;
    }
    struct str bytes = value_bytes(v);
    switch (op) {
    case FILTER_GLOB:
    case FILTER_LIKE:
        text_match(f, op == FILTER_LIKE, bytes);
        return;
    case FILTER_LT:
    case FILTER_LE:
    case FILTER_GT:
    case FILTER_GE:
        text_range(f, op, bytes);
        return;
    default:
        break;
    }
    f->text = find_text(f->strings, bytes, hint);
    if (f->text == NULL_STRING)
        f->kind = op == FILTER_NE ? FILTER_VALUES : FILTER_NONE;
    else
        f->kind = op == FILTER_NE ? FILTER_TEXT_NOT : FILTER_TEXT_IS;
}

/* The key of one value of an IN list; false where no row can be equal to it. */
static bool set_key(const struct filter *f, sqlite3_value *v, uint64_t *key)
{
    if (sql_column_is_text(f->column)) {
        *key = string_pool_lookup((struct string_pool *)(uintptr_t)f->strings, value_bytes(v));
        return *key != NULL_STRING;
    }
    struct filter one = {.column = f->column, .strings = f->strings};
    number_filter(&one, FILTER_EQ, v, sqlite3_value_type(v));
    if (one.kind == FILTER_INT_RANGE)
        *key = key_of_int(one.lo);
    else if (one.kind == FILTER_REAL_RANGE)
        *key = key_of_f64(one.real_lo);
    else
        return false;
    return true;
}

static enum filter_kind set_kind(const struct sql_column *c)
{
    if (sql_column_is_text(c))
        return FILTER_TEXT_SET;
    return sql_column_type(c) == COLUMN_TYPE_F64 ? FILTER_REAL_SET : FILTER_INT_SET;
}

static void in_filter(struct filter *f, sqlite3_value *list, const atomic_bool *cancel)
{
    VEC(struct row_key) keys = {0};
    sqlite3_value *v = NULL;
    int rc = sqlite3_vtab_in_first(list, &v);
    for (; rc == SQLITE_OK && v && !atomic_load_explicit(cancel, memory_order_relaxed);
         rc = sqlite3_vtab_in_next(list, &v)) {
        int type = sqlite3_value_type(v);
        if (type != SQLITE_TEXT && type != SQLITE_NULL && sql_column_is_text(f->column)) {
            vec_release(&keys);
            f->kind = FILTER_VALUES;
            return;
        }
        uint64_t key = 0;
        if (type != SQLITE_NULL && set_key(f, v, &key))
            *vec_push(&keys) = (struct row_key){key, 0};
    }
    row_sort(keys.items, keys.count, cancel);
    f->kind = keys.count ? set_kind(f->column) : FILTER_NONE;
    f->set = alloc_array(keys.count + 1, sizeof *f->set);
    f->set_count = 0;
    f->owns = true;
    for (size_t i = 0; i < keys.count; i++)
        if (i == 0 || keys.items[i].key != keys.items[i - 1].key)
            f->set[f->set_count++] = keys.items[i].key;
    vec_release(&keys);
}

static void value_filter(struct filter *f, enum filter_op op, sqlite3_value *v, string_id *hint)
{
    int type = sqlite3_value_type(v);
    if (type == SQLITE_NULL)
        f->kind = op == FILTER_IS ? FILTER_NULLS : FILTER_NONE;
    else if (sql_column_is_text(f->column))
        text_filter(f, op == FILTER_IS ? FILTER_EQ : op, v, type, hint);
    else
        number_filter(f, op == FILTER_IS ? FILTER_EQ : op, v, type);
}

void filter_make(struct filter *f, const struct sql_table *t, uint32_t column, enum filter_op op,
                 sqlite3_value *value, string_id *hint)
{
    const struct sql_column *c = &t->columns[column];
    f->column = c;
    f->strings = t->strings;
    if (op == FILTER_IS_NULL)
        f->kind = sql_column_may_be_null(c) ? FILTER_NULLS : FILTER_NONE;
    else if (op == FILTER_NOT_NULL)
        f->kind = sql_column_may_be_null(c) ? FILTER_VALUES : FILTER_ALL;
    else if (op == FILTER_IN)
        in_filter(f, value, t->cancel);
    else
        value_filter(f, op, value, hint);
}

void filter_free(struct filter *f)
{
    free(f->pattern);
    free(f->set);
    free(f->memo);
    *f = (struct filter){0};
}

static bool in_set(const struct filter *f, uint64_t key)
{
    uint32_t lo = BISECT(mid, 0, f->set_count, f->set[mid] < key);
    return lo < f->set_count && f->set[lo] == key;
}

static bool text_compares(const struct filter *f, string_id id)
{
    struct str s = string_pool_get(f->strings, id);
    size_t n = s.n < f->pattern_size ? s.n : f->pattern_size;
    int order = n ? memcmp(s.p, f->pattern, n) : 0;
    if (order == 0)
        order = (s.n > f->pattern_size) - (s.n < f->pattern_size);
    switch (f->op) {
    case FILTER_LT:
        return order < 0;
    case FILTER_LE:
        return order <= 0;
    case FILTER_GT:
        return order > 0;
    default:
        return order >= 0;
    }
}

static bool text_matches(struct filter *f, string_id id)
{
    if (f->memo[id] == 0) {
        struct str s = string_pool_get(f->strings, id);
        int differs =
            f->like ? sqlite3_strlike(f->pattern, s.p, 0) : sqlite3_strglob(f->pattern, s.p);
        f->memo[id] = id != NULL_STRING && differs == 0 ? 2 : 1;
    }
    return f->memo[id] == 2;
}

bool filter_passes(struct filter *f, uint32_t row)
{
    const struct sql_column *c = f->column;
    if (f->kind == FILTER_TEXT_IS)
        return ((const string_id *)c->data)[row] == f->text;
    if (f->kind == FILTER_INT_RANGE && c->reader == READ_U32) {
        int64_t v = ((const uint32_t *)c->data)[row];
        return v >= f->lo && v <= f->hi;
    }
    bool null = column_is_null(c->values, row);
    if (null || f->kind == FILTER_NULLS || f->kind == FILTER_VALUES)
        return null ? f->kind == FILTER_NULLS || f->kind == FILTER_ALL : f->kind == FILTER_VALUES;
    switch (f->kind) {
    case FILTER_INT_RANGE: {
        int64_t v = column_int(c->values, row);
        return v >= f->lo && v <= f->hi;
    }
    case FILTER_INT_NOT:
        return column_int(c->values, row) != f->lo;
    case FILTER_REAL_RANGE: {
        double v = column_f64(c->values, row);
        return (f->lo_open ? v > f->real_lo : v >= f->real_lo) &&
               (f->hi_open ? v < f->real_hi : v <= f->real_hi);
    }
    case FILTER_REAL_NOT:
        return column_f64(c->values, row) != f->real_lo;
    case FILTER_INT_SET:
    case FILTER_REAL_SET:
    case FILTER_TEXT_SET:
        return in_set(f, sql_column_key(c, row));
    case FILTER_TEXT_NOT:
        return column_str(c->values, row) != f->text;
    case FILTER_TEXT_RANGE:
        return text_compares(f, column_str(c->values, row));
    case FILTER_TEXT_MATCH:
        return text_matches(f, column_str(c->values, row));
    case FILTER_TEXT_IS: /* done above */
    case FILTER_ALL:
    case FILTER_NONE:
    case FILTER_NULLS:
    case FILTER_VALUES:
        break;
    }
    return f->kind == FILTER_ALL;
}

/* The loops for the common cases: `v` is the value of a row. */
#define KEEP_IF(type, condition)                                                                   \
    do {                                                                                           \
        const type *data = f->column->values->data;                                                \
        uint32_t kept = 0;                                                                         \
        for (uint32_t i = 0; from && i < n; i++) {                                                 \
            type v = data[from[i]];                                                                \
            rows[kept] = from[i];                                                                  \
            kept += (condition);                                                                   \
        }                                                                                          \
        data += first;                                                                             \
        for (uint32_t i = 0; !from && i < n; i++) {                                                \
            type v = data[i];                                                                      \
            rows[kept] = first + i;                                                                \
            kept += (condition);                                                                   \
        }                                                                                          \
        return kept;                                                                               \
    } while (0)

static int64_t clamp_u32(int64_t v)
{
    return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : v;
}

static uint32_t apply_u32_range(const struct filter *f, const uint32_t *from, uint32_t first,
                                uint32_t n, uint32_t *rows)
{
    unsigned flags = f->column->values->def->flags;
    int64_t top = flags & COLUMN_NULLABLE ? (int64_t)UINT32_MAX - 1 : UINT32_MAX;
    int64_t hi = f->hi > top ? top : f->hi;
    if (hi < 0 || f->lo > UINT32_MAX)
        return 0;
    uint32_t low = (uint32_t)clamp_u32(f->lo), high = (uint32_t)hi;
    KEEP_IF(uint32_t, v >= low && v <= high);
}

/* Small numbers: what stands for null or NULL_U32 is above `high`, which the caller sees to. */
static uint32_t apply_small_range(const struct filter *f, const uint32_t *from, uint32_t first,
                                  uint32_t n, uint32_t *rows)
{
    const struct column *c = f->column->values;
    int64_t top = (int64_t)column_small_limit(c) - 1, hi = f->hi > top ? top : f->hi;
    if (hi < 0 || f->lo > hi)
        return 0;
    uint32_t low = (uint32_t)clamp_u32(f->lo), high = (uint32_t)hi;
    if (c->width == sizeof(uint8_t))
        KEEP_IF(uint8_t, v >= low && v <= high);
    if (c->width == sizeof(uint16_t))
        KEEP_IF(uint16_t, v >= low && v <= high);
    KEEP_IF(uint32_t, v >= low && v <= high);
}

static uint32_t apply_text_match(struct filter *f, const uint32_t *from, uint32_t first, uint32_t n,
                                 uint32_t *rows)
{
    const uint8_t *memo = f->memo;
    KEEP_IF(string_id, memo[v] ? memo[v] == 2 : text_matches(f, v));
}

uint32_t filter_apply(struct filter *f, const uint32_t *from, uint32_t first, uint32_t n,
                      uint32_t *rows)
{
    const struct column *c = f->column->values;
    if (f->kind == FILTER_NONE)
        return 0;
    if (f->kind == FILTER_INT_RANGE && c->def->type == COLUMN_TYPE_I64 && c->data && !c->nulls)
        KEEP_IF(int64_t, v >= f->lo && v <= f->hi);
    if (f->kind == FILTER_INT_RANGE && c->def->type == COLUMN_TYPE_U32)
        return apply_u32_range(f, from, first, n, rows);
    bool nullable = c->def->flags & COLUMN_NULLABLE;
    if (f->kind == FILTER_INT_RANGE && c->def->type == COLUMN_TYPE_SMALL &&
        (nullable || f->hi < NULL_U32))
        return apply_small_range(f, from, first, n, rows);
    if (f->kind == FILTER_TEXT_MATCH)
        return apply_text_match(f, from, first, n, rows);
    if (f->kind == FILTER_TEXT_IS)
        KEEP_IF(string_id, v == f->text);
    uint32_t passed = 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t row = from ? from[i] : first + i;
        rows[passed] = row;
        passed += filter_passes(f, row);
    }
    return passed;
}
