#include "parsers/perfetto/perfetto.h"

#include "parsers/input/byte_source.h"
#include "parsers/perfetto/ftrace/ftrace.h"
#include "parsers/perfetto/ftrace/ftrace_import.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/reader.h"
#include "parsers/perfetto/profile/deobfuscation.h"
#include "parsers/perfetto/system/process_args.h"
#include "parsers/perfetto/trace/diagnostics.h"
#include "parsers/perfetto/trace/trace_stats.h"
#include "parsers/perfetto/track_event/track_event_import.h"
#include "parsers/perfetto/track_event/track_event_parse.h"
#include "parsers/perfetto/track_event/track_event_sequence.h"
#include "parsers/perfetto/window/window.h"

/* A file NAME.c that handles packets exports their table, `const struct packet_module
 * NAME_packets[]`, and stands here, by folder. */
#define PACKET_TABLES(X)                                                                           \
    X(android)                                                                                     \
    X(android_processes)                                                                           \
    X(frame_timeline)                                                                              \
    X(pixel_modem)                                                                                 \
    X(protolog)                                                                                    \
    X(statsd)                                                                                      \
    X(video_frame)                                                                                 \
    X(chrome_metadata)                                                                             \
    X(memory_snapshot)                                                                             \
    X(v8)                                                                                          \
    X(ftrace_bundle)                                                                               \
    X(ftrace_stats)                                                                                \
    X(gpu)                                                                                         \
    X(gpu_counters)                                                                                \
    X(gpu_render_stages)                                                                           \
    X(graphics_frames)                                                                             \
    X(vulkan_memory)                                                                               \
    X(clock_snapshot)                                                                              \
    X(patches)                                                                                     \
    X(cpu_per_uid)                                                                                 \
    X(power)                                                                                       \
    X(wakelocks)                                                                                   \
    X(art_metadata)                                                                                \
    X(deobfuscation)                                                                               \
    X(heap_graph)                                                                                  \
    X(heap_profile)                                                                                \
    X(perf_sample)                                                                                 \
    X(smaps)                                                                                       \
    X(stack_sample)                                                                                \
    X(symbols)                                                                                     \
    X(etw)                                                                                         \
    X(generic_kernel)                                                                              \
    X(network)                                                                                     \
    X(process)                                                                                     \
    X(sys_stats)                                                                                   \
    X(system_info)                                                                                 \
    X(concurrent_session)                                                                          \
    X(metatrace)                                                                                   \
    X(trace_metadata)                                                                              \
    X(trace_stats)                                                                                 \
    X(triggers)                                                                                    \
    X(streaming_profile)                                                                           \
    X(track_event)                                                                                 \
    X(track_event_descriptors)                                                                     \
    X(translation)                                                                                 \
    X(winscope)                                                                                    \
    X(winscope_layers)                                                                             \
    X(winscope_transactions)                                                                       \
    X(winscope_transitions)

#define DECLARE(name) extern const struct packet_module name##_packets[];
PACKET_TABLES(DECLARE)
#undef DECLARE

const struct packet_module *const perfetto_packet_tables[] = {
#define LISTED(name) name##_packets,
    PACKET_TABLES(LISTED)
#undef LISTED
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
    trace_stats_finish(im);
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
    im.modules = packet_modules_index(perfetto_packet_tables);
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

static struct status perfetto_cut(struct cut_job *job)
{
    struct packet_modules modules = packet_modules_index(perfetto_packet_tables);
    struct status s = perfetto_cut_window(&perfetto_trace_format, &modules, job);
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
