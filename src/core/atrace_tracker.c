#include "core/atrace_tracker.h"

#include "core/counter.h"
#include "core/trace_builder.h"

void atrace_tracker_release(struct atrace_tracker *at)
{
    map_release(&at->once_tracks);
    vec_release(&at->once);
}

struct process_counter atrace_oom_score_counter(struct trace *t)
{
    return (struct process_counter){.type = "oom_score_adj",
                                    .thread_type = "oom_score_adj_thread_fallback",
                                    .name = trace_intern(t, STR("oom_score_adj"))};
}

/* The writer's thread. Marks from interrupts carry tgid 0, which says nothing about the thread. */
static uint32_t writer_utid(struct trace *t, uint32_t machine, int64_t tid, int64_t tgid)
{
    return tgid == 0 ? process_tracker_thread(t, machine, tid)
                     : process_tracker_update_thread(t, machine, tid, tgid);
}

static void add_uint_arg(struct trace *t, uint32_t track, uint32_t slice, struct str key,
                         uint64_t value)
{
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (args)
        arg_list_uint(args, trace_intern(t, key), value);
}

static void add_int_arg(struct trace *t, uint32_t track, uint32_t slice, struct str key,
                        int64_t value)
{
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    if (args)
        arg_list_int(args, trace_intern(t, key), value);
}

/* The process was killed for want of memory. */
static void lmk_instant(struct trace *t, uint32_t machine, int64_t ts, uint32_t upid)
{
    struct track_spec spec = {
        .type = "android_lmk",
        .machine = machine,
        .dimension_count = 1,
        .dimensions = {{.key = "upid", .type = ARG_INT, .i = upid}},
        .name = trace_intern(t, STR("LMK")),
    };
    slice_complete(t, ts, 0, track_intern(t, &spec), NULL_STRING, trace_intern(t, STR("mem.lmk")));
}

/* lmk,PID,REASON,OOM_SCORE_ADJ,...: the killer says whom it killed and why. */
static void lmk_slice(struct trace *t, uint32_t machine, int64_t ts, struct str name)
{
    int64_t pid, score;
    str_cut(&name, ',');
    struct str pid_field = str_cut(&name, ',');
    str_cut(&name, ',');
    if (!str_to_i64(pid_field, &pid) || !str_to_i64(str_cut(&name, ','), &score) || pid < 0 ||
        pid > UINT32_MAX)
        return;
    uint32_t upid = process_tracker_process(t, machine, pid);
    struct process_counter counter = atrace_oom_score_counter(t);
    counter_push(t, ts, process_counter_track(t, upid, &counter), (double)score);
    lmk_instant(t, machine, ts, upid);
}

static void begin(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                  const struct atrace_point *p)
{
    uint32_t track = track_thread(t, writer_utid(t, machine, tid, p->tgid));
    slice_begin(t, ts, track, NULL_STRING, trace_intern(t, p->name));
    if (str_starts(p->name, STR("lmk,")))
        lmk_slice(t, machine, ts, p->name);
}

static void end(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                const struct atrace_point *p)
{
    uint32_t utid = p->tgid == 0 ? process_tracker_find_thread(t, machine, tid)
                                 : process_tracker_update_thread(t, machine, tid, p->tgid);
    if (utid != NULL_U32)
        slice_end(t, ts, track_thread(t, utid), NULL_STRING, NULL_STRING);
}

static struct track_spec process_spec(uint32_t machine, const char *type, uint32_t upid,
                                      string_id name)
{
    return (struct track_spec){
        .type = type,
        .machine = machine,
        .dimension_count = 2,
        .dimensions = {{.key = "upid", .type = ARG_INT, .i = upid},
                       {.key = "name", .type = ARG_STRING, .s = name}},
        .name = name,
    };
}

/* S and F. Some writers begin again and again and end once: only the first begin counts. */
static void async(struct trace *t, uint32_t machine, int64_t ts, const struct atrace_point *p)
{
    struct atrace_tracker *at = &t->builder->atrace;
    string_id name = trace_intern(t, p->name);
    uint32_t upid = process_tracker_process(t, machine, p->tgid);
    struct track_spec spec = process_spec(machine, "atrace_async_slice", upid, name);
    bool begins = p->phase == 'S', inserted;
    uint32_t track =
        begins ? track_set_begin_once(t, &spec, p->value) : track_set_end(t, &spec, p->value);
    uint32_t *index = map_insert(&at->once_tracks, track, &inserted);
    if (inserted) {
        *index = (uint32_t)at->once.count;
        *vec_push(&at->once) = (struct atrace_once){0};
    }
    struct atrace_once *once = &at->once.items[*index];
    if (begins) {
        once->begins++;
        once->last_begin = ts;
        if (slice_top(t, track) != NULL_U32)
            return;
        uint32_t slice = slice_begin(t, ts, track, NULL_STRING, name);
        add_int_arg(t, track, slice, STR("cookie"), p->value);
        return;
    }
    uint32_t slice = slice_find_end(t, ts, track, NULL_STRING, NULL_STRING);
    add_int_arg(t, track, slice, STR("legacy_unnestable_begin_count"), once->begins);
    add_int_arg(t, track, slice, STR("legacy_unnestable_last_begin_ts"), once->last_begin);
    slice_end(t, ts, track, NULL_STRING, NULL_STRING);
}

static void instant(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                    const struct atrace_point *p)
{
    uint32_t track = track_thread(t, writer_utid(t, machine, tid, p->tgid));
    slice_complete(t, ts, 0, track, NULL_STRING, trace_intern(t, p->name));
}

/* The track of the process that the writer names. */
static uint32_t named_track(struct trace *t, uint32_t machine, int64_t ts,
                            const struct atrace_point *p)
{
    uint32_t upid = process_tracker_process(t, machine, p->tgid);
    struct track_spec spec =
        process_spec(machine, "atrace_async_slice_for_track", upid, trace_intern(t, p->track));
    return p->phase == 'N'   ? track_set_complete(t, &spec, ts, 0)
           : p->phase == 'G' ? track_set_begin(t, &spec, p->value)
                             : track_set_end(t, &spec, p->value);
}

/* The state of the device is nobody's: a track without a process. */
static uint32_t device_state_track(struct trace *t, uint32_t machine, const struct atrace_point *p)
{
    struct track_spec spec = {.type = "android_device_state",
                              .machine = machine,
                              .name = trace_intern(t, p->track)};
    return track_intern(t, &spec);
}

/* N, G and H. The args say which thread wrote, which may be one of another process. */
static void on_named_track(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                           const struct atrace_point *p)
{
    bool of_device = str_eq(p->track, STR(ATRACE_DEVICE_TRACK));
    uint32_t track = of_device ? device_state_track(t, machine, p) : named_track(t, machine, ts, p);
    string_id name = trace_intern(t, p->name);
    uint32_t slice;
    switch (p->phase) {
    case 'N':
        slice = slice_complete(t, ts, 0, track, NULL_STRING, name);
        break;
    case 'G':
        slice = slice_begin(t, ts, track, NULL_STRING, name);
        break;
    default:
        slice = slice_find_end(t, ts, track, NULL_STRING, NULL_STRING);
    }
    if (!of_device)
        add_uint_arg(t, track, slice, p->phase == 'H' ? STR("end_utid") : STR("utid"),
                     process_tracker_thread(t, machine, tid));
    if (p->phase == 'H')
        slice_end(t, ts, track, NULL_STRING, NULL_STRING);
}

static void counter(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                    const struct atrace_point *p)
{
    string_id name = trace_intern(t, p->name);
    if (str_eq(p->name, STR("ScreenState"))) {
        counter_push(t, ts, track_global_counter(t, "screen_state", name, NULL, machine),
                     (double)p->value);
        return;
    }
    struct track_spec spec = {.event_type = TRACK_COUNTER, .machine = machine, .name = name};
    if (str_starts(p->name, STR("battery_stats."))) {
        spec.type = "battery_stats";
        spec.dimension_count = 1;
        spec.dimensions[0] =
            (struct track_dimension){.key = "counter_key", .type = ARG_STRING, .s = name};
        counter_push(t, ts, track_intern(t, &spec), (double)p->value);
        return;
    }
    /* The killer counts from the pid of its victim to 0. */
    if (str_eq(p->name, STR("kill_one_process")) && (uint32_t)p->value != 0)
        lmk_instant(t, machine, ts, process_tracker_process(t, machine, (uint32_t)p->value));
    /* Drivers count for processes that the writing thread does not belong to: nothing is concluded
     * from the pair. */
    uint32_t upid = process_tracker_process(t, machine, p->tgid);
    struct track_spec of_process = process_spec(machine, "atrace_counter", upid, name);
    of_process.event_type = TRACK_COUNTER;
    counter_push_args(t, ts, track_intern(t, &of_process), (double)p->value,
                      process_counter_args(t, process_tracker_thread(t, machine, tid)));
}

void atrace_apply(struct trace *t, uint32_t machine, int64_t ts, int64_t tid,
                  const struct atrace_point *p)
{
    switch (p->phase) {
    case 'B':
        begin(t, machine, ts, tid, p);
        return;
    case 'E':
        end(t, machine, ts, tid, p);
        return;
    case 'S':
    case 'F':
        async(t, machine, ts, p);
        return;
    case 'I':
        instant(t, machine, ts, tid, p);
        return;
    case 'N':
    case 'G':
    case 'H':
        on_named_track(t, machine, ts, tid, p);
        return;
    case 'C':
        counter(t, machine, ts, tid, p);
        return;
    default:
        stats_count(t, STAT_systrace_parse_failure);
    }
}
