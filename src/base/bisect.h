/* Binary search. */
#ifndef TPTUI_BASE_BISECT_H
#define TPTUI_BASE_BISECT_H

/* The first of the indexes [from, to) for which `before`, an expression of the index `i`, is false;
 * `to` where there is none. It must not be true again behind one for which it is false. */
#define BISECT(i, from, to, before)                                                                \
    (__extension__({                                                                               \
        __typeof__((to) + 0) from_ = (from), to_ = (to);                                           \
        while (from_ < to_) {                                                                      \
            __typeof__((to) + 0) i = from_ + (to_ - from_) / 2;                                    \
            if (before)                                                                            \
                from_ = i + 1;                                                                     \
            else                                                                                   \
                to_ = i;                                                                           \
        }                                                                                          \
        from_;                                                                                     \
    }))

#endif
