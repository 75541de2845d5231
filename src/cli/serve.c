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
#include "rpc/stdio_server.h"
#include "sql/session.h"

struct command_settings {
    struct workspace_settings workspace;
    struct serve_settings serve;
};

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

static struct status run_server(struct rpc_engine *e, const struct serve_settings *s)
{
    (void)s;
    return stdio_server_run(e, STDIN_FILENO, STDOUT_FILENO);
}

int serve(const struct serve_settings *s, const struct workspace_settings *w)
{
    char name[4096];
    int exit_status = workspace_open(w);
    if (exit_status != EXIT_DONE)
        return exit_status;
    struct rpc_engine *e = make_engine(w, name, sizeof name);
    workspace_hand_over();
    return workspace_report(run_server(e, s), EXIT_SQL);
}

static const struct command_option options[] = {
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
        return usage_error("serve needs a kind of server: stdio");
    if (strcmp(s->kind, "stdio") == 0)
        return EXIT_DONE;
    return usage_error("serve %s: expected stdio", s->kind);
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
    .usage = "stdio [TRACE]\0answer RPC requests on standard input and output\0",
    .options = &serve_options,
    .run = serve_command,
};
