/* tptui batch [SQL | -f FILE] TRACE...: the command. */
#include "cli/batch/batch.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/standard_streams.h"
#include "base/utf8.h"
#include "cli/batch/batch_explain.h"
#include "cli/batch/batch_messages.h"
#include "cli/batch/batch_rows.h"
#include "cli/command.h"
#include "sql/session.h"

static int add_file(void *self, const char *path)
{
    struct text_file f;
    struct status s = text_file_read(path, &f);
    if (f.text)
        *vec_push(&((struct batch_settings *)self)->scripts) = f;
    if (status_ok(s))
        return EXIT_DONE;
    int exit_status = usage_error("%s", s.message);
    status_release(&s);
    return exit_status;
}

static int add_summary(void *self, const char *path)
{
    struct text_file f;
    struct status s = text_file_read(path, &f);
    if (f.text)
        *vec_push(&((struct batch_settings *)self)->summaries) = f;
    if (status_ok(s))
        return EXIT_DONE;
    int exit_status = usage_error("%s", s.message);
    status_release(&s);
    return exit_status;
}

static int add_metric(void *self, const char *name)
{
    *vec_push(&((struct batch_settings *)self)->metrics) = name;
    return EXIT_DONE;
}

static int add_list(void *self, const char *path)
{
    *vec_push(&((struct batch_settings *)self)->lists) = path;
    return EXIT_DONE;
}

static int add_metadata(void *self, const char *name)
{
    *vec_push(&((struct batch_settings *)self)->metadata) = name;
    return EXIT_DONE;
}

static int set_format(void *self, const char *value)
{
    return options_result_format(value, &((struct batch_settings *)self)->format);
}

static int set_jobs(void *self, const char *value)
{
    uint64_t jobs;
    if (!str_to_u64(str_from(value), 10, &jobs) || jobs < 1 || jobs > 1024)
        return usage_error("--jobs %s: expected a number from 1 to 1024", value);
    ((struct batch_settings *)self)->jobs = (uint32_t)jobs;
    return EXIT_DONE;
}

static int set_memory(void *self, const char *value)
{
    if (options_bytes(value, &((struct batch_settings *)self)->memory))
        return EXIT_DONE;
    return usage_error("--memory wants bytes, as 500M, not %s", value);
}

static int set_time(void *self, const char *value)
{
    return options_seconds("time", value, &((struct batch_settings *)self)->time);
}

#define OR_ENGINE(NAME) "|" #NAME
#define ENGINE_NAMES    &("" BATCH_ENGINES(OR_ENGINE))[1] /* "local|..." */

static int set_engine(void *self, const char *value)
{
    struct batch_settings *b = self;
#define TAKE_ENGINE(NAME)                                                                          \
    if (strcmp(value, NAME##_engine.name) == 0)                                                    \
        b->engine = &NAME##_engine;
    b->engine = NULL;
    BATCH_ENGINES(TAKE_ENGINE)
#undef TAKE_ENGINE
    return b->engine ? EXIT_DONE : usage_error("--engine %s: expected %s", value, ENGINE_NAMES);
}

static const struct command_option options[] = {
    {.name = "file",
     .letter = 'f',
     .value = "FILE",
     .help = "statements from a file; - is stdin; repeatable",
     .set = add_file,
     .rows = OPTION_ROWS_TEXT},
    {.name = "summary",
     .value = "SPEC",
     .help = "instead of SQL: the trace summary of a spec; repeatable",
     .more = "A row for each value: metric, dimensions (a JSON object), value.",
     .set = add_summary,
     .rows = OPTION_ROWS_TEXT},
    {.name = "metrics-v2",
     .value = "IDS",
     .help = "which metrics of the specs, with commas (all)",
     OPTION_INTO(struct batch_settings, summary_metrics),
     .rows = OPTION_ROWS_VALUE},
    {.name = "metric",
     .value = "NAME",
     .help = "instead of SQL: a metric, as tptui metrics; repeatable",
     .more = "A row for each field of its message: metric, field (the path in it), value.",
     .set = add_metric,
     .rows = OPTION_ROWS_VALUE},
    {.name = "explain",
     .help = "instead of SQL: the causes of what is wrong, those that cost most first",
     .more = "A row for each cause: the trace where it cost most, the level, in how many traces of "
             "those that were explained, how many problems, what they cost, whether the "
             "cause explains most of it there, the symptom, the cause in that trace, and its place "
             "for --goto.",
     OPTION_INTO(struct batch_settings, explain),
     .rows = OPTION_ROWS_VALUE},
    {.name = "messages",
     .value = "FOLDER",
     .help = "write each trace's summary or metrics to a file there",
     .more = "Encoded TraceSummary or TraceMetrics messages; the rows then name the files.",
     OPTION_INTO(struct batch_settings, messages),
     .rows = OPTION_ROWS_VALUE},
    {.name = "list",
     .value = "FILE",
     .help = "traces from a file, one a line; - is stdin; repeatable",
     .set = add_list,
     .rows = OPTION_ROWS_SAME},
    {.name = "metadata",
     .value = "NAME",
     .help = "a column with that name of the trace's metadata; repeatable",
     .set = add_metadata,
     .rows = OPTION_ROWS_VALUE},
    {.name = "jobs",
     .letter = 'j',
     .value = "N",
     .help = "processes at a time (CPUs)",
     .set = set_jobs,
     .rows = OPTION_ROWS_SAME},
    {.name = "time",
     .value = "SECONDS",
     .help = "what a trace may take before its process is ended",
     .set = set_time,
     .rows = OPTION_ROWS_COST},
    {.name = "memory",
     .value = "BYTES",
     .help = "what a process may take (as 2G; its share of all)",
     .more = "A trace's tables take half of it; more goes to a file without a name. Slurm is asked "
             "for as much an element of the array, where it shares memory out.",
     .set = set_memory,
     .rows = OPTION_ROWS_COST},
    {.name = "format",
     .value = RESULT_FORMAT_NAMES,
     .help = "table on a terminal, csv otherwise",
     .set = set_format,
     .rows = OPTION_ROWS_SAME},
    {.name = "into",
     .value = "FILE",
     .help = "write an SQLite file instead: tables result and errors",
     .more = "It gets its name when it is complete.",
     OPTION_INTO(struct batch_settings, into),
     .rows = OPTION_ROWS_SAME},
    {.name = "errors",
     .value = "FILE",
     .help = "write which traces failed, and why, as CSV; else to stderr",
     OPTION_INTO(struct batch_settings, errors),
     .rows = OPTION_ROWS_SAME},
    {.name = "resume",
     .value = "FOLDER",
     .help = "keep rows there, and skip traces whose rows are there already",
     .more =
         "Traces are known by a hash of all of their content, and one that is where it was, as it "
         "was (size, inode, mtime, ctime), need not be read for it; rows by what was asked: SQL, "
         "the texts of modules and alerts, options, the build of the program. What SQL reads "
         "besides, as with --allow-sql-file-access, is not seen.",
     OPTION_INTO(struct batch_settings, resume),
     .rows = OPTION_ROWS_SAME},
    {.name = "engine",
     .value = ENGINE_NAMES,
     .help = "where processes run: here, as an array job of Slurm, or on --hosts",
     .more = "Slurm's nodes must see the traces, the program and --resume's folder under the same "
             "names; --jobs is how many elements of the array run at a time (16). sbatch's own "
             "variables (SBATCH_PARTITION, SBATCH_TIMELIMIT, ...) say the rest. GNU parallel "
             "reaches hosts by ssh, with rsync and perl there; it copies this program to each, "
             "which is gone behind the run. --jobs is how many processes run on a host (as many as "
             "it has CPUs). A host that is lost is tried elsewhere.",
     .set = set_engine,
     .rows = OPTION_ROWS_SAME},
    {.name = "hosts",
     .value = "FILE",
     .help = "hosts of --engine parallel, one a line",
     .more = "As parallel's --sshloginfile: [CPUS/][USER@]HOST, : is this machine.",
     OPTION_INTO(struct batch_settings, hosts),
     .rows = OPTION_ROWS_SAME},
    {.name = "send",
     .help = "send each trace to its host; else it lies there, under its name",
     OPTION_INTO(struct batch_settings, send),
     .rows = OPTION_ROWS_SAME},
    {.name = "rows-only",
     .help = "keep rows in --resume's folder, and write no result",
     OPTION_INTO(struct batch_settings, rows_only),
     .rows = OPTION_ROWS_SAME},
    CACHE_FOLDER_OPTION(OPTION_INTO(struct batch_settings, workspace.cache.folder)),
    WORKSPACE_OPTIONS_OF_JOB,
};

static const struct option_table batch_options = {"batch", options,
                                                  sizeof options / sizeof *options};

static int add_word(void *self, const char *text)
{
    *vec_push(&((struct batch_settings *)self)->words) = text;
    return EXIT_DONE;
}

static int take_option(const struct command_option *o, void *self, const char *value)
{
    *vec_push(&((struct batch_settings *)self)->given) = (struct batch_given){o, value};
    return option_take(o, self, value);
}

static int parse(struct batch_settings *b, int argc, char **argv, size_t *first_trace)
{
    int status = options_walk(&batch_options, b, take_option, add_word, argc, argv);
    if (status != EXIT_DONE)
        return status;
    bool messages = batch_wants_messages(b);
    *first_trace = b->scripts.count == 0 && !messages && !b->explain;
    if (*first_trace && b->words.count == 0)
        return usage_error("batch needs SQL, -f FILE, --summary SPEC, --metric NAME or --explain");
    if ((b->scripts.count > 0) + (b->summaries.count > 0) + (b->metrics.count > 0) + b->explain > 1)
        return usage_error("batch: one of -f, --summary, --metric and --explain at a time");
    if (b->explain && b->metadata.count > 0)
        return usage_error("batch: causes of many traces have no --metadata");
    if (b->messages && !messages)
        return usage_error("--messages needs --summary SPEC or --metric NAME");
    if (b->messages && mkdir(b->messages, 0777) != 0 && errno != EEXIST)
        return usage_error("%s: %s", b->messages, strerror(errno));
    if (b->words.count <= *first_trace && b->lists.count == 0)
        return usage_error("batch needs traces");
    if (*first_trace) {
        const char *sql = b->words.items[0];
        *vec_push(&b->scripts) =
            (struct text_file){"query", alloc_copy(sql, strlen(sql)), strlen(sql)};
    }
    if (!b->resume && (b->engine->needs_folder || b->rows_only))
        return usage_error("batch: this needs --resume FOLDER");
    if (b->engine->has_hosts != (b->hosts != NULL) || (b->send && !b->hosts))
        return usage_error(
            "batch: --engine parallel and --hosts FILE go together, --send with them");
    if (b->engine != &local_engine && b->workspace.cache.folder &&
        b->workspace.cache.folder[0] != '/')
        return usage_error("--cache-folder %s: other machines need a path from / on",
                           b->workspace.cache.folder);
    if (b->hosts && access(b->hosts, R_OK) != 0)
        return usage_error("--hosts %s: %s", b->hosts, strerror(errno));
    if (b->resume && mkdir(b->resume, 0777) != 0 && errno != EEXIST)
        return usage_error("%s: %s", b->resume, strerror(errno));
    return EXIT_DONE;
}

/* A row in front of which the trace's metadata stands. */
struct with_metadata {
    struct sql_sink rows;
    VEC(const char *) names;
    VEC(struct sql_value) values; /* texts are owned by `texts` */
    VEC(char *) texts;
    size_t metadata;
};

static bool begin_with(void *self, int columns, const char *const *names)
{
    struct with_metadata *m = self;
    m->names.count = m->metadata;
    for (int i = 0; i < columns; i++)
        *vec_push(&m->names) = names[i];
    return sink_begin(&m->rows, (int)m->names.count, m->names.items);
}

static bool row_with(void *self, int columns, const struct sql_value *values)
{
    struct with_metadata *m = self;
    m->values.count = m->metadata;
    for (int i = 0; i < columns; i++)
        *vec_push(&m->values) = values[i];
    return m->rows.row(m->rows.self, (int)m->values.count, m->values.items);
}

static bool end_with(void *self)
{
    struct with_metadata *m = self;
    return sink_end(&m->rows);
}

static bool keep_value(void *self, int columns, const struct sql_value *values)
{
    struct with_metadata *m = self;
    struct sql_value v = values[0];
    (void)columns;
    if (v.type == SQL_TEXT) {
        *vec_push(&m->texts) = alloc_copy(v.s.p, v.s.n);
        v.s.p = vec_last(&m->texts);
    }
    *vec_push(&m->values) = v;
    return true;
}

static struct status read_metadata(struct with_metadata *m, const char *name)
{
    struct sql_sink sink = {.row = keep_value, .self = m};
    char *sql =
        sqlite3_mprintf("SELECT max(coalesce(str_value, int_value)) FROM metadata WHERE name = %Q",
                        name);
    struct status s = sql_session_run(workspace_session(), "metadata", str_from(sql), &sink);
    sqlite3_free(sql);
    *vec_push(&m->names) = name;
    m->metadata++;
    return s;
}

/* In the process of a task, which ends behind it: nothing is freed. */
static int query(const struct batch_settings *b, const struct batch_task *task)
{
    struct workspace_settings w = b->workspace;
    w.trace = task->path;
    w.cache.shared = true;
    w.cache.whole = b->time == 0; /* rows must not be late for it */
    int exit_status = workspace_open(&w);
    struct batch_rows_writer *rows = batch_rows_writer_new(task->rows, task->key);
    struct with_metadata m = {.rows = batch_rows_sink(rows)};
    struct sql_sink sink = {.begin = begin_with, .row = row_with, .end = end_with, .self = &m};
    for (size_t i = 0; i < b->metadata.count && exit_status == EXIT_DONE; i++)
        exit_status = workspace_report(read_metadata(&m, b->metadata.items[i]), EXIT_SQL);
    for (size_t i = 0; i < b->scripts.count && exit_status == EXIT_DONE; i++) {
        const struct text_file *f = &b->scripts.items[i];
        struct status s = sql_session_run(workspace_session(), f->name, text_file_str(f), &sink);
        if (s.code == STATUS_CANCELLED) /* by the writer, which says why */
            break;
        exit_status = workspace_report(s, EXIT_SQL);
    }
    if (exit_status == EXIT_DONE && batch_wants_messages(b))
        exit_status = workspace_report(batch_messages(b, &sink), EXIT_SQL);
    if (exit_status == EXIT_DONE && b->explain)
        exit_status = workspace_report(batch_explain(&sink), EXIT_SQL);
    if (exit_status == EXIT_DONE)
        exit_status = workspace_report(batch_rows_finish(rows), EXIT_SQL);
    workspace_close();
    return exit_status;
}

static struct status put_errors(void *self, FILE *f)
{
    const struct batch_tasks *tasks = self;
    static const char *const names[] = {"trace", "error"};
    struct result_writer *writer = result_writer_new(f, &csv_format, false);
    struct sql_sink sink = result_writer_sink(writer);
    sink_begin(&sink, 2, names);
    for (size_t i = 0; i < tasks->v.count; i++) {
        const struct batch_task *t = &tasks->v.items[i];
        if (t->state != TASK_FAILED)
            continue;
        struct sql_value row[] = {{.type = SQL_TEXT, .s = str_from(t->path)},
                                  {.type = SQL_TEXT, .s = str_from(t->error)}};
        sink.row(sink.self, 2, row);
    }
    sink_end(&sink);
    result_writer_free(writer);
    return status_ok_value();
}

static int say(struct status s, int exit_status)
{
    if (status_ok(s))
        return EXIT_DONE;
    fprintf(standard_errors(), "tptui: %s\n", s.message);
    status_release(&s);
    return exit_status;
}

static int write_errors(const struct batch_settings *b, const struct batch_tasks *tasks)
{
    return say(replace_or_write_file(b->errors, put_errors, (void *)(uintptr_t)tasks), EXIT_SQL);
}

static void print_errors(const struct batch_tasks *tasks)
{
    for (size_t i = 0; i < tasks->v.count; i++) {
        const struct batch_task *t = &tasks->v.items[i];
        if (t->state != TASK_FAILED)
            continue;
        char *line = text_escape((struct str){t->error, str_find(str_from(t->error), '\n')});
        char *path = text_escape(str_from(t->path));
        bool named = strncmp(line, path, strlen(path)) == 0;
        fprintf(standard_errors(), "tptui: %s%s%s\n", named ? "" : path, named ? "" : ": ", line);
        free(line);
        free(path);
    }
}

/* Some traces lack events, which the result does not show. */
static void print_warnings(const struct batch_tasks *tasks)
{
    enum { TOLD_MAX = 3 };
    uint32_t found = 0;
    for (size_t i = 0; i < tasks->v.count; i++) {
        const char *warning = tasks->v.items[i].warning;
        if (!warning || found++ >= TOLD_MAX)
            continue;
        char *line = text_escape((struct str){warning, str_find(str_from(warning), '\n')});
        fprintf(standard_errors(), "tptui: %s\n", line);
        free(line);
    }
    if (found > TOLD_MAX)
        fprintf(standard_errors(), "tptui: the like is said of %u traces in all\n", found);
}

static int report(const struct batch_settings *b, const struct batch_tasks *tasks)
{
    uint32_t failed = 0;
    for (size_t i = 0; i < tasks->v.count; i++)
        failed += tasks->v.items[i].state == TASK_FAILED;
    int exit_status = failed ? EXIT_TRACE : EXIT_DONE;
    if (b->errors && write_errors(b, tasks) != EXIT_DONE)
        exit_status = EXIT_SQL;
    else if (!b->errors)
        print_errors(tasks);
    print_warnings(tasks);
    if (tasks->skipped)
        fprintf(standard_errors(), "tptui: %u files in folders are no traces\n", tasks->skipped);
    return exit_status;
}

/* The report of errors must not take a trace's place. */
static struct status check_errors_file(const struct batch_settings *b,
                                       const struct batch_tasks *tasks)
{
    struct status s = status_ok_value();
    for (size_t i = 0; b->errors && i < tasks->v.count && status_ok(s); i++)
        s = check_other_file(b->errors, tasks->v.items[i].path);
    return s;
}

static int run(struct batch_settings *b, struct batch_tasks *tasks)
{
    struct status s;
    struct batch_sink *sink = batch_sink_new(b, &s);
    int exit_status = say(s, EXIT_USAGE);
    if (exit_status != EXIT_DONE) {
        s = batch_sink_finish(sink, tasks);
        status_release(&s);
        return exit_status;
    }
    struct batch_causes *causes = b->explain ? batch_causes_new() : NULL;
    struct batch_output output = causes ? batch_causes_output(causes) : batch_sink_output(sink);
    batch_catch_interrupts();
    if (b->resume)
        b->asked = batch_asked(b);
    b->engine->run(tasks, b, query, &output);
    if (causes)
        batch_causes_finish(causes, sink); /* what it did not take, the sink says below */
    int reported = report(b, tasks);
    exit_status = say(batch_sink_finish(sink, tasks), EXIT_SQL);
    if (causes)
        batch_causes_free(causes);
    if (batch_interrupted())
        return EXIT_INTERRUPT;
    return exit_status != EXIT_DONE ? exit_status : reported;
}

static int batch_command(int argc, char **argv)
{
    struct batch_settings b = {.engine = &local_engine};
    struct batch_tasks tasks = {0};
    size_t first;
    int exit_status = parse(&b, argc, argv, &first);
    if (exit_status == EXIT_DONE)
        exit_status = say(batch_collect(&tasks, &b, first), EXIT_USAGE);
    if (exit_status == EXIT_DONE && tasks.v.count == 0)
        exit_status = usage_error("batch: there are no traces");
    if (exit_status == EXIT_DONE)
        exit_status = say(check_errors_file(&b, &tasks), EXIT_USAGE);
    if (exit_status == EXIT_DONE)
        exit_status = run(&b, &tasks);
    batch_tasks_release(&tasks);
    for (size_t i = 0; i < b.scripts.count; i++)
        text_file_release(&b.scripts.items[i]);
    for (size_t i = 0; i < b.summaries.count; i++)
        text_file_release(&b.summaries.items[i]);
    vec_release(&b.scripts);
    vec_release(&b.summaries);
    vec_release(&b.metrics);
    vec_release(&b.words);
    vec_release(&b.given);
    vec_release(&b.lists);
    vec_release(&b.metadata);
    workspace_settings_release(&b.workspace);
    return exit_status;
}

const struct command batch_cmd = {
    .name = "batch",
    .usage = "SQL TRACE...\0the rows of a query over many traces, or folders of them\0"
             "-f FILE TRACE...\0the same from a file\0"
             "--summary SPEC TRACE...\0a trace summary's values; --metric NAME: a metric's fields\0"
             "--explain TRACE...\0what is wrong in them, and why, ranked over all\0",
    .options = &batch_options,
    .run = batch_command,
};
