/* Memory: resident sizes, oom scores, heaps shared with devices, reclaim, contiguous allocations.
 */
#include "base/hash.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"
#include "core/counter.h"

enum { RSS_MEMBERS = 6 }; /* the last is for those that are not known */
enum { VERSION_5_10 = 5 << 16 | 10, VERSION_6_1 = 6 << 16 | 1 };

/* What contiguous allocation of a thread moved so far. */
struct cma_migration {
    uint64_t migrated, reclaimed, mapped;
};

struct ftrace_memory {
    struct process_counter rss_counters[RSS_MEMBERS]; /* made at first use */
    struct map mm_threads;                            /* mm_id -> utid */
    struct map migrations;                            /* utid -> index */
    VEC(struct cma_migration) migration_list;
};

static void release(void *state)
{
    struct ftrace_memory *m = state;
    map_release(&m->mm_threads);
    map_release(&m->migrations);
    vec_release(&m->migration_list);
}

static struct ftrace_memory *state(const struct ftrace_event *e)
{
    return ftrace_state(e->f, FTRACE_MODULE_memory);
}

/* Whether the utid is the one that its tid means at the moment. */
static bool is_alive(const struct ftrace_event *e, uint32_t utid)
{
    int64_t tid = table_i64(&e->t->tables.thread, thread_col_tid)[utid];
    return process_tracker_find_thread(e->t, e->cpu->machine, tid) == utid;
}

/* The thread whose memory it is, NULL_U32 where that is not known: threads also touch the memory of
 * other processes, and that which they leave when they exec or exit. */
static uint32_t thread_of_mm(const struct ftrace_event *e, uint64_t mm_id, bool is_own)
{
    struct ftrace_memory *m = state(e);
    if (is_own) {
        map_set(&m->mm_threads, mm_id, e->utid);
        return e->utid;
    }
    const uint32_t *known = map_find(&m->mm_threads, mm_id);
    if (!known)
        return NULL_U32;
    uint32_t utid = *known;
    if (!is_alive(e, utid)) {
        map_remove(&m->mm_threads, mm_id);
        return NULL_U32;
    }
    return utid;
}

static struct process_counter memory_counter(const struct ftrace_event *e, const char *key)
{
    return (struct process_counter){
        .type = "process_memory",
        .thread_type = "process_memory_thread_fallback",
        .name = event_format(e, "mem.%s", key),
        .dimension_count = 1,
        .dimensions = {dimension_string("process_memory_key", trace_intern_c(e->t, key))},
    };
}

static void rss(const struct ftrace_event *e, uint32_t utid, uint64_t member, int64_t size)
{
    static const char *const keys[RSS_MEMBERS] = {"rss.file",  "rss.anon",      "swap",
                                                  "rss.shmem", "unreclaimable", "unknown"};
    if (member >= RSS_MEMBERS)
        member = RSS_MEMBERS - 1;
    if (size < 0) {
        stats_count(e->t, STAT_rss_stat_negative_size);
        return;
    }
    if (utid == NULL_U32) {
        stats_count(e->t, STAT_rss_stat_unknown_thread_for_mm_id);
        return;
    }
    struct ftrace_memory *m = state(e);
    struct process_counter *counter = &m->rss_counters[member];
    if (!counter->type)
        *counter = memory_counter(e, keys[member]);
    process_counter_push(e->t, e->ts, (double)size, utid, counter);
}

static void on_rss_stat(const struct ftrace_event *e)
{
    enum {
        MM = PB_RssStatFtraceEvent_mm_id,
        CURR = PB_RssStatFtraceEvent_curr,
        BOTH = 1 << MM | 1 << CURR
    };
    struct event_values v = event_read(e);
    uint32_t utid = e->utid;
    if ((v.present & BOTH) == BOTH)
        utid = thread_of_mm(e, v.v[MM], v.v[CURR] != 0);
    rss(e, utid, (uint32_t)v.v[PB_RssStatFtraceEvent_member],
        (int64_t)v.v[PB_RssStatFtraceEvent_size]);
}

static void on_rss_stat_throttled(const struct ftrace_event *e)
{
    struct event_values v = event_read(e);
    uint32_t utid = thread_of_mm(e, v.v[PB_RssStatThrottledFtraceEvent_mm_id],
                                 v.v[PB_RssStatThrottledFtraceEvent_curr] != 0);
    rss(e, utid, (uint32_t)v.v[PB_RssStatThrottledFtraceEvent_member],
        (int64_t)v.v[PB_RssStatThrottledFtraceEvent_size]);
}

static void on_dmabuf_rss_stat(const struct ftrace_event *e)
{
    struct process_counter counter = memory_counter(e, "dmabuf_rss");
    process_counter_push(e->t, e->ts, (double)event_uint(e, PB_DmabufRssStatFtraceEvent_rss),
                         e->utid, &counter);
}

/* Old recorders wrote negative scores as 32-bit numbers. */
static void on_oom_score_adj(const struct ftrace_event *e)
{
    int16_t score = (int16_t)event_int(e, PB_OomScoreAdjUpdateFtraceEvent_oom_score_adj);
    uint32_t utid = process_tracker_thread(e->t, e->cpu->machine,
                                           event_u32(e, PB_OomScoreAdjUpdateFtraceEvent_pid));
    struct process_counter counter = atrace_oom_score_counter(e->t);
    process_counter_push(e->t, e->ts, score, utid, &counter);
}

static void on_mark_victim(const struct ftrace_event *e)
{
    uint32_t utid =
        process_tracker_thread(e->t, e->cpu->machine, event_u32(e, PB_MarkVictimFtraceEvent_pid));
    event_instant(e, track_thread(e->t, utid), NULL_STRING,
                  trace_intern(e->t, STR("mem.oom_kill")));
}

static void mm_event(const struct ftrace_event *e, const char *type, const char *metric,
                     double value)
{
    struct process_counter counter = {
        .type = "mm_event",
        .thread_type = "mm_event_thread_fallback",
        .name = event_format(e, "mem.mm.%s.%s", type, metric),
        .dimension_count = 2,
        .dimensions = {dimension_string("mm_event_type", trace_intern_c(e->t, type)),
                       dimension_string("mm_event_metric", trace_intern_c(e->t, metric))},
    };
    process_counter_push(e->t, e->ts, value, e->utid, &counter);
}

static void on_mm_event(const struct ftrace_event *e)
{
    static const char *const types[] = {"min_flt", "maj_flt", "read_io",   "compaction",
                                        "reclaim", "swp_flt", "kern_alloc"};
    uint32_t type = event_u32(e, PB_MmEventRecordFtraceEvent_type);
    if (type >= sizeof types / sizeof types[0]) {
        stats_count(e->t, STAT_mm_unknown_type);
        return;
    }
    mm_event(e, types[type], "count", event_u32(e, PB_MmEventRecordFtraceEvent_count));
    mm_event(e, types[type], "max_lat", event_u32(e, PB_MmEventRecordFtraceEvent_max_lat));
    mm_event(e, types[type], "avg_lat", event_u32(e, PB_MmEventRecordFtraceEvent_avg_lat));
}

/* A heap's total, and what the thread added or gave back. */
static void ion(const struct ftrace_event *e, struct str heap, double total, double change)
{
    const char *dot = heap.n ? "." : "";
    string_id dimension = trace_intern(e->t, heap);
    event_named_counter(e, "ion", "heap_name", dimension,
                        event_format(e, "mem.ion%s%.*s", dot, STR_ARG(heap)), total);
    struct track_spec spec = {
        .type = "ion_change",
        .event_type = TRACK_COUNTER,
        .machine = e->cpu->machine,
        .dimension_count = 2,
        .dimensions = {dimension_string("heap_name", dimension), dimension_int("utid", e->utid)},
        .name = event_format(e, "mem.ion_change%s%.*s", dot, STR_ARG(heap)),
    };
    counter_push(e->t, e->ts, track_intern(e->t, &spec), change);
}

/* The total is that from before the change. */
static void on_ion_grow(const struct ftrace_event *e)
{
    struct str heap = event_has(e, PB_IonHeapGrowFtraceEvent_heap_name)
                          ? event_str(e, PB_IonHeapGrowFtraceEvent_heap_name)
                          : STR("unknown");
    double change = (double)event_uint(e, PB_IonHeapGrowFtraceEvent_len);
    double total = (double)event_int(e, PB_IonHeapGrowFtraceEvent_total_allocated);
    ion(e, heap, total + change, change);
}

static void on_ion_shrink(const struct ftrace_event *e)
{
    struct str heap = event_has(e, PB_IonHeapShrinkFtraceEvent_heap_name)
                          ? event_str(e, PB_IonHeapShrinkFtraceEvent_heap_name)
                          : STR("unknown");
    double change = (double)event_uint(e, PB_IonHeapShrinkFtraceEvent_len);
    double total = (double)event_int(e, PB_IonHeapShrinkFtraceEvent_total_allocated);
    ion(e, heap, total - change, -change);
}

/* A slice for the life of each buffer. */
static void buffer_slice(const struct ftrace_event *e, const char *type, const char *name,
                         int64_t cookie, int64_t len)
{
    struct track_spec spec = {.type = type,
                              .machine = e->cpu->machine,
                              .name = trace_intern_c(e->t, name)};
    if (len > 0)
        event_begin(e, track_set_begin(e->t, &spec, cookie), NULL_STRING,
                    event_format(e, "%lld kB", (long long)(len / 1024)));
    else
        event_end(e, track_set_end(e->t, &spec, cookie));
}

static void on_ion_stat(const struct ftrace_event *e)
{
    int64_t len = event_int(e, PB_IonStatFtraceEvent_len);
    ion(e, (struct str){0}, (double)event_uint(e, PB_IonStatFtraceEvent_total_allocated),
        (double)len);
    buffer_slice(e, "android_ion_allocations", "mem.ion_buffer",
                 event_u32(e, PB_IonStatFtraceEvent_buffer_id), len);
}

static void on_dma_heap_stat(const struct ftrace_event *e)
{
    int64_t len = event_int(e, PB_DmaHeapStatFtraceEvent_len);
    uint64_t inode = event_uint(e, PB_DmaHeapStatFtraceEvent_inode);
    event_global_counter(e, "android_dma_heap", "mem.dma_heap",
                         (double)event_uint(e, PB_DmaHeapStatFtraceEvent_total_allocated));
    struct track_spec spec = {
        .type = "android_dma_heap_change",
        .event_type = TRACK_COUNTER,
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("utid", e->utid)},
        .name = trace_intern(e->t, STR("mem.dma_heap_change")),
    };
    uint32_t row = counter_push(e->t, e->ts, track_intern(e->t, &spec), (double)len);
    struct arg_list args = {0};
    arg_list_uint(&args, trace_intern(e->t, STR("inode")), inode);
    table_set_u32(&e->t->tables.counter, counter_col_arg_set_id, row,
                  args_intern(&e->t->args, &args));
    arg_list_release(&args);
    buffer_slice(e, "android_dma_allocations", "mem.dma_buffer", (int64_t)inode, len);
}

static string_id fastrpc_name(const struct ftrace_event *e, const char *counter, uint32_t channel)
{
    static const char *const channels[] = {"ASDP", "MDSP", "SDSP", "CDSP"};
    if (channel < sizeof channels / sizeof channels[0])
        return event_format(e, "%s[%s]", counter, channels[channel]);
    return event_format(e, "%s[%u]", counter, channel);
}

static void on_fastrpc_dma_stat(const struct ftrace_event *e)
{
    uint32_t channel = event_u32(e, PB_FastrpcDmaStatFtraceEvent_cid);
    struct track_spec spec = {
        .type = "fastrpc",
        .event_type = TRACK_COUNTER,
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("cid", channel)},
        .name = fastrpc_name(e, "mem.fastrpc", channel),
    };
    counter_push(e->t, e->ts, track_intern(e->t, &spec),
                 (double)event_uint(e, PB_FastrpcDmaStatFtraceEvent_total_allocated));
    spec.type = "fastrpc_change";
    spec.dimensions[spec.dimension_count++] = dimension_int("utid", e->utid);
    spec.name = fastrpc_name(e, "mem.fastrpc_change", channel);
    counter_push(e->t, e->ts, track_intern(e->t, &spec),
                 (double)event_int(e, PB_FastrpcDmaStatFtraceEvent_len));
}

/* --- Contiguous allocations: up to 6.0 an info event ends one, from 6.1 on a finish event does and
 * what was migrated is an event before it. */

static kernel_version version(const struct ftrace_event *e)
{
    return ftrace_kernel_version(e->f, e->cpu->machine);
}

static struct cma_migration *migration(const struct ftrace_event *e)
{
    struct ftrace_memory *m = state(e);
    bool inserted;
    uint32_t *index = map_insert(&m->migrations, e->utid, &inserted);
    if (inserted) {
        *index = (uint32_t)m->migration_list.count;
        *vec_push(&m->migration_list) = (struct cma_migration){0};
    }
    return &m->migration_list.items[*index];
}

static void on_cma_start(const struct ftrace_event *e)
{
    if (version(e) < VERSION_5_10)
        return;
    *migration(e) = (struct cma_migration){0};
    event_begin(e, event_thread_track(e), NULL_STRING, trace_intern(e->t, STR("mm_cma_alloc")));
}

static void on_cma_migrate(const struct ftrace_event *e)
{
    *migration(e) = (struct cma_migration){
        event_uint(e, PB_MmAllocContigMigrateRangeInfoFtraceEvent_nr_migrated),
        event_uint(e, PB_MmAllocContigMigrateRangeInfoFtraceEvent_nr_reclaimed),
        event_uint(e, PB_MmAllocContigMigrateRangeInfoFtraceEvent_nr_mapped)};
}

static void cma_args(const struct slice_ref *s, string_id name, uint64_t pfn, uint64_t pages,
                     const struct cma_migration *m)
{
    slice_ref_str(s, "cma_name", name);
    slice_ref_uint(s, "cma_pfn", pfn);
    slice_ref_uint(s, "cma_req_pages", pages);
    slice_ref_uint(s, "cma_nr_migrated", m->migrated);
    slice_ref_uint(s, "cma_nr_reclaimed", m->reclaimed);
    slice_ref_uint(s, "cma_nr_mapped", m->mapped);
}

static void on_cma_finish(const struct ftrace_event *e)
{
    if (version(e) < VERSION_6_1)
        return;
    struct slice_ref s = event_ending(e, event_thread_track(e), NULL_STRING, NULL_STRING);
    cma_args(&s, event_string(e, PB_CmaAllocFinishFtraceEvent_name),
             event_uint(e, PB_CmaAllocFinishFtraceEvent_pfn),
             event_uint(e, PB_CmaAllocFinishFtraceEvent_count), migration(e));
    slice_ref_end(e, &s);
}

static void on_cma_info(const struct ftrace_event *e)
{
    if (version(e) < VERSION_5_10 || version(e) >= VERSION_6_1)
        return;
    struct cma_migration m = {event_uint(e, PB_CmaAllocInfoFtraceEvent_nr_migrated),
                              event_uint(e, PB_CmaAllocInfoFtraceEvent_nr_reclaimed),
                              event_uint(e, PB_CmaAllocInfoFtraceEvent_nr_mapped)};
    struct slice_ref s = event_ending(e, event_thread_track(e), NULL_STRING, NULL_STRING);
    cma_args(&s, event_string(e, PB_CmaAllocInfoFtraceEvent_name),
             event_uint(e, PB_CmaAllocInfoFtraceEvent_pfn),
             event_uint(e, PB_CmaAllocInfoFtraceEvent_count), &m);
    slice_ref_uint(&s, "cma_nr_isolate_fail", event_uint(e, PB_CmaAllocInfoFtraceEvent_err_iso));
    slice_ref_uint(&s, "cma_nr_migrate_fail", event_uint(e, PB_CmaAllocInfoFtraceEvent_err_mig));
    slice_ref_uint(&s, "cma_nr_test_fail", event_uint(e, PB_CmaAllocInfoFtraceEvent_err_test));
    slice_ref_end(e, &s);
}

/* --- Reclaim, on the thread that does it */

static void on_direct_reclaim_begin(const struct ftrace_event *e)
{
    struct slice_ref s = event_begin(e, event_thread_track(e), NULL_STRING,
                                     trace_intern(e->t, STR("mm_vmscan_direct_reclaim")));
    slice_ref_int(&s, "direct_reclaim_order",
                  event_i32(e, PB_MmVmscanDirectReclaimBeginFtraceEvent_order));
    slice_ref_int(&s, "direct_reclaim_may_writepage",
                  event_i32(e, PB_MmVmscanDirectReclaimBeginFtraceEvent_may_writepage));
    slice_ref_uint(&s, "direct_reclaim_gfp_flags",
                   event_u32(e, PB_MmVmscanDirectReclaimBeginFtraceEvent_gfp_flags));
}

static void on_direct_reclaim_end(const struct ftrace_event *e)
{
    struct slice_ref s = event_ending(e, event_thread_track(e), NULL_STRING, NULL_STRING);
    slice_ref_uint(&s, "direct_reclaim_nr_reclaimed",
                   event_uint(e, PB_MmVmscanDirectReclaimEndFtraceEvent_nr_reclaimed));
    slice_ref_end(e, &s);
}

static void on_memcg_reclaim_begin(const struct ftrace_event *e)
{
    struct slice_ref s = event_begin(e, event_thread_track(e), NULL_STRING,
                                     trace_intern(e->t, STR("mm_vmscan_memcg_reclaim")));
    slice_ref_int(&s, "memcg_reclaim_order",
                  event_i32(e, PB_MmVmscanMemcgReclaimBeginFtraceEvent_order));
    slice_ref_int(&s, "memcg_reclaim_may_writepage",
                  event_i32(e, PB_MmVmscanMemcgReclaimBeginFtraceEvent_may_writepage));
    slice_ref_uint(&s, "memcg_reclaim_gfp_flags",
                   event_u32(e, PB_MmVmscanMemcgReclaimBeginFtraceEvent_gfp_flags));
}

static void on_memcg_reclaim_end(const struct ftrace_event *e)
{
    struct slice_ref s = event_ending(e, event_thread_track(e), NULL_STRING, NULL_STRING);
    slice_ref_uint(&s, "memcg_reclaim_nr_reclaimed",
                   event_uint(e, PB_MmVmscanMemcgReclaimEndFtraceEvent_nr_reclaimed));
    slice_ref_end(e, &s);
}

static void on_shrink_slab_start(const struct ftrace_event *e)
{
    uint64_t function = event_uint(e, PB_MmShrinkSlabStartFtraceEvent_shrink);
    struct slice_ref s = event_begin(e, event_thread_track(e), NULL_STRING,
                                     trace_intern(e->t, STR("mm_vmscan_shrink_slab")));
    slice_ref_str(&s, "shrink_name", ftrace_symbol_or_number(e, function));
    slice_ref_uint(&s, "total_scan", event_uint(e, PB_MmShrinkSlabStartFtraceEvent_total_scan));
    slice_ref_int(&s, "priority", event_i32(e, PB_MmShrinkSlabStartFtraceEvent_priority));
}

static void on_shrink_slab_end(const struct ftrace_event *e)
{
    struct slice_ref s = event_ending(e, event_thread_track(e), NULL_STRING, NULL_STRING);
    slice_ref_int(&s, "freed", event_i32(e, PB_MmShrinkSlabEndFtraceEvent_retval));
    slice_ref_end(e, &s);
}

static string_id kswapd_name(const struct ftrace_event *e)
{
    return trace_intern(e->t, STR("kswapd_efficiency"));
}

static void on_kswapd_wake(const struct ftrace_event *e)
{
    event_begin(e, event_thread_track(e), NULL_STRING, kswapd_name(e));
}

static void kswapd_pages(const struct ftrace_event *e, const struct slice_ref *s, uint32_t field,
                         const char *name)
{
    if (event_has(e, field))
        slice_ref_uint(s, name, event_uint(e, field));
}

/* The share of what was scanned, in percent, is told where something was. */
static void on_kswapd_done(const struct ftrace_event *e)
{
    enum {
        SCANNED = PB_PixelMmKswapdDoneFtraceEvent_delta_nr_scanned,
        RECLAIMED = PB_PixelMmKswapdDoneFtraceEvent_delta_nr_reclaimed,
        ALLOCATED = PB_PixelMmKswapdDoneFtraceEvent_delta_nr_allocated,
    };
    struct slice_ref s = event_ending(e, event_thread_track(e), NULL_STRING, kswapd_name(e));
    kswapd_pages(e, &s, SCANNED, "pages scanned");
    kswapd_pages(e, &s, RECLAIMED, "pages reclaimed");
    uint64_t scanned = event_uint(e, SCANNED);
    if (scanned && event_has(e, RECLAIMED)) {
        double percent = (double)event_uint(e, RECLAIMED) * 100 / (double)scanned;
        if (percent < 0x1p63)
            slice_ref_uint(&s, "efficiency %", (uint64_t)(percent + 0.5));
    }
    kswapd_pages(e, &s, ALLOCATED, "pages allocated");
    slice_ref_end(e, &s);
}

static void say_kswapd(const struct ftrace_event *e, struct felt_sink *out)
{
    enum mark_kind kind = e->id == PB_FtraceEvent_pixel_mm_kswapd_wake ? MARK_BEGIN : MARK_END;
    felt_mark(out, kind, felt_thread_track(e, e->pid), FELT_ANY,
              felt_text_name(STR("kswapd_efficiency")));
}

/* The last of each, and who was the first to say whose memory it is: others refer to that. */
static void rss_felt(const struct ftrace_event *e, struct felt_sink *out, uint32_t mm,
                     uint32_t member, uint32_t curr)
{
    uint64_t told = (uint64_t)event_has(e, mm) << 1 | event_has(e, curr);
    uint64_t whose = hash_mix(felt_key_by(felt_key(e, e->id), e, mm), event_int(e, curr) != 0);
    uint64_t key = felt_key_by(hash_mix(hash_mix(whose, told), e->pid), e, member);
    felt_last(out, key);
    if (event_int(e, curr))
        felt_first(out, whose);
}

static void say_rss(const struct ftrace_event *e, struct felt_sink *out)
{
    rss_felt(e, out, PB_RssStatFtraceEvent_mm_id, PB_RssStatFtraceEvent_member,
             PB_RssStatFtraceEvent_curr);
}

static void say_rss_throttled(const struct ftrace_event *e, struct felt_sink *out)
{
    rss_felt(e, out, PB_RssStatThrottledFtraceEvent_mm_id, PB_RssStatThrottledFtraceEvent_member,
             PB_RssStatThrottledFtraceEvent_curr);
}

/* The counters of a heap, and the life of a buffer. */
static void buffer_felt(const struct ftrace_event *e, struct felt_sink *out, uint32_t buffer,
                        int64_t len)
{
    felt_mark(out, len > 0 ? MARK_BEGIN : MARK_END, felt_key_by(felt_key(e, e->id), e, buffer),
              FELT_ANY, 0);
    felt_last_of_mark(out, felt_key_of_thread(e, e->id));
}

static void say_ion_stat(const struct ftrace_event *e, struct felt_sink *out)
{
    buffer_felt(e, out, PB_IonStatFtraceEvent_buffer_id, event_int(e, PB_IonStatFtraceEvent_len));
}

static void say_dma_heap_stat(const struct ftrace_event *e, struct felt_sink *out)
{
    buffer_felt(e, out, PB_DmaHeapStatFtraceEvent_inode,
                event_int(e, PB_DmaHeapStatFtraceEvent_len));
}

static void cma_felt(const struct ftrace_event *e, struct felt_sink *out, enum mark_kind kind)
{
    felt_mark(out, kind, felt_thread_track(e, e->pid), FELT_ANY, kind == MARK_BEGIN ? e->id : 0);
}

static void say_cma_start(const struct ftrace_event *e, struct felt_sink *out)
{
    if (version(e) >= VERSION_5_10)
        cma_felt(e, out, MARK_BEGIN);
}

static void say_cma_info(const struct ftrace_event *e, struct felt_sink *out)
{
    if (version(e) >= VERSION_5_10 && version(e) < VERSION_6_1)
        cma_felt(e, out, MARK_END);
}

static void say_cma_finish(const struct ftrace_event *e, struct felt_sink *out)
{
    if (version(e) >= VERSION_6_1)
        cma_felt(e, out, MARK_END);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_rss_stat, .handle = on_rss_stat, .felt = FELT_SAID_BY(say_rss)},
    {PB_FtraceEvent_rss_stat_throttled, .handle = on_rss_stat_throttled,
     .felt = FELT_SAID_BY(say_rss_throttled)},
    {PB_FtraceEvent_dmabuf_rss_stat, .handle = on_dmabuf_rss_stat,
     .felt = {.kind = FELT_LAST, .owner = FELT_OF_THREAD}},
    {PB_FtraceEvent_oom_score_adj_update, .handle = on_oom_score_adj,
     .felt = FELT_LAST_BY(PB_OomScoreAdjUpdateFtraceEvent_pid)},
    {PB_FtraceEvent_mark_victim, .handle = on_mark_victim, .felt = FELT_NOTHING},
    {PB_FtraceEvent_mm_event_record, .handle = on_mm_event,
     .felt = {.kind = FELT_LAST,
              .owner = FELT_OF_THREAD,
              .key = {PB_MmEventRecordFtraceEvent_type}}},
    {PB_FtraceEvent_ion_heap_grow, .handle = on_ion_grow,
     .felt = {.kind = FELT_LAST,
              .owner = FELT_OF_THREAD,
              .key = {PB_IonHeapGrowFtraceEvent_heap_name}}},
    {PB_FtraceEvent_ion_heap_shrink, .handle = on_ion_shrink,
     .felt = {.kind = FELT_LAST,
              .owner = FELT_OF_THREAD,
              .track = PB_FtraceEvent_ion_heap_grow,
              .key = {PB_IonHeapShrinkFtraceEvent_heap_name}}},
    {PB_FtraceEvent_ion_stat, .handle = on_ion_stat, .felt = FELT_SAID_BY(say_ion_stat)},
    {PB_FtraceEvent_dma_heap_stat, .handle = on_dma_heap_stat,
     .felt = FELT_SAID_BY(say_dma_heap_stat)},
    {PB_FtraceEvent_fastrpc_dma_stat, .handle = on_fastrpc_dma_stat,
     .felt = {.kind = FELT_LAST,
              .owner = FELT_OF_THREAD,
              .key = {PB_FastrpcDmaStatFtraceEvent_cid}}},
    {PB_FtraceEvent_cma_alloc_start, .handle = on_cma_start, .felt = FELT_SAID_BY(say_cma_start)},
    {PB_FtraceEvent_cma_alloc_info, .handle = on_cma_info, .felt = FELT_SAID_BY(say_cma_info)},
    {PB_FtraceEvent_cma_alloc_finish, .handle = on_cma_finish,
     .felt = FELT_SAID_BY(say_cma_finish)},
    {PB_FtraceEvent_mm_alloc_contig_migrate_range_info, .handle = on_cma_migrate,
     .felt = {.kind = FELT_NOTE, .owner = FELT_ON_THREAD}},
    {PB_FtraceEvent_mm_vmscan_direct_reclaim_begin, .handle = on_direct_reclaim_begin,
     .felt = FELT_BEGINS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_mm_vmscan_direct_reclaim_end, .handle = on_direct_reclaim_end,
     .felt = FELT_ENDS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_mm_vmscan_memcg_reclaim_begin, .handle = on_memcg_reclaim_begin,
     .felt = FELT_BEGINS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_mm_vmscan_memcg_reclaim_end, .handle = on_memcg_reclaim_end,
     .felt = FELT_ENDS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_mm_shrink_slab_start, .handle = on_shrink_slab_start,
     .felt = FELT_BEGINS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_mm_shrink_slab_end, .handle = on_shrink_slab_end,
     .felt = FELT_ENDS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_pixel_mm_kswapd_wake, .handle = on_kswapd_wake,
     .felt = FELT_SAID_BY(say_kswapd)},
    {PB_FtraceEvent_pixel_mm_kswapd_done, .handle = on_kswapd_done,
     .felt = FELT_SAID_BY(say_kswapd)},
    {0},
};

const struct ftrace_module ftrace_memory_module = {
    .handlers = handlers,
    .state_size = sizeof(struct ftrace_memory),
    .release = release,
};
