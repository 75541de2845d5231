#include "core/store/arg_cache.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"

enum { ENTRY_BITS = 12 };

struct entry {
    uint32_t set;
    string_id key;
    bool found;
    struct arg value;
};

struct arg_cache {
    const struct args *args;
    struct arg_list list;
    uint32_t list_set;
    struct entry entries[1 << ENTRY_BITS];
};

struct arg_cache *arg_cache_new(const struct args *args)
{
    struct arg_cache *c = alloc_array(1, sizeof *c);
    c->args = args;
    return c;
}

void arg_cache_free(struct arg_cache *c)
{
    if (!c)
        return;
    arg_list_release(&c->list);
    free(c);
}

static void look_up(struct arg_cache *c, struct entry *e)
{
    if (c->list_set != e->set) {
        arg_list_clear(&c->list);
        args_read(c->args, e->set, &c->list);
        c->list_set = e->set;
    }
    e->found = false;
    for (size_t i = 0; i < c->list.v.count && !e->found; i++) {
        if (c->list.v.items[i].key != e->key)
            continue;
        e->found = true;
        e->value = c->list.v.items[i];
    }
}

const struct arg *arg_cache_find(struct arg_cache *c, uint32_t set, string_id key)
{
    uint64_t hash = hash_u64((uint64_t)set << 32 | key);
    struct entry *e = &c->entries[hash >> (64 - ENTRY_BITS)];
    if (e->set != set || e->key != key) {
        e->set = set;
        e->key = key;
        look_up(c, e);
    }
    return e->found ? &e->value : NULL;
}
