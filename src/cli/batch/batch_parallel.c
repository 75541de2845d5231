/* Tasks on hosts that are reached by ssh: a job of GNU parallel for each, which runs `tptui batch
 * --rows-only` over one trace in a folder of the run's own there. parallel copies the program and
 * what is asked, for --send the trace, brings back what the job leaves (its rows as one file, or
 * why there are none), tries jobs that were lost elsewhere, and removes all of it. Rows that are
 * not whole are none. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "base/user_path.h"
#include "cli/batch/batch_elsewhere.h"
#include "cli/shell_words.h"

enum {
    POLL_MS = 200,
    STOP_MS = 5000,
    CLEAN_MS = 60000,

    NO_PROGRAM = 127,
    NAME_BYTES = 64,
    NOTE_BYTES = 64
};

/* How often a job that is lost is tried, and how ssh finds out that a host is gone. */
#define RETRIES "3"
#define SSH_OPTIONS                                                                                \
    " -o BatchMode=yes -o ConnectTimeout=10 -o ServerAliveInterval=5 -o ServerAliveCountMax=3"
/* Links are followed, nothing is for others, and nothing of another try is taken for this one's. */
#define RSYNC_OPTIONS "-rLzRI --chmod=go="
/* A folder of the run's: what goes to each host; and of each task's, what comes back. */
#define SENT "sent"
#define OUT  "/out"

struct hosts {
    struct batch_elsewhere e; /* its folder lies in `folder` */
    char *folder;             /* of the run, which is where parallel runs; owned */
    pid_t parallel;
};

/* For free(). */
static char *path_in(const struct hosts *h, const char *name)
{
    size_t n = strlen(h->folder) + strlen(name) + 2;
    char *path = alloc_bytes(n);
    snprintf(path, n, "%s/%s", h->folder, name);
    return path;
}

static FILE *create(const struct hosts *h, const char *name)
{
    char *path = path_in(h, name);
    FILE *f = fopen(path, "we");
    free(path);
    return f;
}

static void name_of(const struct hosts *h, const struct batch_task *t, const char *end,
                    char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%td%s", t - h->e.tasks->v.items, end);
}

static bool make_folder(const struct hosts *h, const char *name)
{
    char *path = path_in(h, name);
    bool made = mkdir(path, 0700) == 0;
    free(path);
    return made;
}

static bool link_to(const struct hosts *h, const char *name, const char *target)
{
    char *path = path_in(h, name);
    bool made = symlink(target, path) == 0;
    free(path);
    return made;
}

/* What a job runs; $1 is the task's number. It fails where another host may do better. */
static bool write_job(const struct hosts *h)
{
    const struct batch_settings *b = h->e.settings;
    FILE *f = create(h, SENT "/job.sh");
    if (!f)
        return false;
    fputs("umask 077\n"
          "n=$1 d=$1/kept XDG_CONFIG_HOME=$PWD/" SENT "/config\n"
          "export XDG_CONFIG_HOME\n"
          "rm -rf \"$d\"; mkdir -p \"$d\" \"$n" OUT "\" || exit 3\n"
          ": >\"$n" OUT "/rows\"; : >\"$n" OUT "/note\"\n"
          "if ! " SENT "/tptui --version >/dev/null 2>\"$n" OUT "/said\"; then\n"
          "  echo \"$(uname -n) cannot run this build of tptui: a static one (-Dstatic=true) for "
          "$(uname -m) runs anywhere\" >>\"$n" OUT "/said\"; exit 3\n"
          "fi\n",
          f);
    if (b->send)
        fputs("for t in \"$n\"/in/* \"$n\"/in/.[!.]* \"$n\"/in/..?*; do\n"
              "  [ -e \"$t\" ] && break\n"
              "done\n",
              f);
    else
        fputs("t=$(cat \"$n/in\" && echo x); t=${t%x}\n", f);
    if (b->jobs)
        fprintf(f, "j=%u\n", b->jobs);
    else
        fputs("j=$(nproc 2>/dev/null || echo 1)\n", f);
    fputs(SENT "/tptui batch --rows-only --jobs \"$j\" --resume \"$d\"", f);
    if (b->send)
        fputs(" --no-cache", f);
    elsewhere_put_asked(&h->e, f);
    fputs(" -- \"$t\" </dev/null >/dev/null 2>\"$n" OUT "/said\" &\n"
          "echo $! >\"$n/pid\"; wait $!; s=$?; rm -f \"$n/pid\"\n"
          "[ $s -le 128 ] || exit $s\n"
          "cat \"$d\"/*.rows >\"$n" OUT "/rows\" 2>/dev/null\n"
          "cat \"$d\"/*.trace >\"$n" OUT "/note\" 2>/dev/null\n"
          "rm -rf \"$d\"\n",
          f);
    return elsewhere_close(f);
}

/* The user's own rules and curves are the same on all hosts. */
static bool link_config(const struct hosts *h)
{
    static const char *const names[] = {"alerts", "wattson"};
    bool made = make_folder(h, SENT "/config") && make_folder(h, SENT "/config/tptui");
    for (size_t i = 0; i < sizeof names / sizeof *names && made; i++) {
        char path[PATH_MAX], name[NAME_BYTES];
        snprintf(name, sizeof name, SENT "/config/tptui/%s", names[i]);
        if (user_path(USER_CONFIG, names[i], path, sizeof path, false) && access(path, R_OK) == 0)
            made = link_to(h, name, path);
    }
    return made;
}

/* A path as all hosts read it: from the root on. For free(). */
static char *whole_path(const char *path)
{
    char *real = realpath(path, NULL);
    return real ? real : alloc_copy(path, strlen(path));
}

/* The name under which a trace is sent. */
static const char *sent_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* What the job reads: the trace under its own name, or where it lies. */
static bool write_input(const struct hosts *h, const struct batch_task *t, const char *path)
{
    char name[NAME_BYTES];
    if (!h->e.settings->send) {
        name_of(h, t, "/in", name);
        FILE *f = create(h, name);
        if (f)
            fputs(path, f);
        return f && elsewhere_close(f);
    }
    name_of(h, t, "/in", name);
    size_t size = strlen(name) + strlen(path) + 2;
    char *own = alloc_bytes(size);
    snprintf(own, size, "%s/%s", name, sent_name(path));
    bool made = make_folder(h, name) && link_to(h, own, path);
    free(own);
    return made;
}

static bool write_tasks(const struct hosts *h, size_t *count)
{
    char name[NAME_BYTES];
    struct batch_task **waiting = elsewhere_waiting(&h->e, count);
    FILE *list = create(h, "list");
    bool written = list != NULL;
    for (size_t i = 0; i < *count && written; i++) {
        char *path = whole_path(waiting[i]->path);
        name_of(h, waiting[i], "", name);
        fprintf(list, "%s\n", name);
        written = make_folder(h, name) && write_input(h, waiting[i], path);
        free(path);
    }
    written = list && elsewhere_close(list) && written;
    free(waiting);
    return written;
}

/* In a process of its own, in the folder of the run: parallel with words behind those that all its
 * runs have. */
static _Noreturn void become_parallel(const struct hosts *h, const char *const *words)
{
    const char *ssh = getenv("PARALLEL_SSH");
    char *hosts = realpath(h->e.settings->hosts, NULL), *command = NULL;
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
    int empty = open("/dev/null", O_RDONLY), log = -1;
    if (chdir(h->folder) == 0)
        log = open("log", O_WRONLY | O_CREAT | O_APPEND, 0600);
    if (log >= 0 && dup2(empty, STDIN_FILENO) >= 0 && dup2(log, STDOUT_FILENO) >= 0 &&
        dup2(log, STDERR_FILENO) >= 0)
        execvp(arguments.items[0], (char *const *)(uintptr_t)arguments.items);
    _exit(NO_PROGRAM);
}

static bool start(struct hosts *h, const char *const *words)
{
    fflush(NULL);
    h->parallel = fork();
    if (h->parallel == 0)
        become_parallel(h, words);
    return h->parallel > 0;
}

static void tell(const struct hosts *h, size_t count)
{
    size_t ended = 0;
    if (!isatty(STDERR_FILENO))
        return;
    for (size_t i = 0; i < h->e.tasks->v.count; i++) {
        char name[NAME_BYTES];
        name_of(h, &h->e.tasks->v.items[i], OUT "/rows", name);
        char *path = path_in(h, name);
        ended += h->e.tasks->v.items[i].state == TASK_WAITING && access(path, F_OK) == 0;
        free(path);
    }
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
static void stop(const struct hosts *h)
{
    kill(h->parallel, SIGTERM);
    if (!is_over(h->parallel, 100))
        kill(h->parallel, SIGTERM);
    if (!is_over(h->parallel, STOP_MS)) {
        kill(-h->parallel, SIGKILL);
        waitpid(h->parallel, NULL, 0);
    }
}

/* The folder of the run in the home folder of each host. */
static void home_name(const struct hosts *h, const char *before, char name[NAME_BYTES])
{
    snprintf(name, NAME_BYTES, "%s.%s", before, strrchr(h->folder, '/') + 1);
}

/* False where parallel cannot be started. */
static bool run_jobs(struct hosts *h, size_t count)
{
    const struct batch_settings *b = h->e.settings;
    char jobs[16], home[NAME_BYTES];
    int status = 0;
    snprintf(jobs, sizeof jobs, "%u", b->jobs);
    home_name(h, "", home);
    const char *words[] = {"--jobs",         b->jobs ? jobs : "100%",
                           "--retries",      RETRIES,
                           "--workdir",      home,
                           "--rsync-opts",   RSYNC_OPTIONS,
                           "--basefile",     SENT,
                           "--transferfile", "{}/in",
                           "--return",       "{}" OUT,
                           "--cleanup",      "--arg-file",
                           "list",           "sh",
                           SENT "/job.sh",   NULL};
    if (!start(h, words))
        return false;
    for (pid_t ended = 0; ended == 0;) {
        ended = waitpid(h->parallel, &status, WNOHANG);
        if (ended == 0 && batch_interrupted()) {
            stop(h);
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
static void clean_hosts(struct hosts *h)
{
    char home[NAME_BYTES], command[6 * NAME_BYTES];
    home_name(h, "", home);
    /* Hosts may have a home folder together, and what ended may have left its number to another. */
    snprintf(command, sizeof command,
             "cd && cd %s 2>/dev/null && { for p in $(cat */pid 2>/dev/null); do "
             "[ /proc/$p/cwd -ef . ] && kill $p; done; cd .. && rm -rf %s; }",
             home, home);
    const char *words[] = {"--nonall", "--timeout", "30", command, NULL};
    if (start(h, words) && !is_over(h->parallel, CLEAN_MS))
        stop(h);
}

/* Up to BATCH_ERROR_MAX bytes of a file of the run, without the program's name in front; for
 * free(), NULL where there are none. */
static char *said_in(const struct hosts *h, const char *name)
{
    char *path = path_in(h, name), text[BATCH_ERROR_MAX];
    FILE *f = fopen(path, "re");
    free(path);
    size_t n = f ? fread(text, 1, sizeof text, f) : 0;
    if (f)
        fclose(f);
    struct str said = str_trim_lines((struct str){text, n});
    if (str_starts(said, STR("tptui: ")))
        said = str_skip(said, strlen("tptui: "));
    return said.n > 0 ? alloc_copy(said.p, said.n) : NULL;
}

/* What the program said there, of the trace by its name here. */
static char *said_of(const struct hosts *h, const struct batch_task *t)
{
    char name[NAME_BYTES], *path = whole_path(t->path), *there = NULL, *here = NULL;
    size_t size;
    name_of(h, t, OUT "/said", name);
    char *said = said_in(h, name);
    name_of(h, t, "/in/", name);
    bool sent = h->e.settings->send;
    FILE *f = open_memstream(&there, &size);
    if (f)
        fprintf(f, "%s%s", sent ? name : "", sent ? sent_name(path) : path);
    free(path);
    if (!f || fclose(f) != 0)
        alloc_fail();
    if (said && strncmp(said, there, size) == 0 && (f = open_memstream(&here, &size))) {
        fprintf(f, "%s%s", t->path, said + strlen(there));
        if (fclose(f) != 0)
            alloc_fail();
        free(said);
        said = here;
    }
    free(there);
    return said;
}

static uint64_t content_of(const struct hosts *h, const struct batch_task *t)
{
    char name[NAME_BYTES], note[NOTE_BYTES];
    name_of(h, t, OUT "/note", name);
    char *path = path_in(h, name);
    FILE *f = fopen(path, "re");
    free(path);
    size_t n = f ? fread(note, 1, sizeof note, f) : 0;
    if (f)
        fclose(f);
    return batch_kept_content((struct str){note, n});
}

/* Rows, or why there are none; neither where it was lost. */
static void take_result(const struct batch_elsewhere *e, struct batch_task *t)
{
    const struct hosts *h = (const struct hosts *)e;
    char name[NAME_BYTES];
    name_of(h, t, OUT "/rows", name);
    char *path = path_in(h, name);
    FILE *rows = fopen(path, "re");
    free(path);
    char *said = said_of(h, t);
    if (rows && batch_kept_bring(t, h->e.settings, rows, content_of(h, t))) {
        t->warning = said;
        return;
    }
    if (rows)
        fclose(rows);
    if (said) {
        t->state = TASK_FAILED;
        t->error = said;
    }
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *where)
{
    (void)st, (void)kind, (void)where;
    remove(path);
    return 0;
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

static bool begin_sent(struct hosts *h)
{
    char *sent = path_in(h, SENT);
    h->e.sent = strlen(h->folder) + 1;
    bool begun = elsewhere_begin(&h->e, sent);
    free(sent);
    return begun;
}

static bool prepare(struct hosts *h, size_t *count)
{
    const char *tmp = getenv("TMPDIR");
    if (!tmp || !*tmp)
        tmp = "/tmp";
    size_t size = strlen(tmp) + sizeof "/tptui-XXXXXX";
    h->folder = alloc_bytes(size);
    snprintf(h->folder, size, "%s/tptui-XXXXXX", tmp);
    if (!mkdtemp(h->folder)) {
        h->folder[0] = '\0';
        return false;
    }
    return make_folder(h, SENT) && begin_sent(h) && link_to(h, SENT "/tptui", h->e.program) &&
           link_config(h) && write_job(h) && write_tasks(h, count);
}

static bool has_bytes(const struct hosts *h, const struct batch_task *t, const char *end)
{
    char name[NAME_BYTES];
    struct stat st;
    name_of(h, t, end, name);
    char *path = path_in(h, name);
    bool has = stat(path, &st) == 0 && st.st_size > 0;
    free(path);
    return has;
}

/* Writes the list anew, of tasks of which neither rows nor a word came back; how many. */
static size_t list_lost(const struct hosts *h)
{
    size_t lost = 0;
    FILE *list = create(h, "list");
    for (size_t i = 0; list && i < h->e.tasks->v.count; i++) {
        const struct batch_task *t = &h->e.tasks->v.items[i];
        if (t->state != TASK_WAITING || has_bytes(h, t, OUT "/rows") ||
            has_bytes(h, t, OUT "/said"))
            continue;
        fprintf(list, "%zu\n", i);
        lost++;
    }
    return list && elsewhere_close(list) ? lost : 0;
}

/* False where parallel cannot be started. It tries a job again that failed, but not one whose host
 * was lost while its rows were on their way: those are run again as long as others come back. */
static bool run_rounds(struct hosts *h, size_t count)
{
    bool started = run_jobs(h, count);
    for (size_t waited = count, lost; started && !batch_interrupted(); waited = lost) {
        lost = list_lost(h);
        if (lost == 0 || lost >= waited || !run_jobs(h, count))
            break;
    }
    return started;
}

/* What was neither done nor failed. */
static void fail_lost(const struct hosts *h, bool started)
{
    char *said = said_in(h, "log"), why[BATCH_ERROR_MAX + 64];
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
    enum { FILES_OPEN = 16 };
    struct hosts h = {.e = {.tasks = tasks, .settings = b}};
    size_t count = 0;
    (void)query; /* other processes run it */
    look_here(&h);
    bool prepared = prepare(&h, &count);
    bool started = prepared && count > 0 && run_rounds(&h, count);
    if (count > 0 && isatty(STDERR_FILENO))
        fputc('\n', standard_errors());
    bool takes = elsewhere_add_all(&h.e, output, take_result);
    if (!prepared)
        elsewhere_fail_waiting(&h.e, "a folder for the run cannot be written");
    else if (!batch_interrupted())
        fail_lost(&h, started);
    if (started)
        clean_hosts(&h);
    if (h.folder[0])
        nftw(h.folder, remove_one, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
    free(h.e.folder);
    free(h.folder);
    return takes;
}

const struct batch_engine parallel_engine = {.name = "parallel",
                                             .has_hosts = true,
                                             .run = run_on_hosts};
