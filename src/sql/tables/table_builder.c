#include "sql/tables/table_builder.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/values/values.h"

enum kind { KIND_NONE, KIND_INT, KIND_REAL, KIND_TEXT };

struct build_column {
    char *name;
    enum kind kind;
    bool declared, has_null, unsorted;
    union {
        int64_t *ints;
        double *reals;
        string_id *texts;
        void *data;
    };
    uint64_t *nulls;
    int64_t min, max;
};

struct table_builder {
    const struct string_pool *strings;
    struct build_column *columns;
    int column_count;
    int next; /* column of the row */
    uint32_t rows, cap;
};

static struct table_builder *new_builder(const struct string_pool *strings, int columns)
{
    struct table_builder *b = alloc_array(1, sizeof *b);
    b->strings = strings;
    b->column_count = columns;
    b->columns = alloc_array((size_t)columns, sizeof *b->columns);
    for (int i = 0; i < columns; i++) {
        b->columns[i].min = INT64_MAX;
        b->columns[i].max = INT64_MIN;
    }
    return b;
}

struct table_builder *table_builder_new(const struct string_pool *strings, int columns,
                                        const char *const *names)
{
    struct table_builder *b = new_builder(strings, columns);
    for (int i = 0; i < columns; i++)
        b->columns[i].name = alloc_copy(names[i], strlen(names[i]));
    return b;
}

bool column_take(struct str *columns, struct str *name, enum declared_type *type)
{
    struct str column = str_trim(str_cut(columns, ','));
    *name = str_take_word(&column);
    *type = DECLARED_ANY;
    (void)declared_type_find((struct token){.kind = TOKEN_WORD, .text = str_trim(column)}, type);
    return name->n > 0;
}

struct table_builder *table_builder_of(const struct string_pool *strings, const char *columns)
{
    struct str name, rest = str_from(columns);
    enum declared_type type;
    int n = 0;
    while (column_take(&rest, &name, &type))
        n++;
    struct table_builder *b = new_builder(strings, n);
    rest = str_from(columns);
    for (int i = 0; column_take(&rest, &name, &type); i++) {
        b->columns[i].name = alloc_copy(name.p, name.n);
        table_builder_declare(b, i, type);
    }
    return b;
}

static size_t kind_size(enum kind kind)
{
    return kind == KIND_TEXT ? sizeof(string_id) : sizeof(int64_t);
}

/* The first value decides; until then there are only nulls. */
static void set_kind(struct table_builder *b, struct build_column *c, enum kind kind)
{
    c->kind = kind;
    c->data = alloc_array(b->cap + (size_t)1, kind_size(kind));
}

void table_builder_declare(struct table_builder *b, int column, enum declared_type type)
{
    static const enum kind kinds[] = {
        [DECLARED_ANY] = KIND_NONE,    [DECLARED_LONG] = KIND_INT,   [DECLARED_DOUBLE] = KIND_REAL,
        [DECLARED_STRING] = KIND_TEXT, [DECLARED_BYTES] = KIND_NONE,
    };
    if (kinds[type] == KIND_NONE)
        return;
    b->columns[column].declared = true;
    set_kind(b, &b->columns[column], kinds[type]);
}

/* Room for n more rows. */
static void grow(struct table_builder *b, uint32_t n)
{
    size_t cap = (size_t)b->cap + b->cap / 2 + 64, least = (size_t)b->rows + n;
    cap = cap < least ? least : cap;
    if (cap > UINT32_MAX)
        cap = least > UINT32_MAX ? SIZE_MAX : UINT32_MAX; /* more rows than that there cannot be */
    for (int i = 0; i < b->column_count; i++) {
        struct build_column *c = &b->columns[i];
        if (c->kind != KIND_NONE)
            c->data = realloc_at_least(c->data, &cap, least, kind_size(c->kind));
        size_t words = (cap + 63) / 64, old = ((size_t)b->cap + 63) / 64;
        c->nulls = realloc_array(c->nulls, words, sizeof *c->nulls);
        memset(c->nulls + old, 0, (words - old) * sizeof *c->nulls);
    }
    b->cap = (uint32_t)cap;
}

/* Of the row's first value there must be room in all columns. */
static struct build_column *next_column(struct table_builder *b)
{
    if (b->next == 0 && b->rows == b->cap)
        grow(b, 1);
    return &b->columns[b->next++];
}

static void put_null(struct table_builder *b, struct build_column *c)
{
    c->nulls[b->rows >> 6] |= UINT64_C(1) << (b->rows & 63);
    c->has_null = true;
    if (c->kind == KIND_TEXT)
        c->texts[b->rows] = NULL_STRING;
    else if (c->kind != KIND_NONE)
        c->ints[b->rows] = 0;
}

static void put_int(struct table_builder *b, struct build_column *c, int64_t v)
{
    if (c->kind == KIND_NONE)
        set_kind(b, c, KIND_INT);
    c->unsorted = c->unsorted || (b->rows > 0 && v < c->ints[b->rows - 1]);
    c->min = v < c->min ? v : c->min;
    c->max = v > c->max ? v : c->max;
    c->ints[b->rows] = v;
}

static void put_real(struct table_builder *b, struct build_column *c, double v)
{
    if (c->kind == KIND_NONE)
        set_kind(b, c, KIND_REAL);
    c->unsorted = c->unsorted || (b->rows > 0 && v < c->reals[b->rows - 1]);
    c->reals[b->rows] = v;
}

static void put_text(struct table_builder *b, struct build_column *c, string_id v)
{
    if (c->kind == KIND_NONE)
        set_kind(b, c, KIND_TEXT);
    c->has_null |= v == NULL_STRING;
    c->texts[b->rows] = v;
}

void table_builder_put_cells(struct table_builder *b, const struct table_cell *cells, size_t count)
{
    for (const struct table_cell *v = cells; v < cells + count; v++) {
        struct build_column *c = next_column(b);
        switch (v->kind) {
        case CELL_IS_NULL:
            put_null(b, c);
            break;
        case CELL_IS_INT:
            put_int(b, c, v->number);
            break;
        case CELL_IS_REAL:
            put_real(b, c, v->real);
            break;
        case CELL_IS_TEXT:
            put_text(b, c, v->text);
            break;
        case CELL_IS_STR:
            put_text(b, c, string_pool_intern(b->strings, v->str));
            break;
        }
    }
}

void table_builder_put_column(struct table_builder *b, int column, enum table_cell_kind kind,
                              const void *data, const uint8_t *null, uint32_t n)
{
    struct build_column *c = &b->columns[column];
    const string_id *texts = data;
    uint32_t first = b->rows;
    if (b->cap - first < n)
        grow(b, n);
    for (uint32_t i = 0; i < n; i++, b->rows++) {
        if (kind == CELL_IS_TEXT ? texts[i] == NULL_STRING : null && null[i])
            put_null(b, c);
        else if (kind == CELL_IS_TEXT)
            put_text(b, c, texts[i]);
        else if (kind == CELL_IS_REAL)
            put_real(b, c, ((const double *)data)[i]);
        else
            put_int(b, c, ((const int64_t *)data)[i]);
    }
    b->rows = first;
}

void table_builder_end_rows(struct table_builder *b, uint32_t n)
{
    b->rows += n;
}

struct table_cell cell_of(const struct column *c, uint32_t row)
{
    if (column_is_null(c, row))
        return CELL_NULL;
    return c->def->type == COLUMN_TYPE_STR   ? cell_text(column_str(c, row))
           : c->def->type == COLUMN_TYPE_F64 ? cell_real(column_f64(c, row))
                                             : cell_int(column_int(c, row));
}

static const char *kind_name(enum kind kind)
{
    static const char *const names[] = {"NULL", "LONG", "DOUBLE", "STRING"};
    return names[kind];
}

static struct status mixed(struct table_builder *b, struct build_column *c, const char *found)
{
    return status_error(STATUS_SQL,
                        "column %s: row %u holds %s, %s %s: cast the column to one type", c->name,
                        b->rows, found,
                        c->declared ? "its declared type is" : "the rows before it hold",
                        kind_name(c->kind));
}

/* Whether a real holds all integers between the two. */
static bool fits_real(int64_t min, int64_t max)
{
    const int64_t limit = INT64_C(1) << 53;
    return min > max || (min >= -limit && max <= limit);
}

/* Integers so far, now a real: all become real where none loses digits, even where the column was
 * declared as LONG. */
static bool widen_to_real(struct table_builder *b, struct build_column *c)
{
    if (!fits_real(c->min, c->max))
        return false;
    for (uint32_t i = 0; i < b->rows; i++)
        c->reals[i] = (double)c->ints[i];
    c->kind = KIND_REAL;
    return true;
}

struct status table_builder_put_value(struct table_builder *b, sqlite3_value *v)
{
    struct build_column *c = next_column(b);
    switch (sqlite3_value_type(v)) {
    case SQLITE_INTEGER:
        if (c->kind == KIND_TEXT ||
            (c->kind == KIND_REAL && !fits_real(sqlite3_value_int64(v), sqlite3_value_int64(v))))
            return mixed(b, c, "LONG");
        if (c->kind == KIND_REAL)
            put_real(b, c, sqlite3_value_double(v));
        else
            put_int(b, c, sqlite3_value_int64(v));
        break;
    case SQLITE_FLOAT:
        if (c->kind == KIND_TEXT || (c->kind == KIND_INT && !widen_to_real(b, c)))
            return mixed(b, c, "DOUBLE");
        put_real(b, c, sqlite3_value_double(v));
        break;
    case SQLITE_TEXT:
        if (c->kind != KIND_NONE && c->kind != KIND_TEXT)
            return mixed(b, c, "STRING");
        put_text(b, c, string_pool_intern(b->strings, value_str(v)));
        break;
    case SQLITE_BLOB:
        return status_error(STATUS_SQL, "column %s holds bytes, which a table cannot store",
                            c->name);
    default:
        put_null(b, c);
        break;
    }
    return status_ok_value();
}

void table_builder_skip(struct table_builder *b, int columns)
{
    b->next += columns;
}

void table_builder_end_row(struct table_builder *b)
{
    b->rows++;
    b->next = 0;
}

struct status table_builder_add(struct table_builder *b, sqlite3_stmt *stmt)
{
    for (int i = 0; i < b->column_count; i++) {
        struct status s = table_builder_put_value(b, sqlite3_column_value(stmt, i));
        if (!status_ok(s))
            return s;
    }
    table_builder_end_row(b);
    return status_ok_value();
}

/* Ids and other small numbers take 4 bytes, where they stood with 8. */
static void narrow(struct build_column *from, uint32_t rows, struct column *to)
{
    for (uint32_t i = 0; i < rows; i++) {
        bool null = from->nulls[i >> 6] >> (i & 63) & 1;
        uint32_t v = null ? NULL_U32 : (uint32_t)from->ints[i];
        memcpy((char *)from->data + (size_t)i * sizeof v, &v, sizeof v);
    }
    free(from->nulls);
    to->data = realloc_array(from->data, rows + (size_t)1, sizeof(uint32_t));
}

static enum column_type finish_column(struct build_column *from, uint32_t rows, struct column *to)
{
    if (from->kind == KIND_NONE && rows > 0) { /* nothing was ever put there */
        memset(from->nulls, 0xff, ((size_t)rows + 63) / 64 * sizeof *from->nulls);
        from->has_null = true;
    }
    to->unsorted = from->unsorted || from->has_null;
    if (from->kind == KIND_TEXT) {
        free(from->nulls);
        to->data = from->data;
        return COLUMN_TYPE_STR;
    }
    if (from->kind == KIND_INT && from->min >= 0 && from->max < NULL_U32) {
        narrow(from, rows, to);
        return COLUMN_TYPE_U32;
    }
    to->data = from->data ? from->data : alloc_array(rows + (size_t)1, sizeof(int64_t));
    to->nulls = from->nulls;
    if (!from->has_null) {
        free(from->nulls);
        to->nulls = NULL;
    }
    return from->kind == KIND_REAL ? COLUMN_TYPE_F64 : COLUMN_TYPE_I64;
}

/* A column whose name begins so is no part of SELECT *, as in tables of SQLite's own where it is
 * compiled to have such; here the name loses it, too. */
static const char hidden_prefix[] = "__hidden__";

const char *table_builder_name(const char *written)
{
    size_t n = sizeof hidden_prefix - 1;
    bool hidden = strncmp(written, hidden_prefix, n) == 0 && written[n] != '\0';
    return hidden ? written + n : written;
}

static bool take_hidden_prefix(char *name)
{
    const char *shown = table_builder_name(name);
    bool hidden = shown > name;
    memmove(name, shown, strlen(shown) + 1);
    return hidden;
}

struct table *table_builder_finish(struct table_builder *b, const char *name)
{
    struct column_def *defs = alloc_array((size_t)b->column_count + 1, sizeof *defs);
    struct table_def *def = alloc_array(1, sizeof *def);
    struct table *t = alloc_array(1, sizeof *t);
    uint32_t n = (uint32_t)b->column_count + 1;
    *def = (struct table_def){.name = alloc_copy(name, strlen(name)),
                              .column_count = n,
                              .columns = defs};
    defs[0] = (struct column_def){.name = alloc_copy("_auto_id", 8),
                                  .type = COLUMN_TYPE_ID,
                                  .flags = COLUMN_SORTED | COLUMN_HIDDEN};
    table_init(t, def, alloc_array(n, sizeof *t->columns));
    for (int i = 0; i < b->column_count; i++) {
        struct build_column *c = &b->columns[i];
        enum column_type type = finish_column(c, b->rows, &t->columns[i + 1]);
        unsigned hidden = take_hidden_prefix(c->name) ? COLUMN_HIDDEN : 0;
        defs[i + 1] = (struct column_def){.name = c->name,
                                          .type = type,
                                          .flags = hidden | (c->has_null ? COLUMN_NULLABLE : 0)};
    }
    t->rows = t->cap = b->rows;
    free(b->columns);
    free(b);
    return t;
}

void table_builder_free(struct table_builder *b)
{
    if (!b)
        return;
    for (int i = 0; i < b->column_count; i++) {
        free(b->columns[i].name);
        free(b->columns[i].data);
        free(b->columns[i].nulls);
    }
    free(b->columns);
    free(b);
}
