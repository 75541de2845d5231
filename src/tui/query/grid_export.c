#include "tui/query/grid_export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "sql/export/result_writer.h"
#include "sql/export/sqlite_export.h"
#include "tui/context/state.h"
#include "tui/query/query_pane.h"
#include "tui/query/rows_job.h"

struct export_job {
    struct rows_job rows;
    char *path;
    VEC(uint32_t) columns;
    struct status status;
};

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
    bool go_on = sink_begin(sink, n, names);
    for (uint32_t i = 0; i < j->rows.count && go_on; i++) {
        for (int k = 0; k < n; k++)
            values[k] = result_read(&reader, rows_job_row(&j->rows, i), j->columns.items[k]);
        go_on = sink->row(sink->self, n, values);
        if (i % ROWS_PER_CHECK == 0 && worker_cancelled(w)) {
            j->status = status_error(STATUS_CANCELLED, "cancelled");
            go_on = false;
        }
    }
    if (go_on)
        sink_end(sink);
    free(names);
    free(values);
}

static void write_text(struct export_job *j, struct worker *w)
{
    FILE *f;
    j->status = output_open(j->path, &f);
    if (!f)
        return;
    struct result_writer *writer =
        result_writer_new(f, result_format_of_file(str_from(j->path)), false);
    struct sql_sink sink = result_writer_sink(writer);
    feed(j, w, &sink);
    result_writer_free(writer);
    j->status = output_close(f, j->path, j->status);
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
    struct grid *g = a->query->grid;
    if (!g || path.n == 0)
        return;
    char *name = full_path(path);
    if (!is_database(name) && !result_format_of_file(str_from(name))) {
        app_complain(a, "the name must end in " RESULT_FORMAT_ENDINGS "or .sqlite: %s", name);
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
