/* What the methods of TraceProcessorRpc do; rpc/methods.c lists them. Each takes its encoded
 * arguments and gives its result in one message or more. */
#ifndef TPTUI_RPC_METHODS_H
#define TPTUI_RPC_METHODS_H

#include "rpc/engine_state.h"

/* rpc/upload.c: traces that come in pieces. */
void method_append(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void method_finalize(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void method_reset(struct rpc_engine *e, struct str args, struct rpc_reply *reply);

/* rpc/queries.c */
void method_query(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void method_statement(struct rpc_engine *e, struct str args, struct rpc_reply *reply);

/* rpc/metrics.c */
void method_compute_metric(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void method_metric_descriptors(struct rpc_engine *e, struct str args, struct rpc_reply *reply);

/* rpc/summaries.c */
void method_summarize(struct rpc_engine *e, struct str args, struct rpc_reply *reply);

/* rpc/summarizers.c */
void method_create_summarizer(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void method_update_summarizer(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void method_query_summarizer(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void method_destroy_summarizer(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void summarizers_release(struct rpc_engine *e);

/* rpc/export.c */
void method_export(struct rpc_engine *e, struct str args, struct rpc_reply *reply);

/* rpc/metatrace.c */
void method_enable_metatrace(struct rpc_engine *e, struct str args, struct rpc_reply *reply);
void method_read_metatrace(struct rpc_engine *e, struct str args, struct rpc_reply *reply);

#endif
