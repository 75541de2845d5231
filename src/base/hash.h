/* Hashes of bytes and integers for tables in memory; never stored, never shown. */
#ifndef TPTUI_BASE_HASH_H
#define TPTUI_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "base/little_endian.h"
#include "base/str.h"

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 u128;
    u128 product = (u128)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xd6e8feb86659fd93));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t hash_u64(uint64_t v)
{
    return hash_mix(v, UINT64_C(0x2545f4914f6cdd1d));
}

static inline uint64_t hash_bytes(const void *data, size_t n, uint64_t seed)
{
    const unsigned char *p = data;
    /* The length is apart from the bytes: "46" and "467" are not the same. */
    uint64_t h = seed ^ n * UINT64_C(0xc2b2ae3d27d4eb4f), a, b;
    for (; n > 16; p += 16, n -= 16) {
        a = load_le64(p);
        b = load_le64(p + 8);
        h = hash_mix(a ^ h, b);
    }
    a = b = 0;
    if (n >= 8) {
        a = load_le64(p);
        b = load_le64(p + n - 8);
    } else if (n >= 4) {
        a = load_le32(p);
        b = load_le32(p + n - 4);
    } else if (n > 0) {
        a = (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
    }
    return hash_mix(a ^ h, b ^ UINT64_C(0xa0761d6478bd642f));
}

/* The same for ASCII letters in whatever case. */
static inline uint64_t hash_any_case(const char *p, size_t n, uint64_t seed)
{
    char lower[64];
    uint64_t h = seed;
    while (n > 0) {
        size_t part = n < sizeof lower ? n : sizeof lower;
        for (size_t i = 0; i < part; i++)
            lower[i] = lower_case(p[i]);
        h = hash_bytes(lower, part, h);
        p += part;
        n -= part;
    }
    return h;
}

#endif
