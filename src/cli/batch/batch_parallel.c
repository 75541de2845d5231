/* Tasks on hosts that are reached by ssh: a job of GNU parallel for each, which runs `tptui batch
 * --rows-only` over one trace in a folder of the run's own there. parallel copies the program and
 * what is asked, for --send the trace, brings back what the job leaves, tries jobs that were lost
 * elsewhere, and removes all of it. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "cli/batch/batch_hosts.h"

enum {
    POLL_MS = 200,
    STOP_MS = 5000,
    CLEAN_MS = 60000,

    NO_PROGRAM = 127,

    TRIES_MIN = 3
};

/* How ssh finds out that a host is gone. */
#define SSH_OPTIONS                                                                                \
    " -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3"
/* Links are followed, nothing is for others, and nothing of another try is taken for this one's. */
#define RSYNC_OPTIONS "-rLzRI --chmod=go="
/* Nothing is sent to this machine: a job here, which alone sees the variable, is in the run's own
 * folder. The user's shell there may be any, as csh: it reads words in quotes, and the task's
 * number behind them. */
#define RUN_FOLDER "TPTUI_RUN_FOLDER"
#define JOB                                                                                        \
    "sh -c '[ -z \"$" RUN_FOLDER "\" ] || cd \"$" RUN_FOLDER "\" && exec sh " HOSTS_JOB " \"$0\"'"

/* In a process of its own, in the folder of the run: parallel with words behind those that all its
 * runs have. */
static _Noreturn void become_parallel(const struct hosts *h, const char *const *words)
{
    const char *ssh = getenv("PARALLEL_SSH");
    char *hosts = realpath(h->e.settings->hosts, NULL), *command = NULL;
    char *folder = realpath(h->folder, NULL);
    size_t size;
    FILE *f = open_memstream(&command, &size);
    if (!f)
        alloc_fail();
    fprintf(f, "%s" SSH_OPTIONS, ssh ? ssh : "ssh");
    if (fclose(f) != 0)
        alloc_fail();
    const char *first[] = {"parallel",
                           "--plain",
                           "--will-cite",
                           "--sshloginfile",
                           hosts ? hosts : h->e.settings->hosts,
                           "--ssh",
                           command};
    VEC(const char *) arguments = {0};
    vec_append(&arguments, first, sizeof first / sizeof *first);
    while (*words)
        *vec_push(&arguments) = *words++;
    *vec_push(&arguments) = NULL;
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_IGN); /* the terminal's is the coordinator's */
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    setenv(RUN_FOLDER, folder ? folder : h->folder, 1);
    int empty = open("/dev/null", O_RDONLY), log = -1;
    if (chdir(h->folder) == 0)
        log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log >= 0 && dup2(empty, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0)
        execvp(arguments.items[0], (char *const *)(uintptr_t)arguments.items);
    _exit(NO_PROGRAM);
}

/* -1 where it cannot be started. */
static pid_t start(const struct hosts *h, const char *const *words)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become_parallel(h, words);
    return pid;
}

static void tell(const struct hosts *h, size_t count)
{
    size_t ended = 0;
    if (!isatty(STDERR_FILENO))
        return;
    for (size_t i = 0; i < h->e.tasks->v.count; i++)
        ended += hosts_has_ended(h, &h->e.tasks->v.items[i]);
    dprintf(STDERR_FILENO, "\r\033[K%zu of %zu traces", ended, count);
}

static bool is_over(pid_t pid, int ms)
{
    for (int waited = 0; waited < ms; waited += 20) {
        if (waitpid(pid, NULL, WNOHANG) != 0)
            return true;
        nanosleep(&(struct timespec){.tv_nsec = 20 * 1000000L}, NULL);
    }
    return false;
}

/* Told once it begins nothing more, told twice it ends what runs. */
static void stop(pid_t parallel)
{
    kill(parallel, SIGTERM);
    if (!is_over(parallel, 100))
        kill(parallel, SIGTERM);
    if (!is_over(parallel, STOP_MS)) {
        kill(-parallel, SIGKILL);
        waitpid(parallel, NULL, 0);
    }
}

/* The folder of the run in the home folder of each host. */
static void home_name(const struct hosts *h, const char *before, char name[HOSTS_NAME_BYTES])
{
    snprintf(name, HOSTS_NAME_BYTES, "%s.%s", before, strrchr(h->folder, '/') + 1);
}

/* How often a job that is lost is tried: parallel tries it on each host before it comes to one
 * again, and all but one may be down. */
static size_t tries(const struct hosts *h)
{
    const char *path = h->e.settings->hosts;
    struct stat st; /* a pipe is for parallel to read */
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    char *line = NULL;
    size_t hosts = 0, size = 0;
    while (f && getline(&line, &size, f) > 0)
        hosts += line[strspn(line, " \t\n")] != '\0';
    free(line);
    if (f)
        fclose(f);
    return hosts < TRIES_MIN ? TRIES_MIN : hosts;
}

static void take_ended(const struct batch_elsewhere *e, struct batch_task *t)
{
    if (hosts_has_ended((const struct hosts *)e, t))
        hosts_take_result(e, t);
}

/* False where parallel cannot be started. */
static bool run_jobs(struct hosts *h, size_t count)
{
    const struct batch_settings *b = h->e.settings;
    char jobs[16], retries[24], home[HOSTS_NAME_BYTES];
    int status = 0;
    snprintf(retries, sizeof retries, "%zu", tries(h));
    snprintf(jobs, sizeof jobs, "%u", b->jobs);
    home_name(h, "", home);
    const char *words[] = {"--jobs",
                           b->jobs ? jobs : "100%",
                           "--retries",
                           retries,
                           "--workdir",
                           home,
                           "--rsync-opts",
                           RSYNC_OPTIONS,
                           "--basefile",
                           HOSTS_SENT,
                           "--transferfile",
                           "{}/in",
                           "--return",
                           "{}" HOSTS_OUT,
                           "--cleanup",
                           "--arg-file",
                           "list",
                           JOB,
                           NULL};
    pid_t parallel = start(h, words);
    if (parallel < 0)
        return false;
    for (pid_t ended = 0; ended == 0;) {
        ended = waitpid(parallel, &status, WNOHANG);
        elsewhere_add_ended(&h->e, take_ended);
        if (ended == 0 && (batch_interrupted() || h->e.is_full)) {
            stop(parallel);
            return true;
        }
        tell(h, count);
        if (ended == 0)
            nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
    return !WIFEXITED(status) || WEXITSTATUS(status) != NO_PROGRAM;
}

/* Ends jobs that were lost or stopped, and removes what they have left; parallel itself removes
 * files only. */
static void clean_hosts(const struct hosts *h)
{
    char home[HOSTS_NAME_BYTES], command[6 * HOSTS_NAME_BYTES];
    home_name(h, "", home);
    /* Hosts may have a home folder together, and what ended may have left its number to another. */
    snprintf(command, sizeof command,
             "cd && cd %s 2>/dev/null && { for p in $(cat */pid 2>/dev/null); do "
             "[ /proc/$p/cwd -ef . ] && kill $p; done; cd .. && rm -rf %s; }",
             home, home);
    const char *words[] = {"--nonall", "--timeout", "30", command, NULL};
    pid_t parallel = start(h, words);
    if (parallel > 0 && !is_over(parallel, CLEAN_MS))
        stop(parallel);
}

/* Rows that are kept need no host, and what is to be sent must be here. */
static void look_here(struct hosts *h)
{
    const struct batch_settings *b = h->e.settings;
    for (size_t i = 0; i < h->e.tasks->v.count; i++) {
        struct batch_task *t = &h->e.tasks->v.items[i];
        if (elsewhere_is_kept(&h->e, t))
            continue;
        batch_kept_forget(t); /* it may do better now */
        if (b->send && access(t->path, R_OK) != 0)
            elsewhere_fail(t, strerror(errno));
    }
}

/* False where parallel cannot be started. It tries a job again that failed, but not one whose host
 * was lost while its rows were on their way: those are run again as long as others come back. */
static bool run_rounds(struct hosts *h, size_t count)
{
    bool started = run_jobs(h, count);
    for (size_t waited = count, lost; started && !batch_interrupted() && !h->e.is_full;
         waited = lost) {
        lost = hosts_list_lost(h);
        if (lost == 0 || lost >= waited || !run_jobs(h, count))
            break;
    }
    return started;
}

/* What was neither done nor failed. */
static void fail_lost(const struct hosts *h, bool started)
{
    char *said = hosts_said_in(h, "log"), why[BATCH_ERROR_MAX + 64];
    for (char *p = said; p && *p; p++)
        if (*p == '\n')
            *p = ' ';
    snprintf(why, sizeof why, "no host gave its rows: %s",
             said ? said : "they were lost several times");
    free(said);
    elsewhere_fail_waiting(&h->e, started ? why : "GNU parallel cannot be started");
}

static bool run_on_hosts(struct batch_tasks *tasks, const struct batch_settings *b,
                         batch_query_fn *query, const struct batch_output *output)
{
    struct hosts h = {.e = {.tasks = tasks, .settings = b, .output = output}};
    size_t count = 0;
    (void)query; /* other processes run it */
    look_here(&h);
    bool prepared = hosts_prepare(&h, &count);
    bool started = prepared && count > 0 && run_rounds(&h, count);
    if (count > 0 && isatty(STDERR_FILENO))
        fputc('\n', standard_errors());
    bool takes = elsewhere_add_rest(&h.e, hosts_take_result);
    if (!prepared)
        elsewhere_fail_waiting(&h.e, "a folder for the run cannot be written");
    else if (!batch_interrupted() && !h.e.is_full)
        fail_lost(&h, started);
    if (started)
        clean_hosts(&h);
    hosts_remove(&h);
    return takes;
}

const struct batch_engine parallel_engine = {.name = "parallel",
                                             .has_hosts = true,
                                             .run = run_on_hosts};
