/* The statements that a session ran, as a trace of slices: what Trace Processor calls a metatrace.
 */
#ifndef TPTUI_RPC_METATRACE_H
#define TPTUI_RPC_METATRACE_H

#include <stdint.h>

#include "parsers/proto/write.h"

struct sql_session;

/* How many statements the session has logged so far. */
uint64_t metatrace_position(const struct sql_session *s);
/* Appends an encoded Trace with those from number `from` on, as far as the log remembers them. */
void metatrace_write(const struct sql_session *s, uint64_t from, struct pb_bytes *out);

#endif
