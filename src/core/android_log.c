#include "core/android_log.h"

#include "base/hash.h"
#include "core/store/rows.h"
#include "core/trace_builder.h"

enum { NS_PER_MS = 1000000 };

void android_logs_release(struct android_logs *logs)
{
    map_release(&logs->seen);
}

int32_t android_bug_report_year(struct str name)
{
    enum { DATE = sizeof "2022-12-31-23-59-00.txt" - 1 };
    uint64_t year;
    for (size_t i = name.n; i > 0; i--)
        if (name.p[i - 1] == '/') {
            name = str_skip(name, i);
            break;
        }
    if (name.n < DATE || !str_starts(name, STR("bugreport-")) || !str_ends(name, STR(".txt")) ||
        !str_to_u64(str_from_to(name, name.n - DATE, name.n - DATE + 4), 10, &year))
        return 0;
    return (int32_t)year;
}

/* The two do not have the same digits behind the point. */
static uint64_t event_hash(const struct android_log_event *e)
{
    uint64_t who = hash_mix((uint64_t)e->pid << 32 | e->tid, e->priority);
    uint64_t what = hash_mix(e->tag, e->message);
    return hash_mix(hash_mix(who, what), (uint64_t)(e->ts / NS_PER_MS));
}

void android_logs_note(struct trace *t, const struct android_log_event *e)
{
    bool inserted;
    ++*map_insert(&t->builder->logs.seen, event_hash(e), &inserted);
}

bool android_logs_take(struct trace *t, const struct android_log_event *e)
{
    uint32_t *count = map_find(&t->builder->logs.seen, event_hash(e));
    if (!count || *count == 0)
        return false;
    --*count;
    return true;
}

void android_log_append(struct trace *t, const struct android_log_event *e)
{
    uint32_t machine = stats_scope(t)->machine;
    struct logs_row row = logs_row_null();
    row.ts = e->ts;
    row.utid = e->tid ? process_tracker_update_thread(t, machine, e->tid, e->pid) : 0;
    row.prio = e->priority ? e->priority : ANDROID_LOG_INFO;
    row.log_source = trace_intern(t, STR("android_logcat"));
    row.tag = e->tag;
    row.msg = e->message;
    logs_append(&t->tables.logs, &row);
}
