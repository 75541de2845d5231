/* What Chrome says of itself: metadata whose names start with "cr-". */
#include "base/base64.h"
#include "parsers/perfetto/modules.h"
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

static void add_metadata(struct import *im, uint32_t bundle, struct pb_reader r)
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
    if (value.number == PB_ChromeMetadata_string_value ||
        value.number == PB_ChromeMetadata_json_value)
        metadata_set_str(im->trace, name, pb_str(&value));
    else if (value.number == PB_ChromeMetadata_int_value ||
             value.number == PB_ChromeMetadata_bool_value)
        metadata_set_int(im->trace, name, pb_i64(&value));
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
    while (pb_next(&again, &f))
        if (f.number == PB_ChromeEventBundle_metadata)
            add_metadata(im, state->event_bundles, pb_message(&f));
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
