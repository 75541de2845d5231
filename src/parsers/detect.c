#include "parsers/detect.h"

#include "base/str.h"
#include "parsers/archive/archive.h"
#include "parsers/json/json.h"
#include "parsers/text/perf_script.h"
#include "parsers/samples/simpleperf.h"
#include "parsers/text/strace.h"
#include "parsers/text/systrace_text.h"
#include "parsers/archive/tar.h"
#include "parsers/archive/zip.h"

enum { HEAD_BYTES = 4096 };

static struct str head_of(struct bytes data)
{
    return (struct str){(const char *)data.p, data.n < HEAD_BYTES ? data.n : HEAD_BYTES};
}

static struct str skip_space(struct str s)
{
    while (s.n > 0 && (*s.p == ' ' || *s.p == '\t' || *s.p == '\r' || *s.p == '\n'))
        s = str_skip(s, 1);
    return s;
}

static bool contains(struct str s, struct str what)
{
    return s.n >= what.n && memmem(s.p, s.n, what.p, what.n) != NULL;
}

/* "\n{" also begins a protobuf trace whose first packet has 123 bytes: what follows must be JSON
 * too. */
static bool sniff_json(struct bytes data)
{
    struct str s = skip_space(head_of(data));
    if (s.n == 0 || (*s.p != '{' && *s.p != '['))
        return false;
    bool object = *s.p == '{';
    s = skip_space(str_skip(s, 1));
    return s.n > 0 && (object ? *s.p == '"' || *s.p == '}' : *s.p == '{' || *s.p == ']');
}

static bool sniff_html(struct bytes data)
{
    struct str s = skip_space(head_of(data));
    return str_starts(s, STR("<!DOCTYPE html")) || str_starts(s, STR("<!doctype html")) ||
           str_starts(s, STR("<html"));
}

static bool sniff_ftrace_text(struct bytes data)
{
    struct str s = head_of(data);
    return str_starts(s, STR("# tracer:")) || str_starts(s, STR("TRACE:")) ||
           contains(s, STR("\n# tracer:")) || contains(s, STR("\nTRACE:\n")) ||
           systrace_text_sniff(data);
}

static bool sniff_perf_data(struct bytes data)
{
    return str_starts(head_of(data), STR("PERFILE2"));
}

static bool sniff_fuchsia(struct bytes data)
{
    return str_starts(head_of(data), STR("\x10\x00\x04\x46\x78\x54\x16\x00"));
}

/* The first that says yes is taken. */
static const struct trace_parser parsers[] = {
    {.name = "perf.data", .type = "perf", .sniff = sniff_perf_data},
    {.name = "simpleperf",
     .type = "simpleperf_proto",
     .sniff = simpleperf_sniff,
     .read = simpleperf_import},
    {.name = "Fuchsia", .type = "fuchsia", .sniff = sniff_fuchsia},
    {.name = "zip", .type = "zip", .sniff = zip_sniff, .read = zip_import},
    {.name = "tar", .type = "tar", .sniff = tar_sniff, .read = tar_import},
    {.name = "JSON", .type = "json", .sniff = sniff_json, .read_source = json_trace_import},
    {.name = "systrace HTML",
     .type = "systrace",
     .sniff = sniff_html,
     .read_source = systrace_html_import},
    {.name = "Perfetto", .type = "proto", .sniff = perfetto_sniff, .read = perfetto_import},
    {.name = "perf script",
     .type = "perf_text",
     .sniff = perf_script_sniff,
     .read_source = perf_script_import},
    {.name = "strace", .type = "strace", .sniff = strace_sniff, .read_source = strace_import},
    {.name = "ftrace text",
     .type = "systrace",
     .sniff = sniff_ftrace_text,
     .read_source = systrace_text_import},
};

const struct trace_parser *trace_parser_detect(struct bytes data)
{
    for (size_t i = 0; i < sizeof parsers / sizeof parsers[0]; i++)
        if (parsers[i].sniff(data))
            return &parsers[i];
    return NULL;
}
