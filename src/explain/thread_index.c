#include "explain/thread_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/bisect.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/track.h"
#include "text/time.h"

enum { NEAR = 8 }; /* rows that are looked at one by one */

/* What rows are grouped by: `group` of a row's key, which may be an index into `of_key`. */
struct grouping {
    const struct table *table;
    uint32_t key_column, ts_column;
    const uint32_t *of_key; /* the group of each key; NULL: the key is the group */
    uint32_t keys, groups;
};

static uint32_t group_of(const struct grouping *g, uint32_t row)
{
    const struct column *c = &g->table->columns[g->key_column];
    if (column_is_null(c, row))
        return NULL_U32;
    uint32_t key = (uint32_t)column_int(c, row);
    if (g->of_key)
        key = key < g->keys ? g->of_key[key] : NULL_U32;
    return key < g->groups ? key : NULL_U32;
}

static int compare_times(const void *a, const void *b, void *ts)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    const int64_t *t = ts;
    return t[x] != t[y] ? (t[x] < t[y] ? -1 : 1) : (x > y) - (x < y);
}

static struct row_groups group_rows(const struct grouping *g)
{
    struct row_groups out = {.count = g->groups};
    out.starts = alloc_array((size_t)g->groups + 2, sizeof *out.starts);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < g->table->rows; i++) {
        uint32_t group = group_of(g, i);
        if (group != NULL_U32) {
            out.starts[group + 2]++;
            rows++;
        }
    }
    for (uint32_t i = 2; i <= g->groups + 1; i++)
        out.starts[i] += out.starts[i - 1];
    out.rows = alloc_array((size_t)rows + 1, sizeof *out.rows);
    for (uint32_t i = 0; i < g->table->rows; i++) {
        uint32_t group = group_of(g, i);
        if (group != NULL_U32)
            out.rows[out.starts[group + 1]++] = i;
    }
    if (g->table->columns[g->ts_column].unsorted)
        for (uint32_t i = 0; i < g->groups; i++)
            qsort_r(out.rows + out.starts[i], out.starts[i + 1] - out.starts[i], sizeof *out.rows,
                    compare_times, g->table->columns[g->ts_column].data);
    return out;
}

static void release_groups(struct row_groups *g)
{
    free(g->starts);
    free(g->rows);
}

uint32_t row_range_from(struct row_range r, const struct table *t, uint32_t ts_column, int64_t ts)
{
    const int64_t *times = table_i64(t, ts_column);
    return BISECT(i, 0, r.count, times[r.rows[i]] < ts);
}

uint32_t row_range_near(struct row_range r, const struct table *t, uint32_t ts_column, int64_t ts,
                        uint32_t *near)
{
    const int64_t *times = table_i64(t, ts_column);
    uint32_t at = *near;
    for (int steps = 0; at <= r.count && steps < NEAR; steps++)
        if (at < r.count && times[r.rows[at]] < ts)
            at++;
        else if (at > 0 && times[r.rows[at - 1]] >= ts)
            at--;
        else
            return *near = at;
    return *near = row_range_from(r, t, ts_column, ts);
}

/* Rows of a table on tracks of CPUs of one of two types, grouped by CPU. */
static void group_by_cpu(const struct trace *t, struct str type, struct str other_type,
                         const struct table *table, uint32_t track_column, uint32_t ts_column,
                         struct row_groups *out)
{
    const struct table *tracks = &t->tables.track;
    string_id types[] = {string_pool_lookup(&t->strings, type),
                         string_pool_lookup(&t->strings, other_type)};
    uint32_t *cpu_of = alloc_array((size_t)tracks->rows + 1, sizeof *cpu_of);
    struct arg_list scratch = {0};
    for (uint32_t i = 0; i < tracks->rows; i++) {
        string_id of = column_str(&tracks->columns[track_col_type], i);
        bool is = of != NULL_STRING && (of == types[0] || of == types[1]);
        cpu_of[i] = is ? track_ucpu(t, i, &scratch) : NULL_U32;
    }
    *out = group_rows(&(struct grouping){table, track_column, ts_column, cpu_of, tracks->rows,
                                         t->tables.cpu.rows});
    arg_list_release(&scratch);
    free(cpu_of);
}

static uint32_t *count_slices(const struct trace *t)
{
    const struct table *slices = &t->tables.slice;
    uint32_t *counts = alloc_array((size_t)t->tables.track.rows + 1, sizeof *counts);
    for (uint32_t i = 0; i < slices->rows; i++) {
        uint32_t track = table_u32(slices, slice_col_track_id)[i];
        if (track < t->tables.track.rows)
            counts[track]++;
    }
    return counts;
}

/* Slices of one track a thread, which nest: of its stack. */
static void group_by_thread(const struct trace *t, struct row_groups *out)
{
    uint32_t tracks = t->tables.track.rows, threads = t->tables.thread.rows;
    const uint32_t *utids = table_u32(&t->tables.track, track_col_utid);
    uint32_t *slices = count_slices(t);
    struct filled_track *stacks = alloc_array((size_t)threads + 1, sizeof *stacks);
    uint32_t *utid_of = alloc_array((size_t)tracks + 1, sizeof *utid_of);
    for (uint32_t i = 0; i < tracks; i++) {
        struct filled_track track = {i, slices[i]};
        if (utids[i] < threads && track_is_stack_of_thread(t, i) &&
            track_tells_more(t, track, stacks[utids[i]]))
            stacks[utids[i]] = track;
        utid_of[i] = NULL_U32;
    }
    for (uint32_t utid = 0; utid < threads; utid++)
        if (stacks[utid].slices > 0)
            utid_of[stacks[utid].track] = utid;
    *out = group_rows(&(struct grouping){&t->tables.slice, slice_col_track_id, slice_col_ts,
                                         utid_of, tracks, threads});
    free(slices);
    free(stacks);
    free(utid_of);
}

static void find_fastest(struct thread_index *x)
{
    const double *values = table_f64(&x->trace->tables.counter, counter_col_value);
    x->fastest = alloc_array((size_t)x->frequencies.count + 1, sizeof *x->fastest);
    for (uint32_t cpu = 0; cpu < x->frequencies.count; cpu++) {
        struct row_range r = row_groups_at(&x->frequencies, cpu);
        for (uint32_t i = 0; i < r.count; i++)
            if (values[r.rows[i]] > x->fastest[cpu])
                x->fastest[cpu] = values[r.rows[i]];
    }
}

/* A hash of a thread's process and of its name, in which all numbers are one. */
static uint64_t hash_thread(const struct thread_index *x, uint32_t utid)
{
    const struct table *t = &x->trace->tables.thread;
    struct str name = thread_index_thread(x, utid);
    uint64_t hash = hash_u64(table_u32(t, thread_col_upid)[utid]);
    for (size_t i = 0; i < name.n; i++)
        if (!str_is_digit(name.p[i]) || i == 0 || !str_is_digit(name.p[i - 1]))
            hash = hash_mix(hash, str_is_digit(name.p[i]) ? '0' : (unsigned char)name.p[i]);
    return name.n ? hash : hash_mix(hash, utid);
}

static void find_alike(struct thread_index *x)
{
    uint32_t threads = x->trace->tables.thread.rows;
    struct map first = {0};
    x->alike = alloc_array((size_t)threads + 1, sizeof *x->alike);
    for (uint32_t i = 0; i < threads; i++) {
        bool is_new;
        uint32_t *at = map_insert(&first, hash_thread(x, i), &is_new);
        if (is_new)
            *at = i;
        x->alike[i] = *at;
    }
    map_release(&first);
}

static struct last_places no_places(uint32_t count)
{
    struct last_places near = {alloc_array((size_t)count + 1, sizeof *near.of), count};
    memset(near.of, 0xff, ((size_t)count + 1) * sizeof *near.of);
    return near;
}

void thread_index_init(struct thread_index *x, const struct trace *t)
{
    const struct tables *tables = &t->tables;
    uint32_t threads = tables->thread.rows, cpus = tables->cpu.rows;
    struct str frequency = STR("cpu_frequency");
    *x = (struct thread_index){.trace = t};
    x->tids = table_i64(&tables->thread, thread_col_tid);
    x->threads = x->tids ? threads : 0;
    x->running = string_pool_lookup(&t->strings, STR("Running"));
    x->runnable = string_pool_lookup(&t->strings, STR("R"));
    x->preempted = string_pool_lookup(&t->strings, STR("R+"));
    x->states = group_rows(&(struct grouping){&tables->thread_state, thread_state_col_utid,
                                              thread_state_col_ts, NULL, 0, threads});
    x->ran = group_rows(&(struct grouping){&tables->sched_slice, sched_slice_col_ucpu,
                                           sched_slice_col_ts, NULL, 0, cpus});
    group_by_thread(t, &x->slices);
    group_by_cpu(t, STR("cpu_irq"), STR("cpu_softirq"), &tables->slice, slice_col_track_id,
                 slice_col_ts, &x->irqs);
    group_by_cpu(t, frequency, frequency, &tables->counter, counter_col_track_id, counter_col_ts,
                 &x->frequencies);
    find_fastest(x);
    find_alike(x);
    x->states_near = no_places(threads);
    x->slices_near = no_places(threads);
    x->ran_near = no_places(cpus);
}

void thread_index_release(struct thread_index *x)
{
    release_groups(&x->states);
    release_groups(&x->slices);
    release_groups(&x->ran);
    release_groups(&x->irqs);
    release_groups(&x->frequencies);
    free(x->fastest);
    free(x->alike);
    free(x->states_near.of);
    free(x->slices_near.of);
    free(x->ran_near.of);
}

static int64_t end_of(const struct thread_index *x, const struct table *t, uint32_t ts_column,
                      uint32_t dur_column, uint32_t row)
{
    int64_t dur = table_i64(t, dur_column)[row];
    return dur < 0 ? x->trace->end_ts : time_plus(table_i64(t, ts_column)[row], dur);
}

int64_t thread_index_slice_end(const struct thread_index *x, uint32_t row)
{
    return end_of(x, &x->trace->tables.slice, slice_col_ts, slice_col_dur, row);
}

int64_t thread_index_state_end(const struct thread_index *x, uint32_t row)
{
    return end_of(x, &x->trace->tables.thread_state, thread_state_col_ts, thread_state_col_dur,
                  row);
}

int64_t thread_index_ran_end(const struct thread_index *x, uint32_t row)
{
    return end_of(x, &x->trace->tables.sched_slice, sched_slice_col_ts, sched_slice_col_dur, row);
}

/* The innermost slice at a time of those before position `at`, and until when. */
static uint32_t open_slice(const struct thread_index *x, struct row_range r, uint32_t at, int64_t t,
                           int64_t *until)
{
    const struct table *slices = &x->trace->tables.slice;
    /* What is open then lies around the last one that has begun. */
    uint32_t row = at > 0 ? r.rows[at - 1] : NULL_U32;
    int64_t next = at < r.count ? table_i64(slices, slice_col_ts)[r.rows[at]] : INT64_MAX, end;
    for (; row < slices->rows; row = table_u32(slices, slice_col_parent_id)[row])
        if ((end = thread_index_slice_end(x, row)) > t) {
            *until = end < next ? end : next;
            return row;
        }
    *until = next;
    return NULL_U32;
}

uint32_t thread_index_slice_until(const struct thread_index *x, uint32_t utid, int64_t t,
                                  int64_t *until)
{
    struct row_range r = row_groups_at(&x->slices, utid);
    uint32_t at = row_range_near(r, &x->trace->tables.slice, slice_col_ts, time_plus(t, 1),
                                 last_place(x->slices_near, utid));
    return open_slice(x, r, at, t, until);
}

uint32_t thread_index_slice_next(const struct thread_index *x, uint32_t utid, int64_t *until)
{
    const int64_t *begins = table_i64(&x->trace->tables.slice, slice_col_ts);
    struct row_range r = row_groups_at(&x->slices, utid);
    uint32_t *near = last_place(x->slices_near, utid);
    int64_t t = *until;
    while (*near < r.count && begins[r.rows[*near]] <= t)
        ++*near;
    return open_slice(x, r, *near, t, until);
}

uint32_t thread_index_slice_at(const struct thread_index *x, uint32_t utid, int64_t t)
{
    int64_t until;
    return thread_index_slice_until(x, utid, t, &until);
}

uint32_t thread_index_state_at(const struct thread_index *x, uint32_t utid, int64_t t)
{
    struct row_range r = row_groups_at(&x->states, utid);
    uint32_t at =
        row_range_from(r, &x->trace->tables.thread_state, thread_state_col_ts, time_plus(t, 1));
    uint32_t row = at > 0 ? r.rows[at - 1] : NULL_U32;
    return row != NULL_U32 && thread_index_state_end(x, row) > t ? row : NULL_U32;
}

struct str thread_index_text(const struct thread_index *x, string_id id)
{
    return string_pool_get(&x->trace->strings, id);
}

struct str thread_index_slice_name(const struct thread_index *x, uint32_t row)
{
    return thread_index_text(x, column_str(&x->trace->tables.slice.columns[slice_col_name], row));
}

struct str thread_index_thread(const struct thread_index *x, uint32_t utid)
{
    const struct table *t = &x->trace->tables.thread;
    return utid < t->rows ? thread_index_text(x, column_str(&t->columns[thread_col_name], utid))
                          : STR("");
}

struct str thread_index_process(const struct thread_index *x, uint32_t utid)
{
    const struct table *t = &x->trace->tables.thread, *p = &x->trace->tables.process;
    uint32_t upid = utid < t->rows ? table_u32(t, thread_col_upid)[utid] : NULL_U32;
    return upid < p->rows ? thread_index_text(x, column_str(&p->columns[process_col_name], upid))
                          : STR("");
}

int64_t thread_index_tid(const struct thread_index *x, uint32_t utid)
{
    const struct table *t = &x->trace->tables.thread;
    return utid < t->rows && table_i64(t, thread_col_tid) ? table_i64(t, thread_col_tid)[utid] : -1;
}
