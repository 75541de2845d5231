/* Ninja's log of builds, versions 5 to 7: a line for each output, with when its job began and ended
 * in ms. Which jobs ran side by side is told by their times: each lane is a thread.
 *
 *     # ninja log v7
 *     4 12 1579224178 ui/modal.css 832a958a9e234dfa
 *
 * (Ninja's manual, "The Ninja log", and src/build_log.cc.) The fields, between tabs: begin, end,
 * time of the file, its name, hash of the command.
 *
 * Times of a build begin at 0 and its ends only grow: where one is smaller than the last, another
 * build begins, which is put behind the one before. */
#include <stdio.h>

#include "core/trace_builder.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/text/text_lines.h"

enum { OLDEST_VERSION = 5, NEWEST_VERSION = 7, BUILD_PID = 1 };

#define MS_MAX      (INT64_MAX / 4 / NS_PER_MS)
#define NS_PER_MS   INT64_C(1000000)
#define NINJA_MAGIC STR("# ninja log v")

struct ninja_job {
    int64_t begin_ms, end_ms;
    uint64_t command;
    string_id names; /* of all its outputs */
};

/* A lane in a heap, whose first has the lowest rank and number. */
struct ranked_lane {
    int64_t rank;
    uint32_t lane;
};

struct lane_heap {
    VEC(struct ranked_lane) v;
};

struct ninja_log {
    struct trace *trace;
    VEC(struct ninja_job) jobs;
    VEC(char) names;             /* of the last job's outputs */
    VEC(uint32_t) tracks;        /* of the lanes */
    struct lane_heap busy, idle; /* by when they end, and the latest first */
    uint64_t version;            /* 0: the header was not read yet */
    int64_t last_end_ms, build_ms;
};

/* The next of the fields between tabs, of which there are never empty ones. */
static struct str take_field(struct str *rest)
{
    while (rest->n && *rest->p == '\t')
        *rest = str_skip(*rest, 1);
    struct str field = str_from_to(*rest, 0, str_find(*rest, '\t'));
    *rest = str_skip(*rest, field.n);
    return field;
}

static bool read_ms(struct str text, int64_t *ms)
{
    return str_to_i64(text, ms) && *ms >= 0 && *ms <= MS_MAX;
}

/* One job may write several files. */
static void add_output(struct ninja_log *l, struct str name)
{
    vec_reserve(&l->names, l->names.count + name.n + 2);
    if (l->names.count > 0) {
        memcpy(l->names.items + l->names.count, ", ", 2);
        l->names.count += 2;
    }
    memcpy(l->names.items + l->names.count, name.p, name.n);
    l->names.count += name.n;
}

/* The last job has no further outputs. */
static void close_job(struct ninja_log *l)
{
    struct str names = {l->names.items, l->names.count};
    if (l->jobs.count > 0)
        vec_last(&l->jobs).names = trace_intern(l->trace, names);
    l->names.count = 0;
}

static void add_job(struct ninja_log *l, struct ninja_job job, struct str name)
{
    if (job.end_ms < l->last_end_ms)
        l->build_ms += l->last_end_ms;
    l->last_end_ms = job.end_ms;
    if (l->build_ms > MS_MAX - job.end_ms) {
        stats_count(l->trace, STAT_ninja_parse_errors);
        return;
    }
    job.begin_ms += l->build_ms;
    job.end_ms += l->build_ms;
    const struct ninja_job *last = l->jobs.count ? &vec_last(&l->jobs) : NULL;
    if (last && last->command == job.command && last->begin_ms == job.begin_ms &&
        last->end_ms == job.end_ms) {
        add_output(l, name);
        return;
    }
    close_job(l);
    *vec_push(&l->jobs) = job;
    add_output(l, name);
}

static void read_version(struct ninja_log *l, struct str line)
{
    struct str magic = NINJA_MAGIC;
    uint64_t version;
    if (str_starts(line, magic) && str_to_u64(str_trim(str_skip(line, magic.n)), 10, &version) &&
        version >= OLDEST_VERSION && version <= NEWEST_VERSION)
        l->version = version;
}

static void add_line(void *self, struct str line)
{
    struct ninja_log *l = self;
    line = str_trim(line);
    if (line.n == 0)
        return;
    if (l->version == 0) {
        read_version(l, line);
        return;
    }
    struct ninja_job job;
    bool has_begin = read_ms(take_field(&line), &job.begin_ms);
    bool has_end = read_ms(take_field(&line), &job.end_ms);
    take_field(&line); /* when the file was changed */
    struct str name = take_field(&line);
    bool has_command = str_to_u64(take_field(&line), 16, &job.command);
    if (has_begin && has_end && has_command && name.n && job.begin_ms <= job.end_ms)
        add_job(l, job, name);
    else
        stats_count(l->trace, STAT_ninja_parse_errors);
}

static bool is_before(struct ranked_lane a, struct ranked_lane b)
{
    return a.rank != b.rank ? a.rank < b.rank : a.lane < b.lane;
}

static void heap_push(struct lane_heap *h, struct ranked_lane lane)
{
    *vec_push(&h->v) = lane;
    size_t at = h->v.count - 1;
    for (; at > 0 && is_before(lane, h->v.items[(at - 1) / 2]); at = (at - 1) / 2)
        h->v.items[at] = h->v.items[(at - 1) / 2];
    h->v.items[at] = lane;
}

static struct ranked_lane heap_pop(struct lane_heap *h)
{
    struct ranked_lane first = h->v.items[0], last = h->v.items[--h->v.count];
    size_t at = 0, n = h->v.count;
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && is_before(h->v.items[child + 1], h->v.items[child]))
            child++;
        if (!is_before(h->v.items[child], last))
            break;
        h->v.items[at] = h->v.items[child];
    }
    if (n > 0)
        h->v.items[at] = last;
    return first;
}

static uint32_t new_lane(struct ninja_log *l)
{
    struct trace *t = l->trace;
    uint32_t machine = stats_scope(t)->machine, number = (uint32_t)l->tracks.count + 1;
    uint32_t upid = process_tracker_process(t, machine, BUILD_PID);
    process_tracker_set_process_name(t, upid, trace_intern(t, STR("Build")), PROCESS_NAME_OTHER);
    uint32_t utid = process_tracker_update_thread(t, machine, number, BUILD_PID);
    char name[32];
    snprintf(name, sizeof name, "Worker %u", number);
    process_tracker_set_thread_name(t, utid, trace_intern_c(t, name), THREAD_NAME_OTHER);
    *vec_push(&l->tracks) = track_thread(t, utid);
    return number - 1;
}

/* Of the lanes that are free the one that was busy last: its job is likely what this one waited
 * for. Returns its track. */
static uint32_t take_lane(struct ninja_log *l, const struct ninja_job *job)
{
    while (l->busy.v.count > 0 && l->busy.v.items[0].rank <= job->begin_ms) {
        struct ranked_lane ended = heap_pop(&l->busy);
        heap_push(&l->idle, (struct ranked_lane){-ended.rank, ended.lane});
    }
    uint32_t lane = l->idle.v.count > 0 ? heap_pop(&l->idle).lane : new_lane(l);
    heap_push(&l->busy, (struct ranked_lane){job->end_ms, lane});
    return l->tracks.items[lane];
}

static void apply(struct ninja_log *l)
{
    close_job(l);
    VEC(struct timed) order = {0};
    vec_reserve(&order, l->jobs.count);
    for (size_t i = 0; i < l->jobs.count; i++)
        *vec_push(&order) =
            (struct timed){.ts = l->jobs.items[i].begin_ms, .record = &l->jobs.items[i]};
    time_sort(order.items, order.count);
    for (size_t i = 0; i < order.count; i++) {
        const struct ninja_job *job = order.items[i].record;
        slice_complete(l->trace, job->begin_ms * NS_PER_MS,
                       (job->end_ms - job->begin_ms) * NS_PER_MS, take_lane(l, job), NULL_STRING,
                       job->names);
    }
    vec_release(&order);
}

static bool sniff(struct bytes data)
{
    return str_starts(trace_format_head(data), STR("# ninja log"));
}

static struct status import(struct trace *t, const char *name, struct byte_source *source)
{
    struct ninja_log l = {.trace = t};
    bool whole = text_lines_read(t, source, add_line, &l);
    bool known = l.version != 0;
    if (whole)
        apply(&l);
    vec_release(&l.jobs);
    vec_release(&l.names);
    vec_release(&l.tracks);
    vec_release(&l.busy.v);
    vec_release(&l.idle.v);
    if (!whole)
        return progress_cancelled(name);
    return known ? status_ok_value()
                 : status_error(STATUS_FORMAT,
                                "%s: expected a Ninja log of version %d to %d, found another", name,
                                OLDEST_VERSION, NEWEST_VERSION);
}

const struct trace_format ninja_log_trace_format = {
    .name = "Ninja log",
    .type = "ninja_log",
    .about = "log of Ninja's builds (.ninja_log), versions 5 to 7: begins with \"# ninja log v\"",
    .by_lines = true,
    .sniff = sniff,
    .read_source = import,
};
