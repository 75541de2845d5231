/* A server of the Model Context Protocol: JSON-RPC 2.0, a message a line, on two descriptors. One
 * thread reads and answers what is short; another runs the calls of tools, one after the other. */
#ifndef TPTUI_MCP_SERVER_H
#define TPTUI_MCP_SERVER_H

#include "mcp/traces.h"

/* Serves until `in` ends and what was asked is answered, or nobody reads `out` any more. The traces
 * stay the caller's. `version` is the program's. */
struct status mcp_server_run(struct mcp_traces *traces, const char *version, int in, int out);

#endif
