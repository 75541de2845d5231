#include "parsers/perfetto/perfetto.h"

#include "parsers/input/byte_source.h"
#include "parsers/perfetto/android/android.h"
#include "parsers/perfetto/android/android_processes.h"
#include "parsers/perfetto/android/frame_timeline.h"
#include "parsers/perfetto/android/pixel_modem.h"
#include "parsers/perfetto/android/protolog.h"
#include "parsers/perfetto/android/statsd.h"
#include "parsers/perfetto/android/video_frame.h"
#include "parsers/perfetto/chrome/chrome_metadata.h"
#include "parsers/perfetto/chrome/memory_snapshot.h"
#include "parsers/perfetto/chrome/v8.h"
#include "parsers/perfetto/ftrace/ftrace.h"
#include "parsers/perfetto/ftrace/ftrace_bundle.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"
#include "parsers/perfetto/ftrace/ftrace_stats.h"
#include "parsers/perfetto/gpu/gpu.h"
#include "parsers/perfetto/gpu/gpu_counters.h"
#include "parsers/perfetto/gpu/gpu_render_stages.h"
#include "parsers/perfetto/gpu/graphics_frames.h"
#include "parsers/perfetto/gpu/vulkan_memory.h"
#include "parsers/perfetto/packets/clock_snapshot.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/patches.h"
#include "parsers/perfetto/packets/reader.h"
#include "parsers/perfetto/power/cpu_per_uid.h"
#include "parsers/perfetto/power/power.h"
#include "parsers/perfetto/power/wakelocks.h"
#include "parsers/perfetto/profile/art_metadata.h"
#include "parsers/perfetto/profile/deobfuscation.h"
#include "parsers/perfetto/profile/heap_graph.h"
#include "parsers/perfetto/profile/heap_profile.h"
#include "parsers/perfetto/profile/perf_sample.h"
#include "parsers/perfetto/profile/smaps.h"
#include "parsers/perfetto/profile/stack_sample.h"
#include "parsers/perfetto/profile/symbols.h"
#include "parsers/perfetto/system/etw.h"
#include "parsers/perfetto/system/generic_kernel.h"
#include "parsers/perfetto/system/network.h"
#include "parsers/perfetto/system/process.h"
#include "parsers/perfetto/system/process_args.h"
#include "parsers/perfetto/system/sys_stats.h"
#include "parsers/perfetto/system/system_info.h"
#include "parsers/perfetto/trace/concurrent_session.h"
#include "parsers/perfetto/trace/diagnostics.h"
#include "parsers/perfetto/trace/metatrace.h"
#include "parsers/perfetto/trace/trace_metadata.h"
#include "parsers/perfetto/trace/trace_stats.h"
#include "parsers/perfetto/trace/triggers.h"
#include "parsers/perfetto/track_event/streaming_profile.h"
#include "parsers/perfetto/track_event/track_event.h"
#include "parsers/perfetto/track_event/track_event_descriptors.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_parse.h"
#include "parsers/perfetto/track_event/track_event_sequence.h"
#include "parsers/perfetto/track_event/translation.h"
#include "parsers/perfetto/window/window.h"
#include "parsers/perfetto/winscope/winscope.h"
#include "parsers/perfetto/winscope/winscope_layers.h"
#include "parsers/perfetto/winscope/winscope_transactions.h"
#include "parsers/perfetto/winscope/winscope_transitions.h"

/* Each file that handles packets. */
static const struct packet_module *const packet_tables[] = {
    android_packets,
    android_processes_packets,
    frame_timeline_packets,
    pixel_modem_packets,
    protolog_packets,
    statsd_packets,
    video_frame_packets,
    chrome_metadata_packets,
    memory_snapshot_packets,
    v8_packets,
    ftrace_bundle_packets,
    ftrace_stats_packets,
    gpu_packets,
    gpu_counters_packets,
    gpu_render_stages_packets,
    graphics_frames_packets,
    vulkan_memory_packets,
    clock_snapshot_packets,
    patches_packets,
    cpu_per_uid_packets,
    power_packets,
    wakelocks_packets,
    art_metadata_packets,
    deobfuscation_packets,
    heap_graph_packets,
    heap_profile_packets,
    perf_sample_packets,
    smaps_packets,
    stack_sample_packets,
    symbols_packets,
    etw_packets,
    generic_kernel_packets,
    network_packets,
    process_packets,
    sys_stats_packets,
    system_info_packets,
    concurrent_session_packets,
    metatrace_packets,
    trace_metadata_packets,
    trace_stats_packets,
    triggers_packets,
    streaming_profile_packets,
    track_event_packets,
    track_event_descriptors_packets,
    translation_packets,
    winscope_packets,
    winscope_layers_packets,
    winscope_transactions_packets,
    winscope_transitions_packets,
    NULL,
};

static const struct import_handlers handlers = {
    .ftrace = ftrace_parse,
    .track_event = track_event_parse,
    .sequence_cleared = track_event_sequence_reset,
};

/* Args before the modules' own rows, names once all rows are there, advice once all is counted. */
static void finish(struct import *im)
{
    process_args_finish(im);
    import_finish_states(im);
    deobfuscation_finish(im);
    diagnostics_finish(im);
}

static struct status import_source(struct trace *t, const char *name, struct byte_source *source)
{
    struct import im;
    import_init(&im, t, source->window);
    im.name = name;
    im.source = source;
    im.progress = source->progress;
    im.handlers = &handlers;
    im.modules = packet_modules_index(packet_tables);
    ftrace_import_init(&im);
    track_event_import_init(&im);
    struct status s = packets_read(&im);
    if (status_ok(s))
        s = sorter_run(&im);
    if (status_ok(s))
        finish(&im);
    track_event_import_release(&im);
    ftrace_import_release(&im);
    packet_modules_release(&im.modules);
    import_release(&im);
    return s;
}

static struct status import_whole(struct trace *t, const char *name, struct bytes data,
                                  struct load_progress *progress)
{
    struct byte_source source = byte_source_memory(data, false, progress);
    return import_source(t, name, &source);
}

static struct status import_growing(struct trace *t, const char *name, struct byte_source *source)
{
    byte_source_keep(source);
    return import_source(t, name, source);
}

static struct status perfetto_cut(const char *name, struct bytes data,
                                  const struct time_window *window, struct cut_output *out,
                                  struct load_progress *progress, struct cut_span *span)
{
    struct packet_modules modules = packet_modules_index(packet_tables);
    struct status s = perfetto_cut_window(&perfetto_trace_format, &modules, name, data, window, out,
                                          progress, span);
    packet_modules_release(&modules);
    return s;
}

const struct trace_format perfetto_trace_format = {
    .name = "Perfetto",
    .type = "proto",
    .about = "recordings of Perfetto in protobuf: packets that begin with the byte 0x0a",
    .sniff = packets_sniff,
    .has_clocks = true,
    .has_machines = true,
    .read = import_whole,
    .read_growing = import_growing,
    .cut = perfetto_cut,
};
