/* tptui symbolize, tptui deobfuscate, tptui bundle. */
#include "cli/command.h"
#include "cli/enrich.h"

static int add_word(void *self, const char *word)
{
    struct enrich_settings *s = self;
    if (!s->in)
        s->in = word;
    else if (!s->out)
        s->out = word;
    else
        return usage_error("expected an input and an output, not also %s", word);
    return EXIT_DONE;
}

#define PACKETS_OPTION                                                                             \
    {                                                                                              \
        .name = "packets-only", .help = "write the new packets without the trace",                 \
        .more = "They can be appended to the trace, or be put into an archive with it.",           \
        OPTION_INTO(struct enrich_settings, packets_only)                                          \
    }

/* Parses, loads and runs. Returns an exit status. */
static int run(const struct option_table *options, int argc, char **argv, bool needs_output,
               struct status (*work)(const struct enrich_settings *s))
{
    struct enrich_settings s = {0};
    int exit_status = options_parse(options, &s, add_word, argc, argv);
    if (exit_status == EXIT_DONE && (!s.in || (needs_output && !s.out)))
        exit_status = usage_error("%s needs %s", options->owner,
                                  needs_output ? "a trace and an output" : "a trace");
    s.workspace.trace = s.in;
    if (exit_status == EXIT_DONE)
        exit_status = workspace_open(&s.workspace);
    if (exit_status == EXIT_DONE)
        exit_status = workspace_report(work(&s), EXIT_SQL);
    enrich_settings_release(&s);
    return exit_status;
}

static struct status work(const struct enrich_settings *s,
                          struct status (*enrich)(const struct enrich_settings *,
                                                  struct pb_bytes *))
{
    struct pb_bytes packets = {0};
    struct status status = enrich(s, &packets);
    if (status_ok(status))
        status = enrich_write(s, &packets);
    pb_bytes_release(&packets);
    return status;
}

static struct status do_symbolize(const struct enrich_settings *s)
{
    return work(s, enrich_symbols);
}

/* The names of the maps; that there were none is said, as the trace stays what it was. */
static struct status find_names(const struct enrich_settings *s, struct pb_bytes *packets)
{
    struct status status = enrich_names(s, packets);
    if (status_ok(status) && packets->v.count == 0)
        workspace_print("no map of R8 or ProGuard was found, and no name is added: --proguard-map "
                        "FILE names one");
    return status;
}

static struct status do_deobfuscate(const struct enrich_settings *s)
{
    return work(s, find_names);
}

static const struct command_option symbolize_table[] = {
    PACKETS_OPTION,
    SYMBOL_OPTIONS,
    AS_OPTION(workspace_as),
};
static const struct option_table symbolize_options = {"symbolize", symbolize_table,
                                                      sizeof symbolize_table /
                                                          sizeof *symbolize_table};

static const struct command_option deobfuscate_table[] = {
    PACKETS_OPTION,
    MAP_OPTIONS,
    AS_OPTION(workspace_as),
};
static const struct option_table deobfuscate_options = {"deobfuscate", deobfuscate_table,
                                                        sizeof deobfuscate_table /
                                                            sizeof *deobfuscate_table};

static const struct command_option bundle_table[] = {
    SYMBOL_OPTIONS,
    MAP_OPTIONS,
    AS_OPTION(workspace_as),
};
static const struct option_table bundle_options = {"bundle", bundle_table,
                                                   sizeof bundle_table / sizeof *bundle_table};

static int symbolize_command(int argc, char **argv)
{
    return run(&symbolize_options, argc, argv, false, do_symbolize);
}

static int deobfuscate_command(int argc, char **argv)
{
    return run(&deobfuscate_options, argc, argv, false, do_deobfuscate);
}

static int bundle_command(int argc, char **argv)
{
    return run(&bundle_options, argc, argv, true, enrich_bundle);
}

const struct command symbolize_cmd = {
    .name = "symbolize",
    .usage = "IN [OUT]\0add the functions of callstacks, with llvm-symbolizer\0",
    .options = &symbolize_options,
    .run = symbolize_command,
};

const struct command deobfuscate_cmd = {
    .name = "deobfuscate",
    .usage = "IN [OUT]\0add the names that R8 or ProGuard have shortened\0",
    .options = &deobfuscate_options,
    .run = deobfuscate_command,
};

const struct command bundle_cmd = {
    .name = "bundle",
    .usage = "IN OUT\0put a trace, symbols and names into one archive\0",
    .options = &bundle_options,
    .run = bundle_command,
};
