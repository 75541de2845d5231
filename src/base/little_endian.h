/* Numbers as they stand in memory, the lowest byte first, at any address, on machines of either
 * order. */
#ifndef TPTUI_BASE_LITTLE_ENDIAN_H
#define TPTUI_BASE_LITTLE_ENDIAN_H

#include <stdint.h>
#include <string.h>

/* A number, as it is copied from or to memory. */
static inline uint32_t le32(uint32_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

static inline uint64_t le64(uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline uint64_t load_le64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return le64(v);
}

static inline uint32_t load_le32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return le32(v);
}

#endif
