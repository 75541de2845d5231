#include "tui/query/grid_report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/export/result_writer.h"
#include "text/time_format.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/rows_job.h"
#include "tui/result/result_summary.h"

enum { VALUE_SIZE = 4096, SUM_ROWS_MAX = 1000000 };

void grid_print_number(const struct grid_column *column, double d, char *out, size_t size)
{
    if (column->kind == COLUMN_DURATION && d > -9e18 && d < 9e18)
        format_dur_short(out, size, (int64_t)d);
    else
        format_value(out, size, d);
}

static void print_sums(const struct grid_column *column, const struct result_sums *s, FILE *f)
{
    char sum[48], mean[48], smallest[48], largest[48];
    fprintf(f, "%" PRIu64 " row%s", s->rows, s->rows == 1 ? "" : "s");
    if (s->nulls > 0)
        fprintf(f, ", %" PRIu64 " NULL", s->nulls);
    if (s->numbers == 0)
        return;
    grid_print_number(column, s->whole ? (double)s->whole_sum : s->sum, sum, sizeof sum);
    grid_print_number(column, s->sum / (double)s->numbers, mean, sizeof mean);
    grid_print_number(column, s->smallest, smallest, sizeof smallest);
    grid_print_number(column, s->largest, largest, sizeof largest);
    fprintf(f, ": sum %s, mean %s, from %s to %s", sum, mean, smallest, largest);
}

void grid_print_sums(struct app *a, char *out, size_t size)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    out[0] = '\0';
    if (!column || g->anchor == NO_ROW || grid_rows(g) == 0)
        return;
    struct grid_range range = grid_selection(g);
    uint32_t count = range.to - range.from;
    if (count > SUM_ROWS_MAX) {
        snprintf(out, size, "%" PRIu32 " rows; H sums up all", count);
        return;
    }
    uint32_t *rows = alloc_array((size_t)count + 1, sizeof *rows);
    for (uint32_t i = 0; i < count; i++)
        rows[i] = grid_row(g, range.from + i);
    struct result_sums sums =
        result_sum(g->result, column->source, (struct result_rows_of){rows, count}, NULL);
    free(rows);
    FILE *f = fmemopen(out, size, "w");
    if (!f)
        return;
    fprintf(f, "%s of ", result_name(g->result, column->source));
    print_sums(column, &sums, f);
    fclose(f);
}

struct histogram_job {
    struct rows_job rows;
    struct grid_column column;
    struct histogram h;
    bool done;
};

static void run_histogram(struct job *job, struct worker *w)
{
    struct histogram_job *j = (struct histogram_job *)job;
    struct result_rows_of rows = {j->rows.order ? j->rows.order->rows : NULL, j->rows.count};
    j->done =
        result_histogram(j->rows.result, j->column.source, rows, worker_cancel_flag(w), &j->h);
}

static void print_bar(const struct histogram_job *j, const struct histogram_bar *bar,
                      uint64_t highest, FILE *f)
{
    char from[48], to[48], label[100], drawn[BAR_BYTES_MAX];
    bar_text(bar->count, highest, BAR_MAX, drawn);
    if (j->h.of_texts) {
        snprintf(label, sizeof label, "%.*s", (int)(bar->text.n < 48 ? bar->text.n : 48),
                 bar->text.n ? bar->text.p : "");
    } else {
        grid_print_number(&j->column, bar->from, from, sizeof from);
        grid_print_number(&j->column, bar->to, to, sizeof to);
        snprintf(label, sizeof label, "%s .. %s", from, to);
    }
    fprintf(f, "%-*s %10" PRIu64 "  %s\n", j->h.of_texts ? 48 : 28, label, bar->count, drawn);
}

static char *print_histogram(const struct histogram_job *j)
{
    static const char *const names[] = {"25 %", "50 %", "75 %", "90 %", "99 %"};
    char *text = NULL, value[48];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    uint64_t highest = 0;
    if (!f)
        return alloc_copy("", 0);
    print_sums(&j->column, &j->h.sums, f);
    if (j->h.of_texts)
        fprintf(f, ", %" PRIu64 " different texts", j->h.different);
    fputc('\n', f);
    for (int i = 0; i < 5 && !j->h.of_texts && j->h.sums.numbers > 0; i++) {
        grid_print_number(&j->column, j->h.at[i], value, sizeof value);
        fprintf(f, "%s%s of them up to %s", i ? ", " : "", names[i], value);
    }
    fputs("\n\n", f);
    for (uint32_t i = 0; i < j->h.bars; i++)
        highest = j->h.bar[i].count > highest ? j->h.bar[i].count : highest;
    for (uint32_t i = 0; i < j->h.bars; i++)
        print_bar(j, &j->h.bar[i], highest, f);
    fclose(f);
    return text;
}

static effects finish_histogram(struct job *job, struct app *a)
{
    struct histogram_job *j = (struct histogram_job *)job;
    struct grid *g = rows_job_grid(&j->rows, a);
    if (g && j->done) {
        char title[100];
        snprintf(title, sizeof title, "values of %s", result_name(g->result, j->column.source));
        char *text = print_histogram(j);
        app_show_text(a, str_from(title), str_from(text));
        free(text);
    }
    rows_job_release(&j->rows);
    free(j);
    return EFFECT_NONE;
}

void grid_show_histogram(struct app *a)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    if (!column || grid_rows(g) == 0)
        return;
    struct histogram_job *j = alloc_array(1, sizeof *j);
    j->rows.job = (struct job){run_histogram, finish_histogram, NULL};
    j->column = *column;
    rows_job_start(&j->rows, a, g);
}

static void put_value(struct grid *g, const struct grid_column *column, FILE *f)
{
    char text[VALUE_SIZE];
    struct sql_value v = grid_value(g, g->row, column->source);
    if (v.type == SQL_TEXT) {
        fwrite(v.s.p, 1, v.s.n, f);
    } else if (v.type == SQL_NULL) {
        fputs("NULL", f);
    } else if (v.type == SQL_BLOB) {
        char *hex = result_value_text(&v);
        fputs(hex, f);
        free(hex);
    } else {
        grid_text(g, column, &v, text, sizeof text);
        fputs(text, f);
    }
    if (column->kind == COLUMN_DURATION && v.type == SQL_INT && !g->style.human_durations) {
        format_dur_short(text, sizeof text, v.i);
        fprintf(f, "  (%s)", text);
    }
}

static int widest_name(const struct grid *g)
{
    size_t widest = 0;
    for (size_t i = 0; i < g->columns.count; i++) {
        size_t n = strlen(result_name(g->result, g->columns.items[i].source));
        widest = n > widest && n < 40 ? n : widest;
    }
    return (int)widest;
}

void grid_show_record(struct app *a)
{
    struct grid *g = a->query->grid;
    char *text = NULL, title[64];
    size_t size = 0;
    FILE *f = g && grid_rows(g) ? open_memstream(&text, &size) : NULL;
    if (!f)
        return;
    for (size_t i = 0; i < g->columns.count; i++) {
        const struct grid_column *column = &g->columns.items[i];
        fprintf(f, "%-*s  ", widest_name(g), result_name(g->result, column->source));
        put_value(g, column, f);
        fputc('\n', f);
    }
    fclose(f);
    snprintf(title, sizeof title, "row %" PRIu32 " of %" PRIu32, g->row + 1, grid_rows(g));
    uint32_t top = a->overlay == OVERLAY_TEXT ? a->text_view.top : 0;
    app_show_text(a, str_from(title), (struct str){text, size});
    a->text_view.top = top;
    a->text_view.of_record = true;
    free(text);
}

void grid_show_cell(struct app *a)
{
    struct grid *g = a->query->grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    char *text = NULL;
    size_t size = 0;
    FILE *f = column && grid_rows(g) ? open_memstream(&text, &size) : NULL;
    if (!f)
        return;
    put_value(g, column, f);
    fclose(f);
    app_show_text(a, str_from(result_name(g->result, column->source)), (struct str){text, size});
    free(text);
}
