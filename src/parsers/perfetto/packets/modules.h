/* What the table of packet modules refers to, one line a subject's file, and what the modules
 * share. A tokenize returns true where the packet is done with; see struct packet_module. */
#ifndef TPTUI_PARSERS_PERFETTO_PACKETS_MODULES_H
#define TPTUI_PARSERS_PERFETTO_PACKETS_MODULES_H

#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/wire.h"

static inline struct pb_reader bytes_reader(struct bytes b)
{
    return pb_reader_from(b.p, b.n);
}

static inline struct bytes field_bytes(const struct pb_field *f)
{
    return (struct bytes){f->data, f->data ? (size_t)f->value : 0};
}

/* counters.c: a value on a counter track whose type has one dimension, a string. */
struct counter_kind {
    const char *type, *dimension, *unit; /* unit: NULL is none */
};

void counter_push_keyed(struct import *im, const struct packet *p, const struct counter_kind *kind,
                        string_id key, string_id name, double value);
/* While tokenizing: of a run of equal values only the first counts, and the last where another
 * value follows. */
void counter_push_sparse(struct import *im, int64_t ts, uint32_t track, double value);
/* The row of `gpu` for a machine's gpu number. */
uint32_t import_ugpu(struct import *im, uint32_t machine, uint32_t gpu);
uint32_t gpu_counter_track(struct import *im, uint32_t machine, uint32_t gpu, const char *type,
                           const char *name, const char *unit);

/* clock_snapshot.c */
bool clock_snapshot_tokenize(struct import *im, struct packet *p);
bool remote_clock_sync_tokenize(struct import *im, struct packet *p);

/* trace_metadata.c */
bool trace_uuid_tokenize(struct import *im, struct packet *p);
bool trace_attributes_tokenize(struct import *im, struct packet *p);
bool trace_config_tokenize(struct import *im, struct packet *p);
bool service_event_tokenize(struct import *im, struct packet *p);
bool ui_state_tokenize(struct import *im, struct packet *p);
bool extension_descriptor_tokenize(struct import *im, struct packet *p);
/* Whether the config streams into a file, so that what buffers overwrote is lost. */
bool config_streams_into_file(struct import *im);

/* patches.c */
bool trace_provenance_tokenize(struct import *im, struct packet *p);
bool protovms_tokenize(struct import *im, struct packet *p);

/* video_frame.c */
void video_frame_parse(struct import *im, const struct packet *p);

/* system_info.c */
bool system_info_tokenize(struct import *im, struct packet *p);
bool cpu_info_tokenize(struct import *im, struct packet *p);
bool interrupt_info_tokenize(struct import *im, struct packet *p);

/* trace_stats.c */
bool trace_stats_tokenize(struct import *im, struct packet *p);

/* android.c */
bool android_log_tokenize(struct import *im, struct packet *p);
void initial_display_state_parse(struct import *im, const struct packet *p);
void android_system_property_parse(struct import *im, const struct packet *p);
bool packages_list_tokenize(struct import *im, struct packet *p);
bool user_list_tokenize(struct import *im, struct packet *p);
bool game_intervention_list_tokenize(struct import *im, struct packet *p);
void android_aflags_parse(struct import *im, const struct packet *p);
void journald_event_parse(struct import *im, const struct packet *p);
void bluetooth_trace_event_parse(struct import *im, const struct packet *p);

/* power.c */
void battery_parse(struct import *im, const struct packet *p);
bool power_rails_tokenize(struct import *im, struct packet *p);
void energy_breakdown_parse(struct import *im, const struct packet *p);
void entity_state_residency_parse(struct import *im, const struct packet *p);

/* cpu_per_uid.c */
bool cpu_per_uid_tokenize(struct import *im, struct packet *p);

/* wakelocks.c */
bool kernel_wakelock_data_tokenize(struct import *im, struct packet *p);
bool app_wakelock_bundle_tokenize(struct import *im, struct packet *p);

/* generic_kernel.c */
void generic_kernel_task_state_parse(struct import *im, const struct packet *p);
void generic_kernel_task_rename_parse(struct import *im, const struct packet *p);
void generic_kernel_cpu_frequency_parse(struct import *im, const struct packet *p);
void generic_kernel_process_tree_parse(struct import *im, const struct packet *p);

/* network.c */
bool network_packet_tokenize(struct import *im, struct packet *p);
bool network_packet_bundle_tokenize(struct import *im, struct packet *p);

/* concurrent_session.c */
void concurrent_session_parse(struct import *im, const struct packet *p);

/* heap_profile.c */
void profile_packet_parse(struct import *im, const struct packet *p);

/* memory_snapshot.c */
void memory_tracker_snapshot_parse(struct import *im, const struct packet *p);

/* perf_sample.c, stack_sample.c, streaming_profile.c, smaps.c */
void perf_sample_parse(struct import *im, const struct packet *p);
void stack_sample_parse(struct import *im, const struct packet *p);
bool streaming_profile_tokenize(struct import *im, struct packet *p);
void smaps_packet_parse(struct import *im, const struct packet *p);

/* android_processes.c */
void android_process_state_parse(struct import *im, const struct packet *p);

/* pixel_modem.c */
bool pixel_modem_database_tokenize(struct import *im, struct packet *p);
bool pixel_modem_events_tokenize(struct import *im, struct packet *p);

/* statsd.c */
bool statsd_atom_tokenize(struct import *im, struct packet *p);

/* chrome_metadata.c */
bool chrome_metadata_tokenize(struct import *im, struct packet *p);
bool chrome_benchmark_metadata_tokenize(struct import *im, struct packet *p);
void chrome_events_parse(struct import *im, const struct packet *p);

/* frame_timeline.c */
void frame_timeline_event_parse(struct import *im, const struct packet *p);

/* gpu.c */
bool gpu_info_tokenize(struct import *im, struct packet *p);
void gpu_frequency_parse(struct import *im, const struct packet *p);
void gpu_mem_total_parse(struct import *im, const struct packet *p);
void gpu_log_parse(struct import *im, const struct packet *p);

/* gpu_counters.c */
bool gpu_counter_event_tokenize(struct import *im, struct packet *p);
void gpu_counter_event_parse(struct import *im, const struct packet *p);

/* gpu_render_stages.c */
void gpu_render_stage_event_parse(struct import *im, const struct packet *p);
void vulkan_api_event_parse(struct import *im, const struct packet *p);

/* graphics_frames.c */
void graphics_frame_event_parse(struct import *im, const struct packet *p);

/* etw.c */
bool etw_events_tokenize(struct import *im, struct packet *p);

/* vulkan_memory.c */
void vulkan_memory_event_parse(struct import *im, const struct packet *p);

/* metatrace.c */
void metatrace_parse(struct import *im, const struct packet *p);

/* triggers.c */
void trigger_parse(struct import *im, const struct packet *p);
void clone_trigger_parse(struct import *im, const struct packet *p);
void chrome_trigger_parse(struct import *im, const struct packet *p);

/* heap_graph.c */
void heap_graph_parse(struct import *im, const struct packet *p);
/* The row of a process' dump at a time. */
uint32_t heap_graph_row_of(struct import *im, uint32_t upid, int64_t ts);

/* art_metadata.c */
void art_process_metadata_parse(struct import *im, const struct packet *p);

/* winscope.c, winscope_layers.c, winscope_transactions.c, winscope_transitions.c */
void winscope_extensions_parse(struct import *im, const struct packet *p);
void surfaceflinger_layers_parse(struct import *im, const struct packet *p);
void surfaceflinger_transactions_parse(struct import *im, const struct packet *p);
void shell_transition_parse(struct import *im, const struct packet *p);
void shell_handler_mappings_parse(struct import *im, const struct packet *p);

/* protolog.c */
bool protolog_viewer_config_tokenize(struct import *im, struct packet *p);
void protolog_message_parse(struct import *im, const struct packet *p);

/* v8.c */
void v8_js_code_parse(struct import *im, const struct packet *p);
void v8_internal_code_parse(struct import *im, const struct packet *p);
void v8_wasm_code_parse(struct import *im, const struct packet *p);
void v8_reg_exp_code_parse(struct import *im, const struct packet *p);
void v8_code_move_parse(struct import *im, const struct packet *p);

/* process.c */
void process_tree_parse(struct import *im, const struct packet *p);
void process_stats_parse(struct import *im, const struct packet *p);

/* sys_stats.c */
void sys_stats_parse(struct import *im, const struct packet *p);
void sys_stats_set_page_size(struct import *im, uint32_t machine, uint32_t bytes);

#endif
