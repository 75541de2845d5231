#include "parsers/archive/arrow_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/little_endian.h"
#include "base/map.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "parsers/archive/flatbuffer.h"

/* Numbers of the format: of messages, of types, of versions. */
enum {
    VERSION_5 = 4,
    MESSAGE_SCHEMA = 1,
    MESSAGE_DICTIONARY = 2,
    MESSAGE_RECORDS = 3,
    TYPE_INT = 2,
    TYPE_FLOAT = 3,
    TYPE_UTF8 = 5,
    PRECISION_DOUBLE = 2,
    CONTINUATION = -1,
};
enum { BATCH_ROWS = 1 << 16, ALIGN = 64 };

static const char magic[] = "ARROW1";
static const uint8_t zeros[ALIGN];

/* Where a message is, as the footer has it. */
struct block { /* three numbers: the second has 32 bits, behind which 32 are zero */
    int64_t offset, metadata_size, body_size;
};

struct buffer_place {
    int64_t offset, size;
};

struct column_state {
    struct arrow_column def;
    uint32_t dictionary;  /* its number, of a text */
    uint8_t *values;      /* of a batch */
    uint8_t *valid;       /* a bit a row */
    int64_t nulls;        /* in the batch */
    struct map numbers;   /* string_id -> number in the dictionary */
    VEC(string_id) texts; /* the dictionary */
};

struct arrow_file {
    FILE *f;
    const struct string_pool *strings;
    struct column_state *columns;
    size_t count;
    enum arrow_layout layout;
    uint32_t rows; /* in the batch */
    uint32_t room; /* for rows of the batch */
    int64_t at;    /* bytes written */
    VEC(struct block) records, dictionaries;
    struct status bad; /* the first failure */
};

static size_t value_size(enum arrow_type type)
{
    return type == ARROW_INT64 || type == ARROW_DOUBLE ? 8 : 4;
}

static void write_bytes(struct arrow_file *a, const void *p, size_t n)
{
    if (n > 0)
        fwrite(p, 1, n, a->f);
    a->at += (int64_t)n;
}

static void write_i32(struct arrow_file *a, int32_t value)
{
    uint32_t v = le32((uint32_t)value);
    write_bytes(a, &v, sizeof v);
}

/* Bytes to the next multiple of ALIGN. */
static size_t rest_of(uint64_t n)
{
    return (size_t)(-n % ALIGN);
}

static void pad_body(struct arrow_file *a, size_t size)
{
    write_bytes(a, zeros, rest_of(size));
}

#define SCALAR(SIZE, VALUE)                                                                        \
    {                                                                                              \
        .kind = FLATBUFFER_SCALAR, .size = (SIZE), .value = (VALUE)                                \
    }
#define PLACE(VALUE)                                                                               \
    {                                                                                              \
        .kind = FLATBUFFER_PLACE, .value = (VALUE)                                                 \
    }
#define ABSENT                                                                                     \
    {                                                                                              \
        .kind = FLATBUFFER_ABSENT                                                                  \
    }
#define TABLE(B, FIELDS) flatbuffer_table((B), (FIELDS), sizeof(FIELDS) / sizeof *(FIELDS))

static uint32_t put_int_type(struct flatbuffer *b, uint64_t bits, bool is_signed)
{
    const struct flatbuffer_field fields[] = {SCALAR(4, bits), SCALAR(1, is_signed)};
    return TABLE(b, fields);
}

static uint32_t put_type(struct flatbuffer *b, enum arrow_type type)
{
    const struct flatbuffer_field precision[] = {SCALAR(2, PRECISION_DOUBLE)};
    switch (type) {
    case ARROW_TEXT:
        return flatbuffer_table(b, NULL, 0);
    case ARROW_DOUBLE:
        return TABLE(b, precision);
    case ARROW_UINT32:
    case ARROW_INT32:
    case ARROW_INT64:
        break;
    }
    return put_int_type(b, 8 * value_size(type), type != ARROW_UINT32);
}

/* How texts are numbered: with 32 bits, in a dictionary of that id. */
static uint32_t put_encoding(struct flatbuffer *b, size_t id)
{
    const struct flatbuffer_field fields[] = {SCALAR(8, id), PLACE(put_int_type(b, 32, true)),
                                              SCALAR(1, 0)};
    return TABLE(b, fields);
}

static uint32_t put_field(struct flatbuffer *b, const struct arrow_column *c, size_t id)
{
    static const uint8_t kinds[] = {[ARROW_UINT32] = TYPE_INT,
                                    [ARROW_INT32] = TYPE_INT,
                                    [ARROW_INT64] = TYPE_INT,
                                    [ARROW_DOUBLE] = TYPE_FLOAT,
                                    [ARROW_TEXT] = TYPE_UTF8};
    struct flatbuffer_field fields[] = {
        PLACE(flatbuffer_string(b, str_from(c->name))),
        SCALAR(1, c->nullable),
        SCALAR(1, kinds[c->type]),
        PLACE(put_type(b, c->type)),
        ABSENT,
        PLACE(flatbuffer_places(b, NULL, 0)), /* no children, which readers want to be told */
    };
    if (c->type == ARROW_TEXT)
        fields[4] = (struct flatbuffer_field)PLACE(put_encoding(b, id));
    return TABLE(b, fields);
}

static uint32_t put_schema(const struct arrow_file *a, struct flatbuffer *b)
{
    uint32_t *places = alloc_array(a->count + 1, sizeof *places);
    for (size_t i = 0; i < a->count; i++)
        places[i] = put_field(b, &a->columns[i].def, a->columns[i].dictionary);
    const struct flatbuffer_field fields[] = {SCALAR(2, 0),
                                              PLACE(flatbuffer_places(b, places, a->count))};
    free(places);
    return TABLE(b, fields);
}

/* Writes a message without its body and releases `b`. */
static struct block write_message(struct arrow_file *a, struct flatbuffer *b, uint8_t kind,
                                  uint32_t header, int64_t body_size)
{
    const struct flatbuffer_field fields[] = {SCALAR(2, VERSION_5), SCALAR(1, kind), PLACE(header),
                                              SCALAR(8, (uint64_t)body_size)};
    struct str metadata = flatbuffer_finish(b, TABLE(b, fields));
    struct block block = {.offset = a->at, .body_size = body_size};
    size_t padding = rest_of((uint64_t)a->at + 8 + metadata.n);
    block.metadata_size = (int64_t)(8 + metadata.n + padding);
    write_i32(a, CONTINUATION);
    write_i32(a, (int32_t)(metadata.n + padding));
    write_bytes(a, metadata.p, metadata.n);
    write_bytes(a, zeros, padding);
    flatbuffer_release(b);
    return block;
}

/* The table RecordBatch: `places` of two or more buffers a node. */
static uint32_t put_records(struct flatbuffer *b, int64_t rows, const struct buffer_place *nodes,
                            size_t node_count, const struct buffer_place *places, size_t count)
{
    uint32_t buffers = flatbuffer_vector(b, &places->offset, count, 2);
    const struct flatbuffer_field fields[] = {SCALAR(8, (uint64_t)rows),
                                              PLACE(flatbuffer_vector(b, &nodes->offset, node_count,
                                                                      2)),
                                              PLACE(buffers)};
    return TABLE(b, fields);
}

static void add_place(struct buffer_place *places, size_t *count, int64_t *size, size_t bytes)
{
    places[(*count)++] = (struct buffer_place){*size, (int64_t)bytes};
    *size += (int64_t)(bytes + rest_of(bytes));
}

static void write_buffer(struct arrow_file *a, const void *p, size_t size)
{
    write_bytes(a, p, size);
    pad_body(a, size);
}

/* The bytes of a column's bitmap in the batch; readers of files in batches do without where nothing
 * is null. */
static size_t bitmap_size(const struct arrow_file *a, const struct column_state *c)
{
    bool has_bitmap = a->layout == ARROW_WHOLE ? c->def.nullable : c->nulls > 0;
    return has_bitmap ? ((size_t)a->rows + 7) / 8 : 0;
}

/* A batch's columns: for each a bitmap and the values. */
static void write_batch(struct arrow_file *a)
{
    size_t count = 0;
    int64_t size = 0;
    struct buffer_place *places = alloc_array(3 * a->count + 1, sizeof *places);
    struct buffer_place *nodes = places + 2 * a->count;
    for (size_t i = 0; i < a->count; i++) {
        const struct column_state *c = &a->columns[i];
        nodes[i] = (struct buffer_place){a->rows, c->nulls};
        add_place(places, &count, &size, bitmap_size(a, c));
        add_place(places, &count, &size, a->rows * value_size(c->def.type));
    }
    struct flatbuffer b = {0};
    uint32_t header = put_records(&b, a->rows, nodes, a->count, places, count);
    *vec_push(&a->records) = write_message(a, &b, MESSAGE_RECORDS, header, size);
    for (size_t i = 0; i < a->count; i++) {
        struct column_state *c = &a->columns[i];
        write_buffer(a, c->valid, bitmap_size(a, c));
        write_buffer(a, c->values, a->rows * value_size(c->def.type));
        memset(c->valid, 0, ((size_t)a->rows + 7) / 8);
        c->nulls = 0;
    }
    free(places);
    a->rows = 0;
}

/* The next piece of a text as the file has it: it must be UTF-8 there. */
static struct str next_piece(struct str *s)
{
    size_t n = 0;
    bool valid = true;
    while (n < s->n && valid) {
        struct utf8_char c = utf8_decode(str_skip(*s, n));
        valid = c.valid;
        n += valid ? c.size : 0;
    }
    struct str piece = {s->p, n};
    *s = str_skip(*s, n > 0 ? n : 1);
    return n > 0 ? piece : STR("\xef\xbf\xbd");
}

/* Where each text of a column's dictionary ends, as the file has it; NULL where that does not fit.
 * For free(). */
static uint32_t *measure_texts(const struct arrow_file *a, const struct column_state *c)
{
    uint32_t *ends = alloc_array(c->texts.count + 1, sizeof *ends);
    size_t size = 0;
    for (size_t i = 0; i < c->texts.count; i++) {
        struct str text = string_pool_get(a->strings, c->texts.items[i]);
        while (text.n > 0)
            size += next_piece(&text).n;
        if (size > INT32_MAX) {
            free(ends);
            return NULL;
        }
        ends[i + 1] = le32((uint32_t)size);
    }
    return ends;
}

static void write_dictionary(struct arrow_file *a, size_t column)
{
    const struct column_state *c = &a->columns[column];
    struct buffer_place node = {(int64_t)c->texts.count, 0}, places[3];
    size_t count = 0, ends_size = (c->texts.count + 1) * sizeof(int32_t);
    int64_t size = 0;
    uint32_t *ends = measure_texts(a, c);
    if (!ends) {
        a->bad = status_error(STATUS_IO, "column %s has more than 2 GB of text", c->def.name);
        return;
    }
    size_t bytes = le32(ends[c->texts.count]);
    add_place(places, &count, &size, 0); /* none is null */
    add_place(places, &count, &size, ends_size);
    add_place(places, &count, &size, bytes);
    struct flatbuffer b = {0};
    const struct flatbuffer_field fields[] = {SCALAR(8, c->dictionary),
                                              PLACE(put_records(&b, node.offset, &node, 1, places,
                                                                count)),
                                              SCALAR(1, 0)};
    *vec_push(&a->dictionaries) = write_message(a, &b, MESSAGE_DICTIONARY, TABLE(&b, fields), size);
    write_buffer(a, ends, ends_size);
    for (size_t i = 0; i < c->texts.count; i++) {
        struct str text = string_pool_get(a->strings, c->texts.items[i]);
        while (text.n > 0) {
            struct str piece = next_piece(&text);
            write_bytes(a, piece.p, piece.n);
        }
    }
    pad_body(a, bytes);
    free(ends);
}

static uint32_t put_blocks(struct flatbuffer *b, const struct block *blocks, size_t count)
{
    return flatbuffer_vector(b, count > 0 ? &blocks->offset : NULL, count, 3);
}

static void write_footer(struct arrow_file *a)
{
    struct flatbuffer b = {0};
    uint32_t schema = put_schema(a, &b);
    uint32_t dictionaries = put_blocks(&b, a->dictionaries.items, a->dictionaries.count);
    uint32_t records = put_blocks(&b, a->records.items, a->records.count);
    const struct flatbuffer_field fields[] = {SCALAR(2, VERSION_5), PLACE(schema),
                                              PLACE(dictionaries), PLACE(records)};
    struct str footer = flatbuffer_finish(&b, TABLE(&b, fields));
    write_i32(a, CONTINUATION); /* no further message */
    write_i32(a, 0);
    write_bytes(a, footer.p, footer.n);
    write_i32(a, (int32_t)footer.n);
    write_bytes(a, magic, sizeof magic - 1);
    flatbuffer_release(&b);
}

struct arrow_file *arrow_file_new(FILE *f, const struct string_pool *strings,
                                  const struct arrow_column *columns, size_t count,
                                  enum arrow_layout layout)
{
    uint32_t dictionaries = 0;
    struct arrow_file *a = alloc_array(1, sizeof *a);
    a->f = f;
    a->strings = strings;
    a->count = count;
    a->layout = layout;
    a->room = BATCH_ROWS;
    a->columns = alloc_array(count, sizeof *a->columns);
    for (size_t i = 0; i < count; i++) {
        a->columns[i].def = columns[i];
        if (columns[i].type == ARROW_TEXT)
            a->columns[i].dictionary = dictionaries++;
        a->columns[i].values = alloc_array(BATCH_ROWS, value_size(columns[i].type));
        a->columns[i].valid = alloc_array(BATCH_ROWS / 8, 1);
    }
    write_bytes(a, magic, sizeof magic - 1);
    write_bytes(a, zeros, 2);
    struct flatbuffer b = {0};
    uint32_t schema = put_schema(a, &b);
    write_message(a, &b, MESSAGE_SCHEMA, schema, 0);
    return a;
}

static void put_value(struct arrow_file *a, size_t column, uint64_t value)
{
    struct column_state *c = &a->columns[column];
    uint32_t narrow = le32((uint32_t)value);
    uint64_t wide = le64(value);
    if (value_size(c->def.type) == sizeof narrow)
        memcpy(c->values + (size_t)a->rows * sizeof narrow, &narrow, sizeof narrow);
    else
        memcpy(c->values + (size_t)a->rows * sizeof wide, &wide, sizeof wide);
    c->valid[a->rows / 8] |= (uint8_t)(1 << a->rows % 8);
}

void arrow_put_int(struct arrow_file *a, size_t column, int64_t value)
{
    put_value(a, column, (uint64_t)value);
}

void arrow_put_real(struct arrow_file *a, size_t column, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_value(a, column, bits);
}

void arrow_put_text(struct arrow_file *a, size_t column, string_id value)
{
    struct column_state *c = &a->columns[column];
    if (value == NULL_STRING) {
        arrow_put_null(a, column);
        return;
    }
    bool is_new;
    uint32_t *number = map_insert(&c->numbers, value, &is_new);
    if (is_new) {
        *number = (uint32_t)c->texts.count;
        *vec_push(&c->texts) = value;
    }
    put_value(a, column, *number);
}

void arrow_put_null(struct arrow_file *a, size_t column)
{
    struct column_state *c = &a->columns[column];
    memset(c->values + (size_t)a->rows * value_size(c->def.type), 0, value_size(c->def.type));
    c->nulls++;
}

static void double_room(struct arrow_file *a)
{
    size_t room = (size_t)a->room * 2;
    for (size_t i = 0; i < a->count; i++) {
        struct column_state *c = &a->columns[i];
        c->values = realloc_array(c->values, room, value_size(c->def.type));
        c->valid = realloc_array(c->valid, room / 8, 1);
        memset(c->valid + a->room / 8, 0, (room - a->room) / 8);
    }
    a->room = (uint32_t)room;
}

void arrow_end_row(struct arrow_file *a)
{
    if (++a->rows < a->room)
        return;
    if (a->layout == ARROW_BATCHES)
        write_batch(a);
    else if (a->room <= UINT32_MAX / 2)
        double_room(a);
    else
        alloc_fail();
}

static void release(struct arrow_file *a)
{
    for (size_t i = 0; i < a->count; i++) {
        free(a->columns[i].values);
        free(a->columns[i].valid);
        map_release(&a->columns[i].numbers);
        vec_release(&a->columns[i].texts);
    }
    free(a->columns);
    vec_release(&a->records);
    vec_release(&a->dictionaries);
    free(a);
}

struct status arrow_file_end(struct arrow_file *a)
{
    if (a->layout == ARROW_BATCHES && a->rows > 0)
        write_batch(a);
    for (size_t i = 0; i < a->count && status_ok(a->bad); i++)
        if (a->columns[i].def.type == ARROW_TEXT)
            write_dictionary(a, i);
    if (a->layout == ARROW_WHOLE)
        write_batch(a);
    write_footer(a);
    struct status s = a->bad;
    if (status_ok(s) && ferror(a->f))
        s = status_error(STATUS_IO, "cannot write: %s", strerror(errno));
    release(a);
    return s;
}
