#include "parsers/perfetto/track_event/track_event_sequence.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "text/time.h"
#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "pb_fields.h"

struct pb_reader track_event_defaults(const struct interned_generation *g)
{
    struct pb_field f =
        pb_last(bytes_reader(g->defaults), PB_TracePacketDefaults_track_event_defaults);
    return pb_message(&f);
}

void track_event_add_extra_tracks(struct import *im, uint32_t machine, struct pb_reader r,
                                  uint32_t uuid_field, struct extra_tracks *out)
{
    struct pb_field f;
    uint64_t uuid;
    while (pb_next(&r, &f)) {
        if (f.number != uuid_field)
            continue;
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (out->count < TRACK_EVENT_EXTRA_COUNTERS && pb_packed_next(&it, &uuid))
            out->items[out->count++] = descriptor_track_find(im, machine, uuid);
    }
}

static void read_defaults(struct import *im, const struct packet *p, struct event_generation *g)
{
    struct pb_reader defaults = track_event_defaults(p->generation), r = defaults;
    struct pb_field f;
    g->default_track = NULL_U32;
    while (pb_next(&r, &f))
        if (f.number == PB_TrackEventDefaults_track_uuid)
            g->default_track = descriptor_track_find(im, p->machine, pb_u64(&f));
    track_event_add_extra_tracks(im, p->machine, defaults,
                                 PB_TrackEventDefaults_extra_counter_track_uuids, &g->extra_ints);
    track_event_add_extra_tracks(im, p->machine, defaults,
                                 PB_TrackEventDefaults_extra_double_counter_track_uuids,
                                 &g->extra_reals);
}

struct event_generation *track_event_generation_of(struct import *im, const struct packet *p)
{
    struct track_event_import *te = im->track_event;
    struct packet_sequence *seq = p->sequence;
    if (!seq->track_event)
        seq->track_event = alloc_array(1, sizeof *seq->track_event);
    uint32_t number = p->generation->number;
    while (te->generations.count < number)
        *vec_push(&te->generations) = (struct event_generation){0};
    struct event_generation *g = track_event_generation(im, number);
    if (g->interned)
        return g;
    if (seq->track_event->generation) {
        const struct event_generation *before =
            track_event_generation(im, seq->track_event->generation);
        g->has_thread = before->has_thread;
        g->synthetic_tid = before->synthetic_tid;
        g->pid = before->pid;
        g->tid = before->tid;
    }
    g->interned = p->generation;
    g->sequence_id = seq->id;
    g->machine = seq->machine;
    read_defaults(im, p, g);
    g = track_event_generation(im, number);
    if (number > seq->track_event->generation)
        seq->track_event->generation = number;
    return g;
}

int64_t track_event_us_to_ns(int64_t us)
{
    int64_t ns;
    if (__builtin_mul_overflow(us, 1000, &ns))
        return us < 0 ? INT64_MIN : INT64_MAX;
    return ns;
}

void track_event_sequence_set_thread(struct import *im, const struct packet *p,
                                     const struct thread_reference *thread)
{
    struct event_generation *g = track_event_generation_of(im, p);
    g->has_thread = true;
    g->pid = thread->pid;
    g->tid = thread->tid;
    g->synthetic_tid =
        thread->synthetic_tid || (im->old_chrome_on_linux && thread->tid != thread->pid);
    struct track_event_sequence *s = p->sequence->track_event;
    s->begun++;
    s->timestamps_valid = true;
    s->timestamp = track_event_us_to_ns(thread->timestamp_us);
    s->thread_time = track_event_us_to_ns(thread->thread_time_us);
    s->thread_instructions = thread->instructions;
}

int64_t track_event_from_monotonic(struct import *im, const struct packet *p, int64_t ts)
{
    int64_t out;
    if (clock_to_trace_time(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_MONOTONIC,
                            ts, &out))
        return out;
    clock_count_failure(im);
    return ts;
}

bool track_event_sequence_now(struct import *im, const struct packet *p, int64_t *ts,
                              struct sequence_thread *thread)
{
    const struct event_generation *g = track_event_generation_of(im, p);
    const struct track_event_sequence *s = p->sequence->track_event;
    if (!s->timestamps_valid || s->timestamp == INT64_MIN || s->timestamp == INT64_MAX)
        return false;
    *thread = (struct sequence_thread){g->pid, generation_tid(g), g->has_thread};
    *ts = track_event_from_monotonic(im, p, s->timestamp);
    return true;
}

bool track_event_sequence_advance(const struct packet *p, int64_t delta_us)
{
    struct track_event_sequence *s = p->sequence->track_event;
    s->timestamp = time_plus(s->timestamp, track_event_us_to_ns(delta_us));
    return s->timestamp != INT64_MIN && s->timestamp != INT64_MAX;
}

void track_event_sequence_reset(struct packet_sequence *seq)
{
    struct track_event_sequence *s = seq->track_event;
    if (!s)
        return;
    s->cleared++;
    s->begun++;
    s->timestamps_valid = false;
    s->timestamp = s->thread_time = s->thread_instructions = 0;
    map_release(&s->counters);
    s->counter_values.count = 0;
}

void track_event_sequence_release(struct packet_sequence *seq)
{
    struct track_event_sequence *s = seq->track_event;
    if (!s)
        return;
    map_release(&s->counters);
    vec_release(&s->counter_values);
    free(s);
    seq->track_event = NULL;
}
