#include "parsers/input/text_holes.h"

#include <string.h>

void text_holes_add(struct text_holes *h, const void *p, size_t n)
{
    const char *at = p, *end = at + n;
    while (at < end) {
        const char *zero = h->run > 0 ? at : memchr(at, 0, (size_t)(end - at));
        if (!zero)
            return;
        for (at = zero; at < end && *at == 0;)
            at++;
        h->run += (size_t)(at - zero);
        if (at == end)
            return;
        h->bytes = text_holes_all(h);
        h->run = 0;
    }
}
