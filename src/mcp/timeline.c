/* A place of the timeline as text or SVG: a script of the program itself, in a process of its own.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "mcp/request.h"
#include "mcp/tools.h"

extern char **environ;

enum { PICTURE_MAX = 2 << 20 };

/* Files of one picture, in a folder of their own. */
struct picture_files {
    char folder[512], script[560], session[560], picture[560], messages[560];
};

static struct status make_files(struct picture_files *p, int64_t width, int64_t height,
                                const char *ending)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(p->folder, sizeof p->folder, "%s/tptui-picture-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(p->folder))
        return status_error(STATUS_IO, "%s: %s", p->folder, strerror(errno));
    snprintf(p->script, sizeof p->script, "%s/script", p->folder);
    snprintf(p->session, sizeof p->session, "%s/session", p->folder);
    snprintf(p->messages, sizeof p->messages, "%s/messages", p->folder);
    snprintf(p->picture, sizeof p->picture, "%s/picture.%s", p->folder, ending);
    FILE *f = fopen(p->script, "we");
    if (!f)
        return status_error(STATUS_IO, "%s: %s", p->script, strerror(errno));
    fprintf(f, ":size %dx%d\n:wait-idle\n:screenshot %s\n", (int)width, (int)height, p->picture);
    if (fclose(f) != 0)
        return status_error(STATUS_IO, "%s: %s", p->script, strerror(errno));
    return status_ok_value();
}

static void remove_files(const struct picture_files *p)
{
    unlink(p->script);
    unlink(p->session);
    unlink(p->picture);
    unlink(p->messages);
    rmdir(p->folder);
}

/* Copies a file to the answer, up to a size. */
static struct status copy_file(const char *path, FILE *out)
{
    char buffer[1 << 14];
    size_t all = 0;
    FILE *f = fopen(path, "re");
    if (!f)
        return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
    for (size_t n; all < PICTURE_MAX && (n = fread(buffer, 1, sizeof buffer, f)) > 0; all += n)
        fwrite(buffer, 1, n, out);
    fclose(f);
    return status_ok_value();
}

/* Runs the program with a script. It may not write to the server's standard output. */
static struct status run_script(struct mcp_work *w, const struct picture_files *p,
                                const char *place, const char *path, FILE *out)
{
    const char *words[] = {"tptui",    "--script", p->script, "--session",
                           p->session, "--goto",   place,     path};
    enum { WORDS = sizeof words / sizeof *words };
    char *argv[WORDS + 1] = {NULL};
    posix_spawn_file_actions_t files;
    pid_t child = 0;
    int status = 0;
    for (int i = 0; i < WORDS; i++)
        argv[i] = alloc_copy(words[i], strlen(words[i]));
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, p->messages,
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
    int error = posix_spawn(&child, "/proc/self/exe", &files, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    for (int i = 0; i < WORDS; i++)
        free(argv[i]);
    if (error != 0)
        return status_error(STATUS_IO, "the timeline cannot be started: %s", strerror(error));
    pthread_mutex_lock(&w->lock);
    w->child = child;
    if (w->cancelled)
        kill(child, SIGKILL);
    pthread_mutex_unlock(&w->lock);
    /* The child is not collected while it may still be killed by its number. */
    siginfo_t info;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    pthread_mutex_lock(&w->lock);
    w->child = 0;
    pthread_mutex_unlock(&w->lock);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return copy_file(p->picture, out);
    struct status said = copy_file(p->messages, out);
    status_release(&said);
    return status_error(STATUS_USAGE, "%s: no such place, or it cannot be shown", place);
}

static struct status run_timeline(struct mcp_call *c)
{
    struct mcp_trace *t;
    struct picture_files files = {.folder = ""};
    struct status s = mcp_call_trace(c, &t);
    if (!status_ok(s))
        return s;
    char *place = mcp_text_member(c->arguments, "place");
    char *format = mcp_text_member(c->arguments, "format");
    bool svg = format && strcmp(format, "svg") == 0;
    if (format && !svg && strcmp(format, "text") != 0)
        s = status_error(STATUS_USAGE, "format is text or svg, not %s", format);
    if (status_ok(s))
        s = make_files(&files, mcp_call_number(c, "width", 120, 40, 400),
                       mcp_call_number(c, "height", 30, 10, 120), svg ? "svg" : "txt");
    if (status_ok(s))
        s = run_script(&c->traces->work, &files, place, t->path, c->out);
    if (files.folder[0])
        remove_files(&files);
    free(format);
    free(place);
    return s;
}

const struct mcp_tool timeline_tool = {
    .name = "timeline",
    .description =
        "Shows a place of the timeline as text (or SVG): threads, slices and states around "
        "it. Places stand behind --goto in what explain says.",
    .params = {{"trace", MCP_TEXT, false, "path of the trace; the one used last by itself"},
               {"place", MCP_TEXT, true,
                "slice ID, state ID or time NS; window START DUR may follow"},
               {"width", MCP_NUMBER, false, "columns: 120 by itself"},
               {"height", MCP_NUMBER, false, "lines: 30 by itself"},
               {"format", MCP_TEXT, false, "text or svg"}},
    .run = run_timeline,
};
