#include "mcp/tools.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "mcp/request.h"
#include "parsers/input/json_scan.h"
#include "base/json_escape.h"
#include "sql/session.h"

#define TOOL_ADDRESS(NAME) &NAME##_tool,
static const struct mcp_tool *const tools[] = {MCP_TOOL_LIST(TOOL_ADDRESS)};
enum { TOOLS = sizeof tools / sizeof *tools };

const struct mcp_tool *mcp_tool_find(const char *name)
{
    for (int i = 0; i < TOOLS; i++)
        if (strcmp(tools[i]->name, name) == 0)
            return tools[i];
    return NULL;
}

static void print_params(const struct mcp_tool *tool, FILE *f)
{
    static const char *const types[] = {
        [MCP_TEXT] = "{\"type\": \"string\"",
        [MCP_NUMBER] = "{\"type\": \"integer\"",
        [MCP_TEXTS] = "{\"type\": \"array\", \"items\": {\"type\": \"string\"}",
    };
    const char *comma = "";
    fputs("{\"type\": \"object\", \"properties\": {", f);
    for (const struct mcp_param *p = tool->params; p->name; p++) {
        fprintf(f, "%s\"%s\": %s, \"description\": ", p == tool->params ? "" : ", ", p->name,
                types[p->type]);
        json_put_text(f, str_from(p->help));
        fputc('}', f);
    }
    fputs("}, \"required\": [", f);
    for (const struct mcp_param *p = tool->params; p->name; p++) {
        if (!p->required)
            continue;
        fprintf(f, "%s\"%s\"", comma, p->name);
        comma = ", ";
    }
    fputs("], \"additionalProperties\": false}", f);
}

void mcp_tools_print(FILE *f)
{
    fputc('[', f);
    for (int i = 0; i < TOOLS; i++) {
        fprintf(f, "%s{\"name\": \"%s\", \"description\": ", i ? ", " : "", tools[i]->name);
        json_put_text(f, str_from(tools[i]->description));
        fputs(", \"inputSchema\": ", f);
        print_params(tools[i], f);
        fputs(", \"annotations\": {\"readOnlyHint\": true, \"openWorldHint\": false}}", f);
    }
    fputc(']', f);
}

static bool has_type(const struct mcp_param *p, struct str raw)
{
    int64_t number;
    switch (p->type) {
    case MCP_TEXT:
        return mcp_is_text(raw);
    case MCP_NUMBER:
        return str_to_i64(raw, &number);
    case MCP_TEXTS:
        return mcp_is_texts(raw);
    }
    return false;
}

struct status mcp_tool_check(const struct mcp_tool *tool, struct str arguments)
{
    static const char *const types[] = {
        [MCP_TEXT] = "a text", [MCP_NUMBER] = "a whole number", [MCP_TEXTS] = "a list of texts"};
    struct json_scan j = json_scan_from(arguments);
    struct json_value v;
    struct str key;
    bool closed;
    struct status status = status_ok_value();
    for (bool first = json_take(&j, '{');
         status_ok(status) && json_next_key(&j, first, &key, &closed); first = false) {
        bool known = false;
        for (const struct mcp_param *p = tool->params; p->name; p++)
            known = known || str_eq(key, str_from(p->name));
        if (!known)
            status = status_error(STATUS_USAGE, "%s has no argument %.*s", tool->name,
                                  (int)(key.n < 64 ? key.n : 64), key.p);
        else if (!json_read_value(&j, &v))
            break;
    }
    json_scan_release(&j);
    for (const struct mcp_param *p = tool->params; p->name && status_ok(status); p++) {
        struct str raw = mcp_raw_member(arguments, p->name);
        if (raw.n == 0 && p->required)
            status = status_error(STATUS_USAGE, "%s wants %s: %s", tool->name, p->name, p->help);
        else if (raw.n > 0 && !has_type(p, raw))
            status =
                status_error(STATUS_USAGE, "%s of %s is %s", p->name, tool->name, types[p->type]);
    }
    return status;
}

struct status mcp_call_trace(struct mcp_call *c, struct mcp_trace **trace)
{
    char *path = mcp_text_member(c->arguments, "trace");
    bool named = path || !c->stateless || c->traces->usual;
    struct status s =
        named ? mcp_traces_use(c->traces, path || !c->stateless ? path : c->traces->usual, trace)
              : status_error(STATUS_USAGE, "which trace? Name one as \"trace\"");
    free(path);
    return s;
}

int64_t mcp_call_number(const struct mcp_call *c, const char *name, int64_t usual, int64_t least,
                        int64_t most)
{
    int64_t n = usual;
    mcp_int_member(c->arguments, name, &n);
    return n < least ? least : n > most ? most : n;
}

void mcp_call_running(struct mcp_call *c, struct sql_session *session)
{
    struct mcp_work *w = &c->traces->work;
    pthread_mutex_lock(&w->lock);
    w->session = session;
    if (session && !w->cancelled)
        sql_session_resume(session);
    if (session && w->cancelled)
        sql_session_interrupt(session);
    pthread_mutex_unlock(&w->lock);
}
