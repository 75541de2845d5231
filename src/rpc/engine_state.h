/* What rpc_engine is made of, for the methods. */
#ifndef TPTUI_RPC_ENGINE_STATE_H
#define TPTUI_RPC_ENGINE_STATE_H

#include <pthread.h>

#include "parsers/input/progress.h"
#include "rpc/engine.h"
#include "rpc/memory.h"

struct metatrace;

/* A module that a client has registered. */
struct registered_module {
    char *name; /* owned */
    struct rpc_bytes sql;
};

/* What a summarizer's query was when it was asked last, and the table that was made then. */
struct rpc_summary_table {
    char *query;          /* its id; owned */
    struct rpc_bytes sql; /* with that of those that it refers to, and what runs before; empty where
                           * there is no table */
    uint64_t number;
};

/* A spec that a client keeps. */
struct rpc_summarizer {
    char *id;              /* owned */
    struct rpc_bytes spec; /* a TraceSummarySpec */
    VEC(struct rpc_summary_table) tables;
};

struct rpc_engine {
    struct rpc_settings settings;
    struct rpc_memory memory;
    struct trace *trace;
    struct sql_session *session;
    bool owns_trace;
    char *trace_name; /* owned; NULL: nothing is loaded */
    VEC(struct registered_module) modules;
    VEC(struct rpc_summarizer) summarizers;
    uint64_t tables_made; /* for summarizers, so far: numbers the names */

    int upload;        /* a file without a name, of what was appended; -1: none */
    uint64_t uploaded; /* bytes */
    uint64_t reported; /* of them, to the user */
    struct load_progress progress;
    char *load_error; /* owned; why what was appended last is not there; NULL: it is */

    /* Held to replace `session`, to interrupt it from another thread, and for what follows. */
    pthread_mutex_t lock;
    bool cancelled;
    bool metatrace;          /* queries are to be recorded */
    uint64_t metatrace_from; /* the first of the session's log */
};

/* An answer being given. */
struct rpc_reply {
    const struct rpc_output *out;
    const struct rpc_method *method;
    int64_t *seq; /* of the next message; NULL: without envelope */
    bool failed;  /* nobody reads */
};

/* Sends a message of the method's result; false where nobody reads it. */
bool rpc_reply_send(struct rpc_reply *r, const struct pb_bytes *result);
/* Sends a result of which only the field `error` is set. */
void rpc_reply_error(struct rpc_reply *r, const char *message);

struct rpc_method {
    uint32_t number; /* TraceProcessorMethod */
    /* Fields of TraceProcessorRpc with its arguments and its result, and the field of the result
     * that says what went wrong; 0: it has none. */
    uint32_t args, result, error;
    void (*run)(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
    bool optional_args; /* a request without arguments is answered, too */
};

/* Ended by one whose `number` is 0. */
extern const struct rpc_method rpc_methods[];

/* Fails where the trace that a client sent could not be loaded. Some clients do not read what the
 * end of the upload answers: they learn it from what they ask next. */
struct status rpc_engine_trace_status(const struct rpc_engine *e);

/* A new session over the same trace, or over a new one (which is taken over). */
struct status rpc_engine_renew(struct rpc_engine *e, struct trace *trace);

#endif
