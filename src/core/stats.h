/* What went wrong or is worth counting while a trace loads: the rows of the `stats` table. */
#ifndef TPTUI_CORE_STATS_H
#define TPTUI_CORE_STATS_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* S(name, severity, source, kind, loss, description, remedy): severity as in stats.severity;
 * `trace` is a loss or fault of the recording, `analysis` one found while reading it. The kinds:
 *
 *   single          a row for each machine of each file, of the first 256 even at 0
 *   indexed         a row for each index that occurs
 *   single_global   a row for all machines and files together, even at 0
 *   indexed_global  the same for each index that occurs
 *   extra           a row where it occurs: what Trace Processor does not count
 *   unpublished     no row, only one in the table loss: what healthy traces have, too, whose rows
 *                   of stats are to be Trace Processor's
 *
 * What a count above 0 means for the rest of the trace, by `loss`:
 *
 *   figure  nothing: a size, a time, a number of what is there
 *   event   so many events are missing
 *   unshown so many events are of kinds of which no rows are made; nothing is wrong with them
 *   place   events are missing in so many places, nobody knows how many
 *   flag    events are missing, whatever the value (a code, a time): each row is one place
 *   bytes   so many bytes of events are missing
 *   doubt   nothing is missing, but so many events lack something, or what they say may be wrong
 *   again   events are missing that another name counts
 *   aside   left out as was asked for, or of no consequence: nobody need worry
 *
 * `remedy` is a sentence for who recorded or reads: what to do. Of a figure it is "". All that
 * speaks of losses reads these two in the table loss (core/loss.h).
 *
 * Queries see the position in the list as stats.key: it is Trace Processor's, `extra` ones stand
 * behind. */
/* clang-format off */
#define DO_BUFFER \
    "Record with larger buffers (buffers: size_kb), or write into a file while recording " \
    "(write_into_file)."
#define DO_RING \
    "The trace begins later than the recording did, as in any ring buffer. For more of " \
    "the past, record with a larger buffer."
#define DO_KERNEL \
    "Record with a larger buffer of the kernel (ftrace_config: buffer_size_kb), or with " \
    "fewer ftrace events."
#define DO_SHMEM \
    "Give the program that writes it a larger shared memory buffer (shm_size_kb), or have " \
    "it write less."
#define DO_STATE \
    "What they refer to was overwritten. Record with a larger buffer, or set " \
    "incremental_state_config: clear_period_ms, so that it is repeated."
#define DO_FLUSH \
    "Stop recordings in order and leave them time to flush; set flush_period_ms where " \
    "they are long."
#define DO_CLOCKS \
    "Record snapshots of the clocks too, or relate the clocks in a manifest (tptui " \
    "merge)."
#define DO_WRITER \
    "What wrote the file has a fault, or wrote it in a newer form than is known here. All " \
    "else was read."
#define DO_KNOWN "A newer version of tptui may know it. All else was read."
#define DO_FILE "The file is damaged or was cut: copy it again, or record again."
#define DO_HEAPPROFD \
    "Record with a larger sampling_interval_bytes or shmem_size_bytes, or with " \
    "block_client."
#define DO_PERF \
    "Sample less often, or fewer processes, or give the sampler larger buffers " \
    "(ring_buffer_pages; perf record -m)."
#define DO_AUX "Give AUX data larger buffers (perf record -m ,SIZE), or record less of it."
#define DO_SWITCHES "Switches are missing before it: record with a larger buffer, or fewer events."
#define DO_DEVICE "The device that was recorded gave no better answer. All else was read."
#define DO_SELF "The rows are there, but look twice at what they say."
#define DO_LENGTH \
    "Begins and ends do not match where it was recorded. Trust the times of what encloses " \
    "them, not their own."
#define DO_NONE "Nothing: it is so by design."
#define DO_SYMBOLS \
    "Names are missing where it occurs. Give symbols of this very build (tptui " \
    "symbolize)."
#define DO_VIDEO \
    "The recording of the screen lacks pictures from then on: record shorter, or in lower " \
    "quality."
#define DO_SYMBOLS_MAP \
    "Names stay obfuscated where it occurs. Give the map of this very build again (tptui " \
    "symbolize)."
#define DO_EDGE "They began before the trace did: begin recording earlier where they matter."
#define DO_KPROBE \
    "Probe fewer functions, or raise the number of probes that may run at a time " \
    "(maxactive)."
#define DO_SETUP \
    "The kernel does not have these events, or refused them: metadata of the name " \
    "ftrace_setup_errors says which."
#define DO_CLOCKS_ODD \
    "Times of several clocks may disagree near it: compare only events of one clock " \
    "there."
#define DO_FLOW \
    "An arrow is missing. Flows need ids of their own, and slices around their ends."
#define DO_FILTER "They were filtered out as the configuration asks (trace_filter)."
#define DO_REJECTED "Another profiler had the process: stop that, and record again."
#define DO_DECODER "This build cannot decode it: use one with OpenCSD, or perf script."
#define DO_PERF_CLOCK \
    "Times of such data are the processor's own: compare them only with each other."
#define DO_PROTOLOG "The text of such a message is incomplete: record the viewer config too."
#define DO_JIT "Names of generated code are missing: record the code that is generated, too."
#define DO_NO_FLUSH "Set flush_period_ms, so that data reaches the file in time."
#define DO_DISCARD \
    "Use fill_policy RING_BUFFER with write_into_file: the buffer stops for good once it " \
    "is full."
#define DO_PERIOD \
    "Write into the file more often (file_write_period_ms), or with a larger buffer."
#define DO_DEPTH \
    "Something begins again and again without an end: look for ends that are missing."
#define DO_ENDED "Nothing: such data is mostly of recordings that had ended."
#define DO_PROCESSES \
    "Record the processes, too (linux.process_stats: scan_all_processes_on_start)."
#define DO_STRACE "Run strace with -ttt or -r, so that lines have usable times."
#define DO_STRACE_PID "Run strace with -f, so that each line tells its process."
#define DO_GUESSED "Have perf script print the CPU (-F +cpu) where it matters which one it was."
#define DO_LINES \
    "The file is damaged, or other output is mixed in: write it to a file of its own, or " \
    "record again."
#define DO_PROFILER \
    "Record with the profiler (profiler.firefox.com) instead of the performance panel of old."
#define DO_LIVE "Open the file again once it is complete."

#define STATS(S) \
    S(android_aflags_errors, error, trace, single, doubt, "The flags of the device could not be read.", DO_DEVICE) \
    S(android_br_parse_errors, error, trace, single, place, "A bug report's file that cannot be read.", DO_FILE) \
    S(android_log_num_failed, error, trace, single, event, "Log events that could not be read.", DO_WRITER) \
    S(android_log_format_invalid, error, trace, single, event, "Log lines of an unknown form.", DO_WRITER) \
    S(android_log_num_skipped, info, trace, single, aside, "Log events that were skipped.", DO_NONE) \
    S(android_log_num_total, info, trace, single, figure, "Log events in all.", "") \
    S(android_video_size_cap_hit, data_loss, trace, single, place, "A screen recording ended because it had become too large.", DO_VIDEO) \
    S(android_video_codec_error, error, trace, single, place, "The encoder of a screen recording failed.", DO_VIDEO) \
    S(android_video_display_gone, error, trace, single, place, "The recorded display went away.", DO_VIDEO) \
    S(android_video_no_encoder, error, trace, single, place, "The device has no encoder for screen recordings.", DO_VIDEO) \
    S(android_video_display_not_found, error, trace, single, place, "The display to record does not exist.", DO_VIDEO) \
    S(android_video_encoder_setup_failed, error, trace, single, place, "The encoder of a screen recording could not be set up.", DO_VIDEO) \
    S(android_video_virtual_display_failed, error, trace, single, place, "The display could not be mirrored for recording.", DO_VIDEO) \
    S(android_video_parse_size_cap_hit, data_loss, trace, single, event, "Frames of a screen recording that were left out because there were too many bytes of them.", DO_VIDEO) \
    S(deobfuscate_location_parse_error, error, analysis, single_global, doubt, "A deobfuscation mapping that cannot be read.", DO_SYMBOLS_MAP) \
    S(energy_breakdown_missing_values, error, analysis, single, event, "Energy of a consumer that no descriptor names.", DO_WRITER) \
    S(energy_descriptor_invalid, error, analysis, single, event, "An energy consumer without an id.", DO_WRITER) \
    S(entity_state_descriptor_invalid, error, analysis, single, event, "A state of an entity that lacks its number or the entity's.", DO_WRITER) \
    S(entity_state_residency_invalid, error, analysis, single, event, "A packet on residencies of states that tells of none.", DO_WRITER) \
    S(entity_state_residency_lookup_failed, error, analysis, single, event, "Residency in a state that no descriptor names.", DO_WRITER) \
    S(energy_uid_breakdown_missing_values, error, analysis, single, event, "Energy of a uid that lacks the uid or the energy.", DO_WRITER) \
    S(frame_timeline_event_parser_errors, info, analysis, single, event, "Frame timeline events that cannot be read.", DO_WRITER) \
    S(frame_timeline_unpaired_end_event, info, analysis, single, aside, "Ends of frames that never began.", DO_EDGE) \
    S(ftrace_bundle_tokenizer_errors, error, analysis, single, place, "An ftrace bundle or event in it is malformed.", DO_FILE) \
    S(ftrace_cpu_bytes_begin, info, trace, indexed, figure, "Ftrace, per cpu, at the begin of the recording: Bytes in the buffer.", "") \
    S(ftrace_cpu_bytes_end, info, trace, indexed, figure, "Ftrace, per cpu, at the end of the recording: Bytes in the buffer.", "") \
    S(ftrace_cpu_bytes_delta, info, trace, indexed, figure, "Ftrace, per cpu: Growth of the buffer.", "") \
    S(ftrace_cpu_commit_overrun_begin, info, trace, indexed, figure, "Ftrace, per cpu: Overruns at the start.", "") \
    S(ftrace_cpu_commit_overrun_end, info, trace, indexed, figure, "Ftrace, per cpu: Overruns at the end.", "") \
    S(ftrace_cpu_commit_overrun_delta, error, trace, indexed, event, "Ftrace, per cpu: Overruns while recording.", DO_KERNEL) \
    S(ftrace_cpu_dropped_events_begin, info, trace, indexed, figure, "Ftrace, per cpu, at the begin of the recording: Events dropped by the kernel.", "") \
    S(ftrace_cpu_dropped_events_end, info, trace, indexed, figure, "Ftrace, per cpu, at the end of the recording: Events dropped by the kernel.", "") \
    S(ftrace_cpu_dropped_events_delta, error, trace, indexed, event, "Ftrace, per cpu: Events dropped while recording.", DO_KERNEL) \
    S(ftrace_cpu_entries_begin, info, trace, indexed, figure, "Ftrace, per cpu, at the begin of the recording: Entries in the buffer.", "") \
    S(ftrace_cpu_entries_end, info, trace, indexed, figure, "Ftrace, per cpu, at the end of the recording: Entries in the buffer.", "") \
    S(ftrace_cpu_entries_delta, info, trace, indexed, figure, "Ftrace, per cpu: Entries while recording.", "") \
    S(ftrace_cpu_now_ts_begin, info, trace, indexed, figure, "Ftrace, per cpu, at the begin of the recording: The cpu's clock.", "") \
    S(ftrace_cpu_now_ts_end, info, trace, indexed, figure, "Ftrace, per cpu, at the end of the recording: The cpu's clock.", "") \
    S(ftrace_cpu_oldest_event_ts_begin, info, trace, indexed, figure, "Ftrace, per cpu, at the begin of the recording: The oldest event.", "") \
    S(ftrace_cpu_oldest_event_ts_end, info, trace, indexed, figure, "Ftrace, per cpu, at the end of the recording: The oldest event.", "") \
    S(ftrace_cpu_overrun_begin, info, trace, indexed, figure, "Ftrace, per cpu, at the begin of the recording: Overwritten entries.", "") \
    S(ftrace_cpu_overrun_end, info, trace, indexed, figure, "Ftrace, per cpu, at the end of the recording: Overwritten entries.", "") \
    S(ftrace_cpu_overrun_delta, info, trace, indexed, event, "Ftrace, per cpu: Entries overwritten while recording.", DO_KERNEL) \
    S(ftrace_cpu_read_events_begin, info, trace, indexed, figure, "Ftrace, per cpu, at the begin of the recording: Events read.", "") \
    S(ftrace_cpu_read_events_end, info, trace, indexed, figure, "Ftrace, per cpu, at the end of the recording: Events read.", "") \
    S(ftrace_cpu_read_events_delta, info, trace, indexed, figure, "Ftrace, per cpu: Events read while recording.", "") \
    S(ftrace_cpu_has_data_loss, data_loss, trace, indexed, flag, "The kernel's ring buffer of this cpu overwrote events.", DO_KERNEL) \
    S(ftrace_kprobe_hits_begin, info, trace, single, figure, "Kprobe hits at the start.", "") \
    S(ftrace_kprobe_hits_end, info, trace, single, figure, "Kprobe hits at the end.", "") \
    S(ftrace_kprobe_hits_delta, info, trace, single, figure, "Kprobe hits while recording.", "") \
    S(ftrace_kprobe_misses_begin, info, trace, single, figure, "Kprobes missed at the start.", "") \
    S(ftrace_kprobe_misses_end, info, trace, single, figure, "Kprobes missed at the end.", "") \
    S(ftrace_kprobe_misses_delta, data_loss, trace, single, event, "Kprobes missed while recording.", DO_KPROBE) \
    S(ftrace_setup_errors, notice, trace, single, aside, "Ftrace events could not be enabled.", DO_SETUP) \
    S(ftrace_abi_errors_skipped_zero_data_length, info, analysis, single, event, "Kernel ring buffer records of length zero.", DO_WRITER) \
    S(ftrace_generic_descriptor_errors, error, analysis, single, event, "An event whose descriptor is missing or wrong.", DO_WRITER) \
    S(ftrace_thermal_exynos_acpm_unknown_tz_id, error, analysis, single, event, "A thermal zone id that is not known.", DO_WRITER) \
    S(fuchsia_non_numeric_counters, error, analysis, single, event, "A counter of a Fuchsia trace whose value is no number.", DO_WRITER) \
    S(fuchsia_timestamp_overflow, error, analysis, single, event, "A time of a Fuchsia trace that does not fit in 64 bits of nanoseconds.", DO_WRITER) \
    S(fuchsia_record_read_error, error, analysis, single, event, "A record of a Fuchsia trace that is shorter than it says.", DO_FILE) \
    S(fuchsia_invalid_event, error, analysis, single, event, "An event of a Fuchsia trace of an unknown kind.", DO_WRITER) \
    S(fuchsia_invalid_event_arg_type, error, analysis, single, doubt, "An argument in a Fuchsia trace of an unknown type.", DO_WRITER) \
    S(fuchsia_invalid_event_arg_name, error, analysis, single, doubt, "An argument in a Fuchsia trace without a name.", DO_WRITER) \
    S(fuchsia_unknown_event_arg, error, analysis, single, doubt, "An argument in a Fuchsia trace that is not understood.", DO_WRITER) \
    S(fuchsia_invalid_string_ref, error, analysis, single, event, "A Fuchsia trace names a string that it does not have.", DO_WRITER) \
    S(generic_task_state_invalid_order, error, analysis, single, doubt, "Task states out of order.", DO_WRITER) \
    S(gpu_counters_invalid_spec, error, analysis, single, event, "A gpu counter without a usable specification.", DO_WRITER) \
    S(gpu_counters_missing_spec, error, analysis, single, event, "A gpu counter that was never specified.", DO_WRITER) \
    S(gpu_counters_missing_timestamp, error, trace, single, event, "Gpu counters without a timestamp.", DO_WRITER) \
    S(gpu_render_stage_parser_errors, error, analysis, single, event, "Gpu render stages that cannot be read.", DO_WRITER) \
    S(graphics_frame_event_parser_errors, info, analysis, single, event, "Graphics frame events that cannot be read.", DO_WRITER) \
    S(guess_trace_type_duration_ns, info, analysis, single_global, figure, "Time to find out what the file is; not measured.", "") \
    S(instruments_row_missing_thread, error, analysis, single, event, "A sample of Instruments without a thread.", DO_WRITER) \
    S(instruments_row_missing_process, error, analysis, single, event, "A sample of Instruments without a process.", DO_WRITER) \
    S(instruments_row_missing_backtrace, error, analysis, single, event, "A sample of Instruments whose backtrace is missing.", DO_WRITER) \
    S(instruments_row_missing_frame, error, analysis, single, doubt, "A backtrace of Instruments that names a frame that is missing.", DO_WRITER) \
    S(interned_data_tokenizer_errors, info, analysis, single, aside, "Interned entries that cannot be read.", DO_WRITER) \
    S(invalid_clock_snapshots, error, analysis, single_global, doubt, "A clock snapshot contradicts an earlier one.", DO_CLOCKS_ODD) \
    S(invalid_cpu_times, error, analysis, single, event, "Cpu times of /proc/stat without a cpu.", DO_WRITER) \
    S(kernel_wakelock_reused_id, error, analysis, single, doubt, "A kernel wakelock was given the id of another.", DO_WRITER) \
    S(kernel_wakelock_unknown_id, error, analysis, single, event, "Time of a kernel wakelock that does not exist.", DO_WRITER) \
    S(kernel_wakelock_zero_value_reported, info, trace, single, aside, "The time a kernel wakelock was held was said to be zero.", DO_DEVICE) \
    S(kernel_wakelock_non_monotonic_value_reported, info, trace, single, aside, "The time a kernel wakelock was held was said to have shrunk.", DO_DEVICE) \
    S(kernel_wakelock_implausibly_large_value_reported, info, trace, single, aside, "A kernel wakelock was said to have been held for longer than can be.", DO_DEVICE) \
    S(kernel_trackevent_format_error, error, analysis, single, event, "A kernel track event without a field that it needs.", DO_WRITER) \
    S(app_wakelock_parse_error, error, analysis, single, event, "A bundle of app wakelocks that cannot be read.", DO_WRITER) \
    S(app_wakelock_unknown_id, error, analysis, single, event, "An app wakelock event names one that does not exist.", DO_WRITER) \
    S(concurrent_session_event_unknown_state, error, analysis, single, event, "A concurrent tracing session in an unknown state.", DO_WRITER) \
    S(meminfo_unknown_keys, error, analysis, single, event, "Meminfo values that are not known.", DO_KNOWN) \
    S(cpu_info_unknown_cpu_features, info, analysis, single, aside, "A feature of a cpu that has no known name.", DO_KNOWN) \
    S(missing_disk_io_event_name, error, analysis, single, event, "A disk operation of Windows of an unknown kind.", DO_WRITER) \
    S(cpu_info_empty, error, analysis, single, event, "Cpu information that names no cpu.", DO_WRITER) \
    S(mismatched_sched_switch_tids, error, analysis, single, doubt, "A sched_switch says that another thread ran than the one before it had switched in.", DO_SWITCHES) \
    S(mm_unknown_type, error, analysis, single, event, "An mm_event of a kind that is not known.", DO_KNOWN) \
    S(parse_trace_duration_ns, info, analysis, single_global, figure, "Time to load the trace; not measured.", "") \
    S(power_rail_empty_packet, error, analysis, single, event, "A power rails packet without rails.", DO_WRITER) \
    S(power_rail_unknown_index, error, trace, single, event, "A power rail that no descriptor names.", DO_WRITER) \
    S(proc_stat_unknown_counters, error, analysis, single, event, "Process counters that are not known.", DO_KNOWN) \
    S(rss_stat_unknown_keys, error, analysis, single, event, "An rss_stat with a member that is not known.", DO_KNOWN) \
    S(rss_stat_negative_size, info, analysis, single, event, "An rss_stat with a negative size.", DO_WRITER) \
    S(rss_stat_unknown_thread_for_mm_id, info, analysis, single, event, "An rss_stat of a process that is not known.", DO_PROCESSES) \
    S(filter_input_bytes, info, trace, single, figure, "Bytes before the trace filter.", "") \
    S(filter_input_packets, info, trace, single, figure, "Packets before the trace filter.", "") \
    S(filter_output_bytes, info, trace, single, figure, "Bytes after the trace filter.", "") \
    S(filter_time_taken_ns, info, trace, single, figure, "Time that the trace filter took.", "") \
    S(filter_errors, error, trace, single, event, "Packets that the trace filter could not handle.", DO_WRITER) \
    S(flow_duplicate_id, error, trace, single, event, "A flow was begun with an id that is in use.", DO_FLOW) \
    S(flow_no_enclosing_slice, error, trace, single, event, "A flow event lies outside of any slice.", DO_FLOW) \
    S(flow_step_without_start, info, trace, single, aside, "A flow passes a slice but never began.", DO_EDGE) \
    S(flow_end_without_start, info, trace, single, aside, "A flow ends that never began.", DO_EDGE) \
    S(flow_invalid_id, error, trace, single, event, "A flow's id cannot be read.", DO_FLOW) \
    S(flow_without_direction, error, trace, single, event, "A flow event says neither in nor out.", DO_FLOW) \
    S(stackprofile_empty_callstack, error, trace, single, doubt, "A callstack without frames.", DO_WRITER) \
    S(stackprofile_invalid_string_id, error, trace, single, doubt, "A profile names a string that does not exist.", DO_WRITER) \
    S(stackprofile_invalid_mapping_id, error, trace, single, doubt, "A profile names a mapping that does not exist.", DO_WRITER) \
    S(stackprofile_invalid_frame_id, error, trace, single, doubt, "A profile names a frame that does not exist.", DO_WRITER) \
    S(stackprofile_invalid_callstack_id, error, trace, single, event, "A profile names a callstack that does not exist.", DO_WRITER) \
    S(stackprofile_parser_error, error, trace, single, event, "A profile that cannot be read.", DO_WRITER) \
    S(smaps_parser_errors, error, trace, single, event, "A list of memory mappings whose columns do not fit together.", DO_WRITER) \
    S(systemd_journal_num_failed, error, trace, single, event, "Lines of the journal that could not be read.", DO_WRITER) \
    S(systemd_journal_num_total, info, trace, single, figure, "Lines of the journal in all.", "") \
    S(systrace_parse_failure, error, analysis, single, event, "A trace marker line that is not one of the known forms.", DO_WRITER) \
    S(task_state_invalid, error, analysis, single, doubt, "A task state that the kernel version does not have.", DO_WRITER) \
    S(traced_buf_abi_violations, data_loss, trace, indexed, place, "Chunks that break the shared memory protocol.", DO_WRITER) \
    S(traced_buf_buffer_size, info, trace, indexed, figure, "Size of the buffer in bytes.", "") \
    S(traced_buf_bytes_overwritten, info, trace, indexed, aside, "Bytes overwritten before they were read.", DO_RING) \
    S(traced_buf_bytes_read, info, trace, indexed, figure, "Bytes read from the buffer.", "") \
    S(traced_buf_bytes_filtered_out, info, trace, indexed, aside, "Bytes that the trace filter left out.", DO_FILTER) \
    S(traced_buf_bytes_written, info, trace, indexed, figure, "Bytes written to the buffer.", "") \
    S(traced_buf_clone_done_timestamp_ns, info, trace, indexed, figure, "When the buffer was cloned.", "") \
    S(traced_buf_chunks_discarded, info, trace, indexed, place, "Chunks discarded because the buffer was full.", DO_BUFFER) \
    S(traced_buf_chunks_overwritten, info, trace, indexed, aside, "Chunks overwritten before they were read.", DO_RING) \
    S(traced_buf_chunks_read, info, trace, indexed, figure, "Chunks read.", "") \
    S(traced_buf_chunks_relocated, info, trace, indexed, figure, "Chunks that were moved within the buffer.", "") \
    S(traced_buf_chunks_rewritten, info, trace, indexed, figure, "Chunks written again.", "") \
    S(traced_buf_chunks_written, info, trace, indexed, figure, "Chunks written.", "") \
    S(traced_buf_chunks_committed_out_of_order, info, trace, indexed, figure, "Chunks that came out of order.", "") \
    S(traced_buf_padding_bytes_cleared, info, trace, indexed, figure, "Padding removed.", "") \
    S(traced_buf_padding_bytes_written, info, trace, indexed, figure, "Padding written.", "") \
    S(traced_buf_patches_failed, data_loss, trace, indexed, place, "Patches for chunks that were gone.", DO_BUFFER) \
    S(traced_buf_patches_succeeded, info, trace, indexed, figure, "Patches applied.", "") \
    S(traced_buf_readaheads_failed, info, trace, indexed, figure, "Reads ahead that failed.", "") \
    S(traced_buf_readaheads_succeeded, info, trace, indexed, figure, "Reads ahead that succeeded.", "") \
    S(traced_buf_trace_writer_packet_loss, data_loss, trace, indexed, place, "A writer lost packets because the shared buffer was full.", DO_SHMEM) \
    S(traced_buf_sequence_packet_loss, data_loss, analysis, indexed, place, "Sequences of this buffer that lost packets.", DO_BUFFER) \
    S(traced_buf_incremental_sequences_dropped, data_loss, analysis, indexed, place, "Sequences whose state was never complete.", DO_STATE) \
    S(traced_buf_data_loss_read_gap, data_loss, trace, indexed, place, "Losses because of a gap between reads.", DO_BUFFER) \
    S(traced_buf_data_loss_chunk_corrupted, data_loss, trace, indexed, place, "Losses because of a corrupt chunk.", DO_WRITER) \
    S(traced_buf_data_loss_orphan_continuation, data_loss, trace, indexed, place, "Losses because the start of a packet was missing.", DO_BUFFER) \
    S(traced_buf_data_loss_reassembly_gap, data_loss, trace, indexed, place, "Losses because a fragment was missing.", DO_BUFFER) \
    S(traced_buf_data_loss_reassembly_broken_chain, data_loss, trace, indexed, place, "Losses because fragments did not fit together.", DO_BUFFER) \
    S(traced_buf_data_loss_overwrite, data_loss, trace, indexed, place, "Losses because the buffer was overwritten.", DO_BUFFER) \
    S(traced_buf_data_loss_writer_abort, data_loss, trace, indexed, place, "Losses because the writer stopped.", DO_WRITER) \
    S(traced_buf_data_loss_smb_full, data_loss, trace, indexed, place, "Losses because the shared memory buffer was full.", DO_SHMEM) \
    S(traced_buf_write_wrap_count, info, trace, indexed, figure, "Times that the buffer wrapped.", "") \
    S(traced_clone_started_timestamp_ns, info, trace, single, figure, "When the session was cloned.", "") \
    S(traced_clone_trigger_timestamp_ns, info, trace, single, figure, "When the trigger that cloned the session fired.", "") \
    S(traced_chunks_discarded, info, trace, single, aside, "Chunks that the service discarded.", DO_ENDED) \
    S(traced_data_sources_registered, info, trace, single, figure, "Data sources registered with the service.", "") \
    S(traced_data_sources_seen, info, trace, single, figure, "Data sources ever seen by the service.", "") \
    S(traced_final_flush_failed, data_loss, trace, single, flag, "The last flush failed: the end of the trace may be missing.", DO_FLUSH) \
    S(traced_final_flush_succeeded, info, trace, single, figure, "The last flush succeeded.", "") \
    S(traced_flushes_failed, data_loss, trace, single, place, "Flushes that failed.", DO_FLUSH) \
    S(traced_flushes_requested, info, trace, single, figure, "Flushes requested.", "") \
    S(traced_flushes_succeeded, info, trace, single, figure, "Flushes that succeeded.", "") \
    S(traced_patches_discarded, info, trace, single, aside, "Patches that the service discarded.", DO_ENDED) \
    S(traced_producers_connected, info, trace, single, figure, "Producers connected.", "") \
    S(traced_producers_seen, info, trace, single, figure, "Producers ever seen.", "") \
    S(traced_total_buffers, info, trace, single, figure, "Buffers of all sessions.", "") \
    S(traced_tracing_sessions, info, trace, single, figure, "Tracing sessions.", "") \
    S(track_event_parser_errors, info, analysis, single, event, "Track events whose content makes no sense.", DO_WRITER) \
    S(track_event_dropped_packets_outside_of_range_of_interest, info, analysis, single, aside, "Track events before the range of interest.", DO_NONE) \
    S(track_event_tokenizer_errors, info, analysis, single, event, "Track events that cannot be read.", DO_WRITER) \
    S(track_hierarchy_missing_uuid, info, analysis, single, doubt, "A track whose parent was never described.", DO_WRITER) \
    S(track_event_thread_invalid_end, error, trace, single, event, "The end of a slice that never began.", DO_EDGE) \
    S(tokenizer_skipped_packets, info, analysis, single, event, "Packets that need sequence state which was lost.", DO_STATE) \
    S(vmstat_unknown_keys, error, analysis, single, event, "Vmstat values that are not known.", DO_KNOWN) \
    S(psi_unknown_resource, error, analysis, single, event, "Pressure stall values of a resource that is not known.", DO_KNOWN) \
    S(vulkan_allocations_invalid_string_id, error, trace, single, doubt, "A vulkan event names a string that does not exist.", DO_WRITER) \
    S(clock_sync_failure, error, analysis, single, event, "A timestamp could not be converted to the trace clock.", DO_CLOCKS) \
    S(clock_sync_failure_unknown_source_clock, error, analysis, single, event, "A timestamp's clock occurs in no snapshot.", DO_CLOCKS) \
    S(clock_sync_failure_unknown_target_clock, error, analysis, single, event, "The trace clock occurs in no snapshot.", DO_CLOCKS) \
    S(clock_sync_failure_no_path, error, analysis, single, event, "A timestamp's clock cannot be converted to the trace clock: no chain of snapshots connects them.", DO_CLOCKS) \
    S(clock_sync_unrelatable_clock_domains, error, analysis, single, doubt, "The trace has clocks that no snapshot relates to each other.", DO_CLOCKS) \
    S(clock_sync_mixed_clock_sources, error, analysis, single, doubt, "Clocks of one domain are related by snapshots of several kinds, which disagree.", DO_CLOCKS) \
    S(clock_sync_failure_undeferrable_packet_loss, data_loss, analysis, single, again, "A packet came before its clock was known and was dropped.", DO_CLOCKS) \
    S(clock_sync_cache_miss, info, analysis, single_global, figure, "Clock conversions that needed a search.", "") \
    S(process_tracker_errors, error, analysis, single, doubt, "Contradicting facts about a process.", DO_SELF) \
    S(process_tracker_parent_pid_changed, info, analysis, single, aside, "A process got another parent; it is taken for the same process.", DO_SELF) \
    S(namespaced_thread_missing_process, error, analysis, single, doubt, "A thread of a pid namespace whose process is not known.", DO_WRITER) \
    S(json_tokenizer_failure, error, trace, single, place, "JSON that cannot be read.", DO_FILE) \
    S(json_parser_failure, error, trace, single, event, "A JSON event that makes no sense.", DO_WRITER) \
    S(json_display_time_unit, info, trace, single, figure, "The JSON trace says in which unit its times are to be shown.", "") \
    S(heap_graph_invalid_string_id, error, trace, indexed_global, doubt, "A heap graph names a string that does not exist.", DO_WRITER) \
    S(heap_graph_malformed_packet, error, trace, indexed_global, place, "A heap graph packet that cannot be read.", DO_WRITER) \
    S(heap_graph_missing_packet, error, trace, indexed_global, place, "A heap graph with a gap.", DO_BUFFER) \
    S(heapprofd_buffer_corrupted, error, trace, indexed, flag, "The profiled process wrote garbage.", DO_HEAPPROFD) \
    S(heapprofd_hit_guardrail, error, trace, indexed, flag, "The profiler used too much and stopped.", DO_HEAPPROFD) \
    S(heapprofd_buffer_overran, data_loss, trace, indexed, flag, "The profiler was too slow: samples are missing.", DO_HEAPPROFD) \
    S(heapprofd_client_error, error, trace, indexed, flag, "The profiled process gave up; the value is the format's ClientError.", DO_HEAPPROFD) \
    S(heapprofd_client_disconnected, info, trace, indexed, aside, "The profiled process went away.", DO_NONE) \
    S(heapprofd_malformed_packet, error, trace, indexed, place, "A heap profile whose totals shrink; by process.", DO_WRITER) \
    S(heapprofd_missing_packet, error, trace, single, place, "A heap profile with a gap.", DO_BUFFER) \
    S(heapprofd_rejected_concurrent, error, trace, indexed, flag, "The process was being profiled already.", DO_REJECTED) \
    S(heapprofd_non_finalized_profile, error, trace, single, place, "A heap profile whose end is missing.", DO_FLUSH) \
    S(heapprofd_sampling_interval_adjusted, info, trace, indexed, aside, "Bytes that the profiler added to the sampling interval.", DO_NONE) \
    S(heapprofd_unwind_time_us, info, trace, indexed, figure, "Microseconds that the profiler unwound stacks.", "") \
    S(heapprofd_unwind_samples, info, trace, indexed, figure, "Stacks that the profiler unwound.", "") \
    S(heapprofd_client_spinlock_blocked, info, trace, indexed, figure, "Microseconds that the profiled process waited for a lock.", "") \
    S(heapprofd_last_profile_timestamp, info, trace, indexed, figure, "When the last dump of the process was written.", "") \
    S(symbolization_tmp_build_id_not_found, error, analysis, single, doubt, "Symbols for a library that is not in the trace.", DO_SYMBOLS) \
    S(metatrace_overruns, error, trace, single, place, "The trace of the tracing itself has a gap.", DO_BUFFER) \
    S(packages_list_has_parse_errors, error, trace, single, doubt, "The list of packages could not be parsed.", DO_DEVICE) \
    S(packages_list_has_read_errors, error, trace, single, doubt, "The list of packages could not be read.", DO_DEVICE) \
    S(user_list_errors, error, trace, single, doubt, "The list of users could not be read.", DO_DEVICE) \
    S(game_intervention_has_parse_errors, error, trace, single, doubt, "The list of game interventions could not be parsed.", DO_DEVICE) \
    S(game_intervention_has_read_errors, error, trace, single, doubt, "The list of game interventions could not be read.", DO_DEVICE) \
    S(compact_sched_has_parse_errors, error, trace, single, event, "Compact scheduling data whose arrays differ in length.", DO_WRITER) \
    S(misplaced_end_event, data_loss, analysis, single, doubt, "A slice ended while one inside it was still open; the inner one was cut at the outer one's end.", DO_LENGTH) \
    S(truncated_sys_write_duration, info, analysis, single, aside, "Write calls cut short because an atrace slice began or ended inside.", DO_LENGTH) \
    S(compact_sched_switch_skipped, info, analysis, single, aside, "First compact switch of a cpu, whose previous thread is not known.", DO_EDGE) \
    S(compact_sched_waking_skipped, info, analysis, single, aside, "Compact wakeup before the first switch of its cpu.", DO_EDGE) \
    S(empty_chrome_metadata, error, trace, single, doubt, "Metadata of Chrome that has no value.", DO_WRITER) \
    S(ninja_parse_errors, error, trace, single, event, "A line of a Ninja log that cannot be read.", DO_WRITER) \
    S(perf_cpu_lost_records, data_loss, trace, indexed, event, "The kernel lost samples of this cpu.", DO_PERF) \
    S(perf_process_shard_count, info, trace, indexed, figure, "Shards of the profiled processes.", "") \
    S(perf_chosen_process_shard, info, trace, indexed, figure, "The shard that was profiled.", "") \
    S(perf_guardrail_stop_ts, data_loss, trace, indexed, flag, "The profiler used too much and stopped.", DO_PERF) \
    S(perf_unknown_record_type, info, analysis, indexed, aside, "Records of a kind that Trace Processor does not know; indexed by the type.", DO_NONE) \
    S(perf_record_skipped, error, analysis, indexed, event, "Perf records that cannot be read, or are of a kind that is not known; indexed by the type. Those that tell of no event are counted, too, but no loss.", DO_WRITER) \
    S(perf_samples_skipped, error, analysis, single, event, "Samples whose data is missing.", DO_WRITER) \
    S(perf_features_skipped, info, analysis, indexed, aside, "A feature section of a perf file that is not understood; indexed by its number.", DO_KNOWN) \
    S(perf_samples_cpu_mode_unknown, error, analysis, single, doubt, "A perf sample that does not say whether it was taken in the kernel or in user space.", DO_WRITER) \
    S(perf_samples_skipped_dataloss, data_loss, trace, single, event, "Samples lost before they were written.", DO_PERF) \
    S(perf_dummy_mapping_used, info, analysis, single, aside, "A frame of a perf sample outside of all known mappings.", DO_SYMBOLS) \
    S(perf_aux_missing, data_loss, trace, single, bytes, "Bytes that are missing in AUX data.", DO_AUX) \
    S(perf_aux_ignored, info, trace, single, bytes, "Bytes of AUX data that were not read.", DO_DECODER) \
    S(perf_aux_lost, data_loss, trace, single, bytes, "Bytes of AUX data that the kernel lost.", DO_AUX) \
    S(perf_aux_truncated, data_loss, trace, single, place, "AUX data that was cut when it was written.", DO_AUX) \
    S(perf_aux_partial, data_loss, trace, single, place, "AUX data with gaps.", DO_AUX) \
    S(perf_aux_collision, data_loss, trace, single, place, "AUX samples that collided with others.", DO_AUX) \
    S(perf_auxtrace_missing, data_loss, trace, single, bytes, "Bytes of AUX data whose AUXTRACE record is missing.", DO_AUX) \
    S(perf_unknown_aux_data, data_loss, trace, indexed, place, "AUX data of a kind that is not understood.", DO_DECODER) \
    S(perf_no_tsc_data, info, trace, single, aside, "The file does not say how the processor's time stamp counter relates to perf's clock.", DO_PERF_CLOCK) \
    S(spe_no_timestamp, info, trace, single, event, "An SPE record without a time.", DO_WRITER) \
    S(etm_no_importer, error, analysis, single, place, "ETM data, which this build does not decode.", DO_DECODER) \
    S(memory_snapshot_parser_failure, error, analysis, single, doubt, "A memory snapshot's node without a usable name, or an entry of one without a value.", DO_WRITER) \
    S(thread_time_in_state_unknown_cpu_freq, error, analysis, single, event, "Time in state of a cpu frequency that is not known.", DO_WRITER) \
    S(ftrace_packet_before_tracing_start, info, analysis, single, aside, "Ftrace events from before the start of tracing were dropped.", DO_NONE) \
    S(sorter_push_event_out_of_order, error, trace, single_global, event, "An event that came too late to be put in order.", DO_WRITER) \
    S(unknown_extension_fields, error, trace, single, doubt, "Fields that no descriptor explains.", DO_KNOWN) \
    S(network_trace_intern_errors, info, analysis, single, event, "Network packets whose context is not interned.", DO_STATE) \
    S(network_trace_parse_errors, info, analysis, single, event, "Network packets whose lists of times or lengths cannot be read.", DO_WRITER) \
    S(atom_timestamp_missing, error, trace, single, doubt, "A statsd atom without a time; it is shown at the time of its packet.", DO_SELF) \
    S(atom_unknown, info, analysis, single, aside, "A statsd atom whose fields have no known names.", DO_KNOWN) \
    S(v8_intern_errors, data_loss, analysis, single, event, "V8 code names an isolate, script or function that does not exist.", DO_WRITER) \
    S(v8_isolate_has_no_code_range, error, analysis, single, event, "An isolate does not say where its code is; its code is left out.", DO_WRITER) \
    S(v8_no_defaults, data_loss, analysis, single, event, "V8 code without a thread.", DO_WRITER) \
    S(v8_no_code_range, error, analysis, single, event, "V8 code outside of the code range of its isolate.", DO_WRITER) \
    S(v8_unknown_code_type, error, analysis, single, doubt, "V8 code of an unknown tier.", DO_KNOWN) \
    S(v8_code_load_missing_code_range, error, analysis, single, event, "V8 code that does not say where it is.", DO_WRITER) \
    S(winscope_inputmethod_clients_parse_errors, error, analysis, single, event, "Input method clients that cannot be read.", DO_WRITER) \
    S(winscope_inputmethod_manager_service_parse_errors, error, analysis, single, event, "States of the input method manager service that cannot be read.", DO_WRITER) \
    S(winscope_inputmethod_service_parse_errors, error, analysis, single, event, "States of the input method service that cannot be read.", DO_WRITER) \
    S(winscope_sf_layers_parse_errors, error, analysis, single, event, "Snapshots of SurfaceFlinger's layers that cannot be read.", DO_WRITER) \
    S(winscope_sf_transactions_parse_errors, error, analysis, single, doubt, "A transaction has so many changes and barriers that its changes do not show the barriers.", DO_SELF) \
    S(winscope_shell_transitions_parse_errors, error, analysis, single, event, "Shell transitions that cannot be read.", DO_WRITER) \
    S(winscope_protolog_invalid_interpolation_parse_errors, info, analysis, single, doubt, "A ProtoLog message whose format has an unknown placeholder.", DO_PROTOLOG) \
    S(winscope_protolog_missing_interned_arg_parse_errors, info, analysis, single, doubt, "A ProtoLog line names a text that does not exist.", DO_PROTOLOG) \
    S(winscope_protolog_missing_interned_stacktrace_parse_errors, info, analysis, single, doubt, "A ProtoLog line names a stack trace that does not exist.", DO_PROTOLOG) \
    S(winscope_protolog_message_decoding_failed, info, analysis, single, doubt, "A ProtoLog line whose format no viewer config tells.", DO_PROTOLOG) \
    S(winscope_protolog_message_collision, info, analysis, single, doubt, "Two ProtoLog messages have the same number.", DO_PROTOLOG) \
    S(winscope_protolog_message_collision_resolved, info, analysis, single, aside, "A ProtoLog message whose number another has, told apart by its group.", DO_NONE) \
    S(winscope_protolog_group_tag_collision, info, analysis, single, doubt, "Two ProtoLog groups have the same number.", DO_PROTOLOG) \
    S(winscope_protolog_group_tag_missing, info, analysis, single, doubt, "A ProtoLog message of a group without a tag.", DO_PROTOLOG) \
    S(winscope_protolog_param_mismatch, info, analysis, single, doubt, "A ProtoLog message whose parameters do not fit its format.", DO_PROTOLOG) \
    S(winscope_viewcapture_parse_errors, error, analysis, single, event, "View captures that cannot be read.", DO_WRITER) \
    S(winscope_viewcapture_missing_interned_string_parse_errors, error, analysis, single, doubt, "A view capture names a string that does not exist.", DO_STATE) \
    S(winscope_windowmanager_parse_errors, error, analysis, single, event, "A window container without a token or a title, or of an unknown kind; it and what is in it were left out.", DO_WRITER) \
    S(jit_unknown_frame, data_loss, trace, single, doubt, "A frame in generated code that no event told of.", DO_JIT) \
    S(ftrace_missing_event_id, info, analysis, single, event, "An event without an id.", DO_WRITER) \
    S(android_input_event_parse_errors, info, analysis, single, event, "Input events that cannot be read.", DO_WRITER) \
    S(mali_unknown_mcu_state_id, error, analysis, single, event, "A state of the Mali controller that is not known.", DO_KNOWN) \
    S(pixel_modem_negative_timestamp, error, analysis, single, event, "Events of a Pixel's modem before the start of time.", DO_WRITER) \
    S(legacy_v8_cpu_profile_invalid_callsite, error, trace, single, doubt, "A V8 cpu profile names a parent that it does not have.", DO_WRITER) \
    S(legacy_v8_cpu_profile_invalid_sample, error, trace, single, event, "A V8 cpu profile has a sample of a node that it does not have.", DO_WRITER) \
    S(config_write_into_file_no_flush, error, trace, single, doubt, "The config streams into a file but never flushes.", DO_NO_FLUSH) \
    S(config_write_into_file_discard, data_loss, trace, indexed, flag, "A buffer that discards when full was streamed into a file.", DO_DISCARD) \
    S(long_trace_mode_bytes_overwritten, data_loss, trace, indexed, bytes, "Bytes of the buffer that were overwritten before the file was written.", DO_PERIOD) \
    S(hprof_string_counter, info, analysis, single, figure, "Strings in the heap dump.", "") \
    S(hprof_class_counter, info, analysis, single, figure, "Classes in the heap dump.", "") \
    S(hprof_heap_dump_counter, info, analysis, single, figure, "Dump segments in the heap dump.", "") \
    S(hprof_instance_counter, info, analysis, single, figure, "Instances in the heap dump.", "") \
    S(hprof_object_array_counter, info, analysis, single, figure, "Arrays of objects in the heap dump.", "") \
    S(hprof_primitive_array_counter, info, analysis, single, figure, "Arrays of numbers in the heap dump.", "") \
    S(hprof_root_counter, info, analysis, single, figure, "Roots in the heap dump.", "") \
    S(hprof_reference_counter, info, analysis, single, figure, "References in the heap dump.", "") \
    S(hprof_record_counter, info, analysis, single, figure, "Records in the heap dump.", "") \
    S(hprof_segment_overshoot_counter, info, analysis, single, aside, "Dump segments whose records run past their end.", DO_WRITER) \
    S(hprof_field_value_errors, error, analysis, single, event, "Fields of the heap dump that cannot be read.", DO_FILE) \
    S(hprof_class_errors, error, analysis, single, event, "Classes of the heap dump that cannot be read.", DO_FILE) \
    S(hprof_header_errors, error, analysis, single, event, "A header of a heap dump that cannot be read.", DO_FILE) \
    S(hprof_heap_dump_errors, error, analysis, single, event, "Records within a dump segment that cannot be read.", DO_FILE) \
    S(hprof_primitive_array_parsing_errors, error, analysis, single, event, "Arrays of numbers that cannot be read.", DO_FILE) \
    S(hprof_reference_errors, error, analysis, single, doubt, "References to objects that the heap dump does not have.", DO_FILE) \
    S(trace_sorter_negative_timestamp_dropped, error, trace, single_global, event, "An event before time 0 that was dropped.", DO_WRITER) \
    S(slice_drop_overlapping_complete_event, error, analysis, single, event, "A complete event overlaps another one on its track without nesting; it was dropped.", DO_WRITER) \
    S(slice_spill_overlapping_complete_event, error, analysis, single, doubt, "A complete event overlaps another one on its track without nesting.", DO_WRITER) \
    S(perf_text_importer_sample_no_frames, error, trace, single, event, "A sample of perf script without frames.", DO_WRITER) \
    S(strace_parse_failure, info, trace, single, event, "A line of strace's output that cannot be read. Signals and exits are counted, too, but no loss.", DO_WRITER) \
    S(strace_unsupported_timestamp_format, error, trace, single, doubt, "An strace log without usable times.", DO_STRACE) \
    S(strace_missing_pid, error, trace, single, doubt, "A line of strace's output without a pid.", DO_STRACE_PID) \
    S(simpleperf_missing_file_mapping, data_loss, trace, single, doubt, "A simpleperf sample in a file that no record describes.", DO_SYMBOLS) \
    S(slice_negative_duration, error, analysis, single, event, "A slice that ends before it begins; it was dropped.", DO_WRITER) \
    S(slice_max_depth_exceeded, error, analysis, single, event, "A slice is nested too deep and was dropped.", DO_DEPTH) \
    S(gpu_work_period_negative_duration, error, analysis, single, event, "A gpu work period that ends before it begins.", DO_WRITER) \
    S(track_descriptor_missing_uuid, error, analysis, single, event, "A track descriptor without a uuid.", DO_WRITER) \
    S(track_descriptor_thread_missing_pid_tid, error, analysis, single, event, "The descriptor of a thread track without pid or tid.", DO_WRITER) \
    S(track_descriptor_process_missing_pid, error, analysis, single, event, "The descriptor of a process track without a pid.", DO_WRITER) \
    S(track_event_missing_sequence_id, error, analysis, single, event, "A track event without a packet sequence.", DO_WRITER) \
    S(track_event_missing_timestamp, error, analysis, single, event, "A track event without a time.", DO_WRITER) \
    S(track_event_invalid_timestamp, error, analysis, single, event, "A track event before time 0.", DO_WRITER) \
    S(streaming_profile_invalid_timestamp, error, analysis, single, event, "A profile sample whose timestamp overflows.", DO_WRITER) \
    S(thread_descriptor_missing_sequence_id, error, analysis, single, event, "A thread descriptor without a packet sequence.", DO_WRITER) \
    S(incremental_state_cleared_missing_sequence_id, error, analysis, single, event, "A packet clears the state of a sequence that it does not name.", DO_WRITER) \
    S(previous_packet_dropped_missing_sequence_id, error, analysis, single, event, "A packet tells of losses on a sequence that it does not name.", DO_WRITER) \
    S(trace_packet_defaults_missing_sequence_id, error, analysis, single, event, "A packet has defaults for a sequence that it does not name.", DO_WRITER) \
    S(interned_data_missing_sequence_id, error, analysis, single, event, "A packet has interned data for a sequence that it does not name.", DO_WRITER) \
    S(track_event_track_hierarchy_loop, error, analysis, single, doubt, "A track is its own ancestor.", DO_WRITER) \
    S(track_event_track_hierarchy_too_deep, error, analysis, single, doubt, "A track with more than 100 ancestors.", DO_WRITER) \
    S(track_descriptor_default_track_with_parent, error, analysis, single, doubt, "A descriptor gives the default track a parent.", DO_WRITER) \
    S(track_descriptor_conflicting_reservation, error, analysis, single, doubt, "Two descriptors say different things about one track.", DO_WRITER) \
    S(track_event_range_of_interest_missing_start_us, error, analysis, single, doubt, "A range of interest without a start.", DO_WRITER) \
    S(track_descriptor_invalid_child_ordering, error, analysis, single, doubt, "A track descriptor with an unknown order of children.", DO_WRITER) \
    S(track_event_counter_missing_track_uuid, error, analysis, single, event, "A counter value without a track.", DO_WRITER) \
    S(track_event_counter_missing_value, error, analysis, single, event, "A counter event without a value.", DO_WRITER) \
    S(track_event_counter_invalid_track_uuid, error, analysis, single, event, "A counter value whose track is not a counter.", DO_WRITER) \
    S(track_event_extra_counter_missing_track_uuids, error, analysis, single, event, "A track event with counter values but without their tracks.", DO_WRITER) \
    S(track_event_state_missing_track_uuid, error, analysis, single, event, "A state event without a track.", DO_WRITER) \
    S(track_event_extra_counter_track_uuid_mismatch, error, analysis, single, event, "A track event with more counter values than tracks for them.", DO_WRITER) \
    S(track_event_extra_counter_exceeds_max, error, analysis, single, event, "A track event with more than 8 counter values.", DO_WRITER) \
    S(track_event_extra_counter_invalid_track, error, analysis, single, event, "A track event with a value for a track that is not a counter.", DO_WRITER) \
    S(thread_descriptor_skipped_incremental_state_invalid, notice, analysis, single, event, "Thread descriptors of a sequence whose state was lost.", DO_STATE) \
    S(track_event_skipped_timestamp_delta_without_valid_state, notice, analysis, single, event, "Timestamps relative to values that were lost.", DO_STATE) \
    S(track_event_skipped_thread_time_delta_without_valid_state, notice, analysis, single, doubt, "Thread times relative to values that were lost.", DO_STATE) \
    S(track_event_skipped_thread_instruction_delta_without_valid_state, notice, analysis, single, doubt, "Instruction counts relative to values that were lost.", DO_STATE) \
    S(packet_skipped_seq_needs_incremental_state_invalid, notice, analysis, single, event, "Packets before their sequence's state was valid.", DO_STATE) \
    S(interned_data_skipped_incremental_state_invalid, notice, analysis, single, event, "Interned data of a sequence whose state is not valid; it was skipped.", DO_STATE) \
    S(heap_graph_non_finalized_graph, data_loss, trace, single_global, place, "A heap graph whose end is missing.", DO_FLUSH) \
    S(primes_unknown_edge_type, data_loss, analysis, single, event, "An edge of a Primes trace of an unknown kind.", DO_WRITER) \
    S(primes_executor_not_found, data_loss, analysis, single, event, "An edge of a Primes trace names an executor that does not exist.", DO_WRITER) \
    S(primes_end_without_matching_begin, info, analysis, single, event, "A slice of a Primes trace ends that never began.", DO_EDGE) \
    S(primes_missing_entity_details, info, analysis, single, doubt, "An edge of a Primes trace without details of its entity.", DO_WRITER) \
    S(primes_missing_parent_id, info, analysis, single, doubt, "An edge of a Primes trace without a parent.", DO_WRITER) \
    S(primes_malformed_timestamp, data_loss, analysis, single, event, "A time of a Primes trace that cannot be read.", DO_WRITER) \
    S(protovm_abort, error, analysis, single, doubt, "A patch contradicts the program that applies it, or its state grows too large; the packet was imported as it stands.", DO_WRITER) \
    S(protovm_registration_error, error, analysis, single, doubt, "A program applies patches of a producer whose packet sequences are not known.", DO_WRITER) \
    S(extra_parsing_descriptors_error, error, analysis, single_global, doubt, "Descriptors given for parsing that cannot be read.", DO_WRITER) \
    S(decompression_errors, error, trace, extra, place, "What is compressed, a packet or a file, is damaged or ends early; what follows in it was skipped.", DO_FILE) \
    S(exported_table_errors, error, trace, extra, place, "Tables of an export name rows that are not there: none of them was read.", DO_FILE) \
    S(extension_descriptor_errors, error, trace, extra, doubt, "A descriptor of the trace's own extensions that cannot be read.", DO_WRITER) \
    S(packet_corrupt, error, trace, extra, place, "A packet's bytes cannot be read; it was skipped.", DO_FILE) \
    S(packet_sequence_losses, data_loss, analysis, extra, place, "Packets of a writer were lost before one that was read.", DO_BUFFER) \
    S(ftrace_text_malformed_event, info, analysis, extra, event, "An event of ftrace's text that lacks what it should say.", DO_WRITER) \
    S(ftrace_text_guessed_cpu, info, analysis, extra, aside, "Events of perf script whose lines do not tell the CPU; it follows from who ran before.", DO_GUESSED) \
    S(perf_throttled, data_loss, trace, extra, place, "The kernel stopped sampling for a while, as there were too many samples.", DO_PERF) \
    S(ftrace_text_overwritten, data_loss, trace, extra, event, "Events that were lost before the text was written, as the text itself says.", DO_KERNEL) \
    S(text_line_unread, error, trace, extra, event, "A line of a text that its format does not know.", DO_LINES) \
    S(text_hole_bytes, data_loss, trace, extra, bytes, "Zero bytes where text should be, as a crash of the machine leaves them.", DO_FILE) \
    S(text_not_read_by_trim, error, trace, extra, place, "A damaged place of the text that this one was trimmed from, as a line of it says.", DO_FILE) \
    S(json_event_not_read, notice, analysis, unpublished, unshown, "JSON events of a kind of which no rows are made: objects, memory dumps, contexts, clock syncs, and the oldest form of asynchronous slices.", DO_NONE) \
    S(gecko_sample_without_stack, error, trace, extra, event, "A sample of a Firefox profile whose stack, or the function of it, is not in the file.", DO_WRITER) \
    S(gecko_stack_without_callers, error, trace, extra, doubt, "A stack of a Firefox profile whose callers are not in the file, so that it begins in the middle.", DO_WRITER) \
    S(gecko_marker_of_other_clock, data_loss, trace, extra, event, "Markers that count from another clock than the samples; the file does not relate the two.", DO_PROFILER) \
    S(json_event_unknown_phase, error, trace, extra, event, "A JSON event of a phase that is not known; it was skipped.", DO_WRITER) \
    S(trace_ends_early, data_loss, trace, extra, flag, "The file ends in the middle; what should follow is missing.", DO_FILE) \
    S(trace_missing_bytes, data_loss, trace, extra, bytes, "Bytes that should follow the end of the file, as its header says.", DO_FILE) \
    S(trace_file_changed_while_loading, error, trace, extra, flag, "The file was written to while it was read.", DO_LIVE) \
    S(trace_file_cut_while_loading, data_loss, trace, extra, flag, "The file was cut short while it was read; what was read before is there.", DO_LIVE) \
    S(trace_truncated_bytes, data_loss, trace, extra, bytes, "Bytes at the end of the file that are no whole packet.", DO_FILE)
/* clang-format on */

enum stat_key {
#define STAT_KEY(name, severity, source, kind, loss, description, remedy) STAT_##name,
    STATS(STAT_KEY)
#undef STAT_KEY
        STAT_COUNT,
};

enum stat_loss {
    STAT_LOSS_figure,
    STAT_LOSS_event,
    STAT_LOSS_unshown,
    STAT_LOSS_place,
    STAT_LOSS_flag,
    STAT_LOSS_bytes,
    STAT_LOSS_doubt,
    STAT_LOSS_again,
    STAT_LOSS_aside,
};

struct stat_def {
    const char *name, *severity, *source, *description, *remedy;
    int kind; /* stats.c knows */
    enum stat_loss loss;
};

extern const struct stat_def stat_defs[STAT_COUNT];

/* The index of a stat that has none. */
#define STAT_SINGLE INT64_MIN

/* `index` is the cpu, buffer, pid ... of an indexed stat, STAT_SINGLE otherwise. */
void stats_add(struct trace *t, enum stat_key key, int64_t index, int64_t n);
void stats_set(struct trace *t, enum stat_key key, int64_t index, int64_t value);
int64_t stats_get(const struct trace *t, enum stat_key key, int64_t index);
/* False where it was not counted. */
bool stats_find(const struct trace *t, enum stat_key key, int64_t index, int64_t *value);
/* Whether anything of that severity (NULL: of any) was counted about the machine and file of now
 * under a name that begins like this. Looks at all that was counted. */
bool stats_any(const struct trace *t, const char *prefix, const char *severity);

static inline void stats_count(struct trace *t, enum stat_key key)
{
    stats_add(t, key, STAT_SINGLE, 1);
}

/* Parts of trace_init and trace_release. */
void stats_init(struct trace *t);
void stats_release(struct trace *t);

/* What is counted from here on is about this machine (row of `machine`; NULL_U32: not known yet)
 * and file (of `trace_file`). */
void stats_enter(struct trace *t, uint32_t machine, uint32_t file);
/* Fills the table. Called once, by trace_finish. */
void stats_finish(struct trace *t);

/* What is counted but has no row, of all machines and files; 0 of what may have rows. */
int64_t stats_unpublished(const struct trace *t, enum stat_key key);
/* The sum of a loaded trace's rows of that key. */
int64_t stats_total(const struct trace *t, enum stat_key key);

#endif
