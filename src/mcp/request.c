#include "mcp/request.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/input/json_scan.h"

/* Calls `member` for each member of an object; false where it is malformed, or anything follows. */
static bool each_member(struct str object,
                        void (*member)(void *self, struct str key, const struct json_value *v,
                                       struct str raw),
                        void *self)
{
    struct json_scan j = json_scan_from(object);
    bool good = json_take(&j, '{'), closed = false;
    struct str key;
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        struct json_value v;
        char name[64];
        bool fits = key.n < sizeof name;
        str_copy(key, name, sizeof name);
        json_skip_space(&j);
        const char *begin = j.p;
        good = json_read_value(&j, &v);
        if (good && fits)
            member(self, str_from(name), &v, (struct str){begin, (size_t)(j.p - begin)});
    }
    json_skip_space(&j);
    good = good && closed && j.p == j.end;
    json_scan_release(&j);
    return good;
}

struct reading_request {
    struct mcp_request *r;
    bool version, wrong;
};

static void take_member(void *self, struct str key, const struct json_value *v, struct str raw)
{
    struct reading_request *q = self;
    if (str_eq(key, STR("jsonrpc")))
        q->version = v->type == JSON_STRING && str_eq(v->text, STR("2.0"));
    if (str_eq(key, STR("id"))) {
        q->wrong |= v->type != JSON_STRING && v->type != JSON_NUMBER;
        q->r->id = v->type == JSON_STRING || v->type == JSON_NUMBER ? raw : STR("");
    }
    if (str_eq(key, STR("method"))) {
        q->wrong |= v->type != JSON_STRING || q->r->method;
        if (v->type == JSON_STRING && !q->r->method)
            q->r->method = alloc_copy(v->text.p, v->text.n);
    }
    if (str_eq(key, STR("params"))) {
        q->wrong |= v->type != JSON_OBJECT;
        q->r->params = raw;
    }
}

enum mcp_error mcp_request_read(struct mcp_request *r, char *line)
{
    *r = (struct mcp_request){.line = line};
    struct reading_request q = {.r = r};
    struct json_scan j = json_scan_from(str_from(line));
    struct json_value v;
    bool json = json_read_value(&j, &v);
    json_skip_space(&j);
    json = json && j.p == j.end;
    json_scan_release(&j);
    if (!json)
        return MCP_NO_JSON;
    if (v.type != JSON_OBJECT)
        return MCP_NO_REQUEST;
    if (!each_member(str_from(line), take_member, &q))
        return MCP_NO_JSON;
    return q.version && !q.wrong ? MCP_OK : MCP_NO_REQUEST;
}

void mcp_request_release(struct mcp_request *r)
{
    free(r->line);
    free(r->method);
    *r = (struct mcp_request){0};
}

struct wanted_member {
    struct str name;
    bool found;
    enum json_type type;
    struct str raw;
    char *text;
};

/* Whether it is a text without a NUL, which would end it. */
static bool is_whole_text(const struct json_value *v)
{
    return v->type == JSON_STRING && str_find(v->text, '\0') == v->text.n;
}

static char *copy_of_text(const struct json_value *v)
{
    return is_whole_text(v) ? alloc_copy(v->text.p, v->text.n) : NULL;
}

static void find_member(void *self, struct str key, const struct json_value *v, struct str raw)
{
    struct wanted_member *w = self;
    if (!str_eq(key, w->name) || w->found)
        return;
    w->found = true;
    w->type = v->type;
    w->raw = raw;
    w->text = copy_of_text(v);
}

static struct wanted_member find(struct str object, const char *name)
{
    struct wanted_member w = {.name = str_from(name)};
    if (object.n > 0)
        each_member(object, find_member, &w);
    return w;
}

char *mcp_text_member(struct str object, const char *name)
{
    return find(object, name).text;
}

bool mcp_int_member(struct str object, const char *name, int64_t *out)
{
    struct wanted_member w = find(object, name);
    free(w.text);
    return w.found && w.type == JSON_NUMBER && str_to_i64(w.raw, out);
}

struct str mcp_raw_member(struct str object, const char *name)
{
    struct wanted_member w = find(object, name);
    free(w.text);
    return w.found ? w.raw : STR("");
}

char *mcp_next_text(struct str array, size_t *at)
{
    struct json_scan j = json_scan_from(array);
    struct json_value v;
    char *text = NULL;
    bool first = *at == 0;
    j.p = array.p + *at;
    if ((!first || json_take(&j, '[')) && json_next_item(&j, first, &v))
        text = copy_of_text(&v);
    *at = (size_t)(j.p - array.p);
    json_scan_release(&j);
    return text;
}

bool mcp_is_text(struct str raw)
{
    struct json_scan j = json_scan_from(raw);
    struct json_value v;
    bool is = json_read_value(&j, &v) && is_whole_text(&v);
    json_scan_release(&j);
    return is;
}

bool mcp_is_texts(struct str raw)
{
    struct json_scan j = json_scan_from(raw);
    struct json_value v;
    bool first = json_take(&j, '['), are = first;
    for (; are && json_next_item(&j, first, &v); first = false)
        are = is_whole_text(&v);
    json_scan_release(&j);
    return are;
}
