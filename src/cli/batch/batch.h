/* tptui batch: one query over many traces, a process each.
 *
 * A trace's rows go to a file (cli/batch/batch_rows.h). When its process has ended well they are
 * added to the output, in the order of the list; else the trace is a row of the report of errors,
 * and the others go on.
 *
 * --resume keeps these files, under a name made of a hash of all of the trace's content and of
 * what was asked (batch_asked.c: each option says whether rows depend on it). The trace's process
 * finds the hash, and notes it under the file's path, size and times, so that who asks again need
 * not read it. Kept files count only where they are the user's own (base/own_file.h) and say
 * themselves what they are of; rows of a trace or of modules that changed meanwhile are put out
 * and not kept. Where processes run is a `struct batch_engine`: here, on a cluster with Slurm, or
 * on hosts that ssh reaches (what both have in common: batch_elsewhere.h); what has neither rows
 * nor an error when a job is over is sent again, a few times. In place of SQL a process may compute
 * a summary or metrics (batch_messages.h), whose values are rows like others. */
#ifndef TPTUI_CLI_BATCH_BATCH_H
#define TPTUI_CLI_BATCH_BATCH_H

#include <stdio.h>
#include <sys/types.h>

#include "base/file_identity.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/text_file.h"
#include "cli/workspace.h"
#include "sql/export/result_writer.h"

struct batch_engine;

/* An option of the command line. */
struct batch_given {
    const struct command_option *option;
    const char *value; /* NULL: it takes none */
};

struct batch_settings {
    struct workspace_settings workspace; /* its trace is none's */
    VEC(const char *) words;             /* the query, where no file has it, and traces */
    VEC(struct text_file) scripts;
    VEC(struct text_file) summaries; /* specs; none: no summary is made */
    const char *summary_metrics;     /* ids with commas; NULL: all of the specs */
    VEC(const char *) metrics;       /* names; none: no metrics are computed */
    const char *messages;            /* a folder for summaries or metrics; NULL: they are rows */
    VEC(const char *) lists;         /* files that name traces */
    VEC(const char *) metadata;      /* names of metadata that become columns */
    const struct result_format *format;
    const char *into; /* an SQLite file; NULL: standard output */
    const char
        *errors; /* where the report of errors goes as CSV; NULL: standard error, for people */
    const char *resume; /* a folder with the rows of former runs; NULL: none are kept */
    uint32_t jobs;      /* 0: as many as there are CPUs */
    uint64_t memory;    /* bytes that a process may take; 0: its share of the machine's */
    double time;        /* seconds that a trace may take; 0: any */
    const struct batch_engine *engine;
    const char *hosts; /* a file: those that --engine parallel starts processes on */
    bool send;         /* traces to the hosts; else they lie there under the same names */
    bool explain;      /* instead of SQL: what is wrong in all of them */
    bool rows_only;    /* nothing is written but what is kept */
    VEC(struct batch_given) given; /* the options, in their order */
    uint64_t asked;                /* batch_asked, where rows are kept */
};

/* A hash of all that rows depend on besides the trace: the build of the program, options and what
 * is in the files that they name. */
uint64_t batch_asked(const struct batch_settings *b);

/* What is told of one that failed, at most. */
enum { BATCH_ERROR_MAX = 4096 };

enum task_state { TASK_WAITING, TASK_RUNNING, TASK_DONE, TASK_FAILED };

struct batch_task {
    char *path; /* owned */
    enum task_state state;
    pid_t pid;
    int64_t begin_ns;
    FILE *rows, *messages; /* NULL where there are none */
    uint64_t key;          /* of its rows: what was asked of which content; 0: not known */
    /* Names of the rows where they are kept and of an error; owned, NULL where the key is not
     * known. */
    char *kept, *kept_error;
    char *kept_tmp; /* what is to become the rows; owned, or NULL */
    char *error;    /* of one that failed; owned */
    char *warning;  /* what the process of one that is done said: as what is missing of its trace;
                       owned, or  NULL */
};

struct batch_tasks {
    VEC(struct batch_task) v;
    uint32_t skipped; /* files in folders that are no traces */
};

/* Fills the list from the words from `first` on, and the files of lists. An error names the path
 * that is not there. */
struct status batch_collect(struct batch_tasks *tasks, const struct batch_settings *b,
                            size_t first);
void batch_tasks_release(struct batch_tasks *tasks);

/* Rows and errors that are kept in --resume's folder. */

/* Gives the task its names without reading the trace; false where there is no such folder or trace,
 * or the trace has not been identified as it is now. */
bool batch_kept_name(struct batch_task *t, const struct batch_settings *b);

/* A trace file while it is queried. */
struct batch_identity {
    int fd;
    struct file_identity file;
    bool known;
};
/* In the process of a task: finds out what the trace is, which may read all of it, notes it in the
 * folder, without an error that is kept of such a one, and gives the task its names. Not `known`
 * where that is no regular file, or it is being changed. */
struct batch_identity batch_kept_identify(struct batch_task *t, const struct batch_settings *b);
/* And behind the query: whether its rows, of a trace that was loaded from `loaded`, are those of
 * the task's key. */
bool batch_kept_holds(const struct batch_identity *id, const struct batch_settings *b,
                      const struct file_identity *loaded);

/* Makes the file that is to become the rows. */
bool batch_kept_begin(struct batch_task *t, const struct batch_settings *b);
/* Takes rows that are there: the task is done. */
bool batch_kept_take(struct batch_task *t);
/* What was written becomes the rows, or is not kept; the error of a task that failed is kept. */
void batch_kept_done(struct batch_task *t);
void batch_kept_drop(struct batch_task *t);
void batch_kept_failed(struct batch_task *t);
/* The error that is kept, for free(), or NULL; removes it. */
char *batch_kept_error(const struct batch_task *t);
void batch_kept_forget(struct batch_task *t);
/* Takes rows that another machine has computed of a file with that content (the second number of
 * what it noted, 0: not known): the task is done. They are kept, too, where the file here has that
 * content. False where they are not whole, and `rows` is still the caller's. */
bool batch_kept_bring(struct batch_task *t, const struct batch_settings *b, FILE *rows,
                      uint64_t content);
/* The content of the only trace that was noted in a folder; 0 where there is none. */
uint64_t batch_kept_content(struct str note);

/* What is done with the tasks as they end, in the order of the list. */
struct batch_output {
    /* Rows of a task that is done; what fails is what is written to (false), or the task: an error
     * that becomes its own. */
    bool (*add)(void *self, const struct batch_task *task, struct status *error);
    void *self;
};

/* Runs in the process of a task, which ends with what it returns, an exit status; rows go to
 * task->rows. */
typedef int batch_query_fn(const struct batch_settings *b, const struct batch_task *task);

/* Where processes run. */
struct batch_engine {
    const char *name;  /* of --engine */
    bool needs_folder; /* --resume, seen by all machines */
    bool has_hosts;    /* --hosts, and --send */
    /* Runs all. False where `output` took no more, or Ctrl-C was pressed: what had ended by then is
     * added, the rest is left. */
    bool (*run)(struct batch_tasks *tasks, const struct batch_settings *b, batch_query_fn *query,
                const struct batch_output *output);
};

#define BATCH_ENGINES(X) X(local) X(slurm) X(parallel)

#define DECLARE_ENGINE(NAME) extern const struct batch_engine NAME##_engine;
BATCH_ENGINES(DECLARE_ENGINE)
#undef DECLARE_ENGINE

/* From now on Ctrl-C is only noted. */
void batch_catch_interrupts(void);
/* Ctrl-C was pressed. */
bool batch_interrupted(void);

/* Where rows go: a format on standard output, or a table of an SQLite file. */
struct batch_sink;
struct batch_sink *batch_sink_new(const struct batch_settings *b, struct status *error);
struct batch_output batch_sink_output(struct batch_sink *s);
/* Rows of other makers, each of a trace. False where it takes no more. */
bool batch_sink_begin(struct batch_sink *s, int columns, const char *const *names);
bool batch_sink_row(struct batch_sink *s, const struct batch_task *trace, int columns,
                    const struct sql_value *values);
/* Ends the output with the errors of the tasks that failed. */
struct status batch_sink_finish(struct batch_sink *s, const struct batch_tasks *tasks);

#endif
