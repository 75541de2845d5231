#include "explain/needs.h"

#include <sqlite3.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "core/store/tables.h"

void seen_columns_release(struct seen_columns *seen)
{
    for (size_t i = 0; i < seen->v.count; i++) {
        free(seen->v.items[i].texts);
        vec_release(&seen->v.items[i].each_text);
    }
    vec_release(&seen->v);
}

static struct seen_column *column_seen(struct seen_columns *seen, const struct column *column)
{
    for (size_t i = 0; i < seen->v.count; i++)
        if (seen->v.items[i].column == column)
            return &seen->v.items[i];
    struct seen_column *s = vec_push(&seen->v);
    *s = (struct seen_column){.column = column, .largest = INT64_MIN};
    return s;
}

static const struct seen_column *see_texts(struct seen_columns *seen, const struct table *table,
                                           const struct column *column)
{
    struct seen_column *s = column_seen(seen, column);
    if (!s->texts) {
        s->strings = seen->trace->strings.count;
        s->texts = alloc_array((size_t)s->strings / 64 + 1, sizeof *s->texts);
    }
    for (; s->seen < table->rows; s->seen++) {
        string_id id = column_str(column, s->seen);
        uint64_t bit = UINT64_C(1) << (id & 63), *word = &s->texts[id >> 6];
        if (id != NULL_STRING && !(*word & bit))
            *vec_push(&s->each_text) = id;
        *word |= bit;
    }
    return s;
}

static bool has_above(struct seen_columns *seen, const struct table *table,
                      const struct column *column, int64_t limit)
{
    struct seen_column *s = column_seen(seen, column);
    for (; s->seen < table->rows && s->largest <= limit; s->seen++)
        if (!column_is_null(column, s->seen)) {
            int64_t value = column_int(column, s->seen);
            s->largest = value > s->largest ? value : s->largest;
        }
    return s->largest > limit;
}

/* How many bytes a GLOB begins with that stand for themselves. */
static size_t plain_bytes(struct str glob)
{
    size_t n = 0;
    while (n < glob.n && !memchr("*?[", glob.p[n], 3))
        n++;
    return n;
}

static bool has_text(const struct seen_columns *seen, const struct seen_column *s, struct str glob)
{
    const struct string_pool *strings = &seen->trace->strings;
    struct str begin = str_from_to(glob, 0, plain_bytes(glob));
    if (begin.n == glob.n) {
        string_id id = string_pool_lookup(strings, glob);
        return id != NULL_STRING && id < s->strings && (s->texts[id >> 6] >> (id & 63) & 1);
    }
    char *pattern = alloc_copy(glob.p, glob.n);
    bool found = false;
    for (size_t i = 0; i < s->each_text.count && !found; i++) {
        struct str text = string_pool_get(strings, s->each_text.items[i]);
        found = str_starts(text, begin) && sqlite3_strglob(pattern, text.p) == 0;
    }
    free(pattern);
    return found;
}

static struct status malformed(struct str need, const char *what)
{
    return status_error(STATUS_SQL, "needs: %.*s: %s", (int)need.n, need.p, what);
}

/* What stands behind a word, which is cut off; false where it is another one. */
static bool take_word(struct str *rest, struct str word)
{
    struct str after = str_trim(*rest);
    if (!str_starts(after, word))
        return false;
    *rest = str_trim(str_skip(after, word.n));
    return true;
}

static const struct table *table_called(const struct trace *t, struct str key)
{
    const struct table *tables = tables_array_const(&t->tables);
    for (size_t i = 0; i < TABLE_COUNT; i++)
        if (str_eq(str_from(table_defs[i].key), key))
            return &tables[i];
    return NULL;
}

static const struct column *column_called(const struct table *table, struct str name)
{
    for (uint32_t i = 0; i < table->def->column_count; i++)
        if (str_eq(str_from(table->columns[i].def->name), name))
            return &table->columns[i];
    return NULL;
}

static struct status check_value(struct seen_columns *seen, const struct table *table,
                                 const struct column *column, struct str need, struct str condition,
                                 bool *holds)
{
    bool is_text = column->def->type == COLUMN_TYPE_STR;
    int64_t limit = INT64_MIN;
    *holds = false;
    if (column->def->type == COLUMN_TYPE_F64)
        return malformed(need, "not of columns of reals");
    if (is_text && condition.n == 0) {
        *holds = see_texts(seen, table, column)->each_text.count > 0;
    } else if (is_text && take_word(&condition, STR("GLOB "))) {
        const struct seen_column *s = see_texts(seen, table, column);
        while (condition.n > 0 && !*holds)
            *holds = has_text(seen, s, str_trim(str_cut(&condition, '|')));
    } else if (!is_text && (condition.n == 0 ||
                            (take_word(&condition, STR("> ")) && str_to_i64(condition, &limit)))) {
        *holds = has_above(seen, table, column, limit);
    } else {
        return malformed(need, "expected GLOB and a text, or > and a number");
    }
    return status_ok_value();
}

static struct status check(struct seen_columns *seen, struct str need, bool *holds)
{
    struct str condition = need, column_name = str_cut(&condition, ' ');
    struct str table_name = str_cut(&column_name, '.');
    const struct table *table = table_called(seen->trace, table_name);
    if (!table)
        return malformed(need, "there is no such table");
    *holds = table->rows > 0;
    if (column_name.n == 0)
        return condition.n == 0 ? status_ok_value() : malformed(need, "expected a column");
    const struct column *column = column_called(table, column_name);
    return column ? check_value(seen, table, column, need, str_trim(condition), holds)
                  : malformed(need, "there is no such column");
}

struct status needs_check(struct seen_columns *seen, struct str needs, bool *hold)
{
    struct status status = status_ok_value();
    *hold = true;
    while (needs.n > 0 && *hold && status_ok(status))
        status = check(seen, str_trim(str_cut(&needs, ',')), hold);
    return status;
}
