-- Tables that are shown as they are stored.

CREATE PERFETTO VIEW stats AS
SELECT id, name, key, idx, severity, source, value, description, machine_id, trace_id
FROM __intrinsic_stats;

CREATE PERFETTO VIEW metadata AS
SELECT id, name, key_type, int_value, str_value, machine_id, trace_id
FROM __intrinsic_metadata;

CREATE PERFETTO VIEW heap_graph_class AS
SELECT id, name, deobfuscated_name, location, superclass_id, classloader_id, kind
FROM __intrinsic_heap_graph_class;

CREATE PERFETTO VIEW heap_graph_object AS
SELECT id, upid, graph_sample_ts, self_size, native_size, reference_set_id, reachable, heap_type,
  type_id, root_type, root_distance, object_data_id
FROM __intrinsic_heap_graph_object;

CREATE PERFETTO VIEW heap_graph_object_data AS
SELECT id, field_set_id, value_string, array_element_type, array_element_count, array_data_id,
  array_data_hash
FROM __intrinsic_heap_graph_object_data;

CREATE PERFETTO VIEW heap_graph_reference AS
SELECT id, reference_set_id, owner_id, owned_id, field_name, field_type_name,
  deobfuscated_field_name
FROM __intrinsic_heap_graph_reference;

CREATE PERFETTO VIEW heap_graph_primitive AS
SELECT id, field_set_id, field_name, field_type, bool_value, byte_value, char_value, short_value,
  int_value, long_value, float_value, double_value
FROM __intrinsic_heap_graph_primitive;

CREATE PERFETTO VIEW memory_snapshot AS
SELECT id, timestamp, track_id, detail_level
FROM __intrinsic_memory_snapshot;

CREATE PERFETTO VIEW process_memory_snapshot AS
SELECT id, snapshot_id, upid
FROM __intrinsic_process_memory_snapshot;

CREATE PERFETTO VIEW memory_snapshot_node AS
SELECT id, process_snapshot_id, parent_node_id, path, size, effective_size, arg_set_id
FROM __intrinsic_memory_snapshot_node;

CREATE PERFETTO VIEW memory_snapshot_edge AS
SELECT id, source_node_id, target_node_id, importance
FROM __intrinsic_memory_snapshot_edge;

CREATE PERFETTO VIEW heap_graph AS
SELECT id, ts, upid, dump_reason, heap_size, truncated
FROM __intrinsic_heap_graph;

CREATE PERFETTO VIEW heap_profile AS
SELECT id, ts, ts_end, dur, upid, heap_name
FROM __intrinsic_heap_profile;

CREATE PERFETTO VIEW heap_graph_thread_callsite AS
SELECT id, heap_graph_id, utid, callsite_id
FROM __intrinsic_heap_graph_thread_callsite;

CREATE PERFETTO VIEW counter AS
SELECT id, ts, track_id, value, arg_set_id
FROM __intrinsic_counter;

CREATE PERFETTO VIEW state AS
SELECT id, ts, dur, track_id, category, value, arg_set_id
FROM __intrinsic_state;

CREATE PERFETTO VIEW thread AS
SELECT id, utid, tid, name, start_ts, end_ts, upid, is_main_thread, is_idle, machine_id, arg_set_id
FROM __intrinsic_thread;

CREATE PERFETTO VIEW process AS
SELECT id, upid, pid, name, start_ts, end_ts, parent_upid, uid, android_appid, android_user_id,
  cmdline, arg_set_id, machine_id
FROM __intrinsic_process;

CREATE PERFETTO VIEW flow AS
SELECT id, slice_out, slice_in, trace_id, arg_set_id
FROM __intrinsic_flow;

CREATE PERFETTO VIEW android_game_intervention_list AS
SELECT id, package_name, uid, current_mode, standard_mode_supported, standard_mode_downscale,
  standard_mode_use_angle, standard_mode_fps, perf_mode_supported, perf_mode_downscale,
  perf_mode_use_angle, perf_mode_fps, battery_mode_supported, battery_mode_downscale,
  battery_mode_use_angle, battery_mode_fps
FROM __intrinsic_android_game_intervention_list;

CREATE PERFETTO VIEW android_dumpstate AS
SELECT id, section, service, line
FROM __intrinsic_android_dumpstate;

CREATE PERFETTO VIEW profiler_smaps AS
SELECT id, upid, ts, path, path_trimmed, aggregate_count, is_deleted, size_kb, private_dirty_kb,
  swap_kb, file_name, start_address, module_timestamp, module_debugid, module_debug_path,
  protection_flags, private_clean_resident_kb, shared_dirty_resident_kb,
  shared_clean_resident_kb, locked_kb, proportional_resident_kb, rss_kb, anonymous_kb,
  pss_dirty_kb, swap_pss_kb
FROM __intrinsic_profiler_smaps;

CREATE PERFETTO VIEW package_list AS
SELECT id, package_name, uid, debuggable, profileable_from_shell, version_code
FROM __intrinsic_package_list;

CREATE PERFETTO VIEW stack_profile_mapping AS
SELECT id, build_id, exact_offset, start_offset, "start", "end", load_bias, name
FROM __intrinsic_stack_profile_mapping;

CREATE PERFETTO VIEW stack_profile_frame AS
SELECT id, name, mapping, rel_pc, symbol_set_id, deobfuscated_name, type
FROM __intrinsic_stack_profile_frame;

CREATE PERFETTO VIEW stack_profile_callsite AS
SELECT id, depth, parent_id, frame_id
FROM __intrinsic_stack_profile_callsite;

CREATE PERFETTO VIEW stack_profile_symbol AS
SELECT id, symbol_set_id, name, source_file, line_number, inlined
FROM __intrinsic_stack_profile_symbol;

CREATE PERFETTO VIEW heap_profile_allocation AS
SELECT id, ts, upid, heap_name, callsite_id, count, size
FROM __intrinsic_heap_profile_allocation;

CREATE PERFETTO VIEW vulkan_memory_allocations AS
SELECT id, arg_set_id, source, operation, timestamp, upid, device, device_memory, memory_type,
  heap, function_name, object_handle, memory_address, memory_size, scope
FROM __intrinsic_vulkan_memory_allocations;

CREATE PERFETTO VIEW gpu_counter_group AS
SELECT id, group_id, track_id, name, description
FROM __intrinsic_gpu_counter_group;

CREATE PERFETTO VIEW spurious_sched_wakeup AS
SELECT id, ts, thread_state_id, irq_context, utid, waker_utid
FROM __intrinsic_spurious_sched_wakeup;

CREATE PERFETTO VIEW filedescriptor AS
SELECT id, ufd, fd, ts, upid, path
FROM __intrinsic_filedescriptor;

CREATE PERFETTO VIEW experimental_missing_chrome_processes AS
SELECT id, upid, reliable_from
FROM __intrinsic_experimental_missing_chrome_processes;

CREATE PERFETTO VIEW clock_snapshot AS
SELECT id, ts, clock_id, clock_name, clock_value, snapshot_id, machine_id
FROM __intrinsic_clock_snapshot;

CREATE PERFETTO VIEW surfaceflinger_layers_snapshot AS
SELECT id, ts, arg_set_id, base64_proto_id, sequence_id, has_invalid_elapsed_ts
FROM __intrinsic_surfaceflinger_layers_snapshot;

CREATE PERFETTO VIEW surfaceflinger_layer AS
SELECT id, snapshot_id, arg_set_id, base64_proto_id, layer_id, layer_name, is_visible, parent,
  corner_radius_tl, corner_radius_tr, corner_radius_bl, corner_radius_br,
  hwc_composition_type, is_hidden_by_policy, z_order_relative_of, is_missing_z_parent,
  layer_rect_id, input_rect_id
FROM __intrinsic_surfaceflinger_layer;

CREATE PERFETTO VIEW surfaceflinger_transactions AS
SELECT id, ts, arg_set_id, base64_proto_id, vsync_id
FROM __intrinsic_surfaceflinger_transactions;

CREATE PERFETTO VIEW window_manager_shell_transitions AS
SELECT id, ts, transition_id, arg_set_id, transition_type, send_time_ns, dispatch_time_ns,
  duration_ns, finish_time_ns, shell_abort_time_ns, wm_abort_time_ns, merge_time_ns,
  create_time_ns, handler, status, flags, start_transaction_id, finish_transaction_id
FROM __intrinsic_window_manager_shell_transitions;

CREATE PERFETTO VIEW window_manager_shell_transition_handlers AS
SELECT id, handler_id, handler_name, base64_proto_id
FROM __intrinsic_window_manager_shell_transition_handlers;

CREATE PERFETTO VIEW protolog AS
SELECT id, ts, level, tag, message, stacktrace, location
FROM __intrinsic_protolog;
