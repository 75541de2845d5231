#include "sql/published.h"

#include <string.h>
#include <strings.h>

/* Modules and what they define, as published in August 2026. */
static const struct {
    const char *module, *names;
} published[] = {
    {"android.aflags", "android_aflags"},
    {"android.anrs", "android_anrs"},
    {"android.app_process_starts", "android_app_process_starts"},
    {"android.auto.multiuser", "android_auto_multiuser_timing "
                               "android_auto_multiuser_timing_with_previous_user_resource_usage"},
    {"android.battery", "android_battery_charge"},
    {"android.battery.charging_states", "android_charging_states"},
    {"android.battery.doze", "android_deep_idle_state android_light_idle_state"},
    {"android.battery_stats", "android_battery_stats_counter_to_string "
                              "android_battery_stats_event_slices android_battery_stats_state"},
    {"android.binder",
     "android_binder_graph android_binder_incoming_graph android_binder_metrics_by_process "
     "android_binder_outgoing_graph android_binder_txns "
     "android_sync_binder_blocked_functions_by_txn android_sync_binder_thread_state_by_txn"},
    {"android.binder_breakdown",
     "android_binder_client_breakdown android_binder_client_server_breakdown "
     "android_binder_server_breakdown"},
    {"android.bitmaps",
     "android_bitmap_count android_bitmap_counters_per_process android_bitmap_memory"},
    {"android.cpu.cluster_type", "android_cpu_cluster_mapping"},
    {"android.cpu.cpu_per_uid", "android_cpu_per_uid_counter android_cpu_per_uid_track"},
    {"android.cujs.base", "android_jank_cuj android_jank_cuj_layer_name"},
    {"android.cujs.frames", "android_jank_cuj_slice_summary"},
    {"android.cujs.sysui_cujs", "android_cuj_blocking_calls android_jank_latency_cujs "
                                "android_sysui_jank_cujs android_sysui_latency_cujs"},
    {"android.cujs.threads", "android_jank_cuj_app_thread android_jank_cuj_render_thread"},
    {"android.desktop_mode", "android_desktop_mode_windows"},
    {"android.device", "android_device_name android_device_name_from_fingerprint"},
    {"android.dumpsys.show_map", "android_dumpsys_show_map"},
    {"android.dvfs",
     "android_dvfs_counter_residency android_dvfs_counter_stats android_dvfs_counters"},
    {"android.entity_state_residency", "android_entity_state_residency"},
    {"android.frames.jank_type",
     "android_is_app_jank_type android_is_missed_frame_type android_is_sf_jank_type"},
    {"android.frames.per_frame_metrics",
     "android_app_vsync_delay_per_frame android_cpu_time_per_frame android_frame_stats "
     "android_frames_overrun android_frames_ui_time"},
    {"android.frames.timeline",
     "android_first_frame_after android_frames android_frames_choreographer_do_frame "
     "android_frames_draw_frame android_frames_layers"},
    {"android.freezer", "android_freezer_events"},
    {"android.garbage_collection", "android_garbage_collection_events"},
    {"android.gpu.frequency", "android_gpu_frequency"},
    {"android.gpu.mali_power_state", "android_mali_gpu_power_state"},
    {"android.gpu.memory", "android_gpu_memory_per_process"},
    {"android.gpu.work_period", "android_gpu_work_period_track"},
    {"android.input",
     "android_input_event_dispatch android_input_events android_key_events android_motion_events"},
    {"android.job_scheduler", "android_job_scheduler_events"},
    {"android.job_scheduler_states",
     "android_job_scheduler_states android_job_scheduler_with_screen_charging_states"},
    {"android.kernel_wakelocks", "android_kernel_wakelocks"},
    {"android.memory.dmabuf", "android_dmabuf_allocs android_memory_cumulative_dmabuf"},
    {"android.memory.heap_graph.bitmap", "heap_graph_bitmaps"},
    {"android.memory.heap_graph.class_relationship", "android_heap_graph_class_find_descendants"},
    {"android.memory.heap_graph.class_summary_tree", "android_heap_graph_class_summary_tree"},
    {"android.memory.heap_graph.dominator_tree", "heap_graph_dominator_tree"},
    {"android.memory.heap_graph.heap_graph_class_aggregation",
     "android_heap_graph_class_aggregation"},
    {"android.memory.heap_graph.heap_graph_stats", "android_heap_graph_stats"},
    {"android.memory.heap_graph.oome", "android_heap_graph_java_oome_details"},
    {"android.memory.heap_profile.summary_tree", "android_heap_profile_summary_tree"},
    {"android.memory.lmk", "android_lmk_events"},
    {"android.memory.memory_breakdown",
     "android_process_memory_intervals android_process_memory_intervals_by_oom_bucket"},
    {"android.memory.process", "memory_oom_score_with_rss_and_swap_per_process"},
    {"android.monitor_contention",
     "android_extract_android_monitor_contention_blocked_method "
     "android_extract_android_monitor_contention_blocked_src "
     "android_extract_android_monitor_contention_blocking_method "
     "android_extract_android_monitor_contention_blocking_src "
     "android_extract_android_monitor_contention_blocking_thread "
     "android_extract_android_monitor_contention_blocking_tid "
     "android_extract_android_monitor_contention_short_blocked_method "
     "android_extract_android_monitor_contention_short_blocking_method "
     "android_extract_android_monitor_contention_waiter_count android_monitor_contention "
     "android_monitor_contention_chain android_monitor_contention_chain_blocked_functions_by_txn "
     "android_monitor_contention_chain_thread_state "
     "android_monitor_contention_chain_thread_state_by_txn android_monitor_contention_graph"},
    {"android.network_packets",
     "android_network_packets android_network_uptime_cost android_network_uptime_spans"},
    {"android.oom_adjuster", "android_oom_adj_intervals android_oom_adj_score_to_bucket_name "
                             "android_oom_adj_score_to_detailed_bucket_name"},
    {"android.package_lookup", "android_package_lookup"},
    {"android.power_rails", "android_power_rails_counters android_power_rails_metadata"},
    {"android.process_metadata", "android_is_kernel_task android_process_metadata"},
    {"android.profiling_manager.startup", "android_profiling_manager_cold_startup"},
    {"android.screen_state", "android_screen_state"},
    {"android.screenshots", "android_screenshots"},
    {"android.services", "android_service_bindings"},
    {"android.slices", "android_standardize_slice_name"},
    {"android.startup.startup_breakdowns", "android_startup_opinionated_breakdown"},
    {"android.startup.startups",
     "android_binder_transaction_slices_for_startup android_class_loading_for_startup "
     "android_slices_for_startup_and_slice_name android_startup_processes android_startup_threads "
     "android_startups android_sum_dur_for_startup_and_slice "
     "android_sum_dur_on_main_thread_for_startup_and_slice android_thread_slices_for_all_startups"},
    {"android.startup.time_to_display", "android_startup_time_to_display"},
    {"android.statsd", "android_statsd_atoms"},
    {"android.surfaceflinger",
     "android_app_to_sf_frame_timeline_match android_surfaceflinger_workloads"},
    {"android.suspend", "android_suspend_state"},
    {"android.thread", "android_standardize_thread_name"},
    {"android.user_list", "android_user_list"},
    {"android.wakeups", "android_wakeups"},
    {"android.winscope.inputmethod",
     "android_inputmethod_clients android_inputmethod_manager_service android_inputmethod_service"},
    {"android.winscope.rect",
     "android_winscope_rect android_winscope_trace_rect android_winscope_transform"},
    {"android.winscope.surfaceflinger",
     "android_surfaceflinger_display android_surfaceflinger_transaction "
     "android_surfaceflinger_transaction_flag android_winscope_fill_region"},
    {"android.winscope.transitions", "android_window_manager_shell_transition_participants "
                                     "android_window_manager_shell_transition_protos"},
    {"android.winscope.viewcapture", "android_viewcapture android_viewcapture_view"},
    {"android.winscope.windowmanager",
     "android_windowmanager android_windowmanager_windowcontainer"},
    {"appleos.instruments.samples", "appleos_instruments_samples_summary_tree"},
    {"chrome.android_input", "chrome_android_input chrome_deliver_android_input_event"},
    {"chrome.chrome_scrolls",
     "chrome_scroll_frame_info chrome_scroll_update_frame_pipeline chrome_scroll_update_info "
     "chrome_scroll_update_info_step_templates chrome_scroll_update_input_pipeline "
     "chrome_scroll_update_refs chrome_scrolls"},
    {"chrome.chrome_scrolls_v4", "chrome_scroll_frame_info_v4"},
    {"chrome.event_latency", "chrome_event_latencies chrome_gesture_scroll_updates"},
    {"chrome.event_latency_description", "chrome_event_latency_stage_descriptions"},
    {"chrome.graphics_pipeline",
     "chrome_graphics_pipeline_display_frame_steps "
     "chrome_graphics_pipeline_inputs_to_surface_frames "
     "chrome_graphics_pipeline_surface_frame_steps chrome_surface_frame_id_to_first_display_id"},
    {"chrome.histograms", "chrome_histograms"},
    {"chrome.input",
     "chrome_coalesced_inputs chrome_dispatch_android_input_event_to_touch_move "
     "chrome_input_pipeline_steps chrome_inputs chrome_touch_move_to_scroll_update"},
    {"chrome.interactions", "chrome_interactions"},
    {"chrome.jetstream_3", "chrome_jetstream_3_benchmark_score chrome_jetstream_3_measure "
                           "chrome_jetstream_3_renderer_main_utid chrome_jetstream_3_score"},
    {"chrome.loadline_2", "chrome_loadline2_stages"},
    {"chrome.metadata", "chrome_hardware_class"},
    {"chrome.page_loads", "chrome_page_loads"},
    {"chrome.scroll_jank.predictor_error", "chrome_predictor_error"},
    {"chrome.scroll_jank.scroll_jank_cause_map",
     "chrome_scroll_jank_cause_descriptions chrome_scroll_jank_causes_with_event_latencies"},
    {"chrome.scroll_jank.scroll_jank_cause_utils", "chrome_select_scroll_jank_cause_thread"},
    {"chrome.scroll_jank.scroll_jank_intervals",
     "chrome_janky_event_latencies_v3 chrome_janky_frame_presentation_intervals "
     "chrome_scroll_jank_intervals_v3 chrome_scroll_stats"},
    {"chrome.scroll_jank.scroll_jank_v3",
     "chrome_frame_info_with_delay chrome_frames_per_scroll chrome_full_frame_delta_view "
     "chrome_full_frame_view chrome_janky_frames chrome_janky_frames_no_cause "
     "chrome_janky_frames_no_subcause chrome_janky_frames_percentage chrome_merged_frame_view "
     "chrome_presented_gesture_scrolls chrome_scroll_updates_with_deltas "
     "chrome_unique_frame_presentation_ts chrome_vsyncs"},
    {"chrome.scroll_jank.scroll_jank_v3_cause", "chrome_get_v3_jank_cause_id"},
    {"chrome.scroll_jank.scroll_offsets",
     "chrome_presented_scroll_offsets chrome_scroll_input_deltas chrome_scroll_input_offsets "
     "chrome_scroll_presented_deltas"},
    {"chrome.scroll_jank.utils", "chrome_select_long_task_slices"},
    {"chrome.scroll_jank_tagging",
     "chrome_scroll_jank_tags chrome_scroll_jank_tags_v4 chrome_tagged_janky_scroll_frames "
     "chrome_tagged_janky_scroll_frames_v4"},
    {"chrome.scroll_jank_v4", "chrome_scroll_jank_v4_reasons chrome_scroll_jank_v4_results"},
    {"chrome.speedometer", "chrome_speedometer_iteration chrome_speedometer_measure "
                           "chrome_speedometer_renderer_main_utid chrome_speedometer_score"},
    {"chrome.speedometer_2_1",
     "chrome_speedometer_2_1_iteration chrome_speedometer_2_1_measure "
     "chrome_speedometer_2_1_renderer_main_utid chrome_speedometer_2_1_score"},
    {"chrome.speedometer_3", "chrome_speedometer_3_iteration chrome_speedometer_3_measure "
                             "chrome_speedometer_3_renderer_main_utid chrome_speedometer_3_score"},
    {"chrome.startups", "chrome_startups"},
    {"chrome.tasks", "chrome_java_views chrome_scheduler_tasks chrome_tasks"},
    {"chrome.vsync_intervals", "chrome_calculate_avg_vsync_interval chrome_vsync_intervals"},
    {"chrome.web_content_interactions", "chrome_web_content_interactions"},
    {"counters.intervals", "counter_leading_intervals"},
    {"export.to_firefox_profile", "export_to_firefox_profile"},
    {"graphs.dominator_tree", "graph_dominator_tree"},
    {"graphs.partition", "tree_structural_partition_by_group"},
    {"graphs.search", "graph_next_sibling graph_reachable_bfs graph_reachable_dfs "
                      "graph_reachable_weight_bounded_dfs"},
    {"intervals.intersect", "interval_self_intersect"},
    {"intervals.overlap", "interval_merge_overlapping interval_merge_overlapping_partitioned "
                          "intervals_overlap_count intervals_overlap_count_by_group"},
    {"linux.block_io",
     "linux_active_block_io_operations_by_device linux_device_major_id linux_device_minor_id"},
    {"linux.cpu.frequency", "cpu_frequency_counters"},
    {"linux.cpu.idle", "cpu_idle_counters"},
    {"linux.cpu.idle_stats", "cpu_idle_stats"},
    {"linux.cpu.idle_time_in_state",
     "linux_cpu_idle_time_in_state_counters linux_per_cpu_idle_time_in_state_counters"},
    {"linux.cpu.utilization.process",
     "cpu_cycles_per_process cpu_cycles_per_process_in_interval "
     "cpu_process_utilization_in_interval cpu_process_utilization_per_period "
     "cpu_process_utilization_per_second"},
    {"linux.cpu.utilization.slice",
     "cpu_cycles_per_thread_slice cpu_cycles_per_thread_slice_in_interval"},
    {"linux.cpu.utilization.system",
     "cpu_cycles cpu_cycles_in_interval cpu_cycles_per_cpu cpu_cycles_per_cpu_in_interval "
     "cpu_utilization_in_interval cpu_utilization_per_period cpu_utilization_per_second"},
    {"linux.cpu.utilization.thread",
     "cpu_cycles_per_thread cpu_cycles_per_thread_in_interval cpu_thread_utilization_in_interval "
     "cpu_thread_utilization_per_period cpu_thread_utilization_per_second"},
    {"linux.cpu.utilization.thread_cpu",
     "cpu_cycles_per_thread_per_cpu cpu_cycles_per_thread_per_cpu_in_interval"},
    {"linux.devfreq", "linux_devfreq_dsu_counter"},
    {"linux.irqs", "linux_hard_irqs linux_interrupt_mapping linux_irqs linux_soft_irqs"},
    {"linux.memory.high_watermark", "memory_rss_high_watermark_per_process"},
    {"linux.memory.process", "memory_rss_and_swap_per_process"},
    {"linux.perf.counters", "linux_perf_counter_for_sample linux_perf_sample_with_counters"},
    {"linux.perf.samples", "linux_perf_samples_summary_tree"},
    {"linux.perf.spe", "linux_perf_spe_record"},
    {"linux.systemd_journald", "linux_systemd_journald_logs"},
    {"linux.threads", "linux_kernel_threads"},
    {"pixel.camera", "pixel_camera_frames pixel_camera_memory_span"},
    {"pixel.touch", "pixel_touch_events"},
    {"pkvm.hypervisor", "pkvm_hypervisor_events"},
    {"sched.latency", "sched_latency_for_running_interval"},
    {"sched.runnable", "sched_previous_runnable_on_thread"},
    {"sched.states",
     "sched_state_io_to_human_readable_string sched_state_to_human_readable_string"},
    {"sched.thread_level_parallelism",
     "sched_active_cpu_count sched_runnable_thread_count sched_uninterruptible_sleep_thread_count"},
    {"sched.time_in_state",
     "sched_percentage_of_time_in_state sched_time_in_state_and_cpu_for_thread_in_interval "
     "sched_time_in_state_for_cpu_in_interval sched_time_in_state_for_thread "
     "sched_time_in_state_for_thread_in_interval"},
    {"sched.with_context", "sched_with_thread_process"},
    {"slices.cpu_time", "thread_slice_cpu_cycles thread_slice_cpu_time"},
    {"slices.self_dur", "slice_self_dur"},
    {"slices.stack", "ancestor_slice_by_stack descendant_slice_by_stack slice_with_stack_id"},
    {"slices.time_in_state", "thread_slice_time_in_state"},
    {"slices.with_context", "process_slice thread_or_process_slice thread_slice"},
    {"stacks.cpu_profiling", "cpu_profiling_samples cpu_profiling_summary_tree"},
    {"std.gpu.context", "gpu_context"},
    {"std.metasql.unparenthesize", "metasql_unparenthesize_exprlist"},
    {"time.conversion", "time_from_days time_from_hours time_from_min time_from_ms time_from_ns "
                        "time_from_s time_from_us time_to_days time_to_hours time_to_min "
                        "time_to_ms time_to_ns time_to_s time_to_us"},
    {"traced.stats", "traced_clone_flush_latency traced_trigger_clone_flush_latency"},
    {"v8.jit", "v8_isolate v8_js_function v8_js_script v8_wasm_script"},
    {"wattson.aggregation",
     "wattson_metric_metadata wattson_rails_aggregation wattson_threads_aggregation"},
    {"wattson.windows", "wattson_window_app_startup wattson_window_atrace_apps "
                        "wattson_window_markers wattson_window_trace"},
};

const char *published_module(const char *name)
{
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof published / sizeof *published; i++)
        for (const char *at = published[i].names; *at;) {
            size_t length = strcspn(at, " ");
            if (length == n && strncasecmp(at, name, n) == 0)
                return published[i].module;
            at += length + (at[length] == ' ');
        }
    return NULL;
}

const char *published_module_at(size_t i)
{
    return i < sizeof published / sizeof *published ? published[i].module : NULL;
}
