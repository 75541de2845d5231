/* The tools that a server has. */
#ifndef TPTUI_MCP_TOOLS_H
#define TPTUI_MCP_TOOLS_H

#include <stdio.h>

#include "mcp/traces.h"

enum mcp_param_type { MCP_TEXT, MCP_NUMBER, MCP_TEXTS };

struct mcp_param {
    const char *name; /* NULL ends a tool's */
    enum mcp_param_type type;
    bool required;
    const char *help;
};

struct mcp_call {
    struct mcp_traces *traces;
    struct str arguments; /* an object as written; empty: none */
    bool stateless;       /* what was called before does not matter */
    FILE *out;            /* the answer, as text */
};

enum { MCP_PARAMS_MAX = 8 };

struct mcp_tool {
    const char *name, *description;
    struct mcp_param params[MCP_PARAMS_MAX];
    /* What failed is for the client's model to read. */
    struct status (*run)(struct mcp_call *c);
};

/* NULL: there is none. */
const struct mcp_tool *mcp_tool_find(const char *name);
/* Whether arguments are those of the tool; a usage error says which is not. */
struct status mcp_tool_check(const struct mcp_tool *tool, struct str arguments);
/* The array of all tools, as tools/list has it. */
void mcp_tools_print(FILE *f);

/* What the tools share. */
/* The trace of the argument "trace", or the one used last; of a stateless call, the one that the
 * server was begun with. */
struct status mcp_call_trace(struct mcp_call *c, struct mcp_trace **trace);
/* A number of the arguments, cut to bounds; `usual` where it is not given. */
int64_t mcp_call_number(const struct mcp_call *c, const char *name, int64_t usual, int64_t least,
                        int64_t most);
/* Marks which session runs, so that it can be stopped; NULL: none does any more. */
void mcp_call_running(struct mcp_call *c, struct sql_session *session);

/* MCP_TOOL_LIST: each is the const struct mcp_tool NAME_tool. */
#define MCP_TOOL_LIST(X)                                                                           \
    X(open)                                                                                        \
    X(explain)                                                                                     \
    X(query)                                                                                       \
    X(schema)                                                                                      \
    X(timeline)                                                                                    \
    X(compare)                                                                                     \
    X(metrics)
#define DECLARE_TOOL(NAME) extern const struct mcp_tool NAME##_tool;
MCP_TOOL_LIST(DECLARE_TOOL)
#undef DECLARE_TOOL

#endif
