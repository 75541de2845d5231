#include "tui/view/slice_names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/block_store.h"
#include "tui/view/timeline.h"

struct slice_names {
    const struct timeline *tl;
    uint32_t strings; /* of the trace when it began: later ones are no names of slices */
    uint32_t *rows, count;
    const uint32_t *adopted; /* not owned; NULL once `rows` is what counts */
    pthread_t thread;
    pthread_mutex_t lock;
    bool threaded, joined;
    atomic_bool cancel; /* nobody will ask any more */
};

struct named {
    int64_t dur;
    uint32_t row;
};

/* The names of a file that is not checked yet may be any numbers. */
static string_id name_of(const struct slice_names *n, uint32_t row)
{
    string_id name = slice_u32(n->tl, row, slice_col_name);
    return name < n->strings ? name : NULL_STRING;
}

static int compare_named(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    if (x->dur != y->dur)
        return x->dur > y->dur ? -1 : 1;
    return x->row < y->row ? -1 : x->row > y->row;
}

/* By name with a counting sort, then each name's by length: half the time of one sort by both on
 * 1.6 million slices. */
static void sort(struct slice_names *n)
{
    const struct timeline *tl = n->tl;
    uint32_t rows = tl->trace->tables.slice.rows, strings = n->strings;
    uint32_t *starts = alloc_array((size_t)strings + 2, sizeof *starts);
    struct named *named = block_new((size_t)rows + 1, sizeof *named);
    for (uint32_t i = 0; i < rows; i++)
        if (name_of(n, i) != NULL_STRING)
            starts[name_of(n, i) + 1]++;
    for (uint32_t i = 1; i <= strings; i++)
        starts[i] += starts[i - 1];
    n->count = starts[strings];
    for (uint32_t i = 0; i < rows; i++) {
        string_id name = name_of(n, i);
        if (name != NULL_STRING)
            named[starts[name]++] = (struct named){tl->slice_dur[i], i};
    }
    for (uint32_t i = 1, from = 0; i < strings && !atomic_load(&n->cancel); from = starts[i++])
        if (starts[i] - from > 1)
            qsort(named + from, starts[i] - from, sizeof *named, compare_named);
    n->rows = block_new((size_t)rows + 1, sizeof *n->rows);
    for (uint32_t i = 0; i < n->count; i++)
        n->rows[i] = named[i].row;
    free(starts);
    block_free(named);
}

static bool adopted_exist(const struct slice_names *n)
{
    uint32_t most = 0;
    for (uint32_t i = 0; n->adopted && i < n->count; i++)
        most = n->adopted[i] > most ? n->adopted[i] : most;
    return n->adopted && (n->count == 0 || most < n->tl->trace->tables.slice.rows);
}

static void *run(void *self)
{
    struct slice_names *n = self;
    if (adopted_exist(n))
        return NULL;
    n->adopted = NULL;
    sort(n);
    return NULL;
}

static struct slice_names *start(const struct timeline *tl, const uint32_t *rows, uint32_t count)
{
    struct slice_names *n = alloc_array(1, sizeof *n);
    n->tl = tl;
    n->strings = tl->trace->strings.count;
    n->adopted = rows;
    n->count = count;
    pthread_mutex_init(&n->lock, NULL);
    n->threaded = pthread_create(&n->thread, NULL, run, n) == 0;
    if (!n->threaded)
        run(n);
    return n;
}

struct slice_names *slice_names_start(const struct timeline *tl)
{
    return start(tl, NULL, 0);
}

struct slice_names *slice_names_adopt(const struct timeline *tl, const uint32_t *rows,
                                      uint32_t count)
{
    return start(tl, rows, count);
}

static void wait_for_thread(struct slice_names *n)
{
    pthread_mutex_lock(&n->lock);
    if (n->threaded && !n->joined)
        pthread_join(n->thread, NULL);
    n->joined = true;
    pthread_mutex_unlock(&n->lock);
}

const uint32_t *slice_names_rows(struct slice_names *n, uint32_t *count)
{
    wait_for_thread(n);
    *count = n->count;
    return n->adopted ? n->adopted : n->rows;
}

void slice_names_free(struct slice_names *n)
{
    if (!n)
        return;
    atomic_store(&n->cancel, true);
    wait_for_thread(n);
    pthread_mutex_destroy(&n->lock);
    block_free(n->rows);
    free(n);
}
