/* tptui serve http|stdio|unix [TRACE]: RPC for other programs; serve mcp is serve_mcp.h. */
#include "cli/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/serve_mcp.h"
#include "rpc/engine.h"
#include "rpc/http_server.h"
#include "rpc/remote.h"
#include "rpc/server_end.h"
#include "rpc/socket_path.h"
#include "rpc/stdio_server.h"
#include "rpc/unix_server.h"
#include "sql/session.h"

struct serve_command {
    struct workspace_settings workspace;
    struct serve_settings serve;
    struct serve_mcp_settings mcp;
};

enum { USUAL_PORT = 9001, USUAL_IDLE_SECONDS = 30 * 60 };

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
                                    .import = w->import,
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

/* "90", "90s", "15m", "2h"; 0: for ever. False where it is none of these. */
static bool read_seconds(const char *text, long *seconds)
{
    static const struct {
        char letter;
        long factor;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}};
    struct str digits = str_from(text);
    uint64_t n;
    long factor = 1;
    for (size_t i = 0; digits.n > 0 && i < sizeof units / sizeof *units; i++)
        if (digits.p[digits.n - 1] == units[i].letter) {
            factor = units[i].factor;
            digits.n--;
            break;
        }
    if (!str_to_u64(digits, 10, &n) || n > 1000000)
        return false;
    *seconds = (long)n * factor;
    return true;
}

/* Goes on as a process of its own; the one that was called ends. */
static struct status go_into_background(void)
{
    pid_t child = fork();
    if (child < 0)
        return status_error(STATUS_IO, "cannot go into the background: %s", strerror(errno));
    if (child > 0)
        _exit(EXIT_DONE);
    setsid();
    int null = open("/dev/null", O_RDWR);
    for (int fd = STDIN_FILENO; null >= 0 && fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
    return status_ok_value();
}

/* --path as it is, or --name in the folder of sessions. */
static struct status find_socket(const struct serve_settings *s, char *path, size_t size)
{
    if (s->path && strlen(s->path) >= size)
        return status_error(STATUS_USAGE, "%s: too long a path for a socket", s->path);
    if (s->path) {
        snprintf(path, size, "%s", s->path);
        return status_ok_value();
    }
    if (!s->name)
        return status_error(STATUS_USAGE, "unix needs --name or --path");
    if (strchr(s->name, '/'))
        return status_error(STATUS_USAGE, "%s is no name: --path takes paths", s->name);
    return socket_path(s->name, path, size);
}

static struct status serve_unix(struct rpc_engine *e, const struct serve_settings *s)
{
    char path[256];
    int fd = -1;
    long idle = USUAL_IDLE_SECONDS;
    if (s->idle_timeout && !read_seconds(s->idle_timeout, &idle))
        return status_error(STATUS_USAGE, "%s is no time: expected 90s, 15m or 2h",
                            s->idle_timeout);
    struct status status = find_socket(s, path, sizeof path);
    if (status_ok(status))
        status = unix_server_listen(path, &fd);
    if (!status_ok(status))
        return status;
    fprintf(standard_errors(), "Listening at %s\n", path);
    if (s->daemonize)
        workspace_close(); /* threads do not come along */
    if (s->daemonize)
        status = go_into_background();
    return status_ok(status) ? unix_server_run(e, fd, path, idle) : status;
}

static const struct server_kind {
    const char *name;
    struct status (*run)(struct rpc_engine *e, const struct serve_settings *s);
} kinds[] = {{"http", serve_http}, {"stdio", serve_stdio}, {"unix", serve_unix}};

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
    server_end_on_signals(NULL); /* loading takes a while, too */
    int exit_status = workspace_open(w);
    if (exit_status != EXIT_DONE)
        return exit_status;
    struct rpc_engine *e = make_engine(w, name, sizeof name);
    workspace_hand_over();
    exit_status = workspace_report(find_kind(s->kind)->run(e, s), EXIT_SQL);
    rpc_engine_free(e);
    return exit_status;
}

static int set_port(void *self, const char *value)
{
    int port;
    ((struct serve_command *)self)->serve.port = value;
    return read_port(value, &port) ? EXIT_DONE
                                   : usage_error("--port wants a number, not %s", value);
}

static int set_idle_timeout(void *self, const char *value)
{
    long seconds;
    ((struct serve_command *)self)->serve.idle_timeout = value;
    return read_seconds(value, &seconds)
               ? EXIT_DONE
               : usage_error("--idle-timeout wants a time, as 90s, 15m or 2h, not %s", value);
}

static int add_root(void *self, const char *value)
{
    *vec_push(&((struct serve_command *)self)->mcp.roots) = value;
    return EXIT_DONE;
}

static const struct command_option options[] = {
    {.name = "root",
     .value = "FOLDER",
     .help = "where mcp may open traces; repeatable",
     .more = "By itself the working folder and those of the traces that are named.",
     .set = add_root},
    {.name = "port", .value = "N", .help = "of http (9001); 0: any", .set = set_port},
    {.name = "ip-address",
     .value = "IP",
     .help = "where http listens (127.0.0.1)",
     .more = "Whoever reaches that address may run queries.",
     OPTION_INTO(struct serve_command, serve.ip_address)},
    {.name = "additional-cors-origins",
     .value = "LIST",
     .help = "whose pages may use http, with commas, besides the Perfetto UI's",
     OPTION_INTO(struct serve_command, serve.origins)},
    {.name = "name",
     .value = "NAME",
     .help = "of the session that unix serves, for query --remote NAME",
     OPTION_INTO(struct serve_command, serve.name)},
    {.name = "path",
     .value = "PATH",
     .help = "of unix's socket, instead of a name",
     OPTION_INTO(struct serve_command, serve.path)},
    {.name = "idle-timeout",
     .value = "TIME",
     .help = "end unix after that time without clients (30m; 0: never)",
     .set = set_idle_timeout},
    {.name = "daemonize",
     .help = "once loaded, serve unix in the background",
     OPTION_INTO(struct serve_command, serve.daemonize)},
    WORKSPACE_OPTIONS,
};

static const struct option_table serve_options = {"serve", options,
                                                  sizeof options / sizeof *options};

/* What kind of server, then the trace. */
static int add_word(void *self, const char *word)
{
    struct serve_command *s = self;
    if (s->serve.kind && strcmp(s->serve.kind, "mcp") == 0) {
        *vec_push(&s->mcp.traces) = word;
        return EXIT_DONE;
    }
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
        return usage_error("serve needs a kind of server: http, mcp, stdio or unix");
    if (strcmp(s->kind, "unix") == 0 && !s->name && !s->path)
        return usage_error("serve unix needs --name or --path");
    if (find_kind(s->kind))
        return EXIT_DONE;
    return usage_error("serve %s: expected http, mcp, stdio or unix", s->kind);
}

static int serve_command(int argc, char **argv)
{
    struct serve_command s = {0};
    int exit_status = options_parse(&serve_options, &s, add_word, argc, argv);
    bool kills = exit_status == EXIT_DONE && s.serve.kind && strcmp(s.serve.kind, "kill") == 0;
    if (kills && s.workspace.trace)
        return workspace_report(remote_kill(s.workspace.trace), EXIT_SQL);
    if (kills)
        return usage_error("serve kill needs a session's name");
    bool mcp = s.serve.kind && strcmp(s.serve.kind, "mcp") == 0;
    if (exit_status == EXIT_DONE && !mcp)
        exit_status = check_kind(&s.serve);
    if (exit_status == EXIT_DONE)
        exit_status = mcp ? serve_mcp(&s.mcp, &s.workspace.cache) : serve(&s.serve, &s.workspace);
    vec_release(&s.mcp.traces);
    vec_release(&s.mcp.roots);
    workspace_settings_release(&s.workspace);
    return exit_status;
}

const struct command serve_cmd = {
    .name = "serve",
    .usage = "http [TRACE]\0answer RPC requests over HTTP and websockets, as the Perfetto UI\0"
             "stdio [TRACE]\0answer RPC requests on standard input and output\0"
             "unix --name NAME TRACE\0keep a trace loaded for query --remote NAME\0"
             "kill NAME\0end that\0"
             "mcp [TRACE...]\0tools for programs that speak the Model Context Protocol, on stdio\0",
    .words = "http|stdio|unix|kill|mcp",
    .options = &serve_options,
    .run = serve_command,
};
