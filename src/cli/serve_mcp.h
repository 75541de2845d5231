/* tptui serve mcp [TRACE...]: tools for programs that speak the Model Context Protocol. */
#ifndef TPTUI_CLI_SERVE_MCP_H
#define TPTUI_CLI_SERVE_MCP_H

#include "base/vec.h"
#include "parsers/cache.h"

struct serve_mcp_settings {
    VEC(const char *) traces; /* which are opened at once */
    VEC(const char *) roots;  /* none: the working folder and those of the traces */
};

/* Serves on standard input and output. Returns an exit status; what failed has been said. */
int serve_mcp(const struct serve_mcp_settings *settings, const struct cache_options *cache);

#endif
