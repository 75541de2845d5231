/* Args by set and key. Events repeat their sets: what was found last is kept. */
#ifndef TPTUI_CORE_STORE_ARG_CACHE_H
#define TPTUI_CORE_STORE_ARG_CACHE_H

#include "core/store/args.h"

struct arg_cache;

/* The args must outlive it. */
struct arg_cache *arg_cache_new(const struct args *args);
/* NULL is none. */
void arg_cache_free(struct arg_cache *c);

/* The first arg of that key; NULL where the set has none. Valid until the next call. */
const struct arg *arg_cache_find(struct arg_cache *c, uint32_t set, string_id key);

#endif
