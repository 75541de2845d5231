#include "parsers/perfetto/track_event/v8_samples.h"

#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/profile/profiler_sample.h"
#include "parsers/perfetto/track_event/track_event_sequence.h"
#include "parsers/proto/wire.h"
#include "parsers/samples/v8_profile.h"
#include "pb_fields.h"
#include "core/store/rows.h"

struct v8_record {
    struct record_call call;
    uint32_t profile, node;
    int64_t pid, tid;
};

static void release_profiles(void *state)
{
    v8_profiles_release(state);
}

static const struct import_state_kind profiles_kind = {.size = sizeof(struct v8_profiles),
                                                       .release = release_profiles};

static void apply_sample(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct v8_record *r = (const struct v8_record *)call;
    const struct v8_profiles *p = import_state(im, &profiles_kind);
    struct trace *t = im->trace;
    struct profiler_sample_row row = profiler_sample_row_null();
    row.callsite_id = v8_profile_callsite(&p->items.items[r->profile], r->node);
    if (row.callsite_id == NULL_U32) {
        stats_count(t, STAT_legacy_v8_cpu_profile_invalid_sample);
        return;
    }
    uint32_t utid = process_tracker_update_thread(t, call->machine, r->tid, r->pid);
    uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    row.ts = ts;
    row.source = trace_intern(t, STR("legacy_v8"));
    row.task_context_id = profiler_task_context(im, upid, utid, NULL_U32);
    profiler_sample_append(&t->tables.profiler_sample, &row);
}

static bool push_samples(struct import *im, const struct packet *p, uint32_t profile)
{
    struct v8_profiles *profiles = import_state(im, &profiles_kind);
    const struct event_generation *g = track_event_generation_of(im, p);
    const struct v8_chunk *c = &profiles->chunk;
    for (size_t i = 0; i < c->samples.count; i++) {
        if (!v8_profile_advance(&profiles->items.items[profile], c->deltas.items[i]))
            return false;
        struct v8_record *record = arena_alloc(&im->arena, sizeof *record);
        *record = (struct v8_record){.call = {apply_sample, p->machine},
                                     .profile = profile,
                                     .node = c->samples.items[i],
                                     .pid = g->has_thread ? g->pid : 0,
                                     .tid = g->has_thread ? generation_tid(g) : 0};
        sorter_push(&im->sorter, 0, profiles->items.items[profile].ts, RECORD_CALL,
                    (uintptr_t)record);
    }
    return true;
}

/* One text of a profile; false where it cannot be used. */
static bool take_text(struct import *im, const struct packet *p, uint64_t id, struct str text)
{
    struct v8_profiles *profiles = import_state(im, &profiles_kind);
    const struct event_generation *g = track_event_generation_of(im, p);
    int64_t pid = g->has_thread ? g->pid : 0, ns;
    uint32_t profile;
    struct json_scan j = json_scan_from(text);
    v8_chunk_clear(&profiles->chunk);
    bool good = v8_chunk_read(im->trace, &profiles->chunk, &j);
    json_scan_release(&j);
    if (!good)
        return true;
    if (profiles->chunk.has_start) {
        if (__builtin_mul_overflow(profiles->chunk.start, 1000, &ns))
            return false;
        v8_profiles_start(profiles, im->trace, id, pid, track_event_from_monotonic(im, p, ns));
        return true;
    }
    if (!v8_profiles_add(profiles, im->trace, id, pid, &profile))
        return false;
    return profile == NULL_U32 || push_samples(im, p, profile);
}

/* An annotation called data that holds JSON. */
static struct str profile_text(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct str json = {NULL, 0}, name = {NULL, 0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_DebugAnnotation_legacy_json_value)
            json = pb_str(&f);
        else if (f.number == PB_DebugAnnotation_name)
            name = pb_str(&f);
        else if (f.number == PB_DebugAnnotation_name_iid)
            name = string_pool_get(&im->trace->strings,
                                   interned_string(im, p->generation,
                                                   PB_InternedData_debug_annotation_names,
                                                   pb_u64(&f)));
    }
    return str_eq(name, STR("data")) ? json : (struct str){NULL, 0};
}

void v8_samples_tokenize(struct import *im, const struct packet *p, struct bytes legacy)
{
    struct pb_reader r = bytes_reader(legacy);
    struct pb_field f;
    uint64_t id = 0;
    bool sample = false, good = true;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TrackEvent_LegacyEvent_phase)
            sample = pb_i32(&f) == 'P';
        else if (f.number == PB_TrackEvent_LegacyEvent_unscoped_id)
            id = pb_u64(&f);
    }
    r = bytes_reader(p->field);
    while (sample && good && pb_next(&r, &f)) {
        if (f.number != PB_TrackEvent_debug_annotations)
            continue;
        struct str text = profile_text(im, p, pb_message(&f));
        good = text.n == 0 || take_text(im, p, id, text);
    }
    if (!good)
        stats_count(im->trace, STAT_legacy_v8_cpu_profile_invalid_sample);
}
