#include "core/process_tracker.h"

#include "base/hash.h"
#include "core/import_log.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

static uint64_t key_of(uint32_t machine, int64_t id)
{
    return hash_u64(machine) ^ (uint64_t)id;
}

static const uint32_t *thread_upids(const struct trace *t)
{
    return table_u32(&t->tables.thread, thread_col_upid);
}

static int64_t tid_of(const struct trace *t, uint32_t utid)
{
    return table_i64(&t->tables.thread, thread_col_tid)[utid];
}

static int64_t pid_of(const struct trace *t, uint32_t upid)
{
    return table_i64(&t->tables.process, process_col_pid)[upid];
}

static void forget_recent(struct trace *t)
{
    if (!t->builder->processes.recent_used)
        return;
    t->builder->processes.recent_used = false;
    memset(t->builder->processes.recent, 0, sizeof t->builder->processes.recent);
}

static uint32_t append_thread(struct trace *t, uint32_t machine, int64_t ts, int64_t tid)
{
    struct process_tracker *p = &t->builder->processes;
    forget_recent(t);
    struct thread_row row = thread_row_null();
    row.tid = tid;
    row.start_ts = ts;
    row.is_idle = false;
    row.machine_id = machine;
    uint32_t utid = thread_append(&t->tables.thread, &row);
    bool inserted;
    uint32_t *newest = map_insert(&p->utids, key_of(machine, tid), &inserted);
    *vec_push(&p->older) = inserted ? NULL_U32 : *newest;
    *vec_push(&p->thread_name_priorities) = THREAD_NAME_OTHER;
    *newest = utid;
    return utid;
}

static uint32_t append_process(struct trace *t, uint32_t machine, int64_t pid)
{
    forget_recent(t);
    struct process_row row = process_row_null();
    row.pid = pid;
    row.machine_id = machine;
    uint32_t upid = process_append(&t->tables.process, &row);
    *vec_push(&t->builder->processes.process_name_priorities) = PROCESS_NAME_OTHER;
    map_set(&t->builder->processes.upids, key_of(machine, pid), upid);
    return upid;
}

/* A thread is dead after its own end, after its process's end, and when its pid names another
 * process. */
static bool thread_alive(struct trace *t, uint32_t machine, uint32_t utid)
{
    const struct table *processes = &t->tables.process;
    if (!column_is_null(&t->tables.thread.columns[thread_col_end_ts], utid))
        return false;
    uint32_t upid = thread_upids(t)[utid];
    if (upid == NULL_U32)
        return true;
    if (!column_is_null(&processes->columns[process_col_end_ts], upid))
        return false;
    const uint32_t *current =
        map_find(&t->builder->processes.upids, key_of(machine, pid_of(t, upid)));
    return !current || *current == upid;
}

void process_tracker_set_thread_process(struct trace *t, uint32_t utid, uint32_t upid)
{
    forget_recent(t);
    bool main = tid_of(t, utid) == pid_of(t, upid);
    table_set_u32(&t->tables.thread, thread_col_upid, utid, upid);
    table_set_u32(&t->tables.thread, thread_col_is_main_thread, utid, main);
}

/* A thread's process became known: so did that of the threads linked to it, and the children's
 * parent. */
static void resolve_pending(struct trace *t, uint32_t first_utid, uint32_t upid)
{
    struct process_tracker *p = &t->builder->processes;
    VEC(uint32_t) known = {0};
    *vec_push(&known) = first_utid;
    while (known.count) {
        uint32_t utid = known.items[--known.count];
        for (size_t i = 0; i < p->pending_parents.count;) {
            struct process_link link = p->pending_parents.items[i];
            if (link.utid != utid) {
                i++;
                continue;
            }
            table_set_u32(&t->tables.process, process_col_parent_upid, link.other, upid);
            p->pending_parents.items[i] = vec_last(&p->pending_parents);
            p->pending_parents.count--;
        }
        for (size_t i = 0; i < p->pending_threads.count;) {
            struct process_link link = p->pending_threads.items[i];
            if (link.utid != utid && link.other != utid) {
                i++;
                continue;
            }
            uint32_t other = link.utid == utid ? link.other : link.utid;
            p->pending_threads.items[i] = vec_last(&p->pending_threads);
            p->pending_threads.count--;
            if (thread_upids(t)[other] != NULL_U32)
                continue;
            process_tracker_set_thread_process(t, other, upid);
            *vec_push(&known) = other;
        }
    }
    vec_release(&known);
}

static void associate(struct trace *t, uint32_t utid, uint32_t upid)
{
    process_tracker_set_thread_process(t, utid, upid);
    if (t->builder->processes.pending_threads.count || t->builder->processes.pending_parents.count)
        resolve_pending(t, utid, upid);
}

void process_tracker_add_machine(struct trace *t, uint32_t machine)
{
    struct process_tracker *p = &t->builder->processes;
    uint32_t upid = append_process(t, machine, 0);
    uint32_t utid = append_thread(t, machine, NULL_I64, 0);
    table_set_u32(&t->tables.thread, thread_col_is_idle, utid, true);
    process_tracker_set_thread_process(t, utid, upid);
    map_remove(&p->upids, key_of(machine, 0));
    map_remove(&p->utids, key_of(machine, 0));
    while (p->idle_tasks.count <= machine)
        *vec_push(&p->idle_tasks) = (struct process_link){NULL_U32, NULL_U32};
    p->idle_tasks.items[machine] = (struct process_link){utid, upid};
}

void process_tracker_name_idle_task(struct trace *t, uint32_t machine)
{
    struct process_tracker *p = &t->builder->processes;
    struct process_link idle = p->idle_tasks.items[machine];
    forget_recent(t);
    map_set(&p->upids, key_of(machine, 0), idle.other);
    map_set(&p->utids, key_of(machine, 0), idle.utid);
    process_tracker_set_thread_name(t, idle.utid, trace_intern(t, STR("swapper")),
                                    THREAD_NAME_FIXED);
}

void process_tracker_release(struct trace *t)
{
    struct process_tracker *p = &t->builder->processes;
    map_release(&p->upids);
    map_release(&p->utids);
    vec_release(&p->idle_tasks);
    vec_release(&p->older);
    vec_release(&p->thread_name_priorities);
    vec_release(&p->process_name_priorities);
    vec_release(&p->pending_threads);
    vec_release(&p->pending_parents);
}

uint32_t process_tracker_start_thread(struct trace *t, uint32_t machine, int64_t ts, int64_t tid)
{
    return append_thread(t, machine, ts, tid);
}

static uint32_t search_thread(struct trace *t, uint32_t machine, int64_t tid)
{
    const uint32_t *newest = map_find(&t->builder->processes.utids, key_of(machine, tid));
    for (uint32_t utid = newest ? *newest : NULL_U32; utid != NULL_U32;
         utid = t->builder->processes.older.items[utid])
        if (thread_alive(t, machine, utid))
            return utid;
    return NULL_U32;
}

uint32_t process_tracker_find_thread(struct trace *t, uint32_t machine, int64_t tid)
{
    uint64_t key = ((uint64_t)machine << 32 | (uint32_t)tid) + 1;
    struct recent_thread *recent =
        &t->builder->processes.recent[(tid ^ machine) & (RECENT_THREADS - 1)];
    if (recent->key == key && tid == (uint32_t)tid)
        return recent->utid;
    uint32_t utid = search_thread(t, machine, tid);
    if (utid != NULL_U32 && tid == (uint32_t)tid) {
        *recent = (struct recent_thread){key, utid};
        t->builder->processes.recent_used = true;
    }
    return utid;
}

uint32_t process_tracker_thread(struct trace *t, uint32_t machine, int64_t tid)
{
    uint32_t utid = process_tracker_find_thread(t, machine, tid);
    if (utid != NULL_U32)
        return utid;
    return append_thread(t, machine, NULL_I64, tid);
}

/* The alive thread `tid` that is of process `pid`, or of none yet. A tid is alive once, or in a few
 * namespaces: where a trace says it of many processes, only the newest are looked at. */
static uint32_t find_thread_of(struct trace *t, uint32_t machine, int64_t tid, int64_t pid)
{
    enum { NEWEST = 256 };
    const uint32_t *newest = map_find(&t->builder->processes.utids, key_of(machine, tid));
    uint32_t utid = newest ? *newest : NULL_U32;
    for (int i = 0; utid != NULL_U32 && i < NEWEST;
         i++, utid = t->builder->processes.older.items[utid]) {
        if (!thread_alive(t, machine, utid))
            continue;
        uint32_t upid = thread_upids(t)[utid];
        if (upid == NULL_U32 || pid_of(t, upid) == pid)
            return utid;
    }
    return NULL_U32;
}

uint32_t process_tracker_update_thread(struct trace *t, uint32_t machine, int64_t tid, int64_t pid)
{
    uint32_t utid = find_thread_of(t, machine, tid, pid);
    if (utid != NULL_U32 && thread_upids(t)[utid] != NULL_U32)
        return utid;
    uint32_t upid = process_tracker_find_process(t, machine, pid);
    if (upid == NULL_U32) {
        upid = append_process(t, machine, pid);
        if (tid != pid) /* its main thread; one level deep */
            process_tracker_update_thread(t, machine, pid, pid);
    }
    if (utid == NULL_U32)
        utid = append_thread(t, machine, NULL_I64, tid);
    associate(t, utid, upid);
    return utid;
}

void process_tracker_end_thread(struct trace *t, uint32_t machine, int64_t ts, int64_t tid)
{
    uint32_t utid = process_tracker_find_thread(t, machine, tid);
    if (utid == NULL_U32)
        return;
    forget_recent(t);
    table_set_i64(&t->tables.thread, thread_col_end_ts, utid, ts);
    uint32_t upid = thread_upids(t)[utid];
    if (upid == NULL_U32 || pid_of(t, upid) != tid)
        return;
    table_set_i64(&t->tables.process, process_col_end_ts, upid, ts);
    if (process_tracker_find_process(t, machine, tid) == upid)
        map_remove(&t->builder->processes.upids, key_of(machine, tid));
}

/* Names the row unless a better name is known; `known` is how good that is. */
static void set_name(struct table *t, uint32_t column, uint32_t row, string_id name, uint8_t *known,
                     uint8_t priority)
{
    if (name == NULL_STRING || priority < *known)
        return;
    *known = priority;
    table_set_str(t, column, row, name);
}

void process_tracker_set_thread_name(struct trace *t, uint32_t utid, string_id name,
                                     enum thread_name_priority priority)
{
    set_name(&t->tables.thread, thread_col_name, utid, name,
             &t->builder->processes.thread_name_priorities.items[utid], (uint8_t)priority);
}

void process_tracker_set_process_name(struct trace *t, uint32_t upid, string_id name,
                                      enum process_name_priority priority)
{
    set_name(&t->tables.process, process_col_name, upid, name,
             &t->builder->processes.process_name_priorities.items[upid], (uint8_t)priority);
}

void process_tracker_set_process_name_if_main(struct trace *t, uint32_t utid, string_id name,
                                              enum process_name_priority priority)
{
    uint32_t upid = thread_upids(t)[utid];
    if (upid != NULL_U32 && pid_of(t, upid) == tid_of(t, utid))
        process_tracker_set_process_name(t, upid, name, priority);
}

uint32_t process_tracker_start_process(struct trace *t, uint32_t machine, int64_t ts,
                                       uint32_t parent_utid, int64_t pid, string_id main_name,
                                       enum thread_name_priority priority)
{
    forget_recent(t);
    map_remove(&t->builder->processes.upids, key_of(machine, pid));
    uint32_t utid = append_thread(t, machine, ts, pid);
    uint32_t upid = append_process(t, machine, pid);
    associate(t, utid, upid);
    process_tracker_set_thread_name(t, utid, main_name, priority);
    process_tracker_set_process_name(t, upid, main_name, PROCESS_NAME_SYSTEM);
    process_tracker_set_start(t, upid, ts);
    if (parent_utid == NULL_U32)
        return upid;
    uint32_t parent_upid = thread_upids(t)[parent_utid];
    if (parent_upid != NULL_U32)
        table_set_u32(&t->tables.process, process_col_parent_upid, upid, parent_upid);
    else
        *vec_push(&t->builder->processes.pending_parents) =
            (struct process_link){parent_utid, upid};
    return upid;
}

uint32_t process_tracker_find_process(struct trace *t, uint32_t machine, int64_t pid)
{
    const uint32_t *upid = map_find(&t->builder->processes.upids, key_of(machine, pid));
    return upid ? *upid : NULL_U32;
}

uint32_t process_tracker_process_alone(struct trace *t, uint32_t machine, int64_t pid)
{
    uint32_t upid = process_tracker_find_process(t, machine, pid);
    return upid != NULL_U32 ? upid : append_process(t, machine, pid);
}

uint32_t process_tracker_process(struct trace *t, uint32_t machine, int64_t pid)
{
    uint32_t upid = process_tracker_find_process(t, machine, pid);
    if (upid != NULL_U32)
        return upid;
    upid = append_process(t, machine, pid);
    process_tracker_update_thread(t, machine, pid, pid);
    return upid;
}

void process_tracker_set_parent(struct trace *t, uint32_t upid, uint32_t parent, const int64_t *ts)
{
    uint32_t known = table_u32(&t->tables.process, process_col_parent_upid)[upid];
    if (known == NULL_U32)
        table_set_u32(&t->tables.process, process_col_parent_upid, upid, parent);
    else if (known != parent && ts)
        import_log_at(t, STAT_process_tracker_parent_pid_changed, *ts, NULL);
    else if (known != parent)
        import_log_in_file(t, STAT_process_tracker_parent_pid_changed, -1, NULL);
}

uint32_t process_tracker_set_process(struct trace *t, uint32_t machine, int64_t pid, string_id name,
                                     string_id cmdline)
{
    uint32_t upid = process_tracker_process(t, machine, pid);
    if (cmdline)
        table_set_str(&t->tables.process, process_col_cmdline, upid, cmdline);
    process_tracker_set_process_name(t, upid, name, PROCESS_NAME_SYSTEM);
    return upid;
}

void process_tracker_set_uid(struct trace *t, uint32_t upid, uint32_t uid)
{
    enum { UIDS_PER_USER = 100000 };
    struct table *process = &t->tables.process;
    table_set_u32(process, process_col_uid, upid, uid);
    table_set_u32(process, process_col_android_appid, upid, uid % UIDS_PER_USER);
    table_set_u32(process, process_col_android_user_id, upid, uid / UIDS_PER_USER);
}

void process_tracker_set_start(struct trace *t, uint32_t upid, int64_t ts)
{
    if (ts != NULL_I64 && column_is_null(&t->tables.process.columns[process_col_start_ts], upid))
        table_set_i64(&t->tables.process, process_col_start_ts, upid, ts);
}

void process_tracker_link_threads(struct trace *t, uint32_t a, uint32_t b)
{
    uint32_t upid_a = thread_upids(t)[a], upid_b = thread_upids(t)[b];
    if (upid_a != NULL_U32 && upid_b == NULL_U32)
        associate(t, b, upid_a);
    else if (upid_b != NULL_U32 && upid_a == NULL_U32)
        associate(t, a, upid_b);
    else if (upid_a == NULL_U32)
        *vec_push(&t->builder->processes.pending_threads) = (struct process_link){a, b};
}
