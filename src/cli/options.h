/* Options of a command: one table that the parser, the help and the manual page read. */
#ifndef TPTUI_CLI_OPTIONS_H
#define TPTUI_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Whether the rows of a query depend on an option: `tptui batch --resume` keeps rows under a key of
 * all that they depend on. */
enum option_rows {
    OPTION_ROWS_UNSAID, /* of a command that keeps none */
    OPTION_ROWS_SAME,   /* they do not; it says what to do with them */
    OPTION_ROWS_COST,   /* they do not; it says what it may take to get them */
    OPTION_ROWS_VALUE,  /* on its value */
    OPTION_ROWS_TEXT,   /* on the text of its file, which is read with the option */
    OPTION_ROWS_FILES,  /* on the text of a file or folder that each process reads for itself */
};

enum option_member { OPTION_MEMBER_TEXT, OPTION_MEMBER_BOOL };

/* One option. Texts are ASCII and begin with a small letter, as the help shows them. */
struct command_option {
    const char *name;  /* without the dashes */
    char letter;       /* the short form; 0: none */
    const char *value; /* what the help calls its value; NULL: it takes none */
    const char *help;  /* what it does, without a full stop */
    const char *more;  /* further sentences for the manual page; NULL: none */

    /* Takes the option into `self`; `value` lives as long as argv and is NULL where the option
     * takes none. Returns an exit status; one other than EXIT_DONE ends parsing, and has been
     * explained on stderr. NULL: OPTION_INTO says what takes it. */
    int (*set)(void *self, const char *value);
    enum option_member member;
    size_t offset;
    enum option_rows rows;
};

/* In place of `.set`: the value becomes a member (const char *) of the struct TYPE that `self`
 * begins with, or the member (bool) becomes true. */
#define OPTION_INTO(TYPE, MEMBER)                                                                  \
    .member = _Generic(((TYPE *)NULL)->MEMBER,                                                     \
        bool: OPTION_MEMBER_BOOL,                                                                  \
        const char *: OPTION_MEMBER_TEXT),                                                         \
    .offset = offsetof(TYPE, MEMBER)

struct option_table {
    const char *owner; /* whose options, for messages and headings: "query" */
    const struct command_option *options;
    size_t count;
};

/* Takes one option, with its value or NULL, into `self`. Returns an exit status. */
int option_take(const struct command_option *option, void *self, const char *value);

/* Calls `take` for each option of argv[1..] and `add` for each other word, in the order they
 * stand; behind "--" everything is a word, and so is SQL that begins with a comment. Returns
 * EXIT_DONE, or what the first of them that failed returned. argv is not changed. */
int options_walk(const struct option_table *table, void *self,
                 int (*take)(const struct command_option *option, void *self, const char *value),
                 int (*add)(void *self, const char *word), int argc, char **argv);
/* The same with option_take. */
int options_parse(const struct option_table *table, void *self,
                  int (*add)(void *self, const char *word), int argc, char **argv);

/* As programs commonly do it, for who expects their messages: getopt's own on stderr, and words
 * behind options moved to the end of argv, which is changed. Returns the index of the first word,
 * or -1 where an option was refused. */
int options_parse_usual(const struct option_table *table, void *self, int argc, char **argv);

/* What several commands have: how much of a trace stays in memory. */
#define MEMORY_OPTION                                                                              \
    {                                                                                              \
        .name = "memory", .value = "BYTES",                                                        \
        .help = "what a trace's tables may take in memory (as 500M; half of what is left); more "  \
                "goes to a file",                                                                  \
        .more = "Of what the machine and the control groups leave. The file has no name and is "   \
                "where loaded traces are kept (tptui cache), else in $TMPDIR, /var/tmp or /tmp, "  \
                "whichever is on a disk; the system writes to it what is not being used.",         \
        .set = options_memory, .rows = OPTION_ROWS_COST                                            \
    }
/* And: how much of SQLite's temporary files is kept in memory. */
#define SORT_MEMORY_OPTION(SET)                                                                    \
    {                                                                                              \
        .name = "sort-memory", .value = "BYTES",                                                   \
        .help = "what queries may sort in memory (as 500M; a quarter of all); more goes to files", \
        .more =                                                                                    \
            "By itself at most 4G. The files have no names and are in $SQLITE_TMPDIR, $TMPDIR, "   \
            "/var/tmp or /tmp.",                                                                   \
        .set = SET, .rows = OPTION_ROWS_COST                                                       \
    }
/* And, with what takes it (`.set = ...` or OPTION_INTO): whether SELECTs are worked on in batches
 * (sql/vector). */
#define NO_VECTOR_OPTION(TAKES)                                                                    \
    {                                                                                              \
        .name = "no-vector", .help = "leave all queries to SQLite, row by row",                    \
        .more = "Sums, groups, orders and windows over large tables are otherwise worked on "      \
                "column by column, with the same results; EXPLAIN QUERY PLAN says which are.",     \
        .rows = OPTION_ROWS_VALUE, TAKES                                                           \
    }
/* And: what format the trace is in. */
#define AS_OPTION(SET)                                                                             \
    {                                                                                              \
        .name = "as", .value = "FORMAT",                                                           \
        .help = "read the trace as that format, whatever it looks like (tptui formats)",           \
        .more = "Compressed ones are decompressed first.", .set = SET, .rows = OPTION_ROWS_VALUE   \
    }
/* And: whether what took long to load is kept. */
#define CACHE_OPTIONS(TAKES_OFF, TAKES_FILE)                                                       \
    {.name = "no-cache",                                                                           \
     .help = "load the trace, and keep nothing of it",                                             \
     .more = "What takes longer than a second to load is kept in $XDG_CACHE_HOME/tptui, or "       \
             "~/.cache/tptui, and opened from there the next time. See tptui cache.",              \
     .rows = OPTION_ROWS_COST,                                                                     \
     TAKES_OFF},                                                                                   \
    {                                                                                              \
        .name = "cache", .value = "FILE",                                                          \
        .help = "keep the loaded trace in FILE and open it from there",                            \
        .more = "For the same trace anywhere, with the same build of the program. A file that "    \
                "does not fit the trace is replaced.",                                             \
        .rows = OPTION_ROWS_COST, TAKES_FILE                                                       \
    }
/* And, of who works on many traces or on the cache itself: where that is. */
#define CACHE_FOLDER_OPTION(TAKES)                                                                 \
    {                                                                                              \
        .name = "cache-folder", .value = "FOLDER",                                                 \
        .help = "where loaded traces are kept (~/.cache/tptui)",                                   \
        .more = "A folder of the user alone, which is made where it is missing; as on a disk of "  \
                "the machine's own, where the home folder is that of a cluster.",                  \
        .rows = OPTION_ROWS_COST, TAKES                                                            \
    }
/* And: only a window of the trace. */
#define WINDOW_OPTIONS(SET_FROM, SET_TO)                                                           \
    {.name = "from",                                                                               \
     .value = "TIME",                                                                              \
     .help = "load the trace from there on only, with the state before it",                        \
     .more = "What is open then, runs, sleeps or holds as a value begins a nanosecond "            \
             "before. Times: 614.037 or 614ms from the begin of the trace, 1.5s, 300us, 2h, "      \
             "1:02:03; with 12 "                                                                   \
             "digits or more, ns of the trace clock, with a - before its 0: "                      \
             "-000000000500. Of all formats that have times.",                                     \
     .set = SET_FROM,                                                                              \
     .rows = OPTION_ROWS_VALUE},                                                                   \
    {                                                                                              \
        .name = "to", .value = "TIME",                                                             \
        .help = "load the trace up to there; +2s: for 2 seconds from --from on", .set = SET_TO,    \
        .rows = OPTION_ROWS_VALUE                                                                  \
    }
struct time_window;
/* Read their values. Return an exit status. */
int options_from(const char *value, struct time_window *window);
int options_to(const char *value, struct time_window *window);

struct trace_format;
/* Reads its value. Returns an exit status. */
int options_format(const char *value, const struct trace_format **format);

struct result_format;
/* Reads the value of --format. Returns an exit status. */
int options_result_format(const char *value, const struct result_format **format);
/* Reads a number of seconds, more than 0; `option` is its name for the message. Returns an exit
 * status. */
int options_seconds(const char *option, const char *value, double *seconds);

/* Reads a number of bytes: digits, and K, M or G behind them for powers of 1024; more than 0. */
bool options_bytes(const char *value, uint64_t *bytes);
/* For MEMORY_OPTION; `self` is not used. Returns an exit status. */
int options_memory(void *self, const char *value);
/* Reads its value: digits, and K, M or G behind them for powers of 1024. Returns an exit status. */
int options_sort_memory(const char *value, uint64_t *bytes);

/* The name nearest to one with a slip; NULL: none is near. */
const char *options_nearest(const struct option_table *table, const char *wanted);

/* The options for --help: names on the left, what they do on the right, 80 columns at most. */
void options_print_help(const struct option_table *table, FILE *f);

/* The options for programs, a line each:
 * "owner<TAB>-letter or nothing<TAB>--name<TAB>value<TAB>help<TAB>more". */
void options_print_list(const struct option_table *table, FILE *f);

#endif
