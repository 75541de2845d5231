/* Tasks on a cluster that runs Slurm: an array job of `tptui batch --rows-only`, whose elements
 * write to a folder that all nodes see. A trace whose rows and error are both missing when the job
 * is over was lost with its node, or with the job's limit: it is sent again, a few times. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
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
#include "cli/batch/batch.h"
#include "cli/shell_words.h"

enum { ROUNDS = 3, CHUNKS_MAX = 1000, CHUNKS_A_JOB = 4, POLL_MS = 500, SILENT_MAX = 120 };

extern char **environ;

struct cluster {
    struct batch_tasks *tasks;
    const struct batch_settings *settings;
    char *folder; /* of this run, inside --resume's */
    char program[PATH_MAX];
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

static char *path_in(const struct cluster *c, const char *name)
{
    size_t n = strlen(c->folder) + strlen(name) + 2;
    char *path = alloc_bytes(n);
    snprintf(path, n, "%s/%s", c->folder, name);
    return path;
}

static void put_argument(FILE *f, const char *option, const char *value)
{
    fprintf(f, " %s ", option);
    shell_quote(f, value);
}

static bool close_written(FILE *f)
{
    bool failed = ferror(f);
    return fclose(f) == 0 && !failed;
}

static bool write_script(const struct cluster *c, size_t i)
{
    char name[32];
    snprintf(name, sizeof name, "%zu.sql", i);
    char *path = path_in(c, name);
    FILE *f = fopen(path, "we");
    free(path);
    const struct text_file *script = &c->settings->scripts.items[i];
    if (f && script->size)
        fwrite(script->text, 1, script->size, f);
    return f && close_written(f);
}

/* Its name says what it is: a spec as text or binary. */
static char *summary_path(const struct cluster *c, size_t i)
{
    const char *path = c->settings->summaries.items[i].name, *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t size = strlen(name) + 24;
    char *own = alloc_bytes(size);
    snprintf(own, size, "%zu-%s", i, name);
    char *in_folder = path_in(c, own);
    free(own);
    return in_folder;
}

static bool write_summary(const struct cluster *c, size_t i)
{
    char *path = summary_path(c, i);
    FILE *f = fopen(path, "we");
    free(path);
    const struct text_file *spec = &c->settings->summaries.items[i];
    if (f && spec->size)
        fwrite(spec->text, 1, spec->size, f);
    return f && close_written(f);
}

/* What an element is asked as this process was, but for texts, which stand in the run's folder. */
static void put_options(const struct cluster *c, FILE *f)
{
    char option[64];
    for (size_t i = 0; i < c->settings->given.count; i++) {
        const struct batch_given *g = &c->settings->given.items[i];
        enum option_rows rows = g->option->rows;
        if (rows == OPTION_ROWS_SAME || rows == OPTION_ROWS_TEXT)
            continue;
        snprintf(option, sizeof option, "--%s", g->option->name);
        if (g->value)
            put_argument(f, option, g->value);
        else
            fprintf(f, " %s", option);
    }
    for (size_t i = 0; i < c->settings->summaries.count; i++) {
        char *path = summary_path(c, i);
        put_argument(f, "--summary", path);
        free(path);
    }
}

/* What an element of the array runs. */
static bool write_job(const struct cluster *c)
{
    const struct batch_settings *b = c->settings;
    char *path = path_in(c, "job.sh");
    FILE *f = fopen(path, "we");
    free(path);
    if (!f)
        return false;
    fputs("#!/bin/sh\nexec ", f);
    shell_quote(f, c->program);
    fputs(" batch --rows-only --jobs 1", f);
    put_argument(f, "--resume", b->resume);
    for (size_t i = 0; i < b->scripts.count; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu.sql", i);
        char *script = path_in(c, name);
        put_argument(f, "-f", script);
        free(script);
    }
    put_options(c, f);
    fputs(" --list ", f);
    shell_quote(f, c->folder);
    fputs("/\"$SLURM_ARRAY_TASK_ID\".list\n", f);
    return close_written(f);
}

struct sized {
    uint64_t size;
    struct batch_task *task;
};

static int compare_sized(const void *a, const void *b)
{
    const struct sized *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->task < y->task ? -1 : x->task > y->task;
}

/* The chunk with the fewest bytes. */
static uint32_t lightest(const uint64_t *loads, uint32_t chunks)
{
    uint32_t best = 0;
    for (uint32_t i = 1; i < chunks; i++)
        if (loads[i] < loads[best])
            best = i;
    return best;
}

static bool write_lists(const struct cluster *c, const struct sized *sized,
                        const uint32_t *chunk_of, size_t count)
{
    bool written = true;
    for (uint32_t chunk = 0; chunk < c->chunks && written; chunk++) {
        char name[32];
        snprintf(name, sizeof name, "%u.list", chunk);
        char *path = path_in(c, name);
        FILE *f = fopen(path, "we");
        free(path);
        for (size_t i = 0; f && i < count; i++)
            if (chunk_of[i] == chunk)
                fprintf(f, "%s\n", sized[i].task->path);
        written = f && close_written(f);
    }
    return written;
}

/* The tasks that wait, largest first, each to the chunk that has least. */
static bool split(struct cluster *c)
{
    VEC(struct sized) sized = {0};
    for (size_t i = 0; i < c->tasks->v.count; i++) {
        struct batch_task *t = &c->tasks->v.items[i];
        struct stat st;
        if (t->state == TASK_WAITING && stat(t->path, &st) == 0)
            *vec_push(&sized) = (struct sized){(uint64_t)st.st_size, t};
    }
    uint32_t jobs = c->settings->jobs ? c->settings->jobs : 16;
    uint64_t wanted = (uint64_t)jobs * CHUNKS_A_JOB;
    wanted = wanted > CHUNKS_MAX ? CHUNKS_MAX : wanted;
    c->chunks = (uint32_t)(sized.count < wanted ? sized.count : wanted);
    if (sized.count == 0)
        return true;
    qsort(sized.items, sized.count, sizeof *sized.items, compare_sized);
    uint64_t *loads = alloc_array(c->chunks, sizeof *loads);
    uint32_t *chunk_of = alloc_array(sized.count, sizeof *chunk_of);
    for (size_t i = 0; i < sized.count; i++) {
        chunk_of[i] = lightest(loads, c->chunks);
        loads[chunk_of[i]] += sized.items[i].size + 4096; /* opening one costs, too */
    }
    bool written = write_lists(c, sized.items, chunk_of, sized.count);
    free(loads);
    free(chunk_of);
    vec_release(&sized);
    return written;
}

static bool submit(struct cluster *c)
{
    char array[48];
    snprintf(array, sizeof array, "--array=0-%u%%%u", c->chunks - 1,
             c->settings->jobs ? c->settings->jobs : 16);
    char *log = path_in(c, "%a.log"), *script = path_in(c, "job.sh");
    size_t n = strlen(log) + 16;
    char *output = alloc_bytes(n);
    snprintf(output, n, "--output=%s", log);
    const char *arguments[] = {"sbatch", "--parsable",         "--requeue", "--job-name=tptui",
                               array,    "--open-mode=append", output,      script,
                               NULL};
    char *number = output_of(arguments);
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

static void count_results(struct cluster *c, uint32_t *ended)
{
    *ended = 0;
    for (size_t i = 0; i < c->tasks->v.count; i++) {
        struct batch_task *t = &c->tasks->v.items[i];
        *ended += t->state != TASK_WAITING ||
                  (batch_kept_name(t, c->settings) &&
                   (access(t->kept, F_OK) == 0 || access(t->kept_error, F_OK) == 0));
    }
}

static void tell(struct cluster *c)
{
    uint32_t ended;
    if (!isatty(STDERR_FILENO))
        return;
    count_results(c, &ended);
    char *job = text_escape(str_from(c->job));
    dprintf(STDERR_FILENO, "\r\033[K%u of %zu traces, job %s", ended, c->tasks->v.count, job);
    free(job);
}

static void cancel_job(const struct cluster *c)
{
    const char *arguments[] = {"scancel", c->job, NULL};
    free(output_of(arguments));
}

/* Until the job is over. Slurm's controller may be away for a while. */
static bool wait_for_job(struct cluster *c)
{
    int silent = 0;
    bool known;
    while (!batch_interrupted() && silent < SILENT_MAX) {
        if (!job_goes_on(c, &known) && known)
            return true;
        silent = known ? 0 : silent + 1;
        tell(c);
        nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
    }
    cancel_job(c);
    return false;
}

/* What the nodes have left: rows, an error, or nothing. */
static uint32_t take_results(struct cluster *c)
{
    uint32_t lost = 0;
    for (size_t i = 0; i < c->tasks->v.count; i++) {
        struct batch_task *t = &c->tasks->v.items[i];
        if (t->state != TASK_WAITING || (batch_kept_name(t, c->settings) && batch_kept_take(t)))
            continue;
        t->error = batch_kept_error(t);
        if (t->error)
            t->state = TASK_FAILED;
        else
            lost++;
    }
    return lost;
}

static void fail_waiting(struct cluster *c, const char *why)
{
    for (size_t i = 0; i < c->tasks->v.count; i++) {
        struct batch_task *t = &c->tasks->v.items[i];
        if (t->state != TASK_WAITING)
            continue;
        t->state = TASK_FAILED;
        t->error = alloc_copy(why, strlen(why));
    }
}

/* One array job with what waits; false ends the rounds. */
static bool run_round(struct cluster *c)
{
    if (!split(c) || !write_job(c)) {
        fail_waiting(c, "the folder of the run cannot be written");
        return false;
    }
    if (c->chunks == 0)
        return false;
    if (!submit(c)) {
        fail_waiting(c, "sbatch did not take the job");
        return false;
    }
    bool over = wait_for_job(c);
    uint32_t lost = take_results(c);
    if (!over && !batch_interrupted())
        fail_waiting(c, "Slurm does not answer");
    return over && lost > 0 && ++c->round < ROUNDS;
}

static void name_tasks(struct cluster *c)
{
    for (size_t i = 0; i < c->tasks->v.count; i++) {
        struct batch_task *t = &c->tasks->v.items[i];
        struct stat st;
        if (stat(t->path, &st) != 0 || !S_ISREG(st.st_mode)) {
            t->state = TASK_FAILED;
            t->error = alloc_copy("there is no such file", strlen("there is no such file"));
        } else if (batch_kept_name(t, c->settings) && !batch_kept_take(t)) {
            batch_kept_forget(t); /* it may do better now */
        }
    }
}

static bool prepare(struct cluster *c)
{
    size_t n = strlen(c->settings->resume) + 16;
    c->folder = alloc_bytes(n);
    snprintf(c->folder, n, "%s/run.XXXXXX", c->settings->resume);
    ssize_t size = readlink("/proc/self/exe", c->program, sizeof c->program - 1);
    bool written = size > 0 && mkdtemp(c->folder);
    for (size_t i = 0; i < c->settings->scripts.count && written; i++)
        written = write_script(c, i);
    for (size_t i = 0; i < c->settings->summaries.count && written; i++)
        written = write_summary(c, i);
    return written;
}

static bool add_all(struct cluster *c, const struct batch_output *output)
{
    for (size_t i = 0; i < c->tasks->v.count; i++) {
        struct batch_task *t = &c->tasks->v.items[i];
        struct status error = status_ok_value();
        if (t->state != TASK_DONE)
            continue;
        bool takes = output->add(output->self, t, &error);
        if (!status_ok(error)) {
            t->state = TASK_FAILED;
            t->error = alloc_copy(error.message, strlen(error.message));
        }
        status_release(&error);
        if (!takes)
            return false;
    }
    return true;
}

static bool run_on_slurm(struct batch_tasks *tasks, const struct batch_settings *b,
                         batch_query_fn *query, const struct batch_output *output)
{
    struct cluster c = {.tasks = tasks, .settings = b};
    (void)query; /* other processes run it */
    name_tasks(&c);
    if (!prepare(&c))
        fail_waiting(&c, "the folder of the run cannot be written");
    else
        while (run_round(&c))
            c.job[0] = '\0';
    if (!batch_interrupted())
        fail_waiting(&c,
                     "its job ended without a result, several times: see the logs in the folder");
    if (isatty(STDERR_FILENO))
        fputc('\n', standard_errors());
    free(c.folder);
    return add_all(&c, output);
}

const struct batch_engine slurm_engine = {.name = "slurm",
                                          .needs_folder = true,
                                          .run = run_on_slurm};
