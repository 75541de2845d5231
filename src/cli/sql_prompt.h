/* Statements typed one after the other: `tptui shell`, and the interactive mode of
 * trace_processor_shell. */
#ifndef TPTUI_CLI_SQL_PROMPT_H
#define TPTUI_CLI_SQL_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/str.h"
#include "base/vec.h"
#include "cli/workspace.h"
#include "sql/export/result_writer.h"

struct remote;

struct sql_prompt {
    const struct workspace_settings *workspace;
    struct remote *remote; /* where statements run; NULL: in the workspace's session */
    /* As trace_processor_shell: a line is run as it is, and its rows are columns of `width`. Else a
     * statement goes on to its semicolon, and its rows are written in `format`. */
    bool published;
    int width;
    const struct result_format *format;

    /* Of trace_processor_shell: what its command line says of metrics. */
    const char *metrics, *metrics_output; /* NULL: not given */
    const char *const *extensions;
    size_t extension_count;

    bool failed; /* some statement has */
    int results; /* that were written */
};

/* Reads and runs until the end of standard input, or .quit. The workspace is open, unless
 * statements run elsewhere; Ctrl-C ends the program then, and its connection what runs there. */
void sql_prompt_run(struct sql_prompt *p);

/* Runs ".command argument", of which the prompt has a table. Returns false where it shall end. */
bool sql_prompt_command(struct sql_prompt *p, struct str line);

/* Runs all statements of a line and shows the rows of the last one, page by page. */
void sql_prompt_page(const struct sql_prompt *p, struct str sql);
/* Runs bytes [from, to) of a script; rows go to the sink (NULL: nowhere). */
struct status sql_prompt_execute(const struct sql_prompt *p, const char *name, struct str sql,
                                 size_t from, size_t to, const struct sql_sink *sink);
/* Runs all statements and writes their rows. Returns false where one has failed. */
bool sql_prompt_write(struct sql_prompt *p, const char *name, struct str sql);

#endif
