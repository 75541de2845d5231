/* Tasks on a cluster that runs Slurm: an array job of `tptui batch --rows-only`, whose elements
 * write to a folder that all nodes see. A trace whose rows and error are both missing when the job
 * is over was lost with its node, or with the job's limit: it is sent again, a few times. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/standard_streams.h"
#include "base/utf8.h"
#include "cli/batch/batch_elsewhere.h"
#include "cli/shell_words.h"

enum { ROUNDS = 3, CHUNKS_MAX = 1000, CHUNKS_A_JOB = 4, POLL_MS = 500, SILENT_MAX = 120 };

extern char **environ;

struct cluster {
    struct batch_elsewhere e;
    char job[32]; /* its number; "" where there is none */
    uint32_t chunks;
    int round;
};

/* Runs a command and returns what it prints, for free(); NULL where it fails. */
static char *output_of(const char *const *arguments)
{
    int ends[2], status = -1;
    pid_t pid;
    posix_spawn_file_actions_t actions;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    int rc = posix_spawnp(&pid, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments,
                          environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    VEC(char) text = {0};
    ssize_t n = 1;
    while (rc == 0 && n != 0) {
        vec_reserve(&text, text.count + 4096);
        n = read(ends[0], text.items + text.count, 4096);
        if (n < 0 && errno != EINTR)
            break;
        text.count += n > 0 ? (size_t)n : 0;
    }
    close(ends[0]);
    while (rc == 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    *vec_push(&text) = '\0';
    if (rc == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return text.items;
    vec_release(&text);
    return NULL;
}

/* What an element of the array runs. */
static bool write_job(const struct cluster *c)
{
    FILE *f = elsewhere_create(&c->e, "job.sh");
    if (!f)
        return false;
    fputs("#!/bin/sh\nexec ", f);
    shell_quote(f, c->e.program);
    fputs(" batch --rows-only --jobs 1", f);
    elsewhere_put_option(f, "--resume", c->e.settings->resume);
    elsewhere_put_asked(&c->e, f);
    fputs(" --list ", f);
    shell_quote(f, c->e.folder);
    fputs("/\"$SLURM_ARRAY_TASK_ID\".list\n", f);
    return elsewhere_close(f);
}

/* How many of the first loads are about so much together; one at least. What they are is taken
 * from `left`. */
static size_t first_part(const uint64_t *loads, size_t count, uint64_t much, uint64_t *left)
{
    uint64_t sum = 0;
    size_t n = 0;
    while (n < count && (n == 0 || sum + loads[n] / 2 <= much))
        sum += loads[n++];
    *left -= sum;
    return n;
}

static bool write_list(const struct cluster *c, uint32_t chunk, struct batch_task *const *tasks,
                       size_t count)
{
    char name[32];
    snprintf(name, sizeof name, "%u.list", chunk);
    FILE *f = elsewhere_create(&c->e, name);
    for (size_t i = 0; f && i < count; i++)
        fprintf(f, "%s\n", tasks[i]->path);
    return f && elsewhere_close(f);
}

/* The tasks that wait as lists of neighbours with as many bytes each, so that the first ones end
 * first. */
static bool split(struct cluster *c)
{
    size_t count, from = 0;
    struct batch_task **waiting = elsewhere_waiting(&c->e, &count);
    uint32_t jobs = c->e.settings->jobs ? c->e.settings->jobs : 16;
    uint64_t wanted = (uint64_t)jobs * CHUNKS_A_JOB, left = 0;
    wanted = wanted > CHUNKS_MAX ? CHUNKS_MAX : wanted;
    uint64_t *loads = alloc_array(count + 1, sizeof *loads);
    for (size_t i = 0; i < count; i++) {
        loads[i] = elsewhere_size(waiting[i]) + 4096; /* opening one costs, too */
        left += loads[i];
    }
    bool written = true;
    for (c->chunks = 0; from < count && written; c->chunks++) {
        uint64_t much = left / (wanted - c->chunks);
        size_t n = first_part(loads + from, count - from, much, &left);
        written = write_list(c, c->chunks, waiting + from, n);
        from += n;
    }
    free(loads);
    free(waiting);
    return written;
}

/* How much memory Slurm is to give an element of the array. False where nothing is said of it, or
 * sbatch's own variables say it. */
static bool memory_option(const struct cluster *c, char *out, size_t size)
{
    static const char *const own[] = {"SBATCH_MEM_PER_NODE", "SBATCH_MEM_PER_CPU",
                                      "SBATCH_MEM_PER_GPU"};
    uint64_t bytes = c->e.settings->memory;
    bool is_said = false;
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        is_said |= getenv(own[i]) != NULL;
    snprintf(out, size, "--mem=%" PRIu64 "M", (bytes >> 20) + (bytes % (1 << 20) > 0));
    return bytes > 0 && !is_said;
}

static bool submit(struct cluster *c)
{
    char array[48], memory[40];
    snprintf(array, sizeof array, "--array=0-%u%%%u", c->chunks - 1,
             c->e.settings->jobs ? c->e.settings->jobs : 16);
    char *log = elsewhere_path(&c->e, "%a.log"), *script = elsewhere_path(&c->e, "job.sh");
    size_t n = strlen(log) + 16;
    char *output = alloc_bytes(n);
    snprintf(output, n, "--output=%s", log);
    const char *words[] = {"sbatch",
                           memory,
                           "--parsable",
                           "--requeue",
                           "--job-name=tptui",
                           array,
                           "--open-mode=append",
                           output,
                           script,
                           NULL};
    char *number = memory_option(c, memory, sizeof memory) ? output_of(words) : NULL;
    if (!number) { /* a cluster that does not say what its nodes have refuses what is asked for */
        words[1] = words[0];
        number = output_of(words + 1);
    }
    if (number)
        snprintf(c->job, sizeof c->job, "%.*s", (int)strspn(number, "0123456789"), number);
    free(number);
    free(log);
    free(script);
    free(output);
    return c->job[0] != '\0';
}

/* Whether some element of the job waits or runs; `*known` false where Slurm did not answer. */
static bool job_goes_on(const struct cluster *c, bool *known)
{
    const char *arguments[] = {"squeue", "--noheader", "--me", "--format=%A %F", NULL};
    char *text = output_of(arguments);
    *known = text != NULL;
    bool found = false;
    for (char *line = text; line && *line && !found;) {
        size_t n = strcspn(line, "\n");
        char *number = line + strcspn(line, " ");
        found = *number && strtoull(number, NULL, 10) == strtoull(c->job, NULL, 10);
        line += n + (line[n] == '\n');
    }
    free(text);
    return found;
}

static size_t count_results(const struct cluster *c)
{
    size_t ended = c->e.added;
    for (size_t i = ended; i < c->e.tasks->v.count; i++) {
        struct batch_task *t = &c->e.tasks->v.items[i];
        ended += t->state != TASK_WAITING ||
                 (batch_kept_name(t, c->e.settings) &&
                  (access(t->kept, F_OK) == 0 || access(t->kept_error, F_OK) == 0));
    }
    return ended;
}

static void tell(const struct cluster *c)
{
    if (!isatty(STDERR_FILENO))
        return;
    char *job = text_escape(str_from(c->job));
    dprintf(STDERR_FILENO, "\r\033[K%zu of %zu traces, job %s", count_results(c),
            c->e.tasks->v.count, job);
    free(job);
}

static void cancel_job(const struct cluster *c)
{
    const char *arguments[] = {"scancel", c->job, NULL};
    free(output_of(arguments));
}

/* What the nodes have left: rows, an error, or nothing. */
static void take_result(const struct batch_elsewhere *e, struct batch_task *t)
{
    if (!batch_kept_name(t, e->settings) || batch_kept_take(t))
        return;
    t->error = batch_kept_error(t);
    if (t->error)
        t->state = TASK_FAILED;
}

/* Until the job is over. Slurm's controller may be away for a while. */
static bool wait_for_job(struct cluster *c)
{
    int silent = 0;
    bool known;
    while (!batch_interrupted() && silent < SILENT_MAX && !c->e.is_full) {
        if (!job_goes_on(c, &known) && known)
            return true;
        silent = known ? 0 : silent + 1;
        elsewhere_add_ended(&c->e, take_result);
        tell(c);
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
    cancel_job(c);
    return false;
}

/* How many have no result. */
static uint32_t count_lost(struct cluster *c)
{
    uint32_t lost = 0;
    elsewhere_add_ended(&c->e, take_result);
    for (size_t i = c->e.added; i < c->e.tasks->v.count; i++) {
        struct batch_task *t = &c->e.tasks->v.items[i];
        if (t->state == TASK_WAITING && !elsewhere_is_kept(&c->e, t))
            take_result(&c->e, t);
        lost += t->state == TASK_WAITING;
    }
    return lost;
}

/* One array job with what waits; false ends the rounds. */
static bool run_round(struct cluster *c)
{
    if (!split(c) || !write_job(c)) {
        elsewhere_fail_waiting(&c->e, "the folder of the run cannot be written");
        return false;
    }
    if (c->chunks == 0)
        return false;
    if (!submit(c)) {
        elsewhere_fail_waiting(&c->e, "sbatch did not take the job");
        return false;
    }
    bool over = wait_for_job(c);
    uint32_t lost = count_lost(c);
    if (!over && !batch_interrupted() && !c->e.is_full)
        elsewhere_fail_waiting(&c->e, "Slurm does not answer");
    return over && lost > 0 && ++c->round < ROUNDS;
}

static void name_tasks(struct cluster *c)
{
    for (size_t i = 0; i < c->e.tasks->v.count; i++) {
        struct batch_task *t = &c->e.tasks->v.items[i];
        struct stat st;
        if (stat(t->path, &st) != 0 || !S_ISREG(st.st_mode)) {
            elsewhere_fail(t, "there is no such file");
        } else if (!elsewhere_is_kept(&c->e, t)) {
            batch_kept_forget(t); /* it may do better now */
        }
    }
}

static bool run_on_slurm(struct batch_tasks *tasks, const struct batch_settings *b,
                         batch_query_fn *query, const struct batch_output *output)
{
    struct cluster c = {.e = {.tasks = tasks, .settings = b, .output = output}};
    (void)query; /* other processes run it */
    name_tasks(&c);
    if (!elsewhere_begin(&c.e, b->resume))
        elsewhere_fail_waiting(&c.e, "the folder of the run cannot be written");
    else
        while (run_round(&c))
            c.job[0] = '\0';
    if (!batch_interrupted() && !c.e.is_full)
        elsewhere_fail_waiting(
            &c.e, "its job ended without a result, several times: see the logs in the folder");
    if (isatty(STDERR_FILENO))
        fputc('\n', standard_errors());
    free(c.e.folder);
    return elsewhere_add_rest(&c.e, NULL);
}

const struct batch_engine slurm_engine = {.name = "slurm",
                                          .needs_folder = true,
                                          .run = run_on_slurm};
