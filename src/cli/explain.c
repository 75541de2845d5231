/* tptui explain TRACE: what is wrong in a trace, and why; tptui explain --baseline A... -- B...:
 * what became worse. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/workspace.h"
#include "cli/text_file.h"
#include "explain/comparison.h"
#include "explain/picture.h"
#include "explain/question.h"
#include "explain/report.h"

struct explain_settings {
    struct workspace_settings workspace;
    const struct report_format *format;
    const char *asked[QUESTION_COUNT];
    uint64_t limit;
    bool sql, baseline;
    const char *pictures;                     /* a folder; NULL: none are made */
    VEC(const char *) fail_if;                /* conditions, @FILE for those of a file */
    int side;                                 /* that words are of */
    VEC(const char *) traces[SIDES_COMPARED]; /* of --baseline; without it the first is */
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

static int set_fail_if(void *self, const char *value)
{
    *vec_push(&((struct explain_settings *)self)->fail_if) = value;
    return EXIT_DONE;
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
    QUESTIONS(QUESTION_OPTION){
        .name = "pictures",
        .value = "DIR",
        .help = "write the moment of each problem that is told of there, as 1.svg, 2.svg, ...",
        OPTION_INTO(struct explain_settings, pictures)},
    {.name = "baseline",
     .help = "compare: the traces up to -- with those behind it",
     .more =
         "tptui explain --baseline A1 A2 A3 -- B1 B2 B3. Said are medians and how likely such a "
         "difference is by chance; three recordings a side can show no less than 0.1.",
     OPTION_INTO(struct explain_settings, baseline)},
    {.name = "fail-if",
     .value = "CONDITION",
     .help = "with --baseline: exit with 4 where it holds; repeatable, @FILE has one a line",
     .more = "Like 'frames.p95 > +10%', 'disk.waits > +5' or 'severe > 0': a measure, < or >, and "
             "by how "
             "much it may change, or without a sign the limit itself. The measures are listed.",
     .set = set_fail_if},
    WORKSPACE_OPTIONS,
};

static const struct option_table explain_options = {"explain", options,
                                                    sizeof options / sizeof *options};

static int add_trace(void *self, const char *word)
{
    struct explain_settings *s = self;
    if (!s->baseline && s->traces[0].count > 0)
        return usage_error("explain is of one trace, not also %s", word);
    *vec_push(&s->traces[s->side]) = word;
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

static struct status write_picture(void *self, FILE *file)
{
    return picture_print(self, NULL, NULL, file);
}

static int take_picture(const struct explain_settings *s, const struct problem *p, size_t number)
{
    char path[4096];
    char *place = report_text_of(p, report_place);
    struct picture wanted = {
        .trace = s->workspace.trace, .place = place, .width = 120, .height = 36, .svg = true};
    snprintf(path, sizeof path, "%s/%zu.svg", s->pictures, number);
    struct status status = replace_file(path, write_picture, &wanted);
    free(place);
    return workspace_report(status, EXIT_TRACE);
}

/* Of the problems that are told of. */
static int take_pictures(const struct explain_settings *s, const struct explanation *e)
{
    size_t told = s->limit && s->limit < e->problems.count ? s->limit : e->problems.count;
    int exit_status = EXIT_DONE;
    if (mkdir(s->pictures, 0777) != 0 && errno != EEXIST)
        return workspace_report(status_error(STATUS_IO, "%s: %s", s->pictures, strerror(errno)),
                                EXIT_USAGE);
    for (size_t i = 0; i < told && exit_status == EXIT_DONE; i++)
        exit_status = take_picture(s, &e->problems.items[i], i + 1);
    return exit_status;
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
                                                     &(struct explain_request){.sql = sql}),
                                       EXIT_SQL);
    if (exit_status == EXIT_DONE)
        s->format->print(&e, &report, standard_output());
    if (exit_status == EXIT_DONE && s->pictures)
        exit_status = take_pictures(s, &e);
    explanation_release(&e);
    free(sql);
    return exit_status;
}

/* ---- comparing ---- */

struct asked_condition {
    char *text; /* owned */
    struct condition condition;
};

struct asked_conditions {
    VEC(struct asked_condition) v;
};

static int read_condition(struct asked_conditions *all, struct str text)
{
    struct asked_condition *c = vec_push(&all->v);
    *c = (struct asked_condition){.text = alloc_copy(text.p, text.n)};
    return workspace_report(condition_read(c->text, &c->condition), EXIT_USAGE);
}

/* A condition a line; # begins a comment. */
static int read_condition_file(struct asked_conditions *all, const char *path)
{
    struct text_file file = {0};
    int exit_status = workspace_report(text_file_read(path, &file), EXIT_USAGE);
    struct str rest = exit_status == EXIT_DONE ? text_file_str(&file) : STR(""), line;
    while (exit_status == EXIT_DONE && str_next_line(&rest, &line)) {
        line = str_trim(str_cut(&line, '#'));
        if (line.n > 0)
            exit_status = read_condition(all, line);
    }
    text_file_release(&file);
    return exit_status;
}

/* Before a trace is read, which may take long. */
static int read_conditions(struct asked_conditions *all, const struct explain_settings *s)
{
    int exit_status = EXIT_DONE;
    for (size_t i = 0; i < s->fail_if.count && exit_status == EXIT_DONE; i++) {
        const char *asked = s->fail_if.items[i];
        exit_status = asked[0] == '@' ? read_condition_file(all, asked + 1)
                                      : read_condition(all, str_from(asked));
    }
    return exit_status;
}

/* Says which conditions hold. */
static int check_conditions(const struct asked_conditions *all, const struct comparison *c)
{
    int exit_status = EXIT_DONE;
    for (size_t i = 0; i < all->v.count && exit_status != EXIT_USAGE; i++) {
        bool met = false;
        int wrong =
            workspace_report(comparison_check(c, &all->v.items[i].condition, &met), EXIT_USAGE);
        if (met)
            fprintf(standard_errors(), "tptui: holds: %s\n", all->v.items[i].text);
        exit_status = wrong != EXIT_DONE ? wrong : met ? EXIT_WORSE : exit_status;
    }
    return exit_status;
}

static int compare(const struct explain_settings *s)
{
    struct comparison c;
    struct asked_conditions conditions = {0};
    int exit_status = read_conditions(&conditions, s);
    comparison_init(&c);
    workspace_catch_signals();
    for (int side = 0; side < SIDES_COMPARED; side++)
        for (size_t i = 0; i < s->traces[side].count && exit_status == EXIT_DONE; i++)
            exit_status =
                workspace_report(comparison_add_file(&c, side, s->traces[side].items[i],
                                                     s->workspace.as, &s->workspace.import,
                                                     workspace_progress()),
                                 EXIT_TRACE);
    if (exit_status == EXIT_DONE) {
        comparison_finish(&c);
        s->format->compare(&c, (uint32_t)s->limit, standard_output());
        exit_status = check_conditions(&conditions, &c);
    }
    comparison_release(&c);
    for (size_t i = 0; i < conditions.v.count; i++)
        free(conditions.v.items[i].text);
    vec_release(&conditions.v);
    return exit_status;
}

/* ---- the command ---- */

/* Where the words of the second side begin: behind "--". */
static int second_side(int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i + 1;
    return argc;
}

#define QUESTION_NAME(id, name, value, help) "--" name,
#define OR_QUESTION(id, name, value, help)   " --" name

/* The option that asks about something, or NULL; `*many` where there are several. */
static const char *asked_option(const struct explain_settings *s, bool *many)
{
    static const char *const names[QUESTION_COUNT] = {QUESTIONS(QUESTION_NAME)};
    const char *asked = NULL;
    *many = false;
    for (int i = 0; i < QUESTION_COUNT; i++) {
        *many |= asked && s->asked[i];
        asked = s->asked[i] ? names[i] : asked;
    }
    return asked;
}

static int take_words(struct explain_settings *s, int argc, char **argv)
{
    int second = second_side(argc, argv), first = second < argc ? second - 1 : argc;
    int exit_status = options_parse(&explain_options, s, add_trace, first, argv);
    s->side = s->baseline ? 1 : 0;
    if (second < argc && exit_status == EXIT_DONE) /* the "--" stands for the command's name */
        exit_status =
            options_parse(&explain_options, s, add_trace, argc - second + 1, argv + second - 1);
    if (exit_status != EXIT_DONE)
        return exit_status;
    bool many;
    const char *asked = asked_option(s, &many);
    if (many)
        return usage_error("explain is about one of" QUESTIONS(OR_QUESTION));
    if (s->baseline && (s->traces[0].count == 0 || s->traces[1].count == 0))
        return usage_error("explain --baseline wants traces before and behind --");
    if (s->baseline && (asked || s->sql || s->pictures))
        return usage_error("%s is about one trace, not what --baseline compares",
                           asked    ? asked
                           : s->sql ? "--sql"
                                    : "--pictures");
    if (!s->baseline && s->fail_if.count > 0)
        return usage_error("--fail-if is about what --baseline compares");
    if (!s->baseline && s->traces[0].count == 0)
        return usage_error("explain wants a trace");
    return EXIT_DONE;
}

static int explain_command(int argc, char **argv)
{
    struct explain_settings s = {.limit = PROBLEMS_SHOWN, .format = &text_report};
    int exit_status = take_words(&s, argc, argv);
    if (exit_status == EXIT_DONE && s.baseline) {
        exit_status = compare(&s);
    } else if (exit_status == EXIT_DONE) {
        s.workspace.trace = s.traces[0].items[0];
        s.workspace.only_statements = true;
        exit_status = workspace_open(&s.workspace);
        if (exit_status == EXIT_DONE)
            exit_status = explain(&s);
        workspace_close();
    }
    workspace_settings_release(&s.workspace);
    vec_release(&s.fail_if);
    for (int side = 0; side < SIDES_COMPARED; side++)
        vec_release(&s.traces[side]);
    return exit_status;
}

const struct command explain_cmd = {
    .name = "explain",
    .usage = "TRACE\0what is wrong in a trace, and why, worst first\0"
             "--baseline A ... -- B ...\0what became worse, and through what\0",
    .options = &explain_options,
    .run = explain_command,
};
