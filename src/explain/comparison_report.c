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

static const char *verdict_of(const struct compared *row)
{
    if (!row->is_measure && row->median[0] == 0 && row->median[1] > 0)
        return "appeared";
    if (!row->is_measure && row->median[1] == 0 && row->median[0] > 0)
        return "vanished";
    return row->median[1] > row->median[0]   ? "more"
           : row->median[1] < row->median[0] ? "less"
                                             : "same";
}

/* Causes whose cost did not change are left out. */
static bool is_told(const struct compared *row)
{
    return row->is_measure ? !isnan(row->median[0]) || !isnan(row->median[1])
                           : row->median[0] != row->median[1];
}

static void print_value(char *out, size_t size, const struct compared *row, int side)
{
    if (row->is_measure)
        snprintf(out, size, "%.4g", row->median[side]);
    else
        report_time(out, size, (int64_t)row->median[side]);
}

static void print_rows(const struct comparison *c, uint32_t limit, FILE *f, const char *before,
                       const char *between)
{
    uint32_t causes = 0;
    for (size_t i = 0; i < c->rows.count; i++) {
        const struct compared *row = &c->rows.items[i];
        char values[SIDES_COMPARED][32];
        if (!is_told(row) || (!row->is_measure && limit && causes++ >= limit))
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
            c->recordings[0], c->recordings[1],
            fmin(1, 2 * exp(lgamma((double)c->recordings[0] + 1) +
                            lgamma((double)c->recordings[1] + 1) -
                            lgamma((double)(c->recordings[0] + c->recordings[1]) + 1))));
}

void comparison_print_text(const struct comparison *c, uint32_t limit, FILE *f)
{
    print_head(c, f);
    print_rows(c, limit, f, "  ", "  ");
}

void comparison_print_markdown(const struct comparison *c, uint32_t limit, FILE *f)
{
    print_head(c, f);
    fputs("\n```\n", f);
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
    uint32_t causes = 0;
    const char *comma = "";
    fprintf(f, "{\"schema\": 1, \"recordings\": [%zu, %zu], \"rows\": [", c->recordings[0],
            c->recordings[1]);
    for (size_t i = 0; i < c->rows.count; i++) {
        const struct compared *row = &c->rows.items[i];
        if (!is_told(row) || (!row->is_measure && limit && causes++ >= limit))
            continue;
        fprintf(f, "%s\n  {\"%s\": ", comma, row->is_measure ? "measure" : "key");
        comma = ",";
        json_put_text(f, row->key);
        if (!row->is_measure) {
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
