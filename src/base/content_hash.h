/* A hash of bytes that may be stored and compared with that of another run or machine: XXH64 with
 * seed 0. Every byte counts. It tells what differs by chance, not what somebody made alike. */
#ifndef TPTUI_BASE_CONTENT_HASH_H
#define TPTUI_BASE_CONTENT_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { CONTENT_HASH_LANES = 4, CONTENT_HASH_STEP = 8 * CONTENT_HASH_LANES };

struct content_hash {
    uint64_t lanes[CONTENT_HASH_LANES], size;
    uint8_t rest[CONTENT_HASH_STEP]; /* size % CONTENT_HASH_STEP bytes that wait */
};

struct content_hash content_hash_begin(void);
/* However the bytes are divided among calls, the hash is the same. */
void content_hash_add(struct content_hash *h, const void *bytes, size_t n);
uint64_t content_hash_end(const struct content_hash *h);

/* A text with its length, so that two that stand behind each other are not one. */
static inline void content_hash_add_text(struct content_hash *h, struct str text)
{
    uint64_t n = text.n;
    content_hash_add(h, &n, sizeof n);
    content_hash_add(h, text.p, text.n);
}

#endif
