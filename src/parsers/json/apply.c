#include "parsers/json/apply.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "core/counter.h"
#include "core/import_log.h"
#include "core/store/rows.h"
#include "parsers/json/import.h"
#include "parsers/json/phases.h"

enum { RECORDS_PER_CHECK = 8192 }; /* between looks at the cancel flag */

/* An event when its turn has come. */
struct turn {
    struct json_import *im;
    struct trace *t;
    const struct json_record *r;
    int64_t ts;
    uint32_t utid;
};

static uint32_t upid_of_pid(struct json_import *im, const struct json_thread *th)
{
    return process_tracker_process(im->trace, im->machine, th->pid);
}

static uint32_t thread_of(struct json_import *im, uint32_t index)
{
    struct trace *t = im->trace;
    struct json_thread *th = &im->threads.items[index];
    if (th->utid == NULL_U32)
        th->utid = process_tracker_update_thread(t, im->machine, th->tid, th->pid);
    /* Each event names them anew: what metadata called them lasts until the next one. */
    if (th->pid_text)
        process_tracker_set_process_name(t, upid_of_pid(im, th), th->pid_name, PROCESS_NAME_SYSTEM);
    if (th->tid_text)
        process_tracker_set_thread_name(t, th->utid, th->tid_name, THREAD_NAME_OTHER);
    return th->utid;
}

static uint32_t thread_track(const struct turn *e)
{
    struct json_thread *th = &e->im->threads.items[e->r->thread];
    if (th->track_plus_one)
        return th->track_plus_one - 1;
    uint32_t track = track_thread(e->t, e->utid);
    th->track_plus_one = track + 1;
    return track;
}

static uint32_t upid_of(const struct turn *e)
{
    return table_u32(&e->t->tables.thread, thread_col_upid)[e->utid];
}

/* Starts a list of args about the event, for the import log. */
static struct arg_list *describe(const struct turn *e)
{
    struct arg_list *args = &e->im->args;
    const struct json_keys *keys = &e->im->keys;
    arg_list_clear(args);
    arg_list_str(args, keys->event_name, e->r->name);
    arg_list_str(args, keys->event_phase, trace_intern(e->t, (struct str){&e->r->phase, 1}));
    return args;
}

static void log_fault(const struct turn *e)
{
    import_log_at(e->t, STAT_json_parser_failure, e->ts, describe(e));
}

static void add_args(const struct turn *e, uint32_t slice)
{
    if (e->r->arg_set != NULL_U32)
        table_set_u32(&e->t->tables.slice, slice_col_arg_set_id, slice, e->r->arg_set);
}

/* Args of a slice's begin and of its end are one set. The slice is still open. */
static void add_end_args(const struct turn *e, uint32_t track, uint32_t slice)
{
    struct trace *t = e->t;
    const struct column *sets = &t->tables.slice.columns[slice_col_arg_set_id];
    if (!(e->r->parts & JSON_PART_ARGS))
        return;
    const uint8_t *p = (const uint8_t *)(uintptr_t)json_part(e->r, JSON_PART_ARGS);
    size_t n = (size_t)json_part(e->r, JSON_PART_ARGS_SIZE);
    struct arg_list *args = slice_args(t, track, slice);
    if (!args || column_is_null(sets, slice)) {
        table_set_u32(&t->tables.slice, slice_col_arg_set_id, slice,
                      args_intern_payload(&t->args, e->im->args_kind, p, n));
        return;
    }
    if (args->v.count == 0)
        args_read(&t->args, (uint32_t)column_int(sets, slice), args);
    args_decode(&t->args, e->im->args_kind, p, n, args);
}

static void add_flow(const struct turn *e, uint32_t slice)
{
    const struct json_record *r = e->r;
    if (!(r->parts & JSON_PART_BIND_ID))
        return;
    int64_t id = json_part(r, JSON_PART_BIND_ID);
    switch (r->flags & (JSON_FLOW_IN | JSON_FLOW_OUT)) {
    case JSON_FLOW_IN | JSON_FLOW_OUT:
        flow_step(e->t, slice, (uint64_t)id, id);
        return;
    case JSON_FLOW_OUT:
        flow_begin(e->t, slice, (uint64_t)id);
        return;
    case JSON_FLOW_IN:
        flow_end(e->t, slice, (uint64_t)id, false, id);
        return;
    default:
        stats_count(e->t, STAT_flow_without_direction);
    }
}

static void set_thread_time(const struct turn *e, uint32_t slice)
{
    struct table *slices = &e->t->tables.slice;
    if (e->r->parts & JSON_PART_THREAD_TS)
        table_set_i64(slices, slice_col_thread_ts, slice, json_part(e->r, JSON_PART_THREAD_TS));
    if (e->r->parts & JSON_PART_THREAD_DUR && e->r->phase == 'X')
        table_set_i64(slices, slice_col_thread_dur, slice, json_part(e->r, JSON_PART_THREAD_DUR));
}

/* What the event says besides of the slice that it makes, NULL_U32 where it made none. */
static void fill_slice(const struct turn *e, uint32_t slice, bool on_thread)
{
    if (slice == NULL_U32)
        return;
    add_args(e, slice);
    if (on_thread)
        set_thread_time(e, slice);
    add_flow(e, slice);
}

static void begin_on(const struct turn *e, uint32_t track, bool on_thread)
{
    fill_slice(e, slice_begin(e->t, e->ts, track, e->r->category, e->r->name), on_thread);
}

static void end_on(const struct turn *e, uint32_t track, bool on_thread)
{
    struct trace *t = e->t;
    uint32_t slice = slice_find_end(t, e->ts, track, e->r->category, e->r->name);
    if (slice == NULL_U32)
        return;
    add_end_args(e, track, slice);
    slice_end(t, e->ts, track, e->r->category, e->r->name);
    const struct column *begun = &t->tables.slice.columns[slice_col_thread_ts];
    if (!on_thread)
        return;
    int64_t dur;
    if (e->r->parts & JSON_PART_THREAD_TS && !column_is_null(begun, slice) &&
        !__builtin_sub_overflow(json_part(e->r, JSON_PART_THREAD_TS), column_int(begun, slice),
                                &dur))
        table_set_i64(&t->tables.slice, slice_col_thread_dur, slice, dur);
}

static void complete_on(const struct turn *e, uint32_t track, int64_t dur, bool on_thread)
{
    fill_slice(e, slice_complete(e->t, e->ts, dur, track, e->r->category, e->r->name), on_thread);
}

/* A track beside the thread's on which a slice nests that overlaps others on its thread. */
static uint32_t overlapping_track(const struct turn *e, int64_t dur)
{
    struct trace *t = e->t;
    struct track_spec spec = {
        .type = "thread_overlapping_slice",
        .machine = e->im->machine,
        .dimension_count = 1,
        .dimensions = {{.key = "utid", .type = ARG_INT, .i = e->utid}},
    };
    uint32_t number = track_set_number(t, &spec);
    const struct track_set *set = &t->builder->track_sets.sets.items[number];
    for (size_t i = 0; i < set->members.count; i++)
        if (slice_fits(t, e->ts, dur, set->members.items[i].track))
            return set->members.items[i].track;
    return track_set_add(t, &spec);
}

/* The slice that overlaps others goes elsewhere: says which one is in its way. */
static void log_overlap(const struct turn *e, uint32_t track, int64_t end)
{
    struct trace *t = e->t;
    const struct json_keys *keys = &e->im->keys;
    const struct table *slices = &t->tables.slice;
    uint32_t other = slice_top(t, track);
    if (other == NULL_U32) {
        stats_count(t, STAT_slice_spill_overlapping_complete_event);
        return;
    }
    int64_t ts = table_i64(slices, slice_col_ts)[other],
            dur = table_i64(slices, slice_col_dur)[other];
    struct arg_list *args = describe(e);
    arg_list_int(args, keys->conflicting_ts, ts);
    arg_list_int(args, keys->conflicting_dur, dur);
    arg_list_str(args, keys->conflicting_name, column_str(&slices->columns[slice_col_name], other));
    arg_list_int(args, keys->overlap_start, e->ts);
    arg_list_int(args, keys->overlap_end, dur < end - ts ? ts + dur : end);
    import_log_at(t, STAT_slice_spill_overlapping_complete_event, e->ts, args);
}

static void apply_complete(const struct turn *e)
{
    struct trace *t = e->t;
    uint32_t track = thread_track(e);
    int64_t dur = json_part(e->r, JSON_PART_DUR), end;
    if (dur < 0) {
        import_log_at(t, STAT_slice_negative_duration, e->ts, NULL);
        return;
    }
    if (__builtin_add_overflow(e->ts, dur, &end)) {
        log_fault(e);
        return;
    }
    if (!slice_fits(t, e->ts, dur, track)) {
        log_overlap(e, track, end);
        track = overlapping_track(e, dur);
    }
    complete_on(e, track, dur, true);
}

static void apply_instant(const struct turn *e)
{
    struct arg_list *args = &e->im->args;
    arg_list_clear(args);
    arg_list_str(args, e->im->keys.source, e->im->keys.chrome);
    struct track_spec spec = {.type = "legacy_chrome_global_instants",
                              .machine = e->im->machine,
                              .source_args = args};
    switch (e->r->scope) {
    case 'g':
        break;
    case 'p':
        spec.type = "chrome_process_instant";
        spec.dimension_count = 1;
        spec.dimensions[0] =
            (struct track_dimension){.key = "upid", .type = ARG_INT, .i = upid_of(e)};
        break;
    default:
        complete_on(e, thread_track(e), 0, true);
        return;
    }
    complete_on(e, track_intern(e->t, &spec), 0, false);
}

static const struct arg_list *async_source_args(const struct turn *e, bool local)
{
    const struct json_keys *keys = &e->im->keys;
    struct arg_list *args = &e->im->args;
    arg_list_clear(args);
    arg_list_str(args, keys->source, keys->chrome);
    arg_list_bool(args, keys->is_process_scoped, local);
    arg_list_uint(args, keys->upid, upid_of(e));
    arg_list_str(args, keys->source_scope, NULL_STRING);
    return args;
}

/* The track of an async event, by its id and category. The first name of an id names it. */
static void apply_async(const struct turn *e)
{
    struct trace *t = e->t;
    const struct json_record *r = e->r;
    bool local = r->flags & JSON_ID_LOCAL;
    uint64_t id = hash_mix((uint64_t)json_part(r, JSON_PART_ID), r->category);
    uint64_t key = hash_mix(id, local ? upid_of(e) : NULL_U32);
    bool inserted;
    uint32_t *name = map_insert(&e->im->async_names, key, &inserted);
    if (inserted)
        *name = r->name;
    struct track_spec spec = {
        .type = local ? "legacy_async_process_slice" : "legacy_async_global_slice",
        .machine = e->im->machine,
        .name = *name,
        .source_args = async_source_args(e, local),
    };
    if (local)
        spec.dimensions[spec.dimension_count++] =
            (struct track_dimension){.key = "upid", .type = ARG_INT, .i = upid_of(e)};
    spec.dimensions[spec.dimension_count++] =
        (struct track_dimension){.key = "scope", .type = ARG_STRING, .s = NULL_STRING};
    spec.dimensions[spec.dimension_count++] =
        (struct track_dimension){.key = "name", .type = ARG_STRING, .s = *name};
    switch (r->phase) {
    case 'b':
        begin_on(e, track_set_begin(t, &spec, (int64_t)id), false);
        return;
    case 'e':
        end_on(e, track_set_end(t, &spec, (int64_t)id), false);
        return;
    default:
        track_set_begin(t, &spec, (int64_t)id);
        complete_on(e, track_set_end(t, &spec, (int64_t)id), 0, false);
    }
}

/* Flow events of their own, which bind to slices of their thread. */
static void apply_flow(const struct turn *e)
{
    struct trace *t = e->t;
    const struct json_record *r = e->r;
    uint32_t track = thread_track(e);
    if (!(r->parts & JSON_PART_ID)) {
        import_log_at(t, STAT_flow_invalid_id, e->ts, describe(e));
        return;
    }
    uint64_t id = flow_named_id(t, (uint64_t)json_part(r, JSON_PART_ID), r->category, r->name);
    if (r->phase == 'f' && !(r->flags & JSON_BIND_ENCLOSING)) {
        flow_end_at_next_slice(t, track, id);
        return;
    }
    uint32_t slice = slice_top(t, track);
    if (slice == NULL_U32)
        stats_count(t, STAT_flow_no_enclosing_slice);
    else if (r->phase == 's')
        flow_begin(t, slice, id);
    else if (r->phase == 't')
        flow_step(t, slice, id, (int64_t)id);
    else
        flow_end(t, slice, id, false, (int64_t)id);
}

static void apply_counter(const struct turn *e)
{
    if (!(e->r->parts & JSON_PART_VALUE))
        return;
    struct track_spec spec = {
        .type = "json_counter",
        .machine = e->im->machine,
        .event_type = TRACK_COUNTER,
        .dimension_count = 2,
        .dimensions = {{.key = "upid", .type = ARG_INT, .i = upid_of(e)},
                       {.key = "name", .type = ARG_STRING, .s = e->r->name}},
        .name = e->r->name,
    };
    int64_t bits = json_part(e->r, JSON_PART_VALUE);
    double value;
    memcpy(&value, &bits, sizeof value);
    uint32_t row = counter_push(e->t, e->ts, track_intern(e->t, &spec), value);
    arg_list_clear(&e->im->args);
    arg_list_uint(&e->im->args, e->im->keys.utid, e->utid);
    table_set_u32(&e->t->tables.counter, counter_col_arg_set_id, row,
                  args_intern(&e->t->args, &e->im->args));
}

static void apply_thread_state(const struct turn *e)
{
    struct trace *t = e->t;
    const struct json_record *r = e->r;
    struct thread_state_row row = thread_state_row_null();
    row.ts = e->ts;
    row.dur = json_part(r, JSON_PART_DUR);
    row.utid = e->utid;
    row.state = r->name;
    if (r->parts & JSON_PART_IO_WAIT)
        row.io_wait = (uint32_t)json_part(r, JSON_PART_IO_WAIT);
    row.blocked_function = (string_id)json_part_or(r, JSON_PART_TEXT, NULL_STRING);
    thread_state_append(&t->tables.thread_state, &row);
    if (r->name != e->im->keys.running || !(r->parts & JSON_PART_NUMBER))
        return;
    struct sched_slice_row slice = {
        .ts = row.ts,
        .dur = row.dur,
        .utid = row.utid,
        .ucpu = trace_ucpu(t, e->im->machine, (uint32_t)json_part(r, JSON_PART_NUMBER)),
    };
    sched_slice_append(&t->tables.sched_slice, &slice);
}

/* Appends an arg to those that a process or thread has. */
static void add_row_arg(const struct turn *e, struct table *table, uint32_t column, uint32_t row,
                        struct arg arg)
{
    struct arg_list *args = &e->im->args;
    const struct column *c = &table->columns[column];
    arg_list_clear(args);
    if (!column_is_null(c, row))
        args_read(&e->t->args, (uint32_t)column_int(c, row), args);
    arg_list_add(args, arg);
    table_set_u32(table, column, row, args_intern(&e->t->args, args));
}

static void apply_metadata(const struct turn *e)
{
    struct trace *t = e->t;
    const struct json_keys *keys = &e->im->keys;
    string_id name = e->r->name, text = (string_id)json_part_or(e->r, JSON_PART_TEXT, NULL_STRING);
    struct arg index = {.type = ARG_INT, .i = json_part_or(e->r, JSON_PART_NUMBER, 0)};
    if (name == keys->thread_name && text) {
        process_tracker_set_thread_name(t, e->utid, text, THREAD_NAME_OTHER);
    } else if (name == keys->process_name && text) {
        process_tracker_set_process_name(t, upid_of(e), text, PROCESS_NAME_SYSTEM);
    } else if (!(e->r->parts & JSON_PART_NUMBER)) {
        return;
    } else if (name == keys->process_sort_index) {
        index.flat_key = index.key = keys->sort_index_process;
        add_row_arg(e, &t->tables.process, process_col_arg_set_id, upid_of(e), index);
    } else if (name == keys->thread_sort_index) {
        index.flat_key = index.key = keys->sort_index_thread;
        add_row_arg(e, &t->tables.thread, thread_col_arg_set_id, e->utid, index);
    }
}

static uint32_t sampled_callsite(struct json_profiles *p, const struct json_record *r)
{
    uint64_t id = (uint64_t)json_part(r, JSON_PART_ID);
    if (r->flags & JSON_OF_FRAME)
        return json_profiles_callsite(p, id, r->name);
    uint32_t node = (uint32_t)json_part(r, JSON_PART_NUMBER);
    return v8_profile_callsite(&p->v8.items.items[id], node);
}

static void apply_sample(const struct turn *e)
{
    struct json_profiles *p = &e->im->profiles;
    samples_add(&p->samples, e->ts, e->utid, sampled_callsite(p, e->r));
}

/* A sample of a node that its profile does not have, which tells of no thread either. */
static bool is_sample_of_nothing(struct json_import *im, const struct json_record *r)
{
    return r->phase == 'P' && !(r->flags & (JSON_OF_FRAME | JSON_FAULT)) &&
           sampled_callsite(&im->profiles, r) == NULL_U32;
}

static void apply_begin(const struct turn *e)
{
    begin_on(e, thread_track(e), true);
}

static void apply_end(const struct turn *e)
{
    end_on(e, thread_track(e), true);
}

static void apply_unread(const struct turn *e)
{
    stats_count(e->t, STAT_json_event_not_read);
}

/* Whether it is no state of a thread, but a step of an asynchronous slice of old. */
static bool is_step_of_old(const struct turn *e)
{
    struct str category = string_pool_get(&e->t->strings, e->r->category);
    return e->r->phase == 'T' && !str_eq(category, STR(JSON_OF_STATES));
}

/* Trace Processor counts steps of old as faults, too. */
static void apply_fault(const struct turn *e)
{
    log_fault(e);
    if (!is_step_of_old(e))
        return;
    e->t->builder->harmless[STAT_json_parser_failure]++;
    apply_unread(e);
}

static void apply(const struct turn *e)
{
    if (e->r->flags & JSON_FAULT) {
        apply_fault(e);
        return;
    }
    switch (e->r->phase) {
#define P(letter, keep, apply, felt, binds)                                                        \
    case letter:                                                                                   \
        apply_##apply(e);                                                                          \
        return;
        JSON_PHASES(P)
#undef P
    default:
        stats_count(e->t, STAT_json_event_unknown_phase);
        return;
    }
}

/* Gives the ends that come first at their time their rank (order.h). */
static void rank_ends(struct json_import *im)
{
    struct json_order order = im->order;
    if (!order.is_complete || !order.is_broken ||
        !clock_file_time(im->trace, order.from, &order.from))
        return;
    struct json_begun *threads = alloc_array(im->threads.count + 1, sizeof *threads);
    for (size_t i = 0; i < im->entries.count; i++) {
        struct timed *entry = &im->entries.items[i];
        const struct json_record *r = entry->record;
        struct json_called called = {r->category, r->name};
        if (!json_order_changes(&order, entry->ts))
            continue;
        if (r->phase == 'B')
            json_begun_add(&threads[r->thread], entry->ts, called);
        else if (r->phase == 'E' && json_end_is_first(&threads[r->thread], entry->ts, called))
            entry->rank = INT64_MIN;
    }
    for (size_t i = 0; i < im->threads.count; i++)
        json_begun_release(&threads[i]);
    free(threads);
}

struct status json_apply(struct json_import *im)
{
    rank_ends(im);
    time_sort(im->entries.items, im->entries.count);
    progress_begin(im->source->progress, LOAD_SORTING, im->entries.count);
    for (size_t i = 0; i < im->entries.count; i++) {
        const struct timed *entry = &im->entries.items[i];
        struct turn e = {.im = im, .t = im->trace, .r = entry->record, .ts = entry->ts};
        if (is_sample_of_nothing(im, e.r)) {
            stats_count(e.t, STAT_legacy_v8_cpu_profile_invalid_sample);
            continue;
        }
        e.utid = e.r->flags & JSON_NO_PID
                     ? process_tracker_thread(e.t, im->machine, json_part(e.r, JSON_PART_NUMBER))
                     : thread_of(im, e.r->thread);
        apply(&e);
        if (i % RECORDS_PER_CHECK == 0 && !progress_report(im->source->progress, i))
            return progress_cancelled(im->name);
    }
    return status_ok_value();
}
