#include "parsers/perfetto/track_event/track_event_tracks.h"

#include <inttypes.h>

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/system/pid_namespaces.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "pb_fields.h"

enum { MAX_ANCESTORS = 100 };

uint64_t descriptor_track_key(uint32_t machine, uint64_t uuid)
{
    return machine ? hash_mix(uuid, machine) : uuid;
}

uint32_t descriptor_track_find(struct import *im, uint32_t machine, uint64_t uuid)
{
    struct track_event_import *te = im->track_event;
    bool inserted;
    uint32_t *index =
        map_insert(&te->tracks_by_uuid, descriptor_track_key(machine, uuid), &inserted);
    if (!inserted)
        return *index;
    *index = (uint32_t)te->tracks.count;
    *vec_push(&te->tracks) =
        (struct descriptor_track){.uuid = uuid, .machine = machine, .pid = NO_PID, .tid = NO_PID};
    return *index;
}

static bool same_counter(const struct descriptor_track *a, const struct descriptor_track *b)
{
    return a->kind != KIND_COUNTER ||
           (a->category == b->category && a->unit_multiplier == b->unit_multiplier &&
            a->incremental == b->incremental && a->builtin_type == b->builtin_type &&
            a->y_axis_key == b->y_axis_key);
}

static bool same_track(const struct descriptor_track *a, const struct descriptor_track *b)
{
    return a->parent_uuid == b->parent_uuid && a->pid == b->pid && a->tid == b->tid &&
           a->kind == b->kind && a->merge == b->merge && a->merge_key == b->merge_key &&
           same_counter(a, b);
}

static void log_track(struct import *im, enum stat_key key, struct str name, uint64_t uuid)
{
    struct arg_list args = {0};
    arg_list_uint(&args, trace_intern(im->trace, name), uuid);
    import_log_in_file(im->trace, key, -1, &args);
    arg_list_release(&args);
}

void descriptor_track_describe(struct import *im, const struct descriptor_track *said)
{
    if (said->uuid == DEFAULT_TRACK_UUID && said->parent_uuid) {
        log_track(im, STAT_track_descriptor_default_track_with_parent, STR("parent_uuid"),
                  said->parent_uuid);
        return;
    }
    uint32_t index = descriptor_track_find(im, said->machine, said->uuid);
    struct descriptor_track *known = track_event_track(im, index);
    if (!known->described) {
        *known = *said;
        known->described = true;
        return;
    }
    if (!same_track(known, said)) {
        log_track(im, STAT_track_descriptor_conflicting_reservation, STR("track_uuid"), said->uuid);
        return;
    }
    if (said->name && (!known->name || said->merge == MERGE_NONE))
        known->name = said->name;
}

static bool is_among(uint32_t track, const uint32_t *seen, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (seen[i] == track)
            return true;
    return false;
}

struct track_ancestry descriptor_track_ancestry(struct import *im, uint32_t track)
{
    struct track_ancestry way = {.owned = NULL_U32};
    uint32_t seen[MAX_ANCESTORS];
    for (uint32_t depth = 0; depth < MAX_ANCESTORS; depth++) {
        const struct descriptor_track *d = track_event_track(im, track);
        if (is_among(track, seen, depth)) {
            way.broken = STAT_track_event_track_hierarchy_loop;
            return way;
        }
        if (depth > 0 && !d->described) {
            way.broken = STAT_track_hierarchy_missing_uuid;
            return way;
        }
        if (way.owned == NULL_U32 && (d->tid != NO_PID || d->pid != NO_PID))
            way.owned = track;
        if (d->parent_uuid == DEFAULT_TRACK_UUID) {
            way.is_whole = true;
            return way;
        }
        seen[depth] = track;
        track = descriptor_track_find(im, d->machine, d->parent_uuid);
    }
    way.broken = STAT_track_event_track_hierarchy_too_deep;
    return way;
}

/* Every thread has one root descriptor; another one for the same tid means that the tid was used
 * again. */
static uint32_t thread_of(struct import *im, const struct descriptor_track *d, uint32_t track)
{
    struct trace *t = im->trace;
    uint32_t utid = process_tracker_update_thread(t, d->machine, d->tid, d->pid);
    bool inserted;
    uint32_t *owner = map_insert(&im->track_event->track_of_utid, utid, &inserted);
    *owner = track;
    if (inserted)
        return utid;
    process_tracker_start_thread(t, d->machine, NULL_I64, d->tid);
    return process_tracker_update_thread(t, d->machine, d->tid, d->pid);
}

static uint32_t process_of(struct import *im, const struct descriptor_track *d, uint32_t track)
{
    struct trace *t = im->trace;
    uint32_t upid = process_tracker_process(t, d->machine, d->pid);
    bool inserted;
    uint32_t *owner = map_insert(&im->track_event->track_of_upid, upid, &inserted);
    *owner = track;
    if (inserted)
        return upid;
    return process_tracker_start_process(t, d->machine, NULL_I64, NULL_U32, d->pid, NULL_STRING,
                                         THREAD_NAME_TRACK_DESCRIPTOR);
}

void descriptor_outer_ids(struct import *im, struct descriptor_track *d)
{
    if (d->pid != NO_PID)
        pid_namespaces_resolve(im, d->machine, d->writer, &d->pid);
    if (d->tid == NO_PID)
        return;
    bool of_sandbox = d->synthetic_tid || (im->old_chrome_on_linux && d->tid != d->pid);
    if (!pid_namespaces_resolve(im, d->machine, d->writer, &d->tid) && of_sandbox)
        d->tid = synthetic_tid(d->tid, d->pid);
}

/* The parent, if there is one, is resolved already. */
static void resolve_one(struct import *im, uint32_t track)
{
    struct descriptor_track *d = track_event_track(im, track);
    d->resolved = true;
    descriptor_outer_ids(im, d);
    if (d->tid != NO_PID) {
        d->scope = SCOPE_THREAD;
        d->root = true;
        d->owner = thread_of(im, d, track);
        return;
    }
    if (d->pid != NO_PID) {
        d->scope = SCOPE_PROCESS;
        d->root = true;
        d->owner = process_of(im, d, track);
        return;
    }
    d->scope = SCOPE_GLOBAL;
    if (d->parent_uuid == DEFAULT_TRACK_UUID)
        return;
    const struct descriptor_track *parent =
        track_event_track(im, descriptor_track_find(im, d->machine, d->parent_uuid));
    d->scope = parent->scope;
    d->owner = parent->owner;
}

bool descriptor_track_resolve(struct import *im, uint32_t track)
{
    struct descriptor_track *d = track_event_track(im, track);
    if (d->resolved)
        return true;
    if (!d->described) {
        d->described = true;
        if (d->uuid == DEFAULT_TRACK_UUID)
            d->name = im->track_event->keys.default_track;
    }
    struct track_ancestry way = descriptor_track_ancestry(im, track);
    if (!way.is_whole) {
        log_track(im, way.broken, STR("track_uuid"), track_event_track(im, track)->uuid);
        return false;
    }
    uint32_t chain[MAX_ANCESTORS + 1], n = 0;
    for (uint32_t i = track; !track_event_track(im, i)->resolved;) {
        chain[n++] = i;
        d = track_event_track(im, i);
        if (d->parent_uuid == DEFAULT_TRACK_UUID)
            break;
        i = descriptor_track_find(im, d->machine, d->parent_uuid);
    }
    while (n)
        resolve_one(im, chain[--n]);
    return true;
}

static void add_ordering(const struct track_event_keys *keys, const struct descriptor_track *d,
                         struct arg_list *args)
{
    switch (d->ordering) {
    case PB_TrackDescriptor_ChildTracksOrdering_LEXICOGRAPHIC:
        arg_list_str(args, keys->child_ordering, keys->lexicographic);
        break;
    case PB_TrackDescriptor_ChildTracksOrdering_CHRONOLOGICAL:
        arg_list_str(args, keys->child_ordering, keys->chronological);
        break;
    case PB_TrackDescriptor_ChildTracksOrdering_EXPLICIT:
        arg_list_str(args, keys->child_ordering, keys->explicit_order);
        break;
    default:
        break;
    }
    if (d->has_rank)
        arg_list_int(args, keys->sibling_order_rank, d->order_rank);
}

static const struct arg_list *source_args(struct import *im, const struct descriptor_track *d)
{
    const struct track_event_keys *keys = &im->track_event->keys;
    struct arg_list *args = &im->track_event->track_args;
    arg_list_clear(args);
    arg_list_str(args, keys->source, keys->descriptor);
    arg_list_int(args, keys->trace_id, (int64_t)d->uuid);
    arg_list_bool(args, keys->is_root_in_scope, d->root || d->uuid == DEFAULT_TRACK_UUID);
    if (d->category)
        arg_list_str(args, keys->category, d->category);
    if (d->builtin_type)
        arg_list_str(args, keys->builtin_counter_type, d->builtin_type);
    if (d->y_axis_key)
        arg_list_str(args, keys->y_axis_share_key, d->y_axis_key);
    if (d->uuid != DEFAULT_TRACK_UUID &&
        sequence_has_first_packet(im, d->machine, d->first_sequence))
        arg_list_bool(args, keys->has_first_packet, true);
    add_ordering(keys, d, args);
    if (d->description)
        arg_list_str(args, keys->description, d->description);
    return args;
}

static void add_dimension(struct track_spec *spec, struct track_dimension dimension)
{
    spec->dimensions[spec->dimension_count++] = dimension;
}

static const char *const single_types[3][3] = {
    [SCOPE_GLOBAL] = {"global_track_event", "global_counter_track_event",
                      "global_state_track_event"},
    [SCOPE_PROCESS] = {"process_track_event", "process_counter_track_event",
                       "process_state_track_event"},
    [SCOPE_THREAD] = {"thread_track_event", "thread_counter_track_event",
                      "thread_state_track_event"},
};

static const char *const set_types[3] = {
    [SCOPE_GLOBAL] = "global_merged_track_event",
    [SCOPE_PROCESS] = "process_merged_track_event",
    [SCOPE_THREAD] = "thread_merged_track_event",
};

/* The spec of a track that is `made` already as far as its kind and name go. */
static struct track_spec spec_of(struct import *im, const struct descriptor_track *d)
{
    static const enum track_event_type event_types[] = {
        [KIND_SLICES] = TRACK_SLICE, [KIND_COUNTER] = TRACK_COUNTER, [KIND_STATES] = TRACK_STATE};
    struct track_spec spec = {
        .type = d->made == TRACK_SET ? set_types[d->scope] : single_types[d->scope][d->kind],
        .event_type = event_types[d->kind],
        .machine = d->machine,
        .name = d->made_name,
        .unit = d->unit,
        .parent_plus_one = d->parent_plus_one,
        .source_args = source_args(im, d),
    };
    if (d->scope != SCOPE_GLOBAL)
        add_dimension(&spec,
                      (struct track_dimension){.key = d->scope == SCOPE_THREAD ? "utid" : "upid",
                                               .type = ARG_INT,
                                               .i = d->owner});
    if (d->made == TRACK_SINGLE) {
        add_dimension(&spec, (struct track_dimension){.key = "track_uuid",
                                                      .type = ARG_INT,
                                                      .i = (int64_t)d->uuid});
        return spec;
    }
    add_dimension(&spec, (struct track_dimension){.key = "parent_track_uuid",
                                                  .type = ARG_INT,
                                                  .i = (int64_t)d->parent_uuid});
    add_dimension(&spec, (struct track_dimension){.key = "merge_key_type",
                                                  .type = ARG_INT,
                                                  .i = d->merge});
    add_dimension(&spec, (struct track_dimension){.key = "merge_key_value",
                                                  .type = ARG_STRING,
                                                  .s = d->merge == MERGE_BY_KEY ? d->merge_key
                                                                                : d->made_name});
    return spec;
}

/* A track below a thread's or process' own one stands beside it, not below. */
static uint32_t parent_track(struct import *im, const struct descriptor_track *d)
{
    if (d->parent_uuid == DEFAULT_TRACK_UUID)
        return NULL_U32;
    const struct descriptor_track *parent =
        track_event_track(im, descriptor_track_find(im, d->machine, d->parent_uuid));
    if (parent->scope != SCOPE_GLOBAL && parent->root)
        return NULL_U32;
    if (parent->made == TRACK_SINGLE)
        return parent->track;
    struct track_spec spec = spec_of(im, parent);
    return track_set_first(im->trace, &spec);
}

/* The parent, if there is one, is made already. */
static void make_one(struct import *im, uint32_t track, string_id event_name, uint32_t sequence)
{
    struct trace *t = im->trace;
    struct descriptor_track *d = track_event_track(im, track);
    d->first_sequence = sequence;
    bool merged = !d->root && d->kind == KIND_SLICES && d->merge != MERGE_NONE;
    d->made = merged ? TRACK_SET : TRACK_SINGLE;
    if (d->root && d->scope == SCOPE_THREAD && d->kind == KIND_SLICES && !d->separate) {
        d->track = track_thread(t, d->owner);
        return;
    }
    bool own_name = d->name || d->root || d->kind != KIND_SLICES;
    d->made_name = own_name ? d->name : event_name;
    if (d->scope == SCOPE_PROCESS)
        d->made_name = translate_process_track_name(im, d->made_name);
    uint32_t parent = d->root ? NULL_U32 : parent_track(im, d);
    if (parent != NULL_U32)
        d->parent_plus_one = parent + 1;
    struct track_spec spec = spec_of(im, d);
    d->track = merged ? track_set_number(t, &spec) : track_intern(t, &spec);
}

static struct descriptor_track *make(struct import *im, uint32_t track, string_id name,
                                     uint32_t sequence)
{
    struct descriptor_track *d = track_event_track(im, track);
    if (d->made != TRACK_NONE)
        return d;
    if (!descriptor_track_resolve(im, track))
        return NULL;
    uint32_t chain[MAX_ANCESTORS + 1], n = 0;
    for (uint32_t i = track; track_event_track(im, i)->made == TRACK_NONE;) {
        chain[n++] = i;
        const struct descriptor_track *at = track_event_track(im, i);
        if (at->parent_uuid == DEFAULT_TRACK_UUID)
            break;
        i = descriptor_track_find(im, at->machine, at->parent_uuid);
    }
    while (n) {
        n--;
        make_one(im, chain[n], n ? NULL_STRING : name, sequence);
    }
    return track_event_track(im, track);
}

/* A slice begins or ends on a track of which several may be shown side by side. Returns the one. */
static uint32_t change_set(struct import *im, const struct descriptor_track *d, bool begins)
{
    int64_t cookie = (int64_t)d->uuid;
    struct track_sets *sets = &im->trace->builder->track_sets;
    struct track_set_member *m = track_set_member_find(sets, d->track, cookie);
    if (!m) {
        struct track_spec spec = spec_of(im, d);
        return begins ? track_set_begin(im->trace, &spec, cookie)
                      : track_set_end(im->trace, &spec, cookie);
    }
    if (begins)
        m->nested++;
    else
        track_set_member_end(sets, d->track, m);
    return m->track;
}

static uint32_t change_track(struct import *im, struct descriptor_track *d, bool begins)
{
    if (!d || d->made == TRACK_SINGLE)
        return d ? d->track : NULL_U32;
    return change_set(im, d, begins);
}

uint32_t descriptor_track_begin(struct import *im, uint32_t track, string_id name,
                                uint32_t sequence)
{
    return change_track(im, make(im, track, name, sequence), true);
}

uint32_t descriptor_track_end(struct import *im, uint32_t track, string_id name, uint32_t sequence)
{
    return change_track(im, make(im, track, name, sequence), false);
}

uint32_t descriptor_track_instant(struct import *im, uint32_t track, string_id name,
                                  uint32_t sequence)
{
    descriptor_track_begin(im, track, name, sequence);
    return descriptor_track_end(im, track, name, sequence);
}

uint32_t descriptor_track_single(struct import *im, uint32_t track, string_id name,
                                 uint32_t sequence)
{
    struct descriptor_track *d = make(im, track, name, sequence);
    return d && d->made == TRACK_SINGLE ? d->track : NULL_U32;
}

static struct sequence_counter *sequence_counter_of(struct track_event_sequence *s, uint32_t track)
{
    uint32_t last = s->last_counter;
    if (last < s->counter_values.count && s->counter_values.items[last].track == track)
        return &s->counter_values.items[last];
    bool inserted;
    uint32_t *at = map_insert(&s->counters, track, &inserted);
    if (inserted) {
        *at = (uint32_t)s->counter_values.count;
        *vec_push(&s->counter_values) = (struct sequence_counter){.track = track};
    }
    s->last_counter = *at;
    return &s->counter_values.items[*at];
}

bool descriptor_track_is_counter(struct import *im, uint32_t track)
{
    const struct descriptor_track *d = track_event_track(im, track);
    return d->described && d->kind == KIND_COUNTER;
}

double descriptor_track_counter_value(struct import *im, struct track_event_sequence *sequence,
                                      uint32_t track, double value)
{
    const struct descriptor_track *d = track_event_track(im, track);
    if (d->unit_multiplier > 0)
        value *= (double)d->unit_multiplier;
    if (!d->incremental)
        return value;
    return sequence_counter_of(sequence, track)->value += value;
}
