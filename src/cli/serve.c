/* tptui serve http|stdio [TRACE]: RPC for other programs. */
#include "cli/serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/command.h"
#include "rpc/engine.h"
#include "rpc/http_server.h"
#include "rpc/stdio_server.h"
#include "sql/session.h"

struct command_settings {
    struct workspace_settings workspace;
    struct serve_settings serve;
};

enum { USUAL_PORT = 9001 };

/* A client's own sessions begin as the first one did. */
static struct status prepare(void *self, struct sql_session *s)
{
    return workspace_prepare(self, s);
}

/* "PATH (12 MB)", as Trace Processor's status has it. */
static void make_trace_name(const char *path, char *name, size_t size)
{
    struct stat file;
    uint64_t bytes = stat(path, &file) == 0 ? (uint64_t)file.st_size : 0;
    snprintf(name, size, "%s (%" PRIu64 " MB)", path, bytes >> 20);
}

static struct rpc_engine *make_engine(const struct workspace_settings *w, char *name, size_t size)
{
    struct rpc_settings settings = {.version = program_version,
                                    .prepare = prepare,
                                    .self = (void *)(uintptr_t)w,
                                    .tells_progress = true};
    if (!w->trace)
        return rpc_engine_new(&settings, NULL, NULL);
    make_trace_name(w->trace, name, size);
    settings.trace_name = name;
    return rpc_engine_new(&settings, workspace_trace(), workspace_session());
}

static bool read_port(const char *text, int *port)
{
    uint64_t n;
    *port = USUAL_PORT;
    if (!text)
        return true;
    bool is_port = str_to_u64(str_from(text), 10, &n) && n <= UINT16_MAX;
    if (is_port)
        *port = (int)n;
    return is_port;
}

static struct status serve_http(struct rpc_engine *e, const struct serve_settings *s)
{
    struct http_settings http = {.address = s->ip_address, .origins = s->origins};
    if (!read_port(s->port, &http.port))
        return status_error(STATUS_USAGE, "%s is no port", s->port);
    return http_server_run(e, &http);
}

static struct status serve_stdio(struct rpc_engine *e, const struct serve_settings *s)
{
    (void)s;
    return stdio_server_run(e, STDIN_FILENO, STDOUT_FILENO);
}

static const struct server_kind {
    const char *name;
    struct status (*run)(struct rpc_engine *e, const struct serve_settings *s);
} kinds[] = {{"http", serve_http}, {"stdio", serve_stdio}};

static const struct server_kind *find_kind(const char *name)
{
    for (size_t i = 0; name && i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, kinds[i].name) == 0)
            return &kinds[i];
    return NULL;
}

bool serve_has_kind(const char *kind)
{
    return find_kind(kind) != NULL;
}

int serve(const struct serve_settings *s, const struct workspace_settings *w)
{
    char name[4096];
    int exit_status = workspace_open(w);
    if (exit_status != EXIT_DONE)
        return exit_status;
    struct rpc_engine *e = make_engine(w, name, sizeof name);
    workspace_hand_over();
    return workspace_report(find_kind(s->kind)->run(e, s), EXIT_SQL);
}

static int set_port(void *self, const char *value)
{
    int port;
    ((struct command_settings *)self)->serve.port = value;
    return read_port(value, &port) ? EXIT_DONE
                                   : usage_error("--port wants a number, not %s", value);
}

static int set_address(void *self, const char *value)
{
    ((struct command_settings *)self)->serve.ip_address = value;
    return EXIT_DONE;
}

static int set_origins(void *self, const char *value)
{
    ((struct command_settings *)self)->serve.origins = value;
    return EXIT_DONE;
}

static const struct command_option options[] = {
    {.name = "port", .value = "N", .help = "of http (9001); 0: any", .set = set_port},
    {.name = "ip-address",
     .value = "IP",
     .help = "where http listens (127.0.0.1)",
     .more = "Whoever reaches that address may run queries.",
     .set = set_address},
    {.name = "additional-cors-origins",
     .value = "LIST",
     .help = "whose pages may use http, with commas, besides the Perfetto UI's",
     .set = set_origins},
    WORKSPACE_OPTIONS,
};

static const struct option_table serve_options = {"serve", options,
                                                  sizeof options / sizeof *options};

/* What kind of server, then the trace. */
static int add_word(void *self, const char *word)
{
    struct command_settings *s = self;
    if (s->workspace.trace)
        return usage_error("one trace at a time: %s and %s", s->workspace.trace, word);
    if (!s->serve.kind)
        s->serve.kind = word;
    else
        s->workspace.trace = word;
    return EXIT_DONE;
}

static int check_kind(const struct serve_settings *s)
{
    if (!s->kind)
        return usage_error("serve needs a kind of server: http or stdio");
    if (find_kind(s->kind))
        return EXIT_DONE;
    return usage_error("serve %s: expected http or stdio", s->kind);
}

static int serve_command(int argc, char **argv)
{
    struct command_settings s = {0};
    int exit_status = options_parse(&serve_options, &s, add_word, argc, argv);
    if (exit_status == EXIT_DONE)
        exit_status = check_kind(&s.serve);
    if (exit_status == EXIT_DONE)
        exit_status = serve(&s.serve, &s.workspace);
    workspace_settings_release(&s.workspace);
    return exit_status;
}

const struct command serve_cmd = {
    .name = "serve",
    .usage = "http [TRACE]\0answer RPC requests over HTTP and websockets, as the Perfetto UI\0"
             "stdio [TRACE]\0answer RPC requests on standard input and output\0",
    .options = &serve_options,
    .run = serve_command,
};
