#include "mcp/traces.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "sql/session.h"

void mcp_traces_init(struct mcp_traces *t)
{
    *t = (struct mcp_traces){0};
    pthread_mutex_init(&t->work.lock, NULL);
}

static void free_trace(struct mcp_trace *m)
{
    static const atomic_bool at_once = true;
    struct status s = cache_writer_end(m->writer, &at_once);
    status_release(&s);
    if (m->session)
        sql_session_free(m->session);
    trace_release(&m->trace);
    free(m->path);
    free(m);
}

void mcp_traces_release(struct mcp_traces *t)
{
    for (size_t i = 0; i < t->open.count; i++)
        free_trace(t->open.items[i]);
    for (size_t i = 0; i < t->roots.count; i++)
        free(t->roots.items[i]);
    vec_release(&t->open);
    vec_release(&t->roots);
    free(t->usual);
    pthread_mutex_destroy(&t->work.lock);
}

/* ---- work ---- */

void mcp_work_begin(struct mcp_work *w)
{
    pthread_mutex_lock(&w->lock);
    w->cancelled = false;
    atomic_store(&w->progress.cancel, false);
    atomic_store(&w->progress.total, 0);
    pthread_mutex_unlock(&w->lock);
}

void mcp_work_cancel(struct mcp_work *w)
{
    pthread_mutex_lock(&w->lock);
    w->cancelled = true;
    atomic_store(&w->progress.cancel, true);
    if (w->session)
        sql_session_interrupt(w->session);
    if (w->child > 0)
        kill(w->child, SIGKILL);
    pthread_mutex_unlock(&w->lock);
}

bool mcp_work_is_cancelled(struct mcp_work *w)
{
    pthread_mutex_lock(&w->lock);
    bool cancelled = w->cancelled;
    pthread_mutex_unlock(&w->lock);
    return cancelled;
}

/* ---- paths ---- */

struct status mcp_traces_add_root(struct mcp_traces *t, const char *folder)
{
    char *root = realpath(folder, NULL);
    if (!root)
        return status_error(STATUS_USAGE, "%s: %s", folder, strerror(errno));
    *vec_push(&t->roots) = root;
    return status_ok_value();
}

static bool is_below(const char *path, const char *root)
{
    size_t n = strlen(root);
    if (n == 1)
        return true; /* "/" */
    return strncmp(path, root, n) == 0 && (path[n] == '/' || path[n] == '\0');
}

/* Opening a pipe waits for somebody who writes, and a device may do anything. */
static bool is_file_or_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode));
}

struct status mcp_traces_resolve(const struct mcp_traces *t, const char *path, char **resolved)
{
    char *found = realpath(path, NULL);
    bool opens = found && is_file_or_folder(found);
    for (size_t i = 0; opens && i < t->roots.count; i++)
        if (is_below(found, t->roots.items[i])) {
            *resolved = found;
            return status_ok_value();
        }
    /* What is outside is not told from what is not there, nor from what is not opened. */
    free(found);
    return status_error(STATUS_USAGE,
                        "%s: no such file below the folders that this server was given (--root)",
                        path);
}

/* ---- traces ---- */

static void close_oldest(struct mcp_traces *t)
{
    size_t oldest = 0;
    for (size_t i = 1; i < t->open.count; i++)
        if (t->open.items[i]->used < t->open.items[oldest]->used)
            oldest = i;
    free_trace(t->open.items[oldest]);
    t->open.items[oldest] = vec_last(&t->open);
    t->open.count--;
}

static struct status load(struct mcp_traces *t, char *path, struct mcp_trace **loaded)
{
    struct cache_outcome outcome;
    struct mcp_trace *m = alloc_array(1, sizeof *m);
    m->path = path;
    trace_init(&m->trace);
    struct status s = trace_open(&m->trace, path, NULL, &t->cache, &t->work.progress, &outcome);
    free(outcome.note);
    free(outcome.beside);
    m->writer = outcome.writer;
    if (status_ok(s))
        m->session = sql_session_new(&m->trace, &s);
    if (!status_ok(s)) {
        free_trace(m);
        return s;
    }
    while (t->open.count >= MCP_TRACES_MAX)
        close_oldest(t);
    *vec_push(&t->open) = m;
    *loaded = m;
    return s;
}

static struct mcp_trace *find(const struct mcp_traces *t, const char *path)
{
    struct mcp_trace *last = NULL;
    for (size_t i = 0; i < t->open.count; i++) {
        struct mcp_trace *m = t->open.items[i];
        if (path ? strcmp(m->path, path) == 0 : !last || m->used > last->used)
            last = m;
    }
    return last;
}

struct status mcp_traces_use(struct mcp_traces *t, const char *path, struct mcp_trace **trace)
{
    char *resolved = NULL;
    struct status s = path ? mcp_traces_resolve(t, path, &resolved) : status_ok_value();
    if (!status_ok(s))
        return s;
    *trace = find(t, resolved);
    if (!*trace && !path)
        return status_error(STATUS_USAGE, "no trace is open: name one as \"trace\", or open it");
    if (*trace)
        free(resolved);
    else
        s = load(t, resolved, trace);
    if (status_ok(s))
        (*trace)->used = ++t->uses;
    return s;
}

struct status mcp_trace_renew(struct mcp_trace *m)
{
    struct status s;
    struct sql_session *session = sql_session_new(&m->trace, &s);
    if (!status_ok(s)) {
        if (session)
            sql_session_free(session);
        return s;
    }
    sql_session_free(m->session);
    m->session = session;
    return s;
}
