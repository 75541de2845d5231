/* Some rows of a result, packed: numbers as differences from the smallest, in as few bytes as that
 * takes; texts once each, with their numbers. */
#ifndef TPTUI_TUI_RESULT_RESULT_BLOCK_H
#define TPTUI_TUI_RESULT_RESULT_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "sql/engine/sink.h"

enum { BLOCK_ROWS = 4096, BLOCK_TEXT_BYTES = 1 << 20 };

/* A column of the rows being collected. */
struct block_column {
    uint64_t *words; /* an integer, the bits of a real, the number of a text; 0 of NULL */
    uint8_t *types;  /* enum sql_type */
    VEC(char) bytes; /* the texts, one behind the other */
    VEC(size_t) ends;
    uint32_t *slots; /* numbers of texts by hash, + 1; NULL until there is a text */
};

struct block_builder {
    struct block_column *columns;
    uint32_t column_count, rows;
    size_t text_bytes;
};

void block_builder_init(struct block_builder *b, uint32_t columns);
void block_builder_release(struct block_builder *b);
/* The caller packs before there are BLOCK_ROWS, or soon after BLOCK_TEXT_BYTES of text. */
void block_builder_add(struct block_builder *b, const struct sql_value *values);

/* How many bytes the rows take; and the bytes themselves, to `out` which has as many, aligned to 8.
 * Then the builder is empty again. */
size_t block_packed_size(const struct block_builder *b);
void block_pack(struct block_builder *b, uint8_t *out);

/* A value of packed rows; text points into them. `row` counts from the first one. */
struct sql_value block_value(const uint8_t *block, uint32_t row, uint32_t column);

#endif
