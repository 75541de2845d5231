/* Puts what a parser read in file order into the order in which it is applied. */
#ifndef TPTUI_PARSERS_INPUT_TIME_SORT_H
#define TPTUI_PARSERS_INPUT_TIME_SORT_H

#include <stddef.h>
#include <stdint.h>

struct timed {
    int64_t ts;
    int64_t rank; /* at equal times the lower goes first */
    const void *record;
};

/* By ts and rank; equal ones stay as they are. */
void time_sort(struct timed *r, size_t count);

#endif
