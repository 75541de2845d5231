/* Sixteen bytes compared at once: with SSE2 or NEON where there is any, else in words. */
#ifndef TPTUI_BASE_BYTES16_H
#define TPTUI_BASE_BYTES16_H

#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

typedef uint8_t bytes16 __attribute__((vector_size(16)));

static inline bytes16 bytes16_load(const void *p)
{
    bytes16 b;
    memcpy(&b, p, sizeof b);
    return b;
}

/* 0xff for each byte that is `c`, else 0. */
static inline bytes16 bytes16_equal(bytes16 b, char c)
{
    return (bytes16)(b == (uint8_t)c);
}

/* A bit for each byte, the first one's lowest; each byte is 0xff or 0. */
static inline uint32_t bytes16_bits(bytes16 b)
{
#ifdef __SSE2__
    return (uint32_t)_mm_movemask_epi8((__m128i)b);
#else
    b &= (bytes16){1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
#ifdef __aarch64__
    return vaddv_u8(vget_low_u8(b)) | (uint32_t)vaddv_u8(vget_high_u8(b)) << 8;
#else
    uint64_t halves[2];
    memcpy(halves, &b, sizeof halves);
    const uint64_t ones = UINT64_C(0x0101010101010101); /* sums the bytes up in the highest */
    return (uint32_t)(halves[0] * ones >> 56 | halves[1] * ones >> 56 << 8);
#endif
#endif
}

#endif
