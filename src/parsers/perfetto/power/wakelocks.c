/* Wakelocks: how long the kernel's and the system's own were held (counters that grow), and when
 * apps held theirs (slices). */
#include <stdlib.h>

#include "base/hash.h"
#include "core/stats.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/system/counters.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

struct wakelock {
    uint32_t machine; /* in wakelocks.machines */
    string_id name;
    uint32_t type;
    uint64_t held_ms;
    uint32_t track;    /* NULL_U32: to be made */
    uint32_t pushed;   /* the machine's newest packet whose total was pushed; 0: none was */
    bool seen, listed; /* a value came for it; it is in wakelocks.changed */
};

/* A packet tells of all wakelocks of its machine, those that it does not name stayed as they were:
 * that is made up for when they change. */
struct wakelock_machine {
    uint32_t packets;
    int64_t ts; /* of the newest */
};

struct wakelocks {
    struct map ids;   /* hash of sequence and id -> index in `list` */
    struct map names; /* machine << 32 | name -> index in `list` */
    VEC(struct wakelock) list;
    struct map machine_ids; /* -> index in `machines` */
    VEC(struct wakelock_machine) machines;
    VEC(uint32_t) changed; /* by the packet that is read: indices in `list` */
};

static void wakelocks_release(void *state)
{
    struct wakelocks *w = state;
    map_release(&w->ids);
    map_release(&w->names);
    vec_release(&w->list);
    map_release(&w->machine_ids);
    vec_release(&w->machines);
    vec_release(&w->changed);
}

static const struct import_state_kind wakelocks_kind = {.size = sizeof(struct wakelocks),
                                                        .release = wakelocks_release};

static double total_ns(const struct wakelock *l)
{
    const double ns_per_ms = 1e6;
    return (double)l->held_ms * ns_per_ms;
}

static uint64_t id_key(const struct packet *p, uint32_t id)
{
    uint64_t sequence = (uint64_t)p->machine << 32 | (p->sequence ? p->sequence->id : 0);
    return hash_mix(sequence, id);
}

/* The index of the packet's machine. */
static uint32_t machine_of(struct wakelocks *w, const struct packet *p)
{
    bool is_new;
    uint32_t *index = map_insert(&w->machine_ids, p->machine, &is_new);
    if (is_new) {
        *index = (uint32_t)w->machines.count;
        *vec_push(&w->machines) = (struct wakelock_machine){0};
    }
    return *index;
}

/* Lists a wakelock that is about to change; its total stood until the packet before this one. */
static void change(struct import *im, struct wakelocks *w, uint32_t index)
{
    struct wakelock *l = &w->list.items[index];
    const struct wakelock_machine *m = &w->machines.items[l->machine];
    if (l->listed)
        return;
    l->listed = true;
    *vec_push(&w->changed) = index;
    if (l->seen && l->pushed != m->packets)
        counter_push_sparse(im, m->ts, l->track, total_ns(l));
}

/* Two ids of one name share its total. */
static void define(struct import *im, struct wakelocks *w, const struct packet *p, uint32_t machine,
                   const KernelWakelockData__Wakelock *lock)
{
    uint32_t type = (uint32_t)lock->wakelock_type;
    bool is_new;
    uint32_t *index = map_insert(&w->ids, id_key(p, lock->wakelock_id), &is_new);
    if (!is_new) {
        stats_count(im->trace, STAT_kernel_wakelock_reused_id);
        return;
    }
    string_id text = trace_intern(im->trace, unpacked_str(lock->wakelock_name));
    uint32_t *named = map_insert(&w->names, (uint64_t)p->machine << 32 | text, &is_new);
    if (is_new) {
        *named = (uint32_t)w->list.count;
        *vec_push(&w->list) =
            (struct wakelock){.machine = machine, .name = text, .type = type, .track = NULL_U32};
    }
    if (w->list.items[*named].type != type) {
        change(im, w, *named);
        w->list.items[*named].type = type;
        w->list.items[*named].track = NULL_U32;
    }
    *index = *named;
}

static uint32_t intern_track(struct import *im, const struct packet *p, const struct wakelock *l)
{
    static const char *const types[] = {"unknown", "kernel", "native"};
    uint32_t type = l->type < sizeof types / sizeof types[0] ? l->type : 0;
    struct track_spec spec = {
        .type = "android_kernel_wakelock",
        .event_type = TRACK_COUNTER,
        .machine = p->machine,
        .dimension_count = 2,
        .dimensions = {{.key = "wakelock_name", .type = ARG_STRING, .s = l->name},
                       {.key = "wakelock_type",
                        .type = ARG_STRING,
                        .s = trace_intern_c(im->trace, types[type])}},
        .name = l->name,
        .unit = trace_intern(im->trace, STR("ms")),
    };
    return track_intern(im->trace, &spec);
}

static int compare_indices(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static void push_totals(struct import *im, struct wakelocks *w, const struct packet *p,
                        uint32_t machine)
{
    struct wakelock_machine *m = &w->machines.items[machine];
    m->packets++;
    m->ts = p->ts;
    if (w->changed.count > 1)
        qsort(w->changed.items, w->changed.count, sizeof *w->changed.items, compare_indices);
    for (size_t i = 0; i < w->changed.count; i++) {
        struct wakelock *l = &w->list.items[w->changed.items[i]];
        l->listed = false;
        if (!l->seen)
            continue;
        if (l->track == NULL_U32)
            l->track = intern_track(im, p, l);
        l->pushed = m->packets;
        counter_push_sparse(im, p->ts, l->track, total_ns(l));
    }
    w->changed.count = 0;
}

static void count_errors(struct import *im, uint64_t flags)
{
    static const enum stat_key keys[] = {STAT_kernel_wakelock_zero_value_reported,
                                         STAT_kernel_wakelock_non_monotonic_value_reported,
                                         STAT_kernel_wakelock_implausibly_large_value_reported};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (flags >> i & 1)
            stats_count(im->trace, keys[i]);
}

static bool kernel_wakelock_data_tokenize(struct import *im, struct packet *p)
{
    struct wakelocks *w = import_state(im, &wakelocks_kind);
    uint32_t machine = machine_of(w, p);
    const KernelWakelockData *data = unpack_packet(im, &kernel_wakelock_data__descriptor, p);
    for (size_t i = 0; i < data->n_wakelock; i++)
        define(im, w, p, machine, data->wakelock[i]);
    count_errors(im, data->error_flags);
    for (size_t i = 0; i < data->n_wakelock_id && i < data->n_time_held_millis; i++) {
        const uint32_t *index = map_find(&w->ids, id_key(p, data->wakelock_id[i]));
        if (!index) {
            stats_count(im->trace, STAT_kernel_wakelock_unknown_id);
            continue;
        }
        change(im, w, *index);
        w->list.items[*index].held_ms += data->time_held_millis[i];
        w->list.items[*index].seen = true;
    }
    push_totals(im, w, p, machine);
    return true;
}

struct app_wakelock {
    struct record_call call;
    struct bytes info;
    bool acquired;
};

/* A wakelock is known by everything that is said of it. */
static void apply_app_wakelock(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct app_wakelock *e = (const struct app_wakelock *)call;
    struct trace *t = im->trace;
    const AppWakelockInfo *info = unpack_bytes(im, &app_wakelock_info__descriptor, e->info);
    const struct {
        const char *key;
        bool present;
        int64_t value;
    } values[] = {
        {"flags", true, info->flags},
        {"owner_pid", info->has_owner_pid, info->owner_pid},
        {"owner_uid", info->has_owner_uid, info->owner_uid},
        {"work_uid", info->has_work_uid, info->work_uid},
    };
    enum { VALUES = sizeof values / sizeof values[0] };
    struct str tag = unpacked_str(info->tag);
    uint64_t cookie = hash_bytes(tag.p, tag.n, 0);
    for (size_t i = 0; i < VALUES; i++)
        cookie = hash_mix(cookie, (uint64_t)values[i].value);
    struct track_spec spec = {.type = "app_wakelock_events",
                              .machine = e->call.machine,
                              .name = trace_intern(t, STR("app_wakelock_events"))};
    if (!e->acquired) {
        slice_end(t, ts, track_set_end(t, &spec, (int64_t)cookie), NULL_STRING, NULL_STRING);
        return;
    }
    uint32_t track = track_set_begin(t, &spec, (int64_t)cookie);
    uint32_t slice = slice_begin(t, ts, track, NULL_STRING, trace_intern(t, tag));
    struct arg_list *args = slice_args(t, track, slice);
    for (size_t i = 0; args && i < VALUES; i++)
        if (values[i].present)
            arg_list_int(args, trace_intern_c(t, values[i].key), values[i].value);
}

struct bundle_event {
    int64_t ts;
    struct bytes info; /* .p is NULL where it or the time is not known */
    bool acquired;
};

struct bundle_events {
    VEC(struct bundle_event) v;
    bool malformed; /* then there are none */
};

/* An event is a time after the packet's, with a bit below it that says whether it was acquired. */
static struct bundle_events bundle_events(const struct packet *p)
{
    struct bundle_events out = {.malformed = false};
    VEC(uint64_t) ids = {0};
    VEC(uint64_t) times = {0};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    uint64_t v;
    while (pb_next(&r, &f)) {
        struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == PB_AppWakelockBundle_intern_id && pb_packed_next(&it, &v))
            *vec_push(&ids) = v;
        while (f.number == PB_AppWakelockBundle_encoded_ts && pb_packed_next(&it, &v))
            *vec_push(&times) = v;
    }
    out.malformed = r.error;
    for (size_t i = 0; !r.error && i < ids.count && i < times.count; i++) {
        struct bundle_event e = {.acquired = times.items[i] & 1};
        if (!__builtin_add_overflow(p->ts, (int64_t)(times.items[i] >> 1), &e.ts))
            e.info = interned_find(p->generation, PB_InternedData_app_wakelock_info, ids.items[i]);
        *vec_push(&out.v) = e;
    }
    vec_release(&ids);
    vec_release(&times);
    return out;
}

static bool app_wakelock_bundle_tokenize(struct import *im, struct packet *p)
{
    struct bundle_events events = bundle_events(p);
    if (events.malformed)
        stats_count(im->trace, STAT_app_wakelock_parse_error);
    for (size_t i = 0; i < events.v.count; i++) {
        const struct bundle_event *at = &events.v.items[i];
        if (!at->info.p) {
            stats_count(im->trace, STAT_app_wakelock_unknown_id);
            continue;
        }
        struct app_wakelock *e = arena_alloc(&im->arena, sizeof *e);
        *e = (struct app_wakelock){.call = {apply_app_wakelock, p->machine},
                                   .info = at->info,
                                   .acquired = at->acquired};
        sorter_push(&im->sorter, 0, at->ts, RECORD_CALL, (uintptr_t)e);
    }
    vec_release(&events.v);
    return true;
}

static bool app_wakelock_bundle_span(struct import *im, const struct packet *p,
                                     struct packet_span *out)
{
    struct bundle_events events = bundle_events(p);
    (void)im;
    *out = (struct packet_span){INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < events.v.count; i++)
        packet_span_add(out, events.v.items[i].ts);
    vec_release(&events.v);
    return out->first <= out->last;
}

/* Which wakelock an event means is not known to who reads no interned data: each bundle stays. */
static void app_wakelock_bundle_say(struct import *im, const struct packet *p,
                                    struct packet_felt_sink *out)
{
    (void)im;
    packet_felt_last(out, p->ts, hash_mix(p->number, p->field_number));
}

const struct packet_module wakelocks_packets[] = {
    {PB_TracePacket_kernel_wakelock_data, .tokenize = kernel_wakelock_data_tokenize,
     .felt = PACKET_EACH, .looks_back = true},
    {PB_TracePacket_app_wakelock_bundle, .tokenize = app_wakelock_bundle_tokenize,
     .felt = PACKET_SPAN, .span = app_wakelock_bundle_span, .say = app_wakelock_bundle_say},
    {0},
};
