/* A table of a trace that was exported for Trace Processor: an Arrow file that bears its name. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "core/trace/stored_parts.h"
#include "core/trace_builder.h"
#include "parsers/archive/arrow_reader.h"
#include "parsers/archive/exported_table.h"
#include "parsers/archive/manifest.h"
#include "parsers/input/progress.h"
#include "parsers/input/trace_format.h"

/* The exported tables of a trace. Rows name rows of tables that are read later, and sets of args
 * by other numbers: both are looked at once all are there. */
struct exported {
    bool tables[TABLE_COUNT];
    bool begun, alone;
    struct map arg_sets; /* their number in the file -> here */
};

static bool is_arg_set(const struct column *c)
{
    return strcmp(c->def->declared, "ARGSETID") == 0;
}

static void renumber_arg_sets(const struct exported *e, const struct table *table, struct column *c)
{
    uint32_t *sets = c->data;
    bool nullable = c->def->flags & COLUMN_NULLABLE;
    for (uint32_t row = 0; row < table->rows; row++) {
        const uint32_t *set = map_find(&e->arg_sets, sets[row]);
        sets[row] = set ? *set : nullable ? NULL_U32 : 0;
    }
    c->unsorted = true;
}

static void finish(struct trace *t, void *state)
{
    struct exported *e = state;
    struct table *tables = tables_array(&t->tables);
    bool sound = true;
    for (int i = 0; i < TABLE_COUNT; i++)
        for (uint32_t c = 0; e->tables[i] && c < tables[i].def->column_count; c++)
            if (is_arg_set(&tables[i].columns[c]) && tables[i].columns[c].data)
                renumber_arg_sets(e, &tables[i], &tables[i].columns[c]);
    for (int i = 0; i < TABLE_COUNT; i++)
        sound = sound && (!e->tables[i] || stored_table_is_sound(t, &tables[i]));
    for (int i = 0; i < TABLE_COUNT && !sound; i++)
        if (e->tables[i])
            tables[i].rows = 0;
    if (!sound)
        stats_count(t, STAT_exported_table_errors);
    const struct table *objects = &t->tables.heap_graph_object;
    for (uint32_t i = 0; e->tables[objects - tables] && i < objects->rows; i++)
        *vec_push(&t->heap_root_distances) =
            (int32_t)column_int(&objects->columns[heap_graph_object_col_root_distance], i);
}

static void release(void *state)
{
    struct exported *e = state;
    map_release(&e->arg_sets);
}

static const struct trace_state_kind exported_kind = {.size = sizeof(struct exported),
                                                      .finish = finish,
                                                      .release = release};

/* Whether a file holds rows of its own, and was read. */
static bool is_other_trace(const struct trace *t, uint32_t file)
{
    const struct column *columns = t->tables.trace_file.columns;
    if (column_is_null(&columns[trace_file_col_processing_order], file) ||
        column_int(&columns[trace_file_col_is_container], file) != 0)
        return false;
    struct str type =
        string_pool_get(&t->strings, column_str(&columns[trace_file_col_trace_type], file));
    return !str_eq(type, str_from(exported_table_trace_format.type)) &&
           !str_eq(type, str_from(manifest_trace_format.type));
}

static bool is_only_child(const struct trace *t, uint32_t parent)
{
    const struct table *files = &t->tables.trace_file;
    const struct column *parents = &files->columns[trace_file_col_parent_id];
    uint32_t n = 0;
    for (uint32_t i = 0; i < files->rows; i++)
        n += !column_is_null(parents, i) && column_int(parents, i) == parent;
    return n == 1;
}

/* Rows of an export name each other by their numbers, which are right only where no other trace
 * has rows. Archives read exports last; archives of archives read others behind them. */
static bool stands_alone(const struct trace *t)
{
    const struct column *parents = &t->tables.trace_file.columns[trace_file_col_parent_id];
    uint32_t file = stats_scope(t)->file;
    for (bool above = false; !column_is_null(parents, file); above = true) {
        file = (uint32_t)column_int(parents, file);
        if (above && !is_only_child(t, file))
            return false;
    }
    for (uint32_t i = 0; i < t->tables.trace_file.rows; i++)
        if (is_other_trace(t, i))
            return false;
    return true;
}

/* The table whose name the file that is being read has; TABLE_COUNT: none. */
static int table_of_file(const struct trace *t)
{
    const struct column *names = &t->tables.trace_file.columns[trace_file_col_name];
    string_id id = column_str(names, stats_scope(t)->file);
    struct str name = string_pool_get(&t->strings, id), end = STR(".arrow");
    if (name.n <= end.n || !str_eq(str_skip(name, name.n - end.n), end))
        return TABLE_COUNT;
    name.n -= end.n;
    for (int i = 0; i < TABLE_COUNT; i++)
        if (str_eq(name, str_from(tables_array_const(&t->tables)[i].def->name)))
            return i;
    return TABLE_COUNT;
}

/* A field of the file as a column of the table. */
struct column_source {
    const struct arrow_field *field; /* NULL: the file does not have it */
    size_t number;
    const struct arrow_dictionary *texts;
    string_id *interned; /* of the dictionary's numbers; NULL_STRING where not yet */
};

static int64_t int_of(const struct arrow_field *f, const uint8_t *p)
{
    if (f->size == 8)
        return (int64_t)load_le64(p);
    uint32_t v = load_le32(p);
    return f->is_signed ? (int32_t)v : (int64_t)v;
}

static double real_of(const uint8_t *p)
{
    uint64_t bits = load_le64(p);
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static string_id text_of(struct trace *t, const struct column_source *s, const uint8_t *p)
{
    uint32_t number = load_le32(p);
    if (number >= s->texts->count)
        return NULL_STRING;
    if (s->interned[number] == NULL_STRING)
        s->interned[number] = trace_intern(t, arrow_dictionary_text(s->texts, number));
    return s->interned[number];
}

static bool fits(const struct arrow_field *f, enum column_type type)
{
    switch (type) {
    case COLUMN_TYPE_U32:
    case COLUMN_TYPE_SMALL:
    case COLUMN_TYPE_I32:
    case COLUMN_TYPE_I64:
        return f->kind == ARROW_IS_INT;
    case COLUMN_TYPE_F64:
        return f->kind == ARROW_IS_REAL;
    case COLUMN_TYPE_STR:
        return f->kind == ARROW_IS_TEXT;
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
        break;
    }
    return true;
}

static bool is_stored(const struct column_def *def)
{
    return def->type != COLUMN_TYPE_ID && def->type != COLUMN_TYPE_ALIAS;
}

static struct status find_sources(const struct arrow_reader *r, const struct table_def *def,
                                  struct column_source *out)
{
    for (uint32_t c = 0; c < def->column_count; c++)
        for (size_t i = 0; i < r->fields.count && is_stored(&def->columns[c]); i++) {
            const struct arrow_field *f = &r->fields.items[i];
            if (!str_eq(f->name, str_from(def->columns[c].name)) || out[c].field)
                continue;
            if (!fits(f, def->columns[c].type))
                return status_error(STATUS_FORMAT, "column %s of %s has values of another type",
                                    def->columns[c].name, def->name);
            out[c] = (struct column_source){.field = f, .number = i};
            if (f->kind != ARROW_IS_TEXT)
                continue;
            out[c].texts = arrow_reader_dictionary(r, f->dictionary);
            if (!out[c].texts)
                return status_error(STATUS_FORMAT, "column %s of %s has no dictionary",
                                    def->columns[c].name, def->name);
            out[c].interned = alloc_array(out[c].texts->count + (size_t)1, sizeof(string_id));
        }
    return status_ok_value();
}

/* `p` is the value; NULL: null. */
static void put(struct trace *t, struct table *table, uint32_t c, uint32_t row,
                const struct column_source *s, const uint8_t *p)
{
    const struct column_def *def = &table->def->columns[c];
    bool nullable = def->flags & COLUMN_NULLABLE;
    switch (def->type) {
    case COLUMN_TYPE_U32:
        column_put_U32(table, c, row, p ? (uint32_t)int_of(s->field, p) : nullable ? NULL_U32 : 0);
        break;
    case COLUMN_TYPE_SMALL:
        column_put_SMALL(table, c, row,
                         p          ? (uint32_t)int_of(s->field, p)
                         : nullable ? NULL_U32
                                    : 0);
        break;
    case COLUMN_TYPE_I32:
        column_put_I32(table, c, row, p ? (int32_t)int_of(s->field, p) : nullable ? NULL_I64 : 0);
        break;
    case COLUMN_TYPE_I64:
        column_put_I64(table, c, row, p ? int_of(s->field, p) : nullable ? NULL_I64 : 0);
        break;
    case COLUMN_TYPE_F64:
        column_put_F64(table, c, row, p ? real_of(p) : nullable ? NULL_F64 : 0);
        break;
    case COLUMN_TYPE_STR:
        column_put_STR(table, c, row, p ? text_of(t, s, p) : NULL_STRING);
        break;
    case COLUMN_TYPE_ID:
    case COLUMN_TYPE_ALIAS:
        break;
    }
}

/* Where the value of a row is; NULL: it is null, or the file has no such column. */
static const uint8_t *value_at(const struct arrow_reader *r, const struct arrow_batch *b,
                               const struct column_source *s, uint32_t row)
{
    if (!s->field)
        return NULL;
    const struct arrow_values *v = &r->values.items[b->first + s->number];
    return arrow_is_null(v, row) ? NULL : v->values + (size_t)row * s->field->size;
}

enum { ROWS_PER_CHECK = 1 << 14 };

/* Asked for each row: false where loading shall stop. */
static bool goes_on(const struct load_progress *progress, uint32_t row)
{
    return row % ROWS_PER_CHECK != 0 || progress_goes_on(progress);
}

static bool read_rows(struct trace *t, const struct arrow_reader *r, struct table *table,
                      const struct column_source *sources, const struct load_progress *progress)
{
    for (size_t i = 0; i < r->batches.count; i++)
        for (uint32_t row = 0; row < r->batches.items[i].rows; row++) {
            if (!goes_on(progress, row))
                return false;
            uint32_t to = table_grow(table);
            for (uint32_t c = 0; c < table->def->column_count; c++)
                put(t, table, c, to, &sources[c],
                    value_at(r, &r->batches.items[i], &sources[c], row));
        }
    return true;
}

static enum arg_type type_of_name(struct str name)
{
    for (int type = ARG_NULL; type <= ARG_JSON; type++)
        if (str_eq(name, str_from(arg_type_name((enum arg_type)type))))
            return (enum arg_type)type;
    return ARG_NULL;
}

/* What a row of args says. */
static struct arg read_arg(struct trace *t, const struct arrow_reader *r,
                           const struct arrow_batch *b, const struct column_source *sources,
                           uint32_t row)
{
    const uint8_t *p[args_col_value_type + 1];
    for (uint32_t c = 0; c <= args_col_value_type; c++)
        p[c] = value_at(r, b, &sources[c], row);
#define TEXT(COLUMN) (p[COLUMN] ? text_of(t, &sources[COLUMN], p[COLUMN]) : NULL_STRING)
    struct arg arg = {.flat_key = TEXT(args_col_flat_key), .key = TEXT(args_col_key)};
    arg.type = type_of_name(string_pool_get(&t->strings, TEXT(args_col_value_type)));
    if (arg.type == ARG_STRING || arg.type == ARG_JSON)
        arg.s = TEXT(args_col_string_value);
    else if (arg.type == ARG_REAL)
        arg.d = p[args_col_real_value] ? real_of(p[args_col_real_value]) : NAN;
    else if (arg.type != ARG_NULL && p[args_col_int_value])
        arg.i = int_of(sources[args_col_int_value].field, p[args_col_int_value]);
#undef TEXT
    return arg;
}

/* Rows of one set stand together. */
static bool read_args(struct trace *t, struct exported *e, const struct arrow_reader *r,
                      const struct column_source *sources, const struct load_progress *progress)
{
    struct arg_list list = {0};
    uint32_t set = NULL_U32;
    bool going = true;
    for (size_t i = 0; i < r->batches.count; i++)
        for (uint32_t row = 0; row < r->batches.items[i].rows && going; row++) {
            going = goes_on(progress, row);
            const struct arrow_batch *b = &r->batches.items[i];
            const struct column_source *s = &sources[args_col_arg_set_id];
            const uint8_t *p = value_at(r, b, s, row);
            if (!p)
                continue;
            uint32_t now = (uint32_t)int_of(s->field, p);
            if (now != set && list.v.count > 0)
                map_set(&e->arg_sets, set, args_intern(&t->args, &list));
            if (now != set)
                arg_list_clear(&list);
            set = now;
            arg_list_add(&list, read_arg(t, r, b, sources, row));
        }
    if (list.v.count > 0)
        map_set(&e->arg_sets, set, args_intern(&t->args, &list));
    arg_list_release(&list);
    return going;
}

static struct status read_table(struct trace *t, const struct arrow_reader *r, int number,
                                const struct load_progress *progress)
{
    struct exported *e = trace_state(t, &exported_kind);
    struct table *table = &tables_array(&t->tables)[number];
    bool is_args = table == &t->tables.args;
    if (table->rows > 0 || (is_args && args_count(&t->args) > 0))
        return status_error(STATUS_FORMAT, "%s has rows of another file already", table->def->name);
    struct column_source *sources = alloc_array(table->def->column_count, sizeof *sources);
    struct status status = find_sources(r, table->def, sources);
    if (status_ok(status) && !(is_args ? read_args(t, e, r, sources, progress)
                                       : read_rows(t, r, table, sources, progress)))
        status = progress_cancelled(table->def->name);
    e->tables[number] = !is_args;
    for (uint32_t c = 0; c < table->def->column_count; c++)
        free(sources[c].interned);
    free(sources);
    return status;
}

/* Asked for the first one: behind it only its like are read. */
static bool is_alone(struct trace *t)
{
    struct exported *e = trace_state(t, &exported_kind);
    if (!e->begun)
        e->alone = stands_alone(t);
    e->begun = true;
    return e->alone;
}

static struct status import(struct trace *t, const char *name, struct bytes data,
                            struct load_progress *progress)
{
    struct arrow_reader r;
    int table = table_of_file(t);
    struct status status = arrow_reader_open(&r, data);
    if (status_ok(status) && table == TABLE_COUNT)
        status = status_error(STATUS_FORMAT, "not called like a table of a trace");
    if (status_ok(status) && !is_alone(t))
        status = status_error(STATUS_FORMAT, "an export stands alone: found another trace beside "
                                             "it, or an archive around its own");
    if (status_ok(status))
        status = read_table(t, &r, table, progress);
    arrow_reader_release(&r);
    return status_prefix(status, "%s", name);
}

static bool sniff(struct bytes data)
{
    return data.n > sizeof ARROW_MAGIC - 1 &&
           memcmp(data.p, ARROW_MAGIC "\0", sizeof ARROW_MAGIC) == 0;
}

const struct trace_format exported_table_trace_format = {
    .name = "exported table",
    .type = "arrow",
    .about = "tables of a trace as tptui export perfetto and Trace Processor write them into a "
             "tar: Arrow files, called like the tables",
    .has_machines = true,
    .sniff = sniff,
    .read = import,
};
