#include "parsers/perfetto/track_event/track_event_read.h"

#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "pb_fields.h"

static void read_legacy_id(const struct pb_field *f, struct legacy_event *l)
{
    int kind = f->number == PB_TrackEvent_LegacyEvent_unscoped_id ? LEGACY_ID_UNSCOPED
               : f->number == PB_TrackEvent_LegacyEvent_global_id ? LEGACY_ID_GLOBAL
                                                                  : LEGACY_ID_LOCAL;
    if ((int)l->id_kind > kind)
        return;
    l->id_kind = kind;
    l->id = pb_u64(f);
}

static void read_legacy(struct pb_reader r, struct legacy_event *l)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TrackEvent_LegacyEvent_name_iid:
            l->name_iid = pb_u64(&f);
            break;
        case PB_TrackEvent_LegacyEvent_phase:
            l->phase = pb_i32(&f);
            l->has_phase = true;
            break;
        case PB_TrackEvent_LegacyEvent_duration_us:
            l->duration_us = pb_i64(&f);
            l->has_duration = true;
            break;
        case PB_TrackEvent_LegacyEvent_thread_duration_us:
            l->thread_duration_us = pb_i64(&f);
            l->has_thread_duration = true;
            break;
        case PB_TrackEvent_LegacyEvent_thread_instruction_delta:
            l->instruction_delta = pb_i64(&f);
            l->has_instruction_delta = true;
            break;
        case PB_TrackEvent_LegacyEvent_unscoped_id:
        case PB_TrackEvent_LegacyEvent_global_id:
        case PB_TrackEvent_LegacyEvent_local_id:
            read_legacy_id(&f, l);
            break;
        case PB_TrackEvent_LegacyEvent_id_scope:
            l->id_scope = pb_str(&f);
            l->has_id_scope = true;
            break;
        case PB_TrackEvent_LegacyEvent_use_async_tts:
            l->use_async_tts = pb_bool(&f);
            break;
        case PB_TrackEvent_LegacyEvent_bind_id:
            l->bind_id = pb_u64(&f);
            l->has_bind_id = true;
            break;
        case PB_TrackEvent_LegacyEvent_bind_to_enclosing:
            l->bind_to_enclosing = pb_bool(&f);
            break;
        case PB_TrackEvent_LegacyEvent_flow_direction:
            l->flow_direction = pb_u32(&f);
            break;
        case PB_TrackEvent_LegacyEvent_instant_event_scope:
            l->instant_scope = pb_u32(&f);
            break;
        case PB_TrackEvent_LegacyEvent_pid_override:
            l->pid_override = pb_i32(&f);
            l->has_pid_override = true;
            break;
        case PB_TrackEvent_LegacyEvent_tid_override:
            l->tid_override = pb_i32(&f);
            l->has_tid_override = true;
            break;
        default:
            break;
        }
    }
}

/* The string of an iid, remembered by the generation; NULL_STRING where there is none. */
static string_id name_of_iid(struct import *im, struct event_generation *g, uint64_t iid,
                             uint32_t field)
{
    enum { REMEMBERED_MAX = 1 << 16 };
    bool category = field == PB_InternedData_event_categories;
    if (iid >= REMEMBERED_MAX)
        return interned_string(im, g->interned, field, iid);
    size_t count = category ? g->categories.count : g->names.count;
    string_id *known = category ? g->categories.items : g->names.items;
    if (iid < count && known[iid])
        return known[iid];
    string_id name = interned_string(im, g->interned, field, iid);
    if (category) {
        while (g->categories.count <= iid)
            *vec_push(&g->categories) = NULL_STRING;
        g->categories.items[iid] = name;
    } else {
        while (g->names.count <= iid)
            *vec_push(&g->names) = NULL_STRING;
        g->names.items[iid] = name;
    }
    return name;
}

static string_id join(struct import *im, string_id so_far, string_id more)
{
    if (!so_far || !more)
        return so_far ? so_far : more;
    struct track_event_import *te = im->track_event;
    struct str a = string_pool_get(&im->trace->strings, so_far);
    struct str b = string_pool_get(&im->trace->strings, more);
    vec_reserve(&te->text, a.n + 1 + b.n);
    memcpy(te->text.items, a.p, a.n);
    te->text.items[a.n] = ',';
    memcpy(te->text.items + a.n + 1, b.p, b.n);
    return trace_intern(im->trace, (struct str){te->text.items, a.n + 1 + b.n});
}

static string_id unknown_category(struct import *im, uint64_t iid)
{
    char unknown[48];
    snprintf(unknown, sizeof unknown, "unknown(%llu)", (unsigned long long)iid);
    return trace_intern_c(im->trace, unknown);
}

static string_id category_of_iid(struct import *im, const struct track_event *e, uint64_t iid)
{
    string_id name = name_of_iid(im, e->generation, iid, PB_InternedData_event_categories);
    return name ? name : unknown_category(im, iid);
}

/* Interned categories come first, then those spelt out; an unknown one shows only where it is
 * alone. */
static string_id read_categories(struct import *im, const struct track_event *e)
{
    const struct pb_field *one = &e->category_field;
    if (e->category_fields == 1 && one->number == PB_TrackEvent_category_iids &&
        one->wire_type == PB_WIRE_VARINT)
        return category_of_iid(im, e, pb_u64(one));
    struct pb_reader r = e->bytes;
    string_id interned = NULL_STRING, spelt = NULL_STRING;
    uint64_t iid, last_iid = 0, count = 0;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TrackEvent_category_iids) {
            struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
            for (; pb_packed_next(&it, &iid); count++) {
                last_iid = iid;
                interned =
                    join(im, interned,
                         name_of_iid(im, e->generation, iid, PB_InternedData_event_categories));
            }
        } else if (f.number == PB_TrackEvent_categories) {
            spelt = join(im, spelt, trace_intern(im->trace, pb_str(&f)));
            count++;
        }
    }
    if (count == 1 && !interned && !spelt)
        return unknown_category(im, last_iid);
    return join(im, interned, spelt);
}

static void read_rare_field(const struct pb_field *f, struct track_event *e)
{
    e->has_args = true;
    switch (f->number) {
    case PB_TrackEvent_task_execution:
        e->task_execution = *f;
        break;
    case PB_TrackEvent_log_message:
        e->log_message = *f;
        break;
    case PB_TrackEvent_chrome_histogram_sample:
        e->histogram_sample = *f;
        e->has_typed_args = true;
        break;
    case PB_TrackEvent_chrome_active_processes:
        e->active_processes = *f;
        e->has_typed_args = true;
        break;
    case PB_TrackEvent_source_location_iid:
        e->source_location_iid = pb_u64(f);
        e->has_source_location = true;
        e->has_typed_args = true;
        break;
    case PB_TrackEvent_debug_annotations:
        e->has_annotations = true;
        break;
    case PB_TrackEvent_correlation_id:
        e->correlation_id = pb_u64(f);
        e->has_correlation_id = true;
        break;
    case PB_TrackEvent_correlation_id_str:
        e->correlation_id_str = *f;
        break;
    case PB_TrackEvent_correlation_id_str_iid:
        e->correlation_id_iid = pb_u64(f);
        e->has_correlation_id_iid = true;
        break;
    case PB_TrackEvent_callstack:
        e->callstack = *f;
        break;
    case PB_TrackEvent_callstack_iid:
        e->callstack_iid = pb_u64(f);
        e->has_callstack_iid = true;
        break;
    case PB_TrackEvent_callstack_weight:
        e->callstack_weight = pb_real(f);
        e->has_callstack_weight = true;
        break;
    case PB_TrackEvent_gpu_correlation:
        e->gpu_correlation = *f;
        e->has_typed_args = true;
        break;
    case PB_TrackEvent_process_start_event:
        e->process_start = *f;
        break;
    case PB_TrackEvent_binder_died_event:
        e->binder_death = *f;
        break;
    default:
        e->has_typed_args = true;
    }
}

void track_event_read_plain(struct import *im, struct track_event *e)
{
    const struct track_event_record *record = e->record;
    e->type = record->type;
    e->has_type = record->flags & RECORD_HAS_TYPE;
    e->has_track_uuid = record->flags & RECORD_HAS_UUID;
    if (!(record->flags & RECORD_HAS_NAMES))
        return;
    struct plain_names names;
    memcpy(&names, record + 1, sizeof names);
    e->name_iid = names.name_iid;
    if (record->flags & RECORD_HAS_CATEGORY)
        e->category = category_of_iid(im, e, names.category_iid);
    if (e->name_iid)
        e->name = name_of_iid(im, e->generation, e->name_iid, PB_InternedData_event_names);
}

void track_event_read_fields(struct track_event *e, struct pb_reader r)
{
    struct pb_field f;
    e->bytes = r;
    for (const uint8_t *at = r.p; pb_next(&r, &f); at = r.p) {
        switch (f.number) {
        case PB_TrackEvent_type:
            e->type = pb_i32(&f);
            e->has_type = true;
            break;
        case PB_TrackEvent_track_uuid:
            e->has_track_uuid = true;
            break;
        case PB_TrackEvent_category_iids:
        case PB_TrackEvent_categories:
            e->category_field = f;
            e->category_fields++;
            break;
        case PB_TrackEvent_name_iid:
            e->name_iid = pb_u64(&f);
            break;
        case PB_TrackEvent_name:
            e->spelt_name = f;
            break;
        case PB_TrackEvent_flow_ids:
        case PB_TrackEvent_flow_ids_old:
        case PB_TrackEvent_terminating_flow_ids:
        case PB_TrackEvent_terminating_flow_ids_old:
            e->has_flows = true;
            break;
        case PB_TrackEvent_legacy_event:
            read_legacy(pb_message(&f), &e->legacy);
            break;
        case PB_TrackEvent_timestamp_delta_us:
        case PB_TrackEvent_timestamp_absolute_us:
        case PB_TrackEvent_thread_time_delta_us:
        case PB_TrackEvent_thread_time_absolute_us:
        case PB_TrackEvent_thread_instruction_count_delta:
        case PB_TrackEvent_thread_instruction_count_absolute:
        case PB_TrackEvent_counter_value:
        case PB_TrackEvent_double_counter_value:
        case PB_TrackEvent_extra_counter_values:
        case PB_TrackEvent_extra_counter_track_uuids:
        case PB_TrackEvent_extra_double_counter_values:
        case PB_TrackEvent_extra_double_counter_track_uuids:
            break;
        default:
            e->args = e->args ? e->args : at;
            e->args_end = r.p;
            read_rare_field(&f, e);
        }
    }
    if (!e->name_iid)
        e->name_iid = e->legacy.name_iid;
}

void track_event_read(struct import *im, struct track_event *e)
{
    const uint8_t *event;
    memcpy(&event, e->record + 1, sizeof event);
    track_event_read_fields(e, pb_reader_from(event, e->record->size));
    if (e->category_fields)
        e->category = read_categories(im, e);
    if (e->name_iid)
        e->name = name_of_iid(im, e->generation, e->name_iid, PB_InternedData_event_names);
    else if (e->spelt_name.number)
        e->name = trace_intern(im->trace, pb_str(&e->spelt_name));
}
