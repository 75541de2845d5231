/* tptui trim IN OUT: a window of a trace as a trace of its own. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/output_file.h"
#include "base/standard_streams.h"
#include "cli/command.h"
#include "cli/workspace.h"
#include "core/loss.h"
#include "parsers/load.h"

struct trim_settings {
    const char *in, *out;
    const struct trace_format *as;
    struct time_window window;
};

static int set_from(void *self, const char *value)
{
    return options_from(value, &((struct trim_settings *)self)->window);
}

static int set_to(void *self, const char *value)
{
    return options_to(value, &((struct trim_settings *)self)->window);
}

static int set_as(void *self, const char *value)
{
    return options_format(value, &((struct trim_settings *)self)->as);
}

static const struct command_option options[] = {
    {.name = "from",
     .value = "TIME",
     .help = "begin of the window (that of the trace)",
     .more = "Times as for the window that query loads.",
     .set = set_from},
    {.name = "to",
     .value = "TIME",
     .help = "end of the window (that of the trace); +2s: 2 seconds behind --from",
     .set = set_to},
    AS_OPTION(set_as),
};

static const struct option_table trim_options = {"trim", options, sizeof options / sizeof *options};

static int add_word(void *self, const char *word)
{
    struct trim_settings *s = self;
    if (s->in && s->out)
        return usage_error("trim wants one trace and where to write it: what is %s?", word);
    *(s->in ? &s->out : &s->in) = word;
    return EXIT_DONE;
}

struct file_output {
    struct cut_output output;
    FILE *file;
};

static bool write_file(struct cut_output *self, const void *p, size_t n)
{
    return n == 0 || fwrite(p, n, 1, ((struct file_output *)self)->file) == 1;
}

/* The smaller trace tells that it lacks something, not what. */
static void say_unread(const char *name, const struct cut_unread *unread)
{
    char text[1024];
    for (int i = 0; i < UNREAD_KINDS; i++) {
        if (!unread->counts[i])
            continue;
        loss_print_stat(cut_unread_stats[i], unread->counts[i], text, sizeof text);
        fprintf(standard_errors(), "tptui: %s: %s\n", name, text);
    }
}

static struct status write_window(void *self, FILE *file)
{
    const struct trim_settings *s = self;
    struct file_output out = {.output = {.write = write_file}, .file = file};
    struct cut_job job = {.name = s->in,
                          .window = &s->window,
                          .out = &out.output,
                          .progress = workspace_progress()};
    struct status status = trace_cut_file(s->as, &job);
    if (status_ok(status))
        say_unread(s->in, &job.unread);
    if (!out.output.failed)
        return status;
    status_release(&status); /* closing says why */
    return status_error(STATUS_CANCELLED, "cannot be written");
}

static struct status trim(struct trim_settings *s)
{
    if (strcmp(s->out, "-") == 0)
        return write_window(s, standard_output());
    struct status status = check_other_file(s->out, s->in);
    return status_ok(status) ? replace_or_write_file(s->out, write_window, s) : status;
}

static int trim_command(int argc, char **argv)
{
    struct trim_settings s = {0};
    int exit_status = options_parse(&trim_options, &s, add_word, argc, argv);
    if (exit_status != EXIT_DONE)
        return exit_status;
    if (!s.in || !s.out)
        return usage_error("trim needs a trace and where to write the window");
    if (!s.window.has_from && !s.window.has_to)
        return usage_error("trim needs --from TIME, --to TIME or both");
    workspace_catch_signals();
    return workspace_report(trim(&s), EXIT_TRACE);
}

const struct command trim_cmd = {
    .name = "trim",
    .usage = "IN OUT --from TIME --to TIME\0write a part of a trace, with the state before it\0",
    .options = &trim_options,
    .run = trim_command,
};
