/* What the tracing service counted while it recorded. */
#include "parsers/perfetto/trace/trace_stats.h"

#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/sequence.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "parsers/perfetto/trace/trace_metadata.h"
#include "pb_fields.h"

struct service_stat {
    enum stat_key key;
    uint64_t value; /* 0 where it is not told */
};

static void set_stats(struct trace *t, const struct service_stat *stats, size_t n, int64_t index)
{
    for (size_t i = 0; i < n; i++)
        stats_set(t, stats[i].key, index, (int64_t)stats[i].value);
}

static void read_buffer(struct import *im, int64_t buffer, const TraceStats__BufferStats *b)
{
#define BUFFER_STAT(name)                                                                          \
    {                                                                                              \
        STAT_traced_buf_##name, b->name                                                            \
    }
    const struct service_stat stats[] = {
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
        BUFFER_STAT(chunks_relocated),
        BUFFER_STAT(chunks_committed_out_of_order),
        BUFFER_STAT(write_wrap_count),
        BUFFER_STAT(patches_succeeded),
        BUFFER_STAT(patches_failed),
        BUFFER_STAT(readaheads_succeeded),
        BUFFER_STAT(readaheads_failed),
        BUFFER_STAT(abi_violations),
        BUFFER_STAT(trace_writer_packet_loss),
    };
#undef BUFFER_STAT
    set_stats(im->trace, stats, sizeof stats / sizeof stats[0], buffer);
    if (b->bytes_overwritten != 0 && config_streams_into_file(im))
        stats_set(im->trace, STAT_long_trace_mode_bytes_overwritten, buffer,
                  (int64_t)b->bytes_overwritten);
}

static void read_filter(struct import *im, const TraceStats__FilterStats *f)
{
    const struct service_stat stats[] = {
        {STAT_filter_input_packets, f->input_packets}, {STAT_filter_input_bytes, f->input_bytes},
        {STAT_filter_output_bytes, f->output_bytes},   {STAT_filter_errors, f->errors},
        {STAT_filter_time_taken_ns, f->time_taken_ns},
    };
    set_stats(im->trace, stats, sizeof stats / sizeof stats[0], STAT_SINGLE);
    for (size_t i = 0; i < f->n_bytes_discarded_per_buffer; i++)
        stats_set(im->trace, STAT_traced_buf_bytes_filtered_out, (int64_t)i,
                  (int64_t)f->bytes_discarded_per_buffer[i]);
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

/* A later packet tells all again, with what came since. */
static void read_writers(struct import *im, const struct packet *p, const TraceStats *stats)
{
    for (size_t k = 0; k < stats->n_writer_stats; k++)
        for (size_t i = 0; i < sizeof loss_keys / sizeof loss_keys[0]; i++)
            stats_set(im->trace, loss_keys[i], stats->writer_stats[k]->buffer, 0);
    for (size_t k = 0; k < stats->n_writer_stats; k++) {
        const TraceStats__WriterStats *w = stats->writer_stats[k];
        const uint32_t *at =
            map_find(&im->sequences, (uint64_t)p->machine << 32 | (uint32_t)w->sequence_id);
        if (!at)
            continue;
        struct packet_sequence *seq = im->sequence_list.items[*at];
        add_losses(im, seq, w->buffer);
        seq->losses_summed = seq->packets_lost;
    }
}

void trace_stats_finish(struct import *im)
{
    for (size_t i = 0; i < im->sequence_list.count; i++) {
        const struct packet_sequence *seq = im->sequence_list.items[i];
        uint32_t rest = seq->packets_lost - seq->losses_summed;
        if (rest > 0)
            stats_add(im->trace, STAT_packet_sequence_losses, STAT_SINGLE, rest);
    }
}

static bool trace_stats_tokenize(struct import *im, struct packet *p)
{
    struct trace *t = im->trace;
    const TraceStats *stats = unpack_packet(im, &trace_stats__descriptor, p);
#define SERVICE_STAT(name)                                                                         \
    {                                                                                              \
        STAT_traced_##name, stats->name                                                            \
    }
    const struct service_stat service[] = {
        SERVICE_STAT(producers_connected),     SERVICE_STAT(producers_seen),
        SERVICE_STAT(data_sources_registered), SERVICE_STAT(data_sources_seen),
        SERVICE_STAT(tracing_sessions),        SERVICE_STAT(total_buffers),
        SERVICE_STAT(chunks_discarded),        SERVICE_STAT(patches_discarded),
        SERVICE_STAT(flushes_requested),       SERVICE_STAT(flushes_succeeded),
        SERVICE_STAT(flushes_failed),
    };
#undef SERVICE_STAT
    set_stats(t, service, sizeof service / sizeof service[0], STAT_SINGLE);
    for (size_t i = 0; i < stats->n_buffer_stats; i++)
        read_buffer(im, (int64_t)i, stats->buffer_stats[i]);
    if (stats->filter_stats)
        read_filter(im, stats->filter_stats);
    if (stats->final_flush_outcome == PB_TraceStats_FinalFlushOutcome_FINAL_FLUSH_SUCCEEDED)
        stats_count(t, STAT_traced_final_flush_succeeded);
    else if (stats->final_flush_outcome == PB_TraceStats_FinalFlushOutcome_FINAL_FLUSH_FAILED)
        stats_count(t, STAT_traced_final_flush_failed);
    read_writers(im, p, stats);
    return true;
}

const struct packet_module trace_stats_packets[] = {
    {PB_TracePacket_trace_stats, .tokenize = trace_stats_tokenize, .felt = PACKET_ALWAYS},
    {0},
};
