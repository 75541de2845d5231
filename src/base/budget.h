/* An amount that several may spend, in several threads, and that only falls. */
#ifndef TPTUI_BASE_BUDGET_H
#define TPTUI_BASE_BUDGET_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct budget {
    atomic_size_t left;
};

/* All of it where there is no budget (NULL). */
static inline size_t budget_left(struct budget *b)
{
    return b ? atomic_load_explicit(&b->left, memory_order_relaxed) : SIZE_MAX;
}

/* Takes `n` off it, or what is left. */
static inline void budget_spend(struct budget *b, size_t n)
{
    size_t left = budget_left(b);
    while (b && !atomic_compare_exchange_weak(&b->left, &left, n < left ? left - n : 0))
        continue;
}

#endif
