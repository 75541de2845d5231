#include "core/trace/stored_parts.h"

#include "base/build_id.h"
#include "base/hash.h"

static void add(struct stored_list *list, void *slot, uint64_t count, uint64_t size, uint32_t group)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes))
        bytes = UINT64_MAX; /* no file is as large */
    *vec_push(&list->v) = (struct stored_part){.slot = slot, .size = bytes, .group = group};
}

static void add_table(struct stored_list *list, struct table *t, uint32_t group)
{
    for (uint32_t i = 0; i < t->def->column_count; i++) {
        struct column *c = &t->columns[i];
        bool small = c->def->type == COLUMN_TYPE_SMALL;
        size_t size = small && c->width ? c->width : column_value_size(c->def->type);
        if (size == 0)
            continue;
        add(list, &c->data, t->rows, size, group);
        vec_last(&list->v).column = c;
        vec_last(&list->v).optional = column_may_be_absent(c->def);
        add(list, &c->nulls, ((uint64_t)t->rows + 63) / 64, sizeof *c->nulls, group);
        vec_last(&list->v).optional = true;
    }
}

void stored_parts(struct stored_list *list, struct trace *t, const struct stored_counts *c,
                  struct stored_flat *f)
{
    struct args *a = &t->args;
    for (uint32_t i = 0; i < TABLE_COUNT; i++)
        add_table(list, &tables_array(&t->tables)[i], i);
    add(list, &f->string_ends, c->strings, sizeof *f->string_ends, STORED_REST);
    add(list, &f->string_bytes, c->string_bytes, 1, STORED_REST);
    add(list, &f->kinds, c->arg_kinds, sizeof *f->kinds, STORED_REST);
    add(list, &f->decoders, c->decoder_bytes, 1, STORED_REST);
    add(list, &t->heap_root_distances.items, c->root_distances, sizeof(int32_t), STORED_REST);
    add(list, &f->payload_sizes, c->payloads, sizeof *f->payload_sizes, STORED_REST);
    add(list, &f->payload_bytes, c->payload_bytes, 1, STORED_REST);
    add(list, &a->shared.bytes.items, c->shared_bytes, 1, STORED_ARGS);
    add(list, &a->shared.laps.items, c->shared_laps, sizeof(uint32_t), STORED_ARGS);
    add(list, &a->unshared.bytes.items, c->unshared_bytes, 1, STORED_ARGS);
    add(list, &a->unshared.laps.items, c->unshared_laps, sizeof(uint32_t), STORED_ARGS);
    add(list, &a->places.items, c->arg_sets, sizeof(uint32_t), STORED_ARGS);
}

static uint64_t hash_text(const char *s, uint64_t seed)
{
    return hash_bytes(s, strlen(s), seed);
}

uint64_t stored_schema(void)
{
    struct str build = build_id();
    uint64_t h = hash_bytes(build.p, build.n, sizeof(struct stored_head));
    for (uint32_t i = 0; i < TABLE_COUNT; i++) {
        const struct table_def *def = &table_defs[i];
        h = hash_text(def->key, h);
        for (uint32_t k = 0; k < def->column_count; k++) {
            h = hash_text(def->columns[k].name, h);
            h = hash_mix(h, (uint64_t)def->columns[k].type << 32 | def->columns[k].flags);
        }
    }
    return h;
}

/* Four sums side by side, as the next multiplication needs the result of the one before. */
uint64_t stored_sum(const void *data, size_t n)
{
    enum { LANES = 4, STEP = 16 * LANES };
    const uint8_t *p = data;
    uint64_t lanes[LANES] = {1, 2, 3, 4}, size = n;
    for (; n >= STEP; p += STEP, n -= STEP)
        for (int i = 0; i < LANES; i++) {
            uint64_t a, b;
            memcpy(&a, p + 16 * i, 8);
            memcpy(&b, p + 16 * i + 8, 8);
            lanes[i] = hash_mix(a ^ lanes[i], b);
        }
    uint64_t sum = hash_bytes(p, n, size);
    for (int i = 0; i < LANES; i++)
        sum = hash_mix(sum, lanes[i]);
    return sum;
}

uint64_t stored_head_sum(const struct stored_head *h, const struct stored_place *places)
{
    uint64_t sum = stored_sum(h, offsetof(struct stored_head, head_sum));
    return hash_mix(sum, stored_sum(places, h->part_count * sizeof *places));
}
