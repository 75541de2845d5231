/* Android's logs, properties, packages, users and flags. */
#include <stdarg.h>

#include "parsers/perfetto/packets/modules.h"
#include "parsers/proto/descriptors.h"
#include "pb_fields.h"

enum { TEXT_MAX = 1024 };

struct text_buffer {
    char p[TEXT_MAX];
    size_t n;
};

__attribute__((format(printf, 2, 3))) static void append(struct text_buffer *b, const char *format,
                                                         ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(b->p + b->n, TEXT_MAX - b->n, format, args);
    va_end(args);
    b->n = n < 0 ? b->n : b->n + (size_t)n < TEXT_MAX ? b->n + (size_t)n : TEXT_MAX - 1;
}

struct log_event {
    int64_t pid, tid;
    uint32_t prio;
    string_id tag, message;
    struct text_buffer args; /* of binary events: " name=value ..." */
};

static void read_log_arg(struct log_event *e, struct pb_reader r)
{
    struct pb_field f, value = {0};
    struct str name = {NULL, 0};
    while (pb_next(&r, &f)) {
        if (f.number == PB_AndroidLogPacket_LogEvent_Arg_name)
            name = pb_str(&f);
        else
            value = f;
    }
    if (!name.p)
        return;
    append(&e->args, " %.*s=", (int)(name.n & 0xffff), name.p);
    struct str text = pb_str(&value);
    if (value.number == PB_AndroidLogPacket_LogEvent_Arg_string_value)
        append(&e->args, "\"%.*s\"", (int)(text.n & 0xffff), text.p);
    else if (value.number == PB_AndroidLogPacket_LogEvent_Arg_int_value)
        append(&e->args, "%lld", (long long)pb_i64(&value));
    else if (value.number == PB_AndroidLogPacket_LogEvent_Arg_float_value)
        append(&e->args, "%f", pb_real(&value));
}

static void read_log_event(struct import *im, struct log_event *e, struct pb_reader r)
{
    struct pb_field f;
    e->pid = e->tid = 0;
    e->prio = 0;
    e->tag = e->message = NULL_STRING;
    e->args.n = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_AndroidLogPacket_LogEvent_pid:
            e->pid = pb_i32(&f);
            break;
        case PB_AndroidLogPacket_LogEvent_tid:
            e->tid = pb_i32(&f);
            break;
        case PB_AndroidLogPacket_LogEvent_tag:
            e->tag = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_AndroidLogPacket_LogEvent_prio:
            e->prio = pb_u32(&f);
            break;
        case PB_AndroidLogPacket_LogEvent_message:
            e->message = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_AndroidLogPacket_LogEvent_args:
            read_log_arg(e, pb_message(&f));
            break;
        default:
            break;
        }
    }
}

/* One line; it takes its turn at its own time, its thread may be gone when the packet comes. */
struct log_record {
    struct record_call call;
    struct bytes event;
    uint32_t machine;
};

static void apply_log(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct log_record *record = (const struct log_record *)call;
    struct trace *t = im->trace;
    struct log_event e;
    struct logs_row row = logs_row_null();
    read_log_event(im, &e, bytes_reader(record->event));
    if (!e.message && e.args.n)
        e.message = trace_intern(t, (struct str){e.args.p, e.args.n});
    row.ts = ts;
    row.utid = e.tid ? process_tracker_update_thread(t, record->machine, e.tid, e.pid) : 0;
    row.prio = e.prio ? e.prio : PB_AndroidLogPriority_PRIO_INFO;
    row.log_source = trace_intern(t, STR("android_logcat"));
    row.tag = e.tag;
    row.msg = e.message;
    logs_append(&t->tables.logs, &row);
}

static void push_log_event(struct import *im, const struct packet *p, const struct pb_field *event)
{
    struct pb_reader r = pb_message(event);
    struct pb_field f;
    int64_t ts = 0;
    while (pb_next(&r, &f))
        if (f.number == PB_AndroidLogPacket_LogEvent_timestamp)
            ts = pb_i64(&f);
    if (!import_to_trace_time(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_REALTIME,
                              ts, &ts)) {
        clock_count_failure(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_REALTIME);
        return;
    }
    struct log_record *record = arena_alloc(&im->arena, sizeof *record);
    *record = (struct log_record){.call.apply = apply_log,
                                  .event = field_bytes(event),
                                  .machine = p->machine};
    sorter_push(&im->sorter, 0, ts, RECORD_CALL, (uintptr_t)record);
}

static void read_log_stats(struct import *im, struct pb_reader r)
{
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_AndroidLogPacket_Stats_num_total)
            stats_set(im->trace, STAT_android_log_num_total, STAT_SINGLE, pb_i64(&f));
        else if (f.number == PB_AndroidLogPacket_Stats_num_failed)
            stats_set(im->trace, STAT_android_log_num_failed, STAT_SINGLE, pb_i64(&f));
        else if (f.number == PB_AndroidLogPacket_Stats_num_skipped)
            stats_set(im->trace, STAT_android_log_num_skipped, STAT_SINGLE, pb_i64(&f));
    }
}

bool android_log_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_AndroidLogPacket_stats)
            read_log_stats(im, pb_message(&f));
        else if (f.number == PB_AndroidLogPacket_events)
            push_log_event(im, p, &f);
    }
    return true;
}

static void push_screen_state(struct import *im, const struct packet *p, int64_t state)
{
    uint32_t track =
        track_global_counter(im->trace, "screen_state", trace_intern(im->trace, STR("ScreenState")),
                             NULL, p->machine);
    counter_push(im->trace, p->ts, track, (double)state);
}

void initial_display_state_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (f.number == PB_InitialDisplayState_display_state)
            push_screen_state(im, p, pb_i32(&f));
}

static const struct counter_kind battery_stats_kind = {"battery_stats", "counter_key", NULL};
static const struct counter_kind property_kind = {"sysprop_counter", "sysprop_name", NULL};

static void add_property(struct import *im, const struct packet *p, struct str name,
                         struct str value)
{
    struct trace *t = im->trace;
    struct str full = name;
    int64_t number;
    if (!str_starts(name, STR("debug.tracing.")))
        return;
    name = str_skip(name, strlen("debug.tracing."));
    if (str_eq(name, STR("device_state"))) {
        struct track_spec spec = {.type = "android_device_state",
                                  .machine = p->machine,
                                  .name = trace_intern(t, STR("DeviceStateChanged"))};
        slice_complete(t, p->ts, 0, track_intern(t, &spec), NULL_STRING, trace_intern(t, value));
        return;
    }
    if (!str_to_i64(value, &number))
        return;
    string_id id = trace_intern(t, name);
    if (str_eq(name, STR("screen_state")))
        push_screen_state(im, p, number);
    else if (str_starts(name, STR("battery_stats.")) || str_eq(name, STR("mcc")) ||
             str_eq(name, STR("mnc")) || str_eq(name, STR("desktop_mode_visible_tasks")))
        counter_push_keyed(im, p, &battery_stats_kind, id, id, (double)number);
    else if (str_eq(name, STR("battery_status")))
        counter_push_keyed(im, p, &property_kind, trace_intern(t, full),
                           trace_intern(t, STR("BatteryStatus")), (double)number);
    else if (str_eq(name, STR("plug_type")))
        counter_push_keyed(im, p, &property_kind, trace_intern(t, full),
                           trace_intern(t, STR("PlugType")), (double)number);
}

void android_system_property_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f, g;
    while (pb_next(&r, &f)) {
        if (f.number != PB_AndroidSystemProperty_values)
            continue;
        struct pb_reader property = pb_message(&f);
        struct str name = {"", 0}, value = {"", 0};
        while (pb_next(&property, &g)) {
            if (g.number == PB_AndroidSystemProperty_PropertyValue_name)
                name = pb_str(&g);
            else if (g.number == PB_AndroidSystemProperty_PropertyValue_value)
                value = pb_str(&g);
        }
        add_property(im, p, name, value);
    }
}

static void add_package(struct import *im, struct pb_reader r)
{
    struct package_list_row row = package_list_row_null();
    struct pb_field f;
    row.package_name = trace_intern(im->trace, STR(""));
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_PackagesList_PackageInfo_name:
            row.package_name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_PackagesList_PackageInfo_uid:
            row.uid = pb_i64(&f);
            break;
        case PB_PackagesList_PackageInfo_debuggable:
            row.debuggable = pb_bool(&f);
            break;
        case PB_PackagesList_PackageInfo_profileable_from_shell:
            row.profileable_from_shell = pb_bool(&f);
            break;
        case PB_PackagesList_PackageInfo_version_code:
            row.version_code = pb_i64(&f);
            break;
        default:
            break;
        }
    }
    package_list_append(&im->trace->tables.package_list, &row);
}

bool packages_list_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_PackagesList_packages)
            add_package(im, pb_message(&f));
        else if (f.number == PB_PackagesList_parse_error && pb_bool(&f))
            stats_count(im->trace, STAT_packages_list_has_parse_errors);
        else if (f.number == PB_PackagesList_read_error && pb_bool(&f))
            stats_count(im->trace, STAT_packages_list_has_read_errors);
    }
    return true;
}

bool user_list_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f, g;
    while (pb_next(&r, &f)) {
        if (f.number != PB_AndroidUserList_users)
            continue;
        struct pb_reader user = pb_message(&f);
        struct android_user_list_row row = {.type = trace_intern(im->trace, STR(""))};
        while (pb_next(&user, &g)) {
            if (g.number == PB_AndroidUserList_UserInfo_type)
                row.type = trace_intern(im->trace, pb_str(&g));
            else if (g.number == PB_AndroidUserList_UserInfo_uid)
                row.android_user_id = pb_i32(&g);
        }
        android_user_list_append(&im->trace->tables.android_user_list, &row);
    }
    return true;
}

enum { GAME_MODE_STANDARD = 1, GAME_MODE_PERFORMANCE, GAME_MODE_BATTERY };

static void read_game_mode(struct android_game_intervention_list_row *row, struct pb_reader r)
{
    struct pb_field f;
    uint32_t mode = 0;
    int64_t angle = NULL_I64;
    double downscale = NULL_F64, fps = NULL_F64;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_AndroidGameInterventionList_GameModeInfo_mode:
            mode = pb_u32(&f);
            break;
        case PB_AndroidGameInterventionList_GameModeInfo_use_angle:
            angle = pb_bool(&f);
            break;
        case PB_AndroidGameInterventionList_GameModeInfo_resolution_downscale:
            downscale = pb_real(&f);
            break;
        case PB_AndroidGameInterventionList_GameModeInfo_fps:
            fps = pb_real(&f);
            break;
        default:
            break;
        }
    }
    if (mode == GAME_MODE_STANDARD) {
        row->standard_mode_supported = 1;
        row->standard_mode_use_angle = angle;
        row->standard_mode_downscale = downscale;
        row->standard_mode_fps = fps;
    } else if (mode == GAME_MODE_PERFORMANCE) {
        row->perf_mode_supported = 1;
        row->perf_mode_use_angle = angle;
        row->perf_mode_downscale = downscale;
        row->perf_mode_fps = fps;
    } else if (mode == GAME_MODE_BATTERY) {
        row->battery_mode_supported = 1;
        row->battery_mode_use_angle = angle;
        row->battery_mode_downscale = downscale;
        row->battery_mode_fps = fps;
    }
}

static void add_game(struct import *im, struct pb_reader r)
{
    struct android_game_intervention_list_row row = android_game_intervention_list_row_null();
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_AndroidGameInterventionList_GamePackageInfo_name:
            row.package_name = trace_intern(im->trace, pb_str(&f));
            break;
        case PB_AndroidGameInterventionList_GamePackageInfo_uid:
            row.uid = pb_i64(&f);
            break;
        case PB_AndroidGameInterventionList_GamePackageInfo_current_mode:
            row.current_mode = pb_u32(&f);
            break;
        case PB_AndroidGameInterventionList_GamePackageInfo_game_mode_info:
            read_game_mode(&row, pb_message(&f));
            break;
        default:
            break;
        }
    }
    android_game_intervention_list_append(&im->trace->tables.android_game_intervention_list, &row);
}

bool game_intervention_list_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_AndroidGameInterventionList_game_packages)
            add_game(im, pb_message(&f));
        else if (f.number == PB_AndroidGameInterventionList_parse_error && pb_bool(&f))
            stats_count(im->trace, STAT_game_intervention_has_parse_errors);
        else if (f.number == PB_AndroidGameInterventionList_read_error && pb_bool(&f))
            stats_count(im->trace, STAT_game_intervention_has_read_errors);
    }
    return true;
}

/* "read_only" of FLAG_PERMISSION_READ_ONLY. */
static string_id flag_enum(struct import *im, const char *type, const char *prefix, int32_t value)
{
    struct descriptors *d = import_descriptors(im);
    uint32_t index = descriptors_find(d, str_from(type));
    struct str name =
        index == DESCRIPTOR_NONE ? (struct str){NULL, 0} : descriptors_enum_name(d, index, value);
    struct text_buffer text = {.n = 0};
    if (!name.p || !str_starts(name, str_from(prefix)))
        return trace_intern(im->trace, STR("unknown"));
    for (size_t i = strlen(prefix); i < name.n && text.n < TEXT_MAX; i++)
        text.p[text.n++] =
            name.p[i] >= 'A' && name.p[i] <= 'Z' ? (char)(name.p[i] + ('a' - 'A')) : name.p[i];
    return trace_intern(im->trace, (struct str){text.p, text.n});
}

static void add_flag(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct trace *t = im->trace;
    string_id empty = trace_intern(t, STR(""));
    struct android_aflags_row row = {.ts = p->ts,
                                     .package = empty,
                                     .name = empty,
                                     .flag_namespace = empty,
                                     .container = empty,
                                     .value = empty};
    struct pb_field f;
    int32_t permission = 0, picked_from = 0, backend = 0, type = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_AndroidAflags_Flag_flag_namespace:
            row.flag_namespace = trace_intern(t, pb_str(&f));
            break;
        case PB_AndroidAflags_Flag_name:
            row.name = trace_intern(t, pb_str(&f));
            break;
        case PB_AndroidAflags_Flag_pkg:
            row.package = trace_intern(t, pb_str(&f));
            break;
        case PB_AndroidAflags_Flag_container:
            row.container = trace_intern(t, pb_str(&f));
            break;
        case PB_AndroidAflags_Flag_value:
            row.value = trace_intern(t, pb_str(&f));
            break;
        case PB_AndroidAflags_Flag_staged_value:
            row.staged_value = trace_intern(t, pb_str(&f));
            break;
        case PB_AndroidAflags_Flag_permission:
            permission = pb_i32(&f);
            break;
        case PB_AndroidAflags_Flag_value_picked_from:
            picked_from = pb_i32(&f);
            break;
        case PB_AndroidAflags_Flag_storage_backend:
            backend = pb_i32(&f);
            break;
        case PB_AndroidAflags_Flag_type:
            type = pb_i32(&f);
            break;
        default:
            break;
        }
    }
    row.permission = flag_enum(im, "perfetto.protos.AndroidAflags.FlagPermission",
                               "FLAG_PERMISSION_", permission);
    row.value_picked_from = flag_enum(im, "perfetto.protos.AndroidAflags.ValuePickedFrom",
                                      "VALUE_PICKED_FROM_", picked_from);
    row.storage_backend = flag_enum(im, "perfetto.protos.AndroidAflags.FlagStorageBackend",
                                    "FLAG_STORAGE_BACKEND_", backend);
    row.type = flag_enum(im, "perfetto.protos.AndroidAflags.FlagType", "FLAG_TYPE_", type);
    android_aflags_append(&t->tables.android_aflags, &row);
}

void android_aflags_parse(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_AndroidAflags_flags)
            add_flag(im, p, pb_message(&f));
        else if (f.number == PB_AndroidAflags_error)
            stats_count(im->trace, STAT_android_aflags_errors);
    }
}

/* Lines of systemd's journal: logs with what journald knows of the writer as args. */
void journald_event_parse(struct import *im, const struct packet *p)
{
    static const struct {
        uint32_t field;
        const char *key;
    } known[] = {
        {PB_SystemdJournaldEvent_uid, "uid"},
        {PB_SystemdJournaldEvent_comm, "comm"},
        {PB_SystemdJournaldEvent_exe, "exe"},
        {PB_SystemdJournaldEvent_systemd_unit, "systemd_unit"},
        {PB_SystemdJournaldEvent_hostname, "hostname"},
        {PB_SystemdJournaldEvent_transport, "transport"},
    };
    struct trace *t = im->trace;
    struct logs_row row = logs_row_null();
    struct arg_list args = {0};
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    int64_t pid = 0, tid = 0;
    row.ts = p->ts;
    row.log_source = trace_intern(t, STR("journald"));
    row.msg = trace_intern(t, STR(""));
    while (pb_next(&r, &f)) {
        if (f.number == PB_SystemdJournaldEvent_pid)
            pid = pb_u32(&f);
        else if (f.number == PB_SystemdJournaldEvent_tid)
            tid = pb_u32(&f);
        else if (f.number == PB_SystemdJournaldEvent_prio)
            row.prio = pb_u32(&f);
        else if (f.number == PB_SystemdJournaldEvent_tag)
            row.tag = trace_intern(t, pb_str(&f));
        else if (f.number == PB_SystemdJournaldEvent_message)
            row.msg = trace_intern(t, pb_str(&f));
        else if (f.number == PB_SystemdJournaldEvent_num_total)
            stats_set(t, STAT_systemd_journal_num_total, STAT_SINGLE, pb_i64(&f));
        else if (f.number == PB_SystemdJournaldEvent_num_failed)
            stats_set(t, STAT_systemd_journal_num_failed, STAT_SINGLE, pb_i64(&f));
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (known[i].field != f.number)
                continue;
            string_id key = trace_intern_c(t, known[i].key);
            if (f.data)
                arg_list_str(&args, key, trace_intern(t, pb_str(&f)));
            else
                arg_list_int(&args, key, pb_u32(&f));
        }
    }
    if (tid == 0)
        tid = pid;
    if (tid)
        row.utid = process_tracker_update_thread(t, p->machine, tid, pid);
    row.arg_set_id = args_intern(&t->args, &args);
    arg_list_release(&args);
    logs_append(&t->tables.logs, &row);
}

void bluetooth_trace_event_parse(struct import *im, const struct packet *p)
{
    static const char *const types[] = {"",           "HCI_CMD",    "HCI_EVT",
                                        "HCI_ACL_RX", "HCI_ACL_TX", "HCI_SCO_RX",
                                        "HCI_SCO_TX", "HCI_ISO_RX", "HCI_ISO_TX"};
    static const char *const keys[] = {
        [PB_BluetoothTraceEvent_count] = "Count",
        [PB_BluetoothTraceEvent_length] = "Length",
        [PB_BluetoothTraceEvent_op_code] = "Op Code",
        [PB_BluetoothTraceEvent_event_code] = "Event Code",
        [PB_BluetoothTraceEvent_subevent_code] = "Subevent Code",
        [PB_BluetoothTraceEvent_connection_handle] = "Handle",
    };
    struct trace *t = im->trace;
    struct arg_list args = {0};
    int64_t dur = 0;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_BluetoothTraceEvent_duration)
            dur = pb_u32(&f);
        else if (f.number == PB_BluetoothTraceEvent_packet_type)
            arg_list_str(&args, trace_intern(t, STR("TracePacketType")),
                         trace_intern_c(t, pb_u32(&f) < sizeof types / sizeof types[0]
                                               ? types[pb_u32(&f)]
                                               : ""));
        else if (f.number < sizeof keys / sizeof keys[0] && keys[f.number])
            arg_list_uint(&args, trace_intern_c(t, keys[f.number]), pb_u32(&f));
    }
    struct track_spec spec = {.type = "bluetooth_trace_event",
                              .machine = p->machine,
                              .name = trace_intern(t, STR("BluetoothTraceEvent"))};
    uint32_t slice = slice_complete(t, p->ts, dur, track_intern(t, &spec), NULL_STRING,
                                    trace_intern(t, STR("BluetoothTraceEvent")));
    uint32_t set = args_intern(&t->args, &args);
    if (slice != NULL_U32 && set != NULL_U32)
        table_set_u32(&t->tables.slice, slice_col_arg_set_id, slice, set);
    arg_list_release(&args);
}
