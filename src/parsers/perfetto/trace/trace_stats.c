/* What the tracing service counted while it recorded. */
#include "parsers/perfetto/packets/modules.h"
#include "pb_fields.h"

static void read_buffer(struct import *im, int64_t buffer, struct pb_reader r)
{
    static const struct {
        uint32_t field;
        enum stat_key key;
    } known[] = {
#define BUFFER_STAT(name) {PB_TraceStats_BufferStats_##name, STAT_traced_buf_##name}
        BUFFER_STAT(buffer_size),
        BUFFER_STAT(bytes_written),
        BUFFER_STAT(bytes_overwritten),
        BUFFER_STAT(bytes_read),
        BUFFER_STAT(padding_bytes_written),
        BUFFER_STAT(padding_bytes_cleared),
        BUFFER_STAT(chunks_written),
        BUFFER_STAT(chunks_rewritten),
        BUFFER_STAT(chunks_overwritten),
        BUFFER_STAT(chunks_discarded),
        BUFFER_STAT(chunks_read),
        BUFFER_STAT(chunks_committed_out_of_order),
        BUFFER_STAT(write_wrap_count),
        BUFFER_STAT(patches_succeeded),
        BUFFER_STAT(patches_failed),
        BUFFER_STAT(readaheads_succeeded),
        BUFFER_STAT(readaheads_failed),
        BUFFER_STAT(abi_violations),
        BUFFER_STAT(trace_writer_packet_loss),
#undef BUFFER_STAT
    };
    struct pb_field f;
    while (pb_next(&r, &f)) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (known[i].field == f.number)
                stats_set(im->trace, known[i].key, buffer, pb_i64(&f));
        if (f.number == PB_TraceStats_BufferStats_bytes_overwritten && pb_i64(&f) != 0 &&
            config_streams_into_file(im))
            stats_set(im->trace, STAT_long_trace_mode_bytes_overwritten, buffer, pb_i64(&f));
    }
}

static void read_filter(struct import *im, struct pb_reader r)
{
    struct trace *t = im->trace;
    struct pb_field f;
    int64_t buffers = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case PB_TraceStats_FilterStats_input_packets:
            stats_set(t, STAT_filter_input_packets, STAT_SINGLE, pb_i64(&f));
            break;
        case PB_TraceStats_FilterStats_input_bytes:
            stats_set(t, STAT_filter_input_bytes, STAT_SINGLE, pb_i64(&f));
            break;
        case PB_TraceStats_FilterStats_output_bytes:
            stats_set(t, STAT_filter_output_bytes, STAT_SINGLE, pb_i64(&f));
            break;
        case PB_TraceStats_FilterStats_errors:
            stats_set(t, STAT_filter_errors, STAT_SINGLE, pb_i64(&f));
            break;
        case PB_TraceStats_FilterStats_time_taken_ns:
            stats_set(t, STAT_filter_time_taken_ns, STAT_SINGLE, pb_i64(&f));
            break;
        case PB_TraceStats_FilterStats_bytes_discarded_per_buffer: {
            struct pb_packed it = pb_packed_begin(&f, PB_WIRE_VARINT);
            uint64_t bytes;
            while (pb_packed_next(&it, &bytes))
                stats_set(t, STAT_traced_buf_bytes_filtered_out, buffers++, (int64_t)bytes);
            break;
        }
        default:
            break;
        }
    }
}

/* The losses that packets of this writer's sequence told of, put down to its buffer. */
static void add_losses(struct import *im, const struct packet_sequence *seq, int64_t buffer)
{
    static const enum stat_key reasons[PACKET_LOSS_REASONS] = {
        STAT_traced_buf_sequence_packet_loss,
        STAT_traced_buf_data_loss_read_gap,
        STAT_traced_buf_data_loss_chunk_corrupted,
        STAT_traced_buf_data_loss_orphan_continuation,
        STAT_traced_buf_data_loss_reassembly_gap,
        STAT_traced_buf_data_loss_reassembly_broken_chain,
        STAT_traced_buf_data_loss_overwrite,
        STAT_traced_buf_data_loss_writer_abort,
        STAT_traced_buf_data_loss_smb_full,
    };
    stats_add(im->trace, reasons[0], buffer, seq->packets_lost);
    for (int i = 1; i < PACKET_LOSS_REASONS; i++)
        if (seq->lost_reasons[i])
            stats_add(im->trace, reasons[i], buffer, seq->lost_reasons[i]);
    if (seq->needing_state > 0 && seq->needing_state == seq->needing_state_skipped)
        stats_add(im->trace, STAT_traced_buf_incremental_sequences_dropped, buffer, 1);
}

static const enum stat_key loss_keys[] = {
    STAT_traced_buf_sequence_packet_loss,      STAT_traced_buf_data_loss_read_gap,
    STAT_traced_buf_data_loss_chunk_corrupted, STAT_traced_buf_data_loss_orphan_continuation,
    STAT_traced_buf_data_loss_reassembly_gap,  STAT_traced_buf_data_loss_reassembly_broken_chain,
    STAT_traced_buf_data_loss_overwrite,       STAT_traced_buf_data_loss_writer_abort,
    STAT_traced_buf_data_loss_smb_full,        STAT_traced_buf_incremental_sequences_dropped,
};

struct writer {
    uint32_t sequence, buffer;
};

static struct writer read_writer(struct pb_reader r)
{
    struct writer w = {0};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_TraceStats_WriterStats_sequence_id)
            w.sequence = pb_u32(&f);
        else if (f.number == PB_TraceStats_WriterStats_buffer)
            w.buffer = pb_u32(&f);
    }
    return w;
}

/* A later packet tells all again, with what came since. */
static void read_writers(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field), again = r;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number != PB_TraceStats_writer_stats)
            continue;
        struct writer w = read_writer(pb_message(&f));
        for (size_t i = 0; i < sizeof loss_keys / sizeof loss_keys[0]; i++)
            if (stats_get(im->trace, loss_keys[i], w.buffer) != 0)
                stats_set(im->trace, loss_keys[i], w.buffer, 0);
    }
    while (pb_next(&again, &f)) {
        if (f.number != PB_TraceStats_writer_stats)
            continue;
        struct writer w = read_writer(pb_message(&f));
        const uint32_t *at = map_find(&im->sequences, (uint64_t)p->machine << 32 | w.sequence);
        if (at)
            add_losses(im, im->sequence_list.items[*at], w.buffer);
    }
}

bool trace_stats_tokenize(struct import *im, struct packet *p)
{
    static const struct {
        uint32_t field;
        enum stat_key key;
    } known[] = {
#define SERVICE_STAT(name) {PB_TraceStats_##name, STAT_traced_##name}
        SERVICE_STAT(producers_connected),     SERVICE_STAT(producers_seen),
        SERVICE_STAT(data_sources_registered), SERVICE_STAT(data_sources_seen),
        SERVICE_STAT(tracing_sessions),        SERVICE_STAT(total_buffers),
        SERVICE_STAT(chunks_discarded),        SERVICE_STAT(patches_discarded),
        SERVICE_STAT(flushes_requested),       SERVICE_STAT(flushes_succeeded),
        SERVICE_STAT(flushes_failed),
#undef SERVICE_STAT
    };
    struct trace *t = im->trace;
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    int64_t buffer = 0;
    while (pb_next(&r, &f)) {
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (known[i].field == f.number)
                stats_set(t, known[i].key, STAT_SINGLE, pb_i64(&f));
        if (f.number == PB_TraceStats_buffer_stats)
            read_buffer(im, buffer++, pb_message(&f));
        else if (f.number == PB_TraceStats_filter_stats)
            read_filter(im, pb_message(&f));
        else if (f.number != PB_TraceStats_final_flush_outcome)
            continue;
        else if (pb_u32(&f) == PB_TraceStats_FinalFlushOutcome_FINAL_FLUSH_SUCCEEDED)
            stats_set(t, STAT_traced_final_flush_succeeded, STAT_SINGLE, 1);
        else if (pb_u32(&f) == PB_TraceStats_FinalFlushOutcome_FINAL_FLUSH_FAILED)
            stats_set(t, STAT_traced_final_flush_failed, STAT_SINGLE, 1);
    }
    read_writers(im, p);
    return true;
}
