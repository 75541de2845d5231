#include "tui/result/result_block.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "base/little_endian.h"

enum { SLOTS = 4 * BLOCK_ROWS, MIXED = 0xff, LONG_TEXT = 1024 };

/* At the start of a block, one a column; places count from the block's first byte. */
struct column_header {
    uint8_t type;  /* of all values, or MIXED */
    uint8_t width; /* bytes of a word: 0, 1, 2, 4 or 8 */
    uint64_t base; /* what words are differences from */
    uint64_t words, types, texts;
    uint64_t text_count;
};

void block_builder_init(struct block_builder *b, uint32_t columns)
{
    *b = (struct block_builder){.column_count = columns};
    b->columns = alloc_array((size_t)columns + 1, sizeof *b->columns);
    for (uint32_t i = 0; i < columns; i++) {
        b->columns[i].words = alloc_array(BLOCK_ROWS, sizeof *b->columns[i].words);
        b->columns[i].types = alloc_bytes(BLOCK_ROWS);
    }
}

void block_builder_release(struct block_builder *b)
{
    for (uint32_t i = 0; i < b->column_count; i++) {
        struct block_column *c = &b->columns[i];
        free(c->words);
        free(c->types);
        free(c->slots);
        vec_release(&c->bytes);
        vec_release(&c->ends);
    }
    free(b->columns);
    b->columns = NULL;
    b->column_count = 0;
}

static struct str text_at(const struct block_column *c, uint32_t number)
{
    size_t from = number ? c->ends.items[number - 1] : 0;
    return (struct str){c->bytes.items + from, c->ends.items[number] - from};
}

static uint32_t add_text(struct block_builder *b, struct block_column *c, struct str s)
{
    vec_append(&c->bytes, s.p, s.n);
    *vec_push(&c->ends) = c->bytes.count;
    b->text_bytes += s.n;
    return (uint32_t)c->ends.count - 1;
}

/* The text's number in the column. Long ones are not looked for. */
static uint32_t text_number(struct block_builder *b, struct block_column *c, struct str s)
{
    if (s.n > LONG_TEXT)
        return add_text(b, c, s);
    if (!c->slots)
        c->slots = alloc_array(SLOTS, sizeof *c->slots);
    uint32_t *slot = &c->slots[hash_bytes(s.p, s.n, 0) % SLOTS];
    while (*slot && !str_eq(text_at(c, *slot - 1), s))
        slot = slot == &c->slots[SLOTS - 1] ? c->slots : slot + 1;
    if (!*slot)
        *slot = add_text(b, c, s) + 1;
    return *slot - 1;
}

void block_builder_add(struct block_builder *b, const struct sql_value *values)
{
    for (uint32_t i = 0; i < b->column_count; i++) {
        struct block_column *c = &b->columns[i];
        uint64_t word = 0;
        if (values[i].type == SQL_INT)
            word = (uint64_t)values[i].i;
        else if (values[i].type == SQL_REAL)
            memcpy(&word, &values[i].d, sizeof word);
        else if (values[i].type != SQL_NULL)
            word = text_number(b, c, values[i].s);
        c->words[b->rows] = word;
        c->types[b->rows] = (uint8_t)values[i].type;
    }
    b->rows++;
}

/* What a column's header will say. */
static struct column_header measure(const struct block_column *c, uint32_t rows)
{
    struct column_header h = {.type = c->types[0]};
    int64_t smallest = INT64_MAX, largest = INT64_MIN;
    bool reals = false;
    for (uint32_t i = 0; i < rows; i++) {
        int64_t word = (int64_t)c->words[i];
        h.type = c->types[i] == h.type ? h.type : MIXED;
        reals |= c->types[i] == SQL_REAL;
        if (c->types[i] == SQL_NULL)
            continue;
        smallest = word < smallest ? word : smallest;
        largest = word > largest ? word : largest;
    }
    if (largest <= smallest) { /* one value, or none but nulls */
        h.base = largest == smallest ? (uint64_t)smallest : 0;
        return h;
    }
    uint64_t range = (uint64_t)largest - (uint64_t)smallest;
    h.base = (uint64_t)smallest;
    h.width = reals                 ? 8
              : range <= UINT8_MAX  ? 1
              : range <= UINT16_MAX ? 2
              : range <= UINT32_MAX ? 4
                                    : 8;
    return h;
}

/* Numbers each column's places from `at` on; returns where the next one's begin. */
static size_t place_column(const struct block_column *c, uint32_t rows, struct column_header *h,
                           size_t at)
{
    h->words = at;
    at += (size_t)rows * h->width;
    h->types = at;
    at += h->type == MIXED ? rows : 0;
    h->texts = at = (at + 7) / 8 * 8;
    if (c->ends.count > 0)
        at += c->ends.count * sizeof(uint64_t) + c->bytes.count;
    return (at + 7) / 8 * 8;
}

size_t block_packed_size(const struct block_builder *b)
{
    size_t at = b->column_count * sizeof(struct column_header);
    for (uint32_t i = 0; i < b->column_count; i++) {
        struct column_header h = measure(&b->columns[i], b->rows);
        at = place_column(&b->columns[i], b->rows, &h, at);
    }
    return at;
}

static void pack_column(const struct block_column *c, uint32_t rows, const struct column_header *h,
                        uint8_t *out)
{
    for (uint32_t i = 0; i < rows && h->width > 0; i++) {
        uint64_t word = c->types[i] == SQL_NULL ? 0 : c->words[i] - h->base;
        word = le64(word);
        memcpy(out + h->words + (size_t)i * h->width, &word, h->width);
    }
    if (h->type == MIXED)
        memcpy(out + h->types, c->types, rows);
    uint8_t *texts = out + h->texts, *bytes = texts + c->ends.count * sizeof(uint64_t);
    for (size_t i = 0; i < c->ends.count; i++) {
        uint64_t end = c->ends.items[i];
        memcpy(texts + i * sizeof end, &end, sizeof end);
    }
    if (c->bytes.count > 0)
        memcpy(bytes, c->bytes.items, c->bytes.count);
}

void block_pack(struct block_builder *b, uint8_t *out)
{
    struct column_header *headers = (struct column_header *)(void *)out;
    size_t at = b->column_count * sizeof *headers;
    for (uint32_t i = 0; i < b->column_count; i++) {
        struct block_column *c = &b->columns[i];
        headers[i] = measure(c, b->rows);
        headers[i].text_count = c->ends.count;
        at = place_column(c, b->rows, &headers[i], at);
        pack_column(c, b->rows, &headers[i], out);
        c->bytes.count = c->ends.count = 0;
        if (c->slots)
            memset(c->slots, 0, SLOTS * sizeof *c->slots);
    }
    b->rows = 0;
    b->text_bytes = 0;
}

/* The ends of the texts stand before their bytes. */
static struct str block_text(const uint8_t *block, const struct column_header *h, uint64_t number)
{
    const uint8_t *ends = block + h->texts;
    uint64_t from = 0, to;
    if (number > 0)
        memcpy(&from, ends + (number - 1) * sizeof from, sizeof from);
    memcpy(&to, ends + number * sizeof to, sizeof to);
    const char *bytes = (const char *)ends + h->text_count * sizeof to;
    return (struct str){bytes + from, to - from};
}

struct sql_value block_value(const uint8_t *block, uint32_t row, uint32_t column)
{
    const struct column_header *h = (const struct column_header *)(const void *)block + column;
    struct sql_value v = {.type = (enum sql_type)h->type};
    uint64_t word = 0;
    if (h->type == MIXED)
        v.type = (enum sql_type)block[h->types + row];
    memcpy(&word, block + h->words + (size_t)row * h->width, h->width);
    word = le64(word) + h->base;
    switch (v.type) {
    case SQL_NULL:
        break;
    case SQL_INT:
        v.i = (int64_t)word;
        break;
    case SQL_REAL:
        memcpy(&v.d, &word, sizeof v.d);
        break;
    case SQL_TEXT:
    case SQL_BLOB:
        v.s = block_text(block, h, word);
        break;
    }
    return v;
}
