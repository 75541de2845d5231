/* tptui diff A B: what differs between two traces, by thread, slice, state and counter. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/workspace.h"
#include "parsers/load.h"
#include "sql/export/result_writer.h"
#include "sql/session.h"

enum { KEYS_MAX = 3, VALUES_MAX = 4, LIMIT = 25 };

/* A table is asked of both traces: texts that name a row in both, then values. Rows are sorted by
 * how much the first value differs. */
struct diff_table {
    const char *name;
    int keys, values;
    const char *columns[KEYS_MAX + VALUES_MAX];
    const char *sql;
};

#define ENDED(t) "iif(" t ".dur < 0, trace_end() - " t ".ts, " t ".dur)"
#define PROCESS  "ifnull(p.name, ifnull('pid ' || p.pid, ''))"
#define THREAD   "ifnull(t.name, 'tid ' || t.tid)"

static const struct diff_table tables[] = {
    {"threads",
     2,
     2,
     {"process", "thread", "cpu_ns", "times"},
     "SELECT " PROCESS ", " THREAD ", sum(" ENDED(
         "s") "), count()\n"
              "FROM sched_slice s JOIN thread t USING (utid) LEFT JOIN process p USING (upid)\n"
              "WHERE t.tid != 0 GROUP BY 1, 2;"},
    {"slices",
     3,
     4,
     {"process", "thread", "slice", "total_ns", "count", "p50_ns", "max_ns"},
     "SELECT " PROCESS ", coalesce(t.name, 'tid ' || t.tid, k.name, ''), ifnull(s.name, ''),\n"
     "  sum(" ENDED("s") "), count(), percentile(" ENDED("s") ", 50), max(" ENDED(
         "s") ")\n"
              "FROM slice s JOIN track k ON k.id = s.track_id\n"
              "LEFT JOIN thread_track tt ON tt.id = s.track_id LEFT JOIN thread t USING (utid)\n"
              "LEFT JOIN process_track pt ON pt.id = s.track_id\n"
              "LEFT JOIN process p ON p.upid = ifnull(t.upid, pt.upid)\n"
              "GROUP BY 1, 2, 3;"},
    {"states",
     3,
     3,
     {"process", "thread", "state", "total_ns", "times", "max_ns"},
     "SELECT " PROCESS ", " THREAD ", s.state, sum(" ENDED("s") "), count(), max(" ENDED(
         "s") ")\n"
              "FROM thread_state s JOIN thread t USING (utid) LEFT JOIN process p USING (upid)\n"
              "WHERE t.tid != 0 GROUP BY 1, 2, 3;"},
    {"counters",
     2,
     3,
     {"process", "counter", "mean", "min", "max"},
     "SELECT " PROCESS ", k.name, avg(c.value), min(c.value), max(c.value)\n"
     "FROM counter c JOIN track k ON k.id = c.track_id\n"
     "LEFT JOIN process_counter_track pt ON pt.id = c.track_id LEFT JOIN process p USING (upid)\n"
     "GROUP BY 1, 2;"},
};

#undef ENDED
#undef PROCESS
#undef THREAD

enum { TABLES = sizeof tables / sizeof *tables, SIDES = 2 };

struct diff_settings {
    const char *paths[SIDES];
    const struct result_format *format; /* NULL: table on a terminal, csv otherwise */
    const char *what;                   /* a table's name; NULL: all */
    uint64_t limit;                     /* rows of a table; 0: all */
    bool tables;                        /* are asked for, not the timeline */
    const char *align;                  /* as --align of the timeline; NULL: not given */
    struct time_window window;          /* of both; no end: the trace's */
};

/* A row of either trace or of both. */
struct diff_row {
    struct str keys[KEYS_MAX]; /* in the arena */
    double values[SIDES][VALUES_MAX];
    bool has[SIDES];
};

struct diff {
    const struct diff_table *table;
    int side; /* that is being read */
    struct arena arena;
    struct map index; /* hash of the keys -> row */
    VEC(struct diff_row) rows;
};

static struct str keep(struct diff *d, struct str s)
{
    return arena_copy(&d->arena, s);
}

static struct str text_of(const struct sql_value *v)
{
    return v->type == SQL_TEXT ? v->s : (struct str){"", 0};
}

static double number_of(const struct sql_value *v)
{
    return v->type == SQL_INT ? (double)v->i : v->type == SQL_REAL ? v->d : NAN;
}

static bool same_keys(const struct diff *d, const struct diff_row *row,
                      const struct sql_value *values)
{
    for (int i = 0; i < d->table->keys; i++)
        if (!str_eq(row->keys[i], text_of(&values[i])))
            return false;
    return true;
}

/* The row of those keys, made where there is none. */
static struct diff_row *row_of(struct diff *d, const struct sql_value *values)
{
    uint64_t hash = 0;
    bool is_new;
    for (int i = 0; i < d->table->keys; i++)
        hash = hash_bytes(text_of(&values[i]).p, text_of(&values[i]).n, hash + 1);
    for (;; hash++) {
        uint32_t *at = map_insert(&d->index, hash, &is_new);
        if (!is_new && same_keys(d, &d->rows.items[*at], values))
            return &d->rows.items[*at];
        if (!is_new)
            continue; /* other keys of the same hash */
        *at = (uint32_t)d->rows.count;
        struct diff_row *row = vec_push(&d->rows);
        *row = (struct diff_row){0};
        for (int i = 0; i < d->table->keys; i++)
            row->keys[i] = keep(d, text_of(&values[i]));
        return row;
    }
}

static bool take_row(void *self, int columns, const struct sql_value *values)
{
    struct diff *d = self;
    if (columns < d->table->keys + d->table->values)
        return false;
    struct diff_row *row = row_of(d, values);
    row->has[d->side] = true;
    for (int i = 0; i < d->table->values; i++)
        row->values[d->side][i] = number_of(&values[d->table->keys + i]);
    return true;
}

static double change_of(const struct diff_row *row)
{
    return row->values[1][0] - row->values[0][0];
}

static int compare_rows(const void *a, const void *b)
{
    double x = fabs(change_of(a)), y = fabs(change_of(b));
    return x > y ? -1 : x < y;
}

/* ---- output ---- */

enum { COLUMNS_MAX = KEYS_MAX + 2 + SIDES * VALUES_MAX };

static int name_columns(const struct diff_table *t, char names[COLUMNS_MAX][32])
{
    int n = 0;
    for (int i = 0; i < t->keys; i++)
        snprintf(names[n++], 32, "%s", t->columns[i]);
    snprintf(names[n++], 32, "change");
    snprintf(names[n++], 32, "change_percent");
    for (int i = 0; i < t->values; i++)
        for (int side = 0; side < SIDES; side++)
            snprintf(names[n++], 32, "%s_%c", t->columns[t->keys + i], 'a' + side);
    return n;
}

/* Whole numbers as such. */
static struct sql_value value_of(double v)
{
    if (isnan(v))
        return (struct sql_value){.type = SQL_NULL};
    if (v == floor(v) && fabs(v) < 9e15)
        return (struct sql_value){.type = SQL_INT, .i = (int64_t)v};
    return (struct sql_value){.type = SQL_REAL, .d = v};
}

static void fill_row(const struct diff_table *t, const struct diff_row *row,
                     struct sql_value out[COLUMNS_MAX])
{
    int n = 0;
    double before = row->values[0][0];
    for (int i = 0; i < t->keys; i++)
        out[n++] = (struct sql_value){.type = SQL_TEXT, .s = row->keys[i]};
    out[n++] = value_of(change_of(row));
    out[n++] = value_of(
        row->has[0] && before != 0 ? round(1000 * change_of(row) / fabs(before)) / 10 : NAN);
    for (int i = 0; i < t->values; i++)
        for (int side = 0; side < SIDES; side++)
            out[n++] = value_of(row->has[side] ? row->values[side][i] : NAN);
}

/* Whether a row differs, which makes the first one differ: they are sorted by change. */
static bool anything_differs(const struct diff *d)
{
    return d->rows.count > 0 && change_of(&d->rows.items[0]) != 0;
}

/* "total_ns_a"; "change" is of the first value. */
static bool has_ns(const char *name)
{
    return strstr(name, "_ns_") != NULL;
}

static bool has_ns_or_is_change(const char *name)
{
    return has_ns(name) || strcmp(name, "change") == 0;
}

static void print_table(const struct diff *d, const struct diff_settings *s,
                        struct result_writer *writer)
{
    struct sql_sink sink = result_writer_sink(writer);
    char names[COLUMNS_MAX][32];
    const char *pointers[COLUMNS_MAX];
    int columns = name_columns(d->table, names);
    for (int i = 0; i < columns; i++)
        pointers[i] = names[i];
    bool first_has = str_ends(str_from(d->table->columns[d->table->keys]), STR("_ns"));
    result_writer_show_units(writer, first_has ? has_ns_or_is_change : has_ns);
    bool ok = sink_begin(&sink, columns, pointers);
    for (size_t i = 0; ok && i < d->rows.count && (s->limit == 0 || i < s->limit); i++) {
        struct sql_value values[COLUMNS_MAX];
        if (change_of(&d->rows.items[i]) == 0)
            break; /* sorted by change: no row behind it differs */
        fill_row(d->table, &d->rows.items[i], values);
        ok = sink.row(sink.self, columns, values);
    }
    if (ok)
        sink_end(&sink);
}

static struct status compare_table(const struct diff_table *table, const struct diff_settings *s,
                                   struct sql_session *sessions[SIDES],
                                   struct result_writer *writer, bool *differs)
{
    struct diff d = {.table = table};
    struct status status = status_ok_value();
    arena_init(&d.arena);
    for (int side = 0; side < SIDES && status_ok(status); side++) {
        struct sql_sink sink = {.row = take_row, .self = &d};
        d.side = side;
        status = sql_session_run(sessions[side], table->name, str_from(table->sql), &sink);
    }
    if (status_ok(status) && d.rows.count > 1)
        qsort(d.rows.items, d.rows.count, sizeof *d.rows.items, compare_rows);
    if (status_ok(status))
        print_table(&d, s, writer);
    *differs |= anything_differs(&d);
    map_release(&d.index);
    vec_release(&d.rows);
    arena_release(&d.arena);
    return status;
}

static int report(struct status s, int exit_status)
{
    if (status_ok(s))
        return EXIT_DONE;
    fprintf(standard_errors(), "tptui: %s\n", s.message);
    status_release(&s);
    return exit_status;
}

static int open_side(struct trace *t, const char *path, struct sql_session **session)
{
    struct status s = trace_load_file(t, path, NULL), opened = status_ok_value();
    int exit_status = report(s, EXIT_TRACE);
    if (exit_status != EXIT_DONE)
        return exit_status;
    workspace_warn_about_loss(t, path);
    *session = sql_session_new(t, &opened);
    return report(opened, EXIT_SQL);
}

static int compare(const struct diff_settings *s, struct sql_session *sessions[SIDES])
{
    bool terminal = isatty(STDOUT_FILENO);
    const struct result_format *usual = terminal ? &table_format : &csv_format;
    struct result_writer *writer =
        result_writer_new(standard_output(), s->format ? s->format : usual, terminal);
    int exit_status = EXIT_DONE;
    bool differs = false;
    for (int i = 0; i < TABLES && exit_status == EXIT_DONE; i++)
        if (!s->what || strcmp(s->what, tables[i].name) == 0)
            exit_status =
                report(compare_table(&tables[i], s, sessions, writer, &differs), EXIT_SQL);
    result_writer_free(writer);
    if (exit_status == EXIT_DONE && !differs)
        fprintf(standard_errors(), "tptui: nothing differs\n");
    return exit_status;
}

/* ---- the command ---- */

static int set_format(void *self, const char *value)
{
    struct diff_settings *s = self;
    s->tables = true;
    s->format = result_format_find(value);
    return s->format ? EXIT_DONE
                     : usage_error("--format %s: expected %s", value, RESULT_FORMAT_NAMES);
}

static int set_what(void *self, const char *value)
{
    struct diff_settings *s = self;
    s->tables = true;
    for (int i = 0; i < TABLES; i++)
        if (strcmp(value, tables[i].name) == 0)
            s->what = value;
    return s->what ? EXIT_DONE
                   : usage_error("--what %s: expected threads, slices, states or counters", value);
}

static int set_from(void *self, const char *value)
{
    ((struct diff_settings *)self)->tables = true;
    return options_from(value, &((struct diff_settings *)self)->window);
}

static int set_to(void *self, const char *value)
{
    ((struct diff_settings *)self)->tables = true;
    return options_to(value, &((struct diff_settings *)self)->window);
}

static int set_limit(void *self, const char *value)
{
    ((struct diff_settings *)self)->tables = true;
    if (str_to_u64(str_from(value), 10, &((struct diff_settings *)self)->limit))
        return EXIT_DONE;
    return usage_error("--limit wants a number of rows, not %s", value);
}

static const struct command_option options[] = {
    {.name = "what",
     .value = "TABLE",
     .help = "only threads, slices, states or counters",
     .more = "Rows are those of one name in both traces: threads by process and name, slices also "
             "by theirs. Sorted by how much the first value differs, which is CPU time, total time "
             "or the mean; what is in one trace only counts as zero in the other.",
     .set = set_what},
    {.name = "limit", .value = "N", .help = "rows of each table (25; 0: all)", .set = set_limit},
    {.name = "format",
     .value = RESULT_FORMAT_NAMES,
     .help = "of the tables: table on a terminal, csv otherwise",
     .more = "Without it, --what, --limit and a window a terminal shows both in one timeline.",
     .set = set_format},
    {.name = "from",
     .value = "TIME",
     .help = "compare the tables of a window of both traces only: its begin",
     .more = "Times as for the window that query loads; without --from and --to, the whole traces.",
     .set = set_from},
    {.name = "to", .value = "TIME", .help = "end of the window", .set = set_to},
    {.name = "align",
     .value = "NAME",
     .help = "in the timeline: let the first slices of that name (a GLOB) begin together",
     OPTION_INTO(struct diff_settings, align)},
};

static const struct option_table diff_options = {"diff", options, sizeof options / sizeof *options};

static int add_path(void *self, const char *word)
{
    struct diff_settings *s = self;
    for (int side = 0; side < SIDES; side++)
        if (!s->paths[side]) {
            s->paths[side] = word;
            return EXIT_DONE;
        }
    return usage_error("diff compares two traces, not also %s", word);
}

static int print_differences(const struct diff_settings *s)
{
    struct trace traces[SIDES];
    struct sql_session *sessions[SIDES] = {NULL};
    int exit_status = EXIT_DONE;
    for (int side = 0; side < SIDES; side++) {
        trace_init(&traces[side]);
        traces[side].builder->options.window = s->window;
    }
    for (int side = 0; side < SIDES && exit_status == EXIT_DONE; side++)
        exit_status = open_side(&traces[side], s->paths[side], &sessions[side]);
    if (exit_status == EXIT_DONE)
        exit_status = compare(s, sessions);
    for (int side = 0; side < SIDES; side++) {
        if (sessions[side])
            sql_session_free(sessions[side]);
        trace_release(&traces[side]);
    }
    return exit_status;
}

/* As tptui A --compare B does. */
static int show_timeline(const struct diff_settings *s)
{
    const char *words[] = {"tptui", s->paths[0], "--compare", s->paths[1], "--align", s->align};
    int n = s->align ? 6 : 4, exit_status;
    char *argv[7] = {NULL};
    for (int i = 0; i < n; i++)
        argv[i] = alloc_copy(words[i], strlen(words[i]));
    exit_status = view_command(n, argv);
    for (int i = 0; i < n; i++)
        free(argv[i]);
    return exit_status;
}

static int diff_command(int argc, char **argv)
{
    struct diff_settings s = {.limit = LIMIT};
    int exit_status = options_parse(&diff_options, &s, add_path, argc, argv);
    if (exit_status != EXIT_DONE)
        return exit_status;
    if (!s.paths[1])
        return usage_error("diff wants two traces");
    if (s.align && (s.window.has_from || s.window.has_to))
        return usage_error("diff --align is about the timeline, --from and --to about tables");
    bool timeline = s.align || (!s.tables && isatty(STDOUT_FILENO) && isatty(STDIN_FILENO));
    return timeline ? show_timeline(&s) : print_differences(&s);
}

const struct command diff_cmd = {
    .name = "diff",
    .usage = "A B\0two traces in one timeline; in a pipe, what differs between them\0",
    .options = &diff_options,
    .run = diff_command,
};
