#include "parsers/formats.h"

#include <string.h>

/* A format is a file that exports one of these; each stands here once. */
#define TRACE_FORMATS(X)                                                                           \
    X(perf_data_trace_format)                                                                      \
    X(simpleperf_trace_format)                                                                     \
    X(simpleperf_text_trace_format)                                                                \
    X(fuchsia_trace_format)                                                                        \
    X(trace_dat_format)                                                                            \
    X(art_method_trace_format)                                                                     \
    X(art_method_v2_trace_format)                                                                  \
    X(hprof_trace_format)                                                                          \
    X(instruments_trace_format)                                                                    \
    X(primes_trace_format)                                                                         \
    X(zip_trace_format)                                                                            \
    X(tar_trace_format)                                                                            \
    X(gecko_trace_format)                                                                          \
    X(exported_table_trace_format)                                                                 \
    X(manifest_trace_format)                                                                       \
    X(speedscope_trace_format)                                                                     \
    X(stackprof_trace_format)                                                                      \
    X(perf_json_trace_format)                                                                      \
    X(studio_log_trace_format)                                                                     \
    X(cpu_profile_trace_format)                                                                    \
    X(heap_profile_trace_format)                                                                   \
    X(heap_snapshot_trace_format)                                                                  \
    X(spans_trace_format)                                                                          \
    X(dhat_trace_format)                                                                           \
    X(ghc_profile_trace_format)                                                                    \
    X(v8_ticks_trace_format)                                                                       \
    X(web_recording_trace_format)                                                                  \
    X(har_trace_format)                                                                            \
    X(json_trace_format)                                                                           \
    X(systrace_page_trace_format)                                                                  \
    X(flame_svg_trace_format)                                                                      \
    X(pprof_trace_format)                                                                          \
    X(perfetto_trace_format)                                                                       \
    X(perfetto_text_trace_format)                                                                  \
    X(blkparse_trace_format)                                                                       \
    X(babeltrace_trace_format)                                                                     \
    X(massif_trace_format)                                                                         \
    X(heaptrack_trace_format)                                                                      \
    X(v8_log_trace_format)                                                                         \
    X(papyrus_trace_format)                                                                        \
    X(ninja_log_trace_format)                                                                      \
    X(perf_stat_trace_format)                                                                      \
    X(perf_report_trace_format)                                                                    \
    X(uftrace_trace_format)                                                                        \
    X(timehist_trace_format)                                                                       \
    X(perf_trace_trace_format)                                                                     \
    X(perf_tracepoints_trace_format)                                                               \
    X(perf_script_trace_format)                                                                    \
    X(dumpstate_trace_format)                                                                      \
    X(anr_traces_trace_format)                                                                     \
    X(java_threads_trace_format)                                                                   \
    X(android_log_trace_format)                                                                    \
    X(pidstat_trace_format)                                                                        \
    X(top_trace_format)                                                                            \
    X(turbostat_trace_format)                                                                      \
    X(sysstat_trace_format)                                                                        \
    X(call_summary_trace_format)                                                                   \
    X(strace_trace_format)                                                                         \
    X(systrace_text_trace_format)                                                                  \
    X(pprof_text_trace_format)                                                                     \
    X(callgrind_trace_format)                                                                      \
    X(call_tree_trace_format)                                                                      \
    X(stack_counts_trace_format)                                                                   \
    X(collapsed_trace_format)

#define DECLARE(format) extern const struct trace_format format;
TRACE_FORMATS(DECLARE)
#undef DECLARE

const struct trace_format *const trace_formats[] = {
#define ADDRESS(format) &format,
    TRACE_FORMATS(ADDRESS)
#undef ADDRESS
        NULL,
};

const struct trace_format *trace_format_named(const char *key)
{
    for (size_t i = 0; trace_formats[i]; i++)
        if (strcmp(trace_format_key(trace_formats[i]), key) == 0)
            return trace_formats[i];
    return NULL;
}
