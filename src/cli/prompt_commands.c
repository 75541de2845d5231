/* What a prompt does besides SQL: ".command argument". */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/shell.h"
#include "cli/sql_prompt.h"
#include "cli/text_file.h"
#include "complete/schema.h"
#include "sql/export/database_export.h"
#include "summary/metrics.h"
#include "sql/session.h"

enum { WIDTH_MAX = 4096 };

enum shell_kind { EVERYWHERE, PUBLISHED, OWN };

struct prompt_command {
    const char *name;
    const char *argument; /* what the help calls it; NULL: it takes none */
    const char *help;     /* NULL: another name of one that the help has */
    enum shell_kind kind;
    bool needs_session; /* the workspace's: not for statements that run elsewhere */
    /* Returns false where the prompt shall end. `argument` is not empty where it takes one. */
    bool (*run)(struct sql_prompt *p, const char *argument);
};

static bool report(struct status s)
{
    workspace_report(s, EXIT_SQL);
    return true;
}

static bool quit(struct sql_prompt *p, const char *argument)
{
    (void)p, (void)argument;
    return false;
}

static bool dump(struct sql_prompt *p, const char *argument)
{
    (void)p;
    return report(database_export(workspace_session(), argument));
}

static bool read_script(struct sql_prompt *p, const char *argument)
{
    struct text_file f;
    struct status s = text_file_read(argument, &f);
    if (!status_ok(s)) {
        workspace_print(s.message);
        p->failed = true;
    } else if (p->published) {
        shell_run_script(p->remote, argument, text_file_str(&f));
    } else if (!sql_prompt_write(p, argument, text_file_str(&f))) {
        p->failed = true;
    }
    status_release(&s);
    text_file_release(&f);
    return true;
}

static bool reset(struct sql_prompt *p, const char *argument)
{
    (void)argument;
    return workspace_renew(p->workspace) == EXIT_DONE;
}

static bool load_metrics(struct sql_prompt *p, const char *argument)
{
    (void)argument;
    struct status s = status_ok_value();
    for (size_t i = 0; i < p->extension_count && status_ok(s); i++)
        s = metrics_add_extension(workspace_session(), p->extensions[i]);
    return report(s);
}

static bool run_metrics(struct sql_prompt *p, const char *argument)
{
    (void)argument;
    struct pb_bytes metrics = {0};
    struct text text = {0};
    const char *name = p->metrics_output ? p->metrics_output : "text";
    const struct metrics_format *format = metrics_format_find(str_from(name));
    if (!p->metrics || !format) {
        workspace_print("No metrics specified on command line");
        return true;
    }
    struct status s = metrics_compute(workspace_session(), str_from(p->metrics), &metrics);
    if (status_ok(s))
        metrics_append(workspace_session(), format, &metrics, &text);
    fwrite(text.v.items, 1, text.v.count, standard_output());
    fflush(standard_output());
    pb_bytes_release(&metrics);
    vec_release(&text.v);
    return report(s);
}

static bool set_width(struct sql_prompt *p, const char *argument)
{
    int64_t number;
    if (str_to_i64(str_from(argument), &number) && number > 0 && number <= WIDTH_MAX)
        p->width = (int)number;
    else
        fputs("Invalid column width specified\n", standard_errors());
    return true;
}

static bool set_mode(struct sql_prompt *p, const char *argument)
{
    const struct result_format *format = result_format_find(argument);
    if (format)
        p->format = format;
    else
        fprintf(standard_errors(), "expected %s\n", RESULT_FORMAT_NAMES);
    return true;
}

static bool list_tables(struct sql_prompt *p, const char *argument)
{
    char *pattern = sqlite3_mprintf("*%s*", argument);
    char *sql = sqlite3_mprintf("SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                                "AND substr(name, 1, 1) <> '_' AND name NOT GLOB 'sqlite*' "
                                "AND name GLOB %Q ORDER BY name",
                                pattern);
    sql_prompt_write(p, "tables", str_from(sql));
    sqlite3_free(sql);
    sqlite3_free(pattern);
    return true;
}

/* The columns of a table, with types and what they mean. */
static bool show_table(struct sql_prompt *p, const char *argument)
{
    (void)p;
    struct schema *schema = NULL;
    struct status s = schema_read(workspace_session(), &schema);
    const struct schema_object *o = schema ? schema_table(schema, str_from(argument)) : NULL;
    if (schema && !o)
        workspace_print("no such table, view or table function");
    for (uint32_t i = 0; o && i < o->column_count; i++) {
        const struct schema_column *c = &schema_columns(schema, o)[i];
        fprintf(standard_output(), "%-28s %-24s %s\n", c->name, c->type, c->description);
    }
    fflush(standard_output());
    schema_free(schema);
    return report(s);
}

static bool help(struct sql_prompt *p, const char *argument);

static const struct prompt_command commands[] = {
    {.name = "quit", .help = "end (also .q, Ctrl-D)", .run = quit},
    {.name = "q", .run = quit},
    {.name = "help", .help = "this text", .run = help},
    {.name = "read",
     .argument = "FILE",
     .help = "run the statements of a file",
     .run = read_script},
    {.name = "dump",
     .argument = "FILE",
     .help = "write all tables and views as an SQLite database",
     .needs_session = true,
     .run = dump},
    {.name = "reset",
     .help = "forget all tables, views and functions made here",
     .needs_session = true,
     .run = reset},
    {.name = "tables",
     .argument = "[PATTERN]",
     .help = "list tables and views",
     .kind = OWN,
     .run = list_tables},
    {.name = "schema",
     .argument = "TABLE",
     .help = "list a table's columns",
     .kind = OWN,
     .needs_session = true,
     .run = show_table},
    {.name = "mode",
     .argument = "FORMAT",
     .help = "how rows are written: csv, json, table, ...",
     .kind = OWN,
     .run = set_mode},
    {.name = "load-metrics-sql",
     .help = "read the metrics of --metric-extension again",
     .kind = PUBLISHED,
     .needs_session = true,
     .run = load_metrics},
    {.name = "run-metrics",
     .help = "compute the metrics of --run-metrics",
     .kind = PUBLISHED,
     .needs_session = true,
     .run = run_metrics},
    {.name = "width",
     .argument = "WIDTH",
     .help = "of the columns of results",
     .kind = PUBLISHED,
     .run = set_width},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static bool is_offered(const struct sql_prompt *p, const struct prompt_command *c)
{
    if (c->needs_session && p->remote)
        return false;
    return c->kind == EVERYWHERE || (c->kind == PUBLISHED) == p->published;
}

static bool help(struct sql_prompt *p, const char *argument)
{
    (void)argument;
    fputs(p->published ? "A line is a statement.\n"
                       : "A statement ends with a semicolon, on whatever line.\n",
          standard_errors());
    for (size_t i = 0; i < COMMANDS; i++)
        if (commands[i].help && is_offered(p, &commands[i]))
            fprintf(standard_errors(), ".%-17s %-10s %s\n", commands[i].name,
                    commands[i].argument ? commands[i].argument : "", commands[i].help);
    return true;
}

bool sql_prompt_command(struct sql_prompt *p, struct str line)
{
    struct str rest = str_skip(line, 1);
    size_t n = str_find(rest, ' ');
    struct str name = {rest.p, n}, argument = str_trim(str_skip(rest, n));
    const struct prompt_command *c = NULL;
    for (size_t i = 0; i < COMMANDS && !c; i++)
        if (str_eq(name, str_from(commands[i].name)) && is_offered(p, &commands[i]))
            c = &commands[i];
    bool optional = c && c->argument && c->argument[0] == '[';
    if (!c || (c->argument && !optional && argument.n == 0))
        return help(p, "");
    char *text = alloc_copy(argument.p, argument.n);
    bool goes_on = c->run(p, text);
    free(text);
    return goes_on;
}
