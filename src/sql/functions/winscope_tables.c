/* What Winscope asks of snapshots: messages with their defaults, and who is whose parent. */
#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "sql/engine/family.h"
#include "sql/engine/session_state.h"
#include "sql/tables/table_builder.h"
#include "sql/engine/table_function.h"
#include "sql/values/values.h"

/* An arg of a message, or of several that tell of one thing. */
struct message_arg {
    uint32_t message; /* that has it */
    struct arg arg;
    bool is_name; /* what the number under this key stands for; NULL_STRING: nothing */
};

struct messages {
    const struct string_pool *strings;
    struct map named; /* messages that have entries in `texts` */
    struct map texts; /* hash of a text_key -> what the number stands for */
    struct map args;  /* hash of a thing and a key -> index in `list` */
    VEC(struct message_arg) list;
};

struct text_key {
    uint32_t message;
    string_id flat_key;
    int64_t iid;
};

static uint64_t text_hash(uint32_t message, string_id flat_key, int64_t iid)
{
    struct text_key key = {message, flat_key, iid};
    return hash_bytes(&key, sizeof key, 0);
}

static void messages_release(struct messages *m)
{
    map_release(&m->named);
    map_release(&m->texts);
    map_release(&m->args);
    vec_release(&m->list);
}

static void read_texts(struct messages *m, const struct table *t)
{
    const uint32_t *message = table_u32(t, viewcapture_interned_data_col_base64_proto_id);
    const string_id *key = table_u32(t, viewcapture_interned_data_col_flat_key);
    const int64_t *iid = table_i64(t, viewcapture_interned_data_col_iid);
    const string_id *text = table_u32(t, viewcapture_interned_data_col_deinterned_value);
    for (uint32_t i = 0; i < t->rows; i++) {
        map_set(&m->named, message[i], 0);
        map_set(&m->texts, text_hash(message[i], key[i], iid[i]), text[i]);
    }
}

static const struct str number_suffix = {"_iid", 4};

/* The number of a text has the text in front of it, and stays only where that is not known. */
static void add_named(struct messages *m, uint32_t message, struct arg arg)
{
    const uint32_t *text = NULL;
    if ((arg.type == ARG_INT || arg.type == ARG_UINT) && map_find(&m->named, message) &&
        str_ends(string_pool_get(m->strings, arg.key), number_suffix)) {
        struct arg name = arg;
        text = map_find(&m->texts, text_hash(message, arg.flat_key, arg.i));
        name.type = ARG_STRING;
        name.s = text ? *text : NULL_STRING;
        *vec_push(&m->list) = (struct message_arg){message, name, .is_name = true};
    }
    if (!text)
        *vec_push(&m->list) = (struct message_arg){message, arg, .is_name = false};
}

/* What a message says again replaces what an earlier one of the same thing says; a default does
 * not. */
static void add_of_thing(struct messages *m, int64_t thing, uint32_t message, struct arg arg)
{
    int64_t key[] = {thing, arg.key};
    bool is_new;
    uint32_t *at = map_insert(&m->args, hash_bytes(key, sizeof key, 0), &is_new);
    if (is_new) {
        *at = (uint32_t)m->list.count;
        *vec_push(&m->list) = (struct message_arg){message, arg, .is_name = false};
    } else if (!arg.is_default) {
        m->list.items[*at] = (struct message_arg){message, arg, .is_name = false};
    }
}

static struct table_cell cell_key(const struct messages *m, string_id id, bool is_name)
{
    struct str key = string_pool_get(m->strings, id);
    return cell_str((struct str){key.p, key.n - (is_name ? number_suffix.n : 0)});
}

static void put_arg(struct messages *m, struct table_builder *b, int64_t row,
                    const struct message_arg *of)
{
    const struct arg *a = &of->arg;
    bool text = a->type == ARG_STRING || a->type == ARG_JSON;
    bool number = !text && a->type != ARG_REAL && a->type != ARG_NULL;
    bool lost = of->is_name && a->s == NULL_STRING;
    table_builder_row(b, cell_int(row), cell_int(of->message),
                      cell_key(m, a->flat_key, of->is_name), cell_key(m, a->key, of->is_name),
                      cell_int_if(number, a->i),
                      lost ? cell_chars("STRING DE-INTERNING ERROR")
                           : cell_text(text ? a->s : NULL_STRING),
                      a->type == ARG_REAL ? cell_real(a->d) : CELL_NULL,
                      cell_chars(arg_type_name(a->type)));
}

/* The column of the table that says of which thing a row's message tells; NULL: each of its own. */
static const char *thing_column(struct str table)
{
    return str_eq(table, STR("window_manager_shell_transition_protos")) ? "transition_id" : NULL;
}

/* The messages of a table's rows; a message's number is that of its arg set. */
static struct status fill_args(struct sql_session *s, sqlite3_value **argv, struct table_builder *b)
{
    if (sqlite3_value_type(argv[0]) != SQLITE_TEXT)
        return status_error(STATUS_SQL, "__intrinsic_winscope_proto_to_args_with_defaults: "
                                        "table_name must be a text");
    struct str prefix = STR("__intrinsic_"), table = value_str(argv[0]);
    table = str_skip(table, str_starts(table, prefix) ? prefix.n : 0);
    const char *thing = thing_column(table);
    char *query = sqlite3_mprintf("SELECT base64_proto_id, %s FROM \"__intrinsic_%.*w\" WHERE "
                                  "base64_proto_id IS NOT NULL GROUP BY 1 ORDER BY 1",
                                  thing ? thing : "NULL", (int)table.n, table.p);
    sqlite3_stmt *stmt = NULL;
    int rc = sqlite3_prepare_v2(s->db, query, -1, &stmt, NULL);
    sqlite3_free(query);
    struct messages m = {.strings = &s->trace->strings};
    struct arg_list list = {0};
    read_texts(&m, &s->trace->tables.viewcapture_interned_data);
    while (rc == SQLITE_OK || rc == SQLITE_ROW) {
        rc = sqlite3_step(stmt);
        if (rc != SQLITE_ROW)
            break;
        uint32_t message = (uint32_t)sqlite3_column_int64(stmt, 0);
        arg_list_clear(&list);
        args_read_defaults(&s->trace->args, message, &list);
        for (size_t i = 0; i < list.v.count; i++)
            if (thing)
                add_of_thing(&m, sqlite3_column_int64(stmt, 1), message, list.v.items[i]);
            else
                add_named(&m, message, list.v.items[i]);
    }
    for (size_t i = 0; i < m.list.count; i++)
        put_arg(&m, b, (int64_t)i, &m.list.items[i]);
    struct status status = status_ok_value();
    if (rc == SQLITE_INTERRUPT)
        status = status_error(STATUS_CANCELLED, "interrupted");
    else if (rc != SQLITE_DONE)
        status = status_error(STATUS_SQL, "__intrinsic_winscope_proto_to_args_with_defaults: %s",
                              sqlite3_errmsg(s->db));
    messages_release(&m);
    arg_list_release(&list);
    sqlite3_finalize(stmt);
    return status;
}

/* The layers of one snapshot by their ids. */
struct snapshot_layers {
    struct map rows; /* layer_id -> row */
    VEC(uint32_t) path;
};

/* Layer ids are 32 bits without a sign. */
static uint32_t layer_id(const struct table *t, uint32_t row)
{
    return (uint32_t)column_int(&t->columns[surfaceflinger_layer_col_layer_id], row);
}

static const uint32_t *parent_row(const struct table *t, const struct snapshot_layers *l,
                                  uint32_t row)
{
    const struct column *parent = &t->columns[surfaceflinger_layer_col_parent];
    if (column_is_null(parent, row))
        return NULL;
    return map_find(&l->rows, (uint32_t)column_int(parent, row));
}

/* From the root down to the layer itself. A ring of parents ends where it would repeat. */
static void put_path(struct table_builder *b, const struct table *t, struct snapshot_layers *l,
                     uint32_t row, int64_t *rows)
{
    uint32_t snapshot = table_u32(t, surfaceflinger_layer_col_snapshot_id)[row];
    l->path.count = 0;
    *vec_push(&l->path) = row;
    for (const uint32_t *up; (up = parent_row(t, l, vec_last(&l->path))) != NULL;) {
        if (*up == row || l->path.count > l->rows.count)
            break;
        *vec_push(&l->path) = *up;
    }
    for (size_t i = l->path.count; i-- > 0;) {
        table_builder_row(b, cell_int((*rows)++), cell_int(snapshot), cell_int(layer_id(t, row)),
                          cell_int(layer_id(t, l->path.items[i])));
    }
}

static bool has_id(const struct table *t, uint32_t row)
{
    return !column_is_null(&t->columns[surfaceflinger_layer_col_layer_id], row);
}

static struct status fill_paths(struct sql_session *s, sqlite3_value **argv,
                                struct table_builder *b)
{
    (void)argv;
    const struct table *t = &s->trace->tables.surfaceflinger_layer;
    const uint32_t *snapshots = table_u32(t, surfaceflinger_layer_col_snapshot_id);
    struct snapshot_layers l = {0};
    int64_t rows = 0;
    bool cancelled = false;
    for (uint32_t from = 0, to; from < t->rows && !cancelled; from = to) {
        map_release(&l.rows);
        for (to = from; to < t->rows && snapshots[to] == snapshots[from]; to++)
            if (has_id(t, to))
                map_set(&l.rows, layer_id(t, to), to);
        for (uint32_t row = from; row < to; row++)
            if (has_id(t, row))
                put_path(b, t, &l, row, &rows);
        cancelled = atomic_load(&s->cancel);
    }
    map_release(&l.rows);
    vec_release(&l.path);
    return cancelled ? status_error(STATUS_CANCELLED, "interrupted") : status_ok_value();
}

static const struct table_function table_functions[] = {
    {.name = "__intrinsic_winscope_proto_to_args_with_defaults",
     .columns = "id LONG, base64_proto_id LONG, flat_key STRING, key STRING, int_value LONG, "
                "string_value STRING, real_value DOUBLE, value_type STRING",
     .parameters = "table_name",
     .fill = fill_args},
    {.name = "__intrinsic_winscope_surfaceflinger_hierarchy_path",
     .columns = "id LONG, snapshot_id LONG, layer_id LONG, ancestor_id LONG",
     .fill = fill_paths},
    {0},
};

const struct sql_family winscope_tables_family = {.table_functions = table_functions};
