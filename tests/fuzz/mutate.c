/* Mutations for libFuzzer that know protobuf: they change one field somewhere in the tree of
 * messages and make the lengths around it right again. Bytes changed at random hardly ever get past
 * the outermost length. */
#include <stdlib.h>
#include <string.h>

#include "parsers/proto/wire.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { DEPTH_MAX = 12, FIELDS_MAX = 64, HEADER_MAX = 15, SCRATCH = 1 << 16 };

static unsigned random_state;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 1664525 + 1013904223;
    return (random_state >> 8) % n;
}

/* A field in the bytes: from its tag to its end; `data` is where the payload begins. */
struct place {
    size_t start, data, end;
    struct pb_field f;
};

/* The fields in [from, to), at most FIELDS_MAX; 0 where it is not a message. */
static size_t read_fields(const uint8_t *bytes, size_t from, size_t to, struct place *places)
{
    struct pb_reader r = pb_reader_from(bytes + from, to - from);
    size_t n = 0, start = from;
    struct pb_field f;
    while (n < FIELDS_MAX && pb_next(&r, &f)) {
        size_t end = (size_t)(r.p - bytes);
        places[n++] = (struct place){start, f.data ? (size_t)(f.data - bytes) : end, end, f};
        start = end;
    }
    return r.error ? 0 : n;
}

/* A way down to some field: path[depth - 1] is it, those before it are the messages around it. */
static size_t choose(const uint8_t *bytes, size_t size, struct place *path)
{
    struct place fields[FIELDS_MAX];
    size_t depth = 0, from = 0, to = size;
    while (depth < DEPTH_MAX) {
        size_t n = read_fields(bytes, from, to, fields);
        if (n == 0)
            break;
        struct place *at = &path[depth++];
        *at = fields[random_below((unsigned)n)];
        if (!at->f.data || at->f.value == 0 || random_below(8) == 0)
            break;
        from = at->data;
        to = at->end;
    }
    return depth;
}

struct text {
    uint8_t p[SCRATCH];
    size_t n;
};

static void put_varint(struct text *t, uint64_t v)
{
    for (; v >= 0x80; v >>= 7)
        t->p[t->n++] = (uint8_t)v | 0x80;
    t->p[t->n++] = (uint8_t)v;
}

static void put_bytes(struct text *t, const uint8_t *p, size_t n)
{
    if (n)
        memcpy(t->p + t->n, p, n);
    t->n += n;
}

static void put_payload(struct text *t, uint32_t number, const uint8_t *p, size_t n)
{
    put_varint(t, (uint64_t)number << 3 | PB_WIRE_LEN);
    put_varint(t, n);
    put_bytes(t, p, n);
}

/* Numbers at which something may end. */
static uint64_t odd_number(uint64_t old)
{
    switch (random_below(9)) {
    case 0:
        return 0;
    case 1:
        return old + 1;
    case 2:
        return old - 1;
    case 3:
        return UINT64_MAX >> random_below(64);
    case 4:
        return UINT64_C(1) << random_below(64);
    case 5:
        return random_below(16);
    case 6:
        return random_below(1 << 10);
    case 7:
        return old ^ UINT64_C(1) << random_below(64);
    default:
        return (uint64_t)random_below(1 << 24) << 40 | (uint64_t)random_below(1 << 24) << 20 |
               random_below(1 << 20);
    }
}

static void put_number(struct text *t, const struct place *at, uint64_t value)
{
    put_varint(t, (uint64_t)at->f.number << 3 | PB_WIRE_VARINT);
    put_varint(t, value);
}

/* The field with another value. */
static void put_changed(struct text *t, const uint8_t *bytes, const struct place *at, size_t max)
{
    if (!at->f.data) {
        put_number(t, at, odd_number(at->f.value));
        return;
    }
    uint8_t *scratch = malloc(max + 1);
    size_t n = (size_t)at->f.value;
    memcpy(scratch, bytes + at->data, n);
    n = LLVMFuzzerMutate(scratch, n, max);
    put_payload(t, at->f.number, scratch, n);
    free(scratch);
}

static void put_renumbered(struct text *t, const uint8_t *bytes, const struct place *at,
                           unsigned range)
{
    uint32_t number = (at->f.number + random_below(range) - range / 2) & ((1u << 28) - 1);
    if (at->f.data) {
        put_payload(t, number, bytes + at->data, (size_t)at->f.value);
        return;
    }
    put_varint(t, (uint64_t)number << 3 | PB_WIRE_VARINT);
    put_varint(t, at->f.value);
}

/* Some other field, from anywhere in the bytes. */
static void put_other(struct text *t, const uint8_t *bytes, size_t size)
{
    struct place path[DEPTH_MAX];
    size_t depth = choose(bytes, size, path);
    if (depth == 0)
        return;
    const struct place *at = &path[random_below((unsigned)depth)];
    put_bytes(t, bytes + at->start, at->end - at->start);
}

/* What stands in the field's place afterwards. */
static void put_replacement(struct text *t, const uint8_t *bytes, size_t size,
                            const struct place *at, size_t max)
{
    const uint8_t *whole = bytes + at->start;
    size_t n = at->end - at->start;
    switch (random_below(12)) {
    case 0: /* gone */
        break;
    case 1: /* twice */
        put_bytes(t, whole, n);
        put_bytes(t, whole, n);
        break;
    case 2: /* another before or behind it */
        put_other(t, bytes, size);
        put_bytes(t, whole, n);
        break;
    case 3:
        put_bytes(t, whole, n);
        put_other(t, bytes, size);
        break;
    case 4: /* another in its place */
        put_other(t, bytes, size);
        break;
    case 5: /* of another number */
        put_renumbered(t, bytes, at, random_below(4) ? 8 : 700);
        break;
    case 6: /* followed by a new number */
        put_bytes(t, whole, n);
        put_varint(t, (uint64_t)(1 + random_below(40)) << 3 | PB_WIRE_VARINT);
        put_varint(t, odd_number(1));
        break;
    case 7: /* a number where a message was, and the other way round */
        if (at->f.data)
            put_number(t, at, odd_number(1));
        else
            put_payload(t, at->f.number, whole, n);
        break;
    default:
        put_changed(t, bytes, at, max);
    }
}

/* Puts `t` into the place of path[depth - 1], with the lengths of all messages around it. Returns
 * the new size, 0 where it does not fit. */
static size_t splice(uint8_t *bytes, size_t size, const struct place *path, size_t depth,
                     struct text *t, size_t max)
{
    static struct text outer;
    for (size_t i = depth; i-- > 0;) {
        const struct place *at = &path[i];
        size_t from = i ? path[i - 1].data : 0, to = i ? path[i - 1].end : size;
        if ((to - from) + t->n + HEADER_MAX > SCRATCH)
            return 0;
        outer.n = 0;
        put_bytes(&outer, bytes + from, at->start - from);
        put_bytes(&outer, t->p, t->n);
        put_bytes(&outer, bytes + at->end, to - at->end);
        t->n = 0;
        if (i > 0)
            put_payload(t, path[i - 1].f.number, outer.p, outer.n);
        else
            put_bytes(t, outer.p, outer.n);
    }
    if (t->n > max || t->n == 0)
        return 0;
    memcpy(bytes, t->p, t->n);
    return t->n;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static struct text t;
    struct place path[DEPTH_MAX];
    random_state = seed;
    random_below(2);
    if (size > 0 && max_size < SCRATCH / 4 && random_below(32) > 0) {
        for (int changes = 1 + (int)random_below(3); changes > 0; changes--) {
            size_t depth = choose(data, size, path);
            if (depth == 0) /* no message: a text */
                return LLVMFuzzerMutate(data, size, max_size);
            t.n = 0;
            put_replacement(&t, data, size, &path[depth - 1], max_size);
            size_t n = splice(data, size, path, depth, &t, max_size);
            if (n == 0)
                break;
            size = n;
        }
        return size;
    }
    return LLVMFuzzerMutate(data, size, max_size);
}
