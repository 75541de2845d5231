/* tptui merge -o OUT TRACE...: several traces in a tar file. */
#include "cli/merge.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/tar_file.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/workspace.h"
#include "core/loss.h"
#include "core/trace_builder.h"
#include "parsers/load.h"

enum { NAME_MAX_BYTES = 100 };

/* The input's own name, with its number in front where another input has the same. */
static void member_name(const struct merge_settings *s, size_t i, char *out, size_t size)
{
    const char *slash = strrchr(s->inputs[i], '/');
    const char *name = slash ? slash + 1 : s->inputs[i];
    bool taken = false;
    for (size_t k = 0; k < s->count && !taken; k++) {
        const char *other = strrchr(s->inputs[k], '/');
        taken = k != i && strcmp(name, other ? other + 1 : s->inputs[k]) == 0;
    }
    if (taken)
        snprintf(out, size, "%zu-%s", i + 1, name);
    else
        snprintf(out, size, "%s", name);
}

static struct status add_members(const struct merge_settings *s, FILE *tar)
{
    struct status status = status_ok_value();
    char name[NAME_MAX_BYTES];
    if (s->manifest)
        status = tar_add_file(tar, "perfetto_manifest.json", s->manifest);
    for (size_t i = 0; i < s->count && status_ok(status); i++) {
        if (!s->unchecked)
            status = trace_probe_file(s->inputs[i], NULL);
        member_name(s, i, name, sizeof name);
        if (status_ok(status))
            status = tar_add_file(tar, name, s->inputs[i]);
    }
    return status_ok(status) ? tar_end(tar) : status;
}

/* Loads the result, as whoever opens it will; `name` is what messages call it. */
static struct status check_result(FILE *tar, const char *name)
{
    struct trace *t = alloc_array(1, sizeof *t);
    trace_init(t);
    struct status status = trace_load_open_file(t, fileno(tar), name, NULL, NULL);
    char lost[1024] = "";
    if (status_ok(status))
        loss_print(t, lost, sizeof lost);
    if (lost[0])
        status = status_error(STATUS_FORMAT, "%s: %s", name, lost);
    trace_release(t);
    free(t);
    return status;
}

static struct status write_archive(void *self, FILE *tar)
{
    const struct merge_settings *s = self;
    struct status status = add_members(s, tar);
    bool whole = status_ok(status) && fflush(tar) == 0 && !ferror(tar);
    return whole && s->strict ? check_result(tar, s->output) : status;
}

struct status merge_traces(const struct merge_settings *s)
{
    struct merge_settings copy = *s;
    struct status status = check_other_file(s->output, s->manifest);
    for (size_t i = 0; i < s->count && status_ok(status); i++)
        status = check_other_file(s->output, s->inputs[i]);
    return status_ok(status) ? replace_or_write_file(s->output, write_archive, &copy) : status;
}

struct merge_command {
    struct merge_settings merge;
    VEC(const char *) inputs;
};

static const struct command_option options[] = {
    {.name = "output",
     .letter = 'o',
     .value = "FILE",
     .help = "the archive",
     OPTION_INTO(struct merge_command, merge.output)},
    {.name = "manifest",
     .value = "FILE",
     .help = "what says more of the traces: clocks, machines",
     OPTION_INTO(struct merge_command, merge.manifest)},
    {.name = "no-validate",
     .help = "take files that are no traces, too",
     OPTION_INTO(struct merge_command, merge.unchecked)},
    {.name = "strict",
     .help = "load the archive afterwards and fail where that loses data",
     OPTION_INTO(struct merge_command, merge.strict)},
};

static const struct option_table merge_options = {"merge", options,
                                                  sizeof options / sizeof *options};

static int add_word(void *self, const char *word)
{
    *vec_push(&((struct merge_command *)self)->inputs) = word;
    return EXIT_DONE;
}

static int merge_command(int argc, char **argv)
{
    struct merge_command s = {0};
    int exit_status = options_parse(&merge_options, &s, add_word, argc, argv);
    s.merge.inputs = s.inputs.items;
    s.merge.count = s.inputs.count;
    if (exit_status == EXIT_DONE && (!s.merge.output || s.merge.count == 0))
        exit_status = usage_error("merge needs -o FILE and traces");
    if (exit_status == EXIT_DONE)
        exit_status = workspace_report(merge_traces(&s.merge), EXIT_TRACE);
    vec_release(&s.inputs);
    return exit_status;
}

const struct command merge_cmd = {
    .name = "merge",
    .usage = "-o FILE TRACE...\0put traces into one archive that opens as one\0",
    .options = &merge_options,
    .run = merge_command,
};
