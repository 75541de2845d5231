#include "parsers/fuchsia/events.h"

#include <stdio.h>

#include "base/hash.h"
#include "core/counter.h"
#include "core/store/rows.h"

/* States of Zircon's threads. */
enum {
    THREAD_NEW,
    THREAD_RUNNING,
    THREAD_SUSPENDED,
    THREAD_BLOCKED,
    THREAD_DYING,
    THREAD_DEAD,
};

enum { IDLE_WEIGHT = INT32_MIN };

void fuchsia_events_init(struct fuchsia_events *e, struct trace *t)
{
    *e = (struct fuchsia_events){
        .trace = t,
        .machine = stats_scope(t)->machine,
        .running = trace_intern(t, STR("Running")),
        .runnable = trace_intern(t, STR("R")),
        .waking = trace_intern(t, STR("W")),
        .blocked = trace_intern(t, STR("S")),
        .suspended = trace_intern(t, STR("T")),
        .dying = trace_intern(t, STR("Z")),
        .dead = trace_intern(t, STR("X")),
    };
}

void fuchsia_events_release(struct fuchsia_events *e)
{
    map_release(&e->thread_of);
    vec_release(&e->threads);
    map_release(&e->flows);
    map_release(&e->owner_of);
    vec_release(&e->owners);
    vec_release(&e->text);
}

static struct fuchsia_thread_state *thread_state(struct fuchsia_events *e, uint64_t tid)
{
    bool inserted;
    uint32_t *index = map_insert(&e->thread_of, tid, &inserted);
    if (inserted) {
        *index = (uint32_t)e->threads.count;
        *vec_push(&e->threads) =
            (struct fuchsia_thread_state){.tid = tid, .slice = NULL_U32, .state = NULL_U32};
    }
    return &e->threads.items[*index];
}

void fuchsia_events_thread(struct fuchsia_events *e, uint64_t tid, uint64_t pid)
{
    thread_state(e, tid)->pid = pid;
}

static uint32_t utid_of(const struct fuchsia_events *e, uint64_t tid, uint64_t pid)
{
    return process_tracker_update_thread(e->trace, e->machine, (uint32_t)tid, (uint32_t)pid);
}

static uint32_t track_of(const struct fuchsia_events *e, const struct fuchsia_event *event)
{
    return track_thread(e->trace, utid_of(e, event->thread.tid, event->thread.pid));
}

static void add_args(const struct fuchsia_events *e, const struct fuchsia_event *event,
                     struct arg_list *out)
{
    struct trace *t = e->trace;
    for (uint32_t i = 0; out && i < event->arg_count; i++) {
        const struct fuchsia_arg *a = &event->args[i];
        switch (a->type) {
        case FUCHSIA_ARG_INT32:
        case FUCHSIA_ARG_UINT32:
        case FUCHSIA_ARG_INT64:
        case FUCHSIA_ARG_UINT64:
        case FUCHSIA_ARG_KOID:
            arg_list_int(out, a->name, a->i);
            break;
        case FUCHSIA_ARG_DOUBLE:
            arg_list_real(out, a->name, a->d);
            break;
        case FUCHSIA_ARG_STRING:
            arg_list_str(out, a->name, a->s);
            break;
        case FUCHSIA_ARG_POINTER:
            arg_list_pointer(out, a->name, (uint64_t)a->i);
            break;
        case FUCHSIA_ARG_BOOL:
            arg_list_bool(out, a->name, a->i != 0);
            break;
        default:
            arg_list_str(out, a->name,
                         a->type == FUCHSIA_ARG_NULL ? trace_intern(t, STR("null"))
                                                     : trace_intern(t, STR("unknown")));
        }
    }
}

static void begin_on(const struct fuchsia_events *e, const struct fuchsia_event *event,
                     uint32_t track, int64_t ts)
{
    uint32_t slice = slice_begin(e->trace, ts, track, event->category, event->name);
    add_args(e, event, slice_args(e->trace, track, slice));
}

static void complete_on(const struct fuchsia_events *e, const struct fuchsia_event *event,
                        uint32_t track, int64_t ts, int64_t dur)
{
    uint32_t slice = slice_complete(e->trace, ts, dur, track, event->category, event->name);
    if (slice != NULL_U32)
        add_args(e, event, slice_args(e->trace, track, slice));
}

static void end_on(const struct fuchsia_events *e, const struct fuchsia_event *event,
                   uint32_t track, int64_t ts, string_id category, string_id name)
{
    uint32_t slice = slice_find_end(e->trace, ts, track, category, name);
    if (slice != NULL_U32)
        add_args(e, event, slice_args(e->trace, track, slice));
    slice_end(e->trace, ts, track, category, name);
}

static bool number_of(const struct fuchsia_arg *a, double *out)
{
    switch (a->type) {
    case FUCHSIA_ARG_INT32:
    case FUCHSIA_ARG_UINT32:
    case FUCHSIA_ARG_INT64:
        *out = (double)a->i;
        return true;
    case FUCHSIA_ARG_UINT64:
        *out = (double)(uint64_t)a->i;
        return true;
    case FUCHSIA_ARG_DOUBLE:
        *out = a->d;
        return true;
    default:
        return false;
    }
}

/* "event:arg:number" */
static string_id counter_name(struct fuchsia_events *e, const struct fuchsia_event *event,
                              const struct fuchsia_arg *a)
{
    struct trace *t = e->trace;
    struct str name = string_pool_get(&t->strings, event->name);
    struct str arg = string_pool_get(&t->strings, a->name);
    char number[24];
    size_t n = (size_t)snprintf(number, sizeof number, ":%llu", (unsigned long long)event->id);
    vec_reserve(&e->text, name.n + 1 + arg.n + n);
    char *p = e->text.items;
    memcpy(p, name.p, name.n);
    p[name.n] = ':';
    memcpy(p + name.n + 1, arg.p, arg.n);
    memcpy(p + name.n + 1 + arg.n, number, n);
    return trace_intern(t, (struct str){p, name.n + 1 + arg.n + n});
}

static void apply_counter(struct fuchsia_events *e, const struct fuchsia_event *event, int64_t ts)
{
    struct trace *t = e->trace;
    uint32_t upid = process_tracker_process(t, e->machine, (uint32_t)event->thread.pid);
    for (uint32_t i = 0; i < event->arg_count; i++) {
        double value;
        if (!number_of(&event->args[i], &value)) {
            stats_count(t, STAT_fuchsia_non_numeric_counters);
            continue;
        }
        string_id name = counter_name(e, event, &event->args[i]);
        struct track_spec spec = {
            .type = "fuchsia_counter",
            .event_type = TRACK_COUNTER,
            .machine = e->machine,
            .dimension_count = 2,
            .dimensions = {{.key = "upid", .type = ARG_INT, .i = upid},
                           {.key = "name", .type = ARG_STRING, .s = name}},
            .name = name,
        };
        counter_push(t, ts, track_intern(t, &spec), value);
    }
}

/* As Chrome's async events that no process has for itself. */
static void apply_async(const struct fuchsia_events *e, const struct fuchsia_event *event,
                        int64_t ts)
{
    struct trace *t = e->trace;
    uint32_t upid = process_tracker_process(t, e->machine, (uint32_t)event->thread.pid);
    struct arg_list source = {0};
    arg_list_str(&source, trace_intern(t, STR("source")), trace_intern(t, STR("chrome")));
    arg_list_bool(&source, trace_intern(t, STR("trace_id_is_process_scoped")), false);
    arg_list_uint(&source, trace_intern(t, STR("upid")), upid);
    arg_list_str(&source, trace_intern(t, STR("source_scope")), NULL_STRING);
    struct track_spec spec = {
        .type = "legacy_async_global_slice",
        .machine = e->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "scope", .type = ARG_STRING, .s = NULL_STRING},
                       {.key = "name", .type = ARG_STRING, .s = event->name}},
        .name = event->name,
        .source_args = &source,
    };
    int64_t id = (int64_t)event->id;
    if (event->type == FUCHSIA_ASYNC_BEGIN) {
        begin_on(e, event, track_set_begin(t, &spec, id), ts);
    } else if (event->type == FUCHSIA_ASYNC_END) {
        end_on(e, event, track_set_end(t, &spec, id), ts, event->category, event->name);
    } else {
        track_set_begin(t, &spec, id);
        complete_on(e, event, track_set_end(t, &spec, id), ts, 0);
    }
    arg_list_release(&source);
}

static uint64_t flow_key(uint32_t pid, uint64_t number)
{
    return hash_mix(hash_u64(number), pid);
}

static uint64_t start_flow(struct fuchsia_events *e, uint32_t pid, uint64_t number)
{
    bool inserted;
    uint32_t *flow = map_insert(&e->flows, flow_key(pid, number), &inserted);
    if (!inserted)
        return *flow;
    *flow = e->next_flow++;
    uint64_t id = *flow;
    uint32_t *at = map_insert(&e->owner_of, number, &inserted);
    if (inserted) {
        *at = (uint32_t)e->owners.count;
        *vec_push(&e->owners) = (struct fuchsia_flow_owner){.pid = pid};
    } else if (e->owners.items[*at].pid != pid) {
        e->owners.items[*at].is_ambiguous = true;
    }
    return id;
}

/* A flow's number is its process's; another may go on with it where no third has the same. */
static bool find_flow(const struct fuchsia_events *e, uint32_t *pid, uint64_t number, uint64_t *id)
{
    const uint32_t *flow = map_find(&e->flows, flow_key(*pid, number));
    const uint32_t *owner = flow ? NULL : map_find(&e->owner_of, number);
    if (owner && !e->owners.items[*owner].is_ambiguous) {
        *pid = e->owners.items[*owner].pid;
        flow = map_find(&e->flows, flow_key(*pid, number));
    }
    *id = flow ? *flow : 0;
    return flow;
}

static void apply_flow(struct fuchsia_events *e, const struct fuchsia_event *event, int64_t ts)
{
    (void)ts;
    struct trace *t = e->trace;
    uint32_t pid = (uint32_t)event->thread.pid, slice = slice_top(t, track_of(e, event));
    uint64_t id = 0;
    if (event->type == FUCHSIA_FLOW_BEGIN)
        id = start_flow(e, pid, event->id);
    else if (!find_flow(e, &pid, event->id, &id))
        return;
    if (slice == NULL_U32)
        stats_count(t, STAT_flow_no_enclosing_slice);
    else if (event->type == FUCHSIA_FLOW_BEGIN)
        flow_begin(t, slice, id);
    else if (event->type == FUCHSIA_FLOW_STEP)
        flow_step(t, slice, id, (int64_t)id);
    else
        flow_end(t, slice, id, true, (int64_t)id);
    if (event->type == FUCHSIA_FLOW_END) {
        map_remove(&e->flows, flow_key(pid, event->id));
        map_remove(&e->owner_of, event->id);
    }
}

static string_id state_name(const struct fuchsia_events *e, uint32_t state)
{
    switch (state) {
    case THREAD_NEW:
    case THREAD_RUNNING:
        return e->runnable;
    case THREAD_SUSPENDED:
        return e->suspended;
    case THREAD_BLOCKED:
        return e->blocked;
    case THREAD_DYING:
        return e->dying;
    case THREAD_DEAD:
        return e->dead;
    default:
        return NULL_STRING;
    }
}

/* Ends the thread's open state and begins another. */
static void change_state(struct fuchsia_events *e, struct fuchsia_thread_state *thread,
                         struct thread_state_row row)
{
    struct table *states = &e->trace->tables.thread_state;
    if (thread->state != NULL_U32)
        table_set_i64(states, thread_state_col_dur, thread->state,
                      time_minus(row.ts, thread->last_ts));
    thread->state = thread_state_append(states, &row);
    thread->last_ts = row.ts;
}

static struct thread_state_row state_row(const struct fuchsia_events *e, uint32_t utid, int64_t ts,
                                         uint32_t cpu, string_id state)
{
    struct thread_state_row row = thread_state_row_null();
    row.ts = ts;
    row.dur = -1;
    row.utid = utid;
    row.state = state;
    row.ucpu = trace_ucpu(e->trace, e->machine, cpu);
    return row;
}

static void switch_from(struct fuchsia_events *e, const struct fuchsia_event *event, int64_t ts)
{
    struct fuchsia_thread_state *thread = thread_state(e, event->thread.tid);
    struct table *sched = &e->trace->tables.sched_slice;
    string_id state = state_name(e, event->state);
    uint32_t utid = utid_of(e, thread->tid, thread->pid);
    if (thread->slice != NULL_U32) {
        table_set_i64(sched, sched_slice_col_dur, thread->slice, time_minus(ts, thread->last_ts));
        table_set_str(sched, sched_slice_col_end_state, thread->slice, state);
        thread->slice = NULL_U32;
    }
    change_state(e, thread, state_row(e, utid, ts, event->cpu, state));
}

static void switch_to(struct fuchsia_events *e, const struct fuchsia_event *event, int64_t ts)
{
    struct fuchsia_thread_state *thread = thread_state(e, event->next_tid);
    uint32_t utid = utid_of(e, thread->tid, thread->pid);
    struct sched_slice_row row = {
        .ts = ts,
        .dur = -1,
        .utid = utid,
        .end_state = NULL_STRING,
        .priority = event->in_weight,
        .ucpu = trace_ucpu(e->trace, e->machine, event->cpu),
    };
    struct thread_state_row state = state_row(e, utid, ts, event->cpu, e->running);
    thread->slice = sched_slice_append(&e->trace->tables.sched_slice, &row);
    change_state(e, thread, state);
}

static bool is_idle(const struct fuchsia_events *e, const struct fuchsia_event *event, uint64_t tid,
                    int32_t weight)
{
    if (!event->is_legacy)
        return weight == IDLE_WEIGHT;
    const uint32_t *at = map_find(&e->thread_of, tid);
    return weight == 0 && (!at || e->threads.items[*at].pid == 0);
}

static void apply_switch(struct fuchsia_events *e, const struct fuchsia_event *event, int64_t ts)
{
    if (!is_idle(e, event, event->thread.tid, event->out_weight))
        switch_from(e, event, ts);
    if (!is_idle(e, event, event->next_tid, event->in_weight))
        switch_to(e, event, ts);
}

/* A thread that nobody is said to have woken woke by itself, from a timer say. */
static void apply_wakeup(struct fuchsia_events *e, const struct fuchsia_event *event, int64_t ts)
{
    if (event->in_weight == IDLE_WEIGHT)
        return;
    struct fuchsia_thread_state *thread = thread_state(e, event->thread.tid);
    uint32_t utid = utid_of(e, thread->tid, thread->pid);
    struct thread_state_row row = state_row(e, utid, ts, event->cpu, e->waking);
    row.waker_utid = utid;
    row.waker_id = thread->state;
    if (event->has_waker) {
        const uint32_t *waker = map_find(&e->thread_of, event->waker_tid);
        row.waker_utid = process_tracker_thread(e->trace, e->machine, (uint32_t)event->waker_tid);
        row.waker_id = waker ? e->threads.items[*waker].state : NULL_U32;
    }
    change_state(e, thread, row);
}

void fuchsia_events_apply(struct fuchsia_events *e, int64_t ts, const struct fuchsia_event *event)
{
    switch ((enum fuchsia_event_type)event->type) {
    case FUCHSIA_INSTANT:
        complete_on(e, event, track_of(e, event), ts, 0);
        break;
    case FUCHSIA_COUNTER:
        apply_counter(e, event, ts);
        break;
    case FUCHSIA_BEGIN:
        begin_on(e, event, track_of(e, event), ts);
        break;
    case FUCHSIA_END:
        end_on(e, event, track_of(e, event), ts, NULL_STRING, NULL_STRING);
        break;
    case FUCHSIA_COMPLETE:
        if (event->end >= ts)
            complete_on(e, event, track_of(e, event), ts, event->end - ts);
        else
            stats_count(e->trace, STAT_fuchsia_timestamp_overflow);
        break;
    case FUCHSIA_ASYNC_BEGIN:
    case FUCHSIA_ASYNC_INSTANT:
    case FUCHSIA_ASYNC_END:
        apply_async(e, event, ts);
        break;
    case FUCHSIA_FLOW_BEGIN:
    case FUCHSIA_FLOW_STEP:
    case FUCHSIA_FLOW_END:
        apply_flow(e, event, ts);
        break;
    case FUCHSIA_SWITCH:
        apply_switch(e, event, ts);
        break;
    case FUCHSIA_WAKEUP:
        apply_wakeup(e, event, ts);
    }
}
