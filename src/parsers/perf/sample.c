#include "parsers/perf/sample.h"
#include "core/store/rows.h"

enum { NO_CPU = -1 };

/* A value that an event had counted. */
struct reading {
    uint64_t id, value;
};

/* All that is read of a sample. */
struct fields {
    uint64_t ip, id, period;
    struct perf_sample sample;
    struct bytes readings; /* of struct read_format, from the first value on */
    uint64_t reading_count;
    bool has_id, has_period;
};

static bool in_kernel(enum perf_cpu_mode mode)
{
    return mode == PERF_MODE_KERNEL || mode == PERF_MODE_GUEST_KERNEL;
}

static enum perf_cpu_mode record_mode(const struct perf_record *record)
{
    unsigned mode = record->misc & PERF_RECORD_MISC_CPUMODE_MASK;
    return mode < PERF_MODE_COUNT ? (enum perf_cpu_mode)mode : PERF_MODE_UNKNOWN;
}

static enum perf_cpu_mode context_mode(uint64_t mark)
{
    switch (mark) {
    case PERF_CONTEXT_HV:
        return PERF_MODE_HYPERVISOR;
    case PERF_CONTEXT_KERNEL:
        return PERF_MODE_KERNEL;
    case PERF_CONTEXT_USER:
        return PERF_MODE_USER;
    case PERF_CONTEXT_GUEST_KERNEL:
        return PERF_MODE_GUEST_KERNEL;
    case PERF_CONTEXT_GUEST_USER:
        return PERF_MODE_GUEST_USER;
    default:
        return PERF_MODE_UNKNOWN;
    }
}

/* What one value of a read format takes behind the totals of a group. */
static size_t reading_bytes(uint64_t format)
{
    return 8u * (1u + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST));
}

static void read_values(struct perf_reader *r, uint64_t format, struct fields *f)
{
    bool group = format & PERF_FORMAT_GROUP;
    size_t times = 8u * (!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
                         !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
    if (group) {
        f->reading_count = perf_u64(r);
        perf_take(r, times);
        if (f->reading_count > r->left.n / reading_bytes(format)) {
            r->failed = true;
            return;
        }
        f->readings = perf_take(r, f->reading_count * reading_bytes(format));
        return;
    }
    /* The value stands before the times, the rest behind them: read with the times between. */
    f->reading_count = 1;
    f->readings = perf_take(r, reading_bytes(format) + times);
}

/* The `i`th value that was read with the sample. */
static struct reading reading_at(const struct perf_import *im, const struct fields *f,
                                 uint64_t format, uint64_t i)
{
    struct reading reading = {.id = f->id};
    size_t size = reading_bytes(format), times = 0;
    if (!(format & PERF_FORMAT_GROUP))
        times = 8u * (!!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
                      !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING));
    const uint8_t *p = f->readings.p + i * size;
    reading.value = perf_load64(p, im->big);
    if (format & PERF_FORMAT_ID)
        reading.id = perf_load64(p + 8 + times, im->big);
    return reading;
}

static void read_chain(struct perf_import *im, struct perf_reader *r, enum perf_cpu_mode mode)
{
    uint64_t n = perf_u64(r);
    if (n > r->left.n / 8) {
        r->failed = true;
        return;
    }
    struct perf_reader chain = perf_reader_of(im, perf_take(r, n * 8));
    for (uint64_t i = 0; i < n; i++) {
        uint64_t ip = perf_u64(&chain);
        if (ip >= PERF_CONTEXT_MAX)
            mode = context_mode(ip);
        else
            *vec_push(&im->chain) = (struct perf_address){ip, mode};
    }
}

static void read_fields(struct perf_reader *r, const struct perf_attr *attr, struct fields *f)
{
    uint64_t type = attr->sample_type;
    if (type & PERF_SAMPLE_IDENTIFIER)
        f->id = perf_u64(r);
    if (type & PERF_SAMPLE_IP)
        f->ip = perf_u64(r);
    if (type & PERF_SAMPLE_TID) {
        f->sample.pid = perf_u32(r);
        f->sample.tid = perf_u32(r);
    }
    if (type & PERF_SAMPLE_TIME)
        perf_u64(r);
    if (type & PERF_SAMPLE_ADDR)
        perf_u64(r);
    if (type & PERF_SAMPLE_ID) {
        uint64_t id = perf_u64(r);
        r->failed |= (type & PERF_SAMPLE_IDENTIFIER) && id != f->id;
        f->id = id;
    }
    if (type & PERF_SAMPLE_STREAM_ID)
        perf_u64(r);
    f->sample.cpu = (uint32_t)NO_CPU;
    if (type & PERF_SAMPLE_CPU) {
        f->sample.cpu = perf_u32(r);
        perf_u32(r);
    }
    f->period = attr->sample_period;
    f->has_period = attr->has_period;
    if (type & PERF_SAMPLE_PERIOD) {
        f->period = perf_u64(r);
        f->has_period = true;
    }
    if (type & PERF_SAMPLE_READ) {
        read_values(r, attr->read_format, f);
        r->failed |= f->reading_count == 0;
    }
}

/* Of a record in `mode`; its callchain goes to im->chain. False where it is cut. */
static bool read_sample(struct perf_import *im, const struct perf_record *record,
                        const struct perf_attr *attr, struct fields *f)
{
    struct perf_reader r = perf_reader_of(im, record->body);
    im->chain.count = 0;
    read_fields(&r, attr, f);
    if (attr->sample_type & PERF_SAMPLE_CALLCHAIN && !r.failed)
        read_chain(im, &r, record_mode(record));
    if (r.failed)
        return false;
    if (attr->sample_type & PERF_SAMPLE_RAW) {
        uint32_t n = perf_u32(&r);
        f->sample.raw = perf_take(&r, n);
    }
    if (im->chain.count == 0 && attr->sample_type & PERF_SAMPLE_IP)
        *vec_push(&im->chain) = (struct perf_address){f->ip, record_mode(record)};
    return true;
}

/* The address of a caller is where it will go on: the byte before belongs to its call. simpleperf
 * has subtracted that already. */
static uint32_t add_callsite(struct perf_import *im, uint32_t pid)
{
    uint32_t callsite = NULL_U32;
    for (size_t i = im->chain.count; i-- > 0;) {
        const struct perf_address *a = &im->chain.items[i];
        uint64_t ip = a->ip;
        if (ip != 0 && i != 0 && !im->is_simpleperf)
            ip--;
        uint32_t frame = perf_maps_frame(&im->maps, in_kernel(a->mode), pid, ip);
        callsite = stack_callsite_intern(im->trace, callsite, frame);
    }
    return callsite;
}

/* The values of the counters: rows of profiler_counter_set, whose first is the set's id. False
 * where one of them is of no known event, or nothing says how much was counted. */
static bool add_counters(struct perf_import *im, int64_t ts, struct perf_attr *attr,
                         const struct fields *f, uint32_t *set)
{
    struct table *sets = &im->trace->tables.profiler_counter_set;
    uint64_t many = attr->sample_type & PERF_SAMPLE_READ ? f->reading_count : 0;
    struct profiler_counter_set_row row = {.counter_set_id = sets->rows};
    *set = NULL_U32;
    for (uint64_t i = 0; i < many; i++) {
        struct reading reading = reading_at(im, f, attr->read_format, i);
        struct perf_attr *of =
            attr->read_format & PERF_FORMAT_ID ? perf_attr_of_id(&im->attrs, reading.id) : attr;
        if (!of)
            return false;
        row.counter_id = perf_attr_count_to(&im->attrs, of, im->trace, ts, f->sample.cpu,
                                            reading.id, (double)reading.value);
        profiler_counter_set_append(sets, &row);
        *set = row.counter_set_id;
    }
    if (many)
        return true;
    if (!f->has_period)
        return false;
    row.counter_id =
        perf_attr_count(&im->attrs, attr, im->trace, ts, f->sample.cpu, (double)f->period);
    profiler_counter_set_append(sets, &row);
    *set = row.counter_set_id;
    return true;
}

bool perf_sample_add(struct perf_import *im, int64_t ts, struct perf_attr *attr,
                     const struct perf_record *record, struct perf_sample *sample)
{
    struct trace *t = im->trace;
    struct fields f = {0};
    if (!read_sample(im, record, attr, &f) || !(attr->sample_type & PERF_SAMPLE_TIME) ||
        !(attr->sample_type & PERF_SAMPLE_TID))
        return false;
    *sample = f.sample;
    enum perf_cpu_mode mode = record_mode(record);
    if (mode == PERF_MODE_UNKNOWN)
        stats_count(t, STAT_perf_samples_cpu_mode_unknown);
    uint32_t utid =
        process_tracker_update_thread(t, im->machine, (int32_t)f.sample.tid, (int32_t)f.sample.pid);
    uint32_t ucpu =
        attr->sample_type & PERF_SAMPLE_CPU ? trace_ucpu(t, im->machine, f.sample.cpu) : NULL_U32;
    sample->utid = utid;
    struct profiler_sample_row row = profiler_sample_row_null();
    row.ts = ts;
    row.source = im->samples.source;
    row.session_id = attr->session;
    row.task_context_id = samples_task(&im->samples, utid);
    row.execution_context_id = samples_execution(&im->samples, ucpu, im->mode_names[mode]);
    row.callsite_id = add_callsite(im, f.sample.pid);
    bool counted = add_counters(im, ts, attr, &f, &row.counter_set_id);
    profiler_sample_append(&t->tables.profiler_sample, &row);
    return counted;
}
