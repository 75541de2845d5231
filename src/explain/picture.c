#include "explain/picture.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"

extern char **environ;

enum { PICTURE_MAX = 2 << 20 };

/* Files of one picture, in a folder of their own. */
struct picture_files {
    char folder[512], script[560], session[560], picture[560], messages[560];
};

static struct status make_files(struct picture_files *p, const struct picture *wanted)
{
    const char *tmp = getenv("TMPDIR");
    snprintf(p->folder, sizeof p->folder, "%s/tptui-picture-XXXXXX", tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(p->folder))
        return status_error(STATUS_IO, "%s: %s", p->folder, strerror(errno));
    snprintf(p->script, sizeof p->script, "%s/script", p->folder);
    snprintf(p->session, sizeof p->session, "%s/session", p->folder);
    snprintf(p->messages, sizeof p->messages, "%s/messages", p->folder);
    snprintf(p->picture, sizeof p->picture, "%s/picture.%s", p->folder,
             wanted->svg ? "svg" : "txt");
    FILE *f = fopen(p->script, "we");
    if (!f)
        return status_error(STATUS_IO, "%s: %s", p->script, strerror(errno));
    fprintf(f, ":size %dx%d\n:wait-idle\n:screenshot %s\n", wanted->width, wanted->height,
            p->picture);
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

/* What it said, in one line; empty where it said nothing. */
static void read_message(const char *path, char *text, size_t size)
{
    FILE *f = fopen(path, "re");
    size_t n = f ? fread(text, 1, size - 1, f) : 0;
    text[n] = '\0';
    text[strcspn(text, "\n")] = '\0';
    if (f)
        fclose(f);
}

/* Runs the program with a script. It may not write to the server's standard output. */
static struct status run_script(const struct picture *wanted, const struct picture_files *p,
                                void (*started)(void *self, pid_t child), void *self, FILE *out)
{
    size_t room = strlen(wanted->place) + sizeof "--goto=";
    char *place = alloc_bytes(room); /* in one word: it may look like an option */
    snprintf(place, room, "--goto=%s", wanted->place);
    const char *words[] = {"tptui",    "--script", p->script, "--session",
                           p->session, place,      "--",      wanted->trace};
    enum { WORDS = sizeof words / sizeof *words };
    char *argv[WORDS + 1] = {NULL};
    posix_spawn_file_actions_t files;
    pid_t child = 0;
    int status = 0;
    for (int i = 0; i < WORDS; i++)
        argv[i] = alloc_copy(words[i], strlen(words[i]));
    free(place);
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
    if (started)
        started(self, child);
    /* The child is not collected while it may still be killed by its number. */
    siginfo_t info;
    while (waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) != 0 && errno == EINTR)
        ;
    if (started)
        started(self, 0);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return copy_file(p->picture, out);
    char message[512];
    read_message(p->messages, message, sizeof message);
    return status_error(STATUS_USAGE, "%s: no such place, or it cannot be shown: %s", wanted->place,
                        message);
}

struct status picture_print(const struct picture *wanted, void (*started)(void *self, pid_t child),
                            void *self, FILE *out)
{
    struct picture_files files = {.folder = ""};
    struct status s = make_files(&files, wanted);
    if (status_ok(s))
        s = run_script(wanted, &files, started, self, out);
    remove_files(&files);
    return s;
}
