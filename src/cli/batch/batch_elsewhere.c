#include "cli/batch/batch_elsewhere.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "cli/shell_words.h"

enum { NAME_BYTES = 48 };

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

char *elsewhere_path(const struct batch_elsewhere *e, const char *name)
{
    size_t n = strlen(e->folder) + strlen(name) + 2;
    char *path = alloc_bytes(n);
    snprintf(path, n, "%s/%s", e->folder, name);
    return path;
}

FILE *elsewhere_create(const struct batch_elsewhere *e, const char *name)
{
    char *path = elsewhere_path(e, name);
    FILE *f = fopen(path, "we");
    free(path);
    return f;
}

bool elsewhere_close(FILE *f)
{
    bool failed = ferror(f);
    return fclose(f) == 0 && !failed;
}

static bool make_folder(const struct batch_elsewhere *e, const char *name)
{
    char *path = elsewhere_path(e, name);
    bool made = mkdir(path, 0700) == 0;
    free(path);
    return made;
}

static bool write_text(const struct batch_elsewhere *e, const char *name,
                       const struct text_file *text)
{
    FILE *f = elsewhere_create(e, name);
    if (f && text->size)
        fwrite(text->text, 1, text->size, f);
    return f && elsewhere_close(f);
}

/* A folder of its own for each, as its name says what it is: a spec as text or binary. For
 * free(). */
static char *spec_name(const struct batch_elsewhere *e, size_t i)
{
    const char *name = last_part(e->settings->summaries.items[i].name);
    size_t size = strlen(name) + NAME_BYTES;
    char *own = alloc_bytes(size);
    snprintf(own, size, "spec%zu/%s", i, name);
    return own;
}

static bool write_spec(const struct batch_elsewhere *e, size_t i)
{
    char folder[NAME_BYTES], *name = spec_name(e, i);
    snprintf(folder, sizeof folder, "spec%zu", i);
    bool written = make_folder(e, folder) && write_text(e, name, &e->settings->summaries.items[i]);
    free(name);
    return written;
}

bool elsewhere_begin(struct batch_elsewhere *e, const char *in)
{
    size_t n = strlen(in) + sizeof "/run.XXXXXX";
    e->folder = alloc_bytes(n);
    snprintf(e->folder, n, "%s/run.XXXXXX", in);
    ssize_t size = readlink("/proc/self/exe", e->program, sizeof e->program - 1);
    bool written = size > 0 && mkdtemp(e->folder);
    for (size_t i = 0; i < e->settings->scripts.count && written; i++) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%zu.sql", i);
        written = write_text(e, name, &e->settings->scripts.items[i]);
    }
    for (size_t i = 0; i < e->settings->summaries.count && written; i++)
        written = write_spec(e, i);
    return written;
}

void elsewhere_put_option(FILE *f, const char *option, const char *value)
{
    fprintf(f, " %s ", option);
    shell_quote(f, value);
}

/* A file of the folder as the value of an option. */
static void put_own(const struct batch_elsewhere *e, FILE *f, const char *option, const char *name)
{
    char *path = elsewhere_path(e, name);
    elsewhere_put_option(f, option, e->sent ? path + e->sent : path);
    free(path);
}

/* Links what the option names into the folder, under its own name, and names that: a path, or
 * DIR@NAME. */
static void put_linked(const struct batch_elsewhere *e, FILE *f, const char *option,
                       const struct batch_given *g, size_t i)
{
    char folder[NAME_BYTES];
    const char *at = strstr(g->option->value, "@NAME") ? strrchr(g->value, '@') : NULL;
    char *path = alloc_copy(g->value, at ? (size_t)(at - g->value) : strlen(g->value));
    char *real = realpath(path, NULL);
    const char *name = last_part(real ? real : path);
    size_t size = sizeof folder + strlen(name) + strlen(g->value) + 2;
    char *own = alloc_bytes(size);
    snprintf(folder, sizeof folder, "given%zu", i);
    snprintf(own, size, "%s/%s", folder, name);
    char *link = elsewhere_path(e, own);
    if (real && make_folder(e, folder) && symlink(real, link) != 0)
        unlink(link);
    snprintf(own, size, "%s/%s%s", folder, name, at ? at : "");
    put_own(e, f, option, own);
    free(link);
    free(own);
    free(real);
    free(path);
}

/* A process is asked as this one was, but for texts, which stand in the run's folder. */
static void put_options(const struct batch_elsewhere *e, FILE *f)
{
    char option[64];
    for (size_t i = 0; i < e->settings->given.count; i++) {
        const struct batch_given *g = &e->settings->given.items[i];
        enum option_rows rows = g->option->rows;
        if (rows == OPTION_ROWS_SAME || rows == OPTION_ROWS_TEXT)
            continue;
        snprintf(option, sizeof option, "--%s", g->option->name);
        if (e->sent && strcmp(g->option->name, "messages") == 0)
            elsewhere_put_option(f, option, "."); /* files are made of rows, here */
        else if (g->value && rows == OPTION_ROWS_FILES && e->sent)
            put_linked(e, f, option, g, i);
        else if (g->value)
            elsewhere_put_option(f, option, g->value);
        else
            fprintf(f, " %s", option);
    }
}

void elsewhere_put_asked(const struct batch_elsewhere *e, FILE *f)
{
    for (size_t i = 0; i < e->settings->scripts.count; i++) {
        char name[NAME_BYTES];
        snprintf(name, sizeof name, "%zu.sql", i);
        put_own(e, f, "-f", name);
    }
    for (size_t i = 0; i < e->settings->summaries.count; i++) {
        char *name = spec_name(e, i);
        put_own(e, f, "--summary", name);
        free(name);
    }
    put_options(e, f);
}

uint64_t elsewhere_size(const struct batch_task *t)
{
    struct stat st;
    return stat(t->path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

struct sized {
    uint64_t size;
    struct batch_task *task;
};

/* Much larger than others. */
static bool is_long(const struct sized *s, uint64_t mean)
{
    enum { TIMES = 4 };
    return s->size / TIMES > mean;
}

struct batch_task **elsewhere_waiting(const struct batch_elsewhere *e, size_t *count)
{
    VEC(struct sized) sized = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < e->tasks->v.count; i++) {
        struct batch_task *t = &e->tasks->v.items[i];
        if (t->state != TASK_WAITING)
            continue;
        struct sized s = {elsewhere_size(t), t};
        *vec_push(&sized) = s;
        sum += s.size;
    }
    uint64_t mean = sized.count > 0 ? sum / sized.count : 0;
    struct batch_task **waiting = alloc_array(sized.count + 1, sizeof(struct batch_task *));
    *count = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < sized.count; i++)
            if (is_long(&sized.items[i], mean) == (pass == 0))
                waiting[(*count)++] = sized.items[i].task;
    vec_release(&sized);
    return waiting;
}

void elsewhere_fail(struct batch_task *t, const char *why)
{
    t->state = TASK_FAILED;
    t->error = alloc_copy(why, strlen(why));
}

void elsewhere_fail_waiting(const struct batch_elsewhere *e, const char *why)
{
    for (size_t i = 0; i < e->tasks->v.count; i++)
        if (e->tasks->v.items[i].state == TASK_WAITING)
            elsewhere_fail(&e->tasks->v.items[i], why);
}

bool elsewhere_is_kept(const struct batch_elsewhere *e, struct batch_task *t)
{
    if (!batch_kept_name(t, e->settings) || !batch_kept_take(t))
        return false;
    fclose(t->rows);
    t->rows = NULL;
    return true;
}

static void add(struct batch_elsewhere *e, struct batch_task *t)
{
    struct status error = status_ok_value();
    if (!t->rows && !batch_kept_take(t)) {
        elsewhere_fail(t, "its rows are gone");
        return;
    }
    e->is_full = !e->output->add(e->output->self, t, &error);
    if (!status_ok(error))
        elsewhere_fail(t, error.message);
    status_release(&error);
    fclose(t->rows);
    t->rows = NULL;
}

static void add_tasks(struct batch_elsewhere *e, elsewhere_take_fn *take, bool rest)
{
    for (; e->added < e->tasks->v.count && !e->is_full; e->added++) {
        struct batch_task *t = &e->tasks->v.items[e->added];
        if (t->state == TASK_WAITING && take)
            take(e, t);
        if (t->state == TASK_WAITING && !rest)
            return;
        if (t->state == TASK_DONE)
            add(e, t);
    }
}

void elsewhere_add_ended(struct batch_elsewhere *e, elsewhere_take_fn *take)
{
    add_tasks(e, take, false);
}

bool elsewhere_add_rest(struct batch_elsewhere *e, elsewhere_take_fn *take)
{
    add_tasks(e, take, true);
    return !e->is_full;
}
