/* Devices: network, storage, buses, video. */
#include "base/hash.h"
#include "parsers/perfetto/ftrace/ftrace_handlers.h"
#include "parsers/perfetto/ftrace/ftrace_tools.h"
#include "pb_fields.h"
#include "core/counter.h"

/* Messages on a bus that one result answers. */
struct i2c_transfer {
    uint32_t adapter, messages;
    bool open;
};

struct ftrace_device {
    struct map received, sent; /* interface name -> index */
    VEC(uint64_t) bytes;
    uint64_t dropped_ip_packets;
    struct map sockets;    /* address -> number of the stream, from 1 */
    struct map data_reads; /* inode and offset -> tid that reads */
    struct map transfers;  /* utid -> index of its transfer */
    VEC(struct i2c_transfer) i2c;
};

static void release(void *state)
{
    struct ftrace_device *d = state;
    map_release(&d->received);
    map_release(&d->sent);
    vec_release(&d->bytes);
    map_release(&d->sockets);
    map_release(&d->data_reads);
    map_release(&d->transfers);
    vec_release(&d->i2c);
}

static struct ftrace_device *state(const struct ftrace_event *e)
{
    return ftrace_state(e->f, FTRACE_MODULE_device);
}

/* --- Network */

static uint64_t add_bytes(const struct ftrace_event *e, struct map *map, string_id interface,
                          uint64_t n)
{
    struct ftrace_device *d = state(e);
    bool inserted;
    uint32_t *index = map_insert(map, interface, &inserted);
    if (inserted) {
        *index = (uint32_t)d->bytes.count;
        *vec_push(&d->bytes) = 0;
    }
    return d->bytes.items[*index] += n;
}

static void traffic(const struct ftrace_event *e, const char *type, const char *what,
                    struct str interface, uint64_t total, uint64_t length)
{
    uint32_t row = event_named_counter(e, type, "network_interface", trace_intern(e->t, interface),
                                       event_format(e, "%.*s %s KB", STR_ARG(interface), what),
                                       (double)(total / 1024));
    struct arg_list args = {0};
    arg_list_uint(&args, trace_intern(e->t, STR("cpu")), e->cpu->cpu);
    arg_list_uint(&args, trace_intern(e->t, STR("len")), length);
    event_counter_args(e, row, &args);
}

static void on_netif_receive(const struct ftrace_event *e)
{
    struct str interface = event_str(e, PB_NetifReceiveSkbFtraceEvent_name);
    uint64_t length = event_uint(e, PB_NetifReceiveSkbFtraceEvent_len);
    uint64_t total = add_bytes(e, &state(e)->received, trace_intern(e->t, interface), length);
    traffic(e, "net_receive", "Received", interface, total, length);
}

static void on_net_dev_xmit(const struct ftrace_event *e)
{
    if (event_i32(e, PB_NetDevXmitFtraceEvent_rc) != 0) /* the driver did not take it */
        return;
    struct str interface = event_str(e, PB_NetDevXmitFtraceEvent_name);
    uint64_t length = event_uint(e, PB_NetDevXmitFtraceEvent_len);
    uint64_t total = add_bytes(e, &state(e)->sent, trace_intern(e->t, interface), length);
    traffic(e, "net_transmit", "Transmitted", interface, total, length);
}

enum { TCP_STATES = 13 };

static bool is_tcp_state(const struct ftrace_event *e)
{
    enum { PROTOCOL_TCP = 6, FAMILY_INET = 2, FAMILY_INET6 = 10 };
    uint32_t family = event_u32(e, PB_InetSockSetStateFtraceEvent_family);
    return event_u32(e, PB_InetSockSetStateFtraceEvent_protocol) == PROTOCOL_TCP &&
           (family == FAMILY_INET || family == FAMILY_INET6) &&
           event_u32(e, PB_InetSockSetStateFtraceEvent_oldstate) < TCP_STATES &&
           event_u32(e, PB_InetSockSetStateFtraceEvent_newstate) < TCP_STATES;
}

/* Streams are numbered in the order in which they come. */
static void say_sock_state(const struct ftrace_event *e, struct felt_sink *out)
{
    uint64_t key = felt_key_by(felt_key(e, e->id), e, PB_InetSockSetStateFtraceEvent_skaddr);
    if (!is_tcp_state(e))
        return;
    felt_first(out, key);
    felt_last(out, key);
}

/* TCP streams, one slice a state. */
static void on_inet_sock_set_state(const struct ftrace_event *e)
{
    enum { ESTABLISHED = 1, SYN_SENT = 2 };
    static const char *const names[TCP_STATES] = {
        "TCP_UNKNOWN",   "TCP_ESTABLISHED", "TCP_SYN_SENT",    "TCP_SYN_RECV",   "TCP_FIN_WAIT1",
        "TCP_FIN_WAIT2", "TCP_TIME_WAIT",   "TCP_CLOSE",       "TCP_CLOSE_WAIT", "TCP_LAST_ACK",
        "TCP_LISTEN",    "TCP_CLOSING",     "TCP_NEW_SYN_RECV"};
    if (!is_tcp_state(e))
        return;
    uint32_t to = event_u32(e, PB_InetSockSetStateFtraceEvent_newstate);
    struct ftrace_device *d = state(e);
    bool inserted;
    uint32_t *stream =
        map_insert(&d->sockets, event_uint(e, PB_InetSockSetStateFtraceEvent_skaddr), &inserted);
    if (inserted)
        *stream = (uint32_t)d->sockets.count;
    string_id name = trace_intern_c(e->t, names[to]);
    if (to == SYN_SENT)
        name = event_format(e, "%s(pid=%u)", names[to], e->pid);
    else if (to == ESTABLISHED)
        name = event_format(e, "%s(sport=%u,dport=%u)", names[to],
                            event_u32(e, PB_InetSockSetStateFtraceEvent_sport),
                            event_u32(e, PB_InetSockSetStateFtraceEvent_dport));
    struct track_spec spec = {
        .type = "net_socket_set_state",
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("tcp_stream_idx", *stream)},
        .name = event_format(e, "TCP stream#%u", *stream),
    };
    uint32_t track = track_intern(e->t, &spec);
    event_end(e, track);
    event_begin(e, track, trace_intern(e->t, STR("tcp_state")), name);
}

static void on_tcp_retransmit(const struct ftrace_event *e)
{
    uint32_t track = event_global_track(e, "net_tcp_retransmit_skb", "TCP Retransmit Skb");
    event_instant(e, track, trace_intern(e->t, STR("tcp_event")),
                  event_format(e, "sport=%u,dport=%u",
                               event_u32(e, PB_TcpRetransmitSkbFtraceEvent_sport),
                               event_u32(e, PB_TcpRetransmitSkbFtraceEvent_dport)));
}

static uint32_t napi_track(const struct ftrace_event *e)
{
    return event_cpu_track(e, "cpu_napi_gro", "Napi Gro Cpu", e->cpu->cpu);
}

static void on_napi_gro_entry(const struct ftrace_event *e)
{
    struct slice_ref s = event_begin(e, napi_track(e), trace_intern(e->t, STR("napi_gro")),
                                     event_string(e, PB_NapiGroReceiveEntryFtraceEvent_name));
    slice_ref_int(&s, "len", event_u32(e, PB_NapiGroReceiveEntryFtraceEvent_len));
}

static void on_napi_gro_exit(const struct ftrace_event *e)
{
    string_id category = trace_intern(e->t, STR("napi_gro"));
    struct slice_ref s = event_ending(e, napi_track(e), category, NULL_STRING);
    slice_ref_int(&s, "ret", event_i32(e, PB_NapiGroReceiveExitFtraceEvent_ret));
    slice_ref_end(e, &s);
}

enum { ETHERNET_IP = 0x800, ETHERNET_IPV6 = 0x86dd };

static bool is_ip(uint32_t protocol)
{
    return protocol == ETHERNET_IP || protocol == ETHERNET_IPV6;
}

/* They are counted. */
static void say_kfree_skb(const struct ftrace_event *e, struct felt_sink *out)
{
    if (is_ip(event_u32(e, PB_KfreeSkbFtraceEvent_protocol)))
        selection_keep_item(out->selection, &out->item);
}

static void on_kfree_skb(const struct ftrace_event *e)
{
    uint32_t protocol = event_u32(e, PB_KfreeSkbFtraceEvent_protocol);
    if (!is_ip(protocol))
        return;
    uint32_t row = event_global_counter(e, "net_kfree_skb", "Kfree Skb IP Prot",
                                        (double)++state(e)->dropped_ip_packets);
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(e->t, STR("protocol")),
                 trace_intern_c(e->t, protocol == ETHERNET_IP ? "IP" : "IPV6"));
    event_counter_args(e, row, &args);
}

/* --- Storage */

/* SCSI operation codes. */
static const char *ufs_command(uint32_t opcode)
{
    switch (opcode) {
    case 0:
        return "TEST UNIT READY";
    case 3:
        return "REQUEST SENSE";
    case 4:
        return "FORMAT UNIT";
    case 8:
        return "READ (6)";
    case 10:
        return "WRITE (6)";
    case 18:
        return "INQUIRY";
    case 27:
        return "START STOP UNIT";
    case 29:
        return "SEND DIAGNOSTIC";
    case 37:
        return "READ CAPACITY (10)";
    case 40:
        return "READ (10)";
    case 42:
        return "WRITE (10)";
    case 47:
        return "VERIFY";
    case 52:
        return "PRE-FETCH (10)";
    case 53:
        return "SYNCHRONIZE CACHE (10)";
    case 59:
        return "WRITE BUFFER";
    case 60:
        return "READ BUFFER";
    case 66:
        return "UNMAP";
    case 85:
        return "MODE SELECT (10)";
    case 90:
        return "MODE SENSE (10)";
    case 136:
        return "READ (16)";
    case 138:
        return "WRITE (16)";
    case 144:
        return "PRE-FETCH (16)";
    case 145:
        return "SYNCHRONIZE CACHE (16)";
    case 158:
        return "READ CAPACITY (16)";
    case 160:
        return "REPORT LUNS";
    case 162:
        return "SECURITY PROTOCOL IN";
    case 181:
        return "SECURITY PROTOCOL OUT";
    default:
        return "UNDEFINED";
    }
}

static void on_ufshcd_command(const struct ftrace_event *e)
{
    bool done = event_u32(e, PB_UfshcdCommandFtraceEvent_str_t) != 0;
    uint32_t doorbell = event_u32(e, PB_UfshcdCommandFtraceEvent_doorbell);
    int in_flight = doorbell ? __builtin_popcount(doorbell)
                    : event_u32(e, PB_UfshcdCommandFtraceEvent_str_t) == 1 ? 0
                                                                           : 1;
    event_global_counter(e, "ufs_command_count", "io.ufs.command.count", in_flight);
    uint32_t tag = event_u32(e, PB_UfshcdCommandFtraceEvent_tag);
    struct track_spec spec = {
        .type = "ufs_command_tag",
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("ufs_tag", tag)},
        .name = event_format(e, "io.ufs.command.tag[%03u]", tag),
    };
    uint32_t track = track_intern(e->t, &spec);
    if (done) {
        event_end(e, track);
        return;
    }
    const char *name = ufs_command(event_u32(e, PB_UfshcdCommandFtraceEvent_opcode));
    uint32_t group = event_u32(e, PB_UfshcdCommandFtraceEvent_group_id);
    event_begin(e, track, NULL_STRING,
                group ? event_format(e, "%s (GID=0x%x)", name, group) : trace_intern_c(e->t, name));
}

static void say_ufshcd_command(const struct ftrace_event *e, struct felt_sink *out)
{
    uint64_t key = felt_key(e, e->id);
    bool done = event_u32(e, PB_UfshcdCommandFtraceEvent_str_t) != 0;
    felt_mark(out, done ? MARK_END : MARK_BEGIN,
              felt_key_by(hash_u64(key), e, PB_UfshcdCommandFtraceEvent_tag), FELT_ANY, 0);
    felt_last_of_mark(out, key);
}

/* States in the order in which they follow each other, not in the kernel's. */
static void on_ufshcd_clk_gating(const struct ftrace_event *e)
{
    static const int order[] = {0, 3, 1, 2};
    uint32_t gate = event_u32(e, PB_UfshcdClkGatingFtraceEvent_state);
    event_global_counter(e, "ufs_clkgating", "io.ufs.clkgating (OFF:0/REQ_OFF/REQ_ON/ON:3)",
                         gate < 4 ? order[gate] : 0);
}

struct stat_field {
    const char *key;
    uint32_t number;
};

static void io_stats(const struct ftrace_event *e, const char *type, uint64_t device,
                     const struct stat_field *fields, size_t n)
{
    unsigned major = (unsigned)(device >> 8) & 0xff, minor = (unsigned)device & 0xff;
    string_id device_name = event_format(e, "%u:%u", major, minor);
    for (size_t i = 0; i < n; i++) {
        struct track_spec spec = {
            .type = type,
            .event_type = TRACK_COUNTER,
            .machine = e->cpu->machine,
            .dimension_count = 2,
            .dimensions = {dimension_string("linux_device", device_name),
                           dimension_string("counter_key", trace_intern_c(e->t, fields[i].key))},
            .name = event_format(e, "%s.[%u:%u].%s", type, major, minor, fields[i].key),
        };
        counter_push(e->t, e->ts, track_intern(e->t, &spec),
                     (double)event_uint(e, fields[i].number));
    }
}

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static void on_f2fs_iostat(const struct ftrace_event *e)
{
    static const struct stat_field fields[] = {
        {"write_app_total", PB_F2fsIostatFtraceEvent_app_wio},
        {"write_app_direct", PB_F2fsIostatFtraceEvent_app_dio},
        {"write_app_buffered", PB_F2fsIostatFtraceEvent_app_bio},
        {"write_app_mapped", PB_F2fsIostatFtraceEvent_app_mio},
        {"write_fs_data", PB_F2fsIostatFtraceEvent_fs_dio},
        {"write_fs_node", PB_F2fsIostatFtraceEvent_fs_nio},
        {"write_fs_meta", PB_F2fsIostatFtraceEvent_fs_mio},
        {"write_gc_data", PB_F2fsIostatFtraceEvent_fs_gc_dio},
        {"write_gc_node", PB_F2fsIostatFtraceEvent_fs_gc_nio},
        {"write_cp_data", PB_F2fsIostatFtraceEvent_fs_cp_dio},
        {"write_cp_node", PB_F2fsIostatFtraceEvent_fs_cp_nio},
        {"write_cp_meta", PB_F2fsIostatFtraceEvent_fs_cp_mio},
        {"read_app_total", PB_F2fsIostatFtraceEvent_app_rio},
        {"read_app_direct", PB_F2fsIostatFtraceEvent_app_drio},
        {"read_app_buffered", PB_F2fsIostatFtraceEvent_app_brio},
        {"read_app_mapped", PB_F2fsIostatFtraceEvent_app_mrio},
        {"read_fs_data", PB_F2fsIostatFtraceEvent_fs_drio},
        {"read_fs_gdata", PB_F2fsIostatFtraceEvent_fs_gdrio},
        {"read_fs_cdata", PB_F2fsIostatFtraceEvent_fs_cdrio},
        {"read_fs_node", PB_F2fsIostatFtraceEvent_fs_nrio},
        {"read_fs_meta", PB_F2fsIostatFtraceEvent_fs_mrio},
        {"other_fs_discard", PB_F2fsIostatFtraceEvent_fs_discard},
    };
    io_stats(e, "f2fs_iostat", event_uint(e, PB_F2fsIostatFtraceEvent_dev), fields, COUNT(fields));
}

static void on_f2fs_iostat_latency(const struct ftrace_event *e)
{
    static const struct stat_field fields[] = {
        {"read_data_peak", PB_F2fsIostatLatencyFtraceEvent_d_rd_peak},
        {"read_data_avg", PB_F2fsIostatLatencyFtraceEvent_d_rd_avg},
        {"read_data_cnt", PB_F2fsIostatLatencyFtraceEvent_d_rd_cnt},
        {"read_node_peak", PB_F2fsIostatLatencyFtraceEvent_n_rd_peak},
        {"read_node_avg", PB_F2fsIostatLatencyFtraceEvent_n_rd_avg},
        {"read_node_cnt", PB_F2fsIostatLatencyFtraceEvent_n_rd_cnt},
        {"read_meta_peak", PB_F2fsIostatLatencyFtraceEvent_m_rd_peak},
        {"read_meta_avg", PB_F2fsIostatLatencyFtraceEvent_m_rd_avg},
        {"read_meta_cnt", PB_F2fsIostatLatencyFtraceEvent_m_rd_cnt},
        {"write_sync_data_peak", PB_F2fsIostatLatencyFtraceEvent_d_wr_s_peak},
        {"write_sync_data_avg", PB_F2fsIostatLatencyFtraceEvent_d_wr_s_avg},
        {"write_sync_data_cnt", PB_F2fsIostatLatencyFtraceEvent_d_wr_s_cnt},
        {"write_sync_node_peak", PB_F2fsIostatLatencyFtraceEvent_n_wr_s_peak},
        {"write_sync_node_avg", PB_F2fsIostatLatencyFtraceEvent_n_wr_s_avg},
        {"write_sync_node_cnt", PB_F2fsIostatLatencyFtraceEvent_n_wr_s_cnt},
        {"write_sync_meta_peak", PB_F2fsIostatLatencyFtraceEvent_m_wr_s_peak},
        {"write_sync_meta_avg", PB_F2fsIostatLatencyFtraceEvent_m_wr_s_avg},
        {"write_sync_meta_cnt", PB_F2fsIostatLatencyFtraceEvent_m_wr_s_cnt},
        {"write_async_data_peak", PB_F2fsIostatLatencyFtraceEvent_d_wr_as_peak},
        {"write_async_data_avg", PB_F2fsIostatLatencyFtraceEvent_d_wr_as_avg},
        {"write_async_data_cnt", PB_F2fsIostatLatencyFtraceEvent_d_wr_as_cnt},
        {"write_async_node_peak", PB_F2fsIostatLatencyFtraceEvent_n_wr_as_peak},
        {"write_async_node_avg", PB_F2fsIostatLatencyFtraceEvent_n_wr_as_avg},
        {"write_async_node_cnt", PB_F2fsIostatLatencyFtraceEvent_n_wr_as_cnt},
        {"write_async_meta_peak", PB_F2fsIostatLatencyFtraceEvent_m_wr_as_peak},
        {"write_async_meta_avg", PB_F2fsIostatLatencyFtraceEvent_m_wr_as_avg},
        {"write_async_meta_cnt", PB_F2fsIostatLatencyFtraceEvent_m_wr_as_cnt},
    };
    io_stats(e, "f2fs_iostat_latency", event_uint(e, PB_F2fsIostatLatencyFtraceEvent_dev), fields,
             COUNT(fields));
}

/* Why a checkpoint is written: bits. */
static void checkpoint_reasons(const struct ftrace_event *e, const struct slice_ref *s,
                               int32_t reason)
{
    static const char *const names[] = {"Umount",  "Fastboot", "Sync",  "Recovery",
                                        "Discard", "Trimmed",  "Pause", "Resize"};
    string_id flat_key = trace_intern(e->t, STR("reason_str"));
    unsigned count = 0;
    if (reason == 0)
        slice_ref_str(s, "reason_str", trace_intern(e->t, STR("Unknown")));
    for (unsigned i = 0; i < COUNT(names) && s->args; i++)
        if (reason & 1 << i)
            arg_list_add(s->args, (struct arg){.flat_key = flat_key,
                                               .key = event_format(e, "reason_str[%u]", count++),
                                               .type = ARG_STRING,
                                               .s = trace_intern_c(e->t, names[i])});
}

enum { PHASE_START = 0, PHASE_BLOCKED = 1, PHASE_FINISH = 2 };

static bool is_start_or_finish(uint32_t phase)
{
    return phase == PHASE_START || phase == PHASE_FINISH;
}

static void say_f2fs_checkpoint(const struct ftrace_event *e, struct felt_sink *out)
{
    if (is_start_or_finish(event_u32(e, PB_F2fsWriteCheckpointFtraceEvent_phase)))
        felt_last(out, felt_key_of_thread(e, e->id));
}

static void on_f2fs_checkpoint(const struct ftrace_event *e)
{
    uint32_t phase = event_u32(e, PB_F2fsWriteCheckpointFtraceEvent_phase);
    if (phase == PHASE_BLOCKED)
        return;
    uint32_t upid = process_tracker_process(e->t, e->cpu->machine, e->pid);
    struct track_spec spec = {
        .type = "f2fs_write_checkpoint",
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("upid", upid)},
        .name = event_format(e, "f2fs_ckpt %u", e->pid),
    };
    uint32_t track = track_intern(e->t, &spec);
    if (is_start_or_finish(phase))
        event_end(e, track);
    if (phase != PHASE_START)
        return;
    int32_t reason = event_i32(e, PB_F2fsWriteCheckpointFtraceEvent_reason);
    struct slice_ref s =
        event_begin(e, track, NULL_STRING, trace_intern(e->t, STR("F2fs Write Checkpoint")));
    slice_ref_uint(&s, "dev", event_uint(e, PB_F2fsWriteCheckpointFtraceEvent_dev));
    slice_ref_int(&s, "reason_int", reason);
    checkpoint_reasons(e, &s, reason);
}

static struct track_spec data_read_spec(const struct ftrace_event *e)
{
    return (struct track_spec){.type = "android_fs",
                               .machine = e->cpu->machine,
                               .name = trace_intern(e->t, STR("android_fs"))};
}

static uint64_t data_read_key(uint64_t inode, int64_t offset)
{
    return inode * UINT64_C(0x9e3779b97f4a7c15) ^ (uint64_t)offset;
}

static void on_dataread_start(const struct ftrace_event *e)
{
    int64_t offset = event_int(e, PB_AndroidFsDatareadStartFtraceEvent_offset);
    map_set(&state(e)->data_reads,
            data_read_key(event_uint(e, PB_AndroidFsDatareadStartFtraceEvent_ino), offset), e->pid);
    struct track_spec spec = data_read_spec(e);
    struct slice_ref s = event_begin(e, track_set_begin(e->t, &spec, e->pid), NULL_STRING,
                                     trace_intern(e->t, STR("android_fs_data_read")));
    slice_ref_str(&s, "file_path", event_string(e, PB_AndroidFsDatareadStartFtraceEvent_pathbuf));
    slice_ref_int(&s, "offset_start", offset);
    slice_ref_int(&s, "bytes_read_start", event_i32(e, PB_AndroidFsDatareadStartFtraceEvent_bytes));
}

/* The end comes from whichever thread the device interrupted. */
static void on_dataread_end(const struct ftrace_event *e)
{
    int64_t offset = event_int(e, PB_AndroidFsDatareadEndFtraceEvent_offset);
    uint64_t key = data_read_key(event_uint(e, PB_AndroidFsDatareadEndFtraceEvent_ino), offset);
    const uint32_t *tid = map_find(&state(e)->data_reads, key);
    if (!tid)
        return;
    struct track_spec spec = data_read_spec(e);
    struct slice_ref s =
        event_ending(e, track_set_end(e->t, &spec, *tid), NULL_STRING, NULL_STRING);
    map_remove(&state(e)->data_reads, key);
    slice_ref_int(&s, "offset_end", offset);
    slice_ref_int(&s, "bytes_read_end", event_i32(e, PB_AndroidFsDatareadEndFtraceEvent_bytes));
    slice_ref_end(e, &s);
}

static uint32_t block_track(const struct ftrace_event *e, uint64_t device)
{
    struct track_spec spec = {
        .type = "block_io",
        .event_type = TRACK_COUNTER,
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("block_device", (uint32_t)device)},
    };
    return track_intern(e->t, &spec);
}

static void on_block_io_start(const struct ftrace_event *e)
{
    struct slice_ref s =
        event_begin(e, block_track(e, event_uint(e, PB_BlockIoStartFtraceEvent_dev)), NULL_STRING,
                    trace_intern(e->t, STR("block_io")));
    slice_ref_uint(&s, "sector", event_uint(e, PB_BlockIoStartFtraceEvent_sector));
}

static void on_block_io_done(const struct ftrace_event *e)
{
    string_id name = trace_intern(e->t, STR("block_io"));
    struct slice_ref s =
        event_ending(e, block_track(e, event_uint(e, PB_BlockIoDoneFtraceEvent_dev)), NULL_STRING,
                     name);
    slice_ref_uint(&s, "sector", event_uint(e, PB_BlockIoDoneFtraceEvent_sector));
    slice_ref_end(e, &s);
}

/* --- Buses and firmware */

static struct i2c_transfer *transfer_of_thread(const struct ftrace_event *e)
{
    struct ftrace_device *d = state(e);
    bool inserted;
    uint32_t *index = map_insert(&d->transfers, e->utid, &inserted);
    if (inserted) {
        *index = (uint32_t)d->i2c.count;
        *vec_push(&d->i2c) = (struct i2c_transfer){0};
    }
    return &d->i2c.items[*index];
}

/* A thread has one transfer at a time, one slice for all of its messages. */
static void i2c_message(const struct ftrace_event *e, uint32_t adapter, uint32_t message)
{
    struct i2c_transfer *transfer = transfer_of_thread(e);
    uint32_t track = event_thread_track(e);
    if (!transfer->open) {
        *transfer = (struct i2c_transfer){.adapter = adapter, .open = true};
        event_begin(e, track, NULL_STRING, event_format(e, "i2c-%u", adapter));
    }
    if (message + 1 > transfer->messages)
        transfer->messages = message + 1;
}

static void on_i2c_read(const struct ftrace_event *e)
{
    i2c_message(e, event_u32(e, PB_I2cReadFtraceEvent_adapter_nr),
                event_u32(e, PB_I2cReadFtraceEvent_msg_nr));
}

static void on_i2c_write(const struct ftrace_event *e)
{
    i2c_message(e, event_u32(e, PB_I2cWriteFtraceEvent_adapter_nr),
                event_u32(e, PB_I2cWriteFtraceEvent_msg_nr));
}

/* Of another transfer, whose messages are lost, where it does not tell as many of the adapter. */
static void on_i2c_result(const struct ftrace_event *e)
{
    uint32_t adapter = event_u32(e, PB_I2cResultFtraceEvent_adapter_nr);
    uint32_t messages = event_u32(e, PB_I2cResultFtraceEvent_nr_msgs);
    struct i2c_transfer *transfer = transfer_of_thread(e);
    if (!transfer->open || transfer->adapter != adapter || transfer->messages != messages)
        return;
    transfer->open = false;
    slice_end(e->t, e->ts, event_thread_track(e), NULL_STRING, event_format(e, "i2c-%u", adapter));
}

static uint64_t transfer_key(const struct ftrace_event *e)
{
    return felt_key_of_thread(e, PB_FtraceEvent_i2c_result);
}

static void say_i2c_message(const struct ftrace_event *e, struct felt_sink *out, uint32_t adapter,
                            uint32_t message)
{
    felt_mark(out, MARK_BEGIN_ONCE, transfer_key(e), FELT_ANY, felt_name(e, adapter));
    felt_mark(out, MARK_NOTE, transfer_key(e), FELT_ANY, 0);
    if (event_u32(e, message) == 0)
        felt_mark(out, MARK_BEGIN, felt_thread_track(e, e->pid), FELT_ANY, felt_name(e, adapter));
}

static void say_i2c_read(const struct ftrace_event *e, struct felt_sink *out)
{
    say_i2c_message(e, out, PB_I2cReadFtraceEvent_adapter_nr, PB_I2cReadFtraceEvent_msg_nr);
}

static void say_i2c_write(const struct ftrace_event *e, struct felt_sink *out)
{
    say_i2c_message(e, out, PB_I2cWriteFtraceEvent_adapter_nr, PB_I2cWriteFtraceEvent_msg_nr);
}

static void say_i2c_result(const struct ftrace_event *e, struct felt_sink *out)
{
    uint64_t name = felt_name(e, PB_I2cResultFtraceEvent_adapter_nr);
    felt_mark(out, MARK_END, transfer_key(e), FELT_ANY, name);
    felt_mark(out, MARK_END, felt_thread_track(e, e->pid), FELT_ANY, name);
}

static void on_scm_start(const struct ftrace_event *e)
{
    event_begin(e, event_thread_track(e), NULL_STRING,
                event_format(e, "scm id=%#llx",
                             (unsigned long long)event_uint(e, PB_ScmCallStartFtraceEvent_x0)));
}

static void on_scm_end(const struct ftrace_event *e)
{
    event_end(e, event_thread_track(e));
}

static void interconnect(const struct ftrace_event *e, const char *category, string_id name)
{
    event_instant(e, event_global_track(e, "interconnect_events", "Interconnect Events"),
                  trace_intern_c(e->t, category), name);
}

static void on_icc_event(const struct ftrace_event *e)
{
    interconnect(e, "google_icc_event", event_string(e, PB_GoogleIccEventFtraceEvent_event));
}

static void on_irm_event(const struct ftrace_event *e)
{
    interconnect(e, "google_irm_event", event_string(e, PB_GoogleIrmEventFtraceEvent_event));
}

static void on_cros_ec(const struct ftrace_event *e)
{
    uint32_t sensor = event_u32(e, PB_CrosEcSensorhubDataFtraceEvent_ec_sensor_num);
    int64_t sampled = event_int(e, PB_CrosEcSensorhubDataFtraceEvent_current_timestamp);
    struct track_spec spec = {
        .type = "cros_ec_sensorhub_data",
        .event_type = TRACK_COUNTER,
        .machine = e->cpu->machine,
        .dimension_count = 1,
        .dimensions = {dimension_int("ec_sensor_num", sensor)},
        .name = event_format(e, "cros_ec.cros_ec_sensorhub_data.%u", sensor),
    };
    int64_t now = event_int(e, PB_CrosEcSensorhubDataFtraceEvent_current_time);
    int64_t fifo = event_int(e, PB_CrosEcSensorhubDataFtraceEvent_fifo_timestamp);
    uint32_t row =
        counter_push(e->t, e->ts, track_intern(e->t, &spec), (double)now - (double)sampled);
    struct arg_list args = {0};
    arg_list_int(&args, trace_intern(e->t, STR("ec_num")), sensor);
    arg_list_int(&args, trace_intern(e->t, STR("ec_delta")),
                 (int64_t)((uint64_t)fifo - (uint64_t)sampled));
    arg_list_int(&args, trace_intern(e->t, STR("sample_ts")), sampled);
    event_counter_args(e, row, &args);
}

static const struct ftrace_handler handlers[] = {
    {PB_FtraceEvent_netif_receive_skb, .handle = on_netif_receive,
     .felt = {.kind = FELT_SUM,
              .key = {PB_NetifReceiveSkbFtraceEvent_name},
              .value = PB_NetifReceiveSkbFtraceEvent_len}},
    {PB_FtraceEvent_net_dev_xmit, .handle = on_net_dev_xmit,
     .felt = {.kind = FELT_SUM,
              .key = {PB_NetDevXmitFtraceEvent_name, PB_NetDevXmitFtraceEvent_rc},
              .value = PB_NetDevXmitFtraceEvent_len}},
    {PB_FtraceEvent_inet_sock_set_state, .handle = on_inet_sock_set_state,
     .felt = FELT_SAID_BY(say_sock_state)},
    {PB_FtraceEvent_tcp_retransmit_skb, .handle = on_tcp_retransmit, .felt = FELT_NOTHING},
    {PB_FtraceEvent_napi_gro_receive_entry, .handle = on_napi_gro_entry,
     .felt = FELT_BEGINS_ON_CPU},
    {PB_FtraceEvent_napi_gro_receive_exit, .handle = on_napi_gro_exit,
     .felt = FELT_ENDS_ON_CPU(PB_FtraceEvent_napi_gro_receive_entry)},
    {PB_FtraceEvent_kfree_skb, .handle = on_kfree_skb, .felt = FELT_SAID_BY(say_kfree_skb)},
    {PB_FtraceEvent_cros_ec_sensorhub_data, .handle = on_cros_ec,
     .felt = FELT_LAST_BY(PB_CrosEcSensorhubDataFtraceEvent_ec_sensor_num)},
    {PB_FtraceEvent_ufshcd_command, .handle = on_ufshcd_command,
     .felt = FELT_SAID_BY(say_ufshcd_command)},
    {PB_FtraceEvent_ufshcd_clk_gating, .handle = on_ufshcd_clk_gating, .felt = FELT_LAST_ONE},
    {PB_FtraceEvent_f2fs_iostat, .handle = on_f2fs_iostat,
     .felt = FELT_LAST_BY(PB_F2fsIostatFtraceEvent_dev)},
    {PB_FtraceEvent_f2fs_iostat_latency, .handle = on_f2fs_iostat_latency,
     .felt = FELT_LAST_BY(PB_F2fsIostatLatencyFtraceEvent_dev)},
    {PB_FtraceEvent_f2fs_write_checkpoint, .handle = on_f2fs_checkpoint,
     .felt = FELT_SAID_BY(say_f2fs_checkpoint)},
    {PB_FtraceEvent_android_fs_dataread_start, .handle = on_dataread_start,
     .felt = FELT_BEGINS_BY(PB_AndroidFsDatareadStartFtraceEvent_ino,
                            PB_AndroidFsDatareadStartFtraceEvent_offset)},
    {PB_FtraceEvent_android_fs_dataread_end, .handle = on_dataread_end,
     .felt = FELT_ENDS_ON(PB_FtraceEvent_android_fs_dataread_start,
                          PB_AndroidFsDatareadEndFtraceEvent_ino,
                          PB_AndroidFsDatareadEndFtraceEvent_offset)},
    {PB_FtraceEvent_block_io_start, .handle = on_block_io_start,
     .felt = FELT_BEGINS_BY(PB_BlockIoStartFtraceEvent_dev)},
    {PB_FtraceEvent_block_io_done, .handle = on_block_io_done,
     .felt = FELT_ENDS_ON(PB_FtraceEvent_block_io_start, PB_BlockIoDoneFtraceEvent_dev)},
    {PB_FtraceEvent_i2c_read, .handle = on_i2c_read, .felt = FELT_SAID_BY(say_i2c_read)},
    {PB_FtraceEvent_i2c_write, .handle = on_i2c_write, .felt = FELT_SAID_BY(say_i2c_write)},
    {PB_FtraceEvent_i2c_result, .handle = on_i2c_result, .felt = FELT_SAID_BY(say_i2c_result)},
    {PB_FtraceEvent_scm_call_start, .handle = on_scm_start,
     .felt = FELT_BEGINS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_scm_call_end, .handle = on_scm_end, .felt = FELT_ENDS_ON_THREAD(FELT_ANY)},
    {PB_FtraceEvent_google_icc_event, .handle = on_icc_event, .felt = FELT_NOTHING},
    {PB_FtraceEvent_google_irm_event, .handle = on_irm_event, .felt = FELT_NOTHING},
    {0},
};

const struct ftrace_module ftrace_device_module = {
    .handlers = handlers,
    .state_size = sizeof(struct ftrace_device),
    .release = release,
};
