/* Functions and original names for a trace: what `symbolize`, `deobfuscate` and `bundle` share. */
#ifndef TPTUI_CLI_ENRICH_H
#define TPTUI_CLI_ENRICH_H

#include <stdbool.h>

#include "base/status.h"
#include "base/vec.h"
#include "cli/workspace.h"
#include "parsers/proto/write.h"

/* Texts belong to argv; NULL: not given. */
struct enrich_settings {
    struct workspace_settings workspace;
    const char *in, *out;            /* "-": stdin, stdout */
    VEC(const char *) symbol_paths;  /* folders, each a list with commas */
    VEC(const char *) proguard_maps; /* [PACKAGE=]FILE */
    bool no_auto_symbol_paths, no_auto_proguard_maps;
    bool packets_only, verbose;
    bool only_environment; /* as Trace Processor's utilities: paths are not looked for, and it is an
                              error that the environment names none */
};

void enrich_settings_release(struct enrich_settings *s);

/* Appends packets with the functions of the workspace's callstacks, and says on stderr what was
 * found. Fails only where the environment must name paths and does not. */
struct status enrich_symbols(const struct enrich_settings *s, struct pb_bytes *packets);

/* Appends packets with the names that maps tell. Fails where a map that somebody has named cannot
 * be read. */
struct status enrich_names(const struct enrich_settings *s, struct pb_bytes *packets);

/* Writes the output: the packets, with the input in front of them unless only packets are wanted.
 * Fails where the input is no Perfetto trace, to which packets can be appended. */
struct status enrich_write(const struct enrich_settings *s, const struct pb_bytes *packets);

/* The archive of `tptui bundle`: the input, which must not be the output, and the packets. */
struct status enrich_bundle(const struct enrich_settings *s);

/* `set` of options whose `self` is a struct enrich_settings. */
int enrich_add_symbol_paths(void *self, const char *value);
int enrich_add_proguard_map(void *self, const char *value);

#define SYMBOL_OPTIONS                                                                             \
    {.name = "symbol-paths",                                                                       \
     .value = "DIR,...",                                                                           \
     .help = "folders with programs, libraries or debug files; repeatable",                        \
     .more =                                                                                       \
         "Files are found by the path that the trace recorded, at .build-id/ab/cdef.debug and "    \
         "by the build id of any file below. A folder may also have Breakpad's symbols, "          \
         "BUILD_ID.breakpad. The environment's $PERFETTO_BINARY_PATH, with colons, comes "         \
         "behind.",                                                                                \
     .set = enrich_add_symbol_paths},                                                              \
        {.name = "no-auto-symbol-paths",                                                           \
         .help = "look in these folders only",                                                     \
         .more = "Otherwise also at the path that the trace recorded, in /usr/lib/debug, "         \
                 "~/.debug, $ANDROID_PRODUCT_OUT/symbols, ./.build-id and where Gradle builds "    \
                 "native code.",                                                                   \
         OPTION_INTO(struct enrich_settings, no_auto_symbol_paths)},                               \
    {                                                                                              \
        .name = "verbose", .help = "list modules, their build ids and the files looked at",        \
        OPTION_INTO(struct enrich_settings, verbose)                                               \
    }
#define MAP_OPTIONS                                                                                \
    {.name = "proguard-map",                                                                       \
     .value = "[PACKAGE=]FILE",                                                                    \
     .help = "a map of R8 or ProGuard, for a package's code; repeatable",                          \
     .more = "The environment's $PERFETTO_PROGUARD_MAP, with colons, comes behind.",               \
     .set = enrich_add_proguard_map},                                                              \
    {                                                                                              \
        .name = "no-auto-proguard-maps", .help = "use these maps only",                            \
        .more = "Otherwise also ./app/build/outputs/mapping/*/mapping.txt.",                       \
        OPTION_INTO(struct enrich_settings, no_auto_proguard_maps)                                 \
    }

#endif
