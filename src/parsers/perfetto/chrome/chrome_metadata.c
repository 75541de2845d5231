/* What Chrome says of itself: metadata whose names start with "cr-". */
#include "base/base64.h"
#include "parsers/perfetto/packets/modules.h"
#include "pb_fields.h"

enum { NAME_MAX_BYTES = 256 };

struct chrome_state {
    uint32_t metadata_packets, event_bundles; /* so far: each has names of its own */
};

static const struct import_state_kind chrome_kind = {.size = sizeof(struct chrome_state)};

static void read_background(struct import *im, const struct pb_field *message)
{
    struct trace *t = im->trace;
    struct bytes bytes = field_bytes(message);
    struct pb_reader r = bytes_reader(bytes);
    struct pb_field f, g;
    struct str text = base64_encode(bytes.p, bytes.n);
    metadata_set_str(t, "cr-background_tracing_metadata", text);
    free((char *)(uintptr_t)text.p);
    while (pb_next(&r, &f)) {
        if (f.number == PB_BackgroundTracingMetadata_scenario_name_hash) {
            metadata_set_int(t, "cr-scenario_name_hash", pb_u32(&f));
        } else if (f.number == PB_BackgroundTracingMetadata_triggered_rule) {
            struct pb_reader rule = pb_message(&f);
            while (pb_next(&rule, &g))
                if (g.number == PB_BackgroundTracingMetadata_TriggerRule_name_hash)
                    metadata_set_int(t, "cr-triggered_rule_name_hash", pb_u32(&g));
        }
    }
}

/* "{ name: 123, group: 456 } { ... } " */
static void set_field_trials(struct import *im, const char *name, struct pb_reader r)
{
    VEC(char) text = {0};
    struct pb_field f, g;
    char one[64];
    while (pb_next(&r, &f)) {
        if (f.number != PB_ChromeMetadataPacket_field_trial_hashes)
            continue;
        struct pb_reader hash = pb_message(&f);
        uint32_t trial = 0, group = 0;
        while (pb_next(&hash, &g)) {
            if (g.number == PB_ChromeMetadataPacket_FinchHash_name)
                trial = pb_u32(&g);
            else if (g.number == PB_ChromeMetadataPacket_FinchHash_group)
                group = pb_u32(&g);
        }
        int n = snprintf(one, sizeof one, "{ name: %u, group: %u } ", trial, group);
        vec_reserve(&text, text.count + (size_t)n);
        memcpy(text.items + text.count, one, (size_t)n);
        text.count += (size_t)n;
    }
    if (text.count)
        metadata_set_str(im->trace, name, (struct str){text.items, text.count});
    vec_release(&text);
}

bool chrome_metadata_tokenize(struct import *im, struct packet *p)
{
    static const struct {
        uint32_t field;
        const char *name;
    } known[] = {
        {PB_ChromeMetadataPacket_chrome_version_code, "playstore_version_code"},
        {PB_ChromeMetadataPacket_enabled_categories, "enabled_categories"},
        {PB_ChromeMetadataPacket_app_package_name, "package-name"},
        {PB_ChromeMetadataPacket_app_version, "product-version"},
        {PB_ChromeMetadataPacket_channel, "channel"},
        {PB_ChromeMetadataPacket_os_name, "os-name"},
    };
    struct chrome_state *state = import_state(im, &chrome_kind);
    char name[NAME_MAX_BYTES], letter = (char)('a' + state->metadata_packets++ % 26);
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    snprintf(name, sizeof name, "cr-%c-field_trial_hashes", letter);
    set_field_trials(im, name, r);
    while (pb_next(&r, &f)) {
        if (f.number == PB_ChromeMetadataPacket_background_tracing_metadata)
            read_background(im, &f);
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
            if (known[i].field != f.number)
                continue;
            snprintf(name, sizeof name, "cr-%c-%s", letter, known[i].name);
            if (f.data)
                metadata_set_str(im->trace, name, pb_str(&f));
            else
                metadata_set_int(im->trace, name, pb_i32(&f));
        }
    }
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

static void add_metadata(struct import *im, uint32_t bundle, struct pb_reader r,
                         struct arg_list *args)
{
    struct pb_field f, value = {0};
    struct str key = {"", 0};
    char name[NAME_MAX_BYTES];
    while (pb_next(&r, &f)) {
        if (f.number == PB_ChromeMetadata_name)
            key = pb_str(&f);
        else
            value = f;
    }
    if (bundle == 1)
        snprintf(name, sizeof name, "cr-%.*s", (int)(key.n & 0xffff), key.p);
    else
        snprintf(name, sizeof name, "cr-%u-%.*s", bundle, (int)(key.n & 0xffff), key.p);
    string_id arg = trace_intern(im->trace, key);
    switch (value.number) {
    case PB_ChromeMetadata_string_value:
        metadata_set_str(im->trace, name, pb_str(&value));
        arg_list_str(args, arg, trace_intern(im->trace, pb_str(&value)));
        break;
    case PB_ChromeMetadata_json_value:
        metadata_set_str(im->trace, name, pb_str(&value));
        arg_list_add(args, (struct arg){.flat_key = arg,
                                        .key = arg,
                                        .type = ARG_JSON,
                                        .s = trace_intern(im->trace, pb_str(&value))});
        break;
    case PB_ChromeMetadata_int_value:
    case PB_ChromeMetadata_bool_value:
        metadata_set_int(im->trace, name, pb_i64(&value));
        arg_list_int(args, arg, pb_i64(&value));
        break;
    default:
        stats_count(im->trace, STAT_empty_chrome_metadata);
        break;
    }
}

/* Texts of tracers before Perfetto; kept, not read. */
static void add_legacy_text(struct import *im, const struct packet *p, const char *name,
                            struct str text)
{
    struct arg_list args = {0};
    arg_list_str(&args, trace_intern(im->trace, STR("data")), trace_intern(im->trace, text));
    add_raw(im, p, name, &args);
    arg_list_release(&args);
}

/* What the kernel's tracer wrote, in pieces. */
static void add_legacy_ftrace(struct import *im, const struct packet *p)
{
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    VEC(char) text = {0};
    bool found = false;
    while (pb_next(&r, &f)) {
        if (f.number != PB_ChromeEventBundle_legacy_ftrace_output)
            continue;
        struct str piece = pb_str(&f);
        found = true;
        if (!piece.n)
            continue;
        vec_reserve(&text, text.count + piece.n);
        memcpy(text.items + text.count, piece.p, piece.n);
        text.count += piece.n;
    }
    if (found)
        add_legacy_text(im, p, "chrome_event.legacy_system_trace",
                        text.count ? (struct str){text.items, text.count} : STR(""));
    vec_release(&text);
}

static void add_legacy_json(struct import *im, const struct packet *p, struct pb_reader r)
{
    struct pb_field f;
    struct str text = {"", 0};
    uint64_t type = PB_ChromeLegacyJsonTrace_TraceType_USER_TRACE;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ChromeLegacyJsonTrace_type)
            type = pb_u64(&f);
        else if (f.number == PB_ChromeLegacyJsonTrace_data)
            text = pb_str(&f);
    }
    if (type == PB_ChromeLegacyJsonTrace_TraceType_USER_TRACE)
        add_legacy_text(im, p, "chrome_event.legacy_user_trace", text);
}

void chrome_events_parse(struct import *im, const struct packet *p)
{
    struct chrome_state *state = import_state(im, &chrome_kind);
    struct pb_reader r = bytes_reader(p->field), again = r;
    struct pb_field f;
    bool has_metadata = false;
    while (pb_next(&r, &f))
        has_metadata |= f.number == PB_ChromeEventBundle_metadata;
    state->event_bundles += has_metadata;
    struct arg_list args = {0};
    struct pb_reader traces = again;
    while (pb_next(&again, &f))
        if (f.number == PB_ChromeEventBundle_metadata)
            add_metadata(im, state->event_bundles, pb_message(&f), &args);
    if (has_metadata)
        add_raw(im, p, "chrome_event.metadata", &args);
    arg_list_release(&args);
    add_legacy_ftrace(im, p);
    while (pb_next(&traces, &f))
        if (f.number == PB_ChromeEventBundle_legacy_json_trace)
            add_legacy_json(im, p, pb_message(&f));
}

bool chrome_benchmark_metadata_tokenize(struct import *im, struct packet *p)
{
    static const struct {
        uint32_t field;
        const char *name;
        enum { TEXT, TEXTS, NUMBER } kind;
    } members[] = {
        {PB_ChromeBenchmarkMetadata_benchmark_name, "benchmark_name", TEXT},
        {PB_ChromeBenchmarkMetadata_benchmark_description, "benchmark_description", TEXT},
        {PB_ChromeBenchmarkMetadata_label, "benchmark_label", TEXT},
        {PB_ChromeBenchmarkMetadata_story_name, "benchmark_story_name", TEXT},
        {PB_ChromeBenchmarkMetadata_story_tags, "benchmark_story_tags", TEXTS},
        {PB_ChromeBenchmarkMetadata_benchmark_start_time_us, "benchmark_start_time_us", NUMBER},
        {PB_ChromeBenchmarkMetadata_story_run_time_us, "benchmark_story_run_time_us", NUMBER},
        {PB_ChromeBenchmarkMetadata_story_run_index, "benchmark_story_run_index", NUMBER},
        {PB_ChromeBenchmarkMetadata_had_failures, "benchmark_had_failures", NUMBER},
    };
    struct pb_reader r = bytes_reader(p->field);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            if (members[i].field != f.number)
                continue;
            if (members[i].kind == NUMBER)
                metadata_set_int(im->trace, members[i].name, pb_i64(&f));
            else if (members[i].kind == TEXT)
                metadata_set_str(im->trace, members[i].name, pb_str(&f));
            else
                metadata_append_str(im->trace, members[i].name, pb_str(&f));
        }
    }
    return true;
}
