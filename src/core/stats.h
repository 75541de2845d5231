/* What went wrong or is worth counting while a trace loads: the rows of the `stats` table. */
#ifndef TPTUI_CORE_STATS_H
#define TPTUI_CORE_STATS_H

#include <stdint.h>

struct trace;

/* S(name, severity, source, indexed, description): severity as in stats.severity; `trace` is a loss
 * or fault of the recording, `analysis` one found while reading it. */
/* clang-format off */
#define STATS(S) \
    S(android_aflags_errors, error, trace, 0, "The flags of the device could not be read.") \
    S(android_log_format_invalid, error, trace, 0, "Log lines of an unknown form.") \
    S(android_log_num_failed, info, trace, 0, "Log events that could not be read.") \
    S(android_log_num_skipped, info, trace, 0, "Log events that were skipped.") \
    S(android_log_num_total, info, trace, 0, "Log events in all.") \
    S(app_wakelock_parse_error, error, analysis, 0, "A bundle of app wakelocks that cannot be read.") \
    S(app_wakelock_unknown_id, error, analysis, 0, "An app wakelock event names one that does not exist.") \
    S(atom_timestamp_missing, error, trace, 0, "A statsd atom without a time; it is shown at the time of its packet.") \
    S(atom_unknown, info, analysis, 0, "A statsd atom whose fields have no known names.") \
    S(clock_sync_cache_miss, info, analysis, 0, "Clock conversions that needed a search.") \
    S(clock_sync_failure_no_path, error, analysis, 0, "A timestamp's clock cannot be converted to the trace clock: no chain of snapshots connects them.") \
    S(clock_sync_failure_undeferrable_packet_loss, data_loss, analysis, 0, "A packet came before its clock was known and was dropped.") \
    S(clock_sync_failure_unknown_source_clock, error, analysis, 0, "A timestamp's clock occurs in no snapshot.") \
    S(clock_sync_failure_unknown_target_clock, error, analysis, 0, "The trace clock occurs in no snapshot.") \
    S(clock_sync_unrelatable_clock_domains, error, analysis, 0, "The trace has clocks that no snapshot relates to each other.") \
    S(compact_sched_has_parse_errors, error, analysis, 0, "Compact scheduling data whose arrays differ in length.") \
    S(compact_sched_switch_skipped, info, analysis, 0, "First compact switch of a cpu, whose previous thread is not known.") \
    S(compact_sched_waking_skipped, info, analysis, 0, "Compact wakeup before the first switch of its cpu.") \
    S(config_write_into_file_discard, data_loss, trace, 1, "A buffer that discards when full was streamed into a file.") \
    S(config_write_into_file_no_flush, error, trace, 0, "The config streams into a file but never flushes.") \
    S(decompression_errors, error, trace, 0, "A compressed packet that cannot be decompressed; it was skipped.") \
    S(deobfuscate_location_parse_error, error, trace, 0, "A deobfuscation mapping that cannot be read.") \
    S(empty_chrome_metadata, error, trace, 0, "Metadata of Chrome that has no value.") \
    S(energy_breakdown_missing_values, error, analysis, 0, "Energy of a consumer that no descriptor names.") \
    S(energy_descriptor_invalid, error, analysis, 0, "An energy consumer without an id.") \
    S(energy_uid_breakdown_missing_values, error, analysis, 0, "Energy of a uid that lacks the uid or the energy.") \
    S(entity_state_descriptor_invalid, error, analysis, 0, "A state of an entity that lacks its number or the entity's.") \
    S(entity_state_residency_invalid, error, analysis, 0, "A packet on residencies of states that tells of none.") \
    S(entity_state_residency_lookup_failed, error, analysis, 0, "Residency in a state that no descriptor names.") \
    S(extension_descriptor_errors, error, trace, 0, "A descriptor of the trace's own extensions that cannot be read.") \
    S(filter_errors, error, trace, 0, "Packets that the trace filter could not handle.") \
    S(filter_input_bytes, info, trace, 0, "Bytes before the trace filter.") \
    S(filter_input_packets, info, trace, 0, "Packets before the trace filter.") \
    S(filter_output_bytes, info, trace, 0, "Bytes after the trace filter.") \
    S(filter_time_taken_ns, info, trace, 0, "Time that the trace filter took.") \
    S(flow_duplicate_id, error, trace, 0, "A flow was begun with an id that is in use.") \
    S(flow_end_without_start, info, trace, 0, "A flow ends that never began.") \
    S(flow_invalid_id, error, trace, 0, "A flow's id cannot be read.") \
    S(flow_no_enclosing_slice, error, trace, 0, "A flow event lies outside of any slice.") \
    S(flow_step_without_start, info, trace, 0, "A flow passes a slice but never began.") \
    S(flow_without_direction, error, trace, 0, "A flow event says neither in nor out.") \
    S(frame_timeline_event_parser_errors, info, analysis, 0, "Frame timeline events that cannot be read.") \
    S(frame_timeline_unpaired_end_event, info, analysis, 0, "Ends of frames that never began.") \
    S(ftrace_abi_errors_skipped_zero_data_length, info, trace, 0, "Kernel ring buffer records of length zero.") \
    S(ftrace_bundle_tokenizer_errors, error, analysis, 0, "An ftrace bundle or event in it is malformed.") \
    S(ftrace_cpu_bytes_begin, info, trace, 1, "Ftrace, per cpu, at the begin of the recording: Bytes in the buffer.") \
    S(ftrace_cpu_bytes_delta, info, trace, 1, "Ftrace, per cpu: Growth of the buffer.") \
    S(ftrace_cpu_bytes_end, info, trace, 1, "Ftrace, per cpu, at the end of the recording: Bytes in the buffer.") \
    S(ftrace_cpu_commit_overrun_begin, info, trace, 1, "Ftrace, per cpu: Overruns at the start.") \
    S(ftrace_cpu_commit_overrun_delta, data_loss, trace, 1, "Ftrace, per cpu: Overruns while recording.") \
    S(ftrace_cpu_commit_overrun_end, info, trace, 1, "Ftrace, per cpu: Overruns at the end.") \
    S(ftrace_cpu_dropped_events_begin, info, trace, 1, "Ftrace, per cpu, at the begin of the recording: Events dropped by the kernel.") \
    S(ftrace_cpu_dropped_events_delta, info, trace, 1, "Ftrace, per cpu: Events dropped while recording.") \
    S(ftrace_cpu_dropped_events_end, info, trace, 1, "Ftrace, per cpu, at the end of the recording: Events dropped by the kernel.") \
    S(ftrace_cpu_entries_begin, info, trace, 1, "Ftrace, per cpu, at the begin of the recording: Entries in the buffer.") \
    S(ftrace_cpu_entries_delta, info, trace, 1, "Ftrace, per cpu: Entries while recording.") \
    S(ftrace_cpu_entries_end, info, trace, 1, "Ftrace, per cpu, at the end of the recording: Entries in the buffer.") \
    S(ftrace_cpu_has_data_loss, data_loss, trace, 1, "The kernel's ring buffer of this cpu overwrote events.") \
    S(ftrace_cpu_now_ts_begin, info, trace, 1, "Ftrace, per cpu, at the begin of the recording: The cpu's clock.") \
    S(ftrace_cpu_now_ts_end, info, trace, 1, "Ftrace, per cpu, at the end of the recording: The cpu's clock.") \
    S(ftrace_cpu_oldest_event_ts_begin, info, trace, 1, "Ftrace, per cpu, at the begin of the recording: The oldest event.") \
    S(ftrace_cpu_oldest_event_ts_end, info, trace, 1, "Ftrace, per cpu, at the end of the recording: The oldest event.") \
    S(ftrace_cpu_overrun_begin, info, trace, 1, "Ftrace, per cpu, at the begin of the recording: Overwritten entries.") \
    S(ftrace_cpu_overrun_delta, info, trace, 1, "Ftrace, per cpu: Entries overwritten while recording.") \
    S(ftrace_cpu_overrun_end, info, trace, 1, "Ftrace, per cpu, at the end of the recording: Overwritten entries.") \
    S(ftrace_cpu_read_events_begin, info, trace, 1, "Ftrace, per cpu, at the begin of the recording: Events read.") \
    S(ftrace_cpu_read_events_delta, info, trace, 1, "Ftrace, per cpu: Events read while recording.") \
    S(ftrace_cpu_read_events_end, info, trace, 1, "Ftrace, per cpu, at the end of the recording: Events read.") \
    S(ftrace_generic_descriptor_errors, info, analysis, 0, "An event whose descriptor is missing or wrong.") \
    S(ftrace_kprobe_hits_begin, info, trace, 0, "Kprobe hits at the start.") \
    S(ftrace_kprobe_hits_delta, info, trace, 0, "Kprobe hits while recording.") \
    S(ftrace_kprobe_hits_end, info, trace, 0, "Kprobe hits at the end.") \
    S(ftrace_kprobe_misses_begin, info, trace, 0, "Kprobes missed at the start.") \
    S(ftrace_kprobe_misses_delta, data_loss, trace, 0, "Kprobes missed while recording.") \
    S(ftrace_kprobe_misses_end, info, trace, 0, "Kprobes missed at the end.") \
    S(ftrace_missing_event_id, info, trace, 0, "An event without an id.") \
    S(ftrace_packet_before_tracing_start, info, analysis, 0, "Ftrace events from before the start of tracing were dropped.") \
    S(ftrace_setup_errors, info, trace, 0, "Ftrace events could not be enabled.") \
    S(ftrace_thermal_exynos_acpm_unknown_tz_id, error, analysis, 0, "A thermal zone id that is not known.") \
    S(game_intervention_has_parse_errors, error, trace, 0, "The list of game interventions could not be parsed.") \
    S(game_intervention_has_read_errors, error, trace, 0, "The list of game interventions could not be read.") \
    S(generic_task_state_invalid_order, error, analysis, 0, "Task states out of order.") \
    S(gpu_counters_invalid_spec, error, analysis, 0, "A gpu counter without a usable specification.") \
    S(gpu_counters_missing_spec, error, analysis, 0, "A gpu counter that was never specified.") \
    S(gpu_counters_missing_timestamp, error, analysis, 0, "Gpu counters without a timestamp.") \
    S(gpu_render_stage_parser_errors, error, analysis, 0, "Gpu render stages that cannot be read.") \
    S(graphics_frame_event_parser_errors, info, analysis, 0, "Graphics frame events that cannot be read.") \
    S(heap_graph_invalid_string_id, error, trace, 1, "A heap graph names a string that does not exist.") \
    S(heap_graph_malformed_packet, error, trace, 1, "A heap graph packet that cannot be read.") \
    S(heap_graph_missing_packet, error, trace, 1, "A heap graph with a gap.") \
    S(heap_graph_non_finalized_graph, data_loss, trace, 0, "A heap graph whose end is missing.") \
    S(heapprofd_buffer_corrupted, error, trace, 1, "The profiled process wrote garbage.") \
    S(heapprofd_buffer_overran, data_loss, trace, 1, "The profiler was too slow: samples are missing.") \
    S(heapprofd_client_disconnected, info, trace, 1, "The profiled process went away.") \
    S(heapprofd_client_error, error, trace, 1, "The profiled process gave up; the value is the format's ClientError.") \
    S(heapprofd_client_spinlock_blocked, info, trace, 1, "Microseconds that the profiled process waited for a lock.") \
    S(heapprofd_hit_guardrail, error, trace, 1, "The profiler used too much and stopped.") \
    S(heapprofd_last_profile_timestamp, info, trace, 1, "When the last dump of the process was written.") \
    S(heapprofd_malformed_packet, error, trace, 1, "A heap profile whose totals shrink; by process.") \
    S(heapprofd_missing_packet, error, trace, 0, "A heap profile with a gap.") \
    S(heapprofd_non_finalized_profile, error, trace, 0, "A heap profile whose end is missing.") \
    S(heapprofd_rejected_concurrent, error, trace, 1, "The process was being profiled already.") \
    S(heapprofd_sampling_interval_adjusted, info, trace, 1, "Bytes that the profiler added to the sampling interval.") \
    S(heapprofd_unwind_samples, info, trace, 1, "Stacks that the profiler unwound.") \
    S(heapprofd_unwind_time_us, info, trace, 1, "Microseconds that the profiler unwound stacks.") \
    S(interned_data_tokenizer_errors, info, analysis, 0, "Interned entries that cannot be read.") \
    S(invalid_clock_snapshots, error, analysis, 0, "A clock snapshot contradicts an earlier one.") \
    S(invalid_machine_id, error, trace, 0, "A packet of a machine that is not known.") \
    S(jit_unknown_frame, data_loss, trace, 0, "A frame in generated code that no event told of.") \
    S(json_complete_event_without_dur, info, trace, 0, "A complete JSON event without a valid duration; it was skipped.") \
    S(json_parser_failure, error, trace, 0, "A JSON event that makes no sense.") \
    S(json_tokenizer_failure, error, trace, 0, "JSON that cannot be read.") \
    S(kernel_trackevent_format_error, info, analysis, 0, "A kernel track event without a field that it needs.") \
    S(kernel_wakelock_implausibly_large_value_reported, info, trace, 0, "A kernel wakelock was said to have been held for longer than can be.") \
    S(kernel_wakelock_non_monotonic_value_reported, info, trace, 0, "The time a kernel wakelock was held was said to have shrunk.") \
    S(kernel_wakelock_reused_id, error, analysis, 0, "A kernel wakelock was given the id of another.") \
    S(kernel_wakelock_unknown_id, error, analysis, 0, "Time of a kernel wakelock that does not exist.") \
    S(kernel_wakelock_zero_value_reported, info, trace, 0, "The time a kernel wakelock was held was said to be zero.") \
    S(long_trace_mode_bytes_overwritten, data_loss, trace, 1, "Bytes of the buffer that were overwritten before the file was written.") \
    S(mali_unknown_mcu_state_id, error, analysis, 0, "A state of the Mali controller that is not known.") \
    S(meminfo_unknown_keys, error, analysis, 0, "Meminfo values that are not known.") \
    S(memory_snapshot_parser_failure, error, analysis, 0, "A memory snapshot's node without a usable name, or an entry of one without a value.") \
    S(metatrace_overruns, error, trace, 0, "The trace of the tracing itself has a gap.") \
    S(mismatched_sched_switch_tids, error, analysis, 0, "A sched_switch says that another thread ran than the one before it had switched in.") \
    S(misplaced_end_event, data_loss, analysis, 0, "A slice ended while one inside it was still open; the inner one was cut at the outer one's end.") \
    S(mm_unknown_type, error, analysis, 0, "An mm_event of a kind that is not known.") \
    S(network_trace_intern_errors, info, analysis, 0, "Network packets whose context is not interned.") \
    S(network_trace_parse_errors, info, analysis, 0, "Network packets whose lists of times or lengths cannot be read.") \
    S(packages_list_has_parse_errors, error, trace, 0, "The list of packages could not be parsed.") \
    S(packages_list_has_read_errors, error, trace, 0, "The list of packages could not be read.") \
    S(packet_corrupt, error, trace, 0, "A packet's bytes cannot be read; it was skipped.") \
    S(packet_skipped_seq_needs_incremental_state_invalid, info, analysis, 0, "Packets before their sequence's state was valid.") \
    S(perf_chosen_process_shard, info, trace, 1, "The shard that was profiled.") \
    S(perf_cpu_lost_records, data_loss, trace, 1, "The kernel lost samples of this cpu.") \
    S(perf_guardrail_stop_ts, data_loss, trace, 1, "The profiler used too much and stopped.") \
    S(perf_process_shard_count, info, trace, 1, "Shards of the profiled processes.") \
    S(perf_record_skipped, error, trace, 1, "Perf records that cannot be read.") \
    S(perf_samples_skipped, error, trace, 0, "Samples whose data is missing.") \
    S(perf_samples_skipped_dataloss, data_loss, trace, 0, "Samples lost before they were written.") \
    S(perf_unknown_record_type, info, trace, 1, "Records of a kind that is not known.") \
    S(pixel_modem_negative_timestamp, error, analysis, 0, "Events of a Pixel's modem before the start of time.") \
    S(power_rail_empty_packet, error, trace, 0, "A power rails packet without rails.") \
    S(power_rail_unknown_index, error, trace, 0, "A power rail that no descriptor names.") \
    S(proc_stat_unknown_counters, error, analysis, 0, "Process counters that are not known.") \
    S(process_tracker_errors, error, analysis, 0, "Contradicting facts about a process.") \
    S(process_tree_error, error, trace, 0, "A process tree entry without a pid.") \
    S(protovm_abort, error, analysis, 0, "A patch contradicts the program that applies it, or its state grows too large; the packet was imported as it stands.") \
    S(protovm_registration_error, error, analysis, 0, "A program applies patches of a producer whose packet sequences are not known.") \
    S(psi_unknown_resource, error, analysis, 0, "Pressure stall values of a resource that is not known.") \
    S(rss_stat_negative_size, info, analysis, 0, "An rss_stat with a negative size.") \
    S(rss_stat_unknown_keys, error, analysis, 0, "An rss_stat with a member that is not known.") \
    S(rss_stat_unknown_thread_for_mm_id, info, analysis, 0, "An rss_stat of a process that is not known.") \
    S(sched_waking_out_of_order, error, analysis, 0, "A wakeup before the previous event of its thread.") \
    S(slice_drop_overlapping_complete_event, error, analysis, 0, "A complete event overlaps another one on its track without nesting; it was dropped.") \
    S(slice_spill_overlapping_complete_event, error, analysis, 0, "A complete event overlaps another one on its track without nesting.") \
    S(slice_too_deep, error, analysis, 0, "A slice is nested deeper than 512 levels and was dropped.") \
    S(smaps_parser_errors, error, trace, 0, "A list of memory mappings whose columns do not fit together.") \
    S(stackprofile_empty_callstack, error, trace, 0, "A callstack without frames.") \
    S(stackprofile_invalid_callstack_id, error, trace, 0, "A profile names a callstack that does not exist.") \
    S(stackprofile_invalid_frame_id, error, trace, 0, "A profile names a frame that does not exist.") \
    S(stackprofile_invalid_mapping_id, error, trace, 0, "A profile names a mapping that does not exist.") \
    S(stackprofile_invalid_string_id, error, trace, 0, "A profile names a string that does not exist.") \
    S(stackprofile_parser_error, error, trace, 0, "A profile that cannot be read.") \
    S(strace_unsupported_timestamp_format, error, trace, 0, "An strace log without usable times.") \
    S(streaming_profile_invalid_timestamp, error, trace, 0, "A profile sample whose timestamp overflows.") \
    S(symbolization_tmp_build_id_not_found, error, analysis, 0, "Symbols for a library that is not in the trace.") \
    S(systemd_journal_num_failed, data_loss, trace, 0, "Lines of the journal that could not be read.") \
    S(systemd_journal_num_total, info, trace, 0, "Lines of the journal in all.") \
    S(systrace_parse_failure, error, analysis, 0, "A trace marker line that is not one of the known forms.") \
    S(task_state_invalid, error, analysis, 0, "A task state that the kernel version does not have.") \
    S(thread_descriptor_missing_sequence_id, error, trace, 0, "A thread descriptor without a packet sequence.") \
    S(thread_descriptor_skipped_incremental_state_invalid, info, analysis, 0, "Thread descriptors of a sequence whose state was lost.") \
    S(tokenizer_skipped_packets, info, analysis, 0, "Packets that need sequence state which was lost.") \
    S(trace_file_changed_while_loading, error, trace, 0, "The file was written to while it was read.") \
    S(trace_file_cut_while_loading, data_loss, trace, 0, "The file was cut short while it was read; what was read before is there.") \
    S(trace_truncated_bytes, data_loss, trace, 0, "Bytes at the end of the file that are no whole packet.") \
    S(traced_buf_abi_violations, data_loss, trace, 1, "Chunks that break the shared memory protocol.") \
    S(traced_buf_buffer_size, info, trace, 1, "Size of the buffer in bytes.") \
    S(traced_buf_bytes_filtered_out, info, trace, 1, "Bytes that the trace filter left out.") \
    S(traced_buf_bytes_overwritten, info, trace, 1, "Bytes overwritten before they were read.") \
    S(traced_buf_bytes_read, info, trace, 1, "Bytes read from the buffer.") \
    S(traced_buf_bytes_written, info, trace, 1, "Bytes written to the buffer.") \
    S(traced_buf_chunks_committed_out_of_order, info, trace, 1, "Chunks that came out of order.") \
    S(traced_buf_chunks_discarded, info, trace, 1, "Chunks discarded because the buffer was full.") \
    S(traced_buf_chunks_overwritten, info, trace, 1, "Chunks overwritten before they were read.") \
    S(traced_buf_chunks_read, info, trace, 1, "Chunks read.") \
    S(traced_buf_chunks_rewritten, info, trace, 1, "Chunks written again.") \
    S(traced_buf_chunks_written, info, trace, 1, "Chunks written.") \
    S(traced_buf_clone_done_timestamp_ns, info, trace, 1, "When the buffer was cloned.") \
    S(traced_buf_data_loss_chunk_corrupted, data_loss, trace, 1, "Losses because of a corrupt chunk.") \
    S(traced_buf_data_loss_orphan_continuation, data_loss, trace, 1, "Losses because the start of a packet was missing.") \
    S(traced_buf_data_loss_overwrite, data_loss, trace, 1, "Losses because the buffer was overwritten.") \
    S(traced_buf_data_loss_read_gap, data_loss, trace, 1, "Losses because of a gap between reads.") \
    S(traced_buf_data_loss_reassembly_broken_chain, data_loss, trace, 1, "Losses because fragments did not fit together.") \
    S(traced_buf_data_loss_reassembly_gap, data_loss, trace, 1, "Losses because a fragment was missing.") \
    S(traced_buf_data_loss_smb_full, data_loss, trace, 1, "Losses because the shared memory buffer was full.") \
    S(traced_buf_data_loss_writer_abort, data_loss, trace, 1, "Losses because the writer stopped.") \
    S(traced_buf_incremental_sequences_dropped, data_loss, trace, 1, "Sequences whose state was never complete.") \
    S(traced_buf_padding_bytes_cleared, info, trace, 1, "Padding removed.") \
    S(traced_buf_padding_bytes_written, info, trace, 1, "Padding written.") \
    S(traced_buf_patches_failed, data_loss, trace, 1, "Patches for chunks that were gone.") \
    S(traced_buf_patches_succeeded, info, trace, 1, "Patches applied.") \
    S(traced_buf_readaheads_failed, info, trace, 1, "Reads ahead that failed.") \
    S(traced_buf_readaheads_succeeded, info, trace, 1, "Reads ahead that succeeded.") \
    S(traced_buf_sequence_packet_loss, data_loss, trace, 1, "Sequences of this buffer that lost packets.") \
    S(traced_buf_trace_writer_packet_loss, data_loss, trace, 1, "A writer lost packets because the shared buffer was full.") \
    S(traced_buf_write_wrap_count, info, trace, 1, "Times that the buffer wrapped.") \
    S(traced_chunks_discarded, info, trace, 0, "Chunks that the service discarded.") \
    S(traced_clone_started, info, trace, 0, "Started clones of the session.") \
    S(traced_clone_started_timestamp_ns, info, trace, 0, "When the session was cloned.") \
    S(traced_clone_trigger_timestamp_ns, info, trace, 0, "When the trigger that cloned the session fired.") \
    S(traced_data_sources_registered, info, trace, 0, "Data sources registered with the service.") \
    S(traced_data_sources_seen, info, trace, 0, "Data sources ever seen by the service.") \
    S(traced_final_flush_failed, data_loss, trace, 0, "The last flush failed: the end of the trace may be missing.") \
    S(traced_final_flush_succeeded, info, trace, 0, "The last flush succeeded.") \
    S(traced_flushes_failed, info, trace, 0, "Flushes that failed.") \
    S(traced_flushes_requested, info, trace, 0, "Flushes requested.") \
    S(traced_flushes_succeeded, info, trace, 0, "Flushes that succeeded.") \
    S(traced_patches_discarded, info, trace, 0, "Patches that the service discarded.") \
    S(traced_producers_connected, info, trace, 0, "Producers connected.") \
    S(traced_producers_seen, info, trace, 0, "Producers ever seen.") \
    S(traced_total_buffers, info, trace, 0, "Buffers of all sessions.") \
    S(traced_tracing_sessions, info, trace, 0, "Tracing sessions.") \
    S(track_descriptor_conflicting_reservation, error, analysis, 0, "Two descriptors say different things about one track.") \
    S(track_descriptor_default_track_with_parent, error, trace, 0, "A descriptor gives the default track a parent.") \
    S(track_descriptor_invalid_child_ordering, error, trace, 0, "A track descriptor with an unknown order of children.") \
    S(track_descriptor_missing_uuid, error, trace, 0, "A track descriptor without a uuid.") \
    S(track_descriptor_process_missing_pid, error, trace, 0, "The descriptor of a process track without a pid.") \
    S(track_descriptor_thread_missing_pid_tid, error, trace, 0, "The descriptor of a thread track without pid or tid.") \
    S(track_event_counter_invalid_track_uuid, error, trace, 0, "A counter value whose track is not a counter.") \
    S(track_event_counter_missing_track_uuid, error, trace, 0, "A counter value without a track.") \
    S(track_event_counter_missing_value, error, trace, 0, "A counter event without a value.") \
    S(track_event_dropped_packets_outside_of_range_of_interest, info, analysis, 0, "Track events before the range of interest.") \
    S(track_event_extra_counter_exceeds_max, error, trace, 0, "A track event with more than 8 counter values.") \
    S(track_event_extra_counter_invalid_track, error, trace, 0, "A track event with a value for a track that is not a counter.") \
    S(track_event_extra_counter_missing_track_uuids, error, trace, 0, "A track event with counter values but without their tracks.") \
    S(track_event_extra_counter_track_uuid_mismatch, error, trace, 0, "A track event with more counter values than tracks for them.") \
    S(track_event_invalid_timestamp, error, analysis, 0, "A track event whose timestamp overflows.") \
    S(track_event_missing_sequence_id, error, trace, 0, "A track event without a packet sequence.") \
    S(track_event_missing_timestamp, error, trace, 0, "A track event without a time.") \
    S(track_event_parser_errors, info, analysis, 0, "Track events whose content makes no sense.") \
    S(track_event_range_of_interest_missing_start_us, error, trace, 0, "A range of interest without a start.") \
    S(track_event_skipped_thread_instruction_delta_without_valid_state, info, analysis, 0, "Instruction counts relative to values that were lost.") \
    S(track_event_skipped_thread_time_delta_without_valid_state, info, analysis, 0, "Thread times relative to values that were lost.") \
    S(track_event_skipped_timestamp_delta_without_valid_state, info, analysis, 0, "Timestamps relative to values that were lost.") \
    S(track_event_state_missing_track_uuid, error, trace, 0, "A state event without a track.") \
    S(track_event_thread_invalid_end, error, trace, 0, "The end of a slice that never began.") \
    S(track_event_tokenizer_errors, info, analysis, 0, "Track events that cannot be read.") \
    S(track_event_track_hierarchy_loop, error, trace, 0, "A track is its own ancestor.") \
    S(track_event_track_hierarchy_too_deep, error, trace, 0, "A track with more than 100 ancestors.") \
    S(track_hierarchy_missing_uuid, error, trace, 0, "A track whose parent was never described.") \
    S(truncated_sys_write_duration, info, analysis, 0, "Write calls cut short because an atrace slice began or ended inside.") \
    S(unknown_extension_fields, error, trace, 0, "Fields that no descriptor explains.") \
    S(unknown_packet, info, trace, 0, "Packets of a kind that is not known.") \
    S(v8_code_load_missing_code_range, error, analysis, 0, "V8 code that does not say where it is.") \
    S(v8_intern_errors, data_loss, analysis, 0, "V8 code names an isolate, script or function that does not exist.") \
    S(v8_isolate_has_no_code_range, error, analysis, 0, "An isolate does not say where its code is; its code is left out.") \
    S(v8_no_code_range, error, analysis, 0, "V8 code outside of the code range of its isolate.") \
    S(v8_no_defaults, data_loss, analysis, 0, "V8 code without a thread.") \
    S(v8_unknown_code_type, error, analysis, 0, "V8 code of an unknown tier.") \
    S(vmstat_unknown_keys, error, analysis, 0, "Vmstat values that are not known.") \
    S(vulkan_allocations_invalid_string_id, error, trace, 0, "A vulkan event names a string that does not exist.") \
    S(winscope_protolog_message_decoding_failed, info, analysis, 0, "A ProtoLog line whose format no viewer config tells.") \
    S(winscope_protolog_missing_interned_arg_parse_errors, info, analysis, 0, "A ProtoLog line names a text that does not exist.") \
    S(winscope_protolog_missing_interned_stacktrace_parse_errors, info, analysis, 0, "A ProtoLog line names a stack trace that does not exist.") \
    S(winscope_sf_transactions_parse_errors, info, analysis, 0, "A transaction has so many changes and barriers that its changes do not show the barriers.") \
    S(winscope_viewcapture_missing_interned_string_parse_errors, error, analysis, 0, "A view capture names a string that does not exist.") \
    S(winscope_viewcapture_parse_errors, info, analysis, 0, "View captures that cannot be read.") \
    S(winscope_windowmanager_parse_errors, info, analysis, 0, "A window container without a token or a title, or of an unknown kind; it and what is in it were left out.")
/* clang-format on */

enum stat_key {
#define STAT_KEY(name, severity, source, indexed, description) STAT_##name,
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

static inline void stats_count(struct trace *t, enum stat_key key)
{
    stats_add(t, key, STAT_SINGLE, 1);
}

/* Fills the table: single stats even at 0, indexed ones where they occurred. Called once, by
 * trace_finish. */
void stats_finish(struct trace *t);

/* What was lost, as far as the trace itself says so: the sum of the rows of that severity. */
int64_t stats_data_loss(const struct trace *t);

#endif
