/* tptui explain TRACE: what is wrong in a trace, and why. */
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/workspace.h"
#include "explain/question.h"
#include "explain/report.h"

struct explain_settings {
    struct workspace_settings workspace;
    const struct report_format *format;
    const char *asked[QUESTION_COUNT];
    uint64_t limit;
    bool sql;
};

enum { PROBLEMS_SHOWN = 10, WIDTH = 100, WIDTH_LEAST = 40 };

static int set_format(void *self, const char *value)
{
    struct explain_settings *s = self;
    s->format = report_format_find(value);
    return s->format ? EXIT_DONE : usage_error("--format %s: expected " REPORT_FORMAT_NAMES, value);
}

static int set_limit(void *self, const char *value)
{
    struct explain_settings *s = self;
    if (str_to_u64(str_from(value), 10, &s->limit) && s->limit < UINT32_MAX)
        return EXIT_DONE;
    return usage_error("--limit wants a number of problems, not %s", value);
}

#define QUESTION_OPTION(ID, word, what, words)                                                     \
    {.name = (word),                                                                               \
     .value = (what),                                                                              \
     .help = (words),                                                                              \
     OPTION_INTO(struct explain_settings, asked[QUESTION_##ID])},

static const struct command_option options[] = {
    {.name = "format",
     .value = REPORT_FORMAT_NAMES,
     .help = "how it is told: text by itself",
     .more = "markdown fits a comment of 60,000 characters, with the chains folded; json has a "
             "schema (docs/EXPLAIN.md).",
     .set = set_format},
    {.name = "limit", .value = "N", .help = "problems told of (10; 0: all)", .set = set_limit},
    {.name = "sql",
     .help = "with a statement for each problem that gives its numbers",
     OPTION_INTO(struct explain_settings, sql)},
    QUESTIONS(QUESTION_OPTION) WORKSPACE_OPTIONS,
};

static const struct option_table explain_options = {"explain", options,
                                                    sizeof options / sizeof *options};

static int add_trace(void *self, const char *word)
{
    struct explain_settings *s = self;
    if (s->workspace.trace)
        return usage_error("explain is of one trace, not also %s", word);
    s->workspace.trace = word;
    return EXIT_DONE;
}

/* The statement of the symptoms that are asked for, for free(); NULL: those of the rules. */
static char *asked_sql(const struct explain_settings *s)
{
    for (int i = 0; i < QUESTION_COUNT; i++)
        if (s->asked[i])
            return question_sql((enum question)i, s->asked[i]);
    return NULL;
}

static int text_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0)
        return WIDTH;
    return size.ws_col < WIDTH_LEAST ? WIDTH_LEAST : size.ws_col;
}

static int explain(const struct explain_settings *s)
{
    struct explanation e;
    char *sql = asked_sql(s);
    const struct report_options report = {
        .path = s->workspace.trace,
        .width = text_columns(),
        .problems = (uint32_t)s->limit,
        .sql = s->sql,
    };
    int exit_status = workspace_report(explain_trace(&e, workspace_trace(), workspace_session(),
                                                     &(struct explain_request){sql}),
                                       EXIT_SQL);
    if (exit_status == EXIT_DONE)
        s->format->print(&e, &report, stdout);
    explanation_release(&e);
    free(sql);
    return exit_status;
}

static int explain_command(int argc, char **argv)
{
    struct explain_settings s = {.limit = PROBLEMS_SHOWN, .format = &text_report};
    int exit_status = options_parse(&explain_options, &s, add_trace, argc, argv);
    if (exit_status == EXIT_DONE && !s.workspace.trace)
        exit_status = usage_error("explain wants a trace");
    if (exit_status == EXIT_DONE)
        exit_status = workspace_open(&s.workspace);
    if (exit_status == EXIT_DONE)
        exit_status = explain(&s);
    workspace_close();
    workspace_settings_release(&s.workspace);
    return exit_status;
}

const struct command explain_cmd = {
    .name = "explain",
    .usage = "TRACE\0what is wrong in a trace, and why, worst first\0",
    .options = &explain_options,
    .run = explain_command,
};
