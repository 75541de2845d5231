/* What went wrong or is worth counting while a trace loads: the rows of the `stats` table. */
#ifndef TPTUI_CORE_STATS_H
#define TPTUI_CORE_STATS_H

#include <stdbool.h>
#include <stdint.h>

struct trace;

/* S(name, severity, source, kind, description): severity as in stats.severity; `trace` is a loss or
 * fault of the recording, `analysis` one found while reading it. The kinds:
 *
 *   single          a row for each machine of each file, even at 0
 *   indexed         a row for each index that occurs
 *   single_global   a row for all machines and files together, even at 0
 *   indexed_global  the same for each index that occurs
 *   extra           a row where it occurs: what Trace Processor does not count
 *
 * Queries see the position in the list as stats.key: it is Trace Processor's, `extra` ones stand
 * behind. */
/* clang-format off */
#define STATS(S) \
    S(android_aflags_errors, error, trace, single, "The flags of the device could not be read.") \
    S(android_br_parse_errors, error, trace, single, "A bug report's file that cannot be read.") \
    S(android_log_num_failed, error, trace, single, "Log events that could not be read.") \
    S(android_log_format_invalid, error, trace, single, "Log lines of an unknown form.") \
    S(android_log_num_skipped, info, trace, single, "Log events that were skipped.") \
    S(android_log_num_total, info, trace, single, "Log events in all.") \
    S(android_video_size_cap_hit, data_loss, trace, single, "A screen recording ended because it had become too large.") \
    S(android_video_codec_error, error, trace, single, "The encoder of a screen recording failed.") \
    S(android_video_display_gone, error, trace, single, "The recorded display went away.") \
    S(android_video_no_encoder, error, trace, single, "The device has no encoder for screen recordings.") \
    S(android_video_display_not_found, error, trace, single, "The display to record does not exist.") \
    S(android_video_encoder_setup_failed, error, trace, single, "The encoder of a screen recording could not be set up.") \
    S(android_video_virtual_display_failed, error, trace, single, "The display could not be mirrored for recording.") \
    S(android_video_parse_size_cap_hit, data_loss, trace, single, "Frames of a screen recording that were left out because there were too many bytes of them.") \
    S(deobfuscate_location_parse_error, error, analysis, single_global, "A deobfuscation mapping that cannot be read.") \
    S(energy_breakdown_missing_values, error, analysis, single, "Energy of a consumer that no descriptor names.") \
    S(energy_descriptor_invalid, error, analysis, single, "An energy consumer without an id.") \
    S(entity_state_descriptor_invalid, error, analysis, single, "A state of an entity that lacks its number or the entity's.") \
    S(entity_state_residency_invalid, error, analysis, single, "A packet on residencies of states that tells of none.") \
    S(entity_state_residency_lookup_failed, error, analysis, single, "Residency in a state that no descriptor names.") \
    S(energy_uid_breakdown_missing_values, error, analysis, single, "Energy of a uid that lacks the uid or the energy.") \
    S(frame_timeline_event_parser_errors, info, analysis, single, "Frame timeline events that cannot be read.") \
    S(frame_timeline_unpaired_end_event, info, analysis, single, "Ends of frames that never began.") \
    S(ftrace_bundle_tokenizer_errors, error, analysis, single, "An ftrace bundle or event in it is malformed.") \
    S(ftrace_cpu_bytes_begin, info, trace, indexed, "Ftrace, per cpu, at the begin of the recording: Bytes in the buffer.") \
    S(ftrace_cpu_bytes_end, info, trace, indexed, "Ftrace, per cpu, at the end of the recording: Bytes in the buffer.") \
    S(ftrace_cpu_bytes_delta, info, trace, indexed, "Ftrace, per cpu: Growth of the buffer.") \
    S(ftrace_cpu_commit_overrun_begin, info, trace, indexed, "Ftrace, per cpu: Overruns at the start.") \
    S(ftrace_cpu_commit_overrun_end, info, trace, indexed, "Ftrace, per cpu: Overruns at the end.") \
    S(ftrace_cpu_commit_overrun_delta, error, trace, indexed, "Ftrace, per cpu: Overruns while recording.") \
    S(ftrace_cpu_dropped_events_begin, info, trace, indexed, "Ftrace, per cpu, at the begin of the recording: Events dropped by the kernel.") \
    S(ftrace_cpu_dropped_events_end, info, trace, indexed, "Ftrace, per cpu, at the end of the recording: Events dropped by the kernel.") \
    S(ftrace_cpu_dropped_events_delta, error, trace, indexed, "Ftrace, per cpu: Events dropped while recording.") \
    S(ftrace_cpu_entries_begin, info, trace, indexed, "Ftrace, per cpu, at the begin of the recording: Entries in the buffer.") \
    S(ftrace_cpu_entries_end, info, trace, indexed, "Ftrace, per cpu, at the end of the recording: Entries in the buffer.") \
    S(ftrace_cpu_entries_delta, info, trace, indexed, "Ftrace, per cpu: Entries while recording.") \
    S(ftrace_cpu_now_ts_begin, info, trace, indexed, "Ftrace, per cpu, at the begin of the recording: The cpu's clock.") \
    S(ftrace_cpu_now_ts_end, info, trace, indexed, "Ftrace, per cpu, at the end of the recording: The cpu's clock.") \
    S(ftrace_cpu_oldest_event_ts_begin, info, trace, indexed, "Ftrace, per cpu, at the begin of the recording: The oldest event.") \
    S(ftrace_cpu_oldest_event_ts_end, info, trace, indexed, "Ftrace, per cpu, at the end of the recording: The oldest event.") \
    S(ftrace_cpu_overrun_begin, info, trace, indexed, "Ftrace, per cpu, at the begin of the recording: Overwritten entries.") \
    S(ftrace_cpu_overrun_end, info, trace, indexed, "Ftrace, per cpu, at the end of the recording: Overwritten entries.") \
    S(ftrace_cpu_overrun_delta, info, trace, indexed, "Ftrace, per cpu: Entries overwritten while recording.") \
    S(ftrace_cpu_read_events_begin, info, trace, indexed, "Ftrace, per cpu, at the begin of the recording: Events read.") \
    S(ftrace_cpu_read_events_end, info, trace, indexed, "Ftrace, per cpu, at the end of the recording: Events read.") \
    S(ftrace_cpu_read_events_delta, info, trace, indexed, "Ftrace, per cpu: Events read while recording.") \
    S(ftrace_cpu_has_data_loss, data_loss, trace, indexed, "The kernel's ring buffer of this cpu overwrote events.") \
    S(ftrace_kprobe_hits_begin, info, trace, single, "Kprobe hits at the start.") \
    S(ftrace_kprobe_hits_end, info, trace, single, "Kprobe hits at the end.") \
    S(ftrace_kprobe_hits_delta, info, trace, single, "Kprobe hits while recording.") \
    S(ftrace_kprobe_misses_begin, info, trace, single, "Kprobes missed at the start.") \
    S(ftrace_kprobe_misses_end, info, trace, single, "Kprobes missed at the end.") \
    S(ftrace_kprobe_misses_delta, data_loss, trace, single, "Kprobes missed while recording.") \
    S(ftrace_setup_errors, notice, trace, single, "Ftrace events could not be enabled.") \
    S(ftrace_abi_errors_skipped_zero_data_length, info, analysis, single, "Kernel ring buffer records of length zero.") \
    S(ftrace_generic_descriptor_errors, error, analysis, single, "An event whose descriptor is missing or wrong.") \
    S(ftrace_thermal_exynos_acpm_unknown_tz_id, error, analysis, single, "A thermal zone id that is not known.") \
    S(fuchsia_non_numeric_counters, error, analysis, single, "A counter of a Fuchsia trace whose value is no number.") \
    S(fuchsia_timestamp_overflow, error, analysis, single, "A time of a Fuchsia trace that does not fit in 64 bits of nanoseconds.") \
    S(fuchsia_record_read_error, error, analysis, single, "A record of a Fuchsia trace that is shorter than it says.") \
    S(fuchsia_invalid_event, error, analysis, single, "An event of a Fuchsia trace of an unknown kind.") \
    S(fuchsia_invalid_event_arg_type, error, analysis, single, "An argument in a Fuchsia trace of an unknown type.") \
    S(fuchsia_invalid_event_arg_name, error, analysis, single, "An argument in a Fuchsia trace without a name.") \
    S(fuchsia_unknown_event_arg, error, analysis, single, "An argument in a Fuchsia trace that is not understood.") \
    S(fuchsia_invalid_string_ref, error, analysis, single, "A Fuchsia trace names a string that it does not have.") \
    S(generic_task_state_invalid_order, error, analysis, single, "Task states out of order.") \
    S(gpu_counters_invalid_spec, error, analysis, single, "A gpu counter without a usable specification.") \
    S(gpu_counters_missing_spec, error, analysis, single, "A gpu counter that was never specified.") \
    S(gpu_counters_missing_timestamp, error, trace, single, "Gpu counters without a timestamp.") \
    S(gpu_render_stage_parser_errors, error, analysis, single, "Gpu render stages that cannot be read.") \
    S(graphics_frame_event_parser_errors, info, analysis, single, "Graphics frame events that cannot be read.") \
    S(guess_trace_type_duration_ns, info, analysis, single_global, "Time to find out what the file is; not measured.") \
    S(instruments_row_missing_thread, error, analysis, single, "A sample of Instruments without a thread.") \
    S(instruments_row_missing_process, error, analysis, single, "A sample of Instruments without a process.") \
    S(instruments_row_missing_backtrace, error, analysis, single, "A sample of Instruments whose backtrace is missing.") \
    S(instruments_row_missing_frame, error, analysis, single, "A backtrace of Instruments that names a frame that is missing.") \
    S(interned_data_tokenizer_errors, info, analysis, single, "Interned entries that cannot be read.") \
    S(invalid_clock_snapshots, error, analysis, single_global, "A clock snapshot contradicts an earlier one.") \
    S(invalid_cpu_times, error, analysis, single, "Cpu times of /proc/stat without a cpu.") \
    S(kernel_wakelock_reused_id, error, analysis, single, "A kernel wakelock was given the id of another.") \
    S(kernel_wakelock_unknown_id, error, analysis, single, "Time of a kernel wakelock that does not exist.") \
    S(kernel_wakelock_zero_value_reported, info, trace, single, "The time a kernel wakelock was held was said to be zero.") \
    S(kernel_wakelock_non_monotonic_value_reported, info, trace, single, "The time a kernel wakelock was held was said to have shrunk.") \
    S(kernel_wakelock_implausibly_large_value_reported, info, trace, single, "A kernel wakelock was said to have been held for longer than can be.") \
    S(kernel_trackevent_format_error, error, analysis, single, "A kernel track event without a field that it needs.") \
    S(app_wakelock_parse_error, error, analysis, single, "A bundle of app wakelocks that cannot be read.") \
    S(app_wakelock_unknown_id, error, analysis, single, "An app wakelock event names one that does not exist.") \
    S(concurrent_session_event_unknown_state, error, analysis, single, "A concurrent tracing session in an unknown state.") \
    S(meminfo_unknown_keys, error, analysis, single, "Meminfo values that are not known.") \
    S(cpu_info_unknown_cpu_features, info, analysis, single, "A feature of a cpu that has no known name.") \
    S(missing_disk_io_event_name, error, analysis, single, "A disk operation of Windows of an unknown kind.") \
    S(cpu_info_empty, error, analysis, single, "Cpu information that names no cpu.") \
    S(mismatched_sched_switch_tids, error, analysis, single, "A sched_switch says that another thread ran than the one before it had switched in.") \
    S(mm_unknown_type, error, analysis, single, "An mm_event of a kind that is not known.") \
    S(parse_trace_duration_ns, info, analysis, single_global, "Time to load the trace; not measured.") \
    S(power_rail_empty_packet, error, analysis, single, "A power rails packet without rails.") \
    S(power_rail_unknown_index, error, trace, single, "A power rail that no descriptor names.") \
    S(proc_stat_unknown_counters, error, analysis, single, "Process counters that are not known.") \
    S(rss_stat_unknown_keys, error, analysis, single, "An rss_stat with a member that is not known.") \
    S(rss_stat_negative_size, info, analysis, single, "An rss_stat with a negative size.") \
    S(rss_stat_unknown_thread_for_mm_id, info, analysis, single, "An rss_stat of a process that is not known.") \
    S(filter_input_bytes, info, trace, single, "Bytes before the trace filter.") \
    S(filter_input_packets, info, trace, single, "Packets before the trace filter.") \
    S(filter_output_bytes, info, trace, single, "Bytes after the trace filter.") \
    S(filter_time_taken_ns, info, trace, single, "Time that the trace filter took.") \
    S(filter_errors, error, trace, single, "Packets that the trace filter could not handle.") \
    S(flow_duplicate_id, error, trace, single, "A flow was begun with an id that is in use.") \
    S(flow_no_enclosing_slice, error, trace, single, "A flow event lies outside of any slice.") \
    S(flow_step_without_start, info, trace, single, "A flow passes a slice but never began.") \
    S(flow_end_without_start, info, trace, single, "A flow ends that never began.") \
    S(flow_invalid_id, error, trace, single, "A flow's id cannot be read.") \
    S(flow_without_direction, error, trace, single, "A flow event says neither in nor out.") \
    S(stackprofile_empty_callstack, error, trace, single, "A callstack without frames.") \
    S(stackprofile_invalid_string_id, error, trace, single, "A profile names a string that does not exist.") \
    S(stackprofile_invalid_mapping_id, error, trace, single, "A profile names a mapping that does not exist.") \
    S(stackprofile_invalid_frame_id, error, trace, single, "A profile names a frame that does not exist.") \
    S(stackprofile_invalid_callstack_id, error, trace, single, "A profile names a callstack that does not exist.") \
    S(stackprofile_parser_error, error, trace, single, "A profile that cannot be read.") \
    S(smaps_parser_errors, error, trace, single, "A list of memory mappings whose columns do not fit together.") \
    S(systemd_journal_num_failed, error, trace, single, "Lines of the journal that could not be read.") \
    S(systemd_journal_num_total, info, trace, single, "Lines of the journal in all.") \
    S(systrace_parse_failure, error, analysis, single, "A trace marker line that is not one of the known forms.") \
    S(task_state_invalid, error, analysis, single, "A task state that the kernel version does not have.") \
    S(traced_buf_abi_violations, data_loss, trace, indexed, "Chunks that break the shared memory protocol.") \
    S(traced_buf_buffer_size, info, trace, indexed, "Size of the buffer in bytes.") \
    S(traced_buf_bytes_overwritten, info, trace, indexed, "Bytes overwritten before they were read.") \
    S(traced_buf_bytes_read, info, trace, indexed, "Bytes read from the buffer.") \
    S(traced_buf_bytes_filtered_out, info, trace, indexed, "Bytes that the trace filter left out.") \
    S(traced_buf_bytes_written, info, trace, indexed, "Bytes written to the buffer.") \
    S(traced_buf_clone_done_timestamp_ns, info, trace, indexed, "When the buffer was cloned.") \
    S(traced_buf_chunks_discarded, info, trace, indexed, "Chunks discarded because the buffer was full.") \
    S(traced_buf_chunks_overwritten, info, trace, indexed, "Chunks overwritten before they were read.") \
    S(traced_buf_chunks_read, info, trace, indexed, "Chunks read.") \
    S(traced_buf_chunks_relocated, info, trace, indexed, "Chunks that were moved within the buffer.") \
    S(traced_buf_chunks_rewritten, info, trace, indexed, "Chunks written again.") \
    S(traced_buf_chunks_written, info, trace, indexed, "Chunks written.") \
    S(traced_buf_chunks_committed_out_of_order, info, trace, indexed, "Chunks that came out of order.") \
    S(traced_buf_padding_bytes_cleared, info, trace, indexed, "Padding removed.") \
    S(traced_buf_padding_bytes_written, info, trace, indexed, "Padding written.") \
    S(traced_buf_patches_failed, data_loss, trace, indexed, "Patches for chunks that were gone.") \
    S(traced_buf_patches_succeeded, info, trace, indexed, "Patches applied.") \
    S(traced_buf_readaheads_failed, info, trace, indexed, "Reads ahead that failed.") \
    S(traced_buf_readaheads_succeeded, info, trace, indexed, "Reads ahead that succeeded.") \
    S(traced_buf_trace_writer_packet_loss, data_loss, trace, indexed, "A writer lost packets because the shared buffer was full.") \
    S(traced_buf_sequence_packet_loss, data_loss, analysis, indexed, "Sequences of this buffer that lost packets.") \
    S(traced_buf_incremental_sequences_dropped, data_loss, analysis, indexed, "Sequences whose state was never complete.") \
    S(traced_buf_data_loss_read_gap, data_loss, trace, indexed, "Losses because of a gap between reads.") \
    S(traced_buf_data_loss_chunk_corrupted, data_loss, trace, indexed, "Losses because of a corrupt chunk.") \
    S(traced_buf_data_loss_orphan_continuation, data_loss, trace, indexed, "Losses because the start of a packet was missing.") \
    S(traced_buf_data_loss_reassembly_gap, data_loss, trace, indexed, "Losses because a fragment was missing.") \
    S(traced_buf_data_loss_reassembly_broken_chain, data_loss, trace, indexed, "Losses because fragments did not fit together.") \
    S(traced_buf_data_loss_overwrite, data_loss, trace, indexed, "Losses because the buffer was overwritten.") \
    S(traced_buf_data_loss_writer_abort, data_loss, trace, indexed, "Losses because the writer stopped.") \
    S(traced_buf_data_loss_smb_full, data_loss, trace, indexed, "Losses because the shared memory buffer was full.") \
    S(traced_buf_write_wrap_count, info, trace, indexed, "Times that the buffer wrapped.") \
    S(traced_clone_started_timestamp_ns, info, trace, single, "When the session was cloned.") \
    S(traced_clone_trigger_timestamp_ns, info, trace, single, "When the trigger that cloned the session fired.") \
    S(traced_chunks_discarded, info, trace, single, "Chunks that the service discarded.") \
    S(traced_data_sources_registered, info, trace, single, "Data sources registered with the service.") \
    S(traced_data_sources_seen, info, trace, single, "Data sources ever seen by the service.") \
    S(traced_final_flush_failed, data_loss, trace, single, "The last flush failed: the end of the trace may be missing.") \
    S(traced_final_flush_succeeded, info, trace, single, "The last flush succeeded.") \
    S(traced_flushes_failed, data_loss, trace, single, "Flushes that failed.") \
    S(traced_flushes_requested, info, trace, single, "Flushes requested.") \
    S(traced_flushes_succeeded, info, trace, single, "Flushes that succeeded.") \
    S(traced_patches_discarded, info, trace, single, "Patches that the service discarded.") \
    S(traced_producers_connected, info, trace, single, "Producers connected.") \
    S(traced_producers_seen, info, trace, single, "Producers ever seen.") \
    S(traced_total_buffers, info, trace, single, "Buffers of all sessions.") \
    S(traced_tracing_sessions, info, trace, single, "Tracing sessions.") \
    S(track_event_parser_errors, info, analysis, single, "Track events whose content makes no sense.") \
    S(track_event_dropped_packets_outside_of_range_of_interest, info, analysis, single, "Track events before the range of interest.") \
    S(track_event_tokenizer_errors, info, analysis, single, "Track events that cannot be read.") \
    S(track_hierarchy_missing_uuid, info, analysis, single, "A track whose parent was never described.") \
    S(track_event_thread_invalid_end, error, trace, single, "The end of a slice that never began.") \
    S(tokenizer_skipped_packets, info, analysis, single, "Packets that need sequence state which was lost.") \
    S(vmstat_unknown_keys, error, analysis, single, "Vmstat values that are not known.") \
    S(psi_unknown_resource, error, analysis, single, "Pressure stall values of a resource that is not known.") \
    S(vulkan_allocations_invalid_string_id, error, trace, single, "A vulkan event names a string that does not exist.") \
    S(clock_sync_failure, error, analysis, single, "A timestamp could not be converted to the trace clock.") \
    S(clock_sync_failure_unknown_source_clock, error, analysis, single, "A timestamp's clock occurs in no snapshot.") \
    S(clock_sync_failure_unknown_target_clock, error, analysis, single, "The trace clock occurs in no snapshot.") \
    S(clock_sync_failure_no_path, error, analysis, single, "A timestamp's clock cannot be converted to the trace clock: no chain of snapshots connects them.") \
    S(clock_sync_unrelatable_clock_domains, error, analysis, single, "The trace has clocks that no snapshot relates to each other.") \
    S(clock_sync_mixed_clock_sources, error, analysis, single, "Clocks of one domain are related by snapshots of several kinds, which disagree.") \
    S(clock_sync_failure_undeferrable_packet_loss, data_loss, analysis, single, "A packet came before its clock was known and was dropped.") \
    S(clock_sync_cache_miss, info, analysis, single_global, "Clock conversions that needed a search.") \
    S(process_tracker_errors, error, analysis, single, "Contradicting facts about a process.") \
    S(process_tracker_parent_pid_changed, info, analysis, single, "A process got another parent; it is taken for the same process.") \
    S(namespaced_thread_missing_process, error, analysis, single, "A thread of a pid namespace whose process is not known.") \
    S(json_tokenizer_failure, error, trace, single, "JSON that cannot be read.") \
    S(json_parser_failure, error, trace, single, "A JSON event that makes no sense.") \
    S(json_display_time_unit, info, trace, single, "The JSON trace says in which unit its times are to be shown.") \
    S(heap_graph_invalid_string_id, error, trace, indexed_global, "A heap graph names a string that does not exist.") \
    S(heap_graph_malformed_packet, error, trace, indexed_global, "A heap graph packet that cannot be read.") \
    S(heap_graph_missing_packet, error, trace, indexed_global, "A heap graph with a gap.") \
    S(heapprofd_buffer_corrupted, error, trace, indexed, "The profiled process wrote garbage.") \
    S(heapprofd_hit_guardrail, error, trace, indexed, "The profiler used too much and stopped.") \
    S(heapprofd_buffer_overran, data_loss, trace, indexed, "The profiler was too slow: samples are missing.") \
    S(heapprofd_client_error, error, trace, indexed, "The profiled process gave up; the value is the format's ClientError.") \
    S(heapprofd_client_disconnected, info, trace, indexed, "The profiled process went away.") \
    S(heapprofd_malformed_packet, error, trace, indexed, "A heap profile whose totals shrink; by process.") \
    S(heapprofd_missing_packet, error, trace, single, "A heap profile with a gap.") \
    S(heapprofd_rejected_concurrent, error, trace, indexed, "The process was being profiled already.") \
    S(heapprofd_non_finalized_profile, error, trace, single, "A heap profile whose end is missing.") \
    S(heapprofd_sampling_interval_adjusted, info, trace, indexed, "Bytes that the profiler added to the sampling interval.") \
    S(heapprofd_unwind_time_us, info, trace, indexed, "Microseconds that the profiler unwound stacks.") \
    S(heapprofd_unwind_samples, info, trace, indexed, "Stacks that the profiler unwound.") \
    S(heapprofd_client_spinlock_blocked, info, trace, indexed, "Microseconds that the profiled process waited for a lock.") \
    S(heapprofd_last_profile_timestamp, info, trace, indexed, "When the last dump of the process was written.") \
    S(symbolization_tmp_build_id_not_found, error, analysis, single, "Symbols for a library that is not in the trace.") \
    S(metatrace_overruns, error, trace, single, "The trace of the tracing itself has a gap.") \
    S(packages_list_has_parse_errors, error, trace, single, "The list of packages could not be parsed.") \
    S(packages_list_has_read_errors, error, trace, single, "The list of packages could not be read.") \
    S(user_list_errors, error, trace, single, "The list of users could not be read.") \
    S(game_intervention_has_parse_errors, error, trace, single, "The list of game interventions could not be parsed.") \
    S(game_intervention_has_read_errors, error, trace, single, "The list of game interventions could not be read.") \
    S(compact_sched_has_parse_errors, error, trace, single, "Compact scheduling data whose arrays differ in length.") \
    S(misplaced_end_event, data_loss, analysis, single, "A slice ended while one inside it was still open; the inner one was cut at the outer one's end.") \
    S(truncated_sys_write_duration, info, analysis, single, "Write calls cut short because an atrace slice began or ended inside.") \
    S(compact_sched_switch_skipped, info, analysis, single, "First compact switch of a cpu, whose previous thread is not known.") \
    S(compact_sched_waking_skipped, info, analysis, single, "Compact wakeup before the first switch of its cpu.") \
    S(empty_chrome_metadata, error, trace, single, "Metadata of Chrome that has no value.") \
    S(ninja_parse_errors, error, trace, single, "A line of a Ninja log that cannot be read.") \
    S(perf_cpu_lost_records, data_loss, trace, indexed, "The kernel lost samples of this cpu.") \
    S(perf_process_shard_count, info, trace, indexed, "Shards of the profiled processes.") \
    S(perf_chosen_process_shard, info, trace, indexed, "The shard that was profiled.") \
    S(perf_guardrail_stop_ts, data_loss, trace, indexed, "The profiler used too much and stopped.") \
    S(perf_unknown_record_type, info, analysis, indexed, "Records of a kind that is not known.") \
    S(perf_record_skipped, error, analysis, indexed, "Perf records that cannot be read.") \
    S(perf_samples_skipped, error, analysis, single, "Samples whose data is missing.") \
    S(perf_features_skipped, info, analysis, indexed, "A feature section of a perf file that is not understood; indexed by its number.") \
    S(perf_samples_cpu_mode_unknown, error, analysis, single, "A perf sample that does not say whether it was taken in the kernel or in user space.") \
    S(perf_samples_skipped_dataloss, data_loss, trace, single, "Samples lost before they were written.") \
    S(perf_dummy_mapping_used, info, analysis, single, "A frame of a perf sample outside of all known mappings.") \
    S(perf_aux_missing, data_loss, trace, single, "Bytes that are missing in AUX data.") \
    S(perf_aux_ignored, info, trace, single, "Bytes of AUX data that were not read.") \
    S(perf_aux_lost, data_loss, trace, single, "Bytes of AUX data that the kernel lost.") \
    S(perf_aux_truncated, data_loss, trace, single, "AUX data that was cut when it was written.") \
    S(perf_aux_partial, data_loss, trace, single, "AUX data with gaps.") \
    S(perf_aux_collision, data_loss, trace, single, "AUX samples that collided with others.") \
    S(perf_auxtrace_missing, data_loss, trace, single, "Bytes of AUX data whose AUXTRACE record is missing.") \
    S(perf_unknown_aux_data, data_loss, trace, indexed, "AUX data of a kind that is not understood.") \
    S(perf_no_tsc_data, info, trace, single, "The file does not say how the processor's time stamp counter relates to perf's clock.") \
    S(spe_no_timestamp, info, trace, single, "An SPE record without a time.") \
    S(etm_no_importer, error, analysis, single, "ETM data, which this build does not decode.") \
    S(memory_snapshot_parser_failure, error, analysis, single, "A memory snapshot's node without a usable name, or an entry of one without a value.") \
    S(thread_time_in_state_unknown_cpu_freq, error, analysis, single, "Time in state of a cpu frequency that is not known.") \
    S(ftrace_packet_before_tracing_start, info, analysis, single, "Ftrace events from before the start of tracing were dropped.") \
    S(sorter_push_event_out_of_order, error, trace, single_global, "An event that came too late to be put in order.") \
    S(unknown_extension_fields, error, trace, single, "Fields that no descriptor explains.") \
    S(network_trace_intern_errors, info, analysis, single, "Network packets whose context is not interned.") \
    S(network_trace_parse_errors, info, analysis, single, "Network packets whose lists of times or lengths cannot be read.") \
    S(atom_timestamp_missing, error, trace, single, "A statsd atom without a time; it is shown at the time of its packet.") \
    S(atom_unknown, info, analysis, single, "A statsd atom whose fields have no known names.") \
    S(v8_intern_errors, data_loss, analysis, single, "V8 code names an isolate, script or function that does not exist.") \
    S(v8_isolate_has_no_code_range, error, analysis, single, "An isolate does not say where its code is; its code is left out.") \
    S(v8_no_defaults, data_loss, analysis, single, "V8 code without a thread.") \
    S(v8_no_code_range, error, analysis, single, "V8 code outside of the code range of its isolate.") \
    S(v8_unknown_code_type, error, analysis, single, "V8 code of an unknown tier.") \
    S(v8_code_load_missing_code_range, error, analysis, single, "V8 code that does not say where it is.") \
    S(winscope_inputmethod_clients_parse_errors, error, analysis, single, "Input method clients that cannot be read.") \
    S(winscope_inputmethod_manager_service_parse_errors, error, analysis, single, "States of the input method manager service that cannot be read.") \
    S(winscope_inputmethod_service_parse_errors, error, analysis, single, "States of the input method service that cannot be read.") \
    S(winscope_sf_layers_parse_errors, error, analysis, single, "Snapshots of SurfaceFlinger's layers that cannot be read.") \
    S(winscope_sf_transactions_parse_errors, error, analysis, single, "A transaction has so many changes and barriers that its changes do not show the barriers.") \
    S(winscope_shell_transitions_parse_errors, error, analysis, single, "Shell transitions that cannot be read.") \
    S(winscope_protolog_invalid_interpolation_parse_errors, info, analysis, single, "A ProtoLog message whose format has an unknown placeholder.") \
    S(winscope_protolog_missing_interned_arg_parse_errors, info, analysis, single, "A ProtoLog line names a text that does not exist.") \
    S(winscope_protolog_missing_interned_stacktrace_parse_errors, info, analysis, single, "A ProtoLog line names a stack trace that does not exist.") \
    S(winscope_protolog_message_decoding_failed, info, analysis, single, "A ProtoLog line whose format no viewer config tells.") \
    S(winscope_protolog_message_collision, info, analysis, single, "Two ProtoLog messages have the same number.") \
    S(winscope_protolog_message_collision_resolved, info, analysis, single, "A ProtoLog message whose number another has, told apart by its group.") \
    S(winscope_protolog_group_tag_collision, info, analysis, single, "Two ProtoLog groups have the same number.") \
    S(winscope_protolog_group_tag_missing, info, analysis, single, "A ProtoLog message of a group without a tag.") \
    S(winscope_protolog_param_mismatch, info, analysis, single, "A ProtoLog message whose parameters do not fit its format.") \
    S(winscope_viewcapture_parse_errors, error, analysis, single, "View captures that cannot be read.") \
    S(winscope_viewcapture_missing_interned_string_parse_errors, error, analysis, single, "A view capture names a string that does not exist.") \
    S(winscope_windowmanager_parse_errors, error, analysis, single, "A window container without a token or a title, or of an unknown kind; it and what is in it were left out.") \
    S(jit_unknown_frame, data_loss, trace, single, "A frame in generated code that no event told of.") \
    S(ftrace_missing_event_id, info, analysis, single, "An event without an id.") \
    S(android_input_event_parse_errors, info, analysis, single, "Input events that cannot be read.") \
    S(mali_unknown_mcu_state_id, error, analysis, single, "A state of the Mali controller that is not known.") \
    S(pixel_modem_negative_timestamp, error, analysis, single, "Events of a Pixel's modem before the start of time.") \
    S(legacy_v8_cpu_profile_invalid_callsite, error, trace, single, "A V8 cpu profile names a parent that it does not have.") \
    S(legacy_v8_cpu_profile_invalid_sample, error, trace, single, "A V8 cpu profile has a sample of a node that it does not have.") \
    S(config_write_into_file_no_flush, error, trace, single, "The config streams into a file but never flushes.") \
    S(config_write_into_file_discard, data_loss, trace, indexed, "A buffer that discards when full was streamed into a file.") \
    S(long_trace_mode_bytes_overwritten, data_loss, trace, indexed, "Bytes of the buffer that were overwritten before the file was written.") \
    S(hprof_string_counter, info, analysis, single, "Strings in the heap dump.") \
    S(hprof_class_counter, info, analysis, single, "Classes in the heap dump.") \
    S(hprof_heap_dump_counter, info, analysis, single, "Dump segments in the heap dump.") \
    S(hprof_instance_counter, info, analysis, single, "Instances in the heap dump.") \
    S(hprof_object_array_counter, info, analysis, single, "Arrays of objects in the heap dump.") \
    S(hprof_primitive_array_counter, info, analysis, single, "Arrays of numbers in the heap dump.") \
    S(hprof_root_counter, info, analysis, single, "Roots in the heap dump.") \
    S(hprof_reference_counter, info, analysis, single, "References in the heap dump.") \
    S(hprof_record_counter, info, analysis, single, "Records in the heap dump.") \
    S(hprof_segment_overshoot_counter, info, analysis, single, "Dump segments whose records run past their end.") \
    S(hprof_field_value_errors, error, analysis, single, "Fields of the heap dump that cannot be read.") \
    S(hprof_class_errors, error, analysis, single, "Classes of the heap dump that cannot be read.") \
    S(hprof_header_errors, error, analysis, single, "A header of a heap dump that cannot be read.") \
    S(hprof_heap_dump_errors, error, analysis, single, "Records within a dump segment that cannot be read.") \
    S(hprof_primitive_array_parsing_errors, error, analysis, single, "Arrays of numbers that cannot be read.") \
    S(hprof_reference_errors, error, analysis, single, "References to objects that the heap dump does not have.") \
    S(trace_sorter_negative_timestamp_dropped, error, trace, single_global, "An event before time 0 that was dropped.") \
    S(slice_drop_overlapping_complete_event, error, analysis, single, "A complete event overlaps another one on its track without nesting; it was dropped.") \
    S(slice_spill_overlapping_complete_event, error, analysis, single, "A complete event overlaps another one on its track without nesting.") \
    S(perf_text_importer_sample_no_frames, error, trace, single, "A sample of perf script without frames.") \
    S(strace_parse_failure, info, trace, single, "A line of strace's output that cannot be read.") \
    S(strace_unsupported_timestamp_format, error, trace, single, "An strace log without usable times.") \
    S(strace_missing_pid, error, trace, single, "A line of strace's output without a pid.") \
    S(simpleperf_missing_file_mapping, data_loss, trace, single, "A simpleperf sample in a file that no record describes.") \
    S(slice_negative_duration, error, analysis, single, "A slice that ends before it begins; it was dropped.") \
    S(slice_max_depth_exceeded, error, analysis, single, "A slice is nested too deep and was dropped.") \
    S(gpu_work_period_negative_duration, error, analysis, single, "A gpu work period that ends before it begins.") \
    S(track_descriptor_missing_uuid, error, analysis, single, "A track descriptor without a uuid.") \
    S(track_descriptor_thread_missing_pid_tid, error, analysis, single, "The descriptor of a thread track without pid or tid.") \
    S(track_descriptor_process_missing_pid, error, analysis, single, "The descriptor of a process track without a pid.") \
    S(track_event_missing_sequence_id, error, analysis, single, "A track event without a packet sequence.") \
    S(track_event_missing_timestamp, error, analysis, single, "A track event without a time.") \
    S(track_event_invalid_timestamp, error, analysis, single, "A track event whose timestamp overflows.") \
    S(streaming_profile_invalid_timestamp, error, analysis, single, "A profile sample whose timestamp overflows.") \
    S(thread_descriptor_missing_sequence_id, error, analysis, single, "A thread descriptor without a packet sequence.") \
    S(incremental_state_cleared_missing_sequence_id, error, analysis, single, "A packet clears the state of a sequence that it does not name.") \
    S(previous_packet_dropped_missing_sequence_id, error, analysis, single, "A packet tells of losses on a sequence that it does not name.") \
    S(trace_packet_defaults_missing_sequence_id, error, analysis, single, "A packet has defaults for a sequence that it does not name.") \
    S(interned_data_missing_sequence_id, error, analysis, single, "A packet has interned data for a sequence that it does not name.") \
    S(track_event_track_hierarchy_loop, error, analysis, single, "A track is its own ancestor.") \
    S(track_event_track_hierarchy_too_deep, error, analysis, single, "A track with more than 100 ancestors.") \
    S(track_descriptor_default_track_with_parent, error, analysis, single, "A descriptor gives the default track a parent.") \
    S(track_descriptor_conflicting_reservation, error, analysis, single, "Two descriptors say different things about one track.") \
    S(track_event_range_of_interest_missing_start_us, error, analysis, single, "A range of interest without a start.") \
    S(track_descriptor_invalid_child_ordering, error, analysis, single, "A track descriptor with an unknown order of children.") \
    S(track_event_counter_missing_track_uuid, error, analysis, single, "A counter value without a track.") \
    S(track_event_counter_missing_value, error, analysis, single, "A counter event without a value.") \
    S(track_event_counter_invalid_track_uuid, error, analysis, single, "A counter value whose track is not a counter.") \
    S(track_event_extra_counter_missing_track_uuids, error, analysis, single, "A track event with counter values but without their tracks.") \
    S(track_event_state_missing_track_uuid, error, analysis, single, "A state event without a track.") \
    S(track_event_extra_counter_track_uuid_mismatch, error, analysis, single, "A track event with more counter values than tracks for them.") \
    S(track_event_extra_counter_exceeds_max, error, analysis, single, "A track event with more than 8 counter values.") \
    S(track_event_extra_counter_invalid_track, error, analysis, single, "A track event with a value for a track that is not a counter.") \
    S(thread_descriptor_skipped_incremental_state_invalid, notice, analysis, single, "Thread descriptors of a sequence whose state was lost.") \
    S(track_event_skipped_timestamp_delta_without_valid_state, notice, analysis, single, "Timestamps relative to values that were lost.") \
    S(track_event_skipped_thread_time_delta_without_valid_state, notice, analysis, single, "Thread times relative to values that were lost.") \
    S(track_event_skipped_thread_instruction_delta_without_valid_state, notice, analysis, single, "Instruction counts relative to values that were lost.") \
    S(packet_skipped_seq_needs_incremental_state_invalid, notice, analysis, single, "Packets before their sequence's state was valid.") \
    S(interned_data_skipped_incremental_state_invalid, notice, analysis, single, "Interned data of a sequence whose state is not valid; it was skipped.") \
    S(heap_graph_non_finalized_graph, data_loss, trace, single_global, "A heap graph whose end is missing.") \
    S(primes_unknown_edge_type, data_loss, analysis, single, "An edge of a Primes trace of an unknown kind.") \
    S(primes_executor_not_found, data_loss, analysis, single, "An edge of a Primes trace names an executor that does not exist.") \
    S(primes_end_without_matching_begin, info, analysis, single, "A slice of a Primes trace ends that never began.") \
    S(primes_missing_entity_details, info, analysis, single, "An edge of a Primes trace without details of its entity.") \
    S(primes_missing_parent_id, info, analysis, single, "An edge of a Primes trace without a parent.") \
    S(primes_malformed_timestamp, data_loss, analysis, single, "A time of a Primes trace that cannot be read.") \
    S(protovm_abort, error, analysis, single, "A patch contradicts the program that applies it, or its state grows too large; the packet was imported as it stands.") \
    S(protovm_registration_error, error, analysis, single, "A program applies patches of a producer whose packet sequences are not known.") \
    S(extra_parsing_descriptors_error, error, analysis, single_global, "Descriptors given for parsing that cannot be read.") \
    S(decompression_errors, error, trace, extra, "A compressed packet that cannot be decompressed; it was skipped.") \
    S(extension_descriptor_errors, error, trace, extra, "A descriptor of the trace's own extensions that cannot be read.") \
    S(invalid_machine_id, error, trace, extra, "A packet of a machine that is not known.") \
    S(packet_corrupt, error, trace, extra, "A packet's bytes cannot be read; it was skipped.") \
    S(process_tree_error, error, trace, extra, "A process tree entry without a pid.") \
    S(sched_waking_out_of_order, error, analysis, extra, "A wakeup before the previous event of its thread.") \
    S(ftrace_text_malformed_event, info, analysis, extra, "An event of ftrace's text that lacks what it should say.") \
    S(ftrace_text_guessed_cpu, info, analysis, extra, "Events of perf script whose lines do not tell the CPU; it follows from who ran before.") \
    S(trace_file_changed_while_loading, error, trace, extra, "The file was written to while it was read.") \
    S(trace_file_cut_while_loading, data_loss, trace, extra, "The file was cut short while it was read; what was read before is there.") \
    S(trace_truncated_bytes, data_loss, trace, extra, "Bytes at the end of the file that are no whole packet.") \
    S(unknown_packet, info, trace, extra, "Packets of a kind that is not known.")
/* clang-format on */

enum stat_key {
#define STAT_KEY(name, severity, source, kind, description) STAT_##name,
    STATS(STAT_KEY)
#undef STAT_KEY
        STAT_COUNT,
};

/* The index of a stat that has none. */
#define STAT_SINGLE INT64_MIN

/* `index` is the cpu, buffer, pid ... of an indexed stat, STAT_SINGLE otherwise. */
void stats_add(struct trace *t, enum stat_key key, int64_t index, int64_t n);
void stats_set(struct trace *t, enum stat_key key, int64_t index, int64_t value);
int64_t stats_get(struct trace *t, enum stat_key key, int64_t index);
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

/* The sum of a loaded trace's rows of that key. */
int64_t stats_total(const struct trace *t, enum stat_key key);

/* What was lost, as far as the trace itself says so: the sum of the rows of that severity. */
int64_t stats_data_loss(const struct trace *t);

#endif
