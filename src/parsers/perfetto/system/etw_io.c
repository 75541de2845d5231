#define PB_READS_LITTLE
#include "parsers/perfetto/system/etw_io.h"

#include "base/hash.h"
#include "parsers/perfetto/packets/import.h"
#include "pb_fields.h"
#include "text/time.h"

enum value_kind {
    VALUE_POINTER,
    VALUE_UINT,
    VALUE_INT,
    VALUE_STRING,
    VALUE_INFO,
    VALUE_INFO_CLASS
};

struct shown_field {
    uint32_t field;
    enum value_kind kind;
    const char *key;
};

enum { SHOWN_FIELDS = 8 };

/* How a message is read: which field is what, what becomes an arg, the name without opcode. */
struct io_message {
    uint32_t number; /* in EtwTraceEvent */
    uint32_t irp, opcode, info_class;
    const char *name;
    struct shown_field shown[SHOWN_FIELDS];
};

static const struct io_message file_messages[] = {
    {PB_EtwTraceEvent_file_io_create,
     PB_FileIoCreateEtwEvent_irp_ptr,
     0,
     0,
     "CreateFile",
     {{PB_FileIoCreateEtwEvent_irp_ptr, VALUE_POINTER, "I/O Request Packet"},
      {PB_FileIoCreateEtwEvent_file_object, VALUE_POINTER, "File Object"},
      {PB_FileIoCreateEtwEvent_ttid, VALUE_UINT, "Thread ID"},
      {PB_FileIoCreateEtwEvent_create_options, VALUE_POINTER, "Create Options"},
      {PB_FileIoCreateEtwEvent_file_attributes, VALUE_POINTER, "File Attributes"},
      {PB_FileIoCreateEtwEvent_share_access, VALUE_POINTER, "Share Access"},
      {PB_FileIoCreateEtwEvent_open_path, VALUE_STRING, "Open Path"}}},
    {PB_EtwTraceEvent_file_io_dir_enum,
     PB_FileIoDirEnumEtwEvent_irp_ptr,
     PB_FileIoDirEnumEtwEvent_opcode,
     0,
     "DirEnum",
     {{PB_FileIoDirEnumEtwEvent_irp_ptr, VALUE_POINTER, "I/O Request Packet"},
      {PB_FileIoDirEnumEtwEvent_file_object, VALUE_POINTER, "File Object"},
      {PB_FileIoDirEnumEtwEvent_file_key, VALUE_POINTER, "File Key"},
      {PB_FileIoDirEnumEtwEvent_ttid, VALUE_UINT, "Thread ID"},
      {PB_FileIoDirEnumEtwEvent_info_class, VALUE_INFO_CLASS, "Info Class"},
      {PB_FileIoDirEnumEtwEvent_file_index, VALUE_UINT, "File Index"},
      {PB_FileIoDirEnumEtwEvent_file_name, VALUE_STRING, "Enumeration Path"}}},
    {PB_EtwTraceEvent_file_io_info,
     PB_FileIoInfoEtwEvent_irp_ptr,
     PB_FileIoInfoEtwEvent_opcode,
     PB_FileIoInfoEtwEvent_info_class,
     "Info",
     {{PB_FileIoInfoEtwEvent_irp_ptr, VALUE_POINTER, "I/O Request Packet"},
      {PB_FileIoInfoEtwEvent_file_object, VALUE_POINTER, "File Object"},
      {PB_FileIoInfoEtwEvent_file_key, VALUE_POINTER, "File Key"},
      {PB_FileIoInfoEtwEvent_extra_info, VALUE_INFO, "Extra Info"},
      {PB_FileIoInfoEtwEvent_ttid, VALUE_UINT, "Thread ID"},
      {PB_FileIoInfoEtwEvent_info_class, VALUE_INFO_CLASS, "Info Class"}}},
    {PB_EtwTraceEvent_file_io_read_write,
     PB_FileIoReadWriteEtwEvent_irp_ptr,
     PB_FileIoReadWriteEtwEvent_opcode,
     0,
     "ReadOrWrite",
     {{PB_FileIoReadWriteEtwEvent_irp_ptr, VALUE_POINTER, "I/O Request Packet"},
      {PB_FileIoReadWriteEtwEvent_offset, VALUE_UINT, "Offset"},
      {PB_FileIoReadWriteEtwEvent_file_object, VALUE_POINTER, "File Object"},
      {PB_FileIoReadWriteEtwEvent_file_key, VALUE_POINTER, "File Key"},
      {PB_FileIoReadWriteEtwEvent_ttid, VALUE_UINT, "Thread ID"},
      {PB_FileIoReadWriteEtwEvent_io_size, VALUE_UINT, "I/O Size"},
      {PB_FileIoReadWriteEtwEvent_io_flags, VALUE_POINTER, "I/O Flags"}}},
    {PB_EtwTraceEvent_file_io_simple_op,
     PB_FileIoSimpleOpEtwEvent_irp_ptr,
     PB_FileIoSimpleOpEtwEvent_opcode,
     0,
     "SimpleOp",
     {{PB_FileIoSimpleOpEtwEvent_irp_ptr, VALUE_POINTER, "I/O Request Packet"},
      {PB_FileIoSimpleOpEtwEvent_file_object, VALUE_POINTER, "File Object"},
      {PB_FileIoSimpleOpEtwEvent_file_key, VALUE_POINTER, "File Key"},
      {PB_FileIoSimpleOpEtwEvent_ttid, VALUE_UINT, "Thread ID"}}},
    {PB_EtwTraceEvent_file_io_path_operation,
     PB_FileIoPathOperationEtwEvent_irp_ptr,
     PB_FileIoPathOperationEtwEvent_opcode,
     0,
     "PathOperation",
     {{PB_FileIoPathOperationEtwEvent_irp_ptr, VALUE_POINTER, "I/O Request Packet"},
      {PB_FileIoPathOperationEtwEvent_file_object, VALUE_POINTER, "File Object"},
      {PB_FileIoPathOperationEtwEvent_file_key, VALUE_POINTER, "File Key"},
      {PB_FileIoPathOperationEtwEvent_extra_info, VALUE_UINT, "Extra Info"},
      {PB_FileIoPathOperationEtwEvent_ttid, VALUE_UINT, "Thread ID"},
      {PB_FileIoPathOperationEtwEvent_info_class, VALUE_INFO_CLASS, "Info Class"},
      {PB_FileIoPathOperationEtwEvent_file_name, VALUE_STRING, "File Name"}}},
    {PB_EtwTraceEvent_file_io_op_end,
     PB_FileIoOpEndEtwEvent_irp_ptr,
     0,
     0,
     "EndOperation",
     {{PB_FileIoOpEndEtwEvent_extra_info, VALUE_UINT, "Extra Info"},
      {PB_FileIoOpEndEtwEvent_nt_status, VALUE_POINTER, "NT Status"}}},
};

static const struct io_message disk_message = {
    PB_EtwTraceEvent_disk_io,
    PB_DiskIoEtwEvent_irp_ptr,
    PB_DiskIoEtwEvent_opcode,
    0,
    NULL,
    {{PB_DiskIoEtwEvent_irp_ptr, VALUE_POINTER, "Irp Ptr"},
     {PB_DiskIoEtwEvent_disk_number, VALUE_UINT, "Disk Number"},
     {PB_DiskIoEtwEvent_irp_flags, VALUE_POINTER, "Irp Flags"},
     {PB_DiskIoEtwEvent_transfer_size, VALUE_UINT, "Transfer Size"},
     {PB_DiskIoEtwEvent_byte_offset, VALUE_INT, "Byte Offset"},
     {PB_DiskIoEtwEvent_file_object, VALUE_POINTER, "File Object"},
     {PB_DiskIoEtwEvent_response_time, VALUE_INT, "Response Time (microseconds)"},
     {PB_DiskIoEtwEvent_issuing_thread_id, VALUE_UINT, "Issuing Thread ID"}}};

/* FILE_INFORMATION_CLASS from 1 on; each begins with "File". */
static const char *const info_classes[] = {
    "DirectoryInformation",
    "FullDirectoryInformation",
    "BothDirectoryInformation",
    "BasicInformation",
    "StandardInformation",
    "InternalInformation",
    "EaInformation",
    "AccessInformation",
    "NameInformation",
    "RenameInformation",
    "LinkInformation",
    "NamesInformation",
    "DispositionInformation",
    "PositionInformation",
    "FullEaInformation",
    "ModeInformation",
    "AlignmentInformation",
    "AllInformation",
    "AllocationInformation",
    "EndOfFileInformation",
    "AlternateNameInformation",
    "StreamInformation",
    "PipeInformation",
    "PipeLocalInformation",
    "PipeRemoteInformation",
    "MailslotQueryInformation",
    "MailslotSetInformation",
    "CompressionInformation",
    "ObjectIdInformation",
    "CompletionInformation",
    "MoveClusterInformation",
    "QuotaInformation",
    "ReparsePointInformation",
    "NetworkOpenInformation",
    "AttributeTagInformation",
    "TrackingInformation",
    "IdBothDirectoryInformation",
    "IdFullDirectoryInformation",
    "ValidDataLengthInformation",
    "ShortNameInformation",
    "IoCompletionNotificationInformation",
    "IoStatusBlockRangeInformation",
    "IoPriorityHintInformation",
    "SfioReserveInformation",
    "SfioVolumeInformation",
    "HardLinkInformation",
    "ProcessIdsUsingFileInformation",
    "NormalizedNameInformation",
    "NetworkPhysicalNameInformation",
    "IdGlobalTxDirectoryInformation",
    "IsRemoteDeviceInformation",
    "UnusedInformation",
    "NumaNodeInformation",
    "StandardLinkInformation",
    "RemoteProtocolInformation",
    "RenameInformationBypassAccessCheck",
    "LinkInformationBypassAccessCheck",
    "VolumeNameInformation",
    "IdInformation",
    "IdExtdDirectoryInformation",
    "ReplaceCompletionInformation",
    "HardLinkFullIdInformation",
    "IdExtdBothDirectoryInformation",
    "DispositionInformationEx",
    "RenameInformationEx",
    "RenameInformationExBypassAccessCheck",
    "DesiredStorageClassInformation",
    "StatInformation",
    "MemoryPartitionInformation",
    "StatLxInformation",
    "CaseSensitiveInformation",
    "LinkInformationEx",
    "LinkInformationExBypassAccessCheck",
    "StorageReserveIdInformation",
    "CaseSensitiveInformationForceAccessCheck",
    "KnownFolderInformation",
    "StatBasicInformation",
    "Id64ExtdDirectoryInformation",
    "Id64ExtdBothDirectoryInformation",
    "IdAllExtdDirectoryInformation",
    "IdAllExtdBothDirectoryInformation",
};

enum {
    INFO_CLASSES = sizeof info_classes / sizeof *info_classes,
    CLASS_DISPOSITION = 13,
    CLASS_ALLOCATION = 19,
    CLASS_END_OF_FILE = 20,
    OPCODE_FIRST = 64,
    DISK_READ = 10,
};

static const char *const opcode_names[] = {
    "CreateFile",
    "Cleanup",
    "Close",
    "ReadFile",
    "WriteFile",
    "SetInformation",
    "DeleteFile",
    "RenameFile",
    "DirectoryEnumeration",
    "Flush",
    "QueryFileInformation",
    "FilesystemControlEvent",
    "EndOperation",
    "DirectoryNotification",
};

static const char *const disk_names[] = {
    "DiskRead", "DiskWrite", "DiskReadInit", "DiskWriteInit", "DiskFlush", "DiskFlushInit",
};

/* An operation that has begun. */
struct operation {
    uint64_t irp;
    int64_t ts;
    uint32_t track, slice, utid;
    bool open;
};

struct operations {
    struct map by_irp; /* -> position in list */
    VEC(struct operation) list;
};

static void end_unmatched(struct import *im, struct operation *op)
{
    struct trace *t = im->trace;
    struct arg_list *args = slice_args(t, op->track, op->slice);
    op->open = false;
    if (!args)
        return;
    arg_list_str(args, trace_intern(t, STR("Missing Event")), trace_intern(t, STR("End")));
    slice_close(t, op->ts, op->track, op->slice);
}

static void operations_finish(struct import *im, void *state)
{
    struct operations *ops = state;
    for (size_t i = 0; i < ops->list.count; i++)
        if (ops->list.items[i].open)
            end_unmatched(im, &ops->list.items[i]);
}

static void operations_release(void *state)
{
    struct operations *ops = state;
    map_release(&ops->by_irp);
    vec_release(&ops->list);
}

static const struct import_state_kind operations_kind = {
    .size = sizeof(struct operations),
    .finish = operations_finish,
    .release = operations_release,
};

struct io_event {
    uint64_t irp;
    uint32_t opcode, info_class;
    bool has_irp, has_opcode;
};

static struct io_event read_event(const struct io_message *m, struct pb_reader r)
{
    struct io_event e = {.opcode = 0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == m->irp) {
            e.irp = pb_u64(&f);
            e.has_irp = true;
        } else if (f.number == m->opcode) {
            e.opcode = pb_u32(&f);
            e.has_opcode = true;
        } else if (f.number == m->info_class) {
            e.info_class = pb_u32(&f);
        }
    }
    return e;
}

static const char *info_key(const struct io_event *e, const char *other)
{
    switch (e->info_class) {
    case CLASS_DISPOSITION:
        return "Disposition";
    case CLASS_ALLOCATION:
    case CLASS_END_OF_FILE:
        return "File Size";
    default:
        return other;
    }
}

static void add_info_class(struct import *im, string_id key, uint32_t value, struct arg_list *args)
{
    char name[64] = "File";
    if (value == 0 || value > INFO_CLASSES) {
        arg_list_uint(args, key, value);
        return;
    }
    const char *rest = info_classes[value - 1];
    memcpy(name + 4, rest, strlen(rest) + 1);
    arg_list_str(args, key, trace_intern_c(im->trace, name));
}

static void add_arg(struct import *im, const struct shown_field *shown, const struct io_event *e,
                    const struct pb_field *f, struct arg_list *args)
{
    const char *name = shown->kind == VALUE_INFO ? info_key(e, shown->key) : shown->key;
    string_id key = trace_intern_c(im->trace, name);
    switch (shown->kind) {
    case VALUE_POINTER:
        arg_list_pointer(args, key, pb_u64(f));
        break;
    case VALUE_INFO:
    case VALUE_UINT:
        arg_list_uint(args, key, pb_u64(f));
        break;
    case VALUE_INT:
        arg_list_int(args, key, pb_i64(f));
        break;
    case VALUE_STRING:
        arg_list_str(args, key, trace_intern(im->trace, pb_str(f)));
        break;
    case VALUE_INFO_CLASS:
        add_info_class(im, key, pb_u32(f), args);
        break;
    }
}

/* An event as it is told, and whose tracks it is on. */
struct io_told {
    struct import *im;
    const struct etw_event *event;
    const struct io_message *message;
    struct pb_reader fields;
    struct io_event e;
    const char *track_type;
    uint32_t utid;
};

/* Nothing where `args` is NULL. */
static void add_args(const struct io_told *o, struct arg_list *args)
{
    struct pb_reader r = o->fields;
    struct pb_field f;
    if (!args)
        return;
    while (pb_next(&r, &f))
        for (size_t i = 0; i < SHOWN_FIELDS; i++)
            if (o->message->shown[i].field == f.number)
                add_arg(o->im, &o->message->shown[i], &o->e, &f, args);
}

static struct track_spec io_track(const struct io_told *o, uint32_t utid)
{
    return (struct track_spec){.type = o->track_type,
                               .machine = o->event->machine,
                               .dimension_count = 1,
                               .dimensions = {{.key = "utid", .type = ARG_INT, .i = utid}}};
}

/* An event on its own; NULL where its slice is not kept. */
static struct arg_list *add_single(const struct io_told *o, int64_t dur, string_id category,
                                   const char *name)
{
    struct trace *t = o->im->trace;
    struct track_spec spec = io_track(o, o->utid);
    uint32_t track = track_set_complete(t, &spec, o->event->ts, dur);
    uint32_t slice = slice_complete(t, o->event->ts, dur, track, category, trace_intern_c(t, name));
    struct arg_list *args = slice == NULL_U32 ? NULL : slice_args(t, track, slice);
    add_args(o, args);
    return args;
}

static void begin_operation(const struct io_told *o, const char *name)
{
    struct operations *ops = import_state(o->im, &operations_kind);
    struct trace *t = o->im->trace;
    bool inserted;
    uint32_t *at = map_insert(&ops->by_irp, o->e.irp, &inserted);
    if (inserted) {
        *at = (uint32_t)ops->list.count;
        *vec_push(&ops->list) = (struct operation){.open = false};
    }
    struct operation *op = &ops->list.items[*at];
    if (op->open) { /* the request is used again, its end got lost */
        struct track_spec old = io_track(o, op->utid);
        track_set_end(t, &old, (int64_t)o->e.irp);
        end_unmatched(o->im, op);
    }
    struct track_spec spec = io_track(o, o->utid);
    uint32_t track = track_set_begin(t, &spec, (int64_t)o->e.irp);
    uint32_t slice = slice_begin(t, o->event->ts, track, NULL_STRING, trace_intern_c(t, name));
    *op = (struct operation){.irp = o->e.irp,
                             .ts = o->event->ts,
                             .track = track,
                             .slice = slice,
                             .utid = o->utid,
                             .open = slice != NULL_U32};
    if (op->open)
        add_args(o, slice_args(t, track, slice));
}

static struct operation *find_open(const struct io_told *o)
{
    struct operations *ops = import_state(o->im, &operations_kind);
    const uint32_t *at = o->e.has_irp ? map_find(&ops->by_irp, o->e.irp) : NULL;
    return at && ops->list.items[*at].open ? &ops->list.items[*at] : NULL;
}

/* Ends at the event; its args join those of the beginning. Also where another thread ends it: Trace
 * Processor looks on that one's tracks then, and the slice goes on to the end. */
static void end_operation(const struct io_told *o, struct operation *op)
{
    struct trace *t = o->im->trace;
    struct track_spec old = io_track(o, op->utid);
    track_set_end(t, &old, (int64_t)op->irp);
    add_args(o, slice_args(t, op->track, op->slice));
    slice_close(t, o->event->ts, op->track, op->slice);
    op->open = false;
}

static const struct io_message *message_of(uint32_t number)
{
    for (size_t i = 0; i < sizeof file_messages / sizeof *file_messages; i++)
        if (file_messages[i].number == number)
            return &file_messages[i];
    return NULL;
}

bool etw_is_file_io(uint32_t number)
{
    return message_of(number) != NULL;
}

void etw_file_io(struct import *im, const struct etw_event *event, uint32_t number,
                 struct pb_reader r)
{
    struct trace *t = im->trace;
    const struct io_message *m = message_of(number);
    struct io_told o = {.im = im,
                        .event = event,
                        .message = m,
                        .fields = r,
                        .e = read_event(m, r),
                        .track_type = "etw_fileio",
                        .utid = process_tracker_thread(t, event->machine, event->tid)};
    const char *name = m->name;
    uint32_t opcode = o.e.opcode - OPCODE_FIRST;
    if (o.e.has_opcode && opcode < sizeof opcode_names / sizeof *opcode_names)
        name = opcode_names[opcode];
    bool ends = number == PB_EtwTraceEvent_file_io_op_end;
    if (!ends && o.e.has_irp) {
        begin_operation(&o, name);
        return;
    }
    struct operation *op = ends ? find_open(&o) : NULL;
    if (op) {
        end_operation(&o, op);
        return;
    }
    struct arg_list *args = add_single(&o, 0, NULL_STRING, name);
    if (args && o.e.has_irp)
        arg_list_str(args, trace_intern(t, STR("Missing Event")), trace_intern(t, STR("Start")));
}

static int64_t response_time(struct pb_reader r)
{
    struct pb_field f = pb_last(r, PB_DiskIoEtwEvent_response_time);
    return pb_i64(&f);
}

void etw_disk_io(struct import *im, const struct etw_event *event, struct pb_reader r)
{
    struct io_event e = read_event(&disk_message, r);
    uint32_t opcode = e.opcode - DISK_READ;
    if (!e.has_opcode)
        return;
    if (opcode >= sizeof disk_names / sizeof *disk_names) {
        stats_count(im->trace, STAT_missing_disk_io_event_name);
        return;
    }
    struct io_told o = {.im = im,
                        .event = event,
                        .message = &disk_message,
                        .fields = r,
                        .e = e,
                        .track_type = "etw_diskio",
                        .utid = process_tracker_thread(im->trace, event->machine, event->tid)};
    add_single(&o, response_time(r), trace_intern(im->trace, STR("ETW Disk I/O")),
               disk_names[opcode]);
}

/* A request that is used again has ended. */
static void file_io_say(const struct io_message *m, int64_t ts, struct pb_reader r,
                        struct packet_felt_sink *out)
{
    struct io_event e = read_event(m, r);
    bool begins = m->number != PB_EtwTraceEvent_file_io_op_end;
    uint64_t key = e.irp;
    if (!e.has_irp)
        return;
    packet_felt_crossing(out, ts, key, begins);
    packet_felt_mark(out, MARK_END, ts, key);
    if (begins)
        packet_felt_mark(out, MARK_BEGIN, ts, key);
}

void etw_io_say(uint32_t number, struct pb_reader r, int64_t ts, struct packet_felt_sink *out)
{
    const struct io_message *m = message_of(number);
    if (m)
        file_io_say(m, ts, r, out);
    else if (number == PB_EtwTraceEvent_disk_io && ts < out->from &&
             time_plus(ts, response_time(r)) > out->from)
        packet_felt_mark(out, MARK_BEGIN, ts, hash_mix(out->number, out->part));
}
