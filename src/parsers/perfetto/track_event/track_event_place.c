#include "parsers/perfetto/track_event/track_event_place.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_phases.h"
#include "pb_fields.h"

static uint32_t process_of_thread(struct import *im, uint32_t utid)
{
    return table_u32(&im->trace->tables.thread, thread_col_upid)[utid];
}

/* The thread that the sequence's descriptor named, NULL_U32 where there was none. */
static uint32_t sequence_thread(struct import *im, const struct event_generation *g)
{
    if (!g->has_thread)
        return NULL_U32;
    return process_tracker_update_thread(im->trace, g->machine, generation_tid(g), g->pid);
}

/* Whose event it is by its track. */
static bool associate_by_track(struct import *im, struct track_event *e)
{
    if (!descriptor_track_resolve(im, e->record->track))
        return false;
    const struct descriptor_track *d = track_event_track(im, e->record->track);
    uint32_t thread = NULL_U32;
    switch (d->scope) {
    case SCOPE_THREAD:
        e->utid = d->owner;
        e->upid = process_of_thread(im, d->owner);
        break;
    case SCOPE_PROCESS:
        e->upid = d->owner;
        thread = sequence_thread(im, e->generation);
        if (thread != NULL_U32 && process_of_thread(im, thread) == e->upid)
            e->passthrough_utid = thread;
        break;
    default:
        e->passthrough_utid = sequence_thread(im, e->generation);
    }
    return true;
}

bool track_event_thread_of(const struct track_event *e, struct event_thread *out)
{
    const struct event_generation *g = e->generation;
    const struct legacy_event *l = &e->legacy;
    if (!((!e->has_track_uuid || !e->has_type) && g->has_thread) && !l->has_pid_override &&
        !(l->has_tid_override && g->has_thread))
        return false;
    *out = (struct event_thread){g->pid, generation_tid(g)};
    if (l->has_pid_override) {
        out->pid = (int64_t)(uint32_t)l->pid_override;
        out->tid = synthetic_tid(-1, out->pid);
    }
    if (l->has_tid_override) {
        out->tid = (int64_t)(uint32_t)l->tid_override;
        if (is_synthetic_tid(generation_tid(g)))
            out->tid = synthetic_tid(out->tid, out->pid);
    }
    return true;
}

static bool associate_by_thread(struct import *im, struct track_event *e)
{
    struct event_thread of;
    e->on_sequence_thread = track_event_thread_of(e, &of);
    if (!e->on_sequence_thread)
        return true;
    if (of.pid == 0 || of.tid == 0)
        return false;
    e->utid = process_tracker_update_thread(im->trace, e->generation->machine, of.tid, of.pid);
    e->upid = process_of_thread(im, e->utid);
    return true;
}

bool track_event_leaves_thread(const struct track_event *e)
{
    uint32_t scope = e->legacy.instant_scope;
    return legacy_phase(e)->place == PLACE_SCOPE &&
           (scope == PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_GLOBAL ||
            scope == PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_PROCESS);
}

/* Phases may imply another track than the thread's. */
static bool associate_by_phase(struct track_event *e)
{
    const struct phase *phase = legacy_phase(e);
    if (phase_is_async(phase))
        e->passthrough_utid = e->utid;
    if (phase->place != PLACE_SCOPE)
        return true;
    if (!track_event_leaves_thread(e))
        return e->utid != NULL_U32;
    if (e->legacy.instant_scope == PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_PROCESS &&
        e->upid == NULL_U32)
        return false;
    e->passthrough_utid = e->utid;
    e->utid = NULL_U32;
    return true;
}

bool track_event_associate(struct import *im, struct track_event *e)
{
    bool has_track = track_event_track(im, e->record->track)->uuid != 0;
    bool known = has_track ? associate_by_track(im, e) : associate_by_thread(im, e);
    return known && associate_by_phase(e);
}

bool track_event_id_is_by_name(const struct track_event *e)
{
    return legacy_phase(e)->named && !e->legacy.has_id_scope;
}

/* What an id belongs to, as a text. */
static string_id async_scope(struct import *im, const struct track_event *e)
{
    const struct legacy_event *l = &e->legacy;
    if (track_event_id_is_by_name(e))
        return e->name;
    if (!l->has_id_scope)
        return e->category;
    struct track_event_import *te = im->track_event;
    struct str category = string_pool_get(&im->trace->strings, e->category);
    size_t n = category.n + 1 + l->id_scope.n;
    vec_reserve(&te->text, n);
    memcpy(te->text.items, category.p, category.n);
    te->text.items[category.n] = ':';
    memcpy(te->text.items + category.n + 1, l->id_scope.p, l->id_scope.n);
    return trace_intern(im->trace, (struct str){te->text.items, n});
}

static const struct arg_list *async_source_args(struct import *im, bool of_process, uint32_t upid,
                                                string_id scope)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    struct arg_list *args = &im->track_event->track_args;
    arg_list_clear(args);
    arg_list_str(args, keys->source, keys->chrome);
    arg_list_bool(args, keys->trace_id_is_process_scoped, of_process);
    arg_list_uint(args, keys->upid, upid);
    arg_list_str(args, keys->source_scope, scope);
    return args;
}

/* The track of an async event of the old kind, by its id. The first name of an id names the track.
 */
static uint32_t async_track(struct import *im, struct track_event *e)
{
    struct trace *t = im->trace;
    const struct legacy_event *l = &e->legacy;
    bool of_process = l->id_kind == LEGACY_ID_LOCAL;
    if (l->id_kind == LEGACY_ID_NONE || (of_process && e->upid == NULL_U32))
        return NULL_U32;
    e->source_id = (int64_t)l->id;
    e->has_source_id = true;
    string_id scope = async_scope(im, e);
    string_id name = of_process ? translate_process_track_name(im, e->name) : e->name;
    bool inserted;
    uint64_t key = of_process ? hash_mix(hash_u64(l->id), e->upid + 1) : hash_u64(l->id);
    uint32_t *root_name = map_insert(&im->track_event->async_names, key, &inserted);
    if (inserted)
        *root_name = name;
    struct track_spec spec = {
        .type = of_process ? "legacy_async_process_slice" : "legacy_async_global_slice",
        .machine = e->generation->machine,
        .name = name,
        .source_args = async_source_args(im, of_process, e->upid == NULL_U32 ? 0 : e->upid, scope),
    };
    if (of_process)
        spec.dimensions[spec.dimension_count++] =
            (struct track_dimension){.key = "upid", .type = ARG_INT, .i = e->upid};
    spec.dimensions[spec.dimension_count++] =
        (struct track_dimension){.key = "scope", .type = ARG_STRING, .s = scope};
    spec.dimensions[spec.dimension_count++] =
        (struct track_dimension){.key = "name", .type = ARG_STRING, .s = *root_name};
    enum phase_place place = legacy_phase(e)->place;
    uint32_t track = NULL_U32;
    if (place != PLACE_ASYNC_END)
        track = track_set_begin(t, &spec, e->source_id);
    return place == PLACE_ASYNC_BEGIN ? track : track_set_end(t, &spec, e->source_id);
}

static uint32_t instant_track(struct import *im, const struct track_event *e)
{
    struct arg_list *args = &im->track_event->track_args;
    arg_list_clear(args);
    arg_list_str(args, im->track_event->keys.source, im->track_event->keys.chrome);
    bool global =
        e->legacy.instant_scope == PB_TrackEvent_LegacyEvent_InstantEventScope_SCOPE_GLOBAL;
    struct track_spec spec = {
        .type = global ? "legacy_chrome_global_instants" : "chrome_process_instant",
        .machine = e->generation->machine,
        .source_args = args,
    };
    if (!global)
        spec.dimensions[spec.dimension_count++] =
            (struct track_dimension){.key = "upid", .type = ARG_INT, .i = e->upid};
    return track_intern(im->trace, &spec);
}

/* The track that the event's uuid stands for. */
static uint32_t described_track(struct import *im, const struct track_event *e, enum track_use use)
{
    uint32_t track = e->record->track, sequence = e->generation->sequence_id;
    switch (use) {
    case USE_BEGIN:
        return descriptor_track_begin(im, track, e->name, sequence);
    case USE_END:
        return descriptor_track_end(im, track, e->name, sequence);
    case USE_INSTANT:
        return descriptor_track_instant(im, track, e->name, sequence);
    case USE_SINGLE:
        break;
    }
    return descriptor_track_single(im, track, e->name, sequence);
}

/* The track of the event's uuid is made even where the phase implies another. */
uint32_t track_event_track_of(struct import *im, struct track_event *e, enum track_use use)
{
    uint32_t described = e->on_sequence_thread ? NULL_U32 : described_track(im, e, use);
    if (phase_is_async(legacy_phase(e)))
        return async_track(im, e);
    if (track_event_leaves_thread(e))
        return instant_track(im, e);
    return e->on_sequence_thread ? track_thread(im->trace, e->utid) : described;
}
