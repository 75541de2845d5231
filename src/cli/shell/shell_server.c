/* trace_processor_shell server. */
#include <string.h>

#include "cli/command.h"
#include "cli/serve.h"
#include "cli/shell.h"
#include "rpc/remote.h"

SHELL_TEXT(port)
SHELL_TEXT(ip_address)
SHELL_TEXT(origins)
SHELL_TEXT(session_name)
SHELL_TEXT(socket_path)
SHELL_TEXT(idle_timeout)
SHELL_FLAG(daemonize)

static int kill_session(const struct shell_settings *s)
{
    if (s->words.count != 2)
        return shell_error("server kill: expected the name of a session");
    return workspace_report(remote_kill(s->words.items[1]), 1) ? 1 : 0;
}

/* The kind and the trace: from flags, or the command's words. */
static int run_server(struct shell_settings *s)
{
    bool classic = s->serves_http || s->serves_stdio;
    size_t first = classic ? 0 : 1;
    struct serve_settings serve_settings = {
        .kind = s->serves_http    ? "http"
                : s->serves_stdio ? "stdio"
                : s->words.count  ? s->words.items[0]
                                  : NULL,
        .port = s->port,
        .ip_address = s->ip_address,
        .origins = s->origins,
        .name = s->session_name,
        .path = s->socket_path,
        .idle_timeout = s->idle_timeout,
        .daemonize = s->daemonize,
    };
    if (!serve_settings.kind)
        return shell_error("server: must specify mode (http, stdio or unix)");
    if (strcmp(serve_settings.kind, "kill") == 0)
        return kill_session(s);
    if (!serve_has_kind(serve_settings.kind))
        return shell_error("server: unknown mode '%s' (expected http, stdio or unix)",
                           serve_settings.kind);
    if (s->words.count > first + 1)
        return shell_error("server: unexpected argument '%s'", s->words.items[first + 1]);
    const char *trace = s->words.count > first ? s->words.items[first] : NULL;
    int failed = shell_prepare(s, trace);
    return failed || serve(&serve_settings, &s->workspace) != EXIT_DONE;
}

static const struct command_option options[] = {
    {.name = "port", .value = "N", .help = "of http (9001)", .set = set_port},
    {.name = "ip-address",
     .value = "IP",
     .help = "where http listens (127.0.0.1)",
     .set = set_ip_address},
    {.name = "additional-cors-origins",
     .value = "LIST",
     .help = "whose pages may use http, with commas, besides the Perfetto UI's",
     .set = set_origins},
    {.name = "name",
     .value = "NAME",
     .help = "of the session that unix serves, for query --remote",
     .set = set_session_name},
    {.name = "path", .value = "PATH", .help = "of unix's socket", .set = set_socket_path},
    {.name = "idle-timeout",
     .value = "TIME",
     .help = "end unix after that time without clients",
     .set = set_idle_timeout},
    {.name = "daemonize", .help = "serve unix in the background", .set = set_daemonize},
};

const struct shell_command shell_server_cmd = {
    .name = "server",
    .words = "http|stdio|unix [TRACE], kill NAME",
    .about = "Answers RPC requests.",
    .options = {"server", options, sizeof options / sizeof *options},
    .run = run_server,
};
