/* Random numbers that are the same everywhere: integers only, no library, no state but a word. */
#ifndef TPTUI_GEN_RNG_H
#define TPTUI_GEN_RNG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
    uint64_t z = r->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* lo .. hi, both included. */
static inline int64_t rng_between(struct rng *r, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(rng_next(r) % (uint64_t)(hi - lo + 1));
}

/* True once in `n` times. */
static inline bool rng_once_in(struct rng *r, uint64_t n)
{
    return rng_next(r) % n == 0;
}

/* A duration as computers have them: mostly a bit below `typical`, now and then several times it.
 * Between a third of it and eight times it. */
static inline int64_t rng_duration(struct rng *r, int64_t typical)
{
    /* Quantiles in 1/256 of the typical value. */
    static const uint16_t quantile[32] = {85,  96,  108, 118, 128, 138, 147, 156, 165,  174, 184,
                                          193, 203, 212, 222, 232, 243, 254, 266, 278,  292, 307,
                                          324, 343, 365, 391, 424, 467, 528, 640, 1024, 2048};
    uint64_t bits = rng_next(r);
    size_t i = bits % 31;
    int64_t low = quantile[i], high = quantile[i + 1];
    int64_t q = low + (high - low) * (int64_t)(bits >> 32 & 255) / 256;
    return typical * q / 256;
}

#endif
