/* The subcommands. Each gets the arguments from its name on, as main() does, and returns the exit
 * status. */
#ifndef TPTUI_CLI_COMMAND_H
#define TPTUI_CLI_COMMAND_H

#include "cli/options.h"

enum exit_status {
    EXIT_DONE = 0,
    EXIT_SQL = 1,
    EXIT_USAGE = 2,
    EXIT_TRACE = 3,
    EXIT_WORSE = 4, /* explain --fail-if */
    EXIT_INTERRUPT = 130
};

/* A word behind the program's name, or none: the timeline. */
struct command {
    const char *name;
    /* How it is called and what it does then: pairs of texts, each ended by NUL, ended by an empty
     * one. */
    const char *usage;
    const char *words; /* what its first word is one of, with | between; NULL: anything */
    const struct option_table *options;
    int (*run)(int argc, char **argv);
};

/* "0.1.0" */
extern const char program_version[];
/* "tptui VERSION (COMMIT)" */
extern const char program_build[];

/* All of them, in the order of the help: NAME is the const struct command NAME_cmd. */
#define COMMAND_LIST(X)                                                                            \
    X(query)                                                                                       \
    X(sql)                                                                                         \
    X(shell)                                                                                       \
    X(metrics)                                                                                     \
    X(summarize)                                                                                   \
    X(explain)                                                                                     \
    X(batch)                                                                                       \
    X(convert)                                                                                     \
    X(export)                                                                                      \
    X(merge)                                                                                       \
    X(symbolize)                                                                                   \
    X(deobfuscate)                                                                                 \
    X(bundle)                                                                                      \
    X(trim)                                                                                        \
    X(record)                                                                                      \
    X(live)                                                                                        \
    X(diff)                                                                                        \
    X(show)                                                                                        \
    X(serve)                                                                                       \
    X(cache)                                                                                       \
    X(config)                                                                                      \
    X(completion)                                                                                  \
    X(fmt)

#define DECLARE_COMMAND(NAME) extern const struct command NAME##_cmd;
COMMAND_LIST(DECLARE_COMMAND)
#undef DECLARE_COMMAND

/* The timeline; not a word of its own: what stands behind the program's name. */
extern const struct option_table view_options;
int view_command(int argc, char **argv);
/* Of a file that is replaced all the time; `script` may be NULL. Returns an exit status. */
int view_live(const char *path, const char *script);
struct tui_options;
/* What can be said only when all options are known. Returns an exit status. */
int view_check(const struct tui_options *o);

/* "tptui: MESSAGE" on stderr, and where help is to be had; returns EXIT_USAGE. */
int usage_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same of a word that is neither a file nor a command, with the command that may be meant. */
int refuse_command(const char *word);

#endif
