/* trace_processor_shell bundle. */
#include "cli/command.h"
#include "cli/enrich.h"
#include "cli/shell.h"

SHELL_LIST(symbol_paths)
SHELL_LIST(proguard_maps)
SHELL_FLAG(no_auto_symbol_paths)
SHELL_FLAG(no_auto_proguard_maps)
SHELL_FLAG(verbose)

static int run_bundle(struct shell_settings *s)
{
    if (s->words.count != 2)
        return shell_error("bundle: expected an input and an output file");
    struct enrich_settings settings = {.in = s->words.items[0],
                                       .out = s->words.items[1],
                                       .no_auto_symbol_paths = s->no_auto_symbol_paths,
                                       .no_auto_proguard_maps = s->no_auto_proguard_maps,
                                       .verbose = s->verbose};
    if (shell_open(s, settings.in) != 0)
        return 1;
    for (size_t i = 0; i < s->symbol_paths.count; i++)
        *vec_push(&settings.symbol_paths) = s->symbol_paths.items[i];
    for (size_t i = 0; i < s->proguard_maps.count; i++)
        *vec_push(&settings.proguard_maps) = s->proguard_maps.items[i];
    int failed = workspace_report(enrich_bundle(&settings), 1) ? 1 : 0;
    enrich_settings_release(&settings);
    return failed;
}

static const struct command_option options[] = {
    {.name = "symbol-paths",
     .value = "DIR,...",
     .help = "folders with programs, libraries or debug files",
     .set = add_symbol_paths},
    {.name = "no-auto-symbol-paths",
     .help = "look in these folders only",
     .set = set_no_auto_symbol_paths},
    {.name = "proguard-map",
     .value = "[PKG=]FILE",
     .help = "a map of R8 or ProGuard; repeatable",
     .set = add_proguard_maps},
    {.name = "no-auto-proguard-maps",
     .help = "use these maps only",
     .set = set_no_auto_proguard_maps},
    {.name = "verbose", .help = "list the files looked at", .set = set_verbose},
};

const struct shell_command shell_bundle_cmd = {
    .name = "bundle",
    .words = "IN OUT",
    .about = "Puts a trace, symbols and original names into one archive.",
    .options = {"bundle", options, sizeof options / sizeof *options},
    .run = run_bundle,
};
