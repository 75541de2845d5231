#include "tui/index/timeline.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "core/trace/stored_columns.h"
#include "core/track.h"
#include "tui/index/stored_timeline.h"

/* When the thread of a track was last seen, the trace's end for other tracks. */
static int64_t track_end(const struct timeline *tl, uint32_t track)
{
    const struct tables *t = &tl->trace->tables;
    uint32_t utid = track < t->track.rows ? table_u32(&t->track, track_col_utid)[track] : NULL_U32;
    if (utid >= t->thread.rows)
        return tl->end;
    const struct column *ended = &t->thread.columns[thread_col_end_ts];
    if (!column_is_null(ended, utid))
        return table_i64(&t->thread, thread_col_end_ts)[utid];
    uint32_t from = tl->states.starts[utid], to = tl->states.starts[utid + 1];
    return to > from ? lanes_end(&tl->states, to - 1) : tl->end;
}

static void close_slices(struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.slice;
    const int64_t *ts = table_i64(t, slice_col_ts), *dur = table_i64(t, slice_col_dur);
    tl->slice_dur = alloc_array((size_t)t->rows + 1, sizeof *tl->slice_dur);
    for (uint32_t i = 0; i < t->rows; i++) {
        int64_t end = dur[i] < 0 ? track_end(tl, table_u32(t, slice_col_track_id)[i]) : 0, left;
        if (dur[i] >= 0)
            tl->slice_dur[i] = dur[i];
        else if (end > ts[i])
            tl->slice_dur[i] = __builtin_sub_overflow(end, ts[i], &left) ? INT64_MAX : left;
    }
}

/* Makes of the number of depths of each track the first lane of each. A slice of any depth has one
 * above it at each other, so that there are no more lanes than slices; where a file of columns says
 * otherwise, there are none. */
static void place_tracks(struct timeline *tl, uint32_t tracks, uint32_t slices)
{
    uint64_t lanes = 0;
    for (uint32_t i = 0; i < tracks; i++)
        lanes += tl->slice_base[i + 1];
    for (uint32_t i = 0; i < tracks; i++)
        tl->slice_base[i + 1] = lanes > slices ? 0 : tl->slice_base[i] + tl->slice_base[i + 1];
}

/* The rows of a track lie behind one another, one lane for each depth. */
static void index_slices(struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.slice;
    uint32_t tracks = tl->trace->tables.track.rows;
    const uint32_t *track = table_u32(t, slice_col_track_id),
                   *depth = table_u32(t, slice_col_depth);
    uint32_t *lane_of = alloc_array((size_t)t->rows + 1, sizeof *lane_of);
    tl->slice_base = alloc_array((size_t)tracks + 1, sizeof *tl->slice_base);
    for (uint32_t i = 0; i < t->rows; i++)
        if (track[i] < tracks && depth[i] < t->rows && depth[i] + 1 > tl->slice_base[track[i] + 1])
            tl->slice_base[track[i] + 1] = depth[i] + 1;
    place_tracks(tl, tracks, t->rows);
    for (uint32_t i = 0; i < t->rows; i++)
        lane_of[i] = track[i] < tracks && depth[i] < timeline_track_depths(tl, track[i])
                         ? tl->slice_base[track[i]] + depth[i]
                         : NULL_U32;
    lanes_build(&tl->slices, lane_of, tl->slice_base[tracks], t->rows, table_i64(t, slice_col_ts),
                tl->slice_dur, tl->end);
    tl->slices.names = table_u32(t, slice_col_name);
    free(lane_of);
}

/* For each position: how long the events before it in its lane lasted, of those that count. */
static int64_t *sum_before(const struct lanes *l, const uint32_t *lane_of,
                           bool (*counts)(const void *, uint32_t), const void *ctx)
{
    int64_t *sums = alloc_array((size_t)l->count + 1, sizeof *sums);
    lanes_measure(l, lane_of, counts, ctx, sums);
    for (uint32_t lane = 0; lane < l->lane_count; lane++) {
        int64_t sum = 0;
        for (uint32_t p = l->starts[lane]; p < l->starts[lane + 1]; p++) {
            int64_t own = sums[p];
            sums[p] = sum;
            sum += own;
        }
    }
    return sums;
}

static bool state_is_running(const void *ctx, uint32_t row)
{
    const struct timeline *tl = ctx;
    return column_str(&tl->trace->tables.thread_state.columns[thread_state_col_state], row) ==
           tl->state_running;
}

static bool sched_is_busy(const void *ctx, uint32_t row)
{
    const struct timeline *tl = ctx;
    uint32_t utid = table_u32(&tl->trace->tables.sched_slice, sched_slice_col_utid)[row];
    const struct table *thread = &tl->trace->tables.thread;
    return utid < thread->rows && !table_u32(thread, thread_col_is_idle)[utid] &&
           table_i64(thread, thread_col_tid)[utid] != 0;
}

/* The lane of each row by a column of the table, NULL_U32 where there is no such lane; for
 * free(). */
static uint32_t *lanes_of_rows(const struct table *t, uint32_t column, uint32_t lanes)
{
    bool small = t->columns[column].def->type == COLUMN_TYPE_SMALL;
    const uint32_t *numbers = small ? NULL : table_u32(t, column);
    uint32_t *lane_of = alloc_array((size_t)t->rows + 1, sizeof *lane_of);
    for (uint32_t i = 0; i < t->rows; i++) {
        uint32_t lane = small ? table_small(t, column, i) : numbers[i];
        lane_of[i] = lane < lanes ? lane : NULL_U32;
    }
    return lane_of;
}

static void index_states(struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.thread_state;
    uint32_t threads = tl->trace->tables.thread.rows;
    uint32_t *lane_of = lanes_of_rows(t, thread_state_col_utid, threads);
    lanes_build(&tl->states, lane_of, threads, t->rows, table_i64(t, thread_state_col_ts),
                table_i64(t, thread_state_col_dur), tl->end);
    tl->running = sum_before(&tl->states, lane_of, state_is_running, tl);
    free(lane_of);
}

void timeline_list_cpus(struct timeline *tl)
{
    tl->cpus = alloc_array((size_t)tl->sched.lane_count + 1, sizeof *tl->cpus);
    tl->cpu_count = 0;
    for (uint32_t i = 0; i < tl->sched.lane_count; i++)
        if (lane_size(&tl->sched, i) > 0)
            tl->cpus[tl->cpu_count++] = i;
}

static void index_sched(struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.sched_slice;
    uint32_t cpus = tl->trace->tables.cpu.rows;
    for (uint32_t i = 0; i < t->rows; i++) {
        uint32_t ucpu = table_small(t, sched_slice_col_ucpu, i);
        if (ucpu >= cpus && ucpu < CPUS_PER_MACHINE)
            cpus = ucpu + 1;
    }
    uint32_t *lane_of = lanes_of_rows(t, sched_slice_col_ucpu, cpus);
    lanes_build(&tl->sched, lane_of, cpus, t->rows, table_i64(t, sched_slice_col_ts),
                table_i64(t, sched_slice_col_dur), tl->end);
    tl->busy = sum_before(&tl->sched, lane_of, sched_is_busy, tl);
    free(lane_of);
    timeline_list_cpus(tl);
}

static void index_counters(struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.counter;
    uint32_t tracks = tl->trace->tables.track.rows;
    uint32_t *lane_of = lanes_of_rows(t, counter_col_track_id, tracks);
    steps_build(&tl->counters, lane_of, tracks, t->rows, table_i64(t, counter_col_ts),
                table_f64(t, counter_col_value));
    free(lane_of);
}

static int compare_by_key(const void *a, const void *b, void *ctx)
{
    const uint32_t *key = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    if (key[x] != key[y])
        return key[x] < key[y] ? -1 : 1;
    return x < y ? -1 : x > y;
}

static uint32_t *rows_by(const uint32_t *key, uint32_t rows)
{
    uint32_t *order = alloc_array((size_t)rows + 1, sizeof *order);
    for (uint32_t i = 0; i < rows; i++)
        order[i] = i;
    qsort_r(order, rows, sizeof *order, compare_by_key, (void *)(uintptr_t)key);
    return order;
}

static uint32_t track_slices(const struct timeline *tl, uint32_t track)
{
    uint32_t depths = timeline_track_depths(tl, track), slices = 0;
    for (uint32_t d = 0; d < depths; d++)
        slices += lane_size(&tl->slices, tl->slice_base[track] + d);
    return slices;
}

static void count_track(struct timeline *tl, uint32_t track)
{
    const struct table *t = &tl->trace->tables.track;
    uint32_t utid = table_u32(t, track_col_utid)[track], upid = table_u32(t, track_col_upid)[track];
    uint32_t slices = track_slices(tl, track);
    if (utid < tl->trace->tables.thread.rows) {
        struct thread_facts *f = &tl->threads[utid];
        struct filled_track before = {f->track, 0};
        if (f->track != NULL_U32)
            before.slices = track_slices(tl, f->track);
        if (track_tells_more(tl->trace, (struct filled_track){track, slices}, before))
            f->track = track;
        f->slices += slices;
    } else if (upid < tl->trace->tables.process.rows) {
        tl->processes[upid].slices += slices;
        tl->processes[upid].counters += timeline_track_steps(tl, track) > 0;
    }
}

static void count_threads(struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.thread;
    for (uint32_t utid = 0; utid < t->rows; utid++) {
        struct thread_facts *f = &tl->threads[utid];
        uint32_t upid = timeline_upid(tl, utid);
        f->running = timeline_running(tl, utid, INT64_MIN, INT64_MAX);
        if (upid >= tl->trace->tables.process.rows)
            continue;
        struct process_facts *p = &tl->processes[upid];
        p->running += f->running;
        p->slices += f->slices;
        p->threads++;
        if (table_u32(t, thread_col_is_main_thread)[utid] == 1)
            p->main_thread = utid;
    }
}

/* Which CPU a counter is about. */
static void find_cpus(struct timeline *tl)
{
    const struct table *t = &tl->trace->tables.track;
    struct arg_list scratch = {0};
    for (uint32_t i = 0; i < t->rows; i++) {
        bool other = table_u32(t, track_col_utid)[i] != NULL_U32 ||
                     table_u32(t, track_col_upid)[i] != NULL_U32;
        tl->track_cpu[i] = other ? NULL_U32 : track_ucpu(tl->trace, i, &scratch);
    }
    arg_list_release(&scratch);
}

/* The first counter of that name, NULL_U32 if none. */
static uint32_t counter_called(const struct trace *trace, struct str name)
{
    const struct table *t = &trace->tables.track;
    string_id id = string_pool_lookup(&trace->strings, name);
    string_id type = string_pool_lookup(&trace->strings, STR("atrace_counter"));
    for (uint32_t i = 0; i < t->rows && id != NULL_STRING && type != NULL_STRING; i++)
        if (column_str(&t->columns[track_col_name], i) == id &&
            column_str(&t->columns[track_col_type], i) == type)
            return i;
    return NULL_U32;
}

/* The trace's bounds are those of what has always counted (COLUMN_IN_BOUNDS). Where it has nothing
 * of that, all else with a time stands between its first and its last. */
static void find_bounds(struct timeline *tl)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    tl->start = tl->trace->start_ts;
    tl->end = tl->trace->end_ts;
    for (size_t i = 0; i < TABLE_COUNT && tl->end <= tl->start; i++) {
        const struct table *t = &tables_array_const(&tl->trace->tables)[i];
        uint32_t time = table_def_event_time(t->def);
        bool read = time > 0 && t->rows > 0 && stored_table_ready(tl->trace, t);
        for (uint32_t row = 0; read && row < t->rows; row++) {
            int64_t ts = column_is_null(&t->columns[time], row) ? first : table_i64(t, time)[row];
            first = ts < first ? ts : first;
            last = ts > last && ts != INT64_MAX ? ts : last;
        }
    }
    if (first > last)
        return;
    tl->start = first;
    tl->end = last < INT64_MAX ? last + 1 : last;
}

void timeline_begin(struct timeline *tl, const struct trace *trace)
{
    *tl = (struct timeline){.trace = trace};
    find_bounds(tl);
    if (tl->end <= tl->start)
        tl->end = tl->start < INT64_MAX ? tl->start + 1 : tl->start;
    tl->type_cpu_idle = string_pool_lookup(&trace->strings, STR("cpu_idle"));
    tl->type_actual_frames =
        string_pool_lookup(&trace->strings, STR("android_actual_frame_timeline"));
    tl->type_expected_frames =
        string_pool_lookup(&trace->strings, STR("android_expected_frame_timeline"));
    tl->vsync_app = counter_called(trace, STR("VSYNC-app"));
    tl->vsync_sf = counter_called(trace, STR("VSYNC-sf"));
    tl->arg_jank_tag = string_pool_lookup(&trace->strings, STR("Jank tag"));
    tl->state_running = string_pool_lookup(&trace->strings, STR("Running"));
    tl->state_runnable = string_pool_lookup(&trace->strings, STR("R"));
    tl->state_preempted = string_pool_lookup(&trace->strings, STR("R+"));
    tl->state_sleeping = string_pool_lookup(&trace->strings, STR("S"));
    tl->state_idle = string_pool_lookup(&trace->strings, STR("I"));
}

/* The indexes that need no other, in a thread of their own. */
static void *index_beside(void *self)
{
    struct timeline *tl = self;
    const struct table *flow = &tl->trace->tables.flow;
    index_sched(tl);
    index_counters(tl);
    tl->flows_out = rows_by(table_u32(flow, flow_col_slice_out), flow->rows);
    tl->flows_in = rows_by(table_u32(flow, flow_col_slice_in), flow->rows);
    return NULL;
}

void timeline_init(struct timeline *tl, const struct trace *trace)
{
    const struct tables *t = &trace->tables;
    timeline_begin(tl, trace);
    tl->threads = alloc_array((size_t)t->thread.rows + 1, sizeof *tl->threads);
    tl->processes = alloc_array((size_t)t->process.rows + 1, sizeof *tl->processes);
    tl->track_cpu = alloc_array((size_t)t->track.rows + 1, sizeof *tl->track_cpu);
    for (uint32_t i = 0; i < t->thread.rows; i++)
        tl->threads[i].track = NULL_U32;
    for (uint32_t i = 0; i < t->process.rows; i++)
        tl->processes[i].main_thread = NULL_U32;
    pthread_t beside;
    bool threaded = pthread_create(&beside, NULL, index_beside, tl) == 0;
    index_states(tl);
    close_slices(tl);
    index_slices(tl);
    if (threaded)
        pthread_join(beside, NULL);
    else
        index_beside(tl);
    tl->names = slice_names_start(tl);
    for (uint32_t i = 0; i < t->track.rows; i++)
        count_track(tl, i);
    count_threads(tl);
    find_cpus(tl);
}

void timeline_release(struct timeline *tl)
{
    slice_names_free(tl->names);
    stored_timeline_release(tl);
    lanes_release(&tl->slices);
    lanes_release(&tl->states);
    lanes_release(&tl->sched);
    steps_release(&tl->counters);
    free(tl->slice_base);
    free(tl->slice_dur);
    free(tl->running);
    free(tl->busy);
    free(tl->flows_out);
    free(tl->flows_in);
    free(tl->threads);
    free(tl->processes);
    free(tl->track_cpu);
    free(tl->cpus);
    *tl = (struct timeline){0};
}

/* What counts in [lane begin, t). */
static int64_t sum_until(const struct lanes *l, const int64_t *sums, uint32_t lane, int64_t t,
                         bool (*counts)(const void *, uint32_t), const void *ctx)
{
    uint32_t p = lane_lower_bound(l, lane, t);
    if (p == l->starts[lane])
        return 0;
    p--;
    uint64_t sum = (uint64_t)sums[p];
    int64_t end = lanes_end(l, p);
    if (counts(ctx, lanes_row(l, p)))
        sum += (uint64_t)(end < t ? end : t) - (uint64_t)lanes_ts(l, p);
    return (int64_t)sum;
}

/* The sums may come from a file that is not checked yet: no more than the time itself. */
static int64_t sum_in(int64_t before, int64_t until, int64_t t0, int64_t t1)
{
    int64_t sum, time;
    if (__builtin_sub_overflow(until, before, &sum) || sum < 0)
        return 0;
    bool known = !__builtin_sub_overflow(t1, t0, &time);
    return known && sum > time ? time : sum;
}

int64_t timeline_running(const struct timeline *tl, uint32_t utid, int64_t t0, int64_t t1)
{
    return sum_in(sum_until(&tl->states, tl->running, utid, t0, state_is_running, tl),
                  sum_until(&tl->states, tl->running, utid, t1, state_is_running, tl), t0, t1);
}

int64_t timeline_busy(const struct timeline *tl, uint32_t ucpu, int64_t t0, int64_t t1)
{
    return sum_in(sum_until(&tl->sched, tl->busy, ucpu, t0, sched_is_busy, tl),
                  sum_until(&tl->sched, tl->busy, ucpu, t1, sched_is_busy, tl), t0, t1);
}

void timeline_machine_prefix(const struct timeline *tl, uint32_t machine,
                             char out[MACHINE_PREFIX_MAX])
{
    const struct table *t = &tl->trace->tables.machine;
    struct str name = {"", 0};
    out[0] = '\0';
    if (!timeline_several_machines(tl) || machine >= t->rows)
        return;
    name = timeline_str(tl, column_str(&t->columns[machine_col_name], machine));
    if (name.n > 0)
        snprintf(out, MACHINE_PREFIX_MAX, "%.*s ",
                 (int)(name.n < MACHINE_PREFIX_MAX - 2 ? name.n : MACHINE_PREFIX_MAX - 2), name.p);
    else if (machine > 0)
        snprintf(out, MACHINE_PREFIX_MAX, "m%u ", machine);
}

uint32_t timeline_process_machine(const struct timeline *tl, uint32_t upid)
{
    const struct table *t = &tl->trace->tables.process;
    return upid < t->rows ? table_u32(t, process_col_machine_id)[upid] : 0;
}

uint32_t timeline_cpu_machine(const struct timeline *tl, uint32_t ucpu)
{
    const struct table *t = &tl->trace->tables.cpu;
    return ucpu < t->rows ? table_u32(t, cpu_col_machine_id)[ucpu] : 0;
}

void timeline_cpu_name(const struct timeline *tl, uint32_t ucpu, char out[CPU_NAME_MAX])
{
    char prefix[MACHINE_PREFIX_MAX];
    timeline_machine_prefix(tl, timeline_cpu_machine(tl, ucpu), prefix);
    snprintf(out, CPU_NAME_MAX, "%s%u", prefix, ucpu % CPUS_PER_MACHINE);
}

static bool cpu_counts(const struct timeline *tl, uint32_t machine, uint32_t ucpu)
{
    return machine == NULL_U32 || timeline_cpu_machine(tl, ucpu) == machine;
}

uint32_t timeline_cpus(const struct timeline *tl, uint32_t machine)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < tl->cpu_count; i++)
        n += cpu_counts(tl, machine, tl->cpus[i]);
    return n;
}

double timeline_load(const struct timeline *tl, uint32_t machine, int64_t t0, int64_t t1)
{
    uint32_t cpus = 0;
    if (tl->cpu_count == 0 || t1 <= t0)
        return 0;
    double sum = 0;
    for (uint32_t i = 0; i < tl->cpu_count; i++) {
        if (!cpu_counts(tl, machine, tl->cpus[i]))
            continue;
        sum += (double)timeline_busy(tl, tl->cpus[i], t0, t1);
        cpus++;
    }
    double load = cpus ? sum / ((double)(t1 - t0) * cpus) : 0;
    return load > 1 ? 1 : load;
}

struct str timeline_state(const struct timeline *tl, uint32_t state_row)
{
    const struct table *t = &tl->trace->tables.thread_state;
    return timeline_str(tl, column_str(&t->columns[thread_state_col_state], state_row));
}

enum thread_mode timeline_mode(const struct timeline *tl, uint32_t state_row)
{
    const struct table *t = &tl->trace->tables.thread_state;
    string_id s = column_str(&t->columns[thread_state_col_state], state_row);
    if (s == tl->state_running)
        return MODE_RUNNING;
    if (s == tl->state_runnable || s == tl->state_preempted)
        return MODE_RUNNABLE;
    if (s == tl->state_sleeping || s == tl->state_idle)
        return MODE_SLEEPING;
    struct str name = timeline_str(tl, s);
    if (name.n > 0 && name.p[0] == 'D')
        return MODE_BLOCKED;
    if (name.n > 0 && memchr("XxZ", name.p[0], 3))
        return MODE_ENDED;
    return name.n > 0 && name.p[0] == 'R' ? MODE_RUNNABLE : MODE_OTHER;
}

bool timeline_is_idle_counter(const struct timeline *tl, uint32_t track)
{
    const struct table *t = &tl->trace->tables.track;
    return tl->type_cpu_idle != NULL_STRING &&
           column_str(&t->columns[track_col_type], track) == tl->type_cpu_idle;
}

double timeline_level(const struct timeline *tl, uint32_t track, double value)
{
    if (!timeline_is_idle_counter(tl, track))
        return value;
    return value >= 4294967295.0 ? 0 : value + 1;
}

static struct row_list equal_range(const uint32_t *order, const uint32_t *key, uint32_t count,
                                   uint32_t value)
{
    uint32_t lo = BISECT(mid, 0, count, key[order[mid]] < value);
    uint32_t end = BISECT(mid, lo, count, key[order[mid]] <= value);
    return (struct row_list){order + lo, end - lo};
}

struct row_list timeline_flows_out(const struct timeline *tl, uint32_t slice)
{
    const struct table *t = &tl->trace->tables.flow;
    return equal_range(tl->flows_out, table_u32(t, flow_col_slice_out), t->rows, slice);
}

struct row_list timeline_flows_in(const struct timeline *tl, uint32_t slice)
{
    const struct table *t = &tl->trace->tables.flow;
    return equal_range(tl->flows_in, table_u32(t, flow_col_slice_in), t->rows, slice);
}

static string_id family_of_row(const struct timeline *tl, uint32_t row)
{
    return slice_names_family(tl->names, slice_u32(tl, row, slice_col_name));
}

struct row_list timeline_named(const struct timeline *tl)
{
    struct row_list all;
    all.rows = slice_names_rows(tl->names, &all.count);
    return all;
}

struct row_list timeline_same_name(const struct timeline *tl, string_id name)
{
    struct row_list all = timeline_named(tl);
    if (name == NULL_STRING)
        return (struct row_list){0};
    string_id family = slice_names_family(tl->names, name);
    uint32_t from = BISECT(mid, 0, all.count, family_of_row(tl, all.rows[mid]) < family);
    uint32_t end = BISECT(mid, from, all.count, family_of_row(tl, all.rows[mid]) <= family);
    return (struct row_list){all.rows + from, end - from};
}

bool timeline_name_is_one_of_many(const struct timeline *tl, string_id name)
{
    return slice_names_has_others(tl->names, name);
}

uint32_t timeline_innermost(const struct timeline *tl, uint32_t utid, int64_t t)
{
    bool known = utid < tl->trace->tables.thread.rows;
    uint32_t track = known ? tl->threads[utid].track : NULL_U32, found = NULL_U32;
    for (uint32_t d = 0; track != NULL_U32 && d < timeline_track_depths(tl, track); d++) {
        uint32_t p = lane_at(&tl->slices, tl->slice_base[track] + d, t);
        if (p == NO_POSITION)
            break;
        found = lanes_row(&tl->slices, p);
    }
    return found;
}

struct str timeline_callsite_name(const struct timeline *tl, uint32_t callsite)
{
    const struct tables *t = &tl->trace->tables;
    uint32_t frame = NULL_U32;
    if (callsite < t->stack_profile_callsite.rows)
        frame =
            table_u32(&t->stack_profile_callsite, stack_profile_callsite_col_frame_id)[callsite];
    if (frame >= t->stack_profile_frame.rows)
        return STR("");
    const struct column *c = t->stack_profile_frame.columns;
    string_id name = column_str(&c[stack_profile_frame_col_deobfuscated_name], frame);
    return timeline_str(tl, name != NULL_STRING
                                ? name
                                : column_str(&c[stack_profile_frame_col_name], frame));
}

uint32_t timeline_slice_thread(const struct timeline *tl, uint32_t slice)
{
    uint32_t track = slice_u32(tl, slice, slice_col_track_id);
    const struct table *t = &tl->trace->tables.track;
    if (track >= t->rows)
        return NULL_U32;
    uint32_t utid = table_u32(t, track_col_utid)[track];
    return utid < tl->trace->tables.thread.rows ? utid : NULL_U32;
}

void timeline_thread_name(const struct timeline *tl, uint32_t utid, char *out, size_t size)
{
    const struct table *t = &tl->trace->tables.thread;
    struct str name = {"", 0};
    if (utid < t->rows)
        name = timeline_str(tl, column_str(&t->columns[thread_col_name], utid));
    if (name.n == 0)
        snprintf(out, size, "thread %lld", (long long)timeline_tid(tl, utid));
    else
        snprintf(out, size, "%.*s", (int)(name.n < 4096 ? name.n : 4096), name.p);
}

/* A process that nothing names is called as its main thread, as ps does. */
static struct str process_name(const struct timeline *tl, uint32_t upid)
{
    const struct tables *t = &tl->trace->tables;
    if (upid >= t->process.rows)
        return (struct str){"", 0};
    struct str name = timeline_str(tl, column_str(&t->process.columns[process_col_name], upid));
    uint32_t main_thread = tl->processes[upid].main_thread;
    if (name.n > 0 || main_thread >= t->thread.rows)
        return name;
    return timeline_str(tl, column_str(&t->thread.columns[thread_col_name], main_thread));
}

void timeline_process_name(const struct timeline *tl, uint32_t upid, char *out, size_t size)
{
    const struct table *t = &tl->trace->tables.process;
    struct str name = process_name(tl, upid);
    char prefix[MACHINE_PREFIX_MAX] = "";
    if (upid < t->rows)
        timeline_machine_prefix(tl, timeline_process_machine(tl, upid), prefix);
    if (name.n == 0)
        snprintf(out, size, "%sprocess %lld", prefix, (long long)timeline_pid(tl, upid));
    else
        snprintf(out, size, "%s%.*s", prefix, (int)(name.n < 4096 ? name.n : 4096), name.p);
}

void timeline_track_name(const struct timeline *tl, uint32_t track, char *out, size_t size)
{
    const struct table *t = &tl->trace->tables.track;
    out[0] = '\0';
    if (track >= t->rows)
        return;
    uint32_t utid = table_u32(t, track_col_utid)[track], upid = table_u32(t, track_col_upid)[track];
    if (utid < tl->trace->tables.thread.rows) {
        timeline_thread_name(tl, utid, out, size);
        return;
    }
    struct str name = timeline_str(tl, column_str(&t->columns[track_col_name], track));
    if (name.n == 0)
        name = timeline_str(tl, column_str(&t->columns[track_col_type], track));
    char process[128] = "";
    if (upid < tl->trace->tables.process.rows)
        timeline_process_name(tl, upid, process, sizeof process);
    snprintf(out, size, "%.*s%s%s", (int)(name.n < 4096 ? name.n : 4096), name.n ? name.p : "",
             *process ? " of " : "", process);
}
