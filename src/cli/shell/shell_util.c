/* trace_processor_shell util. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/convert_text.h"
#include "cli/enrich.h"
#include "cli/merge.h"
#include "cli/shell.h"
#include "cli/text_file.h"
#include "parsers/proto/proto_text.h"

#define UTILITIES "merge|symbolize|deobfuscate|decompress_packets|text_to_binary"

SHELL_TEXT(export_file)
SHELL_TEXT(manifest)
SHELL_FLAG(unchecked)
SHELL_FLAG(strict)

static struct status util_merge(const struct shell_settings *s)
{
    struct merge_settings merge = {.inputs = s->words.items + 1,
                                   .count = s->words.count - 1,
                                   .output = s->export_file,
                                   .manifest = s->manifest,
                                   .unchecked = s->unchecked,
                                   .strict = s->strict};
    if (!merge.output || merge.count == 0)
        return status_error(STATUS_USAGE, "util merge: expected -o FILE and traces");
    return merge_traces(&merge);
}

/* The second word, if there is one, else standard input; and the third. */
static const char *input_of(const struct shell_settings *s)
{
    return s->words.count > 1 ? s->words.items[1] : "-";
}

static struct status write_file(const struct shell_settings *s, const struct pb_bytes *bytes)
{
    const char *path = s->words.count > 2 ? s->words.items[2] : "-";
    if (strcmp(path, "-") != 0)
        return replace_or_write_text(path, (const char *)bytes->v.items, bytes->v.count);
    if (bytes->v.count > 0)
        fwrite(bytes->v.items, 1, bytes->v.count, standard_output());
    return status_ok_value();
}

static struct status util_text_to_binary(const struct shell_settings *s)
{
    struct text_file f;
    struct descriptors registry = {0};
    struct pb_bytes bytes = {0};
    struct status status = text_file_read(input_of(s), &f);
    uint32_t type = descriptors_find(&registry, STR("perfetto.protos.Trace"));
    if (status_ok(status))
        status = proto_text_parse(&bytes, &registry, type, f.name, text_file_str(&f));
    if (status_ok(status))
        status = write_file(s, &bytes);
    text_file_release(&f);
    pb_bytes_release(&bytes);
    descriptors_release(&registry);
    return status;
}

static struct status util_decompress(const struct shell_settings *s)
{
    struct pb_bytes bytes = {0};
    struct status status = decompress_packets(input_of(s), &bytes);
    if (status_ok(status))
        status = write_file(s, &bytes);
    pb_bytes_release(&bytes);
    return status;
}

/* The packets that `enrich` makes of the trace, alone. */
static struct status write_packets_of(const struct shell_settings *s,
                                      struct status (*enrich)(const struct enrich_settings *,
                                                              struct pb_bytes *))
{
    struct enrich_settings settings = {.in = input_of(s), .only_environment = true};
    struct workspace_settings workspace = s->workspace;
    struct pb_bytes bytes = {0};
    workspace.trace = settings.in;
    workspace.is_shell = true;
    workspace.cache.off = true;
    if (workspace_open(&workspace) != EXIT_DONE)
        return status_error(STATUS_CANCELLED, "the trace was not read"); /* as was said */
    struct status status = enrich(&settings, &bytes);
    if (status_ok(status))
        status = write_file(s, &bytes);
    pb_bytes_release(&bytes);
    return status;
}

static struct status util_symbolize(const struct shell_settings *s)
{
    return write_packets_of(s, enrich_symbols);
}

static struct status util_deobfuscate(const struct shell_settings *s)
{
    return write_packets_of(s, enrich_names);
}

static const struct {
    const char *name;
    struct status (*run)(const struct shell_settings *s);
} utilities[] = {
    {"merge", util_merge},
    {"text_to_binary", util_text_to_binary},
    {"decompress_packets", util_decompress},
    {"symbolize", util_symbolize},
    {"deobfuscate", util_deobfuscate},
};

static int run_util(struct shell_settings *s)
{
    const char *name = s->words.count ? s->words.items[0] : "";
    for (size_t i = 0; i < sizeof utilities / sizeof *utilities; i++)
        if (strcmp(name, utilities[i].name) == 0)
            return workspace_report(utilities[i].run(s), 1) ? 1 : 0;
    return shell_error("util: expected " UTILITIES);
}

static const struct command_option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "the archive that merge writes",
     .set = set_export_file},
    {.name = "manifest",
     .value = "FILE",
     .help = "what says more of merged traces",
     .set = set_manifest},
    {.name = "no-validate", .help = "merge files that are no traces, too", .set = set_unchecked},
    {.name = "strict", .help = "fail where merging loses data", .set = set_strict},
};

const struct shell_command shell_util_cmd = {
    .name = "util",
    .words = UTILITIES " [IN [OUT]]",
    .about = "Works on trace files.",
    .options = {"util", options, sizeof options / sizeof *options},
    .run = run_util,
};
