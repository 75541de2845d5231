/* Reads files of Apache Arrow (the IPC file format), as far as tables are exported to it: integers
 * of 32 and 64 bits, doubles, and texts as numbers of a dictionary. Nothing is copied; what is
 * shown lies in the file. */
#ifndef TPTUI_PARSERS_ARCHIVE_ARROW_READER_H
#define TPTUI_PARSERS_ARCHIVE_ARROW_READER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "parsers/input/bytes.h"

#define ARROW_MAGIC "ARROW1"

enum arrow_kind { ARROW_IS_INT, ARROW_IS_REAL, ARROW_IS_TEXT };

struct arrow_field {
    struct str name;
    enum arrow_kind kind;
    bool is_signed;
    uint32_t size;      /* of a value: 4 or 8 bytes; of a text's number 4 */
    int64_t dictionary; /* of texts: its id */
};

/* The values of a field in a batch. */
struct arrow_values {
    const uint8_t *valid; /* a bit a row; NULL: none is null */
    const uint8_t *values;
};

/* Texts one behind the other: number i is from the i-th of 32-bit `ends` to the next. */
struct arrow_dictionary {
    int64_t id;
    uint32_t count;
    const uint8_t *ends;
    struct bytes text;
};

struct arrow_batch {
    uint32_t rows;
    size_t first; /* of `values`, a field each */
};

struct arrow_reader {
    struct bytes file;
    uint64_t used; /* bytes that batches and dictionaries read: no more than there are */
    VEC(struct arrow_field) fields;
    VEC(struct arrow_dictionary) dictionaries;
    VEC(struct arrow_batch) batches;
    VEC(struct arrow_values) values;
};

/* Fails where the file is not as described above. Else all that is shown lies in it, and no byte is
 * shown more often than once for each field. To be released in any case. */
struct status arrow_reader_open(struct arrow_reader *r, struct bytes file);
void arrow_reader_release(struct arrow_reader *r);

/* NULL: there is none of that id. */
const struct arrow_dictionary *arrow_reader_dictionary(const struct arrow_reader *r, int64_t id);
/* `number` must be below the count. */
struct str arrow_dictionary_text(const struct arrow_dictionary *d, uint32_t number);

static inline bool arrow_is_null(const struct arrow_values *v, uint32_t row)
{
    return v->valid && !(v->valid[row / 8] >> row % 8 & 1);
}

#endif
