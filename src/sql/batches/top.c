#include "sql/batches/top.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "sql/batches/evaluate.h"

void top_init(struct top *t, const struct plan *p, const struct order_list *by, uint32_t wanted)
{
    size_t slots = wanted + (size_t)1;
    bool plain = by->v.count == 1 && by->v.items[0].expr->type != VALUE_TEXT;
    *t = (struct top){.plan = p, .by = by, .wanted = wanted, .plain = plain};
    t->heap = alloc_array(slots, sizeof *t->heap);
    t->keys = alloc_array(slots * by->v.count, sizeof *t->keys);
}

void top_release(struct top *t)
{
    free(t->heap);
    free(t->keys);
    *t = (struct top){0};
}

static int compare_keys(const struct top *t, uint32_t term, struct top_key a, struct top_key b)
{
    const struct order_key *k = &t->by->v.items[term];
    if (a.rank != b.rank)
        return a.rank < b.rank ? -1 : 1;
    if (a.key == b.key)
        return 0;
    if (k->expr->type != VALUE_TEXT)
        return a.key < b.key ? -1 : 1;
    int order = compare_texts(t->plan, (string_id)a.key, (string_id)b.key);
    return k->desc ? -order : order;
}

/* Whether row a comes behind row b. */
static bool is_behind(const struct top *t, const struct top_row *a, const struct top_row *b)
{
    uint32_t terms = (uint32_t)t->by->v.count;
    if (t->plain && a->first.rank == b->first.rank && a->first.key != b->first.key)
        return a->first.key > b->first.key;
    for (uint32_t k = 0; k < terms; k++) {
        int order = compare_keys(t, k, t->keys[(size_t)a->slot * terms + k],
                                 t->keys[(size_t)b->slot * terms + k]);
        if (order)
            return order > 0;
    }
    return a->number > b->number;
}

/* Puts a row where one has been added at the heap's end. */
static void put_up(struct top *t, uint32_t at, struct top_row r)
{
    for (uint32_t up; at > 0 && is_behind(t, &r, &t->heap[up = (at - 1) / 2]); at = up)
        t->heap[at] = t->heap[up];
    t->heap[at] = r;
}

/* Puts a row in the place of the root. */
static void put_down(struct top *t, struct top_row r)
{
    struct top_row *heap = t->heap;
    uint32_t at = 0, child;
    for (; (child = 2 * at + 1) < t->count; at = child) {
        if (child + 1 < t->count && is_behind(t, &heap[child + 1], &heap[child]))
            child++;
        if (!is_behind(t, &heap[child], &r))
            break;
        heap[at] = heap[child];
    }
    heap[at] = r;
}

static struct top_key key_of(const struct order_key *o, struct values v, uint32_t i)
{
    if (value_is_null(v, o->expr->type, i))
        return (struct top_key){0, o->desc};
    uint64_t key =
        o->expr->type == VALUE_TEXT ? ((const string_id *)v.data)[i] : top_key_of(o, v.data, i);
    return (struct top_key){key, !o->desc};
}

void top_add(struct top *t, const struct values *keys, uint32_t i, uint32_t row)
{
    uint32_t terms = (uint32_t)t->by->v.count;
    bool full = t->count == t->wanted;
    uint32_t slot = full ? t->spare : t->count;
    struct top_key *own = &t->keys[(size_t)slot * terms];
    for (uint32_t k = 0; k < terms; k++)
        own[k] = key_of(&t->by->v.items[k], keys[k], i);
    struct top_row r = {own[0], row, slot, t->seen++};
    if (!full) {
        put_up(t, t->count++, r);
        t->spare = t->count;
    } else if (is_behind(t, &t->heap[0], &r)) {
        t->spare = t->heap[0].slot;
        put_down(t, r);
    }
}

bool top_bound(const struct top *t, uint64_t *key)
{
    const struct order_key *first = &t->by->v.items[0];
    if (t->count < t->wanted || first->expr->type == VALUE_TEXT)
        return false;
    *key = t->heap[0].first.key;
    return t->heap[0].first.rank == !first->desc;
}

uint32_t top_finish(struct top *t, uint32_t *rows)
{
    uint32_t n = t->count;
    while (t->count > 0) {
        rows[--t->count] = t->heap[0].row;
        put_down(t, t->heap[t->count]);
    }
    return n;
}
