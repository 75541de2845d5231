/* Requests of JSON-RPC 2.0, a line each, and what can be read of their members. Nesting costs no
 * stack. */
#ifndef TPTUI_MCP_REQUEST_H
#define TPTUI_MCP_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum mcp_error {
    MCP_OK = 0,
    MCP_NO_JSON = -32700,
    MCP_NO_REQUEST = -32600,
    MCP_NO_METHOD = -32601,
    MCP_WRONG_PARAMS = -32602,
    MCP_TOO_MUCH = -32000,    /* this server's own: too many requests wait */
    MCP_NO_RESOURCE = -32002, /* of revisions that begin with initialize */
    MCP_NO_REVISION = -32022,
};

struct mcp_request {
    char *line;        /* owned */
    struct str id;     /* as written, of the line; empty: a notification, or a response */
    char *method;      /* owned; NULL: a response */
    struct str params; /* an object as written; empty: none */
    bool stateless;    /* says of itself what initialize said before; set by the server */
};

/* Takes a line over. On an error, id is what could be read of it. */
enum mcp_error mcp_request_read(struct mcp_request *r, char *line);
void mcp_request_release(struct mcp_request *r);

/* Whether a value as written is a text, or an array of texts. One with a NUL is none. */
bool mcp_is_text(struct str raw);
bool mcp_is_texts(struct str raw);

/* Members of an object as written. Texts are for free(), NULL where there is none of that name and
 * type. */
char *mcp_text_member(struct str object, const char *name);
bool mcp_int_member(struct str object, const char *name, int64_t *out);
/* An object, an array, or a value as written; empty: none. */
struct str mcp_raw_member(struct str object, const char *name);
/* The next text of an array as written, for free(); `*at` is where it begins to look, 0 first.
 * NULL: no more, or something else. */
char *mcp_next_text(struct str array, size_t *at);

#endif
