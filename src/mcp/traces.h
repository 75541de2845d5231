/* The traces that a server has open: a few at a time, those not used for longest go first. */
#ifndef TPTUI_MCP_TRACES_H
#define TPTUI_MCP_TRACES_H

#include <pthread.h>
#include <sys/types.h>

#include "base/vec.h"
#include "core/trace/trace.h"
#include "parsers/cache.h"
#include "parsers/input/progress.h"

struct sql_session;

enum { MCP_TRACES_MAX = 4 };

struct mcp_trace {
    char *path; /* owned, without links */
    struct trace trace;
    struct sql_session *session;
    struct cache_writer *writer;
    uint64_t used; /* when it was used last, as a count of uses */
};

/* What one thread does and another may stop. */
struct mcp_work {
    pthread_mutex_t lock;
    bool cancelled;
    struct sql_session *session; /* that runs SQL; NULL: none */
    pid_t child;                 /* that is waited for; 0: none */
    struct load_progress progress;
};

void mcp_work_begin(struct mcp_work *w);
/* From any thread. */
void mcp_work_cancel(struct mcp_work *w);
bool mcp_work_is_cancelled(struct mcp_work *w);

struct mcp_traces {
    VEC(char *) roots; /* owned, without links: folders that paths must be below */
    VEC(struct mcp_trace *) open;
    char *usual; /* owned: the path of the trace that the server was begun with; NULL: none */
    struct cache_options cache;
    uint64_t uses;
    struct mcp_work work;
};

void mcp_traces_init(struct mcp_traces *t);
void mcp_traces_release(struct mcp_traces *t);

/* Fails where there is no such folder. */
struct status mcp_traces_add_root(struct mcp_traces *t, const char *folder);
/* A path without links, for free(), that must be a file's or folder's below a root. */
struct status mcp_traces_resolve(const struct mcp_traces *t, const char *path, char **resolved);
/* Opens a trace, or the one used last (NULL). It stays the list's, and lasts until the next call.
 */
struct status mcp_traces_use(struct mcp_traces *t, const char *path, struct mcp_trace **trace);
/* A session as when it was opened: without what SQL has defined, or taken away. */
struct status mcp_trace_renew(struct mcp_trace *m);

#endif
