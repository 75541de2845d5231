/* What a client of the RPC protocol talks to: a trace, a session over it, and the methods of
 * TraceProcessorRpc. One thread at a time; only cancelling is for any.
 *
 * What carries a request, a stream of numbered messages or a call of one method over HTTP, it does
 * not know. Rows leave in batches while the query runs. A trace that comes in pieces goes to a
 * file without a name and is loaded when the last piece was announced. */
#ifndef TPTUI_RPC_ENGINE_H
#define TPTUI_RPC_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "core/trace_builder.h"
#include "parsers/proto/write.h"

struct rpc_engine;
struct rpc_memory;
struct sql_session;
struct trace;

struct rpc_settings {
    const char *version;    /* of the program */
    const char *trace_name; /* NULL: no trace is there yet */
    /* What is done to each session that begins (packages, limits); NULL: nothing. */
    struct status (*prepare)(void *self, struct sql_session *s);
    void *self;
    struct import_options import; /* of traces that clients send, until they say otherwise */
    bool tells_progress;          /* of loading, on stderr */
};

/* Takes over a trace and a session on it, or begins with an empty trace where both are NULL. The
 * settings are copied; their texts must outlive the engine. */
struct rpc_engine *rpc_engine_new(const struct rpc_settings *settings, struct trace *trace,
                                  struct sql_session *session);
void rpc_engine_free(struct rpc_engine *e);

/* What clients have sent and not had answered yet: servers count it there. Lives as long as the
 * engine. */
struct rpc_memory *rpc_engine_memory(struct rpc_engine *e);

/* Where answers go. */
struct rpc_output {
    /* Takes bytes; false where nobody reads them any more: what runs shall stop. */
    bool (*write)(void *self, const void *p, size_t n);
    void *self;
};

/* A method called without the envelope of TraceProcessorRpc, by its number: that of queries with
 * QueryArgs gives the QueryResult's bytes. False: there is no such method. */
bool rpc_engine_call(struct rpc_engine *e, uint32_t method, struct str args,
                     const struct rpc_output *out);

/* Stops what runs, as nobody waits for it, and whatever is asked for until rpc_engine_resume. From
 * any thread. */
void rpc_engine_cancel(struct rpc_engine *e);
void rpc_engine_resume(struct rpc_engine *e);

/* A client's stream of messages, both ways. */
struct rpc_channel;
struct rpc_channel *rpc_channel_new(struct rpc_engine *e);
void rpc_channel_free(struct rpc_channel *c);
/* Bytes of messages that are not there whole yet; may be asked while another thread receives. */
size_t rpc_channel_held(const struct rpc_channel *c);
/* Bytes from the client, cut anywhere; answers those messages that are complete. False: the client
 * is to be disconnected, because of what it sent or as it reads no more. */
bool rpc_channel_receive(struct rpc_channel *c, struct str bytes, const struct rpc_output *out);

#endif
