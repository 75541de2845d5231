#include "sql/values/statistics.h"

#include <math.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/vec.h"
#include "sql/values/real_text.h"

struct moments {
    double count, mean_x, mean_y;
    double xx, yy, xy; /* sums of the products of what x and y differ from their means by */
};

/* Welford's algorithm: nothing large is subtracted from something large. */
static void moments_add(void *state, double x, double y)
{
    struct moments *m = state;
    double from_x = x - m->mean_x, from_y = y - m->mean_y;
    m->count++;
    m->mean_x += from_x / m->count;
    m->mean_y += from_y / m->count;
    m->xx += from_x * (x - m->mean_x);
    m->yy += from_y * (y - m->mean_y);
    m->xy += from_x * (y - m->mean_y);
}

static void moments_remove(void *state, double x, double y)
{
    struct moments *m = state;
    if (m->count <= 1) {
        *m = (struct moments){0};
        return;
    }
    double from_x = x - m->mean_x, from_y = y - m->mean_y;
    m->count--;
    m->mean_x -= from_x / m->count;
    m->mean_y -= from_y / m->count;
    m->xx -= from_x * (x - m->mean_x);
    m->yy -= from_y * (y - m->mean_y);
    m->xy -= from_x * (y - m->mean_y);
}

static struct statistic_result of_sample(const struct moments *m, double real)
{
    return (struct statistic_result){.real = m->count > 1 ? real : NAN};
}

static struct statistic_result variance_result(const void *state)
{
    const struct moments *m = state;
    return of_sample(m, m->xx / (m->count - 1));
}

static struct statistic_result stddev_result(const void *state)
{
    const struct moments *m = state;
    return of_sample(m, sqrt(m->xx / (m->count - 1)));
}

static struct statistic_result covar_result(const void *state)
{
    const struct moments *m = state;
    return of_sample(m, m->xy / (m->count - 1));
}

static struct statistic_result corr_result(const void *state)
{
    const struct moments *m = state;
    return of_sample(m, m->xy / sqrt(m->xx * m->yy));
}

/* histogram(x, width): where each bucket begins, and how many values are in it. */
struct bucket {
    double at;
    int64_t count;
};

struct buckets {
    VEC(struct bucket) v;
    struct map places; /* by the bits of `at` */
};

static double bucket_of(double x, double width)
{
    double at = width > 0 ? floor(x / width) * width : x;
    return (isfinite(at) ? at : x) + 0.0; /* -0 is 0 */
}

static uint64_t bits_of(double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    return bits;
}

static void buckets_add(void *state, double x, double width)
{
    struct buckets *b = state;
    double at = bucket_of(x, width);
    bool fresh;
    uint32_t *place = map_insert(&b->places, bits_of(at), &fresh);
    if (fresh) {
        *place = (uint32_t)b->v.count;
        *vec_push(&b->v) = (struct bucket){.at = at};
    }
    b->v.items[*place].count++;
}

static void buckets_remove(void *state, double x, double width)
{
    struct buckets *b = state;
    uint64_t key = bits_of(bucket_of(x, width));
    uint32_t place = *map_find(&b->places, key);
    if (--b->v.items[place].count > 0)
        return;
    struct bucket last = vec_last(&b->v);
    b->v.items[place] = last;
    b->v.count--;
    map_set(&b->places, bits_of(last.at), place);
    map_remove(&b->places, key);
}

static int compare_buckets(const void *a, const void *b)
{
    double x = ((const struct bucket *)a)->at, y = ((const struct bucket *)b)->at;
    return (x > y) - (x < y);
}

static void append_bucket(sqlite3_str *out, struct bucket b)
{
    bool whole = b.at == floor(b.at) && fabs(b.at) < 0x1p63;
    char *real = whole ? NULL : real_text(b.at);
    if (real && strtod(real, NULL) != b.at) { /* another bucket may be called the same */
        sqlite3_free(real);
        real = sqlite3_mprintf("%!.17g", b.at);
    }
    sqlite3_str_appendall(out, sqlite3_str_length(out) ? "," : "{");
    if (whole)
        sqlite3_str_appendf(out, "\"%lld\":%lld", (long long)b.at, (long long)b.count);
    else
        sqlite3_str_appendf(out, "\"%s\":%lld", real, (long long)b.count);
    sqlite3_free(real);
}

static struct statistic_result histogram_result(const void *state)
{
    const struct buckets *b = state;
    struct bucket *sorted = b->v.count ? alloc_array(b->v.count, sizeof *sorted) : NULL;
    if (!sorted)
        return (struct statistic_result){0};
    sqlite3_str *out = sqlite3_str_new(NULL);
    memcpy(sorted, b->v.items, b->v.count * sizeof *sorted);
    qsort(sorted, b->v.count, sizeof *sorted, compare_buckets);
    for (size_t i = 0; i < b->v.count; i++)
        append_bucket(out, sorted[i]);
    sqlite3_str_appendchar(out, 1, '}');
    free(sorted);
    return (struct statistic_result){.text = sqlite3_str_finish(out)};
}

static void buckets_release(void *state)
{
    struct buckets *b = state;
    vec_release(&b->v);
    map_release(&b->places);
}

#define moments_TEXT    false
#define moments_RELEASE NULL
#define buckets_TEXT    true
#define buckets_RELEASE buckets_release
#define ROW(called, of, state)                                                                     \
    [STATISTIC_##called] = {.name = #called,                                                       \
                            .arguments = of,                                                       \
                            .size = sizeof(struct state),                                          \
                            .is_text = state##_TEXT,                                               \
                            .add = state##_add,                                                    \
                            .remove = state##_remove,                                              \
                            .result = called##_result,                                             \
                            .release = state##_RELEASE},
const struct statistic statistics[STATISTIC_COUNT] = {STATISTICS(ROW)};

const struct statistic *statistic_find(struct str name)
{
    for (size_t i = 0; i < STATISTIC_COUNT; i++)
        if (str_eq_any_case(name, str_from(statistics[i].name)))
            return &statistics[i];
    return NULL;
}
