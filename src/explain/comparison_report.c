#include <math.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "explain/comparison.h"
#include "explain/report.h"
#include "base/json_escape.h"

static void put_shown(FILE *f, struct str s)
{
    char *shown = text_escape(s);
    fputs(shown, f);
    free(shown);
}

/* A cause is not there where it costs nothing. */
static bool is_there(const struct compared *row, int side)
{
    return row->kind == COMPARED_MEASURE ? !isnan(row->median[side]) : row->median[side] != 0;
}

static const char *verdict_of(const struct compared *row)
{
    if (is_there(row, 0) != is_there(row, 1))
        return is_there(row, 1) ? "appeared" : "vanished";
    return row->median[1] > row->median[0]   ? "more"
           : row->median[1] < row->median[0] ? "less"
                                             : "same";
}

/* Causes whose cost did not change are left out, and times that changed by little, or perhaps by
 * chance. */
static bool is_told(const struct comparison *c, const struct compared *row)
{
    enum { LITTLE_NS = 1000000, PERCENT = 10 };
    double before = row->median[0], after = row->median[1], change = fabs(after - before);
    switch (row->kind) {
    case COMPARED_CAUSE:
        return before != after;
    case COMPARED_TIME:
        return change > LITTLE_NS && change > fmax(before, after) * PERCENT / 100 &&
               row->chance <= fmax(0.05, comparison_least_chance(c->recordings) * 1.001);
    case COMPARED_MEASURE:
        return !isnan(before) || !isnan(after);
    }
    return false;
}

/* Whether a row is one of the first ones of its kind that are told of. */
static bool has_room(const struct comparison *c, const struct compared *row, uint32_t limit,
                     uint32_t *told)
{
    return is_told(c, row) &&
           (row->kind == COMPARED_MEASURE || limit == 0 || told[row->kind]++ < limit);
}

static void print_value(char *out, size_t size, const struct compared *row, int side)
{
    if (!is_there(row, side) && row->kind == COMPARED_MEASURE)
        snprintf(out, size, "-");
    else if (row->kind == COMPARED_MEASURE)
        snprintf(out, size, "%.4g", row->median[side]);
    else
        report_time(out, size, (int64_t)row->median[side]);
}

static void print_rows(const struct comparison *c, uint32_t limit, FILE *f, const char *before,
                       const char *between)
{
    uint32_t told[COMPARED_MEASURE + 1] = {0};
    for (size_t i = 0; i < c->rows.count; i++) {
        const struct compared *row = &c->rows.items[i];
        char values[SIDES_COMPARED][32];
        if (!has_room(c, row, limit, told))
            continue;
        for (int side = 0; side < SIDES_COMPARED; side++)
            print_value(values[side], sizeof values[side], row, side);
        fprintf(f, "%s%-8s%s%9s -> %-9s%schance %.2g%s", before, verdict_of(row), between,
                values[0], values[1], between, row->chance, between);
        put_shown(f, row->words);
        fputc('\n', f);
    }
}

static void print_head(const struct comparison *c, FILE *f)
{
    fprintf(f,
            "%zu and %zu recordings: medians, and the chance of such a difference where there is "
            "none (Mann and Whitney's test; the least that so many can show is %.2g)\n",
            c->recordings[0], c->recordings[1], comparison_least_chance(c->recordings));
}

static void print_beliefs(const struct comparison *c, FILE *f, const char *before)
{
    for (size_t i = 0; i < c->beliefs.count; i++) {
        const struct compared_belief *b = &c->beliefs.items[i];
        fprintf(f, "%s%.*s in %zu of %zu before, %zu of %zu after: ", before, (int)b->kind.n,
                b->kind.p, b->in[0], c->recordings[0], b->in[1], c->recordings[1]);
        put_shown(f, b->text);
        fputc('\n', f);
    }
}

void comparison_print_text(const struct comparison *c, uint32_t limit, FILE *f)
{
    print_head(c, f);
    print_beliefs(c, f, "  ");
    print_rows(c, limit, f, "  ", "  ");
}

void comparison_print_markdown(const struct comparison *c, uint32_t limit, FILE *f)
{
    print_head(c, f);
    fputs("\n```\n", f);
    print_beliefs(c, f, "");
    print_rows(c, limit ? limit : 200, f, "", "  ");
    fputs("```\n", f);
}

static void put_number(FILE *f, double v)
{
    if (isnan(v))
        fputs("null", f);
    else
        fprintf(f, "%.17g", v);
}

void comparison_print_json(const struct comparison *c, uint32_t limit, FILE *f)
{
    static const char *const words[] = {"key", "time", "measure"};
    uint32_t told[COMPARED_MEASURE + 1] = {0};
    const char *comma = "";
    fprintf(f, "{\"schema\": 1, \"recordings\": [%zu, %zu], \"beliefs\": [", c->recordings[0],
            c->recordings[1]);
    for (size_t i = 0; i < c->beliefs.count; i++) {
        const struct compared_belief *b = &c->beliefs.items[i];
        fprintf(f, "%s\n  {\"kind\": \"%.*s\", \"text\": ", i ? "," : "", (int)b->kind.n,
                b->kind.p);
        json_put_text(f, b->text);
        fprintf(f, ", \"recordings\": [%zu, %zu]}", b->in[0], b->in[1]);
    }
    fputs("], \"rows\": [", f);
    for (size_t i = 0; i < c->rows.count; i++) {
        const struct compared *row = &c->rows.items[i];
        if (!has_room(c, row, limit, told))
            continue;
        fprintf(f, "%s\n  {\"%s\": ", comma, words[row->kind]);
        comma = ",";
        json_put_text(f, row->key);
        if (row->kind == COMPARED_CAUSE) {
            fprintf(f, ", \"level\": \"%s\", \"cause\": ", explain_level_word(row->level));
            json_put_text(f, row->words);
        }
        fprintf(f, ", \"verdict\": \"%s\", \"medians\": [", verdict_of(row));
        put_number(f, row->median[0]);
        fputs(", ", f);
        put_number(f, row->median[1]);
        fprintf(f, "], \"chance\": %.6g}", row->chance);
    }
    fputs("]}\n", f);
}
