#include "tui/timeline/blocked.h"

#include "text/time.h"
#include "tui/context/state.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/timeline_view.h"
#include "tui/view/events.h"
#include "tui/view/links.h"

/* The longest time within [t0, t1) that a thread did not run: the position of that state. */
static uint32_t longest_wait(const struct timeline *tl, uint32_t utid, int64_t t0, int64_t t1)
{
    enum { LOOKED_MAX = 20000 };
    uint32_t best = NO_POSITION, p = lane_first_in(&tl->states, utid, t0);
    uint32_t end = tl->states.starts[utid + 1];
    int64_t best_dur = 0;
    for (uint32_t looked = 0; p < end && lanes_ts(&tl->states, p) < t1 && looked < LOOKED_MAX;
         p++, looked++) {
        int64_t dur = lanes_dur_in(&tl->states, p, t0, t1);
        if (timeline_mode(tl, lanes_row(&tl->states, p)) != MODE_RUNNING && dur > best_dur) {
            best_dur = dur;
            best = p;
        }
    }
    return best;
}

static effects jump_state_at(struct app *a, uint32_t utid, int64_t t, const char *why)
{
    const struct timeline *tl = app_timeline(a);
    uint32_t p = lane_at(&tl->states, utid, t);
    char name[64];
    timeline_thread_name(tl, utid, name, sizeof name);
    effects e = p == NO_POSITION ? app_jump_node(a, app_tree(a)->thread_node[utid])
                                 : app_jump(a, event_of(&state_events, lanes_row(&tl->states, p)));
    app_say(a, "%s: %s", why, name);
    return e;
}

/* Nobody to go to: an interrupt ended the wait. What is known is what it waited in. */
static void say_interrupt(struct app *a, uint32_t wait)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t row = lanes_row(&tl->states, wait);
    struct str state = timeline_str(tl, column_str(&t->columns[thread_state_col_state], row));
    struct str function =
        timeline_str(tl, column_str(&t->columns[thread_state_col_blocked_function], row));
    app_say(a, "the longest wait (%.*s%s%.*s) was ended by an interrupt on an idle CPU",
            (int)state.n, state.p, function.n ? " in " : "",
            (int)(function.n < 60 ? function.n : 60), function.n ? function.p : "");
}

/* What ran on a CPU: the position of the longest that is not the idle task, and the time that it
 * idled. */
struct cpu_use {
    uint32_t longest; /* NO_POSITION: only the idle task */
    wide_int idle;
};

static struct cpu_use cpu_use_in(const struct timeline *tl, uint32_t cpu, int64_t t0, int64_t t1)
{
    enum { LOOKED_MAX = 20000 };
    const struct table *t = &tl->trace->tables.sched_slice;
    struct cpu_use use = {.longest = NO_POSITION};
    uint32_t p = lane_first_in(&tl->sched, cpu, t0), end = tl->sched.starts[cpu + 1];
    wide_int best_dur = 0;
    for (uint32_t n = 0; p < end && lanes_ts(&tl->sched, p) < t1 && n < LOOKED_MAX; p++, n++) {
        int64_t dur = lanes_dur_in(&tl->sched, p, t0, t1);
        uint32_t utid = table_u32(t, sched_slice_col_utid)[lanes_row(&tl->sched, p)];
        if (utid < tl->trace->tables.thread.rows && timeline_tid(tl, utid) == 0) {
            use.idle += dur;
        } else if (dur > best_dur) {
            best_dur = dur;
            use.longest = p;
        }
    }
    return use;
}

/* The row of the thread's state behind the one at a position, NULL_U32 for none. */
static uint32_t state_behind(const struct timeline *tl, uint32_t utid, uint32_t position)
{
    uint32_t next = position + 1;
    return next < tl->states.starts[utid + 1] ? lanes_row(&tl->states, next) : NULL_U32;
}

/* A thread that waits for a CPU is blocked by what runs on the one it gets in the end. */
static effects blocked_by_cpu(struct app *a, uint32_t utid, uint32_t wait)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t next = state_behind(tl, utid, wait);
    uint32_t cpu = next == NULL_U32 ? NULL_U32 : table_small(t, thread_state_col_ucpu, next);
    if (cpu >= tl->sched.lane_count) {
        app_say(a, "it waited for a CPU; which one it got is not known");
        return EFFECT_NONE;
    }
    int64_t t0 = lanes_ts(&tl->states, wait), t1 = lanes_end(&tl->states, wait);
    struct cpu_use use = cpu_use_in(tl, cpu, t0, t1);
    int percent = percent_of(use.idle, (wide_int)t1 - t0);
    if (use.longest == NO_POSITION || percent >= 50) {
        app_say(a,
                "CPU %u, which it got in the end, idled %d %% of the wait: events may be missing",
                cpu, percent);
        return EFFECT_NONE;
    }
    effects e = app_jump(a, event_of(&sched_events, lanes_row(&tl->sched, use.longest)));
    app_say(a, "this ran longest meanwhile on CPU %u, which it got in the end", cpu);
    return e;
}

/* Who ended a wait. */
static effects blocked_by_waker(struct app *a, uint32_t utid, uint32_t wait)
{
    const struct timeline *tl = app_timeline(a);
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t next = state_behind(tl, utid, wait);
    uint32_t waker = next == NULL_U32 ? NULL_U32 : table_u32(t, thread_state_col_waker_utid)[next];
    uint32_t state = next == NULL_U32 ? NULL_U32 : table_u32(t, thread_state_col_waker_id)[next];
    if (waker == NULL_U32) {
        app_say(a, "who ended the longest wait is not known");
        return EFFECT_NONE;
    }
    if (waker >= tl->trace->tables.thread.rows || app_tree(a)->thread_node[waker] == NO_NODE) {
        say_interrupt(a, wait);
        return EFFECT_NONE;
    }
    effects e = state < t->rows ? app_jump(a, event_of(&state_events, state))
                                : jump_state_at(a, waker, lanes_end(&tl->states, wait), "woken by");
    app_say(a, "this thread ended the longest wait");
    return e;
}

/* What kept a thread from running in [t0, t1). */
static effects blocked_thread(struct app *a, uint32_t utid, int64_t t0, int64_t t1)
{
    const struct timeline *tl = app_timeline(a);
    uint32_t wait = longest_wait(tl, utid, t0, t1);
    wide_int running = timeline_running(tl, utid, t0, t1);
    if (wait == NO_POSITION && running == 0) {
        app_say(a, "not known: the trace has no scheduling of this thread here (sched_switch)");
        return EFFECT_NONE;
    }
    if (wait == NO_POSITION) {
        app_say(a, "nothing blocked this: it was on a CPU for %d %% of the time",
                percent_of(running, (wide_int)t1 - t0));
        return EFFECT_NONE;
    }
    struct event_ref state = event_of(&state_events, lanes_row(&tl->states, wait));
    if (timeline_mode(tl, state.row) != MODE_RUNNABLE)
        return blocked_by_waker(a, utid, wait);
    if (event_same(a->view->cursor.event, state))
        return blocked_by_cpu(a, utid, wait);
    effects e = app_jump(a, state);
    app_say(a, "the longest wait, for a CPU; b again shows what ran there");
    return e;
}

static effects blocked_slice(struct app *a, uint32_t slice)
{
    const struct timeline *tl = app_timeline(a);
    int64_t t0 = slice_ts(tl, slice), t1 = slice_end_ts(tl, slice);
    if (timeline_flows_out(tl, slice).count)
        return app_flow(a, true);
    uint32_t utid = timeline_slice_thread(tl, slice), owner = links_lock_owner(tl, slice);
    if (owner != NULL_U32)
        return jump_state_at(a, owner, t0, "the lock's owner");
    /* A call is the answer only where it took a good part of the time. */
    uint32_t wait = links_longest_wait(tl, slice);
    if (wait != NULL_U32 &&
        time_minus(slice_end_ts(tl, wait), slice_ts(tl, wait)) >= (t1 - t0) / 10) {
        bool call = timeline_flows_out(tl, wait).count > 0;
        effects e = app_jump_slice(a, wait);
        app_say(a, call ? "the longest call within; b again goes to who served it"
                        : "the longest wait for a lock within; b again goes to its owner");
        return e;
    }
    if (utid != NULL_U32)
        return blocked_thread(a, utid, t0, t1);
    app_say(a, "nothing known that blocked this");
    return EFFECT_NONE;
}

bool app_was_blocked(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    struct event_ref event = a->view->cursor.event;
    if (event.kind == &state_events)
        return timeline_mode(tl, event.row) != MODE_RUNNING;
    if (event.kind != &slice_events)
        return false;
    uint32_t utid = timeline_slice_thread(tl, event.row);
    return timeline_flows_out(tl, event.row).count > 0 ||
           links_lock_owner(tl, event.row) != NULL_U32 ||
           links_longest_wait(tl, event.row) != NULL_U32 ||
           (utid != NULL_U32 && longest_wait(tl, utid, slice_ts(tl, event.row),
                                             slice_end_ts(tl, event.row)) != NO_POSITION);
}

effects app_blocker(struct app *a)
{
    const struct timeline *tl = app_timeline(a);
    if (a->view->cursor.event.kind == &state_events) {
        struct event_span span = event_times(tl, app_tree(a), a->view->cursor.event);
        return blocked_thread(a, state_events.thread(tl, a->view->cursor.event.row), span.ts,
                              span.end);
    }
    uint32_t slice = app_slice(a);
    if (slice != NULL_U32)
        return blocked_slice(a, slice);
    app_say(a, "no slice and no state under the cursor");
    return EFFECT_NONE;
}
