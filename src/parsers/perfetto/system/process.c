/* Process trees and the counters of processes. */
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/system/counters.h"
#include "parsers/perfetto/system/pid_namespaces.h"
#include "parsers/perfetto/system/process_args.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/counter.h"
#include "core/store/rows.h"

enum { KTHREADD_PID = 2, CMDLINE_MAX = 4096 };

struct process_entry {
    int64_t pid, ppid, uid, inner_pid;
    uint64_t start_from_boot;
    struct str argv0;
    char cmdline[CMDLINE_MAX]; /* the arguments with blanks between */
    size_t cmdline_size;
    bool has_uid, has_start, has_kthread, is_comm, is_kthread;
    uint32_t arguments, namespaces;
};

static void append_argument(struct process_entry *e, struct str s)
{
    if (e->arguments++ == 0)
        e->argv0 = s;
    else if (e->cmdline_size < CMDLINE_MAX)
        e->cmdline[e->cmdline_size++] = ' ';
    size_t room = CMDLINE_MAX - e->cmdline_size;
    size_t n = s.n < room ? s.n : room;
    memcpy(e->cmdline + e->cmdline_size, s.p, n);
    e->cmdline_size += n;
}

static void read_inner_pids(struct process_entry *e, const struct pb_field *f)
{
    struct pb_packed it = pb_packed_begin(f, PB_WIRE_VARINT);
    uint64_t v;
    while (pb_packed_next(&it, &v)) {
        e->inner_pid = (int32_t)(uint32_t)v;
        e->namespaces++;
    }
}

static void read_process(struct process_entry *e, struct pb_reader r)
{
    struct pb_field f;
    e->pid = e->ppid = e->uid = 0;
    e->start_from_boot = 0;
    e->argv0 = (struct str){"", 0};
    e->cmdline_size = 0;
    e->has_uid = e->has_start = e->has_kthread = e->is_comm = e->is_kthread = false;
    e->arguments = e->namespaces = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ProcessTree_Process_pid:
            e->pid = pb_i32(&f);
            break;
        case PB_ProcessTree_Process_ppid:
            e->ppid = pb_i32(&f);
            break;
        case PB_ProcessTree_Process_cmdline:
            append_argument(e, pb_str(&f));
            break;
        case PB_ProcessTree_Process_uid:
            e->uid = pb_i32(&f);
            e->has_uid = true;
            break;
        case PB_ProcessTree_Process_process_start_from_boot:
            e->start_from_boot = pb_u64(&f);
            e->has_start = true;
            break;
        case PB_ProcessTree_Process_is_kthread:
            e->is_kthread = pb_bool(&f);
            e->has_kthread = true;
            break;
        case PB_ProcessTree_Process_cmdline_is_comm:
            e->is_comm = pb_bool(&f);
            break;
        case PB_ProcessTree_Process_nspid:
            read_inner_pids(e, &f);
            break;
        default:
            break;
        }
    }
}

/* The kernel puts what a worker does behind a '-' or '+': not part of its name. */
static struct str worker_name(struct str name)
{
    if (!str_starts(name, STR("kworker/")))
        return name;
    size_t minus = str_find(name, '-'), plus = str_find(name, '+');
    return str_from_to(name, 0, minus < plus ? minus : plus);
}

static void add_process(struct import *im, const struct packet *p, const struct process_entry *e)
{
    struct trace *t = im->trace;
    if (e->arguments == 0)
        return;
    bool kernel = e->is_kthread || e->ppid == KTHREADD_PID;
    struct str name = e->argv0, cmdline = {e->cmdline, e->cmdline_size};
    if (kernel) {
        name = worker_name(name);
        cmdline = worker_name(cmdline);
    }
    /* Some programs write blanks between the arguments that they show. */
    if (e->arguments == 1)
        name = str_from_to(name, 0, str_find(name, ' '));
    uint32_t parent = process_tracker_process(t, p->machine, e->ppid);
    uint32_t upid = process_tracker_set_process(t, p->machine, e->pid, trace_intern(t, name),
                                                trace_intern(t, cmdline));
    process_tracker_set_parent(t, upid, parent, &p->ts);
    if (e->is_comm)
        process_tracker_set_thread_name(t, process_tracker_thread(t, p->machine, e->pid),
                                        trace_intern(t, cmdline), THREAD_NAME_PROCESS_TREE);
    if (e->namespaces)
        pid_namespaces_add_process(im, p->machine, e->pid, e->inner_pid, e->namespaces);
    if (e->has_uid)
        process_tracker_set_uid(t, upid, (uint32_t)e->uid);
    if (e->has_kthread)
        arg_list_bool(process_args_of(im, upid), trace_intern(t, STR("is_kthread")), e->is_kthread);
    int64_t start;
    if (e->has_start &&
        clock_to_trace_time(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_BOOTTIME,
                            (int64_t)e->start_from_boot, &start))
        process_tracker_set_start(t, upid, start);
}

static void add_thread(struct import *im, const struct packet *p, struct pb_reader message)
{
    struct trace *t = im->trace;
    struct pb_reader r = message;
    struct pb_field f;
    int64_t tid = 0, tgid = 0;
    string_id name = NULL_STRING;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_ProcessTree_Thread_tid:
            tid = pb_i32(&f);
            break;
        case PB_ProcessTree_Thread_tgid:
            tgid = pb_i32(&f);
            break;
        case PB_ProcessTree_Thread_name:
            name = trace_intern(t, worker_name(pb_str(&f)));
            break;
        default:
            break;
        }
    }
    uint32_t utid = process_tracker_update_thread(t, p->machine, tid, tgid);
    process_tracker_set_thread_name(t, utid, name, THREAD_NAME_PROCESS_TREE);
    if (!pid_namespaces_add_thread(im, p->machine, tgid, tid, message))
        packet_log_time(im, p, STAT_namespaced_thread_missing_process, NULL);
}

static void process_tree_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    struct process_entry entry;
    /* All processes before the first thread: utids show in args, and other readers count so. */
    while (pb_next(&r, &f)) {
        if (f.number != PB_ProcessTree_processes)
            continue;
        read_process(&entry, pb_message(&f));
        add_process(im, p, &entry);
    }
    r = bytes_reader(p->field);
    while (pb_next(&r, &f))
        if (f.number == PB_ProcessTree_threads)
            add_thread(im, p, pb_message(&f));
}

static const struct counter_kind memory_kind = {"process_memory", "process_memory_key", NULL};
static const struct counter_kind smaps_kind = {"smaps", "smaps_key", NULL};
static const struct counter_kind chrome_kind = {"chrome_process_stats", "key", NULL};
static const struct counter_kind runtime_kind = {"proc_stat_runtime", "proc_stat_runtime_key",
                                                 NULL};

struct counter_field {
    const struct counter_kind *kind; /* NULL: no counter of this field */
    const char *key, *name;
    int64_t unit;
};

static const struct counter_field counters[] = {
#define MEMORY(field, key) [PB_ProcessStats_Process_##field] = {&memory_kind, key, "mem." key, 1024}
    MEMORY(vm_size_kb, "virt"),
    MEMORY(vm_rss_kb, "rss"),
    MEMORY(rss_anon_kb, "rss.anon"),
    MEMORY(rss_file_kb, "rss.file"),
    MEMORY(rss_shmem_kb, "rss.shmem"),
    MEMORY(vm_swap_kb, "swap"),
    MEMORY(vm_locked_kb, "locked"),
    MEMORY(vm_hwm_kb, "rss.watermark"),
    MEMORY(dmabuf_rss_kb, "dmabuf_rss"),
#undef MEMORY
#define SMAPS(field, key)                                                                          \
    [PB_ProcessStats_Process_smr_##field] = {&smaps_kind, key, "mem.smaps." key, 1024}
    SMAPS(rss_kb, "rss"),
    SMAPS(pss_kb, "pss"),
    SMAPS(pss_anon_kb, "pss.anon"),
    SMAPS(pss_file_kb, "pss.file"),
    SMAPS(pss_shmem_kb, "pss.smem"),
    SMAPS(swap_pss_kb, "swap.pss"),
#undef SMAPS
    [PB_ProcessStats_Process_chrome_private_footprint_kb] = {&chrome_kind, "private_footprint_kb",
                                                             "chrome.private_footprint_kb", 1024},
    [PB_ProcessStats_Process_chrome_peak_resident_set_kb] = {&chrome_kind, "peak_resident_set_kb",
                                                             "chrome.peak_resident_set_kb", 1024},
    [PB_ProcessStats_Process_runtime_user_mode] = {&runtime_kind, "user_ns", "runtime.user_ns", 1},
    [PB_ProcessStats_Process_runtime_kernel_mode] = {&runtime_kind, "kernel_ns",
                                                     "runtime.kernel_ns", 1},
};

enum { COUNTER_COUNT = sizeof counters / sizeof counters[0] };

static void push_process_counter(struct import *im, const struct packet *p, uint32_t upid,
                                 const struct counter_field *c, int64_t value)
{
    struct trace *t = im->trace;
    struct track_spec spec = {
        .type = c->kind->type,
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "upid", .type = ARG_INT, .i = upid},
                       {.key = c->kind->dimension,
                        .type = ARG_STRING,
                        .s = trace_intern_c(t, c->key)}},
        .name = trace_intern_c(t, c->name),
    };
    counter_push(t, p->ts, track_intern(t, &spec), (double)value * (double)c->unit);
}

static void add_descriptor(struct import *im, const struct packet *p, uint32_t upid,
                           struct pb_reader r)
{
    struct filedescriptor_row row = filedescriptor_row_null();
    struct pb_field f;
    row.ts = p->ts;
    row.upid = upid;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ProcessStats_FDInfo_fd)
            row.fd = pb_i64(&f);
        else if (f.number == PB_ProcessStats_FDInfo_path)
            row.path = trace_intern(im->trace, pb_str(&f));
    }
    filedescriptor_append(&im->trace->tables.filedescriptor, &row);
}

/* All that is told of a thread is whose it is. */
static void add_stats_thread(struct import *im, const struct packet *p, int64_t pid,
                             struct pb_reader r)
{
    struct pb_field f;
    int64_t tid = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_ProcessStats_Thread_tid)
            tid = pb_i32(&f);
    process_tracker_update_thread(im->trace, p->machine, tid, pid);
}

/* The last value of each counter field counts, as in any message. Counters, and so their tracks,
 * come in the order of the fields on the wire, which for Linux is that of /proc/PID/status. */
struct process_values {
    int64_t pid, oom_score, values[COUNTER_COUNT];
    uint32_t fields[COUNTER_COUNT], field_count;
    bool present[COUNTER_COUNT], has_oom_score, has_nested;
    bool has_resettable, resettable;
};

static void read_process_values(struct import *im, struct process_values *v, struct pb_reader r)
{
    struct pb_field f;
    *v = (struct process_values){0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_ProcessStats_Process_pid) {
            v->pid = pb_i32(&f);
        } else if (f.number == PB_ProcessStats_Process_oom_score_adj) {
            v->oom_score = pb_i64(&f);
            v->has_oom_score = true;
        } else if (f.number == PB_ProcessStats_Process_fds ||
                   f.number == PB_ProcessStats_Process_threads) {
            v->has_nested = true;
        } else if (f.number < COUNTER_COUNT && counters[f.number].kind) {
            v->values[f.number] = pb_i64(&f);
            if (!v->present[f.number])
                v->fields[v->field_count++] = f.number;
            v->present[f.number] = true;
        } else if (f.number == PB_ProcessStats_Process_is_peak_rss_resettable) {
            v->resettable = pb_bool(&f);
            v->has_resettable = true;
        } else {
            stats_count(im->trace, STAT_proc_stat_unknown_counters);
        }
    }
}

/* Told with every sample, and seldom another each time. */
static void add_resettable(struct import *im, uint32_t upid, bool resettable)
{
    struct arg_list *args = process_args_of(im, upid);
    string_id key = trace_intern(im->trace, STR("is_peak_rss_resettable"));
    for (size_t i = 0; i < args->v.count; i++)
        if (args->v.items[i].key == key) {
            args->v.items[i].i = resettable;
            return;
        }
    arg_list_bool(args, key, resettable);
}

static void add_process_stats(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct process_values v;
    read_process_values(im, &v, r);
    uint32_t upid = process_tracker_process(im->trace, p->machine, v.pid);
    struct pb_field f;
    while (v.has_nested && pb_next(&r, &f)) {
        if (f.number == PB_ProcessStats_Process_fds)
            add_descriptor(im, p, upid, pb_message(&f));
        else if (f.number == PB_ProcessStats_Process_threads)
            add_stats_thread(im, p, v.pid, pb_message(&f));
    }
    if (v.has_resettable)
        add_resettable(im, upid, v.resettable);
    for (uint32_t i = 0; i < v.field_count; i++)
        push_process_counter(im, p, upid, &counters[v.fields[i]], v.values[v.fields[i]]);
    if (!v.has_oom_score)
        return;
    uint32_t track =
        track_process_counter(im->trace, "oom_score_adj",
                              trace_intern(im->trace, STR("oom_score_adj")), NULL, upid);
    counter_push(im->trace, p->ts, track, (double)v.oom_score);
}

static void process_stats_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_ProcessStats_processes)
            add_process_stats(im, p, pb_message(&f));
}

const struct packet_module process_packets[] = {
    {PB_TracePacket_process_tree, .parse = process_tree_parse, .felt = PACKET_AHEAD},
    {PB_TracePacket_process_stats, .parse = process_stats_parse, .felt = PACKET_LAST},
    {0},
};
