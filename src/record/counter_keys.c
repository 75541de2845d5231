#include "record/counter_keys.h"

#include "base/hash.h"
#include "parsers/proto/descriptors.h"

/* What the files call otherwise than the enum. */
static const struct {
    struct str file, value;
} otherwise[] = {
    {{"SReclaimable", 12}, {"SLAB_RECLAIMABLE", 16}},
    {{"SUnreclaim", 10}, {"SLAB_UNRECLAIMABLE", 18}},
    {{"Committed_AS", 12}, {"COMMITED_AS", 11}},
};

/* "MEM_TOTAL" is "MemTotal", and "ACTIVE_ANON" "Active(anon)": only letters and digits count. */
static uint64_t hash_of(struct str name)
{
    char letters[64];
    size_t n = 0;
    for (size_t i = 0; i < name.n && n < sizeof letters; i++) {
        char c = lower_case(name.p[i]);
        if ((c >= 'a' && c <= 'z') || str_is_digit(c))
            letters[n++] = c;
    }
    return hash_bytes(letters, n, 0);
}

void counter_keys_init(struct counter_keys *k, struct str enum_name, struct str prefix)
{
    struct descriptors d;
    *k = (struct counter_keys){0};
    descriptors_init(&d);
    uint32_t type = descriptors_find(&d, enum_name);
    uint32_t i = type == DESCRIPTOR_NONE ? type : descriptors_first_member(&d, type);
    for (; i != DESCRIPTOR_NONE; i = descriptors_next_member(&d, type, i)) {
        const struct enum_value_descriptor *v = descriptors_value_at(&d, i);
        if (v->number > 0 && str_starts(v->name, prefix))
            map_set(&k->by_name, hash_of(str_skip(v->name, prefix.n)), (uint32_t)v->number);
    }
    descriptors_release(&d);
}

void counter_keys_release(struct counter_keys *k)
{
    map_release(&k->by_name);
}

uint32_t counter_keys_find(const struct counter_keys *k, struct str name)
{
    for (size_t i = 0; i < sizeof otherwise / sizeof *otherwise; i++)
        if (str_eq(otherwise[i].file, name))
            name = otherwise[i].value;
    const uint32_t *value = map_find(&k->by_name, hash_of(name));
    return value ? *value : 0;
}
