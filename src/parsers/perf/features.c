#include "parsers/perf/features.h"

#include "core/metadata.h"
#include "parsers/perf/symbols.h"
#include "parsers/perf/tracepoint.h"

enum { BUILD_ID_MAX = 20, BUILD_ID_FIELD = 24 };

static void read_os_release(struct perf_import *im, struct bytes section)
{
    struct perf_reader r = perf_reader_of(im, section);
    struct str release = perf_string(&r);
    if (r.failed)
        return;
    metadata_set_str(im->trace, "system_release", release);
    im->sched.version = kernel_version_parse(release);
}

static void read_arch(struct perf_import *im, struct bytes section)
{
    struct perf_reader r = perf_reader_of(im, section);
    struct str arch = perf_string(&r);
    if (!r.failed)
        im->tracepoints->calls.arch = trace_intern(im->trace, arch);
}

/* Commands and options that record all threads. */
static bool is_system_wide(struct str word)
{
    static const char *const words[] = {"-a", "--all-cpus", "-C", "--cpu", "sched", "timechart"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq(word, str_from(words[i])))
            return true;
    return false;
}

/* The words of the command line, with a space between them. */
static void read_command_line(struct perf_import *im, struct bytes section)
{
    struct perf_reader r = perf_reader_of(im, section);
    VEC(char) line = {0};
    uint32_t words = perf_u32(&r);
    for (uint32_t i = 0; i < words && !r.failed; i++) {
        struct str word = perf_string(&r);
        im->sched.system_wide |= is_system_wide(word);
        vec_reserve(&line, line.count + word.n + 1);
        if (i > 0)
            *vec_push(&line) = ' ';
        memcpy(line.items + line.count, word.p, word.n);
        line.count += word.n;
    }
    string_id text = trace_intern(im->trace, (struct str){line.items, line.count});
    for (size_t i = 0; i < im->attrs.items.count && !r.failed; i++)
        table_set_str(&im->trace->tables.profiler_session, profiler_session_col_cmdline,
                      im->attrs.items.items[i].session, text);
    vec_release(&line);
}

/* The names of the events, by their ids; of an event that records need not name, by its place. */
static void read_event_names(struct perf_import *im, struct bytes section)
{
    struct perf_reader r = perf_reader_of(im, section);
    uint32_t events = perf_u32(&r), attr_bytes = perf_u32(&r);
    for (uint32_t i = 0; i < events && !r.failed; i++) {
        perf_take(&r, attr_bytes);
        uint32_t ids = perf_u32(&r);
        struct str name = perf_string(&r);
        if (r.failed)
            return;
        string_id interned = trace_intern(im->trace, name);
        if (ids == 0 && i < im->attrs.items.count)
            im->attrs.items.items[i].name = interned;
        for (uint32_t k = 0; k < ids && !r.failed; k++) {
            struct perf_attr *attr = perf_attr_of_id(&im->attrs, perf_u64(&r));
            if (attr)
                attr->name = interned;
        }
    }
}

/* simpleperf, which does not say how long an id is, fills it up with zeros. */
static size_t guess_build_id_size(const uint8_t *id)
{
    size_t n = BUILD_ID_MAX;
    while (n > 0 && id[n - 1] == 0)
        n--;
    return n > 16 ? BUILD_ID_MAX : n > 8 ? 16 : 8;
}

void perf_feature_build_id(struct perf_import *im, const struct perf_record *record)
{
    struct perf_reader r = perf_reader_of(im, record->body);
    int32_t pid = (int32_t)perf_u32(&r);
    struct bytes field = perf_take(&r, BUILD_ID_FIELD);
    if (r.failed)
        return;
    bool said = record->misc & PERF_RECORD_MISC_BUILD_ID_SIZE;
    size_t n = said ? field.p[BUILD_ID_MAX] : guess_build_id_size(field.p);
    if (n <= BUILD_ID_MAX)
        perf_maps_add_build_id(&im->maps, pid, perf_text(r.left), (struct bytes){field.p, n});
}

static void read_build_ids(struct perf_import *im, struct bytes section)
{
    struct perf_reader r = perf_reader_of(im, section);
    struct perf_record record;
    while (perf_record_next(&r, &record))
        perf_feature_build_id(im, &record);
}

/* "cpu-cycles,0,0": the name of an event, its type and config. */
static void read_event_type(struct perf_import *im, struct str line)
{
    uint64_t type, config;
    struct str name = str_cut(&line, ',');
    if (!str_to_u64(str_cut(&line, ','), 10, &type) || !str_to_u64(line, 10, &config))
        return;
    for (size_t i = 0; i < im->attrs.items.count; i++) {
        struct perf_attr *attr = &im->attrs.items.items[i];
        if (attr->type == type && attr->config == config)
            attr->name = trace_intern(im->trace, name);
    }
}

/* Keys and values of simpleperf. */
static void read_meta_info(struct perf_import *im, struct bytes section)
{
    struct perf_reader r = perf_reader_of(im, section);
    while (r.left.n > 0 && !r.failed) {
        struct str key = perf_c_string(&r), value = perf_c_string(&r);
        if (r.failed || !str_eq(key, STR("event_type_info")))
            continue;
        for (struct str line; str_next_line(&value, &line);) {
            read_event_type(im, line);
        }
    }
}

void perf_feature_read(struct perf_import *im, uint32_t feature, struct bytes section)
{
    switch (feature) {
    case PERF_FEATURE_TRACING_DATA: /* counted, as FILE below */
        perf_tracepoints_read(im->tracepoints, section);
        break;
    case PERF_FEATURE_ARCH: /* counted, too */
        read_arch(im, section);
        break;
    case PERF_FEATURE_BUILD_ID:
        read_build_ids(im, section);
        return;
    case PERF_FEATURE_OSRELEASE:
        read_os_release(im, section);
        return;
    case PERF_FEATURE_CMDLINE:
        read_command_line(im, section);
        return;
    case PERF_FEATURE_EVENT_DESC:
        read_event_names(im, section);
        return;
    case PERF_FEATURE_GROUP_DESC:
        return;                        /* samples name each event of a group */
    case PERF_FEATURE_SIMPLEPERF_FILE: /* counted, as by those who do not read it */
        perf_symbols_read_old_files(im->symbols, section, im->big);
        break;
    case PERF_FEATURE_SIMPLEPERF_META_INFO:
        im->is_simpleperf = true;
        read_meta_info(im, section);
        return;
    case PERF_FEATURE_SIMPLEPERF_FILE2:
        im->is_simpleperf = true;
        perf_symbols_read_files(im->symbols, section, im->big);
        return;
    default:
        break;
    }
    stats_add(im->trace, STAT_perf_features_skipped, feature, 1);
}
