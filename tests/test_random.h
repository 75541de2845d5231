/* Random numbers that are the same each time, for tests. */
#ifndef TPTUI_TESTS_TEST_RANDOM_H
#define TPTUI_TESTS_TEST_RANDOM_H

#include <stdint.h>

static uint64_t random_state; /* a test sets it, to see the same each time */

static inline uint32_t next_random(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % below;
}

#endif
