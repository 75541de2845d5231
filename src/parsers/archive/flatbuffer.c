#include "parsers/archive/flatbuffer.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

/* Room for `n` bytes in front of what there is. */
static uint8_t *push(struct flatbuffer *b, size_t n)
{
    if (b->cap - b->used < n) {
        size_t cap = 2 * b->cap + n + 256;
        uint8_t *bytes = alloc_bytes(cap);
        if (b->used > 0)
            memcpy(bytes + cap - b->used, b->bytes + b->cap - b->used, b->used);
        free(b->bytes);
        b->bytes = bytes;
        b->cap = cap;
    }
    b->used += n;
    return b->bytes + b->cap - b->used;
}

/* Fills up, so that what begins `size` bytes further in front is aligned. */
static void align_for(struct flatbuffer *b, size_t size, size_t align)
{
    size_t rest = (b->used + size) % align;
    if (rest > 0)
        memset(push(b, align - rest), 0, align - rest);
}

static void push_scalar(struct flatbuffer *b, uint64_t value, size_t size)
{
    align_for(b, size, size);
    uint8_t *at = push(b, size);
    for (size_t i = 0; i < size; i++)
        at[i] = (uint8_t)(value >> i * 8);
}

/* A reference: how far behind itself its target lies. */
static void push_reference(struct flatbuffer *b, uint64_t place)
{
    align_for(b, 4, 4);
    push_scalar(b, b->used + 4 - place, 4);
}

uint32_t flatbuffer_string(struct flatbuffer *b, struct str s)
{
    align_for(b, s.n + 1, 4);
    uint8_t *at = push(b, s.n + 1);
    if (s.n > 0)
        memcpy(at, s.p, s.n);
    at[s.n] = 0;
    push_scalar(b, s.n, 4);
    return (uint32_t)b->used;
}

uint32_t flatbuffer_vector(struct flatbuffer *b, const int64_t *words, size_t count, size_t each)
{
    align_for(b, 0, sizeof *words);
    for (size_t i = count * each; i-- > 0;)
        push_scalar(b, (uint64_t)words[i], sizeof *words);
    push_scalar(b, count, 4);
    return (uint32_t)b->used;
}

uint32_t flatbuffer_places(struct flatbuffer *b, const uint32_t *places, size_t count)
{
    align_for(b, 0, 4);
    for (size_t i = count; i-- > 0;)
        push_reference(b, places[i]);
    push_scalar(b, count, 4);
    return (uint32_t)b->used;
}

uint32_t flatbuffer_table(struct flatbuffer *b, const struct flatbuffer_field *fields, size_t count)
{
    size_t end = b->used, at[FLATBUFFER_FIELDS] = {0};
    for (size_t i = count; i-- > 0;) {
        if (fields[i].kind == FLATBUFFER_SCALAR)
            push_scalar(b, fields[i].value, fields[i].size);
        else if (fields[i].kind == FLATBUFFER_PLACE)
            push_reference(b, fields[i].value);
        at[i] = b->used;
    }
    align_for(b, 4, 4);
    push_scalar(b, 4 + 2 * count, 4); /* how far in front of the table its list of fields lies */
    size_t table = b->used;
    for (size_t i = count; i-- > 0;)
        push_scalar(b, fields[i].kind == FLATBUFFER_ABSENT ? 0 : table - at[i], 2);
    push_scalar(b, table - end, 2);
    push_scalar(b, 4 + 2 * count, 2);
    return (uint32_t)table;
}

struct str flatbuffer_finish(struct flatbuffer *b, uint32_t root)
{
    align_for(b, 4, 8);
    push_reference(b, root);
    return (struct str){(const char *)b->bytes + b->cap - b->used, b->used};
}

void flatbuffer_release(struct flatbuffer *b)
{
    free(b->bytes);
    *b = (struct flatbuffer){0};
}
