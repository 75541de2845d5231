#include "parsers/perfetto/ftrace/ftrace_retime.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "parsers/perfetto/packets/clock.h"
#include "pb_fields.h"

enum { ADRENO_TICKS_PER_SECOND = 19200000, NS_PER_SECOND = 1000000000 };

/* The kernel's clock and the gpu's ticks at one moment, by command batch. */
struct adreno_sync {
    int64_t ts, ticks;
};

/* A retired batch that came before its sync. Its row is there twice, as in other readers. */
struct adreno_retired {
    uint32_t queue;
    int64_t ts, start_ticks;
    const uint8_t *at;
};

struct ftrace_retimed {
    struct map syncs; /* batch -> index */
    VEC(struct adreno_sync) sync_list;
    struct map waiting; /* batch -> index */
    VEC(struct adreno_retired) waiting_list;
};

void ftrace_retimed_free(struct ftrace_retimed *r)
{
    if (!r)
        return;
    map_release(&r->syncs);
    vec_release(&r->sync_list);
    map_release(&r->waiting);
    vec_release(&r->waiting_list);
    free(r);
}

static struct ftrace_retimed *state(struct ftrace_import *f)
{
    if (!f->retimed)
        f->retimed = alloc_array(1, sizeof *f->retimed);
    return f->retimed;
}

static int64_t int_field(struct bytes payload, uint32_t number)
{
    struct pb_field f;
    return payload_find(payload.p, payload.n, number, &f) ? pb_i64(&f) : 0;
}

static void push_both(struct bundle_context *b, uint32_t queue, int64_t ts, int64_t when,
                      const uint8_t *at)
{
    ftrace_push(b->f, queue, ts, at, FTRACE_PUSH_ROW);
    ftrace_push(b->f, queue, when, at, FTRACE_PUSH_HANDLER);
}

/* The field with the event's time on the trace clock; 0 where it has none. */
static uint32_t time_field(uint32_t id)
{
    switch (id) {
    case PB_FtraceEvent_thermal_exynos_acpm_bulk:
        return PB_ThermalExynosAcpmBulkFtraceEvent_timestamp;
    case PB_FtraceEvent_param_set_value_cpm:
        return PB_ParamSetValueCpmFtraceEvent_timestamp;
    case PB_FtraceEvent_fwtp_perfetto_counter:
        return PB_FwtpPerfettoCounterFtraceEvent_timestamp;
    case PB_FtraceEvent_fwtp_perfetto_slice:
        return PB_FwtpPerfettoSliceFtraceEvent_timestamp;
    default:
        return 0;
    }
}

/* Events without their time are malformed. */
static void push_at_field(struct bundle_context *b, int64_t ts, const uint8_t *at,
                          struct bytes payload, uint32_t number)
{
    struct pb_field f;
    if (!payload_find(payload.p, payload.n, number, &f)) {
        stats_count(b->f->im->trace, STAT_ftrace_bundle_tokenizer_errors);
        return;
    }
    push_both(b, b->queue, ts, pb_i64(&f), at);
}

/* The period's times are of CLOCK_MONOTONIC_RAW. */
static bool raw_time(struct bundle_context *b, int64_t raw, int64_t *out)
{
    return clock_to_trace_time(b->f->im, b->packet->sequence, b->packet->machine,
                               PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC_RAW, raw, out);
}

static void push_work_period(struct bundle_context *b, int64_t ts, const uint8_t *at,
                             struct bytes payload)
{
    struct import *im = b->f->im;
    struct pb_field f;
    int64_t when;
    if (!payload_find(payload.p, payload.n, PB_GpuWorkPeriodFtraceEvent_start_time_ns, &f)) {
        stats_count(im->trace, STAT_ftrace_bundle_tokenizer_errors);
        return;
    }
    if (!raw_time(b, pb_i64(&f), &when)) {
        clock_count_failure(im);
        return;
    }
    push_both(b, b->queue, ts, when, at);
}

static int64_t gpu_start(const struct adreno_sync *sync, int64_t ticks)
{
    int64_t offset;
    uint64_t delta = (uint64_t)ticks - (uint64_t)sync->ticks;
    if (__builtin_mul_overflow((int64_t)delta, NS_PER_SECOND, &offset))
        return sync->ts;
    return (int64_t)((uint64_t)sync->ts + (uint64_t)(offset / ADRENO_TICKS_PER_SECOND));
}

static struct adreno_sync sync_read(int64_t ts, struct bytes payload)
{
    return (struct adreno_sync){ts, int_field(payload, PB_KgslAdrenoCmdbatchSyncFtraceEvent_ticks)};
}

/* Contexts count their batches each for themselves: of two with one number the first counts, as in
 * other readers. */
static void keep_sync(struct ftrace_retimed *r, int64_t ts, struct bytes payload)
{
    uint32_t batch = (uint32_t)int_field(payload, PB_KgslAdrenoCmdbatchSyncFtraceEvent_timestamp);
    bool inserted;
    uint32_t *at = map_insert(&r->syncs, batch, &inserted);
    if (!inserted)
        return;
    *at = (uint32_t)r->sync_list.count;
    *vec_push(&r->sync_list) = sync_read(ts, payload);
}

static void push_adreno_sync(struct bundle_context *b, int64_t ts, const uint8_t *at,
                             struct bytes payload)
{
    struct ftrace_retimed *r = state(b->f);
    uint32_t batch = (uint32_t)int_field(payload, PB_KgslAdrenoCmdbatchSyncFtraceEvent_timestamp);
    struct adreno_sync sync = sync_read(ts, payload);
    const uint32_t *waiting = map_find(&r->waiting, batch);
    if (waiting) {
        const struct adreno_retired *retired = &r->waiting_list.items[*waiting];
        push_both(b, retired->queue, retired->ts, gpu_start(&sync, retired->start_ticks),
                  retired->at);
        map_remove(&r->waiting, batch);
    } else {
        keep_sync(r, ts, payload);
    }
    ftrace_push(b->f, b->queue, ts, at, FTRACE_PUSH_WHOLE);
}

static void push_adreno_retired(struct bundle_context *b, int64_t ts, const uint8_t *at,
                                struct bytes payload)
{
    struct ftrace_retimed *r = state(b->f);
    uint32_t batch =
        (uint32_t)int_field(payload, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_timestamp);
    int64_t start = int_field(payload, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_start);
    const uint32_t *sync = map_find(&r->syncs, batch);
    if (sync) {
        push_both(b, b->queue, ts, gpu_start(&r->sync_list.items[*sync], start), at);
        map_remove(&r->syncs, batch);
        return;
    }
    ftrace_push(b->f, b->queue, ts, at, FTRACE_PUSH_ROW);
    bool inserted;
    uint32_t *waiting = map_insert(&r->waiting, batch, &inserted);
    if (!inserted)
        return;
    *waiting = (uint32_t)r->waiting_list.count;
    *vec_push(&r->waiting_list) = (struct adreno_retired){b->queue, ts, start, at};
}

bool ftrace_retime(struct bundle_context *b, uint32_t id, int64_t ts, const uint8_t *at,
                   struct bytes payload)
{
    switch (id) {
    case PB_FtraceEvent_gpu_work_period:
        push_work_period(b, ts, at, payload);
        return true;
    case PB_FtraceEvent_kgsl_adreno_cmdbatch_sync:
        push_adreno_sync(b, ts, at, payload);
        return true;
    case PB_FtraceEvent_kgsl_adreno_cmdbatch_retired:
        push_adreno_retired(b, ts, at, payload);
        return true;
    default:
        break;
    }
    uint32_t field = time_field(id);
    if (field)
        push_at_field(b, ts, at, payload, field);
    return field;
}

static bool work_span(struct bundle_context *b, struct bytes payload, struct own_span *out)
{
    int64_t begin = int_field(payload, PB_GpuWorkPeriodFtraceEvent_start_time_ns);
    int64_t end = int_field(payload, PB_GpuWorkPeriodFtraceEvent_end_time_ns);
    if (!raw_time(b, begin, &out->begin))
        return false;
    out->end = time_plus(out->begin, time_minus(end, begin));
    return true;
}

static bool adreno_span(struct bundle_context *b, struct bytes payload, struct own_span *out)
{
    const struct ftrace_retimed *r = state(b->f);
    uint32_t batch =
        (uint32_t)int_field(payload, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_timestamp);
    int64_t start = int_field(payload, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_start);
    int64_t retire = int_field(payload, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_retire);
    const uint32_t *sync = map_find(&r->syncs, batch);
    if (!sync)
        return false;
    out->begin = gpu_start(&r->sync_list.items[*sync], start);
    out->end = gpu_start(&r->sync_list.items[*sync], retire);
    return true;
}

bool ftrace_own_span(struct bundle_context *b, uint32_t id, struct bytes payload,
                     struct own_span *out)
{
    if (id == PB_FtraceEvent_gpu_work_period)
        return work_span(b, payload, out);
    if (id == PB_FtraceEvent_kgsl_adreno_cmdbatch_retired)
        return adreno_span(b, payload, out);
    struct pb_field f;
    out->begin = out->end = INT64_MAX;
    if (payload_find(payload.p, payload.n, time_field(id), &f))
        out->begin = out->end = pb_i64(&f);
    return true;
}

void ftrace_note_sync(struct ftrace_import *f, uint32_t id, int64_t ts, struct bytes payload)
{
    if (id == PB_FtraceEvent_kgsl_adreno_cmdbatch_sync)
        keep_sync(state(f), ts, payload);
}
