#include "cli/serve_mcp.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/command.h"
#include "cli/workspace.h"
#include "mcp/server.h"

/* The folder that a file is in, for free(). */
static char *folder_of(const char *path)
{
    const char *end = strrchr(path, '/');
    if (!end)
        return alloc_copy(".", 1);
    return alloc_copy(path, end == path ? 1 : (size_t)(end - path));
}

static struct status add_roots(const struct serve_mcp_settings *settings, struct mcp_traces *t)
{
    struct status s = status_ok_value();
    for (size_t i = 0; i < settings->roots.count && status_ok(s); i++)
        s = mcp_traces_add_root(t, settings->roots.items[i]);
    if (settings->roots.count > 0 || !status_ok(s))
        return s;
    s = mcp_traces_add_root(t, ".");
    for (size_t i = 0; i < settings->traces.count && status_ok(s); i++) {
        char *folder = folder_of(settings->traces.items[i]);
        s = mcp_traces_add_root(t, folder);
        free(folder);
    }
    return s;
}

int serve_mcp(const struct serve_mcp_settings *settings, const struct cache_options *cache)
{
    struct mcp_traces traces;
    struct mcp_trace *opened = NULL;
    signal(SIGPIPE, SIG_IGN);
    mcp_traces_init(&traces);
    traces.cache = *cache;
    int exit_status = workspace_report(add_roots(settings, &traces), EXIT_USAGE);
    for (size_t i = 0; i < settings->traces.count && exit_status == EXIT_DONE; i++)
        exit_status = workspace_report(mcp_traces_use(&traces, settings->traces.items[i], &opened),
                                       EXIT_TRACE);
    if (exit_status == EXIT_DONE && settings->traces.count > 0)
        traces.usual = alloc_copy(opened->path, strlen(opened->path));
    if (exit_status == EXIT_DONE)
        exit_status =
            workspace_report(mcp_server_run(&traces, program_version, STDIN_FILENO, STDOUT_FILENO),
                             EXIT_USAGE);
    mcp_traces_release(&traces);
    return exit_status;
}
