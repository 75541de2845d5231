#include "explain/comparison.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/load.h"
#include "sql/session.h"

void comparison_init(struct comparison *c)
{
    *c = (struct comparison){0};
    arena_init(&c->arena);
}

void comparison_release(struct comparison *c)
{
    for (size_t i = 0; i < c->rows.count; i++)
        for (int side = 0; side < SIDES_COMPARED; side++)
            vec_release(&c->rows.items[i].values[side]);
    vec_release(&c->rows);
    vec_release(&c->beliefs);
    map_release(&c->by_key);
    arena_release(&c->arena);
}

static struct compared *row_of(struct comparison *c, struct str key, enum compared_kind kind)
{
    uint64_t hash = hash_bytes(key.p, key.n, kind);
    bool is_new;
    for (;; hash++) {
        uint32_t *at = map_insert(&c->by_key, hash, &is_new);
        if (!is_new) {
            struct compared *row = &c->rows.items[*at];
            if (row->kind == kind && str_eq(row->key, key))
                return row;
            continue;
        }
        *at = (uint32_t)c->rows.count;
        struct compared *row = vec_push(&c->rows);
        *row =
            (struct compared){.key = arena_copy(&c->arena, key), .kind = kind, .level = LEVEL_NOTE};
        row->words = row->key;
        return row;
    }
}

/* The row's values of all recordings of a side up to now, but for this one. */
static void fill(struct compared *row, int side, size_t recordings)
{
    while (row->values[side].count < recordings)
        *vec_push(&row->values[side]) = row->kind == COMPARED_MEASURE ? (double)NAN : 0.0;
}

/* What a recording has several times is a sum. */
static void add_value(struct comparison *c, int side, struct compared *row, double value)
{
    fill(row, side, c->recordings[side]);
    if (row->values[side].count > c->recordings[side])
        row->values[side].items[c->recordings[side]] += value;
    else
        *vec_push(&row->values[side]) = value;
}

/* A text with a '#' for each number, for free(). */
static char *without_numbers(struct str text)
{
    char *copy = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&copy, &n);
    if (!f)
        alloc_fail();
    put_without_numbers(f, text);
    if (fclose(f) != 0)
        alloc_fail();
    return copy;
}

static void add_times(struct comparison *c, int side, const struct explanation *e)
{
    for (size_t i = 0; i < e->found.times.count; i++) {
        char *name = without_numbers(e->found.times.items[i].name);
        add_value(c, side, row_of(c, str_from(name), COMPARED_TIME), e->found.times.items[i].value);
        free(name);
    }
}

static void add_belief(struct comparison *c, int side, const struct belief *b)
{
    char *text = without_numbers(b->text);
    struct str key = str_from(text);
    struct compared_belief *at = NULL;
    for (size_t i = 0; i < c->beliefs.count && !at; i++)
        if (str_eq(c->beliefs.items[i].kind, b->kind) && str_eq(c->beliefs.items[i].key, key))
            at = &c->beliefs.items[i];
    if (!at) {
        at = vec_push(&c->beliefs);
        *at = (struct compared_belief){.kind = arena_copy(&c->arena, b->kind),
                                       .key = arena_copy(&c->arena, key),
                                       .text = arena_copy(&c->arena, b->text)};
    }
    at->in[side]++;
    free(text);
}

void comparison_add(struct comparison *c, int side, const struct explanation *e)
{
    double cost = 0, severe = 0;
    for (size_t i = 0; i < e->problems.count; i++) {
        const struct problem *p = &e->problems.items[i];
        struct compared *row = row_of(c, p->key, COMPARED_CAUSE);
        if (row->words.p == row->key.p || p->level < row->level)
            row->words = arena_copy(&c->arena, p->cause);
        row->level = p->level < row->level ? p->level : row->level;
        add_value(c, side, row, (double)p->cost);
        cost += p->level == LEVEL_NOTE ? 0 : (double)p->cost / 1e6;
        severe += p->level == LEVEL_SEVERE;
    }
    add_times(c, side, e);
    for (size_t i = 0; i < e->found.beliefs.count; i++)
        if (!str_eq(e->found.beliefs.items[i].kind, STR("recorded")))
            add_belief(c, side, &e->found.beliefs.items[i]);
    for (size_t i = 0; i < e->found.measures.count; i++)
        add_value(c, side, row_of(c, e->found.measures.items[i].name, COMPARED_MEASURE),
                  e->found.measures.items[i].value);
    add_value(c, side, row_of(c, STR("cost"), COMPARED_MEASURE), cost);
    add_value(c, side, row_of(c, STR("severe"), COMPARED_MEASURE), severe);
    c->recordings[side]++;
}

struct status comparison_add_file(struct comparison *c, int side, const char *path,
                                  const struct trace_format *as,
                                  const struct import_options *import,
                                  struct load_progress *progress)
{
    struct trace t;
    struct explanation e;
    struct sql_session *session = NULL;
    trace_init(&t);
    t.builder->options = *import;
    struct status status = trace_load_file_as(&t, path, as, progress);
    if (status_ok(status))
        session = sql_session_new_waiting(&t, &status);
    if (status_ok(status)) {
        status = explain_trace(&e, &t, session,
                               &(struct explain_request){.measures = true, .progress = progress});
        if (status_ok(status))
            comparison_add(c, side, &e);
        explanation_release(&e);
    }
    if (session)
        sql_session_free(session);
    trace_release(&t);
    return status;
}

/* ---- numbers ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median_of(const double *values, size_t n)
{
    VEC(double) sorted = {0};
    double median = (double)NAN;
    for (size_t i = 0; i < n; i++)
        if (!isnan(values[i]))
            *vec_push(&sorted) = values[i];
    if (sorted.count > 1)
        qsort(sorted.items, sorted.count, sizeof *sorted.items, compare_doubles);
    if (sorted.count > 0)
        median = (sorted.items[(sorted.count - 1) / 2] + sorted.items[sorted.count / 2]) / 2;
    vec_release(&sorted);
    return median;
}

/* How many ways there are to choose `n` of the ranks 1..n+m so that they add up to each sum, as
 * parts of all ways: Mann and Whitney's exact distribution of U. */
static double chance_of_u(size_t n, size_t m, double u)
{
    size_t most = n * m, all = (n + 1) * (most + 1);
    double *ways = alloc_array(all, sizeof *ways), less = 0, total = 0;
    ways[0] = 1; /* ways[k * (most + 1) + s]: k of the values before, with s pairs */
    for (size_t value = 1; value <= n + m; value++)
        for (size_t k = value < n ? value : n; k > 0; k--) {
            size_t pairs = value - k; /* of the other group that are smaller, k-th of its own */
            for (size_t s = most + 1; s-- > pairs;)
                if (pairs <= m)
                    ways[k * (most + 1) + s] += ways[(k - 1) * (most + 1) + s - pairs];
        }
    for (size_t s = 0; s <= most; s++) {
        total += ways[n * (most + 1) + s];
        less += (double)s <= u ? ways[n * (most + 1) + s] : 0;
    }
    free(ways);
    return fmin(1, 2 * less / total);
}

/* The rank test of Mann and Whitney, both ways: exact up to 20 recordings a side, else by the
 * normal distribution. Ties count half. */
static double chance_of(const struct compared *row)
{
    enum { EXACT_MAX = 20 };
    double u = 0;
    size_t n = 0, m = 0;
    for (size_t i = 0; i < row->values[0].count; i++)
        n += !isnan(row->values[0].items[i]);
    for (size_t k = 0; k < row->values[1].count; k++)
        m += !isnan(row->values[1].items[k]);
    for (size_t i = 0; i < row->values[0].count; i++)
        for (size_t k = 0; k < row->values[1].count; k++) {
            double a = row->values[0].items[i], b = row->values[1].items[k];
            u += isnan(a) || isnan(b) ? 0 : a > b ? 1 : a < b ? 0 : 0.5;
        }
    if (n == 0 || m == 0)
        return 1;
    u = fmin(u, (double)n * (double)m - u);
    if (n <= EXACT_MAX && m <= EXACT_MAX)
        return chance_of_u(n, m, u);
    double mean = (double)n * (double)m / 2;
    double deviation = sqrt((double)n * (double)m * (double)(n + m + 1) / 12);
    return fmin(1, erfc((mean - u) / deviation / sqrt(2)));
}

double comparison_least_chance(const size_t recordings[SIDES_COMPARED])
{
    double n = (double)recordings[0], m = (double)recordings[1];
    return fmin(1, 2 * exp(lgamma(n + 1) + lgamma(m + 1) - lgamma(n + m + 1)));
}

static double change_of(const struct compared *row)
{
    double change = row->median[1] - row->median[0];
    return isnan(change) ? 0 : change;
}

static int compare_rows(const void *a, const void *b)
{
    const struct compared *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    double cx = fabs(change_of(x)), cy = fabs(change_of(y));
    bool by_change = x->kind != COMPARED_MEASURE && cx != cy;
    return by_change ? (cx > cy ? -1 : 1) : strcmp(x->key.p, y->key.p);
}

void comparison_finish(struct comparison *c)
{
    for (size_t i = 0; i < c->rows.count; i++) {
        struct compared *row = &c->rows.items[i];
        for (int side = 0; side < SIDES_COMPARED; side++) {
            fill(row, side, c->recordings[side]);
            row->median[side] = median_of(row->values[side].items, row->values[side].count);
        }
        row->chance = chance_of(row);
    }
    if (c->rows.count > 1)
        qsort(c->rows.items, c->rows.count, sizeof *c->rows.items, compare_rows);
}

/* ---- conditions ---- */

static const struct compared *measure_of(const struct comparison *c, struct str name)
{
    for (size_t i = 0; i < c->rows.count; i++)
        if (c->rows.items[i].kind == COMPARED_MEASURE && str_eq(c->rows.items[i].key, name))
            return &c->rows.items[i];
    return NULL;
}

struct status condition_read(const char *text, struct condition *c)
{
    struct str rest = str_from(text), op;
    c->measure = str_take_word(&rest);
    op = str_take_word(&rest);
    struct str limit = str_trim(rest);
    bool falls = str_starts(limit, STR("-"));
    c->more = str_eq(op, STR(">"));
    c->relative = falls || str_starts(limit, STR("+"));
    c->percent = str_ends(limit, STR("%"));
    struct str digits = c->percent ? str_from_to(limit, 0, limit.n - 1) : limit;
    digits = c->relative ? str_skip(digits, 1) : digits;
    if ((!c->more && !str_eq(op, STR("<"))) || (c->percent && !c->relative) ||
        !str_to_f64(digits, &c->limit))
        return status_error(STATUS_USAGE,
                            "%s is no condition: expected MEASURE > LIMIT (or <), with a limit of "
                            "3, +5 or +10%%",
                            text);
    c->limit = falls ? -c->limit : c->limit;
    return status_ok_value();
}

struct status comparison_check(const struct comparison *c, const struct condition *asked, bool *met)
{
    const struct compared *row = measure_of(c, asked->measure);
    if (!row || isnan(row->median[1]) || (asked->relative && isnan(row->median[0])))
        return status_error(STATUS_USAGE, "%.*s: the recordings have no such measure",
                            (int)asked->measure.n, asked->measure.p);
    double value = asked->relative ? row->median[1] - row->median[0] : row->median[1];
    double limit = asked->percent ? asked->limit * fabs(row->median[0]) / 100 : asked->limit;
    *met = asked->more ? value > limit : value < limit;
    return status_ok_value();
}
