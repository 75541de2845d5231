#include "tui/app/grid_jobs.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/export/result_writer.h"
#include "sql/export/sqlite_export.h"
#include "tui/app/pattern.h"
#include "tui/app/state.h"
#include "tui/result/result_sort.h"
#include "tui/result/result_summary.h"
#include "tui/view/time_format.h"

enum { STEPS_PER_CHECK = 1 << 12, VALUE_SIZE = 4096, SUM_ROWS_MAX = 1000000, BAR_WIDTH = 40 };

/* A job on rows of a result as they were shown when it was asked. */
struct rows_job {
    struct job job;
    struct result *result;
    struct row_order *order; /* NULL: the first `count` as they came */
    uint32_t count;
};

static void rows_job_start(struct rows_job *j, struct app *a, struct grid *g)
{
    j->result = result_retain(g->result);
    j->order = row_order_retain(g->order);
    j->count = grid_rows(g);
    worker_push(a->helper, &j->job);
}

static void rows_job_release(struct rows_job *j)
{
    result_release(j->result);
    row_order_release(j->order);
}

static uint32_t row_at(const struct rows_job *j, uint32_t i)
{
    return j->order ? j->order->rows[i] : i;
}

/* The grid that the job was asked for; NULL where another result is shown by now. */
static struct grid *grid_of(const struct rows_job *j, struct app *a)
{
    return a && a->query.grid && a->query.grid->result == j->result ? a->query.grid : NULL;
}

/* ---- filters and order ---- */

struct order_job {
    struct rows_job rows;
    VEC(struct grid_filter) filters; /* copies, with texts of their own */
    int sorted_by;
    bool descending;
    uint32_t wish;
    uint32_t *found;
    uint32_t found_count;
    bool done;
    char error[160];
};

static bool same_value(const struct sql_value *a, const struct sql_value *b)
{
    if (a->type != b->type)
        return false;
    switch (a->type) {
    case SQL_NULL:
        return true;
    case SQL_INT:
        return a->i == b->i;
    case SQL_REAL:
        return a->d == b->d;
    case SQL_TEXT:
    case SQL_BLOB:
        return str_eq(a->s, b->s);
    }
    return false;
}

static bool value_matches(struct pattern *p, const struct sql_value *v)
{
    char text[64];
    if (v->type == SQL_TEXT)
        return pattern_matches(p, v->s);
    result_text(v, text, sizeof text);
    return v->type != SQL_NULL && pattern_matches(p, str_from(text));
}

static bool passes(const struct grid_filter *f, struct pattern *p, const struct sql_value *v)
{
    if (f->kind == FILTER_MATCHES)
        return value_matches(p, v);
    return same_value(v, &f->value) == (f->kind == FILTER_EQUAL);
}

/* Keeps the rows that pass one filter. */
static bool apply_filter(struct order_job *j, const struct grid_filter *f, struct worker *w)
{
    struct result_reader reader = {.result = j->rows.result};
    struct pattern *p = NULL;
    uint32_t kept = 0;
    bool go_on = true;
    if (f->kind == FILTER_MATCHES && !(p = pattern_new(f->text, j->error, sizeof j->error)))
        return false;
    for (uint32_t i = 0; i < j->found_count && go_on; i++) {
        struct sql_value v = result_read(&reader, j->found[i], f->source);
        if (passes(f, p, &v))
            j->found[kept++] = j->found[i];
        go_on = i % STEPS_PER_CHECK || !worker_cancelled(w);
    }
    j->found_count = kept;
    if (p)
        pattern_free(p);
    return go_on;
}

static void run_order(struct job *job, struct worker *w)
{
    struct order_job *j = (struct order_job *)job;
    uint32_t rows = result_rows(j->rows.result);
    j->found = alloc_array((size_t)rows + 1, sizeof *j->found);
    j->found_count = rows;
    for (uint32_t i = 0; i < rows; i++)
        j->found[i] = i;
    j->done = true;
    for (size_t i = 0; i < j->filters.count && j->done; i++)
        j->done = apply_filter(j, &j->filters.items[i], w);
    if (j->done && j->sorted_by >= 0)
        j->done = result_sort(j->rows.result, (uint32_t)j->sorted_by, j->descending, j->found,
                              j->found_count, worker_cancel_flag(w));
}

static effects finish_order(struct job *job, struct app *a)
{
    struct order_job *j = (struct order_job *)job;
    struct grid *g = grid_of(&j->rows, a);
    g = g && g->wishes == j->wish ? g : NULL; /* or another one is wanted by now */
    if (g)
        g->ordering = false;
    if (g && j->done) {
        grid_set_order(g, row_order_new(j->found, j->found_count));
        j->found = NULL;
    } else if (g) {
        app_complain(a, "%s", j->error[0] ? j->error : "cancelled");
        if (j->error[0])
            grid_drop_filter(g);
    }
    for (size_t i = 0; i < j->filters.count; i++)
        free(j->filters.items[i].text);
    vec_release(&j->filters);
    rows_job_release(&j->rows);
    free(j->found);
    free(j);
    return EFFECT_ROWS;
}

static struct grid_filter copy_filter(const struct grid_filter *f)
{
    struct grid_filter copy = *f;
    bool bytes = f->value.type == SQL_TEXT || f->value.type == SQL_BLOB;
    copy.text =
        bytes ? alloc_copy(f->value.s.p, f->value.s.n) : alloc_copy(f->text, strlen(f->text));
    if (bytes)
        copy.value.s.p = copy.text;
    return copy;
}

void grid_reorder(struct app *a)
{
    struct grid *g = a->query.grid;
    if (!g)
        return;
    g->wishes++;
    if (g->filters.count == 0 && g->sorted_by < 0) {
        g->ordering = false;
        grid_set_order(g, NULL);
        return;
    }
    struct order_job *j = alloc_array(1, sizeof *j);
    j->rows.job = (struct job){run_order, finish_order, NULL};
    j->sorted_by = g->sorted_by;
    j->descending = g->descending;
    j->wish = g->wishes;
    for (size_t i = 0; i < g->filters.count; i++)
        *vec_push(&j->filters) = copy_filter(&g->filters.items[i]);
    g->ordering = true;
    rows_job_start(&j->rows, a, g);
}

void grid_sort(struct app *a)
{
    struct grid *g = a->query.grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    if (!column)
        return;
    bool same = g->sorted_by == (int)column->source;
    if (same && g->descending)
        g->sorted_by = -1;
    else
        g->sorted_by = (int)column->source;
    g->descending = same && g->sorted_by >= 0;
    grid_reorder(a);
}

void grid_filter_value(struct app *a, bool different)
{
    struct grid *g = a->query.grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    char text[64];
    if (!column || grid_rows(g) == 0)
        return;
    struct sql_value v = grid_value(g, g->row, column->source);
    result_text(&v, text, sizeof text);
    grid_add_filter(g, different ? FILTER_DIFFERENT : FILTER_EQUAL, column->source, &v, text);
    grid_reorder(a);
}

void grid_filter_pattern(struct app *a, struct str pattern)
{
    struct grid *g = a->query.grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    if (!column || pattern.n == 0)
        return;
    char *text = alloc_copy(pattern.p, pattern.n);
    grid_add_filter(g, FILTER_MATCHES, column->source, NULL, text);
    free(text);
    grid_reorder(a);
}

void grid_unfilter(struct app *a)
{
    struct grid *g = a->query.grid;
    if (!g || g->filters.count == 0) {
        app_say(a, "no filter is set: = and ! take the value under the cursor, & an expression");
        return;
    }
    grid_drop_filter(g);
    grid_reorder(a);
}

/* ---- search ---- */

struct grid_search_job {
    struct rows_job rows;
    char pattern[128], error[160];
    VEC(uint32_t) columns; /* of the result */
    uint32_t from, found;
    uint32_t found_column; /* of the result */
    int direction;
};

static void run_grid_search(struct job *job, struct worker *w)
{
    struct grid_search_job *j = (struct grid_search_job *)job;
    struct result_reader reader = {.result = j->rows.result};
    struct pattern *p = pattern_new(j->pattern, j->error, sizeof j->error);
    uint32_t at = j->from;
    j->found = NO_ROW;
    for (uint32_t i = 0; p && i < j->rows.count && j->found == NO_ROW; i++) {
        if (j->direction > 0)
            at = at + 1 < j->rows.count ? at + 1 : 0;
        else
            at = at > 0 ? at - 1 : j->rows.count - 1;
        for (size_t k = 0; k < j->columns.count && j->found == NO_ROW; k++) {
            struct sql_value v = result_read(&reader, row_at(&j->rows, at), j->columns.items[k]);
            if (value_matches(p, &v)) {
                j->found = at;
                j->found_column = j->columns.items[k];
            }
        }
        if (i % STEPS_PER_CHECK == 0 && worker_cancelled(w))
            break;
    }
    if (p)
        pattern_free(p);
}

static effects finish_grid_search(struct job *job, struct app *a)
{
    struct grid_search_job *j = (struct grid_search_job *)job;
    struct grid *g = grid_of(&j->rows, a);
    if (g && j->error[0])
        app_complain(a, "%s", j->error);
    else if (g && (j->found == NO_ROW || g->order != j->rows.order))
        app_complain(a, "no row has %s", j->pattern);
    else if (g) {
        g->row = j->found;
        for (uint32_t i = 0; i < g->columns.count; i++)
            if (g->columns.items[i].source == j->found_column)
                g->column = i;
        app_say(a, "%s in row %" PRIu32 "; n and N go on", j->pattern, j->found + 1);
    }
    vec_release(&j->columns);
    rows_job_release(&j->rows);
    free(j);
    return EFFECT_NONE;
}

void grid_search(struct app *a, struct str pattern, int direction)
{
    struct grid *g = a->query.grid;
    if (pattern.n > 0)
        snprintf(a->query.searched, sizeof a->query.searched, "%.*s", (int)pattern.n, pattern.p);
    if (!g || grid_rows(g) == 0 || !a->query.searched[0])
        return;
    struct grid_search_job *j = alloc_array(1, sizeof *j);
    j->rows.job = (struct job){run_grid_search, finish_grid_search, NULL};
    snprintf(j->pattern, sizeof j->pattern, "%s", a->query.searched);
    for (size_t i = 0; i < g->columns.count; i++)
        if (!g->columns.items[i].hidden)
            *vec_push(&j->columns) = g->columns.items[i].source;
    j->from = g->row;
    j->direction = direction;
    rows_job_start(&j->rows, a, g);
}

/* ---- sums and histogram ---- */

/* A number of a column as the grid shows it. */
static void print_number(const struct grid_column *column, double d, char *out, size_t size)
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
    print_number(column, s->whole ? (double)s->whole_sum : s->sum, sum, sizeof sum);
    print_number(column, s->sum / (double)s->numbers, mean, sizeof mean);
    print_number(column, s->smallest, smallest, sizeof smallest);
    print_number(column, s->largest, largest, sizeof largest);
    fprintf(f, ": sum %s, mean %s, from %s to %s", sum, mean, smallest, largest);
}

void grid_print_sums(struct app *a, char *out, size_t size)
{
    struct grid *g = a->query.grid;
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
    char from[48], to[48], label[100];
    int length = highest ? (int)(bar->count * BAR_WIDTH / highest) : 0;
    if (j->h.of_texts) {
        snprintf(label, sizeof label, "%.*s", (int)(bar->text.n < 48 ? bar->text.n : 48),
                 bar->text.n ? bar->text.p : "");
    } else {
        print_number(&j->column, bar->from, from, sizeof from);
        print_number(&j->column, bar->to, to, sizeof to);
        snprintf(label, sizeof label, "%s .. %s", from, to);
    }
    fprintf(f, "%-*s %10" PRIu64 "  ", j->h.of_texts ? 48 : 28, label, bar->count);
    for (int i = 0; i < length || (i == 0 && bar->count > 0); i++)
        fputc('#', f);
    fputc('\n', f);
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
        print_number(&j->column, j->h.at[i], value, sizeof value);
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
    struct grid *g = grid_of(&j->rows, a);
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
    struct grid *g = a->query.grid;
    const struct grid_column *column = g ? grid_current(g) : NULL;
    if (!column || grid_rows(g) == 0)
        return;
    struct histogram_job *j = alloc_array(1, sizeof *j);
    j->rows.job = (struct job){run_histogram, finish_histogram, NULL};
    j->column = *column;
    rows_job_start(&j->rows, a, g);
}

/* ---- files ---- */

struct export_job {
    struct rows_job rows;
    char *path;
    VEC(uint32_t) columns;
    struct status status;
};

static const struct result_format *format_of(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (!dot || strchr(dot, '/'))
        return NULL;
    if (strcmp(dot, ".md") == 0)
        return &markdown_format;
    return strcmp(dot, ".txt") == 0 ? &table_format : result_format_find(dot + 1);
}

static bool is_database(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot &&
           (strcmp(dot, ".sqlite") == 0 || strcmp(dot, ".sqlite3") == 0 || strcmp(dot, ".db") == 0);
}

static void feed(struct export_job *j, struct worker *w, struct sql_sink *sink)
{
    int n = (int)j->columns.count;
    struct result_reader reader = {.result = j->rows.result};
    const char **names = alloc_array((size_t)n + 1, sizeof *names);
    struct sql_value *values = alloc_array((size_t)n + 1, sizeof *values);
    for (int i = 0; i < n; i++)
        names[i] = result_name(j->rows.result, j->columns.items[i]);
    bool go_on = sink->begin(sink->self, n, names);
    for (uint32_t i = 0; i < j->rows.count && go_on; i++) {
        for (int k = 0; k < n; k++)
            values[k] = result_read(&reader, row_at(&j->rows, i), j->columns.items[k]);
        go_on = sink->row(sink->self, n, values);
        if (i % STEPS_PER_CHECK == 0 && worker_cancelled(w)) {
            j->status = status_error(STATUS_CANCELLED, "cancelled");
            go_on = false;
        }
    }
    if (go_on)
        sink->end(sink->self);
    free(names);
    free(values);
}

static void write_text(struct export_job *j, struct worker *w)
{
    FILE *f = fopen(j->path, "we");
    if (!f) {
        j->status = status_error(STATUS_IO, "%s: %s", j->path, strerror(errno));
        return;
    }
    struct result_writer *writer = result_writer_new(f, format_of(j->path), false);
    struct sql_sink sink = result_writer_sink(writer);
    feed(j, w, &sink);
    result_writer_free(writer);
    bool failed = ferror(f) != 0;
    failed |= fclose(f) != 0;
    if (failed && status_ok(j->status))
        j->status = status_error(STATUS_IO, "%s: %s", j->path, strerror(errno));
}

static void run_export(struct job *job, struct worker *w)
{
    struct export_job *j = (struct export_job *)job;
    struct sqlite_export *database;
    if (!is_database(j->path)) {
        write_text(j, w);
        return;
    }
    j->status = sqlite_export_new(j->path, "result", &database);
    if (!status_ok(j->status))
        return;
    struct sql_sink sink = sqlite_export_sink(database);
    feed(j, w, &sink);
    struct status end = sqlite_export_end(database);
    if (status_ok(j->status))
        j->status = end;
    else
        status_release(&end);
}

static effects finish_export(struct job *job, struct app *a)
{
    struct export_job *j = (struct export_job *)job;
    if (a && status_ok(j->status))
        app_say(a, "%" PRIu32 " rows are in %s", j->rows.count, j->path);
    else if (a)
        app_complain(a, "%s", j->status.message);
    status_release(&j->status);
    rows_job_release(&j->rows);
    vec_release(&j->columns);
    free(j->path);
    free(j);
    return EFFECT_NONE;
}

/* "~/x" is in the user's home. For free(). */
static char *full_path(struct str path)
{
    const char *home = getenv("HOME");
    if (!str_starts(path, STR("~/")) || !home)
        return alloc_copy(path.p, path.n);
    size_t size = strlen(home) + path.n;
    char *out = alloc_bytes(size);
    snprintf(out, size, "%s%.*s", home, (int)path.n - 1, path.p + 1);
    return out;
}

void grid_export(struct app *a, struct str path)
{
    struct grid *g = a->query.grid;
    if (!g || path.n == 0)
        return;
    char *name = full_path(path);
    if (!is_database(name) && !format_of(name)) {
        app_complain(a, "the name must end in .csv .tsv .json .jsonl .md .txt or .sqlite: %s",
                     name);
        free(name);
        return;
    }
    struct export_job *j = alloc_array(1, sizeof *j);
    j->rows.job = (struct job){run_export, finish_export, NULL};
    j->path = name;
    for (size_t i = 0; i < g->columns.count; i++)
        if (!g->columns.items[i].hidden)
            *vec_push(&j->columns) = g->columns.items[i].source;
    app_say(a, "writing %s", name);
    rows_job_start(&j->rows, a, g);
}

/* ---- one row, one value ---- */

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
    struct grid *g = a->query.grid;
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
    struct grid *g = a->query.grid;
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
