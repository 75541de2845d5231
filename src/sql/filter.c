#include "sql/filter.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "sql/row_sort.h"

bool filter_is_exact(const struct sql_column *c, enum filter_op op, bool value_is_text)
{
    if (op == FILTER_IS_NULL || op == FILTER_NOT_NULL || !sql_column_is_text(c))
        return true;
    return value_is_text && op != FILTER_IN;
}

static struct filter none(struct filter f)
{
    f.kind = FILTER_NONE;
    return f;
}

static struct filter values(struct filter f)
{
    f.kind = FILTER_VALUES;
    return f;
}

static struct filter int_range(struct filter f, int64_t lo, int64_t hi)
{
    f.kind = FILTER_INT_RANGE;
    f.lo = lo;
    f.hi = hi;
    return f;
}

static struct filter int_filter(struct filter f, enum filter_op op, int64_t v)
{
    switch (op) {
    case FILTER_NE:
        f.kind = FILTER_INT_NOT;
        f.lo = v;
        return f;
    case FILTER_LT:
        return v == INT64_MIN ? none(f) : int_range(f, INT64_MIN, v - 1);
    case FILTER_LE:
        return int_range(f, INT64_MIN, v);
    case FILTER_GT:
        return v == INT64_MAX ? none(f) : int_range(f, v + 1, INT64_MAX);
    case FILTER_GE:
        return int_range(f, v, INT64_MAX);
    default:
        return int_range(f, v, v);
    }
}

/* An integer column against a real: the bound moves to the next integer that compares the same. */
static struct filter int_filter_real(struct filter f, enum filter_op op, double v)
{
    const double limit = 9223372036854775808.0;
    bool below = op == FILTER_LT || op == FILTER_LE, above = op == FILTER_GT || op == FILTER_GE;
    if (v >= limit)
        return below || op == FILTER_NE ? values(f) : none(f);
    if (v < -limit)
        return above || op == FILTER_NE ? values(f) : none(f);
    double whole = floor(v);
    if (whole == v)
        return int_filter(f, op, (int64_t)v);
    if (op == FILTER_NE)
        return values(f);
    if (below)
        return int_range(f, INT64_MIN, (int64_t)whole);
    if (above)
        return int_filter(f, FILTER_GT, (int64_t)whole);
    return none(f);
}

static struct filter real_filter(struct filter f, enum filter_op op, double v)
{
    f.kind = FILTER_REAL_RANGE;
    f.real_lo = -INFINITY;
    f.real_hi = INFINITY;
    switch (op) {
    case FILTER_NE:
        f.kind = FILTER_REAL_NOT;
        f.real_lo = v;
        break;
    case FILTER_LT:
    case FILTER_LE:
        f.real_hi = v;
        f.hi_open = op == FILTER_LT;
        break;
    case FILTER_GT:
    case FILTER_GE:
        f.real_lo = v;
        f.lo_open = op == FILTER_GT;
        break;
    default:
        f.real_lo = f.real_hi = v;
        break;
    }
    return f;
}

/* A real column against an integer that no double holds: compared with its neighbour instead. */
static struct filter real_filter_int(struct filter f, enum filter_op op, int64_t v)
{
    double d = (double)v;
    bool above = d >= 9223372036854775808.0 || (int64_t)d > v; /* d was rounded up */
    if (!above && (int64_t)d == v)
        return real_filter(f, op, d);
    switch (op) {
    case FILTER_NE:
        return values(f);
    case FILTER_LT:
    case FILTER_LE:
        return real_filter(f, above ? FILTER_LT : FILTER_LE, d);
    case FILTER_GT:
    case FILTER_GE:
        return real_filter(f, above ? FILTER_GE : FILTER_GT, d);
    default:
        return none(f);
    }
}

/* Every number is less than every text and every blob. */
static struct filter number_against_bytes(struct filter f, enum filter_op op)
{
    bool pass = op == FILTER_LT || op == FILTER_LE || op == FILTER_NE;
    return pass ? values(f) : none(f);
}

static struct filter number_filter(struct filter f, enum filter_op op, sqlite3_value *v)
{
    bool real = sql_column_type(f.column) == COLUMN_TYPE_F64;
    switch (sqlite3_value_numeric_type(v)) {
    case SQLITE_INTEGER: {
        int64_t i = sqlite3_value_int64(v);
        return real ? real_filter_int(f, op, i) : int_filter(f, op, i);
    }
    case SQLITE_FLOAT: {
        double d = sqlite3_value_double(v);
        return real ? real_filter(f, op, d) : int_filter_real(f, op, d);
    }
    default:
        return number_against_bytes(f, op);
    }
}

static struct str value_bytes(sqlite3_value *v)
{
    const void *p = sqlite3_value_blob(v);
    return (struct str){p ? p : "", (size_t)sqlite3_value_bytes(v)};
}

static struct filter text_range(struct filter f, enum filter_op op, struct str bytes)
{
    f.kind = FILTER_TEXT_RANGE;
    f.op = op;
    f.pattern = alloc_copy(bytes.p, bytes.n);
    f.pattern_size = bytes.n;
    f.owns = true;
    return f;
}

static struct filter text_match(struct filter f, bool like, struct str pattern)
{
    f.kind = FILTER_TEXT_MATCH;
    f.like = like;
    f.pattern = alloc_copy(pattern.p, pattern.n);
    f.memo_count = __atomic_load_n(&f.strings->count, __ATOMIC_ACQUIRE);
    f.memo = alloc_array(f.memo_count + (size_t)1, 1);
    f.owns = true;
    return f;
}

static string_id find_text(const struct string_pool *strings, struct str bytes, string_id *hint)
{
    if (*hint == NULL_STRING || !str_eq(string_pool_get(strings, *hint), bytes))
        *hint = string_pool_lookup((struct string_pool *)(uintptr_t)strings, bytes);
    return *hint;
}

static struct filter text_filter(struct filter f, enum filter_op op, sqlite3_value *v,
                                 string_id *hint)
{
    if (sqlite3_value_type(v) != SQLITE_TEXT)
        return values(f);
    struct str bytes = value_bytes(v);
    switch (op) {
    case FILTER_GLOB:
    case FILTER_LIKE:
        return text_match(f, op == FILTER_LIKE, bytes);
    case FILTER_LT:
    case FILTER_LE:
    case FILTER_GT:
    case FILTER_GE:
        return text_range(f, op, bytes);
    default:
        break;
    }
    f.text = find_text(f.strings, bytes, hint);
    if (f.text == NULL_STRING)
        return op == FILTER_NE ? values(f) : none(f);
    f.kind = op == FILTER_NE ? FILTER_TEXT_NOT : FILTER_TEXT_IS;
    return f;
}

/* The key of one value of an IN list; false where no row can be equal to it. */
static bool set_key(const struct filter *f, sqlite3_value *v, uint64_t *key)
{
    if (sql_column_is_text(f->column)) {
        *key = string_pool_lookup((struct string_pool *)(uintptr_t)f->strings, value_bytes(v));
        return *key != NULL_STRING;
    }
    struct filter one = number_filter(*f, FILTER_EQ, v);
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

static struct filter in_filter(struct filter f, sqlite3_value *list)
{
    VEC(struct row_key) keys = {0};
    sqlite3_value *v = NULL;
    int rc = sqlite3_vtab_in_first(list, &v);
    for (; rc == SQLITE_OK && v; rc = sqlite3_vtab_in_next(list, &v)) {
        int type = sqlite3_value_type(v);
        if (type != SQLITE_TEXT && type != SQLITE_NULL && sql_column_is_text(f.column)) {
            vec_release(&keys);
            return values(f);
        }
        uint64_t key = 0;
        if (type != SQLITE_NULL && set_key(&f, v, &key))
            *vec_push(&keys) = (struct row_key){key, 0};
    }
    row_sort(keys.items, keys.count);
    f.kind = keys.count ? set_kind(f.column) : FILTER_NONE;
    f.set = alloc_array(keys.count + 1, sizeof *f.set);
    f.owns = true;
    for (size_t i = 0; i < keys.count; i++)
        if (i == 0 || keys.items[i].key != keys.items[i - 1].key)
            f.set[f.set_count++] = keys.items[i].key;
    vec_release(&keys);
    return f;
}

struct filter filter_make(const struct sql_column *c, const struct string_pool *strings,
                          enum filter_op op, sqlite3_value *value, string_id *hint)
{
    struct filter f = {.column = c, .strings = strings};
    if (op == FILTER_IS_NULL || op == FILTER_NOT_NULL) {
        f.kind = op == FILTER_IS_NULL ? FILTER_NULLS : FILTER_VALUES;
        return f;
    }
    if (op == FILTER_IN)
        return in_filter(f, value);
    if (sqlite3_value_type(value) == SQLITE_NULL) {
        f.kind = op == FILTER_IS ? FILTER_NULLS : FILTER_NONE;
        return f;
    }
    if (op == FILTER_IS)
        op = FILTER_EQ;
    return sql_column_is_text(c) ? text_filter(f, op, value, hint) : number_filter(f, op, value);
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
    uint32_t lo = 0, hi = f->set_count;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (f->set[mid] < key)
            lo = mid + 1;
        else
            hi = mid;
    }
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
    if (id < f->memo_count && f->memo[id])
        return f->memo[id] == 2;
    struct str s = string_pool_get(f->strings, id);
    bool yes =
        f->like ? sqlite3_strlike(f->pattern, s.p, 0) == 0 : sqlite3_strglob(f->pattern, s.p) == 0;
    if (id < f->memo_count)
        f->memo[id] = yes ? 2 : 1;
    return yes;
}

static bool passes(struct filter *f, uint32_t row)
{
    const struct sql_column *c = f->column;
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
    case FILTER_TEXT_IS:
        return column_str(c->values, row) == f->text;
    case FILTER_TEXT_NOT:
        return column_str(c->values, row) != f->text;
    case FILTER_TEXT_RANGE:
        return text_compares(f, column_str(c->values, row));
    case FILTER_TEXT_MATCH:
        return text_matches(f, column_str(c->values, row));
    case FILTER_ALL:
    case FILTER_NONE:
    case FILTER_NULLS:
    case FILTER_VALUES:
        break;
    }
    return f->kind == FILTER_ALL;
}

/* The loops for the common cases; what they cannot do goes row by row through passes(). */
#define KEEP_IF(type, condition)                                                                   \
    do {                                                                                           \
        const type *data = f->column->values->data;                                                \
        for (uint32_t i = 0; i < n; i++) {                                                         \
            type v = data[rows[i]];                                                                \
            rows[kept] = rows[i];                                                                  \
            kept += (condition);                                                                   \
        }                                                                                          \
        return kept;                                                                               \
    } while (0)

static uint32_t apply_text_match(struct filter *f, uint32_t *rows, uint32_t n)
{
    const string_id *data = f->column->values->data;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        string_id id = data[rows[i]];
        uint8_t known = id < f->memo_count ? f->memo[id] : 0;
        if (known == 0)
            known = id != NULL_STRING && text_matches(f, id) ? 2 : 1;
        rows[kept] = rows[i];
        kept += known == 2;
    }
    return kept;
}

static int64_t clamp_u32(int64_t v)
{
    return v < 0 ? 0 : v > UINT32_MAX ? UINT32_MAX : v;
}

static uint32_t apply_int_range(struct filter *f, uint32_t *rows, uint32_t n, bool *done)
{
    const struct column *c = f->column->values;
    uint32_t kept = 0;
    *done = true;
    if (c->def->type == COLUMN_TYPE_I64 && c->data && !c->nulls)
        KEEP_IF(int64_t, v >= f->lo && v <= f->hi);
    if (c->def->type == COLUMN_TYPE_U32) {
        int64_t top = c->def->flags & COLUMN_NULLABLE ? (int64_t)UINT32_MAX - 1 : UINT32_MAX;
        int64_t hi = f->hi > top ? top : f->hi;
        if (hi < 0 || f->lo > UINT32_MAX)
            return 0;
        uint32_t low = (uint32_t)clamp_u32(f->lo), high = (uint32_t)hi;
        KEEP_IF(uint32_t, v >= low && v <= high);
    }
    *done = false;
    return 0;
}

uint32_t filter_apply(struct filter *f, uint32_t *rows, uint32_t n)
{
    bool done = false;
    uint32_t kept = 0;
    if (f->kind == FILTER_ALL)
        return n;
    if (f->kind == FILTER_NONE)
        return 0;
    if (f->kind == FILTER_INT_RANGE)
        kept = apply_int_range(f, rows, n, &done);
    if (done)
        return kept;
    if (f->kind == FILTER_TEXT_MATCH)
        return apply_text_match(f, rows, n);
    if (f->kind == FILTER_TEXT_IS)
        KEEP_IF(string_id, v == f->text);
    for (uint32_t i = 0; i < n; i++) {
        rows[kept] = rows[i];
        kept += passes(f, rows[i]);
    }
    return kept;
}
