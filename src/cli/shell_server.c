/* trace_processor_shell server. */
#include <string.h>

#include "cli/command.h"
#include "cli/serve.h"
#include "cli/shell.h"

SHELL_TEXT(port)
SHELL_TEXT(ip_address)
SHELL_TEXT(origins)

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
    };
    if (!serve_settings.kind)
        return shell_error("server: must specify mode (http or stdio)");
    if (!serve_has_kind(serve_settings.kind))
        return shell_error("server: unknown mode '%s' (expected http or stdio)",
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
};

const struct shell_command shell_server_cmd = {
    .name = "server",
    .words = "http|stdio [TRACE]",
    .about = "Answers RPC requests.",
    .options = {"server", options, sizeof options / sizeof *options},
    .run = run_server,
};
