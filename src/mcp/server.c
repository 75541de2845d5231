#include "mcp/server.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/embedded_file.h"
#include "mcp/request.h"
#include "mcp/tools.h"
#include "base/json_escape.h"

extern const struct embedded_file doc_files[];

enum { LINE_MAX_BYTES = 4 << 20, WAITING_MAX = 64, PROGRESS_MS = 100, FRESH_MS = 3600000 };

#define SECOND INT64_C(1000000000)

/* The newest first. From STATELESS on, each request says which one it is of; those before begin
 * with initialize. */
static const char *const revisions[] = {"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26"};
enum { REVISIONS = sizeof revisions / sizeof *revisions, STATELESS = 1 };

#define META_OF_PROTOCOL "io.modelcontextprotocol/"

struct server {
    struct mcp_traces *traces;
    const char *version;
    int out;
    pthread_mutex_t out_lock;
    atomic_bool out_failed; /* nobody reads what is written */

    pthread_mutex_t lock; /* of all below */
    pthread_cond_t changed;
    VEC(struct mcp_request) waiting; /* calls of tools */
    struct str running;              /* the id of the call that runs; p is NULL: none */
    struct str token;                /* of its progress, as written; empty: not wanted */
    double told;                     /* the progress that was told last */
    int64_t begun, told_at;          /* when the call began; when that was told, or the same */
    bool ended;
};

/* ---- writing ---- */

struct reply {
    FILE *f;
    char *text;
    size_t size;
};

static FILE *reply_begin(struct reply *r)
{
    r->f = open_memstream(&r->text, &r->size);
    if (!r->f)
        alloc_fail();
    return r->f;
}

static struct str reply_text(struct reply *r)
{
    if (fclose(r->f) != 0)
        alloc_fail();
    return (struct str){r->text, r->size};
}

/* Writes a line as a whole. */
static void reply_send(struct server *s, struct reply *r)
{
    fputc('\n', r->f);
    struct str text = reply_text(r);
    pthread_mutex_lock(&s->out_lock);
    while (text.n > 0 && !s->out_failed) {
        ssize_t n = write(s->out, text.p, text.n);
        if (n > 0)
            text = str_skip(text, (size_t)n);
        else
            s->out_failed = n == 0 || errno != EINTR;
    }
    pthread_mutex_unlock(&s->out_lock);
    free(r->text);
}

static void put_server(struct server *s, FILE *f)
{
    fprintf(f, "{\"name\": \"tptui\", \"version\": \"%s\"}", s->version);
}

/* Begins an object, whose members follow. */
static FILE *result_begin(struct server *s, struct reply *r, const struct mcp_request *q)
{
    FILE *f = reply_begin(r);
    fprintf(f, "{\"jsonrpc\": \"2.0\", \"id\": %.*s, \"result\": {", (int)q->id.n, q->id.p);
    if (q->stateless) {
        fputs("\"resultType\": \"complete\", \"_meta\": {\"" META_OF_PROTOCOL "serverInfo\": ", f);
        put_server(s, f);
        fputs("}, ", f);
    }
    return f;
}

/* The same for what stays as it is while the server runs, for everybody. */
static FILE *constant_begin(struct server *s, struct reply *r, const struct mcp_request *q)
{
    FILE *f = result_begin(s, r, q);
    if (q->stateless)
        fprintf(f, "\"ttlMs\": %d, \"cacheScope\": \"public\", ", FRESH_MS);
    return f;
}

static void send_result(struct server *s, struct reply *r)
{
    fputs("}}", r->f);
    reply_send(s, r);
}

static FILE *error_begin(struct reply *r, struct str id, enum mcp_error code, const char *message)
{
    FILE *f = reply_begin(r);
    fprintf(f, "{\"jsonrpc\": \"2.0\", \"id\": %.*s, \"error\": {\"code\": %d, \"message\": ",
            id.n ? (int)id.n : 4, id.n ? id.p : "null", code);
    json_put_text(f, str_from(message));
    return f;
}

static void send_error(struct server *s, struct str id, enum mcp_error code, const char *message)
{
    struct reply r;
    fputs("}}", error_begin(&r, id, code, message));
    reply_send(s, &r);
}

static void put_revisions(FILE *f)
{
    for (int i = 0; i < REVISIONS; i++)
        fprintf(f, "%s\"%s\"", i ? ", " : "[", revisions[i]);
    fputc(']', f);
}

/* ---- methods that are short ---- */

static void put_abilities(FILE *f)
{
    fputs("\"capabilities\": {\"tools\": {}, \"resources\": {}}, \"instructions\": ", f);
    json_put_text(f,
                  STR("Performance traces. Begin with explain: it says what is wrong and why. Then "
                      "timeline for a place, query for numbers, schema for names of tables."));
}

static void initialize(struct server *s, const struct mcp_request *q)
{
    struct reply r;
    char *asked = mcp_text_member(q->params, "protocolVersion");
    const char *revision = revisions[STATELESS];
    for (int i = STATELESS; asked && i < REVISIONS; i++)
        if (strcmp(asked, revisions[i]) == 0)
            revision = revisions[i];
    FILE *f = result_begin(s, &r, q);
    fprintf(f, "\"protocolVersion\": \"%s\", \"serverInfo\": ", revision);
    put_server(s, f);
    fputs(", ", f);
    put_abilities(f);
    send_result(s, &r);
    free(asked);
}

/* Answered alike to those who do not say what they speak. */
static void discover(struct server *s, const struct mcp_request *q)
{
    struct reply r;
    struct mcp_request stateless = *q;
    stateless.stateless = true;
    FILE *f = constant_begin(s, &r, &stateless);
    fputs("\"supportedVersions\": ", f);
    put_revisions(f);
    fputs(", ", f);
    put_abilities(f);
    send_result(s, &r);
}

/* Nothing ever changes that could be told of: the answer would be the end of it. */
static void listen_to_changes(struct server *s, const struct mcp_request *q)
{
    struct reply r;
    fprintf(reply_begin(&r),
            "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/subscriptions/acknowledged\", "
            "\"params\": {\"_meta\": {\"" META_OF_PROTOCOL "subscriptionId\": %.*s}, "
            "\"notifications\": {}}}",
            (int)q->id.n, q->id.p);
    reply_send(s, &r);
}

static void ping(struct server *s, const struct mcp_request *q)
{
    struct reply r;
    result_begin(s, &r, q);
    send_result(s, &r);
}

static void list_tools(struct server *s, const struct mcp_request *q)
{
    struct reply r;
    FILE *f = constant_begin(s, &r, q);
    fputs("\"tools\": ", f);
    mcp_tools_print(f);
    send_result(s, &r);
}

static void list_resources(struct server *s, const struct mcp_request *q)
{
    struct reply r;
    FILE *f = constant_begin(s, &r, q);
    fputs("\"resources\": [", f);
    for (const struct embedded_file *d = doc_files; d->name; d++)
        fprintf(
            f,
            "%s{\"uri\": \"tptui://docs/%s\", \"name\": \"%s\", \"mimeType\": \"text/markdown\"}",
            d == doc_files ? "" : ", ", d->name, d->name);
    fputc(']', f);
    send_result(s, &r);
}

static void list_templates(struct server *s, const struct mcp_request *q)
{
    struct reply r;
    fputs("\"resourceTemplates\": []", constant_begin(s, &r, q));
    send_result(s, &r);
}

static void read_resource(struct server *s, const struct mcp_request *q)
{
    static const char scheme[] = "tptui://docs/";
    struct reply r;
    char *uri = mcp_text_member(q->params, "uri");
    const struct embedded_file *d = doc_files;
    bool ours = uri && strncmp(uri, scheme, sizeof scheme - 1) == 0;
    while (d->name && !(ours && strcmp(uri + sizeof scheme - 1, d->name) == 0))
        d++;
    if (d->name) {
        FILE *f = constant_begin(s, &r, q);
        fprintf(f, "\"contents\": [{\"uri\": \"%s%s\", \"mimeType\": \"text/markdown\", \"text\": ",
                scheme, d->name);
        json_put_text(f, (struct str){(const char *)d->bytes, d->size});
        fputs("}]", f);
        send_result(s, &r);
    } else {
        send_error(s, q->id, uri && !q->stateless ? MCP_NO_RESOURCE : MCP_WRONG_PARAMS,
                   "no such resource");
    }
    free(uri);
}

/* Stops the call that runs, or takes one back that waits. Of neither anything is told any more. */
static void cancel(struct server *s, const struct mcp_request *q)
{
    struct str id = mcp_raw_member(q->params, "requestId");
    pthread_mutex_lock(&s->lock);
    if (id.n > 0 && s->running.p && str_eq(s->running, id)) {
        mcp_work_cancel(&s->traces->work);
        s->token = (struct str){NULL, 0};
    }
    for (size_t i = 0; id.n > 0 && i < s->waiting.count; i++) {
        if (!str_eq(s->waiting.items[i].id, id))
            continue;
        mcp_request_release(&s->waiting.items[i]);
        memmove(&s->waiting.items[i], &s->waiting.items[i + 1],
                (--s->waiting.count - i) * sizeof *s->waiting.items);
        break;
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- calls of tools ---- */

static void run_call(struct server *s, const struct mcp_request *q)
{
    struct reply answer, r;
    char *name = mcp_text_member(q->params, "name");
    struct mcp_call c = {.traces = s->traces,
                         .arguments = mcp_raw_member(q->params, "arguments"),
                         .stateless = q->stateless};
    c.out = reply_begin(&answer);
    struct status status = mcp_tool_find(name)->run(&c);
    if (!status_ok(status))
        fprintf(c.out, "%s\n", status.message);
    struct str text = reply_text(&answer);
    pthread_mutex_lock(&s->lock);
    s->token = (struct str){NULL, 0}; /* no progress behind the answer */
    pthread_mutex_unlock(&s->lock);
    if (!mcp_work_is_cancelled(&s->traces->work)) {
        FILE *f = result_begin(s, &r, q);
        fputs("\"content\": [{\"type\": \"text\", \"text\": ", f);
        json_put_text(f, text);
        fprintf(f, "}], \"isError\": %s", status_ok(status) ? "false" : "true");
        send_result(s, &r);
    }
    status_release(&status);
    free(answer.text);
    free(name);
}

static void *run_calls(void *self)
{
    struct server *s = self;
    pthread_mutex_lock(&s->lock);
    for (;;) {
        while (s->waiting.count == 0 && !s->ended)
            pthread_cond_wait(&s->changed, &s->lock);
        if (s->waiting.count == 0)
            break;
        struct mcp_request q = s->waiting.items[0];
        memmove(s->waiting.items, s->waiting.items + 1,
                --s->waiting.count * sizeof *s->waiting.items);
        s->running = q.id;
        s->token = mcp_raw_member(mcp_raw_member(q.params, "_meta"), "progressToken");
        s->told = 0;
        s->begun = s->told_at = clock_now_ns();
        mcp_work_begin(&s->traces->work);
        pthread_mutex_unlock(&s->lock);
        run_call(s, &q);
        pthread_mutex_lock(&s->lock);
        s->running = (struct str){NULL, 0};
        mcp_request_release(&q);
    }
    pthread_mutex_unlock(&s->lock);
    return NULL;
}

/* Checks a call and has it wait for its turn; takes the request over where it does. */
static void queue_call(struct server *s, struct mcp_request *q)
{
    char *name = mcp_text_member(q->params, "name");
    const struct mcp_tool *tool = name ? mcp_tool_find(name) : NULL;
    struct str arguments = mcp_raw_member(q->params, "arguments");
    struct status status = status_ok_value();
    if (!tool)
        status = status_error(STATUS_USAGE, "there is no tool %s", name ? name : "without a name");
    else if (arguments.n > 0 && arguments.p[0] != '{')
        status = status_error(STATUS_USAGE, "arguments are an object");
    else
        status = mcp_tool_check(tool, arguments);
    free(name);
    if (!status_ok(status)) {
        send_error(s, q->id, MCP_WRONG_PARAMS, status.message);
        status_release(&status);
        return;
    }
    pthread_mutex_lock(&s->lock);
    bool full = s->waiting.count >= WAITING_MAX;
    if (!full) {
        *vec_push(&s->waiting) = *q;
        pthread_cond_signal(&s->changed);
    }
    pthread_mutex_unlock(&s->lock);
    if (full)
        send_error(s, q->id, MCP_TOO_MUCH, "too many calls wait");
    else
        *q = (struct mcp_request){0};
}

/* How far the trace of the running call is loaded, where the client wants to know; each second that
 * nothing more is known of, that it runs. It always grows. */
static void tell_progress(struct server *s)
{
    struct load_progress *p = &s->traces->work.progress;
    int64_t now = clock_now_ns();
    pthread_mutex_lock(&s->lock);
    double total = (double)atomic_load(&p->total);
    double loaded = total > 0 ? atomic_load(&p->phase) + (double)atomic_load(&p->done) / total : 0;
    bool more = loaded >= s->told + 0.001; /* as it is written */
    if (s->token.n > 0 && (more || now - s->told_at >= SECOND)) {
        struct reply r;
        s->told = more ? loaded : s->told + 1;
        s->told_at = now;
        FILE *f = reply_begin(&r);
        fprintf(f,
                "{\"jsonrpc\": \"2.0\", \"method\": \"notifications/progress\", \"params\": "
                "{\"progressToken\": %.*s, \"progress\": %.3f, ",
                (int)s->token.n, s->token.p, s->told);
        if (more)
            fprintf(f, "\"total\": %d, \"message\": \"loading\"}}", LOAD_FINISHING + 1);
        else
            fprintf(f, "\"message\": \"running for %lld s\"}}",
                    (long long)((now - s->begun) / SECOND));
        reply_send(s, &r);
    }
    pthread_mutex_unlock(&s->lock);
}

/* ---- reading ---- */

enum method_of { OF_ALL, OF_HANDSHAKE, OF_STATELESS };

static const struct method {
    const char *name;
    void (*run)(struct server *s, const struct mcp_request *q);
    enum method_of of;
    bool notification;
} methods[] = {
    {"initialize", initialize, OF_HANDSHAKE, false},
    {"ping", ping, OF_HANDSHAKE, false},
    /* What a client asks that does not know yet what the server speaks. */
    {"server/discover", discover, OF_ALL, false},
    {"subscriptions/listen", listen_to_changes, OF_STATELESS, false},
    {"tools/list", list_tools, OF_ALL, false},
    {"resources/list", list_resources, OF_ALL, false},
    {"resources/templates/list", list_templates, OF_ALL, false},
    {"resources/read", read_resource, OF_ALL, false},
    {"notifications/cancelled", cancel, OF_ALL, true},
};
enum { METHODS = sizeof methods / sizeof *methods };

static bool is_of(const struct method *m, const struct mcp_request *q)
{
    return m->notification || m->of == OF_ALL || (m->of == OF_STATELESS) == q->stateless;
}

/* Which revision a request says that it is of; false where it is answered with an error. */
static bool take_revision(struct server *s, struct mcp_request *q)
{
    struct str meta = mcp_raw_member(q->params, "_meta");
    struct str raw = mcp_raw_member(meta, META_OF_PROTOCOL "protocolVersion");
    struct str abilities = mcp_raw_member(meta, META_OF_PROTOCOL "clientCapabilities");
    if (q->id.n == 0 || raw.n == 0)
        return true;
    char *asked = mcp_text_member(meta, META_OF_PROTOCOL "protocolVersion");
    bool known = false;
    for (int i = 0; asked && i < STATELESS; i++)
        known = known || strcmp(asked, revisions[i]) == 0;
    q->stateless = known && abilities.n > 0 && abilities.p[0] == '{';
    if (asked && !known) {
        struct reply r;
        FILE *f = error_begin(&r, q->id, MCP_NO_REVISION, "no revision that this server speaks");
        fputs(", \"data\": {\"supported\": ", f);
        put_revisions(f);
        fprintf(f, ", \"requested\": %.*s}}}", (int)raw.n, raw.p);
        reply_send(s, &r);
    } else if (!q->stateless) {
        send_error(s, q->id, MCP_WRONG_PARAMS,
                   "_meta has a revision, which is a text, and the client's capabilities, "
                   "which are an object");
    }
    free(asked);
    return q->stateless;
}

static void run_method(struct server *s, struct mcp_request *q)
{
    if (!take_revision(s, q))
        return;
    for (int i = 0; i < METHODS; i++)
        if (strcmp(methods[i].name, q->method) == 0 && is_of(&methods[i], q)) {
            if (methods[i].notification == (q->id.n == 0))
                methods[i].run(s, q);
            return;
        }
    if (q->id.n == 0)
        return; /* notifications that mean nothing here */
    if (strcmp(q->method, "tools/call") == 0)
        queue_call(s, q);
    else
        send_error(s, q->id, MCP_NO_METHOD, "there is no such method");
}

static void take_line(struct server *s, struct str line)
{
    struct mcp_request q;
    if (str_trim(line).n == 0)
        return;
    if (memchr(line.p, '\0', line.n)) {
        send_error(s, STR(""), MCP_NO_JSON, "no JSON");
        return;
    }
    enum mcp_error error = mcp_request_read(&q, alloc_copy(line.p, line.n));
    if (error != MCP_OK)
        send_error(s, q.id, error, error == MCP_NO_JSON ? "no JSON" : "no request of JSON-RPC 2.0");
    else if (q.method)
        run_method(s, &q);
    mcp_request_release(&q);
}

/* Bytes that were read, up to the end of a line. */
struct reading {
    VEC(char) bytes;
    bool skips; /* the rest of a line that is too long */
};

static void take_bytes(struct server *s, struct reading *r, const char *p, size_t n)
{
    struct str rest = {p, n};
    while (rest.n > 0) {
        size_t end = str_find(rest, '\n');
        bool whole = end < rest.n;
        if (!r->skips && r->bytes.count + end > LINE_MAX_BYTES) {
            send_error(s, STR(""), MCP_NO_REQUEST, "a line has 4 MB at most");
            r->skips = true;
            r->bytes.count = 0;
        }
        if (!r->skips)
            vec_append(&r->bytes, rest.p, end);
        rest = str_behind(rest, end);
        if (!whole)
            return;
        if (!r->skips && r->bytes.count > 0)
            take_line(s, (struct str){r->bytes.items, r->bytes.count});
        r->bytes.count = 0;
        r->skips = false;
    }
}

static bool is_busy(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    bool busy = s->running.p || s->waiting.count > 0;
    pthread_mutex_unlock(&s->lock);
    return busy;
}

/* Until `in` ends and what was asked is answered, or nobody reads the answers. */
static void serve_requests(struct server *s, int in)
{
    char buffer[1 << 16];
    struct reading r = {0};
    struct pollfd asked = {.fd = in, .events = POLLIN}, answered = {.fd = s->out};
    while (!s->out_failed && (asked.fd >= 0 || is_busy(s))) {
        struct pollfd fds[] = {asked, answered};
        int ready = poll(fds, 2, is_busy(s) ? PROGRESS_MS : -1);
        tell_progress(s);
        if (ready <= 0)
            continue;
        if (fds[1].revents & (POLLERR | POLLHUP))
            s->out_failed = true;
        if (fds[0].revents == 0)
            continue;
        ssize_t n = read(in, buffer, sizeof buffer);
        if (n == 0 || (n < 0 && errno != EINTR))
            asked.fd = -1;
        if (n > 0)
            take_bytes(s, &r, buffer, (size_t)n);
    }
    vec_release(&r.bytes);
}

/* What nobody reads the answers of is stopped, and not begun. */
static void end_calls(struct server *s)
{
    pthread_mutex_lock(&s->lock);
    if (s->out_failed)
        mcp_work_cancel(&s->traces->work);
    while (s->out_failed && s->waiting.count > 0)
        mcp_request_release(&s->waiting.items[--s->waiting.count]);
    s->ended = true;
    pthread_cond_signal(&s->changed);
    pthread_mutex_unlock(&s->lock);
}

struct status mcp_server_run(struct mcp_traces *traces, const char *version, int in, int out)
{
    struct server s = {.traces = traces, .version = version, .out = out};
    pthread_t worker;
    pthread_mutex_init(&s.out_lock, NULL);
    pthread_mutex_init(&s.lock, NULL);
    pthread_cond_init(&s.changed, NULL);
    if (pthread_create(&worker, NULL, run_calls, &s) != 0)
        alloc_fail_thread();
    serve_requests(&s, in);
    end_calls(&s);
    pthread_join(worker, NULL);
    vec_release(&s.waiting);
    pthread_cond_destroy(&s.changed);
    pthread_mutex_destroy(&s.lock);
    pthread_mutex_destroy(&s.out_lock);
    return status_ok_value();
}
