/* Traces that a client sends: the pieces go to a file without a name, which is read once the last
 * has come. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/unnamed_file.h"
#include "core/trace_builder.h"
#include "parsers/load.h"
#include "pb_fields.h"
#include "rpc/methods.h"

enum { REPORT_BYTES = 50000000 };

static void end_upload(struct rpc_engine *e)
{
    if (e->upload >= 0)
        close(e->upload);
    e->upload = -1;
    e->uploaded = e->reported = 0;
}

static struct trace *new_trace(void)
{
    struct trace *t = alloc_array(1, sizeof *t);
    trace_init(t);
    return t;
}

/* Nothing is loaded from here on. */
static struct status forget_trace(struct rpc_engine *e)
{
    struct trace *t = new_trace();
    trace_finish(t);
    free(e->trace_name);
    e->trace_name = NULL;
    free(e->load_error);
    e->load_error = NULL;
    return rpc_engine_renew(e, t);
}

/* Only of traces that take a while: a program that does not read its child's messages would block
 * it, once there are many. */
static void report(struct rpc_engine *e, bool finished)
{
    bool due = finished ? e->reported > 0 : e->uploaded - e->reported >= REPORT_BYTES;
    if (!e->settings.tells_progress || !due)
        return;
    e->reported = e->uploaded;
    dprintf(STDERR_FILENO, "\rLoading trace %.2f MB%s", (double)e->uploaded / 1e6,
            finished ? "\n" : "");
}

/* Nothing is loaded, and whoever asks is told why: Perfetto's UI by the words at the end. Takes `s`
 * over. */
static void fail_upload(struct rpc_engine *e, struct status s, struct rpc_reply *reply)
{
    if (s.code == STATUS_UNKNOWN_FORMAT)
        s = status_suffix(s, " (ERR:fmt)");
    else if (s.code == STATUS_FORMAT)
        s = status_suffix(s, " (ERR:tp-parse)");
    free(e->load_error);
    e->load_error = alloc_copy(s.message, strlen(s.message));
    rpc_reply_error(reply, s.message);
    status_release(&s);
}

void method_append(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    struct status s = status_ok_value();
    if (e->upload < 0) {
        s = forget_trace(e);
        e->upload = unnamed_file_open_or_memory();
    }
    /* Clients look at what a piece answers, and not all at what the end does. */
    if (status_ok(s) && e->uploaded == 0 && args.n > 0)
        s = trace_probe_memory("trace", (const uint8_t *)args.p, args.n);
    if (status_ok(s) && (e->upload < 0 || !unnamed_file_write(e->upload, args)))
        s = status_error(STATUS_IO, "the trace cannot be stored: %s", strerror(errno));
    if (!status_ok(s)) {
        end_upload(e);
        fail_upload(e, s, reply);
        return;
    }
    e->uploaded += args.n;
    report(e, false);
    struct pb_bytes result = {0};
    pb_put_uint(&result, PB_AppendTraceDataResult_total_bytes_parsed, e->uploaded);
    rpc_reply_send(reply, &result);
    pb_bytes_release(&result);
}

static void set_name(struct rpc_engine *e)
{
    char name[64];
    snprintf(name, sizeof name, "Unnamed trace (%" PRIu64 " MB)", e->uploaded >> 20);
    free(e->trace_name);
    e->trace_name = alloc_copy(name, strlen(name));
}

static struct status load(struct rpc_engine *e)
{
    size_t size = (size_t)e->uploaded;
    void *bytes = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, e->upload, 0) : NULL;
    if (bytes == MAP_FAILED)
        return status_error(STATUS_IO, "the trace cannot be read: %s", strerror(errno));
    struct trace *t = new_trace();
    t->builder->options = e->settings.import;
    struct status s = trace_load_memory(t, "trace", bytes, size, &e->progress);
    if (bytes)
        munmap(bytes, size);
    if (!status_ok(s)) {
        trace_release(t);
        free(t);
        return s;
    }
    set_name(e);
    return rpc_engine_renew(e, t);
}

void method_finalize(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    (void)args;
    struct status s = status_ok_value();
    if (e->uploaded > 0)
        s = load(e);
    report(e, true);
    end_upload(e);
    if (!status_ok(s))
        fail_upload(e, s, reply);
    else if (e->load_error) /* a piece was none of a trace */
        rpc_reply_error(reply, e->load_error);
    else
        rpc_reply_send(reply, &(struct pb_bytes){0});
}

/* How the traces that follow are to be read; what is not said is as Trace Processor
 * has it by itself. */
static struct import_options read_options(struct str args)
{
    struct import_options options = {0};
    struct pb_reader r = pb_reader_from((const uint8_t *)args.p, args.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ResetTraceProcessorArgs_ingest_ftrace_in_raw_table)
            options.no_typed_ftrace = !pb_bool(&f);
        else if (f.number == PB_ResetTraceProcessorArgs_analyze_trace_proto_content)
            options.measure_content = pb_bool(&f);
        else if (f.number == PB_ResetTraceProcessorArgs_drop_track_event_data_before)
            options.crop_track_events =
                pb_u32(&f) ==
                PB_ResetTraceProcessorArgs_DropTrackEventDataBefore_TRACK_EVENT_RANGE_OF_INTEREST;
    }
    return options;
}

void method_reset(struct rpc_engine *e, struct str args, struct rpc_reply *reply)
{
    if (args.n > 0)
        e->settings.import = read_options(args);
    end_upload(e);
    struct status s = forget_trace(e);
    status_release(&s);
    rpc_reply_send(reply, &(struct pb_bytes){0});
}
