#include "tui/view/band.h"

#include <stdlib.h>

#include "base/bisect.h"

static int compare_nodes(const void *a, const void *b)
{
    const struct band_node *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return x->below - y->below;
}

static bool is_listed(const struct rows *rows, uint32_t node)
{
    for (size_t i = 0; i < rows->v.count; i++)
        if (rows->v.items[i].key.node == node)
            return true;
    return false;
}

/* "9 threads, 19 tracks" stands for the children without a row of their own. */
static void add_rest(struct band *b, const struct track_tree *tree, const struct rows *rows,
                     uint32_t node)
{
    for (uint32_t c = tree->nodes.items[node].first_child; c != NO_NODE;
         c = tree->nodes.items[c].next)
        if (!is_listed(rows, c))
            *vec_push(&b->v) = (struct band_node){c, true};
}

/* Each node once; one that is covered with what is below it stays so. */
void band_sort(struct band *b)
{
    size_t kept = 0;
    if (b->v.count > 1)
        qsort(b->v.items, b->v.count, sizeof *b->v.items, compare_nodes);
    for (size_t i = 0; i < b->v.count; i++) {
        if (kept > 0 && b->v.items[kept - 1].node == b->v.items[i].node)
            kept--;
        b->v.items[kept++] = b->v.items[i];
    }
    b->v.count = kept;
}

void band_of_rows(struct band *b, const struct track_tree *tree, const struct rows *rows,
                  uint32_t from, uint32_t to)
{
    b->all = false;
    b->v.count = 0;
    for (uint32_t i = from; i <= to && i < rows->v.count; i++) {
        const struct row *row = &rows->v.items[i];
        if (row->key.place == PLACE_LINKED)
            continue;
        if (row->key.kind == ROW_REST)
            add_rest(b, tree, rows, row->key.node);
        else
            *vec_push(&b->v) =
                (struct band_node){row->key.node, row->key.kind == ROW_HEAD && !row->open};
    }
    band_sort(b);
    if (b->v.count == 1)
        b->v.items[0].below = true;
}

void band_release(struct band *b)
{
    vec_release(&b->v);
}

static const struct band_node *find_node(const struct band *b, uint32_t node)
{
    size_t lo = BISECT(mid, 0, b->v.count, b->v.items[mid].node < node);
    return lo < b->v.count && b->v.items[lo].node == node ? &b->v.items[lo] : NULL;
}

bool band_has(const struct band *b, const struct track_tree *tree, uint32_t node)
{
    if (b->all || find_node(b, node))
        return true;
    for (uint32_t up = tree->nodes.items[node].parent; up != NO_NODE;
         up = tree->nodes.items[up].parent) {
        const struct band_node *found = find_node(b, up);
        if (found && found->below)
            return true;
    }
    return false;
}

static int compare_u32(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return *x < *y ? -1 : *x > *y;
}

static void add_node(struct band_tracks *t, const struct timeline *tl,
                     const struct track_tree *tree, const struct track_node *n)
{
    switch (n->kind) {
    case NODE_THREAD:
        *vec_push(&t->threads) = n->id;
        if (tl->threads[n->id].track != NULL_U32)
            *vec_push(&t->slices) = tl->threads[n->id].track;
        break;
    case NODE_TRACKS:
        for (uint32_t i = 0; i < n->count; i++)
            *vec_push(&t->slices) = tree->tracks.items[n->first + i];
        break;
    case NODE_COUNTER:
        *vec_push(&t->counters) = n->id;
        break;
    case NODE_CPU:
        *vec_push(&t->cpus) = n->id;
        break;
    case NODE_CPUS:
    case NODE_GROUP:
    case NODE_PROCESS:
    case NODE_COUNTERS:
    case NODE_DEBUG:
        break;
    }
}

void band_collect(struct band_tracks *t, const struct band *b, const struct timeline *tl,
                  const struct track_tree *tree)
{
    *t = (struct band_tracks){0};
    for (uint32_t i = 0; i < tree->nodes.count; i++)
        if (band_has(b, tree, i))
            add_node(t, tl, tree, &tree->nodes.items[i]);
    if (t->threads.count)
        qsort(t->threads.items, t->threads.count, sizeof(uint32_t), compare_u32);
    if (t->cpus.count)
        qsort(t->cpus.items, t->cpus.count, sizeof(uint32_t), compare_u32);
    if (t->slices.count)
        qsort(t->slices.items, t->slices.count, sizeof(uint32_t), compare_u32);
    if (t->counters.count)
        qsort(t->counters.items, t->counters.count, sizeof(uint32_t), compare_u32);
}

void band_tracks_release(struct band_tracks *t)
{
    vec_release(&t->threads);
    vec_release(&t->cpus);
    vec_release(&t->slices);
    vec_release(&t->counters);
}
