#include "parsers/perfetto/track_event/track_event_counters.h"

#include "parsers/perfetto/track_event/track_event_args.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_place.h"
#include "core/counter.h"

static const uint8_t *record_values(const struct track_event_record *record)
{
    return (const uint8_t *)(record + 1) + (record_has_what(record->flags) ? 8 : 0);
}

static const uint8_t *extra_values(const struct track_event_record *record)
{
    return (const uint8_t *)(record + 1) + record_words(record->flags) * 8;
}

/* The track of an extra counter, as an index in `tracks`. */
static uint32_t extra_track(const struct track_event *e, uint32_t i)
{
    uint32_t index;
    if (e->record->flags & RECORD_USUAL_EXTRAS)
        return e->generation->extra_ints.items[i];
    memcpy(&index, extra_values(e->record) + e->record->extra_counters * 8 + i * sizeof index,
           sizeof index);
    return index;
}

static uint32_t thread_counter_track(struct import *im, uint32_t utid, const char *type,
                                     string_id name)
{
    struct track_spec spec = {
        .type = type,
        .event_type = TRACK_COUNTER,
        .machine = table_u32(&im->trace->tables.thread, thread_col_machine_id)[utid],
        .dimension_count = 1,
        .dimensions = {{.key = "utid", .type = ARG_INT, .i = utid}},
        .name = name,
    };
    return track_intern(im->trace, &spec);
}

/* Thread time and instruction count that came as fields of the event are counters, too. */
static void add_thread_counters(struct import *im, struct track_event *e)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    const uint8_t *p = record_values(e->record);
    if (e->record->flags & RECORD_HAS_THREAD_TIME) {
        memcpy(&e->thread_time, p, sizeof e->thread_time);
        p += sizeof e->thread_time;
        e->has_thread_time = true;
    }
    if (e->record->flags & RECORD_HAS_INSTRUCTIONS) {
        memcpy(&e->instructions, p, sizeof e->instructions);
        e->has_instructions = true;
    }
    if (e->utid == NULL_U32)
        return;
    if (e->has_thread_time)
        counter_push(im->trace, e->ts,
                     thread_counter_track(im, e->utid, "thread_time", keys->thread_time),
                     (double)e->thread_time);
    if (e->has_instructions)
        counter_push(im->trace, e->ts,
                     thread_counter_track(im, e->utid, "thread_instructions",
                                          keys->thread_instruction_count),
                     (double)e->instructions);
}

/* A double that may have come from anywhere as an integer, without undefined behaviour. */
static int64_t to_int(double v)
{
    if (v >= 9.2e18)
        return INT64_MAX;
    if (!(v > -9.2e18))
        return INT64_MIN;
    return (int64_t)v;
}

static void add_extra_counters(struct import *im, struct track_event *e)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    uint32_t n = e->record->extra_counters;
    for (uint32_t i = 0; i < n; i++) {
        double value;
        uint32_t index = extra_track(e, i);
        memcpy(&value, extra_values(e->record) + i * sizeof value, sizeof value);
        uint32_t track =
            descriptor_track_single(im, index, NULL_STRING, e->generation->sequence_id);
        if (track == NULL_U32)
            continue;
        counter_push(im->trace, e->ts, track, value);
        string_id name = track_event_track(im, index)->name;
        if (name == keys->thread_time) {
            e->thread_time = to_int(value);
            e->has_thread_time = true;
        } else if (name == keys->thread_instruction_count) {
            e->instructions = to_int(value);
            e->has_instructions = true;
        }
    }
}

void track_event_add_counters(struct import *im, struct track_event *e)
{
    add_thread_counters(im, e);
    add_extra_counters(im, e);
}

bool track_event_apply_counter(struct import *im, struct track_event *e)
{
    uint32_t track = track_event_track_of(im, e, USE_SINGLE);
    if (track == NULL_U32 || !(e->record->flags & RECORD_HAS_COUNTER))
        return false;
    double value; /* the last of what stands before extra counters */
    memcpy(&value, extra_values(e->record) - sizeof value, sizeof value);
    uint32_t row = counter_push(im->trace, e->ts, track, value);
    struct arg_list *args = &im->track_event->args;
    arg_list_clear(args);
    track_event_add_args(im, e, args);
    if (args->v.count)
        table_set_u32(&im->trace->tables.counter, counter_col_arg_set_id, row,
                      args_intern(&im->trace->args, args));
    return true;
}
