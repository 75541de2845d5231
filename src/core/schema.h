/* The schema: every table that import fills, declared once. The row structs, the SQL tables,
 * `.schema` and the tests are all made from these lists.
 *
 * C(T, name, type, flags, joins): T is handed through from the caller (the table's name), `type` is
 * one of enum column_type without COLUMN_TYPE_, `joins` names the table whose ids the column holds
 * ("self" for its own). Every table starts with an implicit `id`, the row's number. */
#ifndef TPTUI_CORE_SCHEMA_H
#define TPTUI_CORE_SCHEMA_H

/* clang-format off */
#define COLUMNS_android_aflags(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, package, STR, 0, "") \
    C(T, name, STR, 0, "") \
    C(T, flag_namespace, STR, 0, "") \
    C(T, container, STR, 0, "") \
    C(T, value, STR, 0, "") \
    C(T, staged_value, STR, COLUMN_NULLABLE, "") \
    C(T, permission, STR, 0, "") \
    C(T, value_picked_from, STR, 0, "") \
    C(T, storage_backend, STR, 0, "") \
    C(T, type, STR, 0, "")

#define COLUMNS_android_cpu_per_uid_track(C, T) \
    C(T, track_id, U32, COLUMN_SORTED, "__intrinsic_track") \
    C(T, uid, I64, 0, "") \
    C(T, cluster, I64, 0, "") \
    C(T, total_cpu_millis, I64, 0, "")

#define COLUMNS_android_dumpstate(C, T) \
    C(T, section, STR, COLUMN_NULLABLE, "") \
    C(T, service, STR, COLUMN_NULLABLE, "") \
    C(T, line, STR, 0, "")

#define COLUMNS_android_game_intervention_list(C, T) \
    C(T, package_name, STR, 0, "") \
    C(T, uid, I64, 0, "") \
    C(T, current_mode, I32, 0, "") \
    C(T, standard_mode_supported, I32, 0, "") \
    C(T, standard_mode_downscale, F64, COLUMN_NULLABLE, "") \
    C(T, standard_mode_use_angle, I32, COLUMN_NULLABLE, "") \
    C(T, standard_mode_fps, F64, COLUMN_NULLABLE, "") \
    C(T, perf_mode_supported, I32, 0, "") \
    C(T, perf_mode_downscale, F64, COLUMN_NULLABLE, "") \
    C(T, perf_mode_use_angle, I32, COLUMN_NULLABLE, "") \
    C(T, perf_mode_fps, F64, COLUMN_NULLABLE, "") \
    C(T, battery_mode_supported, I32, 0, "") \
    C(T, battery_mode_downscale, F64, COLUMN_NULLABLE, "") \
    C(T, battery_mode_use_angle, I32, COLUMN_NULLABLE, "") \
    C(T, battery_mode_fps, F64, COLUMN_NULLABLE, "")

#define COLUMNS_android_input_event_dispatch(C, T) \
    C(T, event_id, U32, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, vsync_id, I64, 0, "") \
    C(T, window_id, I32, 0, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_android_key_events(C, T) \
    C(T, event_id, U32, 0, "") \
    C(T, ts, I64, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, source, U32, COLUMN_NULLABLE, "") \
    C(T, action, I64, COLUMN_NULLABLE, "") \
    C(T, device_id, I64, COLUMN_NULLABLE, "") \
    C(T, display_id, I64, COLUMN_NULLABLE, "") \
    C(T, key_code, I64, COLUMN_NULLABLE, "")

#define COLUMNS_android_motion_events(C, T) \
    C(T, event_id, U32, 0, "") \
    C(T, ts, I64, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, source, U32, COLUMN_NULLABLE, "") \
    C(T, action, I64, COLUMN_NULLABLE, "") \
    C(T, device_id, I64, COLUMN_NULLABLE, "") \
    C(T, display_id, I64, COLUMN_NULLABLE, "")

#define COLUMNS_android_user_list(C, T) \
    C(T, type, STR, 0, "") \
    C(T, android_user_id, I64, 0, "")

#define COLUMNS_counter(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, track_id, U32, 0, "__intrinsic_track") \
    C(T, value, F64, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_etm_v4_configuration(C, T) \
    C(T, set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "") \
    C(T, cpu, U32, 0, "") \
    C(T, cs_trace_stream_id, U32, 0, "") \
    C(T, core_profile, STR, 0, "") \
    C(T, arch_version, STR, 0, "") \
    C(T, major_version, U32, 0, "") \
    C(T, minor_version, U32, 0, "") \
    C(T, max_speculation_depth, U32, 0, "") \
    C(T, bool_flags, I64, 0, "")

#define COLUMNS_etm_v4_chunk(C, T) \
    C(T, session_id, U32, 0, "__intrinsic_etm_v4_session") \
    C(T, chunk_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "") \
    C(T, size, I64, 0, "")

#define COLUMNS_etm_v4_session(C, T) \
    C(T, configuration_id, U32, 0, "__intrinsic_etm_v4_configuration") \
    C(T, start_ts, I64, COLUMN_NULLABLE, "")

#define COLUMNS_file(C, T) \
    C(T, name, STR, 0, "") \
    C(T, size, I64, 0, "") \
    C(T, trace_type, STR, 0, "")

#define COLUMNS_elf_file(C, T) \
    C(T, file_id, U32, 0, "__intrinsic_file") \
    C(T, load_bias, I64, 0, "") \
    C(T, build_id, STR, COLUMN_NULLABLE, "")

#define COLUMNS_flow(C, T) \
    C(T, slice_out, U32, 0, "__intrinsic_slice") \
    C(T, slice_in, U32, 0, "__intrinsic_slice") \
    C(T, trace_id, I64, COLUMN_NULLABLE, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_jit_code(C, T) \
    C(T, create_ts, I64, COLUMN_SORTED, "") \
    C(T, estimated_delete_ts, I64, COLUMN_NULLABLE, "") \
    C(T, utid, U32, 0, "") \
    C(T, start_address, I64, 0, "") \
    C(T, size, I64, 0, "") \
    C(T, function_name, STR, 0, "") \
    C(T, native_code_base64, STR, COLUMN_NULLABLE, "") \
    C(T, jit_code_id, ALIAS, 0, "")

#define COLUMNS_jit_frame(C, T) \
    C(T, jit_code_id, U32, 0, "__intrinsic_jit_code") \
    C(T, frame_id, U32, 0, "__intrinsic_stack_profile_frame")

#define COLUMNS_logs(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, utid, U32, COLUMN_NULLABLE, "__intrinsic_thread") \
    C(T, prio, U32, 0, "") \
    C(T, log_source, STR, 0, "") \
    C(T, tag, STR, COLUMN_NULLABLE, "") \
    C(T, msg, STR, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_memory_snapshot_edge(C, T) \
    C(T, source_node_id, U32, 0, "__intrinsic_memory_snapshot_node") \
    C(T, target_node_id, U32, 0, "__intrinsic_memory_snapshot_node") \
    C(T, importance, U32, 0, "")

#define COLUMNS_memory_snapshot_node(C, T) \
    C(T, process_snapshot_id, U32, 0, "__intrinsic_process_memory_snapshot") \
    C(T, parent_node_id, U32, COLUMN_NULLABLE, "self") \
    C(T, path, STR, 0, "") \
    C(T, size, I64, 0, "") \
    C(T, effective_size, I64, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_memory_snapshot(C, T) \
    C(T, timestamp, I64, 0, "") \
    C(T, track_id, U32, 0, "__intrinsic_track") \
    C(T, detail_level, STR, 0, "")

#define COLUMNS_process_memory_snapshot(C, T) \
    C(T, snapshot_id, U32, 0, "__intrinsic_memory_snapshot") \
    C(T, upid, U32, 0, "")

#define COLUMNS_args(C, T) \
    C(T, arg_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "") \
    C(T, flat_key, STR, 0, "") \
    C(T, key, STR, 0, "") \
    C(T, int_value, I64, COLUMN_NULLABLE, "") \
    C(T, string_value, STR, COLUMN_NULLABLE, "") \
    C(T, real_value, F64, COLUMN_NULLABLE, "") \
    C(T, value_type, STR, 0, "")

#define COLUMNS_build_flags(C, T) \
    C(T, name, STR, 0, "") \
    C(T, enabled, U32, 0, "")

#define COLUMNS_chrome_raw(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, name, STR, 0, "") \
    C(T, utid, U32, 0, "__intrinsic_thread") \
    C(T, arg_set_id, U32, 0, "")

#define COLUMNS_clock_snapshot(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, clock_id, I64, 0, "") \
    C(T, clock_name, STR, COLUMN_NULLABLE, "") \
    C(T, clock_value, I64, 0, "") \
    C(T, snapshot_id, U32, 0, "") \
    C(T, machine_id, U32, 0, "__intrinsic_machine")

#define COLUMNS_cpu_freq(C, T) \
    C(T, ucpu, U32, 0, "__intrinsic_cpu") \
    C(T, freq, U32, 0, "")

#define COLUMNS_cpu(C, T) \
    C(T, cpu, U32, COLUMN_NULLABLE, "") \
    C(T, cluster_id, U32, 0, "") \
    C(T, processor, STR, 0, "") \
    C(T, machine_id, U32, 0, "__intrinsic_machine") \
    C(T, capacity, U32, COLUMN_NULLABLE, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_experimental_missing_chrome_processes(C, T) \
    C(T, upid, U32, 0, "") \
    C(T, reliable_from, I64, COLUMN_NULLABLE, "")

#define COLUMNS_filedescriptor(C, T) \
    C(T, ufd, I64, 0, "") \
    C(T, fd, I64, 0, "") \
    C(T, ts, I64, COLUMN_NULLABLE, "") \
    C(T, upid, U32, COLUMN_NULLABLE, "") \
    C(T, path, STR, COLUMN_NULLABLE, "")

#define COLUMNS_ftrace_event(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, name, STR, 0, "") \
    C(T, utid, U32, 0, "__intrinsic_thread") \
    C(T, arg_set_id, U32, 0, "") \
    C(T, common_flags, U32, 0, "") \
    C(T, ucpu, U32, 0, "__intrinsic_cpu")

#define COLUMNS_gpu(C, T) \
    C(T, gpu, U32, COLUMN_NULLABLE, "") \
    C(T, machine_id, U32, 0, "__intrinsic_machine") \
    C(T, name, STR, 0, "") \
    C(T, vendor, STR, 0, "") \
    C(T, model, STR, 0, "") \
    C(T, architecture, STR, 0, "") \
    C(T, uuid, STR, 0, "") \
    C(T, pci_bdf, STR, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS__linux_interrupt_mapping(C, T) \
    C(T, irq_id, U32, 0, "") \
    C(T, name, STR, 0, "") \
    C(T, machine_id, U32, 0, "__intrinsic_machine")

#define COLUMNS_trace_import_logs(C, T) \
    C(T, trace_id, U32, 0, "__intrinsic_trace_file") \
    C(T, ts, I64, COLUMN_NULLABLE, "") \
    C(T, byte_offset, I64, COLUMN_NULLABLE, "") \
    C(T, stat_key, I64, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_machine(C, T) \
    C(T, raw_id, I64, 0, "") \
    C(T, name, STR, COLUMN_NULLABLE, "") \
    C(T, sysname, STR, COLUMN_NULLABLE, "") \
    C(T, release, STR, COLUMN_NULLABLE, "") \
    C(T, version, STR, COLUMN_NULLABLE, "") \
    C(T, arch, STR, COLUMN_NULLABLE, "") \
    C(T, num_cpus, U32, COLUMN_NULLABLE, "") \
    C(T, android_build_fingerprint, STR, COLUMN_NULLABLE, "") \
    C(T, android_device_manufacturer, STR, COLUMN_NULLABLE, "") \
    C(T, android_sdk_version, I64, COLUMN_NULLABLE, "") \
    C(T, system_ram_bytes, I64, COLUMN_NULLABLE, "") \
    C(T, system_ram_gb, I64, COLUMN_NULLABLE, "")

#define COLUMNS_metadata(C, T) \
    C(T, name, STR, 0, "") \
    C(T, key_type, STR, 0, "") \
    C(T, int_value, I64, COLUMN_NULLABLE, "") \
    C(T, str_value, STR, COLUMN_NULLABLE, "") \
    C(T, machine_id, U32, COLUMN_NULLABLE, "__intrinsic_machine") \
    C(T, trace_id, U32, COLUMN_NULLABLE, "__intrinsic_trace_file")

#define COLUMNS_stats(C, T) \
    C(T, name, STR, 0, "") \
    C(T, key, I64, 0, "") \
    C(T, idx, I64, COLUMN_NULLABLE, "") \
    C(T, severity, STR, 0, "") \
    C(T, source, STR, 0, "") \
    C(T, value, I64, 0, "") \
    C(T, description, STR, 0, "") \
    C(T, machine_id, U32, COLUMN_NULLABLE, "__intrinsic_machine") \
    C(T, trace_id, U32, COLUMN_NULLABLE, "__intrinsic_trace_file")

#define COLUMNS_modules(C, T) \
    C(T, name, STR, 0, "")

#define COLUMNS_process(C, T) \
    C(T, upid, ALIAS, 0, "") \
    C(T, pid, I64, 0, "") \
    C(T, name, STR, COLUMN_NULLABLE, "") \
    C(T, start_ts, I64, COLUMN_NULLABLE, "") \
    C(T, end_ts, I64, COLUMN_NULLABLE, "") \
    C(T, parent_upid, U32, COLUMN_NULLABLE, "self") \
    C(T, uid, U32, COLUMN_NULLABLE, "") \
    C(T, android_appid, U32, COLUMN_NULLABLE, "") \
    C(T, android_user_id, U32, COLUMN_NULLABLE, "") \
    C(T, cmdline, STR, COLUMN_NULLABLE, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, machine_id, U32, 0, "__intrinsic_machine")

#define COLUMNS_thread(C, T) \
    C(T, utid, ALIAS, 0, "") \
    C(T, tid, I64, 0, "") \
    C(T, name, STR, COLUMN_NULLABLE, "") \
    C(T, start_ts, I64, COLUMN_NULLABLE, "") \
    C(T, end_ts, I64, COLUMN_NULLABLE, "") \
    C(T, upid, U32, COLUMN_NULLABLE, "__intrinsic_process") \
    C(T, is_main_thread, U32, COLUMN_NULLABLE, "") \
    C(T, is_idle, U32, 0, "") \
    C(T, machine_id, U32, 0, "__intrinsic_machine") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_trace_diagnostics(C, T) \
    C(T, key, STR, 0, "") \
    C(T, title, STR, 0, "") \
    C(T, description, STR, 0, "") \
    C(T, remediation, STR, 0, "") \
    C(T, confidence, F64, 0, "") \
    C(T, trace_id, U32, COLUMN_NULLABLE, "__intrinsic_trace_file")

#define COLUMNS_trace_file(C, T) \
    C(T, parent_id, U32, COLUMN_NULLABLE, "self") \
    C(T, name, STR, COLUMN_NULLABLE, "") \
    C(T, size, I64, 0, "") \
    C(T, trace_type, STR, 0, "") \
    C(T, processing_order, I64, COLUMN_NULLABLE, "") \
    C(T, is_container, U32, 0, "")

#define COLUMNS_spe_record(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, utid, U32, COLUMN_NULLABLE, "__intrinsic_thread") \
    C(T, exception_level, STR, 0, "") \
    C(T, instruction_frame_id, U32, COLUMN_NULLABLE, "__intrinsic_stack_profile_frame") \
    C(T, operation, STR, 0, "") \
    C(T, data_virtual_address, I64, 0, "") \
    C(T, data_physical_address, I64, 0, "") \
    C(T, total_latency, U32, 0, "") \
    C(T, issue_latency, U32, 0, "") \
    C(T, translation_latency, U32, 0, "") \
    C(T, events_bitmask, I64, 0, "") \
    C(T, data_source, STR, 0, "")

#define COLUMNS_mmap_record(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, upid, U32, COLUMN_NULLABLE, "") \
    C(T, mapping_id, U32, 0, "__intrinsic_stack_profile_mapping") \
    C(T, file_id, U32, COLUMN_NULLABLE, "__intrinsic_file")

#define COLUMNS_aggregate_profile(C, T) \
    C(T, scope, STR, 0, "") \
    C(T, name, STR, 0, "") \
    C(T, sample_type_type, STR, 0, "") \
    C(T, sample_type_unit, STR, 0, "")

#define COLUMNS_aggregate_sample(C, T) \
    C(T, aggregate_profile_id, U32, 0, "__intrinsic_aggregate_profile") \
    C(T, callsite_id, U32, 0, "__intrinsic_stack_profile_callsite") \
    C(T, value, F64, 0, "")

#define COLUMNS_chrome_stack_sample_extras(C, T) \
    C(T, profiler_sample_id, U32, 0, "__intrinsic_profiler_sample") \
    C(T, process_priority, I32, 0, "")

#define COLUMNS_gpu_context(C, T) \
    C(T, context_id, U32, 0, "") \
    C(T, pid, U32, COLUMN_NULLABLE, "") \
    C(T, api, STR, COLUMN_NULLABLE, "")

#define COLUMNS_gpu_counter_group(C, T) \
    C(T, group_id, I32, 0, "") \
    C(T, track_id, U32, 0, "__intrinsic_track") \
    C(T, name, STR, COLUMN_NULLABLE, "") \
    C(T, description, STR, COLUMN_NULLABLE, "")

#define COLUMNS_heap_graph_class(C, T) \
    C(T, name, STR, 0, "") \
    C(T, deobfuscated_name, STR, COLUMN_NULLABLE, "") \
    C(T, location, STR, COLUMN_NULLABLE, "") \
    C(T, superclass_id, U32, COLUMN_NULLABLE, "self") \
    C(T, classloader_id, U32, COLUMN_NULLABLE, "") \
    C(T, kind, STR, 0, "")

#define COLUMNS_heap_graph_java_oome_details(C, T) \
    C(T, heap_graph_id, U32, 0, "__intrinsic_heap_graph") \
    C(T, allocation_size_bytes, I64, 0, "") \
    C(T, total_bytes_free, I64, 0, "") \
    C(T, free_bytes_until_oom, I64, 0, "") \
    C(T, error_msg, STR, COLUMN_NULLABLE, "")

#define COLUMNS_heap_graph_object_data(C, T) \
    C(T, field_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, value_string, STR, COLUMN_NULLABLE, "") \
    C(T, array_element_type, STR, COLUMN_NULLABLE, "") \
    C(T, array_element_count, U32, COLUMN_NULLABLE, "") \
    C(T, array_data_id, U32, COLUMN_NULLABLE, "") \
    C(T, array_data_hash, I64, COLUMN_NULLABLE, "")

#define COLUMNS_heap_graph_primitive(C, T) \
    C(T, field_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "") \
    C(T, field_name, STR, 0, "") \
    C(T, field_type, STR, 0, "") \
    C(T, bool_value, U32, COLUMN_NULLABLE, "") \
    C(T, byte_value, I64, COLUMN_NULLABLE, "") \
    C(T, char_value, I64, COLUMN_NULLABLE, "") \
    C(T, short_value, I64, COLUMN_NULLABLE, "") \
    C(T, int_value, I64, COLUMN_NULLABLE, "") \
    C(T, long_value, I64, COLUMN_NULLABLE, "") \
    C(T, float_value, F64, COLUMN_NULLABLE, "") \
    C(T, double_value, F64, COLUMN_NULLABLE, "")

#define COLUMNS_heap_graph_object(C, T) \
    C(T, upid, U32, 0, "") \
    C(T, graph_sample_ts, I64, 0, "") \
    C(T, self_size, I64, 0, "") \
    C(T, native_size, I64, 0, "") \
    C(T, reference_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, reachable, I32, 0, "") \
    C(T, heap_type, STR, COLUMN_NULLABLE, "") \
    C(T, type_id, U32, 0, "__intrinsic_heap_graph_class") \
    C(T, root_type, STR, COLUMN_NULLABLE, "") \
    C(T, root_distance, I32, COLUMN_HIDDEN, "") \
    C(T, object_data_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_heap_graph_reference(C, T) \
    C(T, reference_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "") \
    C(T, owner_id, U32, 0, "__intrinsic_heap_graph_object") \
    C(T, owned_id, U32, COLUMN_NULLABLE, "__intrinsic_heap_graph_object") \
    C(T, field_name, STR, 0, "") \
    C(T, field_type_name, STR, 0, "") \
    C(T, deobfuscated_field_name, STR, COLUMN_NULLABLE, "")

#define COLUMNS_heap_graph(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, upid, U32, 0, "") \
    C(T, dump_reason, STR, COLUMN_NULLABLE, "") \
    C(T, heap_size, I64, COLUMN_NULLABLE, "") \
    C(T, truncated, U32, 0, "")

#define COLUMNS_heap_graph_thread_callsite(C, T) \
    C(T, heap_graph_id, U32, 0, "__intrinsic_heap_graph") \
    C(T, utid, U32, 0, "") \
    C(T, callsite_id, U32, COLUMN_NULLABLE, "__intrinsic_stack_profile_callsite")

#define COLUMNS_heap_profile(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, ts_end, I64, 0, "") \
    C(T, dur, I64, 0, "") \
    C(T, upid, U32, 0, "") \
    C(T, heap_name, STR, COLUMN_NULLABLE, "")

#define COLUMNS_heap_profile_allocation(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, upid, U32, 0, "") \
    C(T, heap_name, STR, 0, "") \
    C(T, callsite_id, U32, 0, "__intrinsic_stack_profile_callsite") \
    C(T, count, I64, 0, "") \
    C(T, size, I64, 0, "")

#define COLUMNS_package_list(C, T) \
    C(T, package_name, STR, 0, "") \
    C(T, uid, I64, 0, "") \
    C(T, debuggable, I32, 0, "") \
    C(T, profileable_from_shell, I32, 0, "") \
    C(T, version_code, I64, 0, "")

#define COLUMNS_profiler_async_context(C, T) \
    C(T, name, STR, COLUMN_NULLABLE, "") \
    C(T, kind, STR, COLUMN_NULLABLE, "") \
    C(T, parent_id, U32, COLUMN_NULLABLE, "self")

#define COLUMNS_profiler_counter_set(C, T) \
    C(T, counter_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "") \
    C(T, counter_id, U32, 0, "__intrinsic_counter")

#define COLUMNS_profiler_execution_context(C, T) \
    C(T, ucpu, U32, COLUMN_NULLABLE, "") \
    C(T, cpu_mode, STR, COLUMN_NULLABLE, "")

#define COLUMNS_profiler_sample(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, source, STR, 0, "") \
    C(T, task_context_id, U32, COLUMN_NULLABLE, "__intrinsic_profiler_task_context") \
    C(T, execution_context_id, U32, COLUMN_NULLABLE, "__intrinsic_profiler_execution_context") \
    C(T, callsite_id, U32, COLUMN_NULLABLE, "__intrinsic_stack_profile_callsite") \
    C(T, unwind_error, STR, COLUMN_NULLABLE, "") \
    C(T, session_id, U32, COLUMN_NULLABLE, "__intrinsic_profiler_session") \
    C(T, counter_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_profiler_session(C, T) \
    C(T, source, STR, 0, "") \
    C(T, timebase_unit, STR, COLUMN_NULLABLE, "") \
    C(T, cmdline, STR, COLUMN_NULLABLE, "")

#define COLUMNS_profiler_smaps(C, T) \
    C(T, upid, U32, 0, "") \
    C(T, ts, I64, 0, "") \
    C(T, path, STR, 0, "") \
    C(T, path_trimmed, STR, 0, "") \
    C(T, aggregate_count, U32, 0, "") \
    C(T, is_deleted, U32, 0, "") \
    C(T, size_kb, I64, 0, "") \
    C(T, private_dirty_kb, I64, 0, "") \
    C(T, swap_kb, I64, 0, "") \
    C(T, file_name, STR, 0, "") \
    C(T, start_address, I64, 0, "") \
    C(T, module_timestamp, I64, 0, "") \
    C(T, module_debugid, STR, 0, "") \
    C(T, module_debug_path, STR, 0, "") \
    C(T, protection_flags, I64, 0, "") \
    C(T, private_clean_resident_kb, I64, 0, "") \
    C(T, shared_dirty_resident_kb, I64, 0, "") \
    C(T, shared_clean_resident_kb, I64, 0, "") \
    C(T, locked_kb, I64, 0, "") \
    C(T, proportional_resident_kb, I64, 0, "") \
    C(T, rss_kb, I64, 0, "") \
    C(T, anonymous_kb, I64, 0, "") \
    C(T, pss_dirty_kb, I64, 0, "") \
    C(T, swap_pss_kb, I64, 0, "")

#define COLUMNS_profiler_task_context(C, T) \
    C(T, upid, U32, COLUMN_NULLABLE, "") \
    C(T, utid, U32, COLUMN_NULLABLE, "") \
    C(T, async_context_id, U32, COLUMN_NULLABLE, "__intrinsic_profiler_async_context")

#define COLUMNS_stack_profile_callsite(C, T) \
    C(T, depth, U32, 0, "") \
    C(T, parent_id, U32, COLUMN_NULLABLE, "self") \
    C(T, frame_id, U32, 0, "__intrinsic_stack_profile_frame")

#define COLUMNS_stack_profile_frame(C, T) \
    C(T, name, STR, 0, "") \
    C(T, mapping, U32, 0, "__intrinsic_stack_profile_mapping") \
    C(T, rel_pc, I64, 0, "") \
    C(T, symbol_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, deobfuscated_name, STR, COLUMN_NULLABLE, "") \
    C(T, type, STR, COLUMN_NULLABLE, "")

#define COLUMNS_stack_profile_mapping(C, T) \
    C(T, build_id, STR, 0, "") \
    C(T, exact_offset, I64, 0, "") \
    C(T, start_offset, I64, 0, "") \
    C(T, start, I64, 0, "") \
    C(T, end, I64, 0, "") \
    C(T, load_bias, I64, 0, "") \
    C(T, name, STR, 0, "")

#define COLUMNS_stack_profile_symbol(C, T) \
    C(T, symbol_set_id, U32, COLUMN_SORTED | COLUMN_SET_ID, "") \
    C(T, name, STR, 0, "") \
    C(T, source_file, STR, COLUMN_NULLABLE, "") \
    C(T, line_number, U32, COLUMN_NULLABLE, "") \
    C(T, inlined, U32, COLUMN_NULLABLE, "")

#define COLUMNS_vulkan_memory_allocations(C, T) \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, source, STR, 0, "") \
    C(T, operation, STR, 0, "") \
    C(T, timestamp, I64, 0, "") \
    C(T, upid, U32, COLUMN_NULLABLE, "") \
    C(T, device, I64, COLUMN_NULLABLE, "") \
    C(T, device_memory, I64, COLUMN_NULLABLE, "") \
    C(T, memory_type, U32, COLUMN_NULLABLE, "") \
    C(T, heap, U32, COLUMN_NULLABLE, "") \
    C(T, function_name, STR, COLUMN_NULLABLE, "") \
    C(T, object_handle, I64, COLUMN_NULLABLE, "") \
    C(T, memory_address, I64, COLUMN_NULLABLE, "") \
    C(T, memory_size, I64, COLUMN_NULLABLE, "") \
    C(T, scope, STR, 0, "")

#define COLUMNS_sched_slice(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, dur, I64, 0, "") \
    C(T, utid, U32, 0, "") \
    C(T, end_state, STR, 0, "") \
    C(T, priority, I32, 0, "") \
    C(T, ucpu, U32, 0, "__intrinsic_cpu")

#define COLUMNS_spurious_sched_wakeup(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, thread_state_id, I64, 0, "") \
    C(T, irq_context, U32, COLUMN_NULLABLE, "") \
    C(T, utid, U32, 0, "") \
    C(T, waker_utid, U32, 0, "")

#define COLUMNS_thread_state(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, dur, I64, 0, "") \
    C(T, utid, U32, 0, "") \
    C(T, state, STR, 0, "") \
    C(T, io_wait, U32, COLUMN_NULLABLE, "") \
    C(T, blocked_function, STR, COLUMN_NULLABLE, "") \
    C(T, waker_utid, U32, COLUMN_NULLABLE, "") \
    C(T, waker_id, U32, COLUMN_NULLABLE, "self") \
    C(T, irq_context, U32, COLUMN_NULLABLE, "") \
    C(T, ucpu, U32, COLUMN_NULLABLE, "__intrinsic_cpu")

#define COLUMNS_slice(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, dur, I64, 0, "") \
    C(T, track_id, U32, 0, "__intrinsic_track") \
    C(T, category, STR, COLUMN_NULLABLE, "") \
    C(T, name, STR, COLUMN_NULLABLE, "") \
    C(T, depth, U32, 0, "") \
    C(T, parent_id, U32, COLUMN_NULLABLE, "self") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, thread_ts, I64, COLUMN_NULLABLE, "") \
    C(T, thread_dur, I64, COLUMN_NULLABLE, "") \
    C(T, thread_instruction_count, I64, COLUMN_NULLABLE, "") \
    C(T, thread_instruction_delta, I64, COLUMN_NULLABLE, "")

#define COLUMNS_track_event_callstacks(C, T) \
    C(T, slice_id, U32, 0, "__intrinsic_slice") \
    C(T, track_id, U32, 0, "__intrinsic_track") \
    C(T, callsite_id, U32, COLUMN_NULLABLE, "__intrinsic_stack_profile_callsite") \
    C(T, end_callsite_id, U32, COLUMN_NULLABLE, "__intrinsic_stack_profile_callsite") \
    C(T, weight, F64, COLUMN_NULLABLE, "")

#define COLUMNS_state(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, dur, I64, 0, "") \
    C(T, track_id, U32, 0, "__intrinsic_track") \
    C(T, category, STR, COLUMN_NULLABLE, "") \
    C(T, value, STR, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_experimental_proto_content(C, T) \
    C(T, path, STR, 0, "") \
    C(T, path_id, U32, 0, "experimental_proto_path") \
    C(T, total_size, I64, 0, "") \
    C(T, size, I64, 0, "") \
    C(T, count, I64, 0, "")

#define COLUMNS_experimental_proto_path(C, T) \
    C(T, parent_id, U32, COLUMN_NULLABLE, "self") \
    C(T, field_type, STR, 0, "") \
    C(T, field_name, STR, COLUMN_NULLABLE, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_track(C, T) \
    C(T, name, STR, 0, "") \
    C(T, parent_id, U32, COLUMN_NULLABLE, "self") \
    C(T, source_arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, machine_id, U32, 0, "__intrinsic_machine") \
    C(T, type, STR, 0, "") \
    C(T, dimension_arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, track_group_id, U32, COLUMN_NULLABLE, "") \
    C(T, event_type, STR, 0, "") \
    C(T, counter_unit, STR, COLUMN_NULLABLE, "") \
    C(T, utid, U32, COLUMN_NULLABLE, "__intrinsic_thread") \
    C(T, upid, U32, COLUMN_NULLABLE, "__intrinsic_process")

#define COLUMNS_v8_isolate(C, T) \
    C(T, upid, U32, 0, "") \
    C(T, internal_isolate_id, I32, 0, "") \
    C(T, embedded_blob_code_start_address, I64, 0, "") \
    C(T, embedded_blob_code_size, I64, 0, "") \
    C(T, code_range_base_address, I64, COLUMN_NULLABLE, "") \
    C(T, code_range_size, I64, COLUMN_NULLABLE, "") \
    C(T, shared_code_range, U32, COLUMN_NULLABLE, "") \
    C(T, embedded_blob_code_copy_start_address, I64, COLUMN_NULLABLE, "")

#define COLUMNS_v8_js_script(C, T) \
    C(T, v8_isolate_id, U32, 0, "__intrinsic_v8_isolate") \
    C(T, internal_script_id, I32, 0, "") \
    C(T, script_type, STR, 0, "") \
    C(T, name, STR, 0, "") \
    C(T, source, STR, COLUMN_NULLABLE, "")

#define COLUMNS_v8_wasm_script(C, T) \
    C(T, v8_isolate_id, U32, 0, "__intrinsic_v8_isolate") \
    C(T, internal_script_id, I32, 0, "") \
    C(T, url, STR, 0, "") \
    C(T, wire_bytes_base64, STR, COLUMN_NULLABLE, "") \
    C(T, source, STR, COLUMN_NULLABLE, "")

#define COLUMNS_v8_js_function(C, T) \
    C(T, name, STR, 0, "") \
    C(T, v8_js_script_id, U32, 0, "__intrinsic_v8_js_script") \
    C(T, is_toplevel, U32, 0, "") \
    C(T, kind, STR, 0, "") \
    C(T, line, U32, COLUMN_NULLABLE, "") \
    C(T, col, U32, COLUMN_NULLABLE, "")

#define COLUMNS_v8_js_code(C, T) \
    C(T, jit_code_id, U32, COLUMN_NULLABLE, "__intrinsic_jit_code") \
    C(T, v8_js_function_id, U32, 0, "__intrinsic_v8_js_function") \
    C(T, tier, STR, 0, "") \
    C(T, bytecode_base64, STR, COLUMN_NULLABLE, "")

#define COLUMNS_v8_internal_code(C, T) \
    C(T, jit_code_id, U32, 0, "__intrinsic_jit_code") \
    C(T, v8_isolate_id, U32, 0, "__intrinsic_v8_isolate") \
    C(T, function_name, STR, 0, "") \
    C(T, code_type, STR, 0, "")

#define COLUMNS_v8_wasm_code(C, T) \
    C(T, jit_code_id, U32, 0, "__intrinsic_jit_code") \
    C(T, v8_isolate_id, U32, 0, "__intrinsic_v8_isolate") \
    C(T, v8_wasm_script_id, U32, 0, "__intrinsic_v8_wasm_script") \
    C(T, function_name, STR, 0, "") \
    C(T, tier, STR, 0, "") \
    C(T, code_offset_in_module, I32, 0, "")

#define COLUMNS_v8_regexp_code(C, T) \
    C(T, jit_code_id, U32, 0, "__intrinsic_jit_code") \
    C(T, v8_isolate_id, U32, 0, "__intrinsic_v8_isolate") \
    C(T, pattern, STR, 0, "")

#define COLUMNS_winscope_rect(C, T) \
    C(T, x, F64, 0, "") \
    C(T, y, F64, 0, "") \
    C(T, w, F64, 0, "") \
    C(T, h, F64, 0, "")

#define COLUMNS_winscope_transform(C, T) \
    C(T, dsdx, F64, 0, "") \
    C(T, dtdx, F64, 0, "") \
    C(T, tx, F64, 0, "") \
    C(T, dtdy, F64, 0, "") \
    C(T, dsdy, F64, 0, "") \
    C(T, ty, F64, 0, "")

#define COLUMNS_winscope_trace_rect(C, T) \
    C(T, rect_id, U32, 0, "__intrinsic_winscope_rect") \
    C(T, group_id, U32, 0, "") \
    C(T, depth, U32, 0, "") \
    C(T, is_spy, I64, 0, "") \
    C(T, is_visible, I64, 0, "") \
    C(T, opacity, F64, COLUMN_NULLABLE, "") \
    C(T, transform_id, U32, 0, "__intrinsic_winscope_transform") \
    C(T, border_width, F64, COLUMN_NULLABLE, "") \
    C(T, border_color, U32, COLUMN_NULLABLE, "")

#define COLUMNS_inputmethod_clients(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_inputmethod_manager_service(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_inputmethod_service(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_surfaceflinger_layers_snapshot(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, sequence_id, U32, 0, "") \
    C(T, has_invalid_elapsed_ts, U32, COLUMN_NULLABLE, "")

#define COLUMNS_surfaceflinger_display(C, T) \
    C(T, snapshot_id, U32, 0, "__intrinsic_surfaceflinger_layers_snapshot") \
    C(T, is_on, I64, 0, "") \
    C(T, is_virtual, I64, 0, "") \
    C(T, trace_rect_id, U32, 0, "__intrinsic_winscope_trace_rect") \
    C(T, display_id, I64, 0, "") \
    C(T, display_name, STR, COLUMN_NULLABLE, "")

#define COLUMNS_surfaceflinger_layer(C, T) \
    C(T, snapshot_id, U32, 0, "__intrinsic_surfaceflinger_layers_snapshot") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, layer_id, I64, COLUMN_NULLABLE, "") \
    C(T, layer_name, STR, COLUMN_NULLABLE, "") \
    C(T, is_visible, I64, 0, "") \
    C(T, parent, I64, COLUMN_NULLABLE, "") \
    C(T, corner_radius_tl, F64, COLUMN_NULLABLE, "") \
    C(T, corner_radius_tr, F64, COLUMN_NULLABLE, "") \
    C(T, corner_radius_bl, F64, COLUMN_NULLABLE, "") \
    C(T, corner_radius_br, F64, COLUMN_NULLABLE, "") \
    C(T, hwc_composition_type, I64, COLUMN_NULLABLE, "") \
    C(T, is_hidden_by_policy, I64, 0, "") \
    C(T, z_order_relative_of, I64, COLUMN_NULLABLE, "") \
    C(T, is_missing_z_parent, I64, 0, "") \
    C(T, layer_rect_id, U32, COLUMN_NULLABLE, "__intrinsic_winscope_trace_rect") \
    C(T, input_rect_id, U32, COLUMN_NULLABLE, "__intrinsic_winscope_trace_rect")

#define COLUMNS_winscope_fill_region(C, T) \
    C(T, trace_rect_id, U32, 0, "__intrinsic_winscope_trace_rect") \
    C(T, rect_id, U32, 0, "__intrinsic_winscope_rect")

#define COLUMNS_surfaceflinger_transactions(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, vsync_id, I64, COLUMN_NULLABLE, "")

#define COLUMNS_surfaceflinger_transaction(C, T) \
    C(T, snapshot_id, U32, 0, "__intrinsic_surfaceflinger_transactions") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, transaction_id, I64, COLUMN_NULLABLE, "") \
    C(T, pid, U32, COLUMN_NULLABLE, "") \
    C(T, uid, U32, COLUMN_NULLABLE, "") \
    C(T, layer_id, U32, COLUMN_NULLABLE, "") \
    C(T, display_id, U32, COLUMN_NULLABLE, "") \
    C(T, flags_id, U32, COLUMN_NULLABLE, "") \
    C(T, transaction_type, STR, COLUMN_NULLABLE, "")

#define COLUMNS_surfaceflinger_transaction_flag(C, T) \
    C(T, flags_id, U32, COLUMN_NULLABLE, "") \
    C(T, flag, STR, COLUMN_NULLABLE, "")

#define COLUMNS_viewcapture(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, package_name, STR, 0, "") \
    C(T, window_name, STR, 0, "")

#define COLUMNS_viewcapture_view(C, T) \
    C(T, snapshot_id, U32, 0, "__intrinsic_viewcapture") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, node_id, U32, 0, "") \
    C(T, hashcode, U32, 0, "") \
    C(T, is_visible, I64, 0, "") \
    C(T, parent_id, U32, 0, "") \
    C(T, view_id, STR, 0, "") \
    C(T, class_name, STR, 0, "") \
    C(T, trace_rect_id, U32, 0, "__intrinsic_winscope_trace_rect")

#define COLUMNS_viewcapture_interned_data(C, T) \
    C(T, base64_proto_id, U32, 0, "") \
    C(T, flat_key, STR, 0, "") \
    C(T, iid, I64, 0, "") \
    C(T, deinterned_value, STR, 0, "")

#define COLUMNS_window_manager_shell_transitions(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, transition_id, I64, 0, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, transition_type, U32, COLUMN_NULLABLE, "") \
    C(T, send_time_ns, I64, COLUMN_NULLABLE, "") \
    C(T, dispatch_time_ns, I64, COLUMN_NULLABLE, "") \
    C(T, duration_ns, I64, COLUMN_NULLABLE, "") \
    C(T, finish_time_ns, I64, COLUMN_NULLABLE, "") \
    C(T, shell_abort_time_ns, I64, COLUMN_NULLABLE, "") \
    C(T, wm_abort_time_ns, I64, COLUMN_NULLABLE, "") \
    C(T, merge_time_ns, I64, COLUMN_NULLABLE, "") \
    C(T, create_time_ns, I64, COLUMN_NULLABLE, "") \
    C(T, handler, I64, COLUMN_NULLABLE, "") \
    C(T, status, STR, COLUMN_NULLABLE, "") \
    C(T, flags, U32, COLUMN_NULLABLE, "") \
    C(T, start_transaction_id, I64, COLUMN_NULLABLE, "") \
    C(T, finish_transaction_id, I64, COLUMN_NULLABLE, "")

#define COLUMNS_window_manager_shell_transition_handlers(C, T) \
    C(T, handler_id, I64, 0, "") \
    C(T, handler_name, STR, 0, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_window_manager_shell_transition_participants(C, T) \
    C(T, transition_id, I64, 0, "") \
    C(T, layer_id, U32, COLUMN_NULLABLE, "") \
    C(T, window_id, U32, COLUMN_NULLABLE, "") \
    C(T, mode, U32, COLUMN_NULLABLE, "") \
    C(T, flags, U32, COLUMN_NULLABLE, "") \
    C(T, start_display_id, U32, COLUMN_NULLABLE, "") \
    C(T, end_display_id, U32, COLUMN_NULLABLE, "") \
    C(T, start_rotation, U32, COLUMN_NULLABLE, "") \
    C(T, end_rotation, U32, COLUMN_NULLABLE, "") \
    C(T, start_abs_bounds_rect_id, U32, COLUMN_NULLABLE, "__intrinsic_winscope_rect") \
    C(T, end_abs_bounds_rect_id, U32, COLUMN_NULLABLE, "__intrinsic_winscope_rect")

#define COLUMNS_window_manager_shell_transition_protos(C, T) \
    C(T, transition_id, I64, 0, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "")

#define COLUMNS_windowmanager(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, arg_set_id, U32, COLUMN_NULLABLE, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, focused_display_id, U32, 0, "") \
    C(T, has_invalid_elapsed_ts, U32, 0, "")

#define COLUMNS_windowmanager_windowcontainer(C, T) \
    C(T, snapshot_id, U32, 0, "__intrinsic_windowmanager") \
    C(T, arg_set_id, U32, 0, "") \
    C(T, base64_proto_id, U32, COLUMN_NULLABLE, "") \
    C(T, title, STR, 0, "") \
    C(T, token, I32, 0, "") \
    C(T, parent_token, I32, COLUMN_NULLABLE, "") \
    C(T, child_index, U32, COLUMN_NULLABLE, "") \
    C(T, is_visible, U32, COLUMN_NULLABLE, "") \
    C(T, window_rect_id, U32, COLUMN_NULLABLE, "__intrinsic_winscope_trace_rect") \
    C(T, container_type, STR, COLUMN_NULLABLE, "") \
    C(T, name_override, STR, COLUMN_NULLABLE, "")

#define COLUMNS_protolog(C, T) \
    C(T, ts, I64, COLUMN_SORTED, "") \
    C(T, level, STR, 0, "") \
    C(T, tag, STR, 0, "") \
    C(T, message, STR, 0, "") \
    C(T, stacktrace, STR, 0, "") \
    C(T, location, STR, 0, "")

#define COLUMNS_android_track_event_process(C, T) \
    C(T, upid, U32, 0, "__intrinsic_process") \
    C(T, start_seq_id, I64, COLUMN_NULLABLE, "") \
    C(T, package_uid, I32, COLUMN_NULLABLE, "") \
    C(T, caller_uid, I32, COLUMN_NULLABLE, "") \
    C(T, defining_uid, I32, COLUMN_NULLABLE, "") \
    C(T, fw_start_ts, I64, COLUMN_NULLABLE, "") \
    C(T, fw_end_ts, I64, COLUMN_NULLABLE, "") \
    C(T, trigger_type, STR, COLUMN_NULLABLE, "") \
    C(T, hosting_type, STR, COLUMN_NULLABLE, "") \
    C(T, hosting_name, STR, COLUMN_NULLABLE, "") \
    C(T, bind_application_delay_ms, I64, COLUMN_NULLABLE, "") \
    C(T, process_start_delay_ms, I64, COLUMN_NULLABLE, "")

#define COLUMNS_video_frames(C, T) \
    C(T, ts, I64, 0, "") \
    C(T, display_id, I32, 0, "") \
    C(T, display_name, STR, COLUMN_NULLABLE, "") \
    C(T, codec_string, STR, COLUMN_NULLABLE, "") \
    C(T, frame_number, I64, 0, "") \
    C(T, codec, I32, COLUMN_NULLABLE, "") \
    C(T, is_key_frame, I32, COLUMN_NULLABLE, "") \
    C(T, pts_us, I64, COLUMN_NULLABLE, "") \
    C(T, is_config, I32, COLUMN_NULLABLE, "")

/* T(name in C, name in SQL) */
#define TABLES(T) \
    T(android_aflags, "__intrinsic_android_aflags") \
    T(android_cpu_per_uid_track, "__intrinsic_android_cpu_per_uid_track") \
    T(android_dumpstate, "__intrinsic_android_dumpstate") \
    T(android_game_intervention_list, "__intrinsic_android_game_intervention_list") \
    T(android_input_event_dispatch, "__intrinsic_android_input_event_dispatch") \
    T(android_key_events, "__intrinsic_android_key_events") \
    T(android_motion_events, "__intrinsic_android_motion_events") \
    T(android_user_list, "__intrinsic_android_user_list") \
    T(counter, "__intrinsic_counter") \
    T(etm_v4_configuration, "__intrinsic_etm_v4_configuration") \
    T(etm_v4_chunk, "__intrinsic_etm_v4_chunk") \
    T(etm_v4_session, "__intrinsic_etm_v4_session") \
    T(file, "__intrinsic_file") \
    T(elf_file, "__intrinsic_elf_file") \
    T(flow, "__intrinsic_flow") \
    T(jit_code, "__intrinsic_jit_code") \
    T(jit_frame, "__intrinsic_jit_frame") \
    T(logs, "__intrinsic_logs") \
    T(memory_snapshot_edge, "__intrinsic_memory_snapshot_edge") \
    T(memory_snapshot_node, "__intrinsic_memory_snapshot_node") \
    T(memory_snapshot, "__intrinsic_memory_snapshot") \
    T(process_memory_snapshot, "__intrinsic_process_memory_snapshot") \
    T(args, "__intrinsic_args") \
    T(build_flags, "__intrinsic_build_flags") \
    T(chrome_raw, "__intrinsic_chrome_raw") \
    T(clock_snapshot, "__intrinsic_clock_snapshot") \
    T(cpu_freq, "__intrinsic_cpu_freq") \
    T(cpu, "__intrinsic_cpu") \
    T(experimental_missing_chrome_processes, "__intrinsic_experimental_missing_chrome_processes") \
    T(filedescriptor, "__intrinsic_filedescriptor") \
    T(ftrace_event, "__intrinsic_ftrace_event") \
    T(gpu, "__intrinsic_gpu") \
    T(_linux_interrupt_mapping, "_linux_interrupt_mapping") \
    T(trace_import_logs, "__intrinsic_trace_import_logs") \
    T(machine, "__intrinsic_machine") \
    T(metadata, "__intrinsic_metadata") \
    T(stats, "__intrinsic_stats") \
    T(modules, "__intrinsic_modules") \
    T(process, "__intrinsic_process") \
    T(thread, "__intrinsic_thread") \
    T(trace_diagnostics, "__intrinsic_trace_diagnostics") \
    T(trace_file, "__intrinsic_trace_file") \
    T(spe_record, "__intrinsic_spe_record") \
    T(mmap_record, "__intrinsic_mmap_record") \
    T(aggregate_profile, "__intrinsic_aggregate_profile") \
    T(aggregate_sample, "__intrinsic_aggregate_sample") \
    T(chrome_stack_sample_extras, "__intrinsic_chrome_stack_sample_extras") \
    T(gpu_context, "__intrinsic_gpu_context") \
    T(gpu_counter_group, "__intrinsic_gpu_counter_group") \
    T(heap_graph_class, "__intrinsic_heap_graph_class") \
    T(heap_graph_java_oome_details, "__intrinsic_heap_graph_java_oome_details") \
    T(heap_graph_object_data, "__intrinsic_heap_graph_object_data") \
    T(heap_graph_primitive, "__intrinsic_heap_graph_primitive") \
    T(heap_graph_object, "__intrinsic_heap_graph_object") \
    T(heap_graph_reference, "__intrinsic_heap_graph_reference") \
    T(heap_graph, "__intrinsic_heap_graph") \
    T(heap_graph_thread_callsite, "__intrinsic_heap_graph_thread_callsite") \
    T(heap_profile, "__intrinsic_heap_profile") \
    T(heap_profile_allocation, "__intrinsic_heap_profile_allocation") \
    T(package_list, "__intrinsic_package_list") \
    T(profiler_async_context, "__intrinsic_profiler_async_context") \
    T(profiler_counter_set, "__intrinsic_profiler_counter_set") \
    T(profiler_execution_context, "__intrinsic_profiler_execution_context") \
    T(profiler_sample, "__intrinsic_profiler_sample") \
    T(profiler_session, "__intrinsic_profiler_session") \
    T(profiler_smaps, "__intrinsic_profiler_smaps") \
    T(profiler_task_context, "__intrinsic_profiler_task_context") \
    T(stack_profile_callsite, "__intrinsic_stack_profile_callsite") \
    T(stack_profile_frame, "__intrinsic_stack_profile_frame") \
    T(stack_profile_mapping, "__intrinsic_stack_profile_mapping") \
    T(stack_profile_symbol, "__intrinsic_stack_profile_symbol") \
    T(vulkan_memory_allocations, "__intrinsic_vulkan_memory_allocations") \
    T(sched_slice, "__intrinsic_sched_slice") \
    T(spurious_sched_wakeup, "__intrinsic_spurious_sched_wakeup") \
    T(thread_state, "__intrinsic_thread_state") \
    T(slice, "__intrinsic_slice") \
    T(track_event_callstacks, "__intrinsic_track_event_callstacks") \
    T(state, "__intrinsic_state") \
    T(experimental_proto_content, "experimental_proto_content") \
    T(experimental_proto_path, "experimental_proto_path") \
    T(track, "__intrinsic_track") \
    T(v8_isolate, "__intrinsic_v8_isolate") \
    T(v8_js_script, "__intrinsic_v8_js_script") \
    T(v8_wasm_script, "__intrinsic_v8_wasm_script") \
    T(v8_js_function, "__intrinsic_v8_js_function") \
    T(v8_js_code, "__intrinsic_v8_js_code") \
    T(v8_internal_code, "__intrinsic_v8_internal_code") \
    T(v8_wasm_code, "__intrinsic_v8_wasm_code") \
    T(v8_regexp_code, "__intrinsic_v8_regexp_code") \
    T(winscope_rect, "__intrinsic_winscope_rect") \
    T(winscope_transform, "__intrinsic_winscope_transform") \
    T(winscope_trace_rect, "__intrinsic_winscope_trace_rect") \
    T(inputmethod_clients, "__intrinsic_inputmethod_clients") \
    T(inputmethod_manager_service, "__intrinsic_inputmethod_manager_service") \
    T(inputmethod_service, "__intrinsic_inputmethod_service") \
    T(surfaceflinger_layers_snapshot, "__intrinsic_surfaceflinger_layers_snapshot") \
    T(surfaceflinger_display, "__intrinsic_surfaceflinger_display") \
    T(surfaceflinger_layer, "__intrinsic_surfaceflinger_layer") \
    T(winscope_fill_region, "__intrinsic_winscope_fill_region") \
    T(surfaceflinger_transactions, "__intrinsic_surfaceflinger_transactions") \
    T(surfaceflinger_transaction, "__intrinsic_surfaceflinger_transaction") \
    T(surfaceflinger_transaction_flag, "__intrinsic_surfaceflinger_transaction_flag") \
    T(viewcapture, "__intrinsic_viewcapture") \
    T(viewcapture_view, "__intrinsic_viewcapture_view") \
    T(viewcapture_interned_data, "__intrinsic_viewcapture_interned_data") \
    T(window_manager_shell_transitions, "__intrinsic_window_manager_shell_transitions") \
    T(window_manager_shell_transition_handlers, "__intrinsic_window_manager_shell_transition_handlers") \
    T(window_manager_shell_transition_participants, "__intrinsic_window_manager_shell_transition_participants") \
    T(window_manager_shell_transition_protos, "__intrinsic_window_manager_shell_transition_protos") \
    T(windowmanager, "__intrinsic_windowmanager") \
    T(windowmanager_windowcontainer, "__intrinsic_windowmanager_windowcontainer") \
    T(protolog, "__intrinsic_protolog") \
    T(android_track_event_process, "__intrinsic_android_track_event_process") \
    T(video_frames, "__intrinsic_video_frames")
/* clang-format on */

#endif
