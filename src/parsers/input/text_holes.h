/* Zero bytes where a text should be, as a crash of the machine leaves them. */
#ifndef TPTUI_PARSERS_INPUT_TEXT_HOLES_H
#define TPTUI_PARSERS_INPUT_TEXT_HOLES_H

#include <stddef.h>
#include <stdint.h>

/* Fewer zero bytes in a row are no hole. */
enum { HOLE_LEAST = 4 };

/* Of a text that comes in pieces. */
struct text_holes {
    int64_t bytes; /* in holes that have ended */
    size_t run;    /* zero bytes at the end */
};

void text_holes_add(struct text_holes *h, const void *p, size_t n);

/* With the one that ends with the text. */
static inline int64_t text_holes_all(const struct text_holes *h)
{
    return h->bytes + (h->run >= HOLE_LEAST ? (int64_t)h->run : 0);
}

#endif
