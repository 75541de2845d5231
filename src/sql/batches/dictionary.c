#include "sql/batches/dictionary.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { DIRECT_FIRST = 1024 };

void dictionary_release(struct dictionary *d)
{
    free(d->direct);
    map_release(&d->map);
    *d = (struct dictionary){0};
}

static void grow(struct dictionary *d, uint64_t key)
{
    uint64_t size = d->size ? d->size : DIRECT_FIRST;
    while (size <= key)
        size *= 2;
    d->direct = realloc_array(d->direct, size, sizeof *d->direct);
    memset(d->direct + d->size, 0, (size - d->size) * sizeof *d->direct);
    d->size = size;
}

uint32_t dictionary_add(struct dictionary *d, uint64_t key)
{
    if (key < DICTIONARY_DIRECT) {
        if (key >= d->size)
            grow(d, key);
        d->direct[key] = ++d->count;
        return d->count - 1;
    }
    bool inserted;
    uint32_t *number = map_insert(&d->map, key, &inserted);
    if (inserted)
        *number = d->count++;
    return *number;
}

uint32_t dictionary_null(struct dictionary *d)
{
    if (!d->null_id)
        d->null_id = ++d->count;
    return d->null_id - 1;
}
