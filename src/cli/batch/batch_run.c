/* Processes for the tasks, so many at a time. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/standard_streams.h"
#include "base/unnamed_file.h"
#include "cli/batch/batch.h"
#include "cli/batch/batch_rows.h"
#include "cli/command.h"

enum {
    AHEAD_MAX = 200
}; /* tasks that may have ended while an earlier one runs: each has two files */

/* Sanitizers take terabytes of address space, whatever the program needs. */
#if defined __SANITIZE_ADDRESS__
enum { MEMORY_IS_LIMITABLE = false };
#elif defined __has_feature
#if __has_feature(address_sanitizer)
enum { MEMORY_IS_LIMITABLE = false };
#else
enum { MEMORY_IS_LIMITABLE = true };
#endif
#else
enum { MEMORY_IS_LIMITABLE = true };
#endif

static volatile sig_atomic_t interrupted;

static void on_interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

void batch_catch_interrupts(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    action.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &action, NULL);
}

static void on_child(int number)
{
    (void)number; /* ends the waiting */
}

bool batch_interrupted(void)
{
    return interrupted;
}

struct run {
    struct batch_tasks *tasks;
    const struct batch_settings *settings;
    batch_query_fn *query;
    const struct batch_output *output;
    size_t next, written; /* the first that waits; the first that is not in the output */
    uint32_t jobs, running, failed;
    uint64_t memory;
    int64_t begin_ns, told_ns;
    sigset_t before;
    bool ends; /* processes that run are ended: nobody reads on, or the user said so */
};

static bool open_files(struct run *r, struct batch_task *t)
{
    bool named = batch_kept_name(t, r->settings);
    t->messages = unnamed_file_stream();
    if (named && batch_kept_take(t))
        return t->messages;
    if (!r->settings->resume)
        t->rows = unnamed_file_stream();
    else
        batch_kept_begin(t, r->settings);
    return t->rows && t->messages;
}

static void fail(struct run *r, struct batch_task *t, const char *error)
{
    t->state = TASK_FAILED;
    t->error = alloc_copy(error, strlen(error));
    r->failed++;
    batch_kept_failed(t);
    if (t->rows)
        fclose(t->rows);
    t->rows = NULL;
}

static void limit(int resource, uint64_t value)
{
    struct rlimit l = {.rlim_cur = value, .rlim_max = value};
    setrlimit(resource, &l);
}

/* In the process of a task: rows that are there are left to the parent, others are kept only if
 * they are known to be of this trace. */
static int find_rows(const struct run *r, struct batch_task *t)
{
    const struct batch_settings *b = r->settings;
    if (!b->resume)
        return r->query(b, t);
    struct batch_identity id = batch_kept_identify(t, b);
    if (id.known && batch_kept_take(t))
        return EXIT_DONE;
    int status = r->query(b, t);
    if (!batch_kept_holds(&id, b, workspace_file()))
        batch_kept_drop(t);
    return status;
}

/* The process of a task: never returns. */
static void work(const struct run *r, struct batch_task *t)
{
    signal(SIGINT, SIG_IGN); /* the parent decides */
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_SETMASK, &r->before, NULL);
    if (r->memory && MEMORY_IS_LIMITABLE)
        limit(RLIMIT_DATA, r->memory);
    limit(RLIMIT_CORE, 0);
    dup2(fileno(t->messages), STDERR_FILENO);
    int none = open("/dev/null", O_RDWR | O_CLOEXEC);
    dup2(none, STDIN_FILENO);
    dup2(none, STDOUT_FILENO);
    int status = find_rows(r, t);
    fflush(standard_errors());
    _exit(status);
}

static void start(struct run *r, struct batch_task *t)
{
    if (!open_files(r, t)) {
        fail(r, t, "there is no room for its rows");
        return;
    }
    if (t->state == TASK_DONE)
        return;
    fflush(NULL);
    t->begin_ns = clock_now_ns();
    t->pid = fork();
    if (t->pid == 0)
        work(r, t);
    if (t->pid < 0) {
        fail(r, t, strerror(errno));
        return;
    }
    t->state = TASK_RUNNING;
    r->running++;
}

/* What it said, without the program's name in front; owned by the caller, NULL where it said
 * nothing. */
static char *said_by(const struct batch_task *t)
{
    char text[BATCH_ERROR_MAX];
    rewind(t->messages);
    size_t n = fread(text, 1, sizeof text, t->messages);
    struct str said = str_trim_lines((struct str){text, n});
    if (str_starts(said, STR("tptui: ")))
        said = str_skip(said, strlen("tptui: "));
    return said.n > 0 ? alloc_copy(said.p, said.n) : NULL;
}

static void fail_with_message(struct run *r, struct batch_task *t, const char *otherwise)
{
    char *said = said_by(t);
    fail(r, t, said ? said : otherwise);
    free(said);
}

/* What its process has written, or found: then it has written nothing. */
static bool take_rows(struct batch_task *t)
{
    uint64_t key;
    struct stat st;
    if (fstat(fileno(t->rows), &st) == 0 && st.st_size == 0 && batch_kept_take(t)) {
        batch_kept_drop(t);
        return true;
    }
    if (!batch_rows_whole(t->rows, &key))
        return false;
    t->state = TASK_DONE;
    batch_kept_done(t);
    return true;
}

static void finish(struct run *r, struct batch_task *t, int status)
{
    char why[96];
    r->running--;
    batch_kept_name(t, r->settings);
    if (WIFSIGNALED(status) && (interrupted || r->ends)) {
        t->state = TASK_WAITING; /* it was ended: neither done nor failed */
        batch_kept_drop(t);
    } else if (WIFSIGNALED(status)) {
        bool late = r->settings->time > 0 &&
                    (double)(clock_now_ns() - t->begin_ns) / 1e9 >= r->settings->time;
        if (WTERMSIG(status) == SIGKILL && late)
            snprintf(why, sizeof why, "it took longer than %g s", r->settings->time);
        else
            snprintf(why, sizeof why, "its process ended by signal %d (%s)", WTERMSIG(status),
                     strsignal(WTERMSIG(status)));
        if (WTERMSIG(status) == SIGABRT)
            fail_with_message(r, t, why);
        else
            fail(r, t, why);
    } else if (WEXITSTATUS(status) != 0) {
        fail_with_message(r, t, "its process failed without a word");
    } else if (!take_rows(t)) {
        fail(r, t, "its rows are not whole");
    } else {
        t->warning = said_by(t);
    }
    fclose(t->messages);
    t->messages = NULL;
}

static struct batch_task *find_running(struct run *r, pid_t pid)
{
    for (size_t i = r->written; i < r->next; i++)
        if (r->tasks->v.items[i].state == TASK_RUNNING && r->tasks->v.items[i].pid == pid)
            return &r->tasks->v.items[i];
    return NULL;
}

static void reap(struct run *r)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        struct batch_task *t = find_running(r, pid);
        if (t)
            finish(r, t, status);
    }
}

static void kill_running(struct run *r, double older_than)
{
    for (size_t i = r->written; i < r->next; i++) {
        struct batch_task *t = &r->tasks->v.items[i];
        if (t->state == TASK_RUNNING && (double)(clock_now_ns() - t->begin_ns) / 1e9 >= older_than)
            kill(t->pid, SIGKILL);
    }
}

/* Those that have ended, up to the first that has not; all that have where `rest`. */
static bool write_ended(struct run *r, bool rest)
{
    bool takes = true;
    for (; takes && r->written < r->next; r->written++) {
        struct batch_task *t = &r->tasks->v.items[r->written];
        if (t->state != TASK_DONE && t->state != TASK_FAILED && !rest)
            break;
        if (t->state != TASK_DONE)
            continue;
        struct status error = status_ok_value();
        takes = r->output->add(r->output->self, t, &error);
        if (!status_ok(error))
            fail(r, t, error.message);
        status_release(&error);
        if (t->rows)
            fclose(t->rows);
        t->rows = NULL;
    }
    return takes;
}

static void tell(struct run *r, bool last)
{
    int64_t now = clock_now_ns();
    if (!isatty(STDERR_FILENO) || (!last && now - r->told_ns < 200000000))
        return;
    r->told_ns = now;
    size_t ended = r->next - r->running, all = r->tasks->v.count;
    double seconds = (double)(now - r->begin_ns) / 1e9;
    double left = ended > 0 ? seconds / (double)ended * (double)(all - ended) : 0;
    dprintf(STDERR_FILENO, "\r\033[K%zu of %zu traces, %u failed, %.1f/s", ended, all, r->failed,
            seconds > 0 ? (double)ended / seconds : 0);
    if (!last)
        dprintf(STDERR_FILENO, ", %.0f s left", left);
    else
        dprintf(STDERR_FILENO, "\n");
}

/* Until a process ends or the next one is late. */
static void wait_for_child(void)
{
    struct timespec step = {.tv_nsec = 50000000};
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigtimedwait(&child, NULL, &step);
}

static uint64_t memory_share(uint32_t jobs)
{
    long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? (uint64_t)pages * (uint64_t)size / jobs : 0;
}

static void catch_signals(struct run *r)
{
    sigset_t child;
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child, &r->before);
    struct sigaction action = {.sa_handler = on_child};
    sigaction(SIGCHLD, &action, NULL);
}

static bool run_here(struct batch_tasks *tasks, const struct batch_settings *b,
                     batch_query_fn *query, const struct batch_output *output)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct run r = {.tasks = tasks,
                    .settings = b,
                    .query = query,
                    .output = output,
                    .jobs = b->jobs    ? b->jobs
                            : cpus > 0 ? (uint32_t)cpus
                                       : 1,
                    .begin_ns = clock_now_ns()};
    r.memory = b->memory ? b->memory : memory_share(r.jobs);
    catch_signals(&r);
    bool takes = true;
    while (takes && !interrupted && r.written < tasks->v.count) {
        while (r.running < r.jobs && r.next < tasks->v.count && r.next - r.written < AHEAD_MAX)
            start(&r, &tasks->v.items[r.next++]);
        if (r.running > 0)
            wait_for_child();
        reap(&r);
        if (b->time > 0)
            kill_running(&r, b->time);
        takes = write_ended(&r, false);
        tell(&r, false);
    }
    r.ends = true;
    kill_running(&r, 0);
    while (r.running > 0) {
        wait_for_child();
        reap(&r);
    }
    if (takes)
        takes = write_ended(&r, true);
    tell(&r, true);
    return takes && !interrupted;
}

const struct batch_engine local_engine = {.name = "local", .run = run_here};
