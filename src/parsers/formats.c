#include "parsers/formats.h"

#include <string.h>

#include "parsers/archive/archive.h"
#include "parsers/archive/manifest.h"
#include "parsers/apple/instruments.h"
#include "parsers/art/art_method.h"
#include "parsers/art/hprof.h"
#include "parsers/fuchsia/fuchsia.h"
#include "parsers/gecko/gecko.h"
#include "parsers/json/json.h"
#include "parsers/json/page.h"
#include "parsers/perf/perf.h"
#include "parsers/perfetto/perfetto.h"
#include "parsers/primes/primes.h"
#include "parsers/samples/cpu_profile.h"
#include "parsers/samples/heap_snapshot.h"
#include "parsers/samples/pprof.h"
#include "parsers/samples/simpleperf.h"
#include "parsers/samples/speedscope.h"
#include "parsers/samples/stackprof.h"
#include "parsers/text/collapsed.h"
#include "parsers/text/android_log.h"
#include "parsers/text/anr_traces.h"
#include "parsers/text/dumpstate.h"
#include "parsers/text/ninja_log.h"
#include "parsers/text/perf_script.h"
#include "parsers/text/pidstat.h"
#include "parsers/text/simpleperf_text.h"
#include "parsers/text/strace.h"
#include "parsers/tracedat/trace_dat.h"
#include "parsers/tracefs/systrace_text.h"

const struct trace_format *const trace_formats[] = {
    &perf_data_trace_format,
    &simpleperf_trace_format,
    &simpleperf_text_trace_format,
    &fuchsia_trace_format,
    &trace_dat_format,
    &art_method_trace_format,
    &art_method_v2_trace_format,
    &hprof_trace_format,
    &instruments_trace_format,
    &primes_trace_format,
    &zip_trace_format,
    &tar_trace_format,
    &xz_trace_format,
    &gecko_trace_format,
    &manifest_trace_format,
    &speedscope_trace_format,
    &stackprof_trace_format,
    &cpu_profile_trace_format,
    &heap_profile_trace_format,
    &heap_snapshot_trace_format,
    &json_trace_format,
    &systrace_page_trace_format,
    &pprof_trace_format,
    &perfetto_trace_format,
    &ninja_log_trace_format,
    &perf_tracepoints_trace_format,
    &perf_script_trace_format,
    &dumpstate_trace_format,
    &anr_traces_trace_format,
    &android_log_trace_format,
    &pidstat_trace_format,
    &strace_trace_format,
    &systrace_text_trace_format,
    &collapsed_trace_format,
    NULL,
};

const struct trace_format *trace_format_named(const char *key)
{
    for (size_t i = 0; trace_formats[i]; i++)
        if (strcmp(trace_format_key(trace_formats[i]), key) == 0)
            return trace_formats[i];
    return NULL;
}
