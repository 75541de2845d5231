#include "tui/index/slice_names.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/map.h"
#include "text/name_family.h"
#include "base/vec.h"
#include "tui/index/timeline.h"

/* A name that is not the first of its family. */
struct name_of_family {
    string_id name, family;
};

struct slice_names {
    const struct timeline *tl;
    VEC(struct name_of_family) families; /* by name */
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

/* A bit for each string: whether it is the name of a slice. */
static uint8_t *names_that_occur(const struct slice_names *n)
{
    uint8_t *occur = alloc_array((size_t)n->strings / 8 + 1, 1);
    uint32_t rows = n->tl->trace->tables.slice.rows;
    for (uint32_t i = 0; i < rows; i++) {
        string_id name = name_of(n, i);
        occur[name / 8] |= (uint8_t)(1u << name % 8);
    }
    return occur;
}

/* Frames that are called by nothing but their number have no more in common than that. */
static bool may_have_others(struct str name)
{
    bool is_number = name_number_at(name, 0) == name.n;
    return !is_number && name_has_number(name);
}

static void find_families(struct slice_names *n)
{
    uint8_t *occur = names_that_occur(n);
    struct map first = {0};
    for (string_id name = 1; name < n->strings; name++) {
        bool is_new;
        if (!(occur[name / 8] >> name % 8 & 1) || !may_have_others(timeline_str(n->tl, name)))
            continue;
        uint32_t *family = map_insert(&first, name_family_hash(timeline_str(n->tl, name)), &is_new);
        if (is_new)
            *family = name;
        else
            *vec_push(&n->families) = (struct name_of_family){name, *family};
    }
    map_release(&first);
    free(occur);
}

static string_id family_of(const struct slice_names *n, string_id name)
{
    uint32_t count = (uint32_t)n->families.count;
    uint32_t at = BISECT(mid, 0, count, n->families.items[mid].name < name);
    return at < count && n->families.items[at].name == name ? n->families.items[at].family : name;
}

/* By name with a counting sort, then each name's by length: half the time of one sort by both on
 * 1.6 million slices. */
static void sort(struct slice_names *n)
{
    const struct timeline *tl = n->tl;
    uint32_t rows = tl->trace->tables.slice.rows, strings = n->strings;
    uint32_t *starts = alloc_array((size_t)strings + 2, sizeof *starts);
    string_id *family = alloc_array((size_t)strings + 1, sizeof *family);
    struct named *named = alloc_array((size_t)rows + 1, sizeof *named);
    for (uint32_t i = 1; i < strings; i++)
        family[i] = i;
    for (size_t i = 0; i < n->families.count; i++)
        family[n->families.items[i].name] = n->families.items[i].family;
    for (uint32_t i = 0; i < rows; i++)
        if (name_of(n, i) != NULL_STRING)
            starts[family[name_of(n, i)] + 1]++;
    for (uint32_t i = 1; i <= strings; i++)
        starts[i] += starts[i - 1];
    n->count = starts[strings];
    for (uint32_t i = 0; i < rows; i++) {
        string_id name = name_of(n, i);
        if (name != NULL_STRING)
            named[starts[family[name]]++] = (struct named){tl->slice_dur[i], i};
    }
    for (uint32_t i = 1, from = 0; i < strings && !atomic_load(&n->cancel); from = starts[i++])
        if (starts[i] - from > 1)
            qsort(named + from, starts[i] - from, sizeof *named, compare_named);
    n->rows = alloc_array((size_t)rows + 1, sizeof *n->rows);
    for (uint32_t i = 0; i < n->count; i++)
        n->rows[i] = named[i].row;
    free(starts);
    free(family);
    free(named);
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
    find_families(n);
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

string_id slice_names_family(struct slice_names *n, string_id name)
{
    wait_for_thread(n);
    return family_of(n, name);
}

bool slice_names_has_others(struct slice_names *n, string_id name)
{
    string_id family = slice_names_family(n, name);
    for (size_t i = 0; family == name && i < n->families.count; i++)
        if (n->families.items[i].family == family)
            return true;
    return family != name;
}

void slice_names_free(struct slice_names *n)
{
    if (!n)
        return;
    atomic_store(&n->cancel, true);
    wait_for_thread(n);
    pthread_mutex_destroy(&n->lock);
    free(n->rows);
    vec_release(&n->families);
    free(n);
}
