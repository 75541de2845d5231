#include "base/text_set.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

void text_set_release(struct text_set *t)
{
    vec_release(&t->texts);
    free(t->slots);
    *t = (struct text_set){0};
}

static void grow(struct text_set *t)
{
    size_t count = t->slot_count ? t->slot_count * 2 : 1024;
    uint32_t *slots = alloc_array(count, sizeof *slots);
    for (size_t i = 0; i < t->texts.count; i++) {
        size_t at = hash_bytes(t->texts.items[i].p, t->texts.items[i].n, 0) & (count - 1);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    free(t->slots);
    t->slots = slots;
    t->slot_count = count;
}

uint32_t text_set_add(struct text_set *t, struct str s)
{
    if (t->texts.count * 2 >= t->slot_count)
        grow(t);
    size_t at = hash_bytes(s.p, s.n, 0) & (t->slot_count - 1);
    while (t->slots[at] && !str_eq(t->texts.items[t->slots[at] - 1], s))
        at = (at + 1) & (t->slot_count - 1);
    if (!t->slots[at]) {
        *vec_push(&t->texts) = s;
        t->slots[at] = (uint32_t)t->texts.count;
    }
    return t->slots[at] - 1;
}

int text_compare(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int d = n ? memcmp(a.p, b.p, n) : 0;
    return d ? d : a.n < b.n ? -1 : a.n > b.n;
}
