/* Android's logs, properties, packages, users and flags. */
#define PB_READS_LITTLE
#include <stdarg.h>

#include "parsers/perfetto/packets/clock.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/system/counters.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"
#include "core/counter.h"
#include "core/store/rows.h"

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

/* Of binary events: " name=value ..." */
static struct text_buffer log_args(const AndroidLogPacket__LogEvent *e)
{
    struct text_buffer text = {.n = 0};
    for (size_t i = 0; i < e->n_args; i++) {
        const AndroidLogPacket__LogEvent__Arg *arg = e->args[i];
        struct str name = unpacked_str(arg->name), value = unpacked_str(arg->string_value);
        if (!arg->has_name)
            continue;
        append(&text, " %.*s=", (int)(name.n & 0xffff), name.p);
        if (arg->has_string_value)
            append(&text, "\"%.*s\"", (int)(value.n & 0xffff), value.p);
        else if (arg->has_int_value)
            append(&text, "%lld", (long long)arg->int_value);
        else if (arg->has_float_value)
            append(&text, "%f", (double)arg->float_value);
    }
    return text;
}

static string_id log_message(struct import *im, const AndroidLogPacket__LogEvent *e)
{
    if (e->has_message || e->n_args == 0)
        return intern_unpacked(im, UNPACKED_TEXT(e, message));
    struct text_buffer text = log_args(e);
    return text.n ? trace_intern(im->trace, (struct str){text.p, text.n}) : NULL_STRING;
}

/* One line; it takes its turn at its own time, its thread may be gone when the packet comes. */
struct log_record {
    struct record_call call;
    struct bytes event;
};

static void apply_log(struct import *im, int64_t ts, const struct record_call *call)
{
    const struct log_record *record = (const struct log_record *)call;
    struct trace *t = im->trace;
    const AndroidLogPacket__LogEvent *e =
        unpack_bytes(im, &android_log_packet__log_event__descriptor, record->event);
    struct logs_row row = logs_row_null();
    row.ts = ts;
    row.utid = e->tid ? process_tracker_update_thread(t, record->call.machine, e->tid, e->pid) : 0;
    row.prio = e->prio ? (uint32_t)e->prio : PB_AndroidLogPriority_PRIO_INFO;
    row.log_source = trace_intern(t, STR("android_logcat"));
    row.tag = intern_unpacked(im, UNPACKED_TEXT(e, tag));
    row.msg = log_message(im, e);
    logs_append(&t->tables.logs, &row);
}

static bool log_event_time(struct import *im, const struct packet *p, const struct pb_field *event,
                           int64_t *ts)
{
    struct pb_field f = pb_last(pb_message(event), PB_AndroidLogPacket_LogEvent_timestamp);
    return clock_to_trace_time(im, p->sequence, p->machine, PB_BuiltinClock_BUILTIN_CLOCK_REALTIME,
                               pb_i64(&f), ts);
}

static void push_log_event(struct import *im, const struct packet *p, const struct pb_field *event)
{
    int64_t ts;
    if (!log_event_time(im, p, event, &ts)) {
        clock_count_failure(im);
        return;
    }
    struct log_record *record = arena_alloc(&im->arena, sizeof *record);
    *record = (struct log_record){.call = {apply_log, p->machine}, .event = field_bytes(event)};
    sorter_push(&im->sorter, 0, ts, RECORD_CALL, (uintptr_t)record);
}

static void read_log_stats(struct import *im, const AndroidLogPacket__Stats *stats)
{
    struct trace *t = im->trace;
    if (stats->has_num_total)
        stats_set(t, STAT_android_log_num_total, STAT_SINGLE, (int64_t)stats->num_total);
    if (stats->has_num_failed)
        stats_set(t, STAT_android_log_num_failed, STAT_SINGLE, (int64_t)stats->num_failed);
    if (stats->has_num_skipped)
        stats_set(t, STAT_android_log_num_skipped, STAT_SINGLE, (int64_t)stats->num_skipped);
}

static bool android_log_tokenize(struct import *im, struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_AndroidLogPacket_stats)
            read_log_stats(im, unpack_bytes(im, &android_log_packet__stats__descriptor,
                                            field_bytes(&f)));
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

static void initial_display_state_parse(struct import *im, const struct packet *p)
{
    const InitialDisplayState *display = unpack_packet(im, &initial_display_state__descriptor, p);
    push_screen_state(im, p, display->display_state);
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

static void android_system_property_parse(struct import *im, const struct packet *p)
{
    const AndroidSystemProperty *properties =
        unpack_packet(im, &android_system_property__descriptor, p);
    for (size_t i = 0; i < properties->n_values; i++)
        add_property(im, p, unpacked_str(properties->values[i]->name),
                     unpacked_str(properties->values[i]->value));
}

/* Each data source and each clone of a trace tells its own list: the first word on a package
 * counts. */
struct packages {
    struct map known; /* by name */
};

static void packages_release(void *packages)
{
    map_release(&((struct packages *)packages)->known);
}

static const struct import_state_kind packages_kind = {
    .size = sizeof(struct packages),
    .release = packages_release,
};

static void add_package(struct import *im, const PackagesList__PackageInfo *package)
{
    struct packages *packages = import_state(im, &packages_kind);
    struct package_list_row row = package_list_row_null();
    struct str name = UNPACKED_TEXT(package, name);
    bool inserted;
    row.package_name = intern_unpacked(im, name);
    map_insert(&packages->known, name.n ? row.package_name : NULL_STRING, &inserted);
    if (!inserted)
        return;
    if (package->has_uid)
        row.uid = (int64_t)package->uid;
    UNPACK_OPTIONAL(row, package, debuggable);
    UNPACK_OPTIONAL(row, package, profileable_from_shell);
    UNPACK_OPTIONAL(row, package, version_code);
    package_list_append(&im->trace->tables.package_list, &row);
}

static bool packages_list_tokenize(struct import *im, struct packet *p)
{
    const PackagesList *list = unpack_packet(im, &packages_list__descriptor, p);
    for (size_t i = 0; i < list->n_packages; i++)
        add_package(im, list->packages[i]);
    stats_set(im->trace, STAT_packages_list_has_parse_errors, STAT_SINGLE, list->parse_error);
    stats_set(im->trace, STAT_packages_list_has_read_errors, STAT_SINGLE, list->read_error);
    return true;
}

/* Rows of android_user_list by the user's id: a later list tells anew of those it has. */
struct users {
    struct map row_of_user;
};

static void users_release(void *users)
{
    map_release(&((struct users *)users)->row_of_user);
}

static const struct import_state_kind users_kind = {
    .size = sizeof(struct users),
    .release = users_release,
};

static bool user_list_tokenize(struct import *im, struct packet *p)
{
    const AndroidUserList *list = unpack_packet(im, &android_user_list__descriptor, p);
    struct users *users = import_state(im, &users_kind);
    struct table *table = &im->trace->tables.android_user_list;
    if (list->error < 0)
        stats_count(im->trace, STAT_user_list_errors);
    for (size_t i = 0; i < list->n_users; i++) {
        struct android_user_list_row row = {
            .type = intern_unpacked(im, UNPACKED_TEXT(list->users[i], type)),
            .android_user_id = list->users[i]->uid,
        };
        bool inserted;
        uint32_t *at = map_insert(&users->row_of_user, (uint64_t)row.android_user_id, &inserted);
        if (inserted)
            *at = android_user_list_append(table, &row);
        else
            table_set_str(table, android_user_list_col_type, *at, row.type);
    }
    return true;
}

enum { GAME_MODE_STANDARD = 1, GAME_MODE_PERFORMANCE, GAME_MODE_BATTERY };

static void read_game_mode(struct android_game_intervention_list_row *row,
                           const AndroidGameInterventionList__GameModeInfo *info)
{
    bool angle = info->use_angle;
    double downscale = (double)info->resolution_downscale, fps = (double)info->fps;
    if (info->mode == GAME_MODE_STANDARD) {
        row->standard_mode_supported = 1;
        row->standard_mode_use_angle = angle;
        row->standard_mode_downscale = downscale;
        row->standard_mode_fps = fps;
    } else if (info->mode == GAME_MODE_PERFORMANCE) {
        row->perf_mode_supported = 1;
        row->perf_mode_use_angle = angle;
        row->perf_mode_downscale = downscale;
        row->perf_mode_fps = fps;
    } else if (info->mode == GAME_MODE_BATTERY) {
        row->battery_mode_supported = 1;
        row->battery_mode_use_angle = angle;
        row->battery_mode_downscale = downscale;
        row->battery_mode_fps = fps;
    }
}

static void add_game(struct import *im, const AndroidGameInterventionList__GamePackageInfo *game)
{
    struct android_game_intervention_list_row row = android_game_intervention_list_row_null();
    row.package_name = intern_unpacked(im, UNPACKED_TEXT(game, name));
    if (game->has_uid)
        row.uid = (int64_t)game->uid;
    UNPACK_OPTIONAL(row, game, current_mode);
    for (size_t i = 0; i < game->n_game_mode_info; i++)
        read_game_mode(&row, game->game_mode_info[i]);
    android_game_intervention_list_append(&im->trace->tables.android_game_intervention_list, &row);
}

static bool game_intervention_list_tokenize(struct import *im, struct packet *p)
{
    const AndroidGameInterventionList *list =
        unpack_packet(im, &android_game_intervention_list__descriptor, p);
    for (size_t i = 0; i < list->n_game_packages; i++)
        add_game(im, list->game_packages[i]);
    stats_set(im->trace, STAT_game_intervention_has_parse_errors, STAT_SINGLE, list->parse_error);
    stats_set(im->trace, STAT_game_intervention_has_read_errors, STAT_SINGLE, list->read_error);
    return true;
}

/* "device_config" of FLAG_STORAGE_BACKEND_DEVICE_CONFIG, with `between` between the words. */
static string_id flag_enum(struct import *im, const char *type, const char *prefix, char between,
                           int32_t value)
{
    struct descriptors *d = import_descriptors(im);
    uint32_t index = descriptors_find(d, str_from(type));
    struct str name =
        index == DESCRIPTOR_NONE ? (struct str){NULL, 0} : descriptors_enum_name(d, index, value);
    struct text_buffer text = {.n = 0};
    if (!name.p || !str_starts(name, str_from(prefix)))
        return trace_intern(im->trace, STR("unspecified"));
    for (size_t i = strlen(prefix); i < name.n && text.n < TEXT_MAX; i++)
        text.p[text.n++] = name.p[i] == '_' ? between : lower_case(name.p[i]);
    return trace_intern(im->trace, (struct str){text.p, text.n});
}

static void add_flag(struct import *im, const struct packet *p, const AndroidAflags__Flag *flag)
{
    struct trace *t = im->trace;
    struct android_aflags_row row = {
        .ts = p->ts,
        .package = intern_unpacked(im, UNPACKED_TEXT(flag, pkg)),
        .name = intern_unpacked(im, UNPACKED_TEXT(flag, name)),
        .flag_namespace = intern_unpacked(im, UNPACKED_TEXT(flag, flag_namespace)),
        .container = intern_unpacked(im, UNPACKED_TEXT(flag, container)),
        .value = intern_unpacked(im, UNPACKED_TEXT(flag, value)),
        .staged_value = intern_unpacked(im, UNPACKED_TEXT(flag, staged_value)),
        .permission = flag_enum(im, "perfetto.protos.AndroidAflags.FlagPermission",
                                "FLAG_PERMISSION_", '-', flag->permission),
        .value_picked_from = flag_enum(im, "perfetto.protos.AndroidAflags.ValuePickedFrom",
                                       "VALUE_PICKED_FROM_", '_', flag->value_picked_from),
        .storage_backend = flag_enum(im, "perfetto.protos.AndroidAflags.FlagStorageBackend",
                                     "FLAG_STORAGE_BACKEND_", '_', flag->storage_backend),
        .type =
            flag_enum(im, "perfetto.protos.AndroidAflags.FlagType", "FLAG_TYPE_", '_', flag->type),
    };
    android_aflags_append(&t->tables.android_aflags, &row);
}

static void android_aflags_parse(struct import *im, const struct packet *p)
{
    const AndroidAflags *aflags = unpack_packet(im, &android_aflags__descriptor, p);
    for (size_t i = 0; i < aflags->n_flags && !aflags->has_error; i++)
        add_flag(im, p, aflags->flags[i]);
    if (!aflags->has_error)
        return;
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(im->trace, STR("error")),
                 trace_intern(im->trace, unpacked_str(aflags->error)));
    packet_log_time(im, p, STAT_android_aflags_errors, &args);
    arg_list_release(&args);
}

/* What journald knows of who wrote a line. */
static uint32_t writer_args(struct trace *t, const SystemdJournaldEvent *e)
{
    struct arg_list args = {0};
    const struct {
        const char *key;
        struct str text;
    } texts[] = {
        {"comm", UNPACKED_TEXT(e, comm)},
        {"systemd_unit", UNPACKED_TEXT(e, systemd_unit)},
        {"hostname", UNPACKED_TEXT(e, hostname)},
        {"transport", UNPACKED_TEXT(e, transport)},
    };
    if (e->has_uid)
        arg_list_int(&args, trace_intern(t, STR("uid")), e->uid);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].text.p)
            arg_list_str(&args, trace_intern_c(t, texts[i].key), trace_intern(t, texts[i].text));
    uint32_t set = args_intern(&t->args, &args);
    arg_list_release(&args);
    return set;
}

/* Lines of systemd's journal, or how many there were. */
static void journald_event_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    const SystemdJournaldEvent *e = unpack_packet(im, &systemd_journald_event__descriptor, p);
    if (e->has_num_total)
        stats_set(t, STAT_systemd_journal_num_total, STAT_SINGLE, (int64_t)e->num_total);
    if (e->has_num_failed)
        stats_set(t, STAT_systemd_journal_num_failed, STAT_SINGLE, (int64_t)e->num_failed);
    if (e->has_num_total || e->has_num_failed)
        return;
    struct logs_row row = logs_row_null();
    int64_t tid = e->has_tid ? e->tid : e->pid;
    row.ts = p->ts;
    row.log_source = trace_intern(t, STR("systemd_journald"));
    row.tag = intern_unpacked(im, UNPACKED_TEXT(e, tag));
    row.msg = trace_intern(t, unpacked_str(e->message));
    UNPACK_OPTIONAL(row, e, prio);
    if (e->pid)
        row.utid = process_tracker_update_thread(t, p->machine, tid, e->pid);
    row.arg_set_id = writer_args(t, e);
    logs_append(&t->tables.logs, &row);
}

static uint32_t bluetooth_args(struct trace *t, const BluetoothTraceEvent *e)
{
    static const char *const types[] = {"",           "HCI_CMD",    "HCI_EVT",
                                        "HCI_ACL_RX", "HCI_ACL_TX", "HCI_SCO_RX",
                                        "HCI_SCO_TX", "HCI_ISO_RX", "HCI_ISO_TX"};
    const struct {
        const char *key;
        bool present;
        uint32_t value;
    } numbers[] = {
        {"Count", e->has_count, e->count},
        {"Length", e->has_length, e->length},
        {"Op Code", e->has_op_code, e->op_code},
        {"Event Code", e->has_event_code, e->event_code},
        {"Subevent Code", e->has_subevent_code, e->subevent_code},
        {"Handle", e->has_connection_handle, e->connection_handle},
    };
    struct arg_list args = {0};
    size_t type = (size_t)(uint32_t)e->packet_type;
    if (e->has_packet_type)
        arg_list_str(&args, trace_intern(t, STR("TracePacketType")),
                     trace_intern_c(t, type < sizeof types / sizeof types[0] ? types[type] : ""));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].present)
            arg_list_uint(&args, trace_intern_c(t, numbers[i].key), numbers[i].value);
    uint32_t set = args_intern(&t->args, &args);
    arg_list_release(&args);
    return set;
}

static void bluetooth_trace_event_parse(struct import *im, const struct packet *p)
{
    struct trace *t = im->trace;
    const BluetoothTraceEvent *e = unpack_packet(im, &bluetooth_trace_event__descriptor, p);
    struct track_spec spec = {.type = "bluetooth_trace_event",
                              .machine = p->machine,
                              .name = trace_intern(t, STR("BluetoothTraceEvent"))};
    uint32_t slice = slice_complete(t, p->ts, e->duration, track_intern(t, &spec), NULL_STRING,
                                    trace_intern(t, STR("BluetoothTraceEvent")));
    uint32_t set = bluetooth_args(t, e);
    if (slice != NULL_U32 && set != NULL_U32)
        table_set_u32(&t->tables.slice, slice_col_arg_set_id, slice, set);
}

static bool bluetooth_trace_event_span(struct import *im, const struct packet *p,
                                       struct packet_span *out)
{
    struct pb_field f = pb_last(bytes_reader(p->field), PB_BluetoothTraceEvent_duration);
    (void)im;
    return packet_span_lasting(p, pb_u32(&f), out);
}

const struct packet_module android_packets[] = {
    {PB_TracePacket_android_log, .tokenize = android_log_tokenize, .felt = PACKET_PARTS,
     .part = PB_AndroidLogPacket_events, .part_time = log_event_time},
    {PB_TracePacket_initial_display_state, .parse = initial_display_state_parse,
     .felt = PACKET_EACH}, /* also without a field */
    {PB_TracePacket_android_system_property, .parse = android_system_property_parse,
     .felt = PACKET_EACH},
    {PB_TracePacket_packages_list, .tokenize = packages_list_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_user_list, .tokenize = user_list_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_android_game_intervention_list, .tokenize = game_intervention_list_tokenize,
     .felt = PACKET_ALWAYS},
    {PB_TracePacket_android_aflags, .parse = android_aflags_parse, .felt = PACKET_ALWAYS},
    {PB_TracePacket_journald_event, .parse = journald_event_parse, .felt = PACKET_MOMENT},
    {PB_TracePacket_bluetooth_trace_event, .parse = bluetooth_trace_event_parse,
     .felt = PACKET_SPAN, .span = bluetooth_trace_event_span},
    {0},
};
