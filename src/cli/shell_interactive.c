/* trace_processor_shell interactive: statements from the terminal, results as columns. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/vec.h"
#include "base/clock.h"
#include "cli/command.h"
#include "cli/shell.h"
#include "cli/text_file.h"
#include "sql/session.h"

enum { USUAL_WIDTH = 20, MAX_WIDTH = 4096, ROWS_PER_PAGE = 32 };

/* A result being printed. */
struct page {
    int width; /* of a column */
    int columns;
    VEC(char *) names; /* owned */
    uint64_t rows;
    int64_t first_row; /* when it came, in ns; 0: not yet */
    bool stopped;      /* by the user */
};

static void forget_names(struct page *p)
{
    for (size_t i = 0; i < p->names.count; i++)
        free(p->names.items[i]);
    p->names.count = 0;
}

static bool begin_page(void *self, int columns, const char *const *names)
{
    struct page *p = self;
    forget_names(p);
    for (int i = 0; i < columns; i++)
        *vec_push(&p->names) = alloc_copy(names[i], strlen(names[i]));
    p->columns = columns;
    p->rows = 0;
    return true;
}

static void print_head(const struct page *p)
{
    for (int i = 0; i < p->columns; i++)
        printf("%-*.*s ", p->width, p->width, p->names.items[i]);
    putchar('\n');
    for (int i = 0; i < p->columns; i++) {
        for (int n = 0; n < p->width; n++)
            putchar('-');
        putchar(' ');
    }
    putchar('\n');
}

/* Waits until the user wants to see more. The program ends with standard input. */
static bool wants_more(void)
{
    char answer[32];
    fflush(stdout);
    fputs("...\nType 'q' to stop, Enter for more records: ", stderr);
    if (!fgets(answer, sizeof answer, stdin))
        exit(0);
    return answer[0] != 'q';
}

static void print_cell(int width, const struct sql_value *v)
{
    switch (v->type) {
    case SQL_NULL:
        printf("%-*s ", width, "[NULL]");
        break;
    case SQL_INT:
        printf("%*" PRId64 " ", width, v->i);
        break;
    case SQL_REAL:
        printf("%*f ", width, v->d);
        break;
    case SQL_TEXT: {
        int n = (int)strnlen(v->s.p, v->s.n < (size_t)width ? v->s.n : (size_t)width);
        printf("%-*.*s ", width, n, v->s.p);
        break;
    }
    case SQL_BLOB:
        printf("%-*s ", width, "<raw bytes>");
        break;
    }
}

static bool put_row(void *self, int columns, const struct sql_value *values)
{
    struct page *p = self;
    if (p->first_row == 0)
        p->first_row = clock_now_ns();
    if (p->rows > 0 && p->rows % ROWS_PER_PAGE == 0 && !wants_more()) {
        p->stopped = true;
        return false;
    }
    if (p->rows++ % ROWS_PER_PAGE == 0)
        print_head(p);
    for (int i = 0; i < columns; i++)
        print_cell(p->width, &values[i]);
    putchar('\n');
    return true;
}

static bool end_page(void *self)
{
    (void)self;
    return true;
}

/* Of a line's statements, the last one's rows are shown. */
static void run_line(struct str sql, int width)
{
    struct page page = {.width = width};
    struct sql_sink sink = {.begin = begin_page, .row = put_row, .end = end_page, .self = &page};
    int64_t begin = clock_now_ns();
    size_t last = sql.n, last_end = sql.n;
    for (size_t at = 0, from; (from = sql_script_next(sql, &at)) < sql.n;) {
        last = from;
        last_end = at;
    }
    struct sql_session *session = workspace_session();
    struct status s = sql_session_run_part(session, "stdin", sql, 0, last, NULL);
    if (status_ok(s))
        s = sql_session_run_part(session, "stdin", sql, last, last_end, &sink);
    int64_t end = page.first_row ? page.first_row : clock_now_ns();
    fflush(stdout);
    if (page.stopped)
        status_release(&s);
    else if (!status_ok(s))
        workspace_print(s.message);
    if (!page.stopped)
        status_release(&s);
    printf("\nQuery executed in %.3f ms\n\n", (double)(end - begin) / 1e6);
    fflush(stdout);
    forget_names(&page);
    vec_release(&page.names);
}

static void print_commands(void)
{
    fputs("Commands:\n"
          ".quit, .q      end the shell\n"
          ".help          this text\n"
          ".read FILE     run the statements of a file\n"
          ".width WIDTH   of the columns of results\n",
          stderr);
}

static void read_script(const char *path)
{
    struct text_file f;
    struct status s = text_file_read(path, &f);
    if (status_ok(s))
        shell_run_query(path, text_file_str(&f));
    else
        workspace_print(s.message);
    status_release(&s);
    text_file_release(&f);
}

/* ".command argument"; false: the shell shall end. */
static bool run_command(const char *line, int *width)
{
    char command[32] = "", argument[1024] = "";
    int64_t number;
    sscanf(line + 1, "%31s %1023s", command, argument);
    if (strcmp(command, "quit") == 0 || strcmp(command, "q") == 0)
        return false;
    if (strcmp(command, "read") == 0 && *argument)
        read_script(argument);
    else if (strcmp(command, "width") != 0 || !*argument)
        print_commands();
    else if (str_to_i64(str_from(argument), &number) && number > 0 && number <= MAX_WIDTH)
        *width = (int)number;
    else
        fputs("Invalid column width specified\n", stderr);
    return true;
}

int shell_interact(bool wide)
{
    char *line = NULL;
    size_t room = 0;
    int width = wide ? 2 * USUAL_WIDTH : USUAL_WIDTH;
    bool terminal = isatty(STDIN_FILENO), go_on = true;
    workspace_stop_statements_only();
    while (go_on) {
        if (terminal) {
            fputs("> ", stdout);
            fflush(stdout);
        }
        ssize_t n = getline(&line, &room, stdin);
        if (n < 0)
            break;
        if (n > 0 && line[n - 1] == '\n')
            line[--n] = 0;
        if (n == 0)
            puts("If you want to quit either type .q or press CTRL-D (EOF)");
        else if (line[0] == '.')
            go_on = run_command(line, &width);
        else
            run_line((struct str){line, (size_t)n}, width);
    }
    free(line);
    return 0;
}

static int run_interactive(struct shell_settings *s)
{
    if (s->words.count == 0)
        return shell_error("interactive: trace file is required");
    if (s->words.count > 1)
        return shell_error("interactive: unexpected argument '%s'", s->words.items[1]);
    int failed = shell_open(s, s->words.items[0]);
    return failed ? failed : shell_interact(s->wide);
}

SHELL_FLAG(wide)

static const struct command_option options[] = {
    {.name = "wide", .letter = 'W', .help = "columns twice as wide", .set = set_wide},
};

const struct shell_command shell_interactive_cmd = {
    .name = "interactive",
    .words = "TRACE",
    .about = "Runs SQL from the terminal.",
    .options = {"interactive", options, sizeof options / sizeof *options},
    .run = run_interactive,
};
