/* Graphics: gpu frequency, memory and work, Adreno's batches, Mali, DRM's vblanks, scheduler and
 * fences. */
#include "base/hash.h"
#include "core/counter.h"
#include "core/import_log.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "parsers/perfetto/system/counters.h"
#include "pb_fields.h"

enum { ADRENO_TICKS_PER_SECOND = 19200000 };

/* A queue of numbers; `next` is the first that is still in it. */
struct number_queue {
    VEC(uint64_t) items;
    size_t next;
};

/* Jobs or fences of one ring or timeline, shown one after the other. */
struct gpu_timeline {
    uint32_t track;
    bool has_emit; /* fences are only counted from their emit on */
    struct number_queue pending;
};

struct ftrace_gpu {
    struct map adreno_threads; /* context -> tid of the submitter */
    struct map rings;          /* name -> timeline */
    struct map fence_contexts; /* context -> timeline */
    VEC(struct gpu_timeline) timelines;
    struct map job_slices;  /* ring and job -> the slice that queued it */
    struct map fence_rings; /* fence -> ring */
    string_id mcu_state;
};

static void release(void *state)
{
    struct ftrace_gpu *g = state;
    for (size_t i = 0; i < g->timelines.count; i++)
        vec_release(&g->timelines.items[i].pending.items);
    vec_release(&g->timelines);
    map_release(&g->adreno_threads);
    map_release(&g->rings);
    map_release(&g->fence_contexts);
    map_release(&g->job_slices);
    map_release(&g->fence_rings);
}

static struct ftrace_gpu *state(const struct ftrace_event *e)
{
    return ftrace_state(e->f, FTRACE_MODULE_gpu);
}

/* --- Frequency, memory, work */

static struct track_spec gpu_spec(const struct ftrace_event *e, const char *type, const char *name,
                                  const char *unit, uint32_t gpu)
{
    uint32_t ugpu = import_ugpu(e->f->im, e->cpu->machine, gpu);
    return (struct track_spec){
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = e->cpu->machine,
        .dimension_count = 2,
        .dimensions = {dimension_int("ugpu", ugpu), dimension_int("gpu", gpu)},
        .name = trace_intern_c(e->t, name),
        .unit = trace_intern_c(e->t, unit),
    };
}

static void frequency(const struct ftrace_event *e, uint32_t gpu, double value)
{
    struct track_spec spec = gpu_spec(e, "gpu_frequency", "gpufreq", "kHz", gpu);
    counter_push(e->t, e->ts, track_intern(e->t, &spec), value);
}

static void on_gpu_frequency(const struct ftrace_event *e)
{
    frequency(e, event_u32(e, PB_GpuFrequencyFtraceEvent_gpu_id),
              event_u32(e, PB_GpuFrequencyFtraceEvent_state));
}

static void on_kgsl_gpu_frequency(const struct ftrace_event *e)
{
    frequency(e, event_u32(e, PB_KgslGpuFrequencyFtraceEvent_gpu_id),
              (double)event_uint(e, PB_KgslGpuFrequencyFtraceEvent_gpu_freq) * 1000);
}

static void on_gpu_mem_total(const struct ftrace_event *e)
{
    uint32_t gpu = event_u32(e, PB_GpuMemTotalFtraceEvent_gpu_id);
    uint32_t pid = event_u32(e, PB_GpuMemTotalFtraceEvent_pid), machine = e->cpu->machine;
    double size = (double)event_uint(e, PB_GpuMemTotalFtraceEvent_size);
    if (pid == 0) { /* of all processes */
        struct track_spec spec = gpu_spec(e, "gpu_memory", "GPU Memory", "bytes", gpu);
        counter_push(e->t, e->ts, track_intern(e->t, &spec), size);
        return;
    }
    /* Kernel threads report it after the process's death, too: that must not make a new one. */
    uint32_t utid = process_tracker_find_thread(e->t, machine, pid);
    if (utid == NULL_U32)
        return;
    process_tracker_update_thread(e->t, machine, pid, pid);
    uint32_t upid = table_u32(&e->t->tables.thread, thread_col_upid)[utid];
    struct track_spec spec = gpu_spec(e, "process_gpu_memory", "GPU Memory", "bytes", gpu);
    spec.dimensions[spec.dimension_count++] = dimension_int("upid", upid);
    counter_push(e->t, e->ts, track_intern(e->t, &spec), size);
}

static void log_period(const struct ftrace_event *e, uint64_t begin, uint64_t end, uint32_t gpu)
{
    struct arg_list args = {0};
    arg_list_int(&args, trace_intern(e->t, STR("start_time_ns")), (int64_t)begin);
    arg_list_int(&args, trace_intern(e->t, STR("end_time_ns")), (int64_t)end);
    arg_list_int(&args, trace_intern(e->t, STR("gpu_id")), gpu);
    import_log_at(e->t, STAT_gpu_work_period_negative_duration, e->ts, &args);
    arg_list_release(&args);
}

/* How busy the gpu was for an app during the period. */
static void on_gpu_work_period(const struct ftrace_event *e)
{
    uint64_t begin = event_uint(e, PB_GpuWorkPeriodFtraceEvent_start_time_ns);
    uint64_t end = event_uint(e, PB_GpuWorkPeriodFtraceEvent_end_time_ns);
    int64_t dur = (int64_t)(end - begin);
    int64_t active = event_int(e, PB_GpuWorkPeriodFtraceEvent_total_active_duration_ns);
    uint32_t gpu = event_u32(e, PB_GpuWorkPeriodFtraceEvent_gpu_id);
    struct track_spec spec = {
        .type = "android_gpu_work_period",
        .machine = e->cpu->machine,
        .dimension_count = 3,
        .dimensions = {dimension_int("ugpu", import_ugpu(e->f->im, e->cpu->machine, gpu)),
                       dimension_int("gpu", gpu),
                       dimension_int("uid", event_i32(e, PB_GpuWorkPeriodFtraceEvent_uid))},
        .name = trace_intern(e->t, STR("GPU Work Period")),
    };
    uint32_t track = track_intern(e->t, &spec);
    if (dur < 0) {
        log_period(e, begin, end, gpu);
        return;
    }
    string_id name = event_format(e, "%%%.2f", 100.0 * (double)active / (double)dur);
    uint32_t slice = slice_complete(e->t, e->ts, dur, track, NULL_STRING, name);
    if (slice == NULL_U32)
        return;
    table_set_i64(&e->t->tables.slice, slice_col_thread_ts, slice, e->ts);
    table_set_i64(&e->t->tables.slice, slice_col_thread_dur, slice, active);
}

/* --- Adreno */

static void on_adreno_queued(const struct ftrace_event *e)
{
    map_set(&state(e)->adreno_threads, event_u32(e, PB_KgslAdrenoCmdbatchQueuedFtraceEvent_id),
            e->pid);
}

/* The name of the process that submitted work of a context, NULL_STRING where it is not known. */
static string_id adreno_process(const struct ftrace_event *e, uint32_t context)
{
    const uint32_t *tid = map_find(&state(e)->adreno_threads, context);
    if (!tid)
        return NULL_STRING;
    uint32_t utid = process_tracker_thread(e->t, e->cpu->machine, *tid);
    uint32_t upid = table_u32(&e->t->tables.thread, thread_col_upid)[utid];
    return upid == NULL_U32 ? NULL_STRING
                            : column_str(&e->t->tables.process.columns[process_col_name], upid);
}

/* Happens at the start of the batch on the gpu, see ftrace_retime.c. */
static void on_adreno_retired(const struct ftrace_event *e)
{
    uint64_t start = event_uint(e, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_start);
    uint64_t retire = event_uint(e, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_retire);
    uint32_t context = event_u32(e, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_id);
    uint32_t prio = event_u32(e, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_prio);
    uint64_t scaled;
    if (retire < start || __builtin_mul_overflow(retire - start, UINT64_C(1000000000), &scaled))
        return;
    int64_t dur = (int64_t)(scaled / ADRENO_TICKS_PER_SECOND);
    string_id process = adreno_process(e, context), gpu = trace_intern(e->t, STR("GPU"));
    struct track_spec spec = {
        .type = "adreno_gpu_cmdbatch",
        .machine = e->cpu->machine,
        .dimension_count = 2,
        .dimensions = {dimension_int("context_id", context), dimension_int("prio", prio)},
        .name = event_format(e, "GPU (Ctx=%u, Prio=%u)", context, prio),
    };
    if (process) {
        struct str name = string_pool_get(&e->t->strings, process);
        spec.name = event_format(e, "GPU %.*s (Ctx=%u, Prio=%u)", STR_ARG(name), context, prio);
    }
    uint32_t track = track_set_complete(e->t, &spec, e->ts, dur);
    if (process) /* the process may have become known after the track */
        table_set_str(&e->t->tables.track, track_col_name, track, spec.name);
    slice_complete(e->t, e->ts, dur, track, NULL_STRING, gpu);
}

/* --- Power states */

static void on_gpu_power_state(const struct ftrace_event *e)
{
    static const char *const names[] = {"OFF", "PG", "ON"};
    uint32_t track = event_global_track(e, "powervr_gpu_power_state", "powervr_gpu_power_state");
    uint64_t to = event_uint(e, PB_GpuPowerStateFtraceEvent_new_state);
    event_end(e, track);
    event_begin(e, track, NULL_STRING, trace_intern_c(e->t, to < 3 ? names[to] : "Unknown"));
}

static void on_mali_gpu_power_state(const struct ftrace_event *e)
{
    event_global_counter(e, "mali_gpu_power_state", "mali_gpu_power_state",
                         event_i32(e, PB_MaliGpuPowerStateFtraceEvent_to_state));
}

static uint32_t mali_irq_track(const struct ftrace_event *e)
{
    return event_cpu_track(e, "cpu_mali_irq", "Mali Irq Cpu", e->cpu->cpu);
}

static void on_mali_irq_start(const struct ftrace_event *e)
{
    struct slice_ref s = event_begin(e, mali_irq_track(e), NULL_STRING,
                                     trace_intern(e->t, STR("mali_CSF_INTERRUPT")));
    slice_ref_uint(&s, "info_val", event_uint(e, PB_MaliMaliCSFINTERRUPTSTARTFtraceEvent_info_val));
}

static void on_mali_irq_end(const struct ftrace_event *e)
{
    string_id name = trace_intern(e->t, STR("mali_CSF_INTERRUPT"));
    struct slice_ref s = event_ending(e, mali_irq_track(e), NULL_STRING, name);
    slice_ref_uint(&s, "info_val", event_uint(e, PB_MaliMaliCSFINTERRUPTENDFtraceEvent_info_val));
    slice_ref_end(e, &s);
}

/* The states of Mali's microcontroller are events of their own: what follows this in their names is
 * the state. */
static void on_mali_mcu_state(const struct ftrace_event *e)
{
    struct str prefix = STR("mali_mali_PM_MCU_");
    struct str name = string_pool_get(&e->t->strings, e->f->kinds.items[e->id].name);
    struct ftrace_gpu *g = state(e);
    struct track_spec spec = {.type = "mali_mcu_state", .machine = e->cpu->machine};
    uint32_t track = track_intern(e->t, &spec);
    if (!str_starts(name, prefix))
        return;
    if (g->mcu_state)
        slice_end(e->t, e->ts, track, NULL_STRING, g->mcu_state);
    g->mcu_state = trace_intern(e->t, str_skip(name, prefix.n));
    event_begin(e, track, NULL_STRING, g->mcu_state);
}

/* --- DRM */

static void vblank(const struct ftrace_event *e, const char *name, uint32_t crtc, uint64_t seq)
{
    struct track_spec spec = {
        .type = "drm_vblank",
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("drm_crtc", crtc)},
        .name = event_format(e, "vblank-%u", crtc),
    };
    struct slice_ref s =
        event_instant(e, track_intern(e->t, &spec), NULL_STRING, trace_intern_c(e->t, name));
    slice_ref_uint(&s, "vblank seqno", seq);
}

static void on_drm_vblank(const struct ftrace_event *e)
{
    vblank(e, "signal", event_u32(e, PB_DrmVblankEventFtraceEvent_crtc),
           event_u32(e, PB_DrmVblankEventFtraceEvent_seq));
}

static void on_drm_vblank_delivered(const struct ftrace_event *e)
{
    vblank(e, "deliver", event_u32(e, PB_DrmVblankEventDeliveredFtraceEvent_crtc),
           event_u32(e, PB_DrmVblankEventDeliveredFtraceEvent_seq));
}

static struct gpu_timeline *timeline_at(const struct ftrace_event *e, struct map *map, uint64_t key,
                                        const struct track_spec *spec)
{
    struct ftrace_gpu *g = state(e);
    bool inserted;
    uint32_t *index = map_insert(map, key, &inserted);
    if (inserted) {
        *index = (uint32_t)g->timelines.count;
        *vec_push(&g->timelines) = (struct gpu_timeline){.track = track_intern(e->t, spec)};
    }
    return &g->timelines.items[*index];
}

static struct gpu_timeline *ring_of(const struct ftrace_event *e, struct str name)
{
    string_id id = trace_intern(e->t, name);
    struct track_spec spec = {
        .type = "drm_sched_ring",
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_string("name", id)},
        .name = event_format(e, "sched-%.*s", STR_ARG(name)),
    };
    return timeline_at(e, &state(e)->rings, id, &spec);
}

static bool queue_empty(const struct number_queue *q)
{
    return q->next == q->items.count;
}

static uint64_t queue_front(const struct number_queue *q)
{
    return q->items.items[q->next];
}

static void queue_pop(struct number_queue *q)
{
    q->next++;
    if (queue_empty(q))
        q->next = q->items.count = 0;
}

/* How a job is known: by a number, or by the fence that it signals. */
enum job_kind { JOB_NUMBERED, JOB_FENCED };

static uint64_t fence_key(uint64_t context, uint64_t seqno)
{
    return context << 32 ^ seqno;
}

static void job_args(const struct slice_ref *s, enum job_kind kind, uint64_t job)
{
    if (kind == JOB_NUMBERED) {
        slice_ref_uint(s, "gpu sched job", job);
        return;
    }
    slice_ref_uint(s, "fence context", job >> 32);
    slice_ref_uint(s, "fence seqno", job & UINT32_MAX);
}

static uint64_t job_key(const struct gpu_timeline *ring, uint64_t job)
{
    return (uint64_t)ring->track << 48 ^ job;
}

static void begin_job(const struct ftrace_event *e, const struct gpu_timeline *ring,
                      enum job_kind kind)
{
    uint64_t job = queue_front(&ring->pending);
    struct slice_ref s = event_begin(e, ring->track, NULL_STRING, trace_intern(e->t, STR("job")));
    job_args(&s, kind, job);
    struct map *slices = &state(e)->job_slices;
    const uint32_t *queued = map_find(slices, job_key(ring, job));
    if (!queued || s.slice == NULL_U32)
        return;
    flow_insert(e->t, *queued, s.slice, NULL_I64);
    map_remove(slices, job_key(ring, job));
}

static void queue_job(const struct ftrace_event *e, struct str ring_name, const char *slice_name,
                      enum job_kind kind, uint64_t job)
{
    struct slice_ref s =
        event_instant(e, event_thread_track(e), NULL_STRING, trace_intern_c(e->t, slice_name));
    slice_ref_str(&s, "gpu sched ring", trace_intern(e->t, ring_name));
    job_args(&s, kind, job);
    if (s.slice != NULL_U32)
        map_set(&state(e)->job_slices, job_key(ring_of(e, ring_name), job), s.slice);
}

static void run_job(const struct ftrace_event *e, struct str ring_name, enum job_kind kind,
                    uint64_t job, uint64_t fence)
{
    struct gpu_timeline *ring = ring_of(e, ring_name);
    bool idle = queue_empty(&ring->pending);
    *vec_push(&ring->pending.items) = job;
    bool inserted; /* a fence is its first ring's until it is signalled */
    uint32_t *at = map_insert(&state(e)->fence_rings, fence, &inserted);
    if (inserted)
        *at = (uint32_t)(ring - state(e)->timelines.items);
    if (idle)
        begin_job(e, ring, kind);
}

static void finish_job(const struct ftrace_event *e, enum job_kind kind, uint64_t fence)
{
    struct ftrace_gpu *g = state(e);
    const uint32_t *index = map_find(&g->fence_rings, fence);
    if (!index)
        return;
    struct gpu_timeline *ring = &g->timelines.items[*index];
    map_remove(&g->fence_rings, fence);
    if (queue_empty(&ring->pending))
        return;
    queue_pop(&ring->pending);
    event_end(e, ring->track);
    if (!queue_empty(&ring->pending))
        begin_job(e, ring, kind);
}

static void on_drm_sched_job(const struct ftrace_event *e)
{
    queue_job(e, event_str(e, PB_DrmSchedJobFtraceEvent_name), "drm_sched_job_queue", JOB_NUMBERED,
              event_uint(e, PB_DrmSchedJobFtraceEvent_id));
}

static void on_drm_run_job(const struct ftrace_event *e)
{
    run_job(e, event_str(e, PB_DrmRunJobFtraceEvent_name), JOB_NUMBERED,
            event_uint(e, PB_DrmRunJobFtraceEvent_id),
            event_uint(e, PB_DrmRunJobFtraceEvent_fence));
}

static void on_drm_process_job(const struct ftrace_event *e)
{
    finish_job(e, JOB_NUMBERED, event_uint(e, PB_DrmSchedProcessJobFtraceEvent_fence));
}

static void on_drm_job_queue(const struct ftrace_event *e)
{
    queue_job(e, event_str(e, PB_DrmSchedJobQueueFtraceEvent_name), "drm_sched_job_queue",
              JOB_FENCED,
              fence_key(event_uint(e, PB_DrmSchedJobQueueFtraceEvent_fence_context),
                        event_uint(e, PB_DrmSchedJobQueueFtraceEvent_fence_seqno)));
}

static void on_drm_job_run(const struct ftrace_event *e)
{
    uint64_t key = fence_key(event_uint(e, PB_DrmSchedJobRunFtraceEvent_fence_context),
                             event_uint(e, PB_DrmSchedJobRunFtraceEvent_fence_seqno));
    run_job(e, event_str(e, PB_DrmSchedJobRunFtraceEvent_name), JOB_FENCED, key, key);
}

static void on_drm_job_done(const struct ftrace_event *e)
{
    finish_job(e, JOB_FENCED,
               fence_key(event_uint(e, PB_DrmSchedJobDoneFtraceEvent_fence_context),
                         event_uint(e, PB_DrmSchedJobDoneFtraceEvent_fence_seqno)));
}

/* Containers of fences are on timelines that come and go: they are left out. NULL for those. */
static struct gpu_timeline *fence_timeline(const struct ftrace_event *e, struct str name,
                                           uint32_t context)
{
    if (str_eq(name, STR("unbound")))
        return NULL;
    struct track_spec spec = {
        .type = "drm_fence",
        .machine = e->cpu->machine,
        .dimension_count = 2,
        .dimensions = {dimension_string("name", trace_intern(e->t, name)),
                       dimension_int("context", context)},
        .name = event_format(e, "fence-%.*s-%u", STR_ARG(name), context),
    };
    return timeline_at(e, &state(e)->fence_contexts, context, &spec);
}

static void begin_fence(const struct ftrace_event *e, const struct gpu_timeline *timeline)
{
    struct slice_ref s =
        event_begin(e, timeline->track, NULL_STRING, trace_intern(e->t, STR("fence")));
    slice_ref_uint(&s, "fence seqno", queue_front(&timeline->pending));
}

static void add_fence(const struct ftrace_event *e, struct gpu_timeline *timeline, uint32_t seqno)
{
    bool idle = queue_empty(&timeline->pending);
    *vec_push(&timeline->pending.items) = seqno;
    if (idle)
        begin_fence(e, timeline);
}

static void on_dma_fence_init(const struct ftrace_event *e)
{
    struct gpu_timeline *timeline =
        fence_timeline(e, event_str(e, PB_DmaFenceInitFtraceEvent_timeline),
                       event_u32(e, PB_DmaFenceInitFtraceEvent_context));
    if (timeline && !timeline->has_emit)
        add_fence(e, timeline, event_u32(e, PB_DmaFenceInitFtraceEvent_seqno));
}

/* Most drivers only tell when a fence is made; where they emit it, that is when work begins. */
static void on_dma_fence_emit(const struct ftrace_event *e)
{
    struct gpu_timeline *timeline =
        fence_timeline(e, event_str(e, PB_DmaFenceEmitFtraceEvent_timeline),
                       event_u32(e, PB_DmaFenceEmitFtraceEvent_context));
    if (!timeline)
        return;
    if (!timeline->has_emit && !queue_empty(&timeline->pending)) {
        event_end(e, timeline->track);
        timeline->pending.next = timeline->pending.items.count = 0;
    }
    timeline->has_emit = true;
    add_fence(e, timeline, event_u32(e, PB_DmaFenceEmitFtraceEvent_seqno));
}

static void on_dma_fence_signaled(const struct ftrace_event *e)
{
    struct gpu_timeline *timeline =
        fence_timeline(e, event_str(e, PB_DmaFenceSignaledFtraceEvent_timeline),
                       event_u32(e, PB_DmaFenceSignaledFtraceEvent_context));
    if (!timeline || queue_empty(&timeline->pending) ||
        event_u32(e, PB_DmaFenceSignaledFtraceEvent_seqno) < queue_front(&timeline->pending))
        return;
    queue_pop(&timeline->pending);
    event_end(e, timeline->track);
    if (!queue_empty(&timeline->pending))
        begin_fence(e, timeline);
}

static void on_dma_fence_wait_start(const struct ftrace_event *e)
{
    struct slice_ref s = event_begin(e, event_thread_track(e), NULL_STRING,
                                     trace_intern(e->t, STR("dma_fence_wait")));
    slice_ref_uint(&s, "fence context", event_u32(e, PB_DmaFenceWaitStartFtraceEvent_context));
    slice_ref_uint(&s, "fence seqno", event_u32(e, PB_DmaFenceWaitStartFtraceEvent_seqno));
}

static void on_dma_fence_wait_end(const struct ftrace_event *e)
{
    event_end(e, event_thread_track(e));
}

/* A batch that is retired needs its sync, whose time must stay. */
static uint64_t adreno_batch(const struct ftrace_event *e, uint32_t batch)
{
    return felt_key_by(felt_key(e, PB_FtraceEvent_kgsl_adreno_cmdbatch_sync), e, batch);
}

/* Whose a context is, at its own time: work that was begun before a window is, too. */
static void say_adreno_queued(const struct ftrace_event *e, struct felt_sink *out)
{
    uint64_t key = felt_key_by(felt_key(e, e->id), e, PB_KgslAdrenoCmdbatchQueuedFtraceEvent_id);
    out->item.stays = true;
    felt_first(out, key);
    felt_last(out, key);
}

static void say_adreno_sync(const struct ftrace_event *e, struct felt_sink *out)
{
    felt_stay(out, MARK_BEGIN_ONCE,
              adreno_batch(e, PB_KgslAdrenoCmdbatchSyncFtraceEvent_timestamp));
}

static void say_adreno_retired(const struct ftrace_event *e, struct felt_sink *out)
{
    felt_mark(out, MARK_END, adreno_batch(e, PB_KgslAdrenoCmdbatchRetiredFtraceEvent_timestamp),
              FELT_ANY, 0);
}

/* Fences wait in the order in which they came; those that were emitted, once one was. */
enum { FENCE_MADE = 1, FENCE_EMITTED };

static void fence_felt(const struct ftrace_event *e, struct felt_sink *out, enum mark_kind kind,
                       int stage, uint32_t context, uint32_t seqno)
{
    uint64_t timeline = felt_key_by(felt_key(e, PB_FtraceEvent_dma_fence_init), e, context);
    struct window_mark m = {.ts = out->item.ts,
                            .key = timeline,
                            .other = event_u32(e, seqno),
                            .number = out->item.number,
                            .category = (uint32_t)stage,
                            .kind = (uint8_t)kind,
                            .lane = (uint16_t)out->item.lane};
    selection_mark(out->selection, &m);
    if (stage == FENCE_EMITTED) /* that the driver tells of it at all */
        felt_last_of_mark(out, hash_u64(timeline));
}

static bool is_bound(const struct ftrace_event *e, uint32_t timeline)
{
    return !str_eq(event_str(e, timeline), STR("unbound"));
}

static void say_fence_init(const struct ftrace_event *e, struct felt_sink *out)
{
    if (is_bound(e, PB_DmaFenceInitFtraceEvent_timeline))
        fence_felt(e, out, MARK_QUEUE, FENCE_MADE, PB_DmaFenceInitFtraceEvent_context,
                   PB_DmaFenceInitFtraceEvent_seqno);
}

static void say_fence_emit(const struct ftrace_event *e, struct felt_sink *out)
{
    if (is_bound(e, PB_DmaFenceEmitFtraceEvent_timeline))
        fence_felt(e, out, MARK_QUEUE, FENCE_EMITTED, PB_DmaFenceEmitFtraceEvent_context,
                   PB_DmaFenceEmitFtraceEvent_seqno);
}

static void say_fence_signaled(const struct ftrace_event *e, struct felt_sink *out)
{
    if (is_bound(e, PB_DmaFenceSignaledFtraceEvent_timeline))
        fence_felt(e, out, MARK_DEQUEUE, 0, PB_DmaFenceSignaledFtraceEvent_context,
                   PB_DmaFenceSignaledFtraceEvent_seqno);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_kgsl_adreno_cmdbatch_sync,
     .felt = FELT_SAID_BY(say_adreno_sync)}, /* by ftrace_retime */
    {PB_FtraceEvent_gpu_frequency, .handle = on_gpu_frequency,
     .felt = FELT_LAST_BY(PB_GpuFrequencyFtraceEvent_gpu_id)},
    {PB_FtraceEvent_kgsl_gpu_frequency, .handle = on_kgsl_gpu_frequency,
     .felt = FELT_LAST_ON(PB_FtraceEvent_gpu_frequency, PB_KgslGpuFrequencyFtraceEvent_gpu_id)},
    {PB_FtraceEvent_kgsl_adreno_cmdbatch_queued, .handle = on_adreno_queued,
     .felt = FELT_SAID_BY(say_adreno_queued)},
    {PB_FtraceEvent_kgsl_adreno_cmdbatch_retired, .handle = on_adreno_retired, .has_own_time = true,
     .felt = FELT_SAID_BY(say_adreno_retired)},
    {PB_FtraceEvent_gpu_mem_total, .handle = on_gpu_mem_total,
     .felt = FELT_LAST_BY(PB_GpuMemTotalFtraceEvent_gpu_id, PB_GpuMemTotalFtraceEvent_pid)},
    {PB_FtraceEvent_gpu_work_period, .handle = on_gpu_work_period, .has_own_time = true,
     .felt = FELT_NOTHING},
    {PB_FtraceEvent_gpu_power_state, .handle = on_gpu_power_state, .felt = FELT_LAST_ONE},
    {PB_FtraceEvent_mali_gpu_power_state, .handle = on_mali_gpu_power_state, .felt = FELT_LAST_ONE},
    {PB_FtraceEvent_mali_mali_CSF_INTERRUPT_START, .handle = on_mali_irq_start,
     .felt = FELT_BEGINS_ON_CPU},
    {PB_FtraceEvent_mali_mali_CSF_INTERRUPT_END, .handle = on_mali_irq_end,
     .felt = FELT_ENDS_ON_CPU(PB_FtraceEvent_mali_mali_CSF_INTERRUPT_START)},
    {PB_FtraceEvent_drm_vblank_event, .handle = on_drm_vblank, .felt = FELT_NOTHING},
    {PB_FtraceEvent_drm_vblank_event_delivered, .handle = on_drm_vblank_delivered,
     .felt = FELT_NOTHING},
    {PB_FtraceEvent_drm_sched_job, .handle = on_drm_sched_job, .felt = FELT_NOTHING},
    {PB_FtraceEvent_drm_run_job, .handle = on_drm_run_job,
     .felt = FELT_BEGINS_BY(PB_DrmRunJobFtraceEvent_fence)},
    {PB_FtraceEvent_drm_sched_process_job, .handle = on_drm_process_job,
     .felt = FELT_ENDS_ON(PB_FtraceEvent_drm_run_job, PB_DrmSchedProcessJobFtraceEvent_fence)},
    {PB_FtraceEvent_drm_sched_job_queue, .handle = on_drm_job_queue, .felt = FELT_NOTHING},
    {PB_FtraceEvent_drm_sched_job_run, .handle = on_drm_job_run,
     .felt = FELT_BEGINS_BY(PB_DrmSchedJobRunFtraceEvent_fence_context,
                            PB_DrmSchedJobRunFtraceEvent_fence_seqno)},
    {PB_FtraceEvent_drm_sched_job_done, .handle = on_drm_job_done,
     .felt =
         FELT_ENDS_ON(PB_FtraceEvent_drm_sched_job_run, PB_DrmSchedJobDoneFtraceEvent_fence_context,
                      PB_DrmSchedJobDoneFtraceEvent_fence_seqno)},
    {PB_FtraceEvent_dma_fence_init, .handle = on_dma_fence_init,
     .felt = FELT_SAID_BY(say_fence_init)},
    {PB_FtraceEvent_dma_fence_emit, .handle = on_dma_fence_emit,
     .felt = FELT_SAID_BY(say_fence_emit)},
    {PB_FtraceEvent_dma_fence_signaled, .handle = on_dma_fence_signaled,
     .felt = FELT_SAID_BY(say_fence_signaled)},
    {PB_FtraceEvent_dma_fence_wait_start, .handle = on_dma_fence_wait_start,
     .felt = FELT_BEGINS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_dma_fence_wait_end, .handle = on_dma_fence_wait_end,
     .felt = FELT_ENDS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_mali_mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND, .handle = on_mali_mcu_state,
     .felt = FELT_LAST_ON(PB_FtraceEvent_mali_mali_PM_MCU_HCTL_CORES_DOWN_SCALE_NOTIFY_PEND, 0),
     .last = PB_FtraceEvent_mali_mali_PM_MCU_RESET_WAIT},
    {0},
};

const struct ftrace_module ftrace_gpu_module = {
    .handlers = handlers,
    .state_size = sizeof(struct ftrace_gpu),
    .release = release,
};
