#include "rpc/result_batches.h"

#include "pb_fields.h"

enum { BATCH_CELLS = 50000, BATCH_BYTES = 128 << 10 };

static void put_packed(struct pb_bytes *batch, uint32_t field, const struct pb_bytes *cells)
{
    if (cells->v.count > 0)
        pb_put_message(batch, field, cells);
}

/* Strings are ended by NUL, which parts them. */
static void put_batch(struct result_batches *b, struct pb_bytes *result, bool is_last)
{
    struct pb_bytes batch = {0};
    put_packed(&batch, PB_QueryResult_CellsBatch_string_cells, &b->texts);
    put_packed(&batch, PB_QueryResult_CellsBatch_cells, &b->types);
    put_packed(&batch, PB_QueryResult_CellsBatch_varint_cells, &b->ints);
    put_packed(&batch, PB_QueryResult_CellsBatch_float64_cells, &b->reals);
    pb_put_raw(&batch, b->blobs.v.items, b->blobs.v.count);
    if (is_last)
        pb_put_uint(&batch, PB_QueryResult_CellsBatch_is_last_batch, 1);
    pb_put_message(result, PB_QueryResult_batch, &batch);
    pb_bytes_release(&batch);
}

static void clear_batch(struct result_batches *b)
{
    b->texts.v.count = b->types.v.count = b->ints.v.count = 0;
    b->reals.v.count = b->blobs.v.count = b->head.v.count = 0;
    b->size = b->cells = 0;
}

static bool send_batch(struct result_batches *b, bool is_last, const char *error, double elapsed_ms)
{
    struct pb_bytes result = {0};
    pb_put_raw(&result, b->head.v.items, b->head.v.count);
    put_batch(b, &result, is_last);
    if (error)
        pb_put_str(&result, PB_QueryResult_error, str_from(*error ? error : "unknown error"));
    if (is_last)
        pb_put_double(&result, PB_QueryResult_elapsed_time_ms, elapsed_ms);
    clear_batch(b);
    b->stopped |= !b->send(b->self, &result);
    pb_bytes_release(&result);
    return !b->stopped;
}

static void put_head(struct result_batches *b, int columns, const char *const *names)
{
    for (int i = 0; i < columns; i++)
        pb_put_str(&b->head, PB_QueryResult_column_names, str_from(names[i]));
    pb_put_uint(&b->head, PB_QueryResult_statement_count, b->statements);
    pb_put_uint(&b->head, PB_QueryResult_statement_with_output_count,
                b->with_output + (columns > 0));
    pb_put_str(&b->head, PB_QueryResult_last_statement_sql, b->last_statement);
    b->has_head = true;
}

static bool begin_result(void *self, int columns, const char *const *names)
{
    put_head(self, columns, names);
    return true;
}

static void put_cell(struct result_batches *b, const struct sql_value *v)
{
    static const uint8_t types[] = {
        [SQL_NULL] = PB_QueryResult_CellsBatch_CellType_CELL_NULL,
        [SQL_INT] = PB_QueryResult_CellsBatch_CellType_CELL_VARINT,
        [SQL_REAL] = PB_QueryResult_CellsBatch_CellType_CELL_FLOAT64,
        [SQL_TEXT] = PB_QueryResult_CellsBatch_CellType_CELL_STRING,
        [SQL_BLOB] = PB_QueryResult_CellsBatch_CellType_CELL_BLOB,
    };
    *vec_push(&b->types.v) = types[v->type];
    b->cells++;
    b->size += 4;
    if (v->type == SQL_INT) {
        pb_put_varint(&b->ints, (uint64_t)v->i);
    } else if (v->type == SQL_REAL) {
        uint64_t bits;
        memcpy(&bits, &v->d, sizeof bits);
        for (int i = 0; i < 8; i++)
            *vec_push(&b->reals.v) = (uint8_t)(bits >> i * 8);
        b->size += sizeof bits;
    } else if (v->type == SQL_TEXT) {
        pb_put_raw(&b->texts, v->s.p, strnlen(v->s.p, v->s.n));
        *vec_push(&b->texts.v) = 0;
        b->size += v->s.n;
    } else if (v->type == SQL_BLOB) {
        pb_put_str(&b->blobs, PB_QueryResult_CellsBatch_blob_cells, v->s);
        b->size += v->s.n;
    }
}

/* A batch has whole rows. */
static bool put_row(void *self, int columns, const struct sql_value *values)
{
    struct result_batches *b = self;
    bool full = b->cells + (size_t)columns > BATCH_CELLS || b->size > BATCH_BYTES;
    if (full && b->cells > 0 && !send_batch(b, false, NULL, 0))
        return false;
    for (int i = 0; i < columns; i++)
        put_cell(b, &values[i]);
    b->has_row = true;
    return true;
}

struct sql_sink result_batches_sink(struct result_batches *b)
{
    return (struct sql_sink){.begin = begin_result, .row = put_row, .self = b};
}

bool result_batches_end(struct result_batches *b, const char *error, double elapsed_ms)
{
    if (b->stopped)
        return false;
    if (!b->has_head)
        put_head(b, 0, NULL);
    return send_batch(b, true, error, elapsed_ms);
}

void result_batches_release(struct result_batches *b)
{
    pb_bytes_release(&b->head);
    pb_bytes_release(&b->types);
    pb_bytes_release(&b->ints);
    pb_bytes_release(&b->reals);
    pb_bytes_release(&b->blobs);
    pb_bytes_release(&b->texts);
}
