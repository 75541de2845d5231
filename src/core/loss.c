#include "core/loss.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/stats.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

/* From this share of all events on it matters. */
#define SHARE_MATTERS 0.01
/* Of events that nobody draws, which healthy recordings have some of, more. */
#define SHARE_UNSHOWN_MATTERS 0.1

struct loss {
    enum stat_key key;
    int64_t value;
    double share; /* NULL_F64: not known */
    bool matters;
};

#define ANYWHERE "anywhere in the recording"

/* Of tables that hold events the rows. */
static int64_t events_read(const struct trace *trace)
{
    int64_t n = 0;
    for (size_t i = 0; i < TABLE_COUNT; i++) {
        const struct table *t = &tables_array_const(&trace->tables)[i];
        if (table_def_event_time(t->def))
            n += t->rows;
    }
    return n;
}

/* Of each stat all rows: of machines, files and indexes. */
static void add_up(const struct trace *trace, int64_t sums[STAT_COUNT])
{
    const struct table *t = &trace->tables.stats;
    for (uint32_t i = 0; i < t->rows; i++) {
        int64_t key = table_i64(t, stats_col_key)[i], value = table_i64(t, stats_col_value)[i];
        if (stat_defs[key].loss == STAT_LOSS_flag)
            sums[key] += value != 0;
        else if (value > 0 && __builtin_add_overflow(sums[key], value, &sums[key]))
            sums[key] = INT64_MAX;
    }
}

static struct loss loss_of(enum stat_key key, int64_t value, int64_t read, int64_t missing)
{
    struct loss l = {.key = key, .value = value, .share = NULL_F64};
    switch (stat_defs[key].loss) {
    case STAT_LOSS_event:
        l.share = (double)value / ((double)read + (double)missing);
        l.matters = l.share >= SHARE_MATTERS;
        break;
    case STAT_LOSS_unshown:
        l.share = (double)value / ((double)read + (double)missing);
        l.matters = l.share >= SHARE_UNSHOWN_MATTERS;
        break;
    case STAT_LOSS_doubt:
        l.share = value < read ? (double)value / (double)read : 1;
        l.matters = l.share >= SHARE_MATTERS;
        break;
    case STAT_LOSS_place:
    case STAT_LOSS_flag:
    case STAT_LOSS_bytes:
        l.matters = true;
        break;
    case STAT_LOSS_figure:
    case STAT_LOSS_again:
    case STAT_LOSS_aside:
        break;
    }
    return l;
}

/* What matters first, then what is missing for certain; the larger before the smaller. */
static int compare_losses(const void *pa, const void *pb)
{
    static const int order[] = {
        [STAT_LOSS_event] = 0, [STAT_LOSS_unshown] = 0, [STAT_LOSS_place] = 1,
        [STAT_LOSS_flag] = 1,  [STAT_LOSS_bytes] = 1,   [STAT_LOSS_doubt] = 2,
        [STAT_LOSS_again] = 3, [STAT_LOSS_aside] = 4,
    };
    const struct loss *a = pa, *b = pb;
    int oa = order[stat_defs[a->key].loss], ob = order[stat_defs[b->key].loss];
    if (a->matters != b->matters)
        return a->matters ? -1 : 1;
    if (oa != ob)
        return oa - ob;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (int)a->key - (int)b->key;
}

static void print_share(char *out, size_t size, double share, const char *of)
{
    double percent = share * 100;
    if (share < 1 && percent > 99.9)
        percent = 99.9;
    if (isnan(share)) /* of a window: who counts does not say when */
        snprintf(out, size, ANYWHERE);
    else if (percent < 0.01)
        snprintf(out, size, "below 0.01 %% of %s", of);
    else
        snprintf(out, size, "%.*g %% of %s", percent > 99 ? 3 : 2, percent, of);
}

static void print_summary(char *out, size_t size, const struct loss *l, bool is_window)
{
    const char *text = stat_defs[l->key].description;
    const char *where = is_window ? " (" ANYWHERE ")" : "";
    char share[32];
    print_share(share, sizeof share, l->share,
                stat_defs[l->key].loss == STAT_LOSS_doubt ? "all events" : "all");
    switch (stat_defs[l->key].loss) {
    case STAT_LOSS_event:
        snprintf(out, size, "%" PRId64 " event%s (%s) %s missing: %s", l->value,
                 l->value == 1 ? "" : "s", share, l->value == 1 ? "is" : "are", text);
        break;
    case STAT_LOSS_unshown:
        snprintf(out, size, "%" PRId64 " event%s (%s) %s not shown: %s", l->value,
                 l->value == 1 ? "" : "s", share, l->value == 1 ? "is" : "are", text);
        break;
    case STAT_LOSS_place:
    case STAT_LOSS_flag:
        snprintf(out, size, "events are missing in %" PRId64 " place%s%s: %s", l->value,
                 l->value == 1 ? "" : "s", where, text);
        break;
    case STAT_LOSS_bytes:
        snprintf(out, size, "%" PRId64 " byte%s of events are missing%s: %s", l->value,
                 l->value == 1 ? "" : "s", where, text);
        break;
    case STAT_LOSS_doubt:
        snprintf(out, size, "%" PRId64 " doubtful (%s): %s", l->value, share, text);
        break;
    case STAT_LOSS_figure:
    case STAT_LOSS_again:
    case STAT_LOSS_aside:
        snprintf(out, size, "%" PRId64 ": %s", l->value, text);
        break;
    }
}

static void append_loss(struct trace *t, const struct loss *l)
{
    static const char *const effects[] = {
        [STAT_LOSS_event] = "event", [STAT_LOSS_unshown] = "unshown", [STAT_LOSS_place] = "place",
        [STAT_LOSS_flag] = "place",  [STAT_LOSS_bytes] = "bytes",     [STAT_LOSS_doubt] = "doubt",
        [STAT_LOSS_again] = "again", [STAT_LOSS_aside] = "aside",
    };
    const struct stat_def *def = &stat_defs[l->key];
    char summary[512];
    print_summary(summary, sizeof summary, l, t->builder->has_window);
    struct loss_row row = {
        .name = trace_intern_c(t, def->name),
        .effect = trace_intern_c(t, effects[def->loss]),
        .value = l->value,
        .share = l->share,
        .matters = l->matters,
        .summary = trace_intern_c(t, summary),
        .description = trace_intern_c(t, def->description),
        .remedy = trace_intern_c(t, def->remedy),
    };
    loss_append(&t->tables.loss, &row);
}

void loss_finish(struct trace *t)
{
    int64_t sums[STAT_COUNT] = {0}, missing = 0, read = events_read(t);
    struct loss losses[STAT_COUNT];
    size_t count = 0;
    add_up(t, sums);
    for (enum stat_key key = 0; key < STAT_COUNT; key++)
        sums[key] += stats_unpublished(t, key) - t->builder->harmless[key];
    for (enum stat_key key = 0; key < STAT_COUNT; key++)
        if ((stat_defs[key].loss == STAT_LOSS_event || stat_defs[key].loss == STAT_LOSS_unshown) &&
            __builtin_add_overflow(missing, sums[key], &missing))
            missing = INT64_MAX;
    for (enum stat_key key = 0; key < STAT_COUNT; key++)
        if (sums[key] > 0 && stat_defs[key].loss != STAT_LOSS_figure)
            losses[count++] = loss_of(key, sums[key], read, missing);
    /* A window has the counts of all of the recording (of Perfetto's service, of heads of texts, of
     * lines that its cutter could not read) beside its own, which are no share of the events that
     * it has: whether they matter to it is judged rather too strictly. */
    for (size_t i = 0; t->builder->has_window && i < count; i++)
        losses[i].share = NULL_F64;
    qsort(losses, count, sizeof *losses, compare_losses);
    for (size_t i = 0; i < count; i++)
        append_loss(t, &losses[i]);
}

static struct str text_of(const struct trace *trace, uint32_t row, uint32_t column)
{
    return string_pool_get(&trace->strings, column_str(&trace->tables.loss.columns[column], row));
}

static bool has_effect(const struct trace *t, uint32_t row, const char *effect)
{
    return str_eq(text_of(t, row, loss_col_effect), str_from(effect));
}

struct loss_total loss_total(const struct trace *trace)
{
    const struct table *t = &trace->tables.loss;
    struct loss_total total = {0};
    for (uint32_t i = 0; i < t->rows; i++) {
        bool is_event = has_effect(trace, i, "event"), is_doubt = has_effect(trace, i, "doubt");
        bool is_more = has_effect(trace, i, "place") || has_effect(trace, i, "bytes");
        bool is_unshown = has_effect(trace, i, "unshown");
        bool matters = table_u32(t, loss_col_matters)[i];
        int64_t *sum = is_doubt ? &total.doubtful : &total.events;
        total.more |= is_more;
        total.missing |= matters && (is_event || is_more);
        total.matters |= matters && (is_event || is_more || is_unshown);
        if ((is_event || is_doubt || is_unshown) &&
            __builtin_add_overflow(*sum, table_i64(t, loss_col_value)[i], sum))
            *sum = INT64_MAX;
    }
    return total;
}

bool loss_of_cpu(const struct trace *trace, uint32_t ucpu)
{
    const struct table *t = &trace->tables.stats;
    for (uint32_t i = 0; i < t->rows; i++) {
        const struct stat_def *def = &stat_defs[table_i64(t, stats_col_key)[i]];
        const struct column *idx = &t->columns[stats_col_idx];
        const struct column *machine = &t->columns[stats_col_machine_id];
        bool missing = def->loss == STAT_LOSS_event || def->loss == STAT_LOSS_flag;
        if (missing && strncmp(def->name, "ftrace_cpu_", 11) == 0 && !column_is_null(idx, i) &&
            column_int(idx, i) == ucpu % CPUS_PER_MACHINE &&
            (column_is_null(machine, i) || column_int(machine, i) == ucpu / CPUS_PER_MACHINE) &&
            table_i64(t, stats_col_value)[i] > 0)
            return true;
    }
    return false;
}

static int print_row(const struct trace *trace, uint32_t row, char *out, size_t size)
{
    struct str summary = text_of(trace, row, loss_col_summary);
    struct str remedy = text_of(trace, row, loss_col_remedy);
    struct str name = text_of(trace, row, loss_col_name);
    return snprintf(out, size, "%.*s %.*s [%.*s]", (int)summary.n, summary.p, (int)remedy.n,
                    remedy.p, (int)name.n, name.p);
}

void loss_print_doubt(const struct trace *trace, char *out, size_t size)
{
    const struct table *t = &trace->tables.loss;
    uint32_t row = 0;
    out[0] = 0;
    while (row < t->rows && !has_effect(trace, row, "doubt"))
        row++;
    if (row < t->rows)
        print_row(trace, row, out, size);
}

void loss_print(const struct trace *trace, char *out, size_t size)
{
    const struct table *t = &trace->tables.loss;
    uint32_t worst = t->rows, others = 0;
    for (uint32_t i = t->rows; i-- > 0;) {
        if (!has_effect(trace, i, "event") && !has_effect(trace, i, "place") &&
            !has_effect(trace, i, "bytes") && !has_effect(trace, i, "unshown"))
            continue;
        others += worst < t->rows;
        worst = i;
    }
    out[0] = 0;
    if (worst == t->rows)
        return;
    int n = print_row(trace, worst, out, size);
    if (others > 0 && n > 0 && (size_t)n < size)
        snprintf(out + n, size - (size_t)n, " More are in tptui_loss (%" PRIu32 ").", others);
}

void loss_print_stat(enum stat_key key, int64_t value, char *out, size_t size)
{
    const struct loss l = {.key = key, .value = value};
    char summary[512];
    print_summary(summary, sizeof summary, &l, false);
    snprintf(out, size, "%s %s [%s]", summary, stat_defs[key].remedy, stat_defs[key].name);
}
