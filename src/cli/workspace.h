/* What a command works on: a trace, loaded, and a session over it. There is one a process; Ctrl-C
 * and the timer stop what it does. */
#ifndef TPTUI_CLI_WORKSPACE_H
#define TPTUI_CLI_WORKSPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/vec.h"
#include "cli/alert_rules.h"
#include "cli/options.h"
#include "core/trace_builder.h"
#include "parsers/cache.h"

struct load_progress;
struct sql_session;
struct trace;
struct trace_format;

/* DIR[@NAME], or all modules (no name). */
struct sql_package {
    char *folder, *name; /* owned */
};

/* The first member of the settings of each command that opens a workspace. */
struct workspace_settings {
    const char *trace;             /* NULL: an empty one */
    const struct trace_format *as; /* NULL: what it looks like */
    VEC(struct sql_package) packages;
    bool may_write_files;
    const char *curves;   /* folder; NULL: not given */
    uint64_t sort_memory; /* bytes; 0: not given */
    bool no_vector;
    struct cache_options cache;
    struct import_options import;
    bool only_statements; /* of SQL are run in the session: the schema may wait for one */
    bool is_shell;        /* words messages as trace_processor_shell does, and tells of progress */
};

void workspace_settings_release(struct workspace_settings *s);

/* `set` of options (cli/options.h) whose `self` begins with a struct workspace_settings. */
int workspace_add_package(void *self, const char *value);
int workspace_override_stdlib(void *self, const char *value);
int workspace_as(void *self, const char *value);
int workspace_sort_memory(void *self, const char *value);
int workspace_from(void *self, const char *value);
int workspace_to(void *self, const char *value);

/* An option among the settings that says how to load a trace or make its session, which who asks a
 * session elsewhere cannot; NULL: there is none. */
const char *workspace_loading_option(const struct workspace_settings *s);

#define WORKSPACE_OPTIONS MEMORY_OPTION, WORKSPACE_OPTIONS_OF_JOB
/* Of one whose memory is limited in another way. */
#define WORKSPACE_OPTIONS_OF_JOB                                                                   \
    AS_OPTION(workspace_as), SORT_MEMORY_OPTION(workspace_sort_memory),                            \
        NO_VECTOR_OPTION(OPTION_INTO(struct workspace_settings, no_vector)),                       \
        CACHE_OPTIONS(OPTION_INTO(struct workspace_settings, cache.off),                           \
                      OPTION_INTO(struct workspace_settings, cache.file)),                         \
        WINDOW_OPTIONS(workspace_from, workspace_to),                                              \
        {.name = "add-sql-package",                                                                \
         .value = "DIR[@NAME]",                                                                    \
         .help = "let queries include DIR's modules as "                                           \
                 "NAME.file",                                                                      \
         .set = workspace_add_package,                                                             \
         .rows = OPTION_ROWS_FILES},                                                               \
        {.name = "override-stdlib",                                                                \
         .value = "DIR",                                                                           \
         .help = "modules from DIR in place of the built-in ones",                                 \
         .set = workspace_override_stdlib,                                                         \
         .rows = OPTION_ROWS_FILES},                                                               \
        {.name = "wattson-curves",                                                                 \
         .value = "DIR",                                                                           \
         .help = "power curves of devices, DEVICE/NAME.csv, for the modules wattson",              \
         .more = "By default ~/.config/tptui/wattson. See docs/SQL.md.",                           \
         .rows = OPTION_ROWS_FILES,                                                                \
         OPTION_INTO(struct workspace_settings, curves)},                                          \
        ALERTS_OPTION,                                                                             \
    {                                                                                              \
        .name = "allow-sql-file-access", .help = "let queries write files and ATTACH databases",   \
        .more = "Without it they cannot, as SQL may come from anybody.",                           \
        .rows = OPTION_ROWS_VALUE, OPTION_INTO(struct workspace_settings, may_write_files)         \
    }

/* For who works on a file without opening a workspace: Ctrl-C cancels what has this progress. */
void workspace_catch_signals(void);
struct load_progress *workspace_progress(void);

/* Catches Ctrl-C, loads the trace, makes the session with its packages. Returns an exit status;
 * what failed has been said on stderr. */
int workspace_open(const struct workspace_settings *settings);

/* Says on stderr what is missing of a trace, if so much is that rows may be wrong. */
void workspace_warn_about_loss(const struct trace *trace, const char *path);

/* Waits until the trace is kept, where it is being kept. At the end. */
void workspace_close(void);

/* The parts of the open workspace. They live as long as the process. */
struct sql_session *workspace_session(void);
struct trace *workspace_trace(void);

/* Interrupts what runs after that time; 0: no longer. */
void workspace_set_timeout(double seconds);

/* Does to a new session what the settings say of sessions. */
struct status workspace_prepare(const struct workspace_settings *settings, struct sql_session *s);

/* Puts a new session in the place of the workspace's: what scripts have made is gone. Returns an
 * exit status. */
int workspace_renew(const struct workspace_settings *settings);

/* From now on the session is somebody else's, who may end it: Ctrl-C ends the program. */
void workspace_hand_over(void);
/* From now on Ctrl-C stops what runs, not the program. */
void workspace_stop_statements_only(void);
/* The file that the trace was read from; all zero where it is no regular one. */
const struct file_identity *workspace_file(void);
/* How long loading took, in ns. */
int64_t workspace_load_time(void);

/* Says on stderr why `s` failed, which is released, and returns `exit_status` (EXIT_INTERRUPT where
 * Ctrl-C was the reason); EXIT_DONE where it did not fail. */
int workspace_report(struct status s, int exit_status);
/* "tptui: MESSAGE" (a shell: "MESSAGE"), a line each, with control characters escaped. */
void workspace_print(const char *message);

#endif
