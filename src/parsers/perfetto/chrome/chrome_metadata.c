/* What Chrome says of itself: metadata whose names start with "cr-". */
#include "base/base64.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/perfetto/packets/modules.h"
#include "parsers/perfetto/packets/unpacked.h"
#include "pb_fields.h"
#include "core/store/rows.h"

enum { NAME_MAX_BYTES = 256 };

struct chrome_state {
    uint32_t metadata_packets, event_bundles; /* so far: each has names of its own */
};

static const struct import_state_kind chrome_kind = {.size = sizeof(struct chrome_state)};

static void read_background(struct import *im, struct str message)
{
    struct trace *t = im->trace;
    const BackgroundTracingMetadata *background =
        unpack(&background_tracing_metadata__descriptor, message.p, message.n, &im->unpacked);
    struct str text = base64_encode((const uint8_t *)message.p, message.n);
    metadata_add_str(t, "cr-background_tracing_metadata", text);
    free((char *)(uintptr_t)text.p);
    if (background->has_scenario_name_hash)
        metadata_add_int(t, "cr-scenario_name_hash", background->scenario_name_hash);
}

/* "{ name: 123, group: 456 } { ... } ", two a line. */
static void set_field_trials(struct import *im, const char *name,
                             const ChromeMetadataPacket *metadata)
{
    VEC(char) text = {0};
    char one[64];
    for (size_t i = 0; i < metadata->n_field_trial_hashes; i++) {
        const ChromeMetadataPacket__FinchHash *hash = metadata->field_trial_hashes[i];
        const char *line = i > 0 && i % 2 == 0 ? "\n" : "";
        int n =
            snprintf(one, sizeof one, "%s{ name: %u, group: %u } ", line, hash->name, hash->group);
        vec_reserve(&text, text.count + (size_t)n);
        memcpy(text.items + text.count, one, (size_t)n);
        text.count += (size_t)n;
    }
    if (text.count)
        metadata_add_str(im->trace, name, (struct str){text.items, text.count});
    vec_release(&text);
}

static bool chrome_metadata_tokenize(struct import *im, struct packet *p)
{
    const ChromeMetadataPacket *m = unpack_packet(im, &chrome_metadata_packet__descriptor, p);
    const struct {
        const char *name;
        bool is_number, present;
        int64_t number;
        struct str text;
    } members[] = {
        {"playstore_version_code", true, m->has_chrome_version_code, m->chrome_version_code, {0}},
        {"product-version", false, m->has_app_version, 0, unpacked_str(m->app_version)},
        {"os-name", false, m->has_os_name, 0, unpacked_str(m->os_name)},
        {"package-name", false, m->has_app_package_name, 0, unpacked_str(m->app_package_name)},
        {"channel", true, m->has_channel, m->channel, {0}},
        {"enabled_categories", false, m->has_enabled_categories, 0,
         unpacked_str(m->enabled_categories)},
    };
    struct chrome_state *state = import_state(im, &chrome_kind);
    char name[NAME_MAX_BYTES], letter = (char)('a' + state->metadata_packets++ % 26);
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        snprintf(name, sizeof name, "cr-%c-%s", letter, members[i].name);
        if (members[i].present && members[i].is_number)
            metadata_add_int(im->trace, name, members[i].number);
        else if (members[i].present)
            metadata_add_str(im->trace, name, members[i].text);
    }
    snprintf(name, sizeof name, "cr-%c-field_trial_hashes", letter);
    set_field_trials(im, name, m);
    if (m->has_background_tracing_metadata)
        read_background(im, unpacked_str(m->background_tracing_metadata));
    return true;
}

static void add_raw(struct import *im, const struct packet *p, const char *name,
                    const struct arg_list *args)
{
    struct chrome_raw_row row = {
        .ts = p->ts,
        .name = trace_intern_c(im->trace, name),
        .arg_set_id = args_intern(&im->trace->args, args),
    };
    chrome_raw_append(&im->trace->tables.chrome_raw, &row);
}

static void add_metadata(struct import *im, uint32_t bundle, const ChromeMetadata *m,
                         struct arg_list *args)
{
    struct str key = UNPACKED_TEXT(m, name), text = unpacked_str(m->string_value);
    char name[NAME_MAX_BYTES];
    if (bundle == 1)
        snprintf(name, sizeof name, "cr-%.*s", (int)(key.n & 0xffff), key.p ? key.p : "");
    else
        snprintf(name, sizeof name, "cr-%u-%.*s", bundle, (int)(key.n & 0xffff),
                 key.p ? key.p : "");
    string_id arg = intern_unpacked(im, key);
    if (m->has_string_value) {
        metadata_add_str(im->trace, name, text);
        arg_list_str(args, arg, trace_intern(im->trace, text));
    } else if (m->has_json_value) {
        text = unpacked_str(m->json_value);
        metadata_add_str(im->trace, name, text);
        arg_list_add(args, (struct arg){.flat_key = arg,
                                        .key = arg,
                                        .type = ARG_JSON,
                                        .s = trace_intern(im->trace, text)});
    } else if (m->has_int_value || m->has_bool_value) {
        int64_t value = m->has_int_value ? m->int_value : m->bool_value;
        metadata_add_int(im->trace, name, value);
        arg_list_int(args, arg, value);
    } else {
        stats_count(im->trace, STAT_empty_chrome_metadata);
    }
}

/* Texts of tracers before Perfetto; kept, not read. */
static void add_legacy_text(struct import *im, const struct packet *p, const char *name,
                            struct str text)
{
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(im->trace, STR("data")), intern_unpacked(im, text));
    add_raw(im, p, name, &args);
    arg_list_release(&args);
}

/* What the kernel's tracer wrote, in pieces. */
static void add_legacy_ftrace(struct import *im, const struct packet *p,
                              const ChromeEventBundle *bundle)
{
    VEC(char) text = {0};
    for (size_t i = 0; i < bundle->n_legacy_ftrace_output; i++) {
        struct str piece = unpacked_str(bundle->legacy_ftrace_output[i]);
        if (!piece.n)
            continue;
        vec_reserve(&text, text.count + piece.n);
        memcpy(text.items + text.count, piece.p, piece.n);
        text.count += piece.n;
    }
    if (bundle->n_legacy_ftrace_output)
        add_legacy_text(im, p, "chrome_event.legacy_system_trace",
                        text.count ? (struct str){text.items, text.count} : STR(""));
    vec_release(&text);
}

/* "139.0.7000.0-64" or "Chrome/139.0.7000.0": 139. 0: none. */
static uint64_t major_version(struct str version)
{
    const struct str product = STR("Chrome/");
    if (str_starts(version, product))
        version = str_skip(version, product.n);
    size_t n = 0;
    while (n < version.n && version.p[n] >= '0' && version.p[n] <= '9')
        n++;
    uint64_t major = 0;
    return str_to_u64((struct str){version.p, n}, 10, &major) ? major : 0;
}

/* Whose threads the trace has must be known before the first of them is looked up. */
static bool chrome_events_tokenize(struct import *im, struct packet *p)
{
    const uint64_t first_that_tells = 140; /* which tids are a sandbox's */
    const ChromeEventBundle *bundle = unpack_packet(im, &chrome_event_bundle__descriptor, p);
    uint64_t major = 0;
    bool linux_os = false;
    for (size_t i = 0; i < bundle->n_metadata; i++) {
        const ChromeMetadata *m = bundle->metadata[i];
        struct str key = unpacked_str(m->name), text = unpacked_str(m->string_value);
        if (str_eq(key, STR("os-name")))
            linux_os = str_eq(text, STR("Linux"));
        else if (str_eq(key, STR("product-version")))
            major = major_version(text);
    }
    im->old_chrome_on_linux |= linux_os && major > 0 && major < first_that_tells;
    return false;
}

static void chrome_events_parse(struct import *im, const struct packet *p)
{
    struct chrome_state *state = import_state(im, &chrome_kind);
    const ChromeEventBundle *bundle = unpack_packet(im, &chrome_event_bundle__descriptor, p);
    if (bundle->n_metadata) {
        struct arg_list args = {0};
        state->event_bundles++;
        for (size_t i = 0; i < bundle->n_metadata; i++)
            add_metadata(im, state->event_bundles, bundle->metadata[i], &args);
        add_raw(im, p, "chrome_event.metadata", &args);
        arg_list_release(&args);
    }
    add_legacy_ftrace(im, p, bundle);
    for (size_t i = 0; i < bundle->n_legacy_json_trace; i++)
        if (bundle->legacy_json_trace[i]->type == PB_ChromeLegacyJsonTrace_TraceType_USER_TRACE)
            add_legacy_text(im, p, "chrome_event.legacy_user_trace",
                            UNPACKED_TEXT(bundle->legacy_json_trace[i], data));
}

static bool chrome_benchmark_metadata_tokenize(struct import *im, struct packet *p)
{
    const ChromeBenchmarkMetadata *b = unpack_packet(im, &chrome_benchmark_metadata__descriptor, p);
    struct trace *t = im->trace;
    const struct {
        const char *name;
        struct str text;
    } texts[] = {
        {"benchmark_name", UNPACKED_TEXT(b, benchmark_name)},
        {"benchmark_description", UNPACKED_TEXT(b, benchmark_description)},
        {"benchmark_label", UNPACKED_TEXT(b, label)},
        {"benchmark_story_name", UNPACKED_TEXT(b, story_name)},
    };
    const struct {
        const char *name;
        bool present;
        int64_t value;
    } numbers[] = {
        {"benchmark_start_time_us", b->has_benchmark_start_time_us, b->benchmark_start_time_us},
        {"benchmark_story_run_time_us", b->has_story_run_time_us, b->story_run_time_us},
        {"benchmark_story_run_index", b->has_story_run_index, b->story_run_index},
        {"benchmark_had_failures", b->has_had_failures, b->had_failures},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (texts[i].text.p)
            metadata_set_str(t, texts[i].name, texts[i].text);
    for (size_t i = 0; i < b->n_story_tags; i++)
        metadata_append_str(t, "benchmark_story_tags", unpacked_str(b->story_tags[i]));
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].present)
            metadata_set_int(t, numbers[i].name, numbers[i].value);
    return true;
}

const struct packet_module chrome_metadata_packets[] = {
    {PB_TracePacket_chrome_metadata, .tokenize = chrome_metadata_tokenize, .felt = PACKET_ALWAYS},
    {PB_TracePacket_chrome_events, .tokenize = chrome_events_tokenize, .parse = chrome_events_parse,
     .felt = PACKET_ALWAYS},
    {PB_TracePacket_chrome_benchmark_metadata, .tokenize = chrome_benchmark_metadata_tokenize,
     .felt = PACKET_ALWAYS},
    {0},
};
