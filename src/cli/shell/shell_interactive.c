/* trace_processor_shell interactive: statements from the terminal, results as columns. */
#include "cli/command.h"
#include "cli/shell.h"
#include "cli/sql_prompt.h"
#include "rpc/remote.h"

enum { USUAL_WIDTH = 20 };

int shell_interact(const struct shell_settings *s, struct remote *remote)
{
    struct sql_prompt prompt = {
        .workspace = &s->workspace,
        .remote = remote,
        .published = true,
        .width = s->wide ? 2 * USUAL_WIDTH : USUAL_WIDTH,
        .metrics = s->metrics,
        .metrics_output = s->metrics_output,
        .extensions = s->metric_extensions.items,
        .extension_count = s->metric_extensions.count,
    };
    sql_prompt_run(&prompt);
    return 0;
}

static int run_remotely(const struct shell_settings *s)
{
    struct remote *remote;
    if (s->words.count > 0)
        return shell_error("interactive: unexpected argument '%s'", s->words.items[0]);
    int failed = workspace_report(remote_open(s->remote, &remote), 1);
    if (failed)
        return failed;
    shell_interact(s, remote);
    remote_close(remote);
    return 0;
}

static int run_interactive(struct shell_settings *s)
{
    if (s->remote)
        return shell_refuses_loading(s) ? 1 : run_remotely(s);
    if (s->words.count == 0)
        return shell_error("interactive: trace file is required");
    if (s->words.count > 1)
        return shell_error("interactive: unexpected argument '%s'", s->words.items[1]);
    int failed = shell_open(s, s->words.items[0]);
    return failed ? failed : shell_interact(s, NULL);
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
