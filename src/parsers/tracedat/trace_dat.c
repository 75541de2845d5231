/* Recordings of trace-cmd: trace.dat of versions 6 and 7. Their events become bundles as Perfetto
 * records them, which its importer reads. */
#include "core/trace_builder.h"
#include "parsers/input/progress.h"
#include "parsers/input/trace_format.h"
#include "parsers/perfetto/perfetto.h"
#include "parsers/tracedat/dat_events.h"
#include "parsers/tracedat/ring_buffer.h"
#include "parsers/tracefs/systrace_text.h"
#include "pb_fields.h"

enum { SEQUENCE = 1, BUNDLE_EVENTS = 512 };

#define NO_FLAGS 0

struct dat_import {
    struct trace *trace;
    const char *name;
    struct load_progress *progress;
    struct dat_file file;
    struct dat_events events;
    struct pb_bytes packets, packet, bundle; /* the last two are scratch */
};

static void put_packet(struct dat_import *d, uint32_t field, const struct pb_bytes *message,
                       uint32_t flags)
{
    d->packet.v.count = 0;
    pb_put_message(&d->packet, field, message);
    pb_put_uint(&d->packet, PB_TracePacket_trusted_packet_sequence_id, SEQUENCE);
    if (flags)
        pb_put_uint(&d->packet, PB_TracePacket_sequence_flags, flags);
    pb_put_message(&d->packets, PB_Trace_packet, &d->packet);
}

static void begin_bundle(struct dat_import *d, const struct dat_cpu *cpu)
{
    d->bundle.v.count = 0;
    pb_put_uint(&d->bundle, PB_FtraceEventBundle_cpu, cpu->cpu);
}

static void end_bundle(struct dat_import *d)
{
    put_packet(d, PB_TracePacket_ftrace_events, &d->bundle,
               PB_TracePacket_SequenceFlags_SEQ_NEEDS_INCREMENTAL_STATE);
}

/* False where loading was cancelled. */
static bool read_cpu(struct dat_import *d, const struct dat_cpu *cpu)
{
    struct ring_buffer r =
        ring_buffer_make(cpu->data, cpu->page_size, d->file.header_page, d->file.big);
    struct bytes event;
    uint32_t count = 0;
    begin_bundle(d, cpu);
    while (ring_buffer_next(&r, &event)) {
        if (count == BUNDLE_EVENTS || (count > 0 && r.lost)) {
            end_bundle(d);
            begin_bundle(d, cpu);
            count = 0;
            if (!progress_report(d->progress, (uint64_t)(event.p - d->file.bytes.p)))
                return false;
        }
        if (r.lost)
            pb_put_uint(&d->bundle, PB_FtraceEventBundle_lost_events, 1);
        r.lost = false;
        dat_events_encode(&d->events, r.ts + (uint64_t)d->file.offset_ns, event, &d->bundle);
        count++;
    }
    end_bundle(d);
    return true;
}

/* "Linux HOST 6.1.0 #1 SMP ... x86_64" */
static void put_system(struct dat_import *d)
{
    struct str rest = d->file.uname.n ? d->file.uname : STR(""), words[3], machine = {NULL, 0};
    for (int i = 0; i < 3; i++) {
        words[i] = str_cut(&rest, ' ');
    }
    size_t at = rest.n;
    while (at > 0 && rest.p[at - 1] != ' ')
        at--;
    machine = str_skip(rest, at);
    if (words[2].n == 0)
        return;
    struct pb_bytes system = {0}, uname = {0};
    pb_put_str(&uname, PB_Utsname_sysname, words[0]);
    pb_put_str(&uname, PB_Utsname_release, words[2]);
    pb_put_str(&uname, PB_Utsname_version, str_trim(str_from_to(rest, 0, at)));
    pb_put_str(&uname, PB_Utsname_machine, machine);
    pb_put_message(&system, PB_SystemInfo_utsname, &uname);
    put_packet(d, PB_TracePacket_system_info, &system, NO_FLAGS);
    pb_bytes_release(&uname);
    pb_bytes_release(&system);
}

/* The interned functions are known when all events were read: they come before them. */
static void join_packets(struct dat_import *d, struct pb_bytes *all)
{
    struct pb_bytes events = d->packets;
    d->packets = (struct pb_bytes){0};
    put_system(d);
    put_packet(d, PB_TracePacket_interned_data, &d->events.interned,
               PB_TracePacket_SequenceFlags_SEQ_INCREMENTAL_STATE_CLEARED);
    pb_put_uint(&d->events.descriptors, PB_FtraceEventBundle_cpu, 0);
    put_packet(d, PB_TracePacket_ftrace_events, &d->events.descriptors,
               PB_TracePacket_SequenceFlags_SEQ_NEEDS_INCREMENTAL_STATE);
    pb_put_raw(&d->packets, events.v.items, events.v.count);
    pb_bytes_release(&events);
    *all = d->packets;
    d->packets = (struct pb_bytes){0};
}

/* Lines "1234 name" name the threads that no event has named. */
static void name_threads(struct dat_import *d)
{
    struct trace *t = d->trace;
    uint32_t machine = trace_machine(t, HOST_RAW_ID);
    struct str text = d->file.command_lines, line;
    while (str_next_line(&text, &line)) {
        size_t space = str_find(line, ' ');
        int64_t tid;
        if (!str_to_i64(str_from_to(line, 0, space), &tid) || tid == 0 || space + 1 >= line.n)
            continue;
        uint32_t utid = process_tracker_find_thread(t, machine, tid);
        if (utid == NULL_U32)
            continue;
        string_id name = trace_intern(t, str_skip(line, space + 1));
        process_tracker_set_thread_name(t, utid, name, THREAD_NAME_OTHER);
    }
}

static struct status read_events(struct dat_import *d)
{
    dat_events_init(&d->events, &d->file, true);
    bool whole = true;
    for (size_t i = 0; whole && i < d->file.cpus.count; i++)
        whole = read_cpu(d, &d->file.cpus.items[i]);
    if (!whole)
        return progress_cancelled(d->name);
    if (d->events.unknown > 0)
        stats_add(d->trace, STAT_ftrace_missing_event_id, STAT_SINGLE, (int64_t)d->events.unknown);
    struct pb_bytes all;
    join_packets(d, &all);
    struct status s =
        perfetto_trace_format.read(d->trace, d->name, (struct bytes){all.v.items, all.v.count},
                                   d->progress);
    if (status_ok(s))
        name_threads(d);
    pb_bytes_release(&all);
    return s;
}

static struct status import(struct trace *t, const char *name, struct bytes data,
                            struct load_progress *progress)
{
    struct dat_import d = {.trace = t, .name = name, .progress = progress};
    struct status s;
    if (!dat_file_read(&d.file, data, &t->builder->unpacking)) {
        s = status_error(STATUS_FORMAT,
                         "%s: expected a trace.dat of version 6 or 7 with formats of events, found "
                         "none",
                         name);
    } else if (d.file.cpus.count == 0 && d.file.latency.n > 0) {
        systrace_text_read(t, d.file.latency);
        s = status_ok_value();
    } else {
        s = read_events(&d);
    }
    if (d.file.cut)
        stats_count(t, STAT_decompression_errors);
    dat_events_release(&d.events);
    dat_file_release(&d.file);
    pb_bytes_release(&d.packets);
    pb_bytes_release(&d.packet);
    pb_bytes_release(&d.bundle);
    return s;
}

const struct trace_format trace_dat_format = {
    .name = "trace.dat",
    .type = "trace_dat",
    .about = "recordings of trace-cmd, versions 6 and 7: begins with 17 08 44 \"tracing\"",
    .has_idle_task = true,
    .sniff = dat_file_sniff,
    .read = import,
};
