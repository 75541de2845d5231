/* A growable array of one type: VEC(int64_t) times = {0}; *vec_push(&times) = ts; ... */
#ifndef TPTUI_BASE_VEC_H
#define TPTUI_BASE_VEC_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define VEC(type)                                                                                  \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, cap;                                                                         \
    }

/* Room for `n` items in all; the count stays. Of larger items room for few is made first: there are
 * tens of thousands of arrays that hold one. */
#define vec_reserve(v, n)                                                                          \
    do {                                                                                           \
        if ((v)->cap < (n)) {                                                                      \
            size_t cap_ = (v)->cap + (v)->cap / 2 + (sizeof *(v)->items < 16 ? 8 : 2);             \
            cap_ = cap_ < (n) ? (n) : cap_;                                                        \
            (v)->items = realloc_at_least((v)->items, &cap_, (n), sizeof *(v)->items);             \
            (v)->cap = cap_;                                                                       \
        }                                                                                          \
    } while (0)

/* A pointer to a new uninitialised last item; valid until the next push. */
#define vec_push(v)                                                                                \
    (__extension__({                                                                               \
        vec_reserve((v), (v)->count + 1);                                                          \
        &(v)->items[(v)->count++];                                                                 \
    }))

/* Copies of `n` items at the end, with room for one more behind them: `items` is not NULL then,
 * even where `n` is 0, for which `p` may be NULL. */
#define vec_append(v, p, n)                                                                        \
    do {                                                                                           \
        size_t n_ = (n);                                                                           \
        if (n_ > PTRDIFF_MAX)                                                                      \
            alloc_fail();                                                                          \
        vec_reserve((v), (v)->count + n_ + 1);                                                     \
        if (n_)                                                                                    \
            memcpy((v)->items + (v)->count, (p), n_ * sizeof *(v)->items);                         \
        (v)->count += n_;                                                                          \
    } while (0)

#define vec_last(v) ((v)->items[(v)->count - 1])

#define vec_release(v)                                                                             \
    do {                                                                                           \
        free((v)->items);                                                                          \
        (v)->items = NULL;                                                                         \
        (v)->count = (v)->cap = 0;                                                                 \
    } while (0)

#endif
