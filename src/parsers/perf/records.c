#include "parsers/perf/records.h"

#include "base/alloc.h"
#include "parsers/input/decompress.h"
#include "parsers/perf/aux_data.h"
#include "parsers/perf/features.h"
#include "parsers/perf/sample.h"
#include "parsers/perf/simpleperf.h"
#include "parsers/perf/spe.h"
#include "parsers/perf/stat.h"
#include "parsers/perf/tracepoint.h"

enum { NAME_OF_EVENT = 2, PROGRESS_STEP = 1 << 10 };

/* In place of a time: the least of the file, known at its end. */
static const int64_t AT_LEAST = INT64_MIN;

/* Records that come one after the other, and where they come from. */
struct scan {
    struct perf_import *im;
    struct perf_reader left;
};

/* Whether a record tells of nothing that happened to what was recorded, or another stat counts what
 * it tells. Of simpleperf's own none does. */
static bool has_no_event(uint32_t type)
{
    switch (type) {
    case PERF_RECORD_LOST:
    case PERF_RECORD_EXIT:
    case PERF_RECORD_THROTTLE:
    case PERF_RECORD_UNTHROTTLE:
    case PERF_RECORD_FORK:
    case PERF_RECORD_READ:
    case PERF_RECORD_LOST_SAMPLES:
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
    case PERF_RECORD_NAMESPACES:
    case PERF_RECORD_KSYMBOL:
    case PERF_RECORD_BPF_EVENT:
    case PERF_RECORD_CGROUP:
    case PERF_RECORD_TEXT_POKE:
    case PERF_RECORD_AUX_OUTPUT_HW_ID:
    case PERF_RECORD_HEADER_EVENT_TYPE:
    case PERF_RECORD_FINISHED_ROUND:
    case PERF_RECORD_ID_INDEX:
    case PERF_RECORD_THREAD_MAP:
    case PERF_RECORD_CPU_MAP:
    case PERF_RECORD_STAT_CONFIG:
    case PERF_RECORD_STAT:
    case PERF_RECORD_STAT_ROUND:
    case PERF_RECORD_FINISHED_INIT:
    case PERF_RECORD_BPF_METADATA:
        return true;
    default:
        return type >= SIMPLE_PERF_RECORD_TYPE_START;
    }
}

/* A record that Trace Processor does not know, counted as it counts it. */
static void pass_record(struct perf_import *im, uint32_t type)
{
    stats_add(im->trace, STAT_perf_unknown_record_type, type, 1);
    stats_add(im->trace, STAT_perf_record_skipped, type, 1);
    im->trace->builder->harmless[STAT_perf_record_skipped] += has_no_event(type);
}

/* An event of a pipe: its attr, which says how long it is, and its ids. */
static void read_attr(struct perf_import *im, struct bytes body)
{
    struct perf_reader r = perf_reader_of(im, body), attr = r;
    perf_take(&attr, 4);
    struct bytes bytes = perf_take(&r, perf_u32(&attr));
    if (attr.failed || r.failed)
        return;
    uint32_t index = perf_attrs_add(&im->attrs, im->trace, bytes, im->big);
    while (r.left.n >= 8)
        perf_attrs_add_id(&im->attrs, perf_u64(&r), index);
}

static void read_event_update(struct perf_import *im, struct bytes body)
{
    struct perf_reader r = perf_reader_of(im, body);
    uint64_t what = perf_u64(&r);
    struct perf_attr *attr = perf_attr_of_id(&im->attrs, perf_u64(&r));
    if (attr && what == NAME_OF_EVENT)
        attr->name = trace_intern(im->trace, perf_text(r.left));
}

/* Which cpu and thread each id of an event counts; -1 is all of them. */
static void read_id_index(struct perf_import *im, struct bytes body)
{
    enum { ID_INDEX_AND_CPU = 24 };
    struct perf_reader r = perf_reader_of(im, body);
    perf_u64(&r);
    perf_take(&r, ID_INDEX_AND_CPU);
    uint64_t tid = perf_u64(&r);
    im->sched.system_wide |= !r.failed && tid == UINT64_MAX;
}

static void keep_packed(struct perf_import *im, struct bytes packed)
{
    vec_append(&im->packed, packed.p, packed.n);
}

static bool read_packed(struct perf_import *im, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(im, record->body);
    uint64_t n = record->type == PERF_RECORD_COMPRESSED2 ? perf_u64(&r) : record->body.n;
    struct bytes packed = perf_take(&r, n);
    if (!r.failed)
        keep_packed(im, packed);
    return !r.failed;
}

/* Some records have more bytes behind them than their size says. */
static struct bytes take_behind(struct scan *s, uint64_t size)
{
    size_t there = s->left.left.n;
    struct bytes data = perf_take(&s->left, size);
    if (s->left.failed)
        stats_add(s->im->trace, STAT_trace_truncated_bytes, STAT_SINGLE, (int64_t)there);
    return data;
}

static bool read_auxtrace(struct scan *s, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(s->im, record->body);
    uint64_t size = perf_u64(&r);
    return perf_aux_data(s->im->aux, record->body, take_behind(s, size));
}

static void read_tracing_data(struct scan *s, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(s->im, record->body);
    uint64_t size = perf_u32(&r);
    bool inside = size <= r.left.n; /* as simpleperf writes it */
    struct bytes data = inside ? perf_take(&r, size) : take_behind(s, (size + 7) / 8 * 8);
    perf_tracepoints_read(s->im->tracepoints, data);
}

static void read_feature(struct scan *s, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(s->im, record->body);
    uint64_t feature = perf_u64(&r);
    if (feature < PERF_FEATURES)
        perf_feature_read(s->im, (uint32_t)feature, r.left);
}

/* Records that describe events. False where it is none of them. */
static bool read_description(struct scan *s, const struct perf_record *record)
{
    struct perf_import *im = s->im;
    switch (record->type) {
    case PERF_RECORD_HEADER_ATTR:
        read_attr(im, record->body);
        return true;
    case PERF_RECORD_HEADER_TRACING_DATA:
        read_tracing_data(s, record);
        return true;
    case PERF_RECORD_HEADER_BUILD_ID:
        perf_feature_build_id(im, record);
        return true;
    case PERF_RECORD_HEADER_FEATURE:
        read_feature(s, record);
        return true;
    case PERF_RECORD_EVENT_UPDATE:
        read_event_update(im, record->body);
        return true;
    default:
        return false;
    }
}

/* Records of the recorder: of no event, and of no time. False where one cannot be used. */
static bool read_user_record(struct scan *s, const struct perf_record *record)
{
    struct perf_import *im = s->im;
    switch (record->type) {
    case PERF_RECORD_AUXTRACE:
        return read_auxtrace(s, record);
    case PERF_RECORD_AUXTRACE_INFO:
        return perf_aux_info(im->aux, record->body);
    case PERF_RECORD_TIME_CONV:
        return perf_aux_time_conversion(im->aux, record->body);
    case PERF_RECORD_COMPRESSED:
    case PERF_RECORD_COMPRESSED2:
        return read_packed(im, record);
    case PERF_RECORD_ID_INDEX:
        read_id_index(im, record->body);
        break;
    case PERF_RECORD_STAT:
        perf_stat_read(im, record->body);
        break;
    case PERF_RECORD_STAT_ROUND:
        perf_stat_round(im, record->body);
        break;
    default:
        if (read_description(s, record))
            return true;
        if (record->type >= SIMPLE_PERF_RECORD_TYPE_START &&
            simpleperf_read(im, record->type, record->body))
            return true;
        break;
    }
    pass_record(im, record->type);
    return true;
}

static void push_record(struct perf_import *im, int64_t ts, int rank, const uint8_t *header)
{
    *vec_push(&im->records) = (struct timed){.ts = ts, .rank = rank, .record = header};
}

/* Keeps the records without a time at `ts`. */
static void push_untimed(struct perf_import *im, int64_t ts)
{
    for (size_t i = 0; i < im->untimed.count; i++)
        push_record(im, ts, PERF_RANK_RECORD, im->untimed.items[i]);
    im->untimed.count = 0;
}

/* The name of a thread has its own time, or the least of all. What another program's start means
 * for the code of its process is told where the record stands. */
static void keep_comm(struct perf_import *im, int64_t time, const struct perf_record *record,
                      const uint8_t *header)
{
    push_record(im, time ? time : AT_LEAST, PERF_RANK_NAME, header);
    if (!(record->misc & PERF_RECORD_MISC_COMM_EXEC))
        return;
    if (time)
        push_record(im, time, PERF_RANK_RECORD, header);
    else
        *vec_push(&im->untimed) = header;
}

/* Records that say nothing of their time, or 0, go right before the next that does and is no COMM,
 * at the least time so far; those before all others, which the recorder makes up, at the least of
 * all. */
static void keep_at(struct perf_import *im, int64_t time, const uint8_t *header)
{
    if (time == 0) {
        *vec_push(&im->untimed) = header;
        return;
    }
    push_untimed(im, im->any_kept ? im->least : AT_LEAST);
    im->any_kept = true;
    push_record(im, time, PERF_RANK_RECORD, header);
}

/* False where the record cannot be read. */
static bool keep_record(struct perf_import *im, const struct perf_record *record)
{
    uint64_t time;
    const struct perf_attr *attr = perf_attr_of_record(&im->attrs, record, im->big);
    if (!attr || !perf_attr_time(attr, record, im->big, &time) || time > INT64_MAX)
        return false;
    im->sched.has_records |=
        record->type == PERF_RECORD_SWITCH || record->type == PERF_RECORD_SWITCH_CPU_WIDE;
    if (record->type == PERF_RECORD_AUX)
        return perf_aux_valid(im->aux, attr, record);
    if (record->type == PERF_RECORD_ITRACE_START)
        perf_aux_start(im->aux, attr, record, time);
    if (record->type == PERF_RECORD_AUX_OUTPUT_HW_ID)
        perf_aux_output_id(im->aux, attr, record);
    int64_t ts = (int64_t)time;
    if (ts && (!im->least || ts < im->least))
        im->least = ts;
    if (ts > im->latest)
        im->latest = ts;
    const uint8_t *header = record->body.p - PERF_RECORD_HEADER_BYTES;
    if (record->type == PERF_RECORD_COMM)
        keep_comm(im, ts, record, header);
    else
        keep_at(im, ts, header);
    return true;
}

bool perf_records_scan(struct perf_import *im, struct bytes records)
{
    struct scan s = {im, perf_reader_of(im, records)};
    struct perf_record record;
    for (unsigned n = 1; perf_record_next(&s.left, &record); n++) {
        bool used = record.type >= PERF_RECORD_USER_TYPE_START ? read_user_record(&s, &record)
                                                               : keep_record(im, &record);
        if (!used)
            perf_skip_record(im, record.type);
        if (n % PROGRESS_STEP == 0 &&
            !progress_report(im->progress, (uint64_t)(s.left.left.p - records.p)))
            return false;
    }
    if (s.left.left.n > 0)
        stats_add(im->trace, STAT_trace_truncated_bytes, STAT_SINGLE, (int64_t)s.left.left.n);
    return true;
}

/* The pieces are one stream, which has no end. */
bool perf_records_unpack(struct perf_import *im)
{
    struct bytes packed = {im->packed.items, im->packed.count};
    if (packed.n == 0)
        return true;
    struct decompressed inside = decompress(COMPRESSION_ZSTD, packed, SIZE_MAX,
                                            &im->trace->builder->unpacking, im->progress);
    im->unpacked = (struct bytes){inside.p, inside.n};
    im->packed.count = 0;
    if (inside.n == 0)
        stats_count(im->trace, STAT_decompression_errors);
    return !inside.cancelled && perf_records_scan(im, im->unpacked);
}

static uint32_t update_thread(struct perf_import *im, uint32_t tid, uint32_t pid)
{
    return process_tracker_update_thread(im->trace, im->machine, (int32_t)tid, (int32_t)pid);
}

static uint32_t upid_of(const struct perf_import *im, uint32_t utid)
{
    return table_u32(&im->trace->tables.thread, thread_col_upid)[utid];
}

static bool apply_exec(struct perf_import *im, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(im, record->body);
    uint32_t pid = perf_u32(&r);
    if (!r.failed)
        perf_maps_exec(&im->maps, pid);
    return !r.failed;
}

static bool apply_name(struct perf_import *im, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(im, record->body);
    uint32_t pid = perf_u32(&r), tid = perf_u32(&r);
    struct str comm = perf_c_string(&r);
    if (r.failed)
        return false;
    uint32_t utid = update_thread(im, tid, pid);
    string_id name = trace_intern(im->trace, comm);
    process_tracker_set_thread_name(im->trace, utid, name, THREAD_NAME_PROCESS_TREE);
    process_tracker_set_process_name_if_main(im->trace, utid, name, PROCESS_NAME_SYSTEM);
    return true;
}

/* The fields of MMAP2 before its path; `map->build_id` is set where the record has it. */
static void read_mmap2_fields(const struct perf_record *record, struct perf_reader *r,
                              struct perf_mmap *map)
{
    enum { FILE_BYTES = 24, ID_AT = 4, ID_MOST = 20, PROT_AND_FLAGS = 8 };
    struct bytes file = perf_take(r, FILE_BYTES);
    perf_take(r, PROT_AND_FLAGS);
    if (r->failed || !(record->misc & PERF_RECORD_MISC_MMAP_BUILD_ID))
        return;
    size_t n = file.p[0] < ID_MOST ? file.p[0] : ID_MOST;
    map->build_id = (struct bytes){file.p + ID_AT, n};
}

static bool apply_mmap(struct perf_import *im, int64_t ts, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(im, record->body);
    struct perf_mmap map = {.pid = perf_u32(&r)};
    uint32_t tid = perf_u32(&r);
    map.start = perf_u64(&r);
    map.size = perf_u64(&r);
    map.offset = perf_u64(&r);
    if (record->type == PERF_RECORD_MMAP2)
        read_mmap2_fields(record, &r, &map);
    map.path = perf_c_string(&r);
    if (r.failed)
        return false;
    unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    uint32_t upid = NULL_U32;
    if (mode != PERF_MODE_KERNEL && mode != PERF_MODE_GUEST_KERNEL)
        upid = upid_of(im, update_thread(im, tid, map.pid));
    perf_maps_add(&im->maps, ts, upid, &map);
    return true;
}

static bool apply_itrace_start(struct perf_import *im, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(im, record->body);
    uint32_t pid = perf_u32(&r), tid = perf_u32(&r);
    if (r.failed)
        return false;
    update_thread(im, tid, pid);
    return true;
}

/* A new process has the code of its parent. It gets a row when something else is known of it. */
static void apply_fork(struct perf_import *im, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(im, record->body);
    uint32_t pid = perf_u32(&r), parent = perf_u32(&r);
    if (!r.failed && pid != parent)
        perf_maps_fork(&im->maps, pid, parent);
}

static bool apply_sample(struct perf_import *im, int64_t ts, const struct perf_record *record)
{
    struct perf_attr *attr = perf_attr_of_record(&im->attrs, record, im->big);
    struct perf_sample sample = {0};
    if (!attr)
        return false;
    bool used = perf_sample_add(im, ts, attr, record, &sample);
    if (used && attr->type == PERF_TYPE_TRACEPOINT)
        perf_tracepoint_add(im->tracepoints, ts, attr, &sample);
    return used;
}

/* A thread came onto a cpu, or left it. */
static void apply_switch(struct perf_import *im, int64_t ts, const struct perf_record *record)
{
    const struct perf_attr *attr = perf_attr_of_record(&im->attrs, record, im->big);
    struct perf_sample_id id = {0};
    if (attr)
        id = perf_attr_sample_id(attr, record, im->big);
    if (!id.has_tid || !id.has_cpu || im->sched.has_switches)
        return;
    uint32_t utid = update_thread(im, id.tid, id.pid);
    if (record->misc & PERF_RECORD_MISC_SWITCH_OUT)
        perf_sched_out(&im->sched, im->trace, ts, id.cpu, utid,
                       record->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT);
    else
        perf_sched_in(&im->sched, im->trace, ts, id.cpu, utid);
}

static void apply_lost(struct perf_import *im, const struct perf_record *record)
{
    const struct perf_attr *attr = perf_attr_of_record(&im->attrs, record, im->big);
    struct perf_reader r = perf_reader_of(im, record->body);
    if (record->type == PERF_RECORD_LOST)
        perf_u64(&r); /* id */
    uint64_t lost = perf_u64(&r);
    if (!attr || r.failed || lost > INT32_MAX)
        return;
    uint32_t cpu = perf_attr_sample_id(attr, record, im->big).cpu;
    stats_add(im->trace, STAT_perf_cpu_lost_records, cpu, (int64_t)lost);
}

/* Records that Trace Processor does not know. */
static void apply_other(struct perf_import *im, int64_t ts, const struct perf_record *record)
{
    switch (record->type) {
    case PERF_RECORD_FORK:
        apply_fork(im, record);
        break;
    case PERF_RECORD_SWITCH:
    case PERF_RECORD_SWITCH_CPU_WIDE:
        apply_switch(im, ts, record);
        break;
    case PERF_RECORD_LOST:
    case PERF_RECORD_LOST_SAMPLES:
        apply_lost(im, record);
        break;
    case PERF_RECORD_THROTTLE:
        stats_count(im->trace, STAT_perf_throttled);
        break;
    default:
        break;
    }
    pass_record(im, record->type);
}

/* False where the record cannot be used. */
static bool apply_record(struct perf_import *im, int64_t ts, const struct perf_record *record)
{
    switch (record->type) {
    case PERF_RECORD_COMM:
        return apply_exec(im, record);
    case PERF_RECORD_MMAP:
    case PERF_RECORD_MMAP2:
        return apply_mmap(im, ts, record);
    case PERF_RECORD_SAMPLE:
        return apply_sample(im, ts, record);
    case PERF_RECORD_ITRACE_START:
        return apply_itrace_start(im, record);
    default:
        apply_other(im, ts, record);
        return true;
    }
}

/* The record at a header that was seen before. The file may have changed since. */
static bool record_at(const struct perf_import *im, const uint8_t *header,
                      struct perf_record *record)
{
    const struct bytes *in = &im->file;
    if (header < in->p || header >= in->p + in->n)
        in = &im->unpacked;
    size_t left = in->n - (size_t)(header - in->p);
    struct perf_reader r = perf_reader_of(im, (struct bytes){header, left});
    return perf_record_next(&r, record);
}

/* Applies what waited until `ts`, of the recording's clock. */
static void apply_kept(struct perf_import *im, const struct timed *timed)
{
    struct perf_record record = {0};
    int64_t ts = timed->ts;
    bool spe = timed->rank == PERF_RANK_SPE;
    if (!spe && !record_at(im, timed->record, &record))
        return;
    if (im->converts) {
        struct clock_failure failure = {.clock = im->clock, .timestamp = ts};
        failure.result = clock_convert(im->trace, im->machine, im->clock, ts, &ts);
        if (failure.result != CLOCK_CONVERTED) {
            clock_log_failure(im->trace, &failure, -1);
            return;
        }
    }
    if (spe) {
        perf_spe_apply(im, ts, timed->record);
        return;
    }
    bool used =
        timed->rank == PERF_RANK_NAME ? apply_name(im, &record) : apply_record(im, ts, &record);
    if (!used)
        perf_skip_record(im, record.type);
}

/* Of a recording without times all is kept; else nothing is known of untimed records at the end. */
static void settle_times(struct perf_import *im)
{
    if (!im->any_kept)
        push_untimed(im, AT_LEAST);
    for (size_t i = 0; i < im->records.count; i++)
        if (im->records.items[i].ts == AT_LEAST)
            im->records.items[i].ts = im->least;
}

bool perf_records_apply(struct perf_import *im)
{
    settle_times(im);
    progress_begin(im->progress, LOAD_SORTING, im->records.count);
    time_sort(im->records.items, im->records.count);
    for (size_t i = 0; i < im->records.count; i++) {
        apply_kept(im, &im->records.items[i]);
        if (i % PROGRESS_STEP == 0 && !progress_report(im->progress, i))
            return false;
    }
    return true;
}
