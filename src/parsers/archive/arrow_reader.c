#include "parsers/archive/arrow_reader.h"

/* Numbers of the format: of messages, of types, and of fields of its tables. */
enum { MESSAGE_DICTIONARY = 2, MESSAGE_RECORDS = 3 };
enum { TYPE_INT = 2, TYPE_FLOAT = 3, TYPE_UTF8 = 5, PRECISION_DOUBLE = 2 };
enum { FOOTER_SCHEMA = 1, FOOTER_DICTIONARIES = 2, FOOTER_RECORDS = 3 };
enum { SCHEMA_FIELDS = 1 };
enum { FIELD_NAME = 0, FIELD_KIND = 2, FIELD_TYPE = 3, FIELD_DICTIONARY = 4 };
enum { INT_BITS = 0, INT_SIGNED = 1, FLOAT_PRECISION = 0, ENCODING_ID = 0, ENCODING_TYPE = 1 };
enum { MESSAGE_KIND = 1, MESSAGE_HEADER = 2 };
enum { RECORDS_LENGTH = 0, RECORDS_BUFFERS = 2, RECORDS_COMPRESSION = 3 };
enum { DICTIONARY_ID = 0, DICTIONARY_RECORDS = 1, DICTIONARY_DELTA = 2 };
enum { MAGIC_SIZE = sizeof ARROW_MAGIC - 1, BLOCK_SIZE = 24, BUFFER_SIZE = 16 };

/* A table of a FlatBuffer; `bytes` is all of that. */
struct flat {
    struct bytes bytes;
    size_t at, fields; /* of the table, and of the list of where its fields are */
};

static bool reaches(struct bytes b, size_t at, size_t size)
{
    return at <= b.n && size <= b.n - at;
}

static bool flat_open(struct bytes bytes, size_t at, struct flat *out)
{
    if (!reaches(bytes, at, 4))
        return false;
    int64_t fields = (int64_t)at - (int32_t)load_le32(bytes.p + at);
    if (fields < 0 || !reaches(bytes, (size_t)fields, 4))
        return false;
    *out = (struct flat){bytes, at, (size_t)fields};
    return reaches(bytes, (size_t)fields, bytes.p[fields] | bytes.p[fields + 1] << 8);
}

static bool flat_root(struct bytes bytes, struct flat *out)
{
    return reaches(bytes, 0, 4) && flat_open(bytes, load_le32(bytes.p), out);
}

/* Where a field of that size is; false: it has its default, or is not in the bytes. */
static bool flat_place(const struct flat *f, unsigned number, size_t size, size_t *at)
{
    const uint8_t *list = f->bytes.p + f->fields;
    size_t listed = list[0] | (size_t)list[1] << 8, entry = 4 + 2 * (size_t)number;
    if (entry + 2 > listed)
        return false;
    size_t offset = list[entry] | (size_t)list[entry + 1] << 8;
    *at = f->at + offset;
    return offset != 0 && reaches(f->bytes, *at, size);
}

static uint64_t flat_scalar(const struct flat *f, unsigned number, size_t size)
{
    size_t at;
    uint64_t v = 0;
    if (flat_place(f, number, size, &at))
        for (size_t i = size; i-- > 0;)
            v = v << 8 | f->bytes.p[at + i];
    return v;
}

static bool flat_target(const struct flat *f, unsigned number, size_t *at)
{
    size_t place;
    if (!flat_place(f, number, 4, &place))
        return false;
    *at = place + load_le32(f->bytes.p + place);
    return reaches(f->bytes, *at, 4);
}

static bool flat_table(const struct flat *f, unsigned number, struct flat *out)
{
    size_t at;
    return flat_target(f, number, &at) && flat_open(f->bytes, at, out);
}

/* A vector of things of that size; of texts their bytes. */
static bool flat_vector(const struct flat *f, unsigned number, size_t size, struct bytes *out)
{
    size_t at;
    if (!flat_target(f, number, &at))
        return false;
    uint64_t bytes = (uint64_t)load_le32(f->bytes.p + at) * size;
    if (bytes > SIZE_MAX || !reaches(f->bytes, at + 4, (size_t)bytes))
        return false;
    *out = (struct bytes){f->bytes.p + at + 4, (size_t)bytes};
    return true;
}

static bool read_int(const struct flat *type, struct arrow_field *out)
{
    out->size = (uint32_t)flat_scalar(type, INT_BITS, 4) / 8;
    out->is_signed = flat_scalar(type, INT_SIGNED, 1) != 0;
    return out->size == 4 || out->size == 8;
}

static bool read_field(const struct flat *f, struct arrow_field *out)
{
    struct flat type, encoding;
    struct bytes name;
    if (!flat_vector(f, FIELD_NAME, 1, &name) || !flat_table(f, FIELD_TYPE, &type))
        return false;
    out->name = (struct str){(const char *)name.p, name.n};
    switch (flat_scalar(f, FIELD_KIND, 1)) {
    case TYPE_INT:
        out->kind = ARROW_IS_INT;
        return read_int(&type, out);
    case TYPE_FLOAT:
        out->kind = ARROW_IS_REAL;
        out->size = 8;
        return flat_scalar(&type, FLOAT_PRECISION, 2) == PRECISION_DOUBLE;
    case TYPE_UTF8:
        out->kind = ARROW_IS_TEXT;
        out->size = 4;
        if (!flat_table(f, FIELD_DICTIONARY, &encoding))
            return false;
        out->dictionary = (int64_t)flat_scalar(&encoding, ENCODING_ID, 8);
        struct arrow_field numbers;
        return !flat_table(&encoding, ENCODING_TYPE, &type) ||
               (read_int(&type, &numbers) && numbers.size == 4);
    default:
        return false;
    }
}

/* Blocks may lie over each other, and fields: together they must not have more than the file. */
static bool take(struct arrow_reader *r, uint64_t size)
{
    if (size > r->file.n - r->used)
        return false;
    r->used += size;
    return true;
}

static bool read_schema(struct arrow_reader *r, const struct flat *footer)
{
    struct flat schema, field;
    struct bytes places;
    if (!flat_table(footer, FOOTER_SCHEMA, &schema) ||
        !flat_vector(&schema, SCHEMA_FIELDS, 4, &places))
        return false;
    for (size_t i = 0; i < places.n; i += 4) {
        size_t at = (size_t)(places.p + i - footer->bytes.p) + load_le32(places.p + i);
        struct arrow_field f = {0};
        if (!take(r, sizeof f) || !flat_open(footer->bytes, at, &field) || !read_field(&field, &f))
            return false;
        *vec_push(&r->fields) = f;
    }
    return true;
}

/* What a block of the footer points to: a message, its header, and the bytes behind. */
static bool open_block(const struct arrow_reader *r, const uint8_t *block, unsigned kind,
                       struct flat *header, struct bytes *body)
{
    enum { BEFORE = 8 }; /* a mark and the message's size */
    uint64_t at = load_le64(block), size = load_le32(block + 8), behind = load_le64(block + 16);
    struct bytes file = r->file;
    struct flat message;
    if (at > file.n || size < BEFORE || size > file.n - at || behind > file.n - at - size)
        return false;
    *body = (struct bytes){file.p + at + size, (size_t)behind};
    return flat_root((struct bytes){file.p + at + BEFORE, (size_t)size - BEFORE}, &message) &&
           flat_scalar(&message, MESSAGE_KIND, 1) == kind &&
           flat_table(&message, MESSAGE_HEADER, header);
}

/* The buffer of that number in the body, which must have `least` bytes unless it is empty. */
static bool read_buffer(struct bytes list, size_t number, struct bytes body, uint64_t least,
                        struct bytes *out)
{
    if (number >= list.n / BUFFER_SIZE)
        return false;
    uint64_t at = load_le64(list.p + number * BUFFER_SIZE);
    uint64_t size = load_le64(list.p + number * BUFFER_SIZE + 8);
    if (at > body.n || size > body.n - at || (size > 0 && size < least))
        return false;
    *out = (struct bytes){body.p + at, (size_t)size};
    return true;
}

/* The number of rows and the list of buffers. */
static bool read_records(const struct flat *records, uint64_t *rows, struct bytes *buffers)
{
    struct flat compression;
    *rows = flat_scalar(records, RECORDS_LENGTH, 8);
    return *rows < UINT32_MAX && flat_vector(records, RECORDS_BUFFERS, BUFFER_SIZE, buffers) &&
           !flat_table(records, RECORDS_COMPRESSION, &compression);
}

static bool read_batch(struct arrow_reader *r, const uint8_t *block)
{
    struct flat records;
    struct bytes body, buffers, valid, values;
    uint64_t rows;
    if (!open_block(r, block, MESSAGE_RECORDS, &records, &body) ||
        !read_records(&records, &rows, &buffers))
        return false;
    if (r->fields.count == 0 || !take(r, rows * 4) || !take(r, r->fields.count * BUFFER_SIZE))
        return false;
    size_t first = r->values.count;
    for (size_t i = 0; i < r->fields.count; i++) {
        uint64_t size = rows * r->fields.items[i].size;
        if (!read_buffer(buffers, 2 * i, body, (rows + 7) / 8, &valid) ||
            !read_buffer(buffers, 2 * i + 1, body, size, &values) || values.n < size)
            return false;
        *vec_push(&r->values) = (struct arrow_values){valid.n > 0 ? valid.p : NULL, values.p};
    }
    *vec_push(&r->batches) = (struct arrow_batch){(uint32_t)rows, first};
    return true;
}

static bool ends_are_in_order(struct bytes ends, uint64_t rows, size_t most)
{
    uint32_t last = 0;
    for (uint64_t i = 0; rows > 0 && i <= rows; i++) {
        uint32_t end = load_le32(ends.p + i * 4);
        if (end < last || end > most)
            return false;
        last = end;
    }
    return true;
}

static bool read_dictionary(struct arrow_reader *r, const uint8_t *block)
{
    struct flat dictionary, records;
    struct bytes body, buffers, ends, text;
    uint64_t rows;
    if (!open_block(r, block, MESSAGE_DICTIONARY, &dictionary, &body) ||
        flat_scalar(&dictionary, DICTIONARY_DELTA, 1) != 0 ||
        !flat_table(&dictionary, DICTIONARY_RECORDS, &records) ||
        !read_records(&records, &rows, &buffers))
        return false;
    uint64_t size = (rows + 1) * 4;
    if (!read_buffer(buffers, 1, body, size, &ends) || !read_buffer(buffers, 2, body, 0, &text) ||
        (rows > 0 && ends.n < size) || !take(r, rows > 0 ? ends.n + text.n : 0) ||
        !ends_are_in_order(ends, rows, text.n))
        return false;
    *vec_push(&r->dictionaries) =
        (struct arrow_dictionary){(int64_t)flat_scalar(&dictionary, DICTIONARY_ID, 8),
                                  (uint32_t)rows, ends.p, text};
    return true;
}

static bool each_block(struct arrow_reader *r, const struct flat *footer, unsigned number,
                       bool (*read)(struct arrow_reader *r, const uint8_t *block))
{
    struct bytes blocks;
    if (!flat_vector(footer, number, BLOCK_SIZE, &blocks))
        return true; /* there are none */
    for (size_t i = 0; i < blocks.n; i += BLOCK_SIZE)
        if (!read(r, blocks.p + i))
            return false;
    return true;
}

static bool read_file(struct arrow_reader *r)
{
    enum { BEHIND = 4 + MAGIC_SIZE }; /* the footer's size, and the magic again */
    struct bytes file = r->file;
    struct flat footer;
    if (file.n < MAGIC_SIZE + BEHIND || memcmp(file.p, ARROW_MAGIC, MAGIC_SIZE) != 0 ||
        memcmp(file.p + file.n - MAGIC_SIZE, ARROW_MAGIC, MAGIC_SIZE) != 0)
        return false;
    size_t size = load_le32(file.p + file.n - BEHIND);
    if (size > file.n - BEHIND)
        return false;
    return flat_root((struct bytes){file.p + file.n - BEHIND - size, size}, &footer) &&
           read_schema(r, &footer) &&
           each_block(r, &footer, FOOTER_DICTIONARIES, read_dictionary) &&
           each_block(r, &footer, FOOTER_RECORDS, read_batch);
}

struct status arrow_reader_open(struct arrow_reader *r, struct bytes file)
{
    *r = (struct arrow_reader){.file = file};
    if (read_file(r))
        return status_ok_value();
    return status_error(STATUS_FORMAT, "not a whole Arrow file of integers, doubles and texts in "
                                       "dictionaries, as tables are exported to");
}

void arrow_reader_release(struct arrow_reader *r)
{
    vec_release(&r->fields);
    vec_release(&r->dictionaries);
    vec_release(&r->batches);
    vec_release(&r->values);
}

const struct arrow_dictionary *arrow_reader_dictionary(const struct arrow_reader *r, int64_t id)
{
    for (size_t i = 0; i < r->dictionaries.count; i++)
        if (r->dictionaries.items[i].id == id)
            return &r->dictionaries.items[i];
    return NULL;
}

struct str arrow_dictionary_text(const struct arrow_dictionary *d, uint32_t number)
{
    uint32_t from = load_le32(d->ends + (size_t)number * 4);
    uint32_t to = load_le32(d->ends + (size_t)number * 4 + 4);
    return (struct str){(const char *)d->text.p + from, to - from};
}
