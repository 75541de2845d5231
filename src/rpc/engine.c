#define PB_READS_LITTLE
#include "rpc/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/alloc.h"
#include "core/trace_builder.h"
#include "pb_fields.h"
#include "rpc/engine_state.h"
#include "rpc/frames.h"
#include "rpc/methods.h"
#include "sql/session.h"

static struct trace *empty_trace(void)
{
    struct trace *t = alloc_array(1, sizeof *t);
    trace_init(t);
    trace_finish(t);
    return t;
}

struct rpc_engine *rpc_engine_new(const struct rpc_settings *settings, struct trace *trace,
                                  struct sql_session *session)
{
    struct rpc_engine *e = alloc_array(1, sizeof *e);
    e->settings = *settings;
    e->upload = -1;
    e->trace = trace;
    e->session = session;
    pthread_mutex_init(&e->lock, NULL);
    if (session)
        sql_session_hold_interrupts(session);
    if (settings->trace_name)
        e->trace_name = alloc_copy(settings->trace_name, strlen(settings->trace_name));
    if (!trace) {
        struct status s = rpc_engine_renew(e, empty_trace());
        status_release(&s); /* packages that fail were tried before */
    }
    return e;
}

static void release_modules(struct rpc_engine *e)
{
    for (size_t i = 0; i < e->modules.count; i++) {
        free(e->modules.items[i].name);
        rpc_bytes_release(&e->modules.items[i].sql);
    }
    vec_release(&e->modules);
}

static void free_trace(struct trace *t)
{
    trace_release(t);
    free(t);
}

void rpc_engine_free(struct rpc_engine *e)
{
    sql_session_free(e->session);
    if (e->owns_trace)
        free_trace(e->trace);
    if (e->upload >= 0)
        close(e->upload);
    release_modules(e);
    summarizers_release(e);
    free(e->trace_name);
    free(e->load_error);
    pthread_mutex_destroy(&e->lock);
    free(e);
}

struct rpc_memory *rpc_engine_memory(struct rpc_engine *e)
{
    return &e->memory;
}

struct status rpc_engine_trace_status(const struct rpc_engine *e)
{
    if (!e->load_error)
        return status_ok_value();
    return status_error(STATUS_FORMAT, "the trace was not loaded: %s", e->load_error);
}

static struct status prepare(struct rpc_engine *e, struct sql_session *s)
{
    struct status status = status_ok_value();
    if (e->settings.prepare)
        status = e->settings.prepare(e->settings.self, s);
    for (size_t i = 0; i < e->modules.count && status_ok(status); i++) {
        const struct registered_module *m = &e->modules.items[i];
        sql_session_add_module(s, m->name, rpc_bytes_text(&m->sql));
    }
    return status;
}

struct status rpc_engine_renew(struct rpc_engine *e, struct trace *trace)
{
    struct trace *old_trace = e->owns_trace && trace ? e->trace : NULL;
    struct sql_session *old = e->session;
    struct status status;
    struct sql_session *session = sql_session_new(trace ? trace : e->trace, &status);
    sql_session_hold_interrupts(session);
    if (status_ok(status))
        status = prepare(e, session);
    pthread_mutex_lock(&e->lock);
    e->session = session;
    if (e->cancelled)
        sql_session_interrupt(session);
    pthread_mutex_unlock(&e->lock);
    sql_session_free(old);
    if (old_trace)
        free_trace(old_trace);
    if (trace) {
        e->trace = trace;
        e->owns_trace = true;
    }
    e->metatrace_from = 0;
    return status;
}

bool rpc_reply_send(struct rpc_reply *r, const struct pb_bytes *result)
{
    if (r->failed)
        return false;
    if (!r->seq) {
        r->failed = !r->out->write(r->out->self, result->v.items, result->v.count);
        return !r->failed;
    }
    struct pb_bytes message = {0}, stream = {0};
    pb_put_uint(&message, PB_TraceProcessorRpc_seq, (uint64_t)(*r->seq)++);
    pb_put_uint(&message, PB_TraceProcessorRpc_response, r->method->number);
    if (r->method->result)
        pb_put_message(&message, r->method->result, result);
    pb_put_message(&stream, PB_TraceProcessorRpcStream_msg, &message);
    r->failed = !r->out->write(r->out->self, stream.v.items, stream.v.count);
    pb_bytes_release(&message);
    pb_bytes_release(&stream);
    return !r->failed;
}

void rpc_reply_error(struct rpc_reply *r, const char *message)
{
    struct pb_bytes result = {0};
    if (r->method->error)
        pb_put_str(&result, r->method->error, str_from(message));
    rpc_reply_send(r, &result);
    pb_bytes_release(&result);
}

static bool is_cancelled(struct rpc_engine *e)
{
    pthread_mutex_lock(&e->lock);
    bool cancelled = e->cancelled;
    pthread_mutex_unlock(&e->lock);
    return cancelled;
}

static void run_method(struct rpc_engine *e, const struct rpc_method *m, struct str args,
                       struct rpc_reply *reply)
{
    reply->failed |= is_cancelled(e);
    if (!reply->failed)
        m->run(e, args, reply);
}

void rpc_engine_cancel(struct rpc_engine *e)
{
    pthread_mutex_lock(&e->lock);
    e->cancelled = true;
    atomic_store(&e->progress.cancel, true);
    sql_session_interrupt(e->session);
    pthread_mutex_unlock(&e->lock);
}

void rpc_engine_resume(struct rpc_engine *e)
{
    pthread_mutex_lock(&e->lock);
    e->cancelled = false;
    atomic_store(&e->progress.cancel, false);
    sql_session_resume(e->session);
    pthread_mutex_unlock(&e->lock);
}

static const struct rpc_method *find_method(uint32_t number)
{
    for (const struct rpc_method *m = rpc_methods; m->number; m++)
        if (m->number == number)
            return m;
    return NULL;
}

bool rpc_engine_call(struct rpc_engine *e, uint32_t method, struct str args,
                     const struct rpc_output *out)
{
    const struct rpc_method *m = find_method(method);
    if (!m)
        return false;
    struct rpc_reply reply = {.out = out, .method = m};
    run_method(e, m, args, &reply);
    return true;
}

struct rpc_channel {
    struct rpc_engine *engine;
    struct frames frames;
    atomic_size_t held;     /* of them, as counted in the engine's memory */
    int64_t received, sent; /* sequence numbers: of the last request, of the next answer */
};

struct rpc_channel *rpc_channel_new(struct rpc_engine *e)
{
    struct rpc_channel *c = alloc_array(1, sizeof *c);
    c->engine = e;
    return c;
}

/* What is kept of the stream has changed. */
static void count_frames(struct rpc_channel *c)
{
    size_t now = c->frames.bytes.count - c->frames.used;
    size_t before = atomic_exchange(&c->held, now);
    atomic_fetch_add(&c->engine->memory.held, now - before); /* modulo 2^64: may be less */
}

size_t rpc_channel_held(const struct rpc_channel *c)
{
    return atomic_load(&c->held);
}

void rpc_channel_free(struct rpc_channel *c)
{
    frames_release(&c->frames);
    count_frames(c);
    free(c);
}

static bool fail_channel(const char *error, const struct rpc_output *out)
{
    struct pb_bytes message = {0}, stream = {0};
    pb_put_str(&message, PB_TraceProcessorRpc_fatal_error, str_from(error));
    pb_put_message(&stream, PB_TraceProcessorRpcStream_msg, &message);
    out->write(out->self, stream.v.items, stream.v.count);
    pb_bytes_release(&message);
    pb_bytes_release(&stream);
    return false;
}

/* A request of a method that is not known here: a newer client asks what there is. */
static bool answer_unknown(struct rpc_channel *c, uint32_t number, const struct rpc_output *out)
{
    struct pb_bytes message = {0}, stream = {0};
    pb_put_uint(&message, PB_TraceProcessorRpc_seq, (uint64_t)c->sent++);
    pb_put_uint(&message, PB_TraceProcessorRpc_response, number);
    pb_put_uint(&message, PB_TraceProcessorRpc_invalid_request, number);
    pb_put_message(&stream, PB_TraceProcessorRpcStream_msg, &message);
    bool read = out->write(out->self, stream.v.items, stream.v.count);
    pb_bytes_release(&message);
    pb_bytes_release(&stream);
    return read;
}

/* The arguments of a method in a request; p is NULL where there are none. */
static struct str find_args(struct str message, const struct rpc_method *m)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)message.p, message.n);
    struct pb_field f;
    struct str args = {NULL, 0};
    while (m->args && pb_next(&r, &f))
        if (f.number == m->args)
            args = pb_str(&f);
    return args.p || !m->optional_args ? args : STR("");
}

/* Requests are numbered from 1, or again so after a page was loaded anew; 0 is no number. */
static bool is_out_of_order(const struct rpc_channel *c, int64_t seq)
{
    return seq != 0 && c->received != 0 && seq != 1 && seq != c->received + 1;
}

static bool answer(struct rpc_channel *c, struct str message, const struct rpc_output *out)
{
    struct pb_reader r = pb_reader_from((const uint8_t *)message.p, message.n);
    struct pb_field f;
    int64_t seq = 0;
    uint32_t number = 0;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TraceProcessorRpc_seq)
            seq = pb_i64(&f);
        else if (f.number == PB_TraceProcessorRpc_request)
            number = pb_u32(&f);
    }
    if (r.error)
        return fail_channel("RPC framing error", out);
    if (is_out_of_order(c, seq)) {
        char error[128];
        snprintf(error, sizeof error,
                 "RPC request out of order. Expected %" PRId64 ", got %" PRId64 " (ERR:rpc_seq)",
                 c->received + 1, seq);
        return fail_channel(error, out);
    }
    c->received = seq;
    const struct rpc_method *m = find_method(number);
    if (!m)
        return answer_unknown(c, number, out);
    struct rpc_reply reply = {.out = out, .method = m, .seq = &c->sent};
    struct str args = find_args(message, m);
    if (m->args && !args.p && !m->optional_args)
        rpc_reply_error(&reply, "RPC error: request field not set");
    else
        run_method(c->engine, m, args, &reply);
    return !reply.failed;
}

bool rpc_channel_receive(struct rpc_channel *c, struct str bytes, const struct rpc_output *out)
{
    struct str message;
    bool goes_on = true;
    frames_append(&c->frames, bytes);
    count_frames(c);
    while (goes_on && frames_next(&c->frames, &message))
        goes_on = answer(c, message, out);
    count_frames(c);
    if (!goes_on)
        return false;
    return c->frames.broken ? fail_channel("RPC framing error", out) : true;
}
