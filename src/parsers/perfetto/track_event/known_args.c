#include "parsers/perfetto/track_event/known_args.h"

#include <string.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { PLACES = 1024, ARGS = 8, BYTES = 256 };

/* Each of the bytes has one place, from which it drives out what was there. */
struct known {
    uint64_t hash;
    const uint8_t *bytes;
    uint32_t size, generation; /* 0: nothing is here */
    uint32_t count;
    struct arg args[ARGS];
};

struct known_args {
    struct known places[PLACES];
    struct known missed; /* what was asked for last and is not here */
};

struct known_args *known_args_new(void)
{
    return alloc_array(1, sizeof(struct known_args));
}

void known_args_free(struct known_args *k)
{
    free(k);
}

bool known_args_find(struct known_args *k, uint32_t generation, struct bytes said,
                     struct arg_list *list)
{
    k->missed.generation = 0;
    if (said.n > BYTES)
        return false;
    uint64_t hash = hash_bytes(said.p, said.n, generation);
    struct known *known = &k->places[hash % PLACES];
    if (known->hash != hash || known->generation != generation || known->size != said.n ||
        memcmp(known->bytes, said.p, said.n) != 0) {
        k->missed.hash = hash;
        k->missed.bytes = said.p;
        k->missed.size = (uint32_t)said.n;
        k->missed.generation = generation;
        return false;
    }
    known->bytes = said.p; /* the newest: pages of those before may have been given back */
    vec_append(&list->v, known->args, known->count);
    return true;
}

void known_args_keep(struct known_args *k, const struct arg_list *list)
{
    const struct known *missed = &k->missed;
    size_t n = list->v.count;
    if (!missed->generation || n > ARGS)
        return;
    struct known *known = &k->places[missed->hash % PLACES];
    known->hash = missed->hash;
    known->bytes = missed->bytes;
    known->size = missed->size;
    known->generation = missed->generation;
    known->count = (uint32_t)n;
    if (n)
        memcpy(known->args, list->v.items, n * sizeof *known->args);
}
