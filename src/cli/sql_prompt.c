#include "cli/sql_prompt.h"

#include <limits.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/standard_streams.h"
#include "base/user_path.h"
#include "cli/command.h"
#include "cli/line_editor.h"
#include "rpc/remote.h"
#include "complete/likely.h"
#include "sql/session.h"
#include "sql/tokens/lexer.h"

/* A prompt while it runs. */
struct prompt_state {
    struct sql_prompt *prompt;
    VEC(char) text;             /* of a statement that is not complete yet; lines end in newlines */
    struct line_editor *editor; /* NULL: none */
    struct schema *schema;      /* for completion; NULL: not read yet */
    bool terminal;
    char *line; /* of getline */
    size_t room;
};

static void print_note(void *self, const char *reason)
{
    (void)self;
    char line[1024];
    snprintf(line, sizeof line, "no rows: %s", reason);
    workspace_print(line);
}

static bool drop_row(void *self, int columns, const struct sql_value *values)
{
    (void)self, (void)columns, (void)values;
    return true;
}

struct status sql_prompt_execute(const struct sql_prompt *p, const char *name, struct str sql,
                                 size_t from, size_t to, const struct sql_sink *sink)
{
    static const struct sql_sink nowhere = {.row = drop_row};
    struct status s = status_ok_value();
    bool found = true;
    if (!p->remote) {
        return sql_session_run_part(workspace_session(), name, sql, from, to, sink);
    }
    for (size_t at = from; at < to && found && status_ok(s);)
        s = remote_run_next(p->remote, (struct str){sql.p, to}, &at, sink ? sink : &nowhere,
                            &found);
    return s;
}

bool sql_prompt_write(struct sql_prompt *p, const char *name, struct str sql)
{
    bool terminal = isatty(STDOUT_FILENO);
    struct result_writer *writer = result_writer_new(standard_output(), p->format, terminal);
    struct sql_sink sink = result_writer_sink(writer);
    sink.note = print_note;
    writer->results = p->results; /* an empty line parts them */
    int64_t begin = clock_now_ns();
    struct status s = sql_prompt_execute(p, name, sql, 0, sql.n, &sink);
    double seconds = (double)(clock_now_ns() - begin) / 1e9;
    p->results = writer->results;
    result_writer_free(writer);
    fflush(standard_output());
    bool good = status_ok(s);
    if (!good)
        workspace_print(s.code == STATUS_CANCELLED ? "interrupted" : s.message);
    else if (terminal)
        fprintf(standard_errors(), "%.3f s\n", seconds);
    status_release(&s);
    return good;
}

/* Whether a parenthesis, a string or a comment goes on behind the text. */
static bool is_open(struct str text)
{
    const struct sql_source source = {.name = "stdin", .text = text};
    int depth = 0;
    for (size_t at = 0; at < text.n;) {
        struct token t = lexer_token(&source, at);
        if (t.kind == TOKEN_END)
            break;
        depth += token_is(t, '(') - token_is(t, ')');
        bool comment = t.kind == TOKEN_SPACE && str_starts(t.text, STR("/*"));
        bool ends = t.text.n >= 4 && str_ends(t.text, STR("*/"));
        bool quote = t.kind == TOKEN_BROKEN && strchr("'\"`[", t.text.p[0]);
        if (quote || (comment && !ends))
            return true;
        at += t.text.n ? t.text.n : 1;
    }
    return depth > 0;
}

static bool is_complete(const struct prompt_state *s)
{
    struct str text = {s->text.items, s->text.count};
    if (!s->prompt->published)
        return sqlite3_complete(s->text.items);
    return !s->editor || !is_open(text); /* scripts are read as that program reads them */
}

static void add_line(struct prompt_state *s, const char *line)
{
    size_t n = strlen(line);
    vec_reserve(&s->text, s->text.count + n + 2);
    memcpy(s->text.items + s->text.count, line, n);
    memcpy(s->text.items + s->text.count + n, "\n", 2); /* the NUL is not counted */
    s->text.count += n + 1;
}

static void run_text(struct prompt_state *s)
{
    struct str text = {s->text.items, s->text.count};
    size_t at = 0;
    if (s->prompt->published)
        sql_prompt_page(s->prompt, (struct str){text.p, text.n - 1});
    else if (sql_script_next(text, &at) < text.n && !sql_prompt_write(s->prompt, "stdin", text))
        s->prompt->failed = true;
    s->text.count = 0;
    schema_free(s->schema); /* the statement may have made something */
    s->schema = NULL;
}

/* Takes a line. Returns false where the prompt shall end. */
static bool take_line(struct prompt_state *s, const char *line)
{
    if (s->text.count == 0 && line[0] == '.')
        return sql_prompt_command(s->prompt, str_from(line));
    if (s->text.count == 0 && !*line) {
        if (s->prompt->published)
            fputs("If you want to quit either type .q or press CTRL-D (EOF)\n", standard_output());
        return true;
    }
    add_line(s, line);
    if (is_complete(s))
        run_text(s);
    return true;
}

static void count_use(void *self, struct str line)
{
    schema_count_use(self, line);
}

static void read_schema(struct prompt_state *s)
{
    sql_session_resume(workspace_session());
    struct status status = schema_read(workspace_session(), &s->schema);
    status_release(&status); /* then there are keywords only */
    if (s->schema && s->editor)
        line_editor_lines(s->editor, count_use, s->schema);
}

/* Names for what is typed, behind the lines that are there already. */
static void complete_line(void *self, struct str line, size_t caret, struct completion *out)
{
    struct prompt_state *s = self;
    size_t before = s->text.count;
    char *text = alloc_bytes(before + line.n + 1);
    if (before > 0)
        memcpy(text, s->text.items, before);
    if (line.n > 0)
        memcpy(text + before, line.p, line.n);
    if (!s->schema && !s->prompt->remote)
        read_schema(s);
    complete(s->schema, (struct str){text, before + line.n}, before + caret, out);
    out->from = out->from > before ? out->from - before : 0;
    out->to = out->to > before ? out->to - before : 0;
    free(text);
}

/* What was pressed until here was about the line. */
static void forget_interrupt(const struct prompt_state *s)
{
    if (!s->prompt->remote)
        sql_session_resume(workspace_session());
}

/* Ctrl-C is either the line's or the statement's. */
static char *edit_line(struct prompt_state *s, const char *prompt, bool *interrupted)
{
    sigset_t interrupt, before;
    sigemptyset(&interrupt);
    sigaddset(&interrupt, SIGINT);
    sigprocmask(SIG_BLOCK, &interrupt, &before);
    char *line = line_editor_read(s->editor, prompt, interrupted);
    forget_interrupt(s);
    sigprocmask(SIG_SETMASK, &before, NULL);
    return line;
}

/* The next line, valid until the next call; NULL at the end, or where Ctrl-C was pressed. */
static const char *read_line(struct prompt_state *s, bool *interrupted)
{
    const char *usual = s->prompt->published ? "> " : "tptui> ";
    const char *prompt = s->text.count == 0 ? usual : "   ...> ";
    *interrupted = false;
    if (s->editor) {
        free(s->line);
        return s->line = edit_line(s, prompt, interrupted);
    }
    if (s->terminal) {
        fputs(prompt, standard_output());
        fflush(standard_output());
    }
    ssize_t n = getline(&s->line, &s->room, stdin);
    forget_interrupt(s);
    if (n < 0)
        return NULL;
    if (n > 0 && s->line[n - 1] == '\n')
        s->line[n - 1] = 0;
    return s->line;
}

void sql_prompt_run(struct sql_prompt *p)
{
    char path[PATH_MAX];
    struct prompt_state s = {.prompt = p, .terminal = isatty(STDIN_FILENO)};
    bool keeps = user_path(USER_STATE, "shell_history", path, sizeof path, true), interrupted;
    s.editor = line_editor_new(keeps ? path : NULL, complete_line, &s);
    if (!p->remote)
        workspace_stop_statements_only();
    for (const char *line; (line = read_line(&s, &interrupted)) || interrupted;) {
        if (!line)
            s.text.count = 0;
        else if (!take_line(&s, line))
            break;
    }
    if (s.text.count > 0)
        run_text(&s);
    line_editor_free(s.editor);
    schema_free(s.schema);
    vec_release(&s.text);
    free(s.line);
}

struct shell_command_settings {
    struct workspace_settings workspace;
    const struct result_format *format;
    const char *remote;
};

static int set_format(void *self, const char *value)
{
    return options_result_format(value, &((struct shell_command_settings *)self)->format);
}

static const struct command_option options[] = {
    {.name = "format",
     .value = RESULT_FORMAT_NAMES,
     .help = "of rows: table on a terminal, csv otherwise",
     .set = set_format},
    {.name = "remote",
     .value = "NAME|PATH",
     .help = "ask the session that serve unix keeps, without a trace",
     OPTION_INTO(struct shell_command_settings, remote)},
    WORKSPACE_OPTIONS,
};

static const struct option_table shell_options = {"shell", options,
                                                  sizeof options / sizeof *options};

static int add_word(void *self, const char *word)
{
    struct shell_command_settings *s = self;
    if (s->workspace.trace)
        return usage_error("shell takes one trace: %s and %s", s->workspace.trace, word);
    s->workspace.trace = word;
    return EXIT_DONE;
}

/* Where statements run: over a trace that is loaded, or where --remote says. */
static int run_shell(struct shell_command_settings *s)
{
    const struct result_format *usual = isatty(STDOUT_FILENO) ? &table_format : &csv_format;
    struct sql_prompt prompt = {.workspace = &s->workspace,
                                .format = s->format ? s->format : usual};
    int exit_status = s->remote
                          ? workspace_report(remote_open(s->remote, &prompt.remote), EXIT_TRACE)
                          : workspace_open(&s->workspace);
    if (exit_status != EXIT_DONE)
        return exit_status;
    sql_prompt_run(&prompt);
    if (prompt.remote)
        remote_close(prompt.remote);
    return prompt.failed && !isatty(STDIN_FILENO) ? EXIT_SQL : EXIT_DONE;
}

static int shell_command(int argc, char **argv)
{
    struct shell_command_settings s = {0};
    int exit_status = options_parse(&shell_options, &s, add_word, argc, argv);
    if (exit_status == EXIT_DONE && s.workspace.trace && strcmp(s.workspace.trace, "-") == 0)
        exit_status = usage_error("shell reads statements from standard input, not the trace");
    if (exit_status == EXIT_DONE && s.workspace.trace && s.remote)
        exit_status = usage_error("shell takes a trace or --remote, not both");
    const char *loading = s.remote ? workspace_loading_option(&s.workspace) : NULL;
    if (exit_status == EXIT_DONE && loading)
        exit_status = usage_error("%s is for who loads the trace: give it to serve unix, not with "
                                  "--remote",
                                  loading);
    if (exit_status == EXIT_DONE)
        exit_status = run_shell(&s);
    workspace_settings_release(&s.workspace);
    return exit_status;
}

const struct command shell_cmd = {
    .name = "shell",
    .usage = "[TRACE]\0type statements; .help tells of further commands\0"
             "--remote NAME\0the same for the session that serve unix keeps\0",
    .options = &shell_options,
    .run = shell_command,
};
