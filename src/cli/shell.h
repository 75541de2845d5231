/* The program under the name trace_processor_shell: commands, classic flags, output and exit
 * statuses of Perfetto's shell of that name, for what was written for it. */
#ifndef TPTUI_CLI_SHELL_H
#define TPTUI_CLI_SHELL_H

#include <stdbool.h>

#include "base/str.h"
#include "base/vec.h"
#include "cli/options.h"
#include "cli/workspace.h"

struct remote;

/* All that its commands and flags may say. Texts belong to argv. */
struct shell_settings {
    struct workspace_settings workspace;
    const char *program;     /* argv[0] */
    VEC(const char *) words; /* behind the command's name */

    const char *query_file, *query;
    bool interactive, wide;
    const char *perf_file, *export_file;
    const char *remote;
    bool help, classic_help, version;

    bool serves_http, serves_stdio; /* classic */
    const char *port, *ip_address, *origins;
    const char *session_name, *socket_path, *idle_timeout;
    bool daemonize;

    bool summary; /* classic */
    const char *metrics_v2, *metadata_query, *summary_format, *post_query;
    const char *structured_query_id;
    VEC(const char *) specs;

    const char *metrics, *pre_metrics, *metrics_output;
    VEC(const char *) metric_extensions;

    const char *truncate, *profile_pid, *output_folder, *timestamps;
    bool allocations, samples, java_heap;
    const char *manifest;
    bool unchecked, strict;
    VEC(const char *) symbol_paths, proguard_maps;
    bool no_auto_symbol_paths, no_auto_proguard_maps, verbose;

    const char *metatrace;
    bool development; /* --dev */
};

/* Whether an option is there that only loading a trace has a use for, where --remote names a
 * session that has done so; that has been said. */
bool shell_refuses_loading(const struct shell_settings *s);

/* A command of the shell. */
struct shell_command {
    const char *name;
    const char *words; /* what its words are, for the usage */
    const char *about; /* what it does, with a full stop */
    struct option_table options;
    /* Does it; `words` are those behind its name. Returns 0 or 1. */
    int (*run)(struct shell_settings *s);
};

/* Options that set a text, set a flag, add to a list. */
#define SHELL_TEXT(FIELD)                                                                          \
    static int set_##FIELD(void *self, const char *value)                                          \
    {                                                                                              \
        ((struct shell_settings *)self)->FIELD = value;                                            \
        return 0;                                                                                  \
    }
#define SHELL_FLAG(FIELD)                                                                          \
    static int set_##FIELD(void *self, const char *value)                                          \
    {                                                                                              \
        (void)value;                                                                               \
        ((struct shell_settings *)self)->FIELD = true;                                             \
        return 0;                                                                                  \
    }
#define SHELL_LIST(FIELD)                                                                          \
    static int add_##FIELD(void *self, const char *value)                                          \
    {                                                                                              \
        *vec_push(&((struct shell_settings *)self)->FIELD) = value;                                \
        return 0;                                                                                  \
    }

/* main() under that name. */
int shell_main(int argc, char **argv);
/* Whether argv[0] is a name of it. */
bool shell_is_meant(const char *program);

/* What every command has; and the flags without a command. */
extern const struct option_table shell_common_options, shell_classic_options;

/* A line on stderr; returns 1. */
int shell_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Checks and completes the settings for a workspace of that trace. Returns 0 or 1. */
int shell_prepare(struct shell_settings *s, const char *trace);
/* Loads the trace, which `trace` names (NULL: none is needed). Returns 0 or 1. */
int shell_open(struct shell_settings *s, const char *trace);

/* Runs statements one after the other and prints each result set as quoted CSV, empty lines between
 * them. Returns 0 or 1. */
int shell_run_query(const char *name, struct str sql);
/* The same where `remote` is (NULL: here). */
int shell_run_script(struct remote *remote, const char *name, struct str sql);
/* The same of a file. */
int shell_run_file(const char *path);
/* Reads and runs statements until the end of standard input or .quit, here or where `remote` is
 * (NULL: here). Returns 0. */
int shell_interact(const struct shell_settings *s, struct remote *remote);
/* Writes what was measured to `path`, if that is not NULL. Returns 0 or 1. */
int shell_write_times(const char *path, int64_t query_time);

extern const struct shell_command shell_query_cmd, shell_interactive_cmd, shell_server_cmd,
    shell_summarize_cmd, shell_metrics_cmd, shell_export_cmd, shell_convert_cmd, shell_bundle_cmd,
    shell_util_cmd;

#endif
