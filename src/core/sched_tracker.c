#include "core/sched_tracker.h"

#include "core/store/rows.h"
#include "core/trace_builder.h"

enum { TRACE_FLAG_HARDIRQ = 0x08, TRACE_FLAG_SOFTIRQ = 0x10, DUR_OPEN = -1 };

void sched_tracker_release(struct sched_tracker *st)
{
    vec_release(&st->threads);
}

struct sched_cpu sched_cpu_make(uint32_t machine, uint32_t ucpu)
{
    return (struct sched_cpu){
        .machine = machine, .ucpu = ucpu, .utid = NULL_U32, .row = NULL_U32, .pid = -1};
}

string_id sched_state_string(struct trace *t, int64_t prev_state, kernel_version version)
{
    struct sched_tracker *st = &t->builder->sched;
    if (version != st->known_version) {
        st->known_version = version;
        st->known_strings[0] = st->known_strings[1] = NULL_STRING;
    }
    for (int i = 0; i < 2; i++)
        if (st->known_strings[i] && st->known_states[i] == prev_state)
            return st->known_strings[i];
    struct task_state_text text = task_state_from_raw(prev_state, version);
    if (text.n == 0) {
        stats_count(t, STAT_task_state_invalid);
        return NULL_STRING;
    }
    string_id state = trace_intern(t, (struct str){text.text, text.n});
    st->known_states[0] = st->known_states[1];
    st->known_strings[0] = st->known_strings[1];
    st->known_states[1] = prev_state;
    st->known_strings[1] = state;
    return state;
}

/* The rows of a thread, or NULL for one beyond those that were seen. */
static struct thread_rows *rows_of(struct trace *t, uint32_t utid)
{
    struct sched_tracker *st = &t->builder->sched;
    return utid < st->threads.count ? &st->threads.items[utid] : NULL;
}

static string_id state_of(const struct trace *t, uint32_t row)
{
    return column_str(&t->tables.thread_state.columns[thread_state_col_state], row);
}

static void intern_names(struct trace *t)
{
    t->builder->sched.running = trace_intern(t, STR("Running"));
    t->builder->sched.runnable = trace_intern(t, STR("R"));
}

uint32_t thread_state_open(struct trace *t, int64_t ts, uint32_t utid, string_id state,
                           uint32_t ucpu, uint32_t waker_utid, uint32_t irq_context)
{
    struct sched_tracker *st = &t->builder->sched;
    if (utid == 0 || table_u32(&t->tables.thread, thread_col_is_idle)[utid])
        return NULL_U32;
    if (!st->running)
        intern_names(t);
    struct thread_state_row row = thread_state_row_null();
    row.ts = ts;
    row.dur = DUR_OPEN;
    row.utid = utid;
    row.state = state;
    row.ucpu = ucpu;
    row.waker_utid = waker_utid;
    row.irq_context = irq_context;
    const struct thread_rows *waker = waker_utid == NULL_U32 ? NULL : rows_of(t, waker_utid);
    if (waker && waker->last != NULL_U32 && state_of(t, waker->last) == st->running)
        row.waker_id = waker->last;
    uint32_t id = thread_state_append(&t->tables.thread_state, &row);
    while (st->threads.count <= utid)
        *vec_push(&st->threads) = (struct thread_rows){NULL_U32, NULL_U32};
    struct thread_rows *rows = &st->threads.items[utid];
    rows->last = id;
    if (state == st->running)
        rows->last_blocked = NULL_U32;
    else if (state != st->runnable)
        rows->last_blocked = id;
    return id;
}

void thread_state_close(struct trace *t, int64_t ts, uint32_t utid)
{
    const struct thread_rows *rows = rows_of(t, utid);
    if (!rows || rows->last == NULL_U32)
        return;
    int64_t start = table_i64(&t->tables.thread_state, thread_state_col_ts)[rows->last];
    table_set_i64(&t->tables.thread_state, thread_state_col_dur, rows->last, time_minus(ts, start));
}

static void switch_states(struct trace *t, const struct sched_cpu *cpu, int64_t ts,
                          uint32_t prev_utid, string_id prev_state, uint32_t next_utid)
{
    if (!t->builder->sched.running)
        intern_names(t);
    /* A thread that leaves a cpu without having run there: events were lost, nobody knows until
     * when it did what it did. */
    const struct thread_rows *prev = rows_of(t, prev_utid);
    if (prev && prev->last != NULL_U32 && state_of(t, prev->last) == t->builder->sched.running)
        thread_state_close(t, ts, prev_utid);
    thread_state_open(t, ts, prev_utid, prev_state, NULL_U32, NULL_U32, NULL_U32);
    /* Forced migration can make a thread run on two cpus at once: the first ends here. */
    thread_state_close(t, ts, next_utid);
    thread_state_open(t, ts, next_utid, t->builder->sched.running, cpu->ucpu, NULL_U32, NULL_U32);
}

static void close_slice(struct trace *t, const struct sched_cpu *cpu, int64_t ts,
                        string_id end_state)
{
    struct table *sched = &t->tables.sched_slice;
    int64_t start = table_i64(sched, sched_slice_col_ts)[cpu->row];
    table_set_i64(sched, sched_slice_col_dur, cpu->row, time_minus(ts, start));
    table_set_str(sched, sched_slice_col_end_state, cpu->row, end_state);
}

static void open_slice(struct trace *t, struct sched_cpu *cpu, const struct sched_switch *s,
                       uint32_t utid)
{
    struct sched_slice_row row = {.ts = s->ts,
                                  .dur = DUR_OPEN,
                                  .utid = utid,
                                  .end_state = NULL_STRING,
                                  .priority = s->next_prio,
                                  .ucpu = cpu->ucpu};
    cpu->row = sched_slice_append(&t->tables.sched_slice, &row);
}

static void note_running(struct sched_cpu *cpu, const struct sched_switch *s, uint32_t utid)
{
    cpu->utid = utid;
    cpu->pid = s->next_pid;
    cpu->prio = s->next_prio;
}

uint32_t sched_switch(struct trace *t, struct sched_cpu *cpu, const struct sched_switch *s)
{
    uint32_t next = process_tracker_thread(t, cpu->machine, s->next_pid);
    process_tracker_set_thread_name(t, next, s->next_comm, THREAD_NAME_KERNEL);
    if (cpu->row != NULL_U32) {
        if (s->prev_pid == cpu->pid)
            close_slice(t, cpu, s->ts, s->prev_state);
        else
            stats_count(t, STAT_mismatched_sched_switch_tids);
    }
    /* A thread may have changed its name while it ran. */
    uint32_t prev = process_tracker_thread(t, cpu->machine, s->prev_pid);
    process_tracker_set_thread_name(t, prev, s->prev_comm, THREAD_NAME_KERNEL);
    open_slice(t, cpu, s, next);
    note_running(cpu, s, next);
    switch_states(t, cpu, s->ts, prev, s->prev_state, next);
    return prev;
}

uint32_t sched_switch_next(struct trace *t, struct sched_cpu *cpu, const struct sched_switch *s,
                           bool only_note)
{
    uint32_t next = process_tracker_thread(t, cpu->machine, s->next_pid), prev = cpu->utid;
    process_tracker_set_thread_name(t, next, s->next_comm, THREAD_NAME_KERNEL);
    if (prev == NULL_U32) {
        stats_count(t, STAT_compact_sched_switch_skipped);
        note_running(cpu, s, next);
        return NULL_U32;
    }
    if (cpu->row != NULL_U32)
        close_slice(t, cpu, s->ts, s->prev_state);
    cpu->row = NULL_U32;
    if (!only_note)
        open_slice(t, cpu, s, next);
    note_running(cpu, s, next);
    if (!only_note)
        switch_states(t, cpu, s->ts, prev, s->prev_state, next);
    return prev;
}

bool sched_flags_irq(uint32_t common_flags)
{
    return common_flags & (TRACE_FLAG_HARDIRQ | TRACE_FLAG_SOFTIRQ);
}

void sched_waking(struct trace *t, int64_t ts, uint32_t utid, uint32_t waker_utid,
                  uint32_t irq_context)
{
    if (!t->builder->sched.running)
        intern_names(t);
    const struct thread_rows *rows = rows_of(t, utid);
    if (rows && rows->last != NULL_U32) {
        string_id state = state_of(t, rows->last);
        if (state == t->builder->sched.running || state == t->builder->sched.runnable) {
            struct spurious_sched_wakeup_row row = {.ts = ts,
                                                    .thread_state_id = rows->last,
                                                    .irq_context = irq_context,
                                                    .utid = utid,
                                                    .waker_utid = waker_utid};
            spurious_sched_wakeup_append(&t->tables.spurious_sched_wakeup, &row);
            return;
        }
        thread_state_close(t, ts, utid);
    }
    thread_state_open(t, ts, utid, t->builder->sched.runnable, NULL_U32, waker_utid, irq_context);
}

void sched_new_task(struct trace *t, int64_t ts, uint32_t utid, uint32_t creator_utid)
{
    if (!t->builder->sched.running)
        intern_names(t);
    thread_state_open(t, ts, utid, t->builder->sched.runnable, NULL_U32, creator_utid, 0);
}

void sched_blocked_reason(struct trace *t, uint32_t utid, bool io_wait, string_id function)
{
    const struct thread_rows *rows = rows_of(t, utid);
    if (!rows || rows->last_blocked == NULL_U32)
        return;
    table_set_small(&t->tables.thread_state, thread_state_col_io_wait, rows->last_blocked, io_wait);
    if (function)
        table_set_str(&t->tables.thread_state, thread_state_col_blocked_function,
                      rows->last_blocked, function);
}
