#include "base/content_hash.h"

#include <string.h>

#include "base/little_endian.h"

/* XXH64's primes. */
static const uint64_t prime1 = UINT64_C(0x9e3779b185ebca87), prime2 = UINT64_C(0xc2b2ae3d27d4eb4f),
                      prime3 = UINT64_C(0x165667b19e3779f9), prime4 = UINT64_C(0x85ebca77c2b2ae63),
                      prime5 = UINT64_C(0x27d4eb2f165667c5);

static uint64_t rotate(uint64_t v, unsigned bits)
{
    return v << bits | v >> (64 - bits);
}

static uint64_t round_of(uint64_t lane, uint64_t word)
{
    return rotate(lane + word * prime2, 31) * prime1;
}

struct content_hash content_hash_begin(void)
{
    return (struct content_hash){.lanes = {prime1 + prime2, prime2, 0, 0 - prime1}};
}

/* `n` is a multiple of a step. The lanes are kept in registers meanwhile. */
static void add_steps(struct content_hash *h, const uint8_t *p, size_t n)
{
    uint64_t a = h->lanes[0], b = h->lanes[1], c = h->lanes[2], d = h->lanes[3];
    for (; n > 0; p += CONTENT_HASH_STEP, n -= CONTENT_HASH_STEP) {
        a = round_of(a, load_le64(p));
        b = round_of(b, load_le64(p + 8));
        c = round_of(c, load_le64(p + 16));
        d = round_of(d, load_le64(p + 24));
    }
    h->lanes[0] = a, h->lanes[1] = b, h->lanes[2] = c, h->lanes[3] = d;
}

void content_hash_add(struct content_hash *h, const void *bytes, size_t n)
{
    const uint8_t *p = bytes;
    size_t waiting = h->size % CONTENT_HASH_STEP, room = CONTENT_HASH_STEP - waiting;
    h->size += n;
    if (waiting > 0 && n >= room) {
        memcpy(h->rest + waiting, p, room);
        add_steps(h, h->rest, CONTENT_HASH_STEP);
        p += room;
        n -= room;
        waiting = 0;
    }
    size_t whole = waiting == 0 ? n - n % CONTENT_HASH_STEP : 0;
    add_steps(h, p, whole);
    if (n > whole)
        memcpy(h->rest + waiting, p + whole, n - whole);
}

static uint64_t join_lanes(const uint64_t *lanes)
{
    uint64_t hash =
        rotate(lanes[0], 1) + rotate(lanes[1], 7) + rotate(lanes[2], 12) + rotate(lanes[3], 18);
    for (int i = 0; i < CONTENT_HASH_LANES; i++)
        hash = (hash ^ round_of(0, lanes[i])) * prime1 + prime4;
    return hash;
}

uint64_t content_hash_end(const struct content_hash *h)
{
    const uint8_t *p = h->rest, *end = p + h->size % CONTENT_HASH_STEP;
    uint64_t hash = h->size >= CONTENT_HASH_STEP ? join_lanes(h->lanes) : prime5;
    hash += h->size;
    for (; end - p >= 8; p += 8)
        hash = rotate(hash ^ round_of(0, load_le64(p)), 27) * prime1 + prime4;
    if (end - p >= 4) {
        hash = rotate(hash ^ load_le32(p) * prime1, 23) * prime2 + prime3;
        p += 4;
    }
    for (; p < end; p++)
        hash = rotate(hash ^ *p * prime5, 11) * prime1;
    hash = (hash ^ hash >> 33) * prime2;
    hash = (hash ^ hash >> 29) * prime3;
    return hash ^ hash >> 32;
}
