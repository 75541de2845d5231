/* Names in files as /proc/meminfo, and the enums that Perfetto has for them. */
#ifndef TPTUI_RECORD_COUNTER_KEYS_H
#define TPTUI_RECORD_COUNTER_KEYS_H

#include <stdint.h>

#include "base/map.h"
#include "base/str.h"

/* Hashes of names -> values of the enum. */
struct counter_keys {
    struct map by_name;
};

/* Of an enum by its full name, whose values begin with `prefix`: "MEMINFO_". */
void counter_keys_init(struct counter_keys *k, struct str enum_name, struct str prefix);
void counter_keys_release(struct counter_keys *k);
/* 0: it has none of that name. */
uint32_t counter_keys_find(const struct counter_keys *k, struct str name);

#endif
