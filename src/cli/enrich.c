#include "cli/enrich.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/output_file.h"
#include "base/standard_streams.h"
#include "base/tar_file.h"
#include "cli/command.h"
#include "cli/text_file.h"
#include "symbols/obfuscation_map.h"
#include "symbols/symbolize.h"

int enrich_add_symbol_paths(void *self, const char *value)
{
    *vec_push(&((struct enrich_settings *)self)->symbol_paths) = value;
    return EXIT_DONE;
}

int enrich_add_proguard_map(void *self, const char *value)
{
    *vec_push(&((struct enrich_settings *)self)->proguard_maps) = value;
    return EXIT_DONE;
}

void enrich_settings_release(struct enrich_settings *s)
{
    vec_release(&s->symbol_paths);
    vec_release(&s->proguard_maps);
    workspace_settings_release(&s->workspace);
}

/* Texts that were split or put together. */
struct text_list {
    VEC(char *) v; /* owned */
};

static void text_list_release(struct text_list *l)
{
    for (size_t i = 0; i < l->v.count; i++)
        free(l->v.items[i]);
    vec_release(&l->v);
}

static void add_text(struct text_list *l, struct str s)
{
    if (s.n > 0)
        *vec_push(&l->v) = alloc_copy(s.p, s.n);
}

/* The parts of a list; NULL has none. */
static void split(struct text_list *l, const char *list, char separator)
{
    struct str rest = list ? str_from(list) : STR("");
    while (rest.n > 0) {
        add_text(l, str_cut(&rest, separator));
    }
}

/* Adds a folder in the one that a variable of the environment names, if both are there. */
static void add_folder(struct text_list *l, const char *variable, const char *name)
{
    char path[PATH_MAX];
    struct stat s;
    const char *root = variable ? getenv(variable) : "";
    int n = root ? snprintf(path, sizeof path, "%s%s", root, name) : 0;
    if (n > 0 && n < PATH_MAX && stat(path, &s) == 0 && S_ISDIR(s.st_mode))
        add_text(l, str_from(path));
}

static void add_usual_folders(struct text_list *l)
{
    add_folder(l, NULL, "/usr/lib/debug");
    add_folder(l, "HOME", "/.debug");
    add_folder(l, "ANDROID_PRODUCT_OUT", "/symbols");
    add_folder(l, NULL, "./app/build/intermediates/cmake");
    add_folder(l, NULL, "./app/build/intermediates/merged_native_libs");
    add_folder(l, NULL, "./.build-id");
}

/* What PERFETTO_SYMBOLIZER_MODE says of how files are found; otherwise both ways. */
static void read_mode(struct symbol_places *places)
{
    const char *mode = getenv("PERFETTO_SYMBOLIZER_MODE");
    places->by_path = !mode || strcmp(mode, "index") != 0;
    places->by_id = !mode || strcmp(mode, "find") != 0;
}

/* Where the environment alone says: Breakpad's folder in place of the others, as Trace Processor
 * has it. */
static void list_environment(struct symbol_places *places, struct text_list *folders)
{
    const char *breakpad = getenv("BREAKPAD_SYMBOL_DIR");
    if (breakpad)
        *vec_push(&places->breakpad_folders) = breakpad;
    else
        split(folders, getenv("PERFETTO_BINARY_PATH"), ':');
}

static void list_all(const struct enrich_settings *s, struct symbol_places *places,
                     struct text_list *folders)
{
    const char *breakpad = getenv("BREAKPAD_SYMBOL_DIR");
    for (size_t i = 0; i < s->symbol_paths.count; i++)
        split(folders, s->symbol_paths.items[i], ',');
    split(folders, getenv("PERFETTO_BINARY_PATH"), ':');
    for (size_t i = 0; i < folders->v.count; i++)
        *vec_push(&places->breakpad_folders) = folders->v.items[i];
    if (breakpad)
        *vec_push(&places->breakpad_folders) = breakpad;
    if (!s->no_auto_symbol_paths)
        add_usual_folders(folders);
    places->recorded_paths = !s->no_auto_symbol_paths;
}

static const char *const reasons[SYMBOLIZED_STATES] = {
    [SYMBOLIZED_NO_FILE] = "no file of that build was found (--symbol-paths)",
    [SYMBOLIZED_NO_FUNCTION] = "the file found knows no function there (debug symbols?)",
    [SYMBOLIZED_KERNEL] = "kernel, which is named while recording",
    [SYMBOLIZED_NO_BUILD_ID] = "no build id was recorded (link with -Wl,--build-id)",
    [SYMBOLIZED_NO_PROGRAM] = "memory without a file, as code made at run time",
};

/* A line: how many frames lack symbols for one reason, and of what. */
static void print_reason(const struct symbolize_report *r, enum symbolized_state state)
{
    enum { NAMES_SHOWN = 4 };
    uint64_t frames = 0, modules = 0;
    char names[512] = "";
    size_t used = 0;
    for (size_t i = 0; i < r->modules.count; i++) {
        const struct symbolized_module *m = &r->modules.items[i];
        if (m->state != state)
            continue;
        frames += m->frames - m->resolved;
        struct str name = m->name.n > 100 ? str_skip(m->name, m->name.n - 100) : m->name;
        if (name.n == 0)
            name = STR("(no name)");
        if (modules++ < NAMES_SHOWN && used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s",
                                     modules > 1 ? ", " : "", (int)name.n, name.p);
    }
    char line[1024];
    if (frames == 0)
        return;
    snprintf(line, sizeof line, "  %llu in %llu module%s: %s: %s%s", (unsigned long long)frames,
             (unsigned long long)modules, modules == 1 ? "" : "s", reasons[state], names,
             modules > NAMES_SHOWN ? ", ..." : "");
    workspace_print(line);
}

static void print_module(const struct symbolized_module *m)
{
    char line[PATH_MAX + 512];
    snprintf(line, sizeof line, "  %.*s %.*s: %u of %u frames%s%s", (int)m->name.n, m->name.p,
             (int)m->build_id.n, m->build_id.p, m->resolved, m->frames, m->source ? " from " : "",
             m->source ? m->source : "");
    workspace_print(line);
    for (size_t i = 0; i < m->attempts.v.count; i++) {
        const struct symbol_attempt *a = &m->attempts.v.items[i];
        snprintf(line, sizeof line, "    %s: %s", a->path, a->reason ? a->reason : "taken");
        workspace_print(line);
    }
}

static void print_report(const struct symbolize_report *r, bool verbose)
{
    char line[128];
    uint64_t frames = 0, resolved = 0;
    for (size_t i = 0; i < r->modules.count; i++) {
        frames += r->modules.items[i].frames;
        resolved += r->modules.items[i].resolved;
    }
    if (frames == 0)
        snprintf(line, sizeof line, "no frame lacks symbols");
    else
        snprintf(line, sizeof line, "functions are known for %llu of %llu frames without symbols",
                 (unsigned long long)resolved, (unsigned long long)frames);
    workspace_print(line);
    for (int state = 0; state < SYMBOLIZED_STATES; state++)
        if (reasons[state])
            print_reason(r, (enum symbolized_state)state);
    for (size_t i = 0; i < r->modules.count && verbose; i++)
        print_module(&r->modules.items[i]);
    if (r->problem)
        workspace_print(r->problem);
}

struct status enrich_symbols(const struct enrich_settings *s, struct pb_bytes *packets)
{
    struct text_list folders = {0};
    struct symbol_places places = {0};
    struct symbolize_report report = {0};
    struct status status = status_ok_value();
    read_mode(&places);
    if (s->only_environment)
        list_environment(&places, &folders);
    else
        list_all(s, &places, &folders);
    for (size_t i = 0; i < folders.v.count; i++)
        *vec_push(&places.folders) = folders.v.items[i];
    if (places.folders.count + places.breakpad_folders.count == 0 && s->only_environment) {
        status = status_error(STATUS_USAGE, "No symbol paths configured: set PERFETTO_BINARY_PATH");
    } else {
        symbolize(workspace_trace(), &places, packets, &report);
        print_report(&report, s->verbose);
    }
    symbolize_report_release(&report);
    symbol_places_release(&places);
    text_list_release(&folders);
    return status;
}

/* Of "[PACKAGE=]FILE". */
static struct status read_map(const char *specification, struct pb_bytes *packets)
{
    struct text_file f;
    struct str all = str_from(specification);
    size_t equals = str_find(all, '=');
    bool has_package = equals < all.n && str_find(all, '/') > equals;
    struct str package = {all.p, has_package ? equals : 0};
    const char *path = has_package ? specification + equals + 1 : specification;
    struct status status = text_file_read(path, &f);
    if (status_ok(status))
        status =
            status_prefix(obfuscation_map_packet(text_file_str(&f), package, packets), "%s", path);
    text_file_release(&f);
    return status;
}

/* Maps of the usual place: one that cannot be read is no failure. */
static void read_usual_maps(struct pb_bytes *packets)
{
    glob_t found;
    if (glob("./app/build/outputs/mapping/*/mapping.txt", 0, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct status status = read_map(found.gl_pathv[i], packets);
        if (!status_ok(status))
            workspace_print(status.message);
        status_release(&status);
    }
    globfree(&found);
}

struct status enrich_names(const struct enrich_settings *s, struct pb_bytes *packets)
{
    struct text_list maps = {0};
    struct status status = status_ok_value();
    for (size_t i = 0; i < s->proguard_maps.count; i++)
        add_text(&maps, str_from(s->proguard_maps.items[i]));
    split(&maps, getenv("PERFETTO_PROGUARD_MAP"), ':');
    if (maps.v.count == 0 && s->only_environment)
        status = status_error(STATUS_USAGE, "No ProGuard maps: set PERFETTO_PROGUARD_MAP");
    for (size_t i = 0; i < maps.v.count && status_ok(status); i++)
        status = read_map(maps.v.items[i], packets);
    if (status_ok(status) && !s->no_auto_proguard_maps && !s->only_environment)
        read_usual_maps(packets);
    text_list_release(&maps);
    return status;
}

static struct status write_error(const char *path)
{
    return status_error(STATUS_IO, "%s: %s", path, strerror(errno));
}

/* Copies a Perfetto trace that is not compressed: it begins with the tag of a packet. */
static struct status copy_trace(const char *path, FILE *out)
{
    char piece[1 << 16];
    FILE *in = fopen(path, "rb");
    struct status status = in ? status_ok_value() : write_error(path);
    bool is_first = true;
    for (size_t n; status_ok(status) && (n = fread(piece, 1, sizeof piece, in)) > 0;) {
        if (is_first && piece[0] != '\n')
            status = status_error(STATUS_FORMAT,
                                  "%s: only to Perfetto traces that are not compressed can packets "
                                  "be appended; bundle takes all",
                                  path);
        else if (fwrite(piece, 1, n, out) != n)
            status = status_error(STATUS_IO, "cannot write: %s", strerror(errno));
        is_first = false;
    }
    if (in)
        fclose(in);
    return status;
}

/* What enrich_write and enrich_bundle write. */
struct enriched_output {
    const struct enrich_settings *settings;
    const struct pb_bytes *packets, *names; /* names: of a bundle */
};

static struct status write_packets(void *self, FILE *out)
{
    const struct enriched_output *o = self;
    struct status status = status_ok_value();
    if (!o->settings->packets_only)
        status = copy_trace(o->settings->in, out);
    if (o->packets->v.count > 0)
        fwrite(o->packets->v.items, 1, o->packets->v.count, out);
    return status;
}

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

struct status enrich_write(const struct enrich_settings *s, const struct pb_bytes *packets)
{
    struct enriched_output o = {.settings = s, .packets = packets};
    if (is_standard(s->in) && !s->packets_only)
        return status_error(STATUS_USAGE, "a trace from standard input is read once only: use "
                                          "--packets-only, or a file");
    return is_standard(s->out) ? write_packets(&o, standard_output())
                               : replace_file(s->out, write_packets, &o);
}

static struct status add_packets(FILE *tar, const char *name, const struct pb_bytes *packets)
{
    if (packets->v.count == 0)
        return status_ok_value();
    return tar_add_bytes(tar, name, (struct str){(const char *)packets->v.items, packets->v.count});
}

static struct status write_bundle(void *self, FILE *tar)
{
    const struct enriched_output *o = self;
    struct status status = tar_add_file(tar, "trace.perfetto", o->settings->in);
    if (status_ok(status))
        status = add_packets(tar, "symbols.pb", o->packets);
    if (status_ok(status))
        status = add_packets(tar, "deobfuscation.pb", o->names);
    if (status_ok(status))
        status = tar_end(tar);
    return status;
}

/* Whether the output may be written: it is not the input, and no link to what is elsewhere. */
static struct status check_output(const struct enrich_settings *s)
{
    struct stat out;
    if (lstat(s->out, &out) == 0 && S_ISLNK(out.st_mode))
        return status_error(STATUS_USAGE, "%s: a link is not replaced: name the file itself",
                            s->out);
    return check_other_file(s->out, s->in);
}

struct status enrich_bundle(const struct enrich_settings *s)
{
    struct pb_bytes symbols = {0}, names = {0};
    struct enriched_output o = {s, &symbols, &names};
    struct status status = check_output(s);
    if (status_ok(status))
        status = enrich_symbols(s, &symbols);
    if (status_ok(status))
        status = enrich_names(s, &names);
    if (status_ok(status))
        status = replace_file(s->out, write_bundle, &o);
    pb_bytes_release(&symbols);
    pb_bytes_release(&names);
    return status;
}
