/* Profiles of pprof: one protobuf message, mostly compressed with gzip. Sums of values for each
 * callstack, not what happened when. As github.com/google/pprof, proto/profile.proto says. */
#include "core/trace_builder.h"
#include "core/store/rows.h"
#include "parsers/input/progress.h"
#include "parsers/input/trace_format.h"
#include "parsers/proto/wire.h"
#include "pb_fields.h"

/* Field numbers of messages whose names others have, too. */
enum { SAMPLE_LOCATION_ID = 1, SAMPLE_VALUE = 2 };
enum { LINE_FUNCTION_ID = 1, LINE_NUMBER = 2 };
enum { LOCATION_ID = 1, LOCATION_MAPPING_ID = 2, LOCATION_ADDRESS = 3, LOCATION_LINE = 4 };
enum { FUNCTION_ID = 1, FUNCTION_NAME = 2, FUNCTION_FILENAME = 4, FUNCTION_START_LINE = 5 };
enum {
    MAPPING_ID = 1,
    MAPPING_START = 2,
    MAPPING_LIMIT = 3,
    MAPPING_OFFSET = 4,
    MAPPING_FILENAME = 5,
    MAPPING_BUILD_ID = 6,
};

enum { HEAD_BYTES = 1 << 16, SAMPLES_PER_CHECK = 4096, NONE = 0 };

struct pprof_function {
    string_id name, file;
    uint32_t start_line; /* NULL_U32 for none */
};

struct pprof_mapping {
    uint32_t row;
    uint64_t start;
};

struct pprof {
    struct trace *trace;
    struct bytes data;
    struct load_progress *progress;
    struct map mapping_of_id, function_of_id; /* index in mappings, in functions */
    struct map frame_of_location;
    VEC(struct str) strings;
    VEC(struct pprof_mapping) mappings;
    VEC(struct pprof_function) functions;
    VEC(uint32_t) profiles;           /* rows of aggregate_profile */
    VEC(uint64_t) locations;          /* scratch */
    VEC(struct stack_symbol) symbols; /* scratch */
};

static void release(struct pprof *p)
{
    map_release(&p->mapping_of_id);
    map_release(&p->function_of_id);
    map_release(&p->frame_of_location);
    vec_release(&p->strings);
    vec_release(&p->mappings);
    vec_release(&p->functions);
    vec_release(&p->profiles);
    vec_release(&p->locations);
    vec_release(&p->symbols);
}

/* NULL_STRING where the table has no such string. */
static string_id string_at(struct pprof *p, const struct pb_field *f)
{
    uint64_t at = pb_u64(f);
    return at < p->strings.count ? trace_intern(p->trace, p->strings.items[at]) : NULL_STRING;
}

/* Build ids are texts, of which the table has the bytes in hex. */
static string_id build_id_of(struct pprof *p, const struct pb_field *f)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t at = pb_u64(f);
    struct str text = at < p->strings.count ? p->strings.items[at] : STR("");
    char hex[128];
    size_t n = 0;
    for (size_t i = 0; i < text.n && n + 2 <= sizeof hex; i++) {
        hex[n++] = digits[(uint8_t)text.p[i] >> 4];
        hex[n++] = digits[(uint8_t)text.p[i] & 15];
    }
    return trace_intern(p->trace, (struct str){hex, n});
}

static void add_mapping(struct pprof *p, struct pb_reader r)
{
    struct stack_mapping m = {.build_id = trace_intern(p->trace, STR("")),
                              .name = trace_intern(p->trace, STR("[unknown]"))};
    uint64_t id = 0;
    bool has_id = false;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case MAPPING_ID:
            has_id = true;
            id = pb_u64(&f);
            break;
        case MAPPING_START:
            m.start = pb_i64(&f);
            break;
        case MAPPING_LIMIT:
            m.end = pb_i64(&f);
            break;
        case MAPPING_OFFSET:
            m.exact_offset = pb_i64(&f);
            break;
        case MAPPING_FILENAME:
            m.name = string_at(p, &f);
            break;
        case MAPPING_BUILD_ID:
            m.build_id = build_id_of(p, &f);
            break;
        default:
            break;
        }
    }
    if (!has_id)
        return;
    map_set(&p->mapping_of_id, id, (uint32_t)p->mappings.count);
    *vec_push(&p->mappings) = (struct pprof_mapping){.row = stack_mapping_intern(p->trace, &m),
                                                     .start = (uint64_t)m.start};
}

static void add_function(struct pprof *p, struct pb_reader r)
{
    struct pprof_function function = {.name = trace_intern(p->trace, STR("[unknown]")),
                                      .start_line = NULL_U32};
    uint64_t id = 0;
    bool has_id = false;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == FUNCTION_ID) {
            has_id = true;
            id = pb_u64(&f);
        } else if (f.number == FUNCTION_NAME) {
            function.name = string_at(p, &f);
        } else if (f.number == FUNCTION_FILENAME) {
            function.file = string_at(p, &f);
        } else if (f.number == FUNCTION_START_LINE && pb_i64(&f) > 0) {
            function.start_line = pb_u32(&f);
        }
    }
    if (!has_id)
        return;
    map_set(&p->function_of_id, id, (uint32_t)p->functions.count);
    *vec_push(&p->functions) = function;
}

/* A line of a location as a symbol, unless its function is not known. */
static void add_symbol(struct pprof *p, struct pb_reader r)
{
    uint64_t id = 0;
    int64_t line = 0;
    bool has_id = false;
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == LINE_FUNCTION_ID) {
            has_id = true;
            id = pb_u64(&f);
        } else if (f.number == LINE_NUMBER) {
            line = pb_i64(&f);
        }
    }
    const uint32_t *index = has_id ? map_find(&p->function_of_id, id) : NULL;
    if (!index)
        return;
    const struct pprof_function *function = &p->functions.items[*index];
    *vec_push(&p->symbols) = (struct stack_symbol){
        .name = function->name,
        .file = function->file,
        .line = line > 0 ? (uint32_t)line : function->start_line,
        .inlined = 1,
    };
}

static struct pprof_mapping mapping_of(struct pprof *p, bool has_id, uint64_t id)
{
    const uint32_t *index = has_id ? map_find(&p->mapping_of_id, id) : NULL;
    if (index)
        return p->mappings.items[*index];
    struct stack_mapping unknown = {.build_id = trace_intern(p->trace, STR("")),
                                    .name = trace_intern(p->trace, STR("[pprof unknown]"))};
    return (struct pprof_mapping){.row = stack_mapping_intern(p->trace, &unknown)};
}

/* The frame of an address in a mapping, with the symbols that were collected, of which all but the
 * last are inlined. */
static uint32_t frame_of(struct pprof *p, const struct pprof_mapping *mapping, uint64_t address)
{
    struct trace *t = p->trace;
    struct table *frames = &t->tables.stack_profile_frame;
    uint32_t known = frames->rows;
    string_id name =
        p->symbols.count ? p->symbols.items[0].name : trace_intern(t, STR("[unknown]"));
    if (mapping->start > 0 && address >= mapping->start)
        address -= mapping->start;
    uint32_t frame = stack_frame_intern(t, mapping->row, name, (int64_t)address, NULL_STRING);
    if (frame < known || p->symbols.count == 0)
        return frame;
    vec_last(&p->symbols).inlined = 0;
    table_set_u32(frames, stack_profile_frame_col_symbol_set_id, frame,
                  stack_symbols_append(t, p->symbols.items, p->symbols.count));
    return frame;
}

static void add_location(struct pprof *p, struct pb_reader r)
{
    uint64_t id = 0, mapping_id = 0, address = 0;
    bool has_id = false, has_mapping = false;
    struct pb_field f;
    p->symbols.count = 0;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case LOCATION_ID:
            has_id = true;
            id = pb_u64(&f);
            break;
        case LOCATION_MAPPING_ID:
            has_mapping = true;
            mapping_id = pb_u64(&f);
            break;
        case LOCATION_ADDRESS:
            address = pb_u64(&f);
            break;
        case LOCATION_LINE:
            add_symbol(p, pb_message(&f));
            break;
        default:
            break;
        }
    }
    if (!has_id)
        return;
    struct pprof_mapping mapping = mapping_of(p, has_mapping, mapping_id);
    map_set(&p->frame_of_location, id, frame_of(p, &mapping, address));
}

/* Profiles in an archive are known by the names of their files. */
static string_id scope_of(struct trace *t)
{
    const struct table *files = &t->tables.trace_file;
    uint32_t file = stats_scope(t)->file;
    string_id name =
        file < files->rows ? column_str(&files->columns[trace_file_col_name], file) : NULL_STRING;
    bool named = name != NULL_STRING && string_pool_get(&t->strings, name).n > 0;
    return named ? name : trace_intern(t, STR("pprof_file"));
}

static void add_profile(struct pprof *p, struct pb_reader r)
{
    struct trace *t = p->trace;
    struct aggregate_profile_row row = {.scope = scope_of(t),
                                        .sample_type_type = trace_intern(t, STR("unknown")),
                                        .sample_type_unit = trace_intern(t, STR("count"))};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == PB_ValueType_type)
            row.sample_type_type = string_at(p, &f);
        else if (f.number == PB_ValueType_unit)
            row.sample_type_unit = string_at(p, &f);
    }
    struct str type = string_pool_get(&t->strings, row.sample_type_type);
    VEC(char) name = {0};
    struct str prefix = STR("pprof ");
    vec_reserve(&name, prefix.n + type.n);
    memcpy(name.items, prefix.p, prefix.n);
    memcpy(name.items + prefix.n, type.p, type.n);
    row.name = trace_intern(t, (struct str){name.items, prefix.n + type.n});
    vec_release(&name);
    *vec_push(&p->profiles) = aggregate_profile_append(&t->tables.aggregate_profile, &row);
}

/* The call site of the locations, the innermost of which comes first. */
static uint32_t callsite_of(struct pprof *p)
{
    uint32_t callsite = NULL_U32;
    for (size_t i = p->locations.count; i-- > 0;) {
        const uint32_t *frame = map_find(&p->frame_of_location, p->locations.items[i]);
        if (frame)
            callsite = stack_callsite_intern(p->trace, callsite, *frame);
    }
    return callsite;
}

static void add_sample(struct pprof *p, struct pb_reader r)
{
    struct pb_reader again = r;
    struct pb_field f;
    uint64_t value;
    size_t index = 0;
    p->locations.count = 0;
    while (pb_next(&r, &f)) {
        struct pb_packed ids = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == SAMPLE_LOCATION_ID && pb_packed_next(&ids, &value))
            *vec_push(&p->locations) = value;
    }
    uint32_t callsite = callsite_of(p);
    if (callsite == NULL_U32)
        return;
    while (pb_next(&again, &f)) {
        struct pb_packed values = pb_packed_begin(&f, PB_WIRE_VARINT);
        while (f.number == SAMPLE_VALUE && index < p->profiles.count &&
               pb_packed_next(&values, &value)) {
            struct aggregate_sample_row row = {
                .aggregate_profile_id = p->profiles.items[index++],
                .callsite_id = callsite,
                .value = (double)(int64_t)value,
            };
            aggregate_sample_append(&p->trace->tables.aggregate_sample, &row);
        }
    }
}

static void add_string(struct pprof *p, struct pb_reader r)
{
    *vec_push(&p->strings) = (struct str){(const char *)r.p, (size_t)(r.end - r.p)};
}

/* Hands out all fields of that number; false where loading was cancelled. */
static bool each_field(struct pprof *p, uint32_t number,
                       void (*add)(struct pprof *p, struct pb_reader r))
{
    struct pb_reader r = bytes_reader(p->data);
    struct pb_field f;
    for (size_t count = 0; pb_next(&r, &f);) {
        if (f.number != number)
            continue;
        add(p, pb_message(&f));
        if (++count % SAMPLES_PER_CHECK == 0 &&
            !progress_report(p->progress, (size_t)(r.p - p->data.p)))
            return false;
    }
    return true;
}

/* What later fields of a profile refer to comes in any order. */
static struct status pprof_import(struct trace *t, const char *name, struct bytes data,
                                  struct load_progress *progress)
{
    struct pprof p = {.trace = t, .data = data, .progress = progress};
    struct status s = status_ok_value();
    if (!each_field(&p, PB_Profile_string_table, add_string) ||
        !each_field(&p, PB_Profile_mapping, add_mapping) ||
        !each_field(&p, PB_Profile_function, add_function) ||
        !each_field(&p, PB_Profile_location, add_location) ||
        !each_field(&p, PB_Profile_sample_type, add_profile) ||
        !each_field(&p, PB_Profile_sample, add_sample))
        s = progress_cancelled(name);
    else if (p.strings.count == 0)
        s = status_error(STATUS_FORMAT, "%s: expected a pprof profile with strings, found none",
                         name);
    release(&p);
    return s;
}

/* Whether a field of a profile's number has a profile's wire type; `*core` where it is one that
 * every profile has. */
static bool may_be_field(const struct pb_field *f, bool *core)
{
    switch (f->number) {
    case PB_Profile_sample:
    case PB_Profile_mapping:
    case PB_Profile_location:
    case PB_Profile_function:
    case PB_Profile_string_table:
        *core = true;
        return f->wire_type == PB_WIRE_LEN;
    case PB_Profile_sample_type:
    case PB_Profile_period_type:
        return f->wire_type == PB_WIRE_LEN;
    case PB_Profile_comment:
        return f->wire_type == PB_WIRE_LEN || f->wire_type == PB_WIRE_VARINT;
    case PB_Profile_drop_frames:
    case PB_Profile_keep_frames:
    case PB_Profile_time_nanos:
    case PB_Profile_duration_nanos:
    case PB_Profile_period:
    case PB_Profile_default_sample_type:
        return f->wire_type == PB_WIRE_VARINT;
    default:
        return false;
    }
}

/* A text, too, may consist of what looks like fields; but a profile has binary numbers early. */
static bool is_text(struct bytes data)
{
    enum { LOOKED_AT = 64 };
    for (size_t i = 0; i < data.n && i < LOOKED_AT; i++)
        if (data.p[i] < ' ' && data.p[i] != '\n' && data.p[i] != '\t' && data.p[i] != '\r')
            return false;
    return true;
}

static bool pprof_sniff(struct bytes data)
{
    enum { LEAST_BYTES = 10 };
    bool core = false;
    if (data.n < LEAST_BYTES || is_text(data))
        return false;
    if (data.n > HEAD_BYTES)
        data.n = HEAD_BYTES;
    struct pb_reader r = bytes_reader(data);
    struct pb_field f;
    while (pb_next(&r, &f))
        if (!may_be_field(&f, &core))
            return false;
    return core;
}

const struct trace_format pprof_trace_format = {
    .name = "pprof profile",
    .type = "pprof",
    .about = "profiles of pprof (Go, gperftools and others): a protobuf message",
    .sniff = pprof_sniff,
    .read = pprof_import,
};
