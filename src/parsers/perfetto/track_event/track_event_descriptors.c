/* Threads and processes as track descriptors name them, applied in time order. */
#include <stdio.h>

#include "parsers/perfetto/system/pid_namespaces.h"
#include "parsers/perfetto/track_event/track_event.h"
#include "pb_fields.h"

static string_id intern_or_null(struct import *im, const char *name)
{
    return name ? trace_intern_c(im->trace, name) : NULL_STRING;
}

static void name_thread(struct import *im, uint32_t utid, string_id name,
                        enum thread_name_priority priority)
{
    if (name)
        process_tracker_set_thread_name(im->trace, utid, name, priority);
}

static void name_process(struct import *im, uint32_t upid, string_id name,
                         enum process_name_priority priority)
{
    if (name)
        process_tracker_set_process_name(im->trace, upid, name, priority);
}

static uint32_t apply_thread(struct import *im, const struct packet *p, struct pb_reader r,
                             bool sandboxed)
{
    struct descriptor_track ids = {.machine = p->machine,
                                   .pid = 0,
                                   .tid = 0,
                                   .writer = packet_writer(p),
                                   .synthetic_tid = sandboxed};
    string_id name = NULL_STRING, type_name = NULL_STRING;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ThreadDescriptor_pid:
            ids.pid = pb_i32(&f);
            break;
        case PB_ThreadDescriptor_tid:
            ids.tid = pb_i64(&f);
            break;
        case PB_ThreadDescriptor_thread_name:
            if (f.value)
                name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_ThreadDescriptor_chrome_thread_type:
            type_name = intern_or_null(im, chrome_thread_name(pb_i32(&f)));
            break;
        default:
            break;
        }
    }
    descriptor_outer_ids(im, &ids);
    uint32_t utid = process_tracker_update_thread(im->trace, p->machine, ids.tid, ids.pid);
    name_thread(im, utid, name ? name : type_name, THREAD_NAME_TRACK_DESCRIPTOR);
    return utid;
}

static void apply_chrome_thread(struct import *im, uint32_t utid, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_ChromeThreadDescriptor_thread_type)
            name_thread(im, utid, intern_or_null(im, chrome_thread_name(pb_i32(&f))),
                        THREAD_NAME_TRACK_DESCRIPTOR_THREAD_TYPE);
}

struct arg_list *track_event_process_args(struct import *im, uint32_t upid)
{
    struct track_event_import *te = im->track_event;
    bool inserted;
    uint32_t *at = map_insert(&te->process_args_of, upid, &inserted);
    if (inserted) {
        *at = (uint32_t)te->process_args.count;
        *vec_push(&te->process_args) = (struct process_args){.upid = upid};
    }
    return &te->process_args.items[*at].args;
}

static void add_label(struct import *im, uint32_t upid, uint32_t index, struct str label)
{
    char key[64];
    snprintf(key, sizeof key, "chrome.process_label[%u]", index);
    arg_list_add(track_event_process_args(im, upid),
                 (struct arg){
                     .flat_key = im->track_event->keys.process_label,
                     .key = trace_intern_c(im->trace, key),
                     .type = ARG_STRING,
                     .s = trace_intern(im->trace, label),
                 });
}

static uint32_t apply_process(struct import *im, const struct packet *p, struct pb_reader message)
{
    struct trace *t = im->trace;
    struct pb_reader r = message;
    struct pb_field f;
    int64_t pid = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_ProcessDescriptor_pid)
            pid = pb_i32(&f);
    pid_namespaces_resolve(im, p->machine, packet_writer(p), &pid);
    uint32_t upid = process_tracker_process(t, p->machine, pid), labels = 0;
    chrome_process_described(im, p->ts, upid);
    for (r = message; pb_next(&r, &f);) {
        switch (f.number) {
        case PB_ProcessDescriptor_process_name:
            if (f.value)
                name_process(im, upid, trace_intern(t, pb_str(&f)), PROCESS_NAME_TRACK_DESCRIPTOR);
            break;
        case PB_ProcessDescriptor_start_timestamp_ns:
            if (pb_i64(&f) > 0)
                process_tracker_set_start(t, upid, pb_i64(&f));
            break;
        case PB_ProcessDescriptor_chrome_process_type:
            name_process(im, upid, intern_or_null(im, chrome_process_name(pb_i32(&f))),
                         PROCESS_NAME_TRACK_DESCRIPTOR_CHROME);
            break;
        case PB_ProcessDescriptor_process_labels:
            add_label(im, upid, labels++, pb_str(&f));
            break;
        default:
            break;
        }
    }
    return upid;
}

static void apply_chrome_process(struct import *im, uint32_t upid, struct pb_reader r)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    struct arg_list *args = track_event_process_args(im, upid);
    string_id name = NULL_STRING;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ChromeProcessDescriptor_process_type:
            name = intern_or_null(im, chrome_process_name(pb_i32(&f)));
            break;
        case PB_ChromeProcessDescriptor_host_app_package_name:
            arg_list_str(args, keys->host_app_package, trace_intern(im->trace, pb_str(&f)));
            break;
        case PB_ChromeProcessDescriptor_crash_trace_id:
            arg_list_uint(args, keys->crash_trace_id, pb_u64(&f));
            break;
        default:
            break;
        }
    }
    arg_list_str(args, keys->process_type, name);
    name_process(im, upid, name, PROCESS_NAME_TRACK_DESCRIPTOR_CHROME);
}

void thread_descriptor_parse(struct import *im, const struct packet *p)
{
    apply_thread(im, p, pb_reader_from(p->field.p, p->field.n), false);
}

void process_descriptor_parse(struct import *im, const struct packet *p)
{
    apply_process(im, p, pb_reader_from(p->field.p, p->field.n));
}

static bool is_sandboxed(struct pb_reader r)
{
    struct pb_field f;
    bool sandboxed = false;
    while (pb_next(&r, &f))
        if (f.number == PB_ChromeThreadDescriptor_is_sandboxed_tid)
            sandboxed = pb_bool(&f);
    return sandboxed;
}

void track_descriptor_parse(struct import *im, const struct packet *p)
{
    struct pb_field thread = {0}, chrome_thread = {0}, process = {0}, chrome_process = {0}, f;
    struct pb_reader r = pb_reader_from(p->field.p, p->field.n);
    uint64_t uuid = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TrackDescriptor_uuid:
            uuid = pb_u64(&f);
            break;
        case PB_TrackDescriptor_thread:
            thread = f;
            break;
        case PB_TrackDescriptor_chrome_thread:
            chrome_thread = f;
            break;
        case PB_TrackDescriptor_process:
            process = f;
            break;
        case PB_TrackDescriptor_chrome_process:
            chrome_process = f;
            break;
        default:
            break;
        }
    }
    if (!descriptor_track_resolve(im, descriptor_track_find(im, p->machine, uuid))) {
        stats_count(im->trace, STAT_track_event_parser_errors);
        return;
    }
    if (thread.data) {
        bool sandboxed = is_sandboxed(pb_message(&chrome_thread));
        uint32_t utid = apply_thread(im, p, pb_message(&thread), sandboxed);
        if (chrome_thread.data)
            apply_chrome_thread(im, utid, pb_message(&chrome_thread));
    } else if (process.data) {
        uint32_t upid = apply_process(im, p, pb_message(&process));
        if (chrome_process.data)
            apply_chrome_process(im, upid, pb_message(&chrome_process));
    }
}
