#include "parsers/perfetto/android/android_processes.h"

#include <inttypes.h>
#include <stdio.h>

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/store/rows.h"

struct android_processes {
    struct map rows; /* upid -> row */
};

static void android_processes_release(void *state)
{
    struct android_processes *a = state;
    map_release(&a->rows);
}

static const struct import_state_kind android_processes_kind = {
    .size = sizeof(struct android_processes),
    .release = android_processes_release,
};

static uint32_t row_of(struct import *im, uint32_t upid)
{
    struct android_processes *a = import_state(im, &android_processes_kind);
    bool inserted;
    uint32_t *at = map_insert(&a->rows, upid, &inserted);
    if (inserted) {
        struct android_track_event_process_row row = android_track_event_process_row_null();
        row.upid = upid;
        *at = android_track_event_process_append(&im->trace->tables.android_track_event_process,
                                                 &row);
    }
    return *at;
}

/* Its number where the descriptors know no name. */
static string_id enum_name(struct import *im, struct str type, int32_t value)
{
    struct descriptors *d = import_descriptors(im);
    uint32_t index = descriptors_find(d, type);
    struct str name = {NULL, 0};
    if (index != DESCRIPTOR_NONE)
        name = descriptors_enum_name(d, index, value);
    if (name.p)
        return trace_intern(im->trace, name);
    char text[16];
    snprintf(text, sizeof text, "%" PRId32, value);
    return trace_intern_c(im->trace, text);
}

static void set_detail(struct import *im, uint32_t row, const struct pb_field *f)
{
    struct table *table = &im->trace->tables.android_track_event_process;
    switch (f->number) {
    case PB_AndroidProcessStartEvent_start_seq_id:
        table_set_i64(table, android_track_event_process_col_start_seq_id, row, pb_i64(f));
        break;
    case PB_AndroidProcessStartEvent_package_uid:
        table_set_i32(table, android_track_event_process_col_package_uid, row, pb_i32(f));
        break;
    case PB_AndroidProcessStartEvent_caller_uid:
        table_set_i32(table, android_track_event_process_col_caller_uid, row, pb_i32(f));
        break;
    case PB_AndroidProcessStartEvent_defining_uid:
        table_set_i32(table, android_track_event_process_col_defining_uid, row, pb_i32(f));
        break;
    case PB_AndroidProcessStartEvent_trigger_type:
        table_set_str(table, android_track_event_process_col_trigger_type, row,
                      enum_name(im, STR("com.android.internal.TriggerType"), pb_i32(f)));
        break;
    case PB_AndroidProcessStartEvent_hosting_type:
        table_set_str(table, android_track_event_process_col_hosting_type, row,
                      enum_name(im, STR("com.android.internal.HostingTypeId"), pb_i32(f)));
        break;
    case PB_AndroidProcessStartEvent_hosting_name:
        table_set_str(table, android_track_event_process_col_hosting_name, row,
                      trace_intern(im->trace, pb_str(f)));
        break;
    case PB_AndroidProcessStartEvent_bind_application_delay_ms:
        table_set_i64(table, android_track_event_process_col_bind_application_delay_ms, row,
                      pb_i64(f));
        break;
    case PB_AndroidProcessStartEvent_process_start_delay_ms:
        table_set_i64(table, android_track_event_process_col_process_start_delay_ms, row,
                      pb_i64(f));
        break;
    default:
        break;
    }
}

static bool find_pid(struct pb_reader r, uint32_t number, int64_t *pid)
{
    struct pb_field f;
    bool found = false;
    while (pb_next(&r, &f)) {
        if (f.number == number) {
            *pid = pb_u32(&f);
            found = true;
        }
    }
    return found;
}

void android_process_started(struct import *im, uint32_t machine, int64_t ts, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct table *table = &t->tables.android_track_event_process;
    struct pb_field f;
    int64_t pid;
    if (!find_pid(r, PB_AndroidProcessStartEvent_pid, &pid))
        return;
    uint32_t upid = process_tracker_process(t, machine, pid);
    uint32_t row = row_of(im, upid);
    if (column_is_null(&table->columns[android_track_event_process_col_fw_start_ts], row))
        table_set_i64(table, android_track_event_process_col_fw_start_ts, row, ts);
    while (pb_next(&r, &f)) {
        if (f.number == PB_AndroidProcessStartEvent_uid)
            process_tracker_set_uid(t, upid, pb_u32(&f));
        else if (f.number == PB_AndroidProcessStartEvent_process_name)
            process_tracker_set_process_name(t, upid, trace_intern(t, pb_str(&f)),
                                             PROCESS_NAME_OTHER);
        else
            set_detail(im, row, &f);
    }
}

void android_process_died(struct import *im, uint32_t machine, int64_t ts, struct pb_reader r)
{
    struct trace *t = im->trace;
    int64_t pid;
    if (!find_pid(r, PB_AndroidBinderDiedEvent_pid, &pid))
        return;
    uint32_t utid = process_tracker_find_thread(t, machine, pid);
    if (utid == NULL_U32)
        return;
    uint32_t upid = table_u32(&t->tables.thread, thread_col_upid)[utid];
    if (upid == NULL_U32)
        return;
    table_set_i64(&t->tables.android_track_event_process, android_track_event_process_col_fw_end_ts,
                  row_of(im, upid), ts);
    process_tracker_end_thread(t, machine, ts, pid);
}

/* The processes that the system knew when the recording began. */
static void android_process_state_parse(struct import *im, const struct packet *p)
{
    const AndroidProcessStateSnapshot *snapshot =
        unpack_packet(im, &android_process_state_snapshot__descriptor, p);
    struct trace *t = im->trace;
    for (size_t i = 0; i < snapshot->n_record; i++) {
        const AndroidProcessStateSnapshot__Record *r = snapshot->record[i];
        if (!r->has_pid)
            continue;
        uint32_t upid = process_tracker_process(t, p->machine, (uint32_t)r->pid);
        if (r->has_uid)
            process_tracker_set_uid(t, upid, (uint32_t)r->uid);
        if (r->has_process_name)
            process_tracker_set_process_name(t, upid,
                                             trace_intern(t, unpacked_str(r->process_name)),
                                             PROCESS_NAME_OTHER);
    }
}

const struct packet_module android_processes_packets[] = {
    {PB_TracePacket_android_process_state, .parse = android_process_state_parse,
     .felt = PACKET_AHEAD},
    {0},
};
