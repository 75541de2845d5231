#define PB_READS_LITTLE
#include "parsers/samples/pprof_writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "text/demangle.h"
#include "base/hash.h"
#include "pb_fields.h"
#include "core/callstack_annotation.h"

/* pprof's field numbers where another message of that name has taken the PB_ names. */
enum {
    SAMPLE_LOCATION_ID = 1,
    SAMPLE_VALUE = 2,
    MAPPING_ID = 1,
    MAPPING_MEMORY_START = 2,
    MAPPING_MEMORY_LIMIT = 3,
    MAPPING_FILE_OFFSET = 4,
    MAPPING_FILENAME = 5,
    MAPPING_BUILD_ID = 6,
    MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILENAMES = 8,
    MAPPING_HAS_LINE_NUMBERS = 9,
    MAPPING_HAS_INLINE_FRAMES = 10,
    LINE_FUNCTION_ID = 1,
    LINE_LINE = 2,
};

/* The same file at another place of another process is the same mapping. */
struct profile_mapping {
    uint32_t row;
    bool functions, files, lines, inlined;
};

struct profile_sample {
    size_t first, count; /* of `locations` */
};

struct profile {
    const struct trace *trace;
    struct map strings;   /* string_id -> index in the string table */
    struct map mappings;  /* hash of the contents -> number */
    struct map functions; /* hash of the contents -> number */
    struct map locations; /* hash of the contents -> number */
    struct map frames;    /* frame << 32 | annotation's id -> location's number */
    struct map samples;   /* hash of the locations -> sample */
    VEC(struct profile_mapping) mapping_list;
    VEC(struct profile_sample) sample_list;
    VEC(uint64_t) stack; /* of the sample being added, leaf first */
    VEC(uint64_t) locations_of_samples;
    VEC(int64_t) values; /* a row of type_count a sample */
    size_t type_count;
    struct pb_bytes types_out, functions_out, locations_out, strings_out;
    struct annotated_callstack annotated;
};

struct profile *profile_new(const struct trace *t)
{
    struct profile *p = alloc_array(1, sizeof *p);
    p->trace = t;
    pb_put_str(&p->strings_out, PB_Profile_string_table, STR("")); /* the format wants it first */
    map_set(&p->strings, trace_intern(t, STR("")), 0);
    map_set(&p->strings, NULL_STRING, 0);
    return p;
}

void profile_free(struct profile *p)
{
    if (!p)
        return;
    struct map *maps[] = {&p->strings,   &p->mappings, &p->functions,
                          &p->locations, &p->frames,   &p->samples};
    for (size_t i = 0; i < sizeof maps / sizeof *maps; i++)
        map_release(maps[i]);
    struct pb_bytes *bytes[] = {&p->types_out, &p->functions_out, &p->locations_out,
                                &p->strings_out};
    for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++)
        pb_bytes_release(bytes[i]);
    vec_release(&p->mapping_list);
    vec_release(&p->sample_list);
    vec_release(&p->stack);
    vec_release(&p->locations_of_samples);
    vec_release(&p->values);
    vec_release(&p->annotated.v);
    free(p);
}

static uint64_t put_string(struct profile *p, string_id id)
{
    bool inserted;
    uint32_t next = (uint32_t)p->strings.count - 1; /* NULL and "" share an index */
    uint32_t *index = map_insert(&p->strings, id, &inserted);
    if (inserted) {
        *index = next;
        pb_put_str(&p->strings_out, PB_Profile_string_table,
                   string_pool_get(&p->trace->strings, id));
    }
    return *index;
}

void profile_add_type(struct profile *p, struct str type, struct str unit)
{
    struct pb_bytes m = {0};
    pb_put_uint(&m, PB_ValueType_type, put_string(p, trace_intern(p->trace, type)));
    pb_put_uint(&m, PB_ValueType_unit, put_string(p, trace_intern(p->trace, unit)));
    pb_put_message(&p->types_out, PB_Profile_sample_type, &m);
    pb_bytes_release(&m);
    p->type_count++;
}

static uint64_t hash_words(const uint64_t *words, size_t n)
{
    return hash_bytes(words, n * sizeof *words, 0);
}

/* The number of a thing: 1 for the first of its kind. `*is_new` where it was not there before. */
static uint64_t number_of(struct map *m, uint64_t hash, bool *is_new)
{
    uint32_t *number = map_insert(m, hash, is_new);
    if (*is_new)
        *number = (uint32_t)m->count;
    return *number;
}

static uint64_t put_mapping(struct profile *p, uint32_t row)
{
    const struct table *t = &p->trace->tables.stack_profile_mapping;
    string_id build_id = column_str(&t->columns[stack_profile_mapping_col_build_id], row);
    string_id name = column_str(&t->columns[stack_profile_mapping_col_name], row);
    bool has_build_id = string_pool_get(&p->trace->strings, build_id).n > 0;
    uint64_t key[] = {
        (uint64_t)table_i64(t, stack_profile_mapping_col_end)[row] -
            (uint64_t)table_i64(t, stack_profile_mapping_col_start)[row],
        (uint64_t)table_i64(t, stack_profile_mapping_col_exact_offset)[row],
        has_build_id ? build_id : name,
    };
    bool is_new;
    uint64_t number = number_of(&p->mappings, hash_words(key, 3), &is_new);
    if (is_new)
        *vec_push(&p->mapping_list) = (struct profile_mapping){.row = row};
    return number;
}

static uint64_t put_function(struct profile *p, string_id name, string_id system_name,
                             string_id file)
{
    uint64_t key[] = {put_string(p, name), put_string(p, system_name), put_string(p, file)};
    if (!key[0] && !key[1] && !key[2])
        return 0;
    bool is_new;
    uint64_t number = number_of(&p->functions, hash_words(key, 3), &is_new);
    if (!is_new)
        return number;
    static const uint32_t fields[] = {PB_Function_name, PB_Function_system_name,
                                      PB_Function_filename};
    struct pb_bytes m = {0};
    pb_put_uint(&m, PB_Function_id, number);
    for (size_t i = 0; i < 3; i++)
        if (key[i])
            pb_put_uint(&m, fields[i], key[i]);
    pb_put_message(&p->functions_out, PB_Profile_function, &m);
    pb_bytes_release(&m);
    return number;
}

static string_id annotated_name(struct profile *p, string_id name, const char *annotation)
{
    struct str s = string_pool_get(&p->trace->strings, name);
    if (!annotation || s.n == 0)
        return name;
    size_t room = s.n + strlen(annotation) + sizeof " []";
    char *text = alloc_bytes(room);
    snprintf(text, room, "%.*s [%s]", (int)s.n, s.p, annotation);
    string_id id = trace_intern(p->trace, str_from(text));
    free(text);
    return id;
}

static string_id shown_name(struct profile *p, uint32_t frame)
{
    const struct table *t = &p->trace->tables.stack_profile_frame;
    string_id name = column_str(&t->columns[stack_profile_frame_col_deobfuscated_name], frame);
    if (name != NULL_STRING)
        return name;
    name = column_str(&t->columns[stack_profile_frame_col_name], frame);
    char *plain = demangle(string_pool_get(&p->trace->strings, name));
    if (plain)
        name = trace_intern(p->trace, str_from(plain));
    free(plain);
    return name;
}

/* A location's lines, encoded. */
struct lines {
    struct pb_bytes bytes;
    struct pb_bytes scratch;
};

static void put_line(struct lines *lines, uint64_t function, uint32_t line)
{
    if (function == 0)
        return;
    lines->scratch.v.count = 0;
    pb_put_uint(&lines->scratch, LINE_FUNCTION_ID, function);
    if (line != 0 && line != NULL_U32)
        pb_put_uint(&lines->scratch, LINE_LINE, line);
    pb_put_message(&lines->bytes, PB_Location_line, &lines->scratch);
}

/* What a symbolizer found: inlined functions first. */
static void put_symbols(struct profile *p, uint32_t set, const char *annotation,
                        struct profile_mapping *mapping, struct lines *lines)
{
    const struct table *t = &p->trace->tables.stack_profile_symbol;
    const uint32_t *sets = table_u32(t, stack_profile_symbol_col_symbol_set_id);
    for (uint32_t row = set; row < t->rows && sets[row] == set; row++) {
        string_id name = column_str(&t->columns[stack_profile_symbol_col_name], row);
        string_id file = column_str(&t->columns[stack_profile_symbol_col_source_file], row);
        uint64_t function = put_function(p, annotated_name(p, name, annotation), NULL_STRING, file);
        put_line(lines, function, table_u32(t, stack_profile_symbol_col_line_number)[row]);
        mapping->lines = mapping->inlined = true;
        mapping->functions |= function != 0;
        mapping->files |= file != NULL_STRING;
    }
}

static uint64_t put_location(struct profile *p, uint64_t mapping, uint64_t rel_pc,
                             struct lines *lines)
{
    uint64_t key[] = {mapping, rel_pc, hash_bytes(lines->bytes.v.items, lines->bytes.v.count, 0)};
    bool is_new;
    uint64_t number = number_of(&p->locations, hash_words(key, 3), &is_new);
    if (is_new) {
        struct pb_bytes m = {0};
        pb_put_uint(&m, PB_Location_id, number);
        if (mapping) {
            uint32_t row = p->mapping_list.items[mapping - 1].row;
            int64_t start = table_i64(&p->trace->tables.stack_profile_mapping,
                                      stack_profile_mapping_col_start)[row];
            pb_put_uint(&m, PB_Location_mapping_id, mapping);
            pb_put_uint(&m, PB_Location_address, rel_pc + (uint64_t)start);
        }
        pb_put_raw(&m, lines->bytes.v.items, lines->bytes.v.count);
        pb_put_message(&p->locations_out, PB_Profile_location, &m);
        pb_bytes_release(&m);
    }
    pb_bytes_release(&lines->bytes);
    pb_bytes_release(&lines->scratch);
    return number;
}

static uint64_t make_frame_location(struct profile *p, uint32_t frame, const char *annotation)
{
    const struct table *t = &p->trace->tables.stack_profile_frame;
    uint64_t mapping = put_mapping(p, table_u32(t, stack_profile_frame_col_mapping)[frame]);
    struct profile_mapping *known = &p->mapping_list.items[mapping - 1];
    struct lines lines = {0};
    uint32_t set = table_u32(t, stack_profile_frame_col_symbol_set_id)[frame];
    if (set != NULL_U32)
        put_symbols(p, set, annotation, known, &lines);
    if (lines.bytes.v.count == 0) {
        string_id system_name = column_str(&t->columns[stack_profile_frame_col_name], frame);
        string_id name = annotated_name(p, shown_name(p, frame), annotation);
        uint64_t function = put_function(p, name, system_name, NULL_STRING);
        known->functions |= function != 0;
        put_line(&lines, function, 0);
    }
    return put_location(p, mapping, (uint64_t)table_i64(t, stack_profile_frame_col_rel_pc)[frame],
                        &lines);
}

static void push_frame(struct profile *p, uint32_t frame, const char *annotation)
{
    bool is_new;
    string_id id = annotation ? trace_intern_c(p->trace, annotation) : NULL_STRING;
    uint32_t *location = map_insert(&p->frames, (uint64_t)frame << 32 | id, &is_new);
    if (is_new)
        *location = (uint32_t)make_frame_location(p, frame, annotation);
    *vec_push(&p->stack) = *location;
}

static void push_name(struct profile *p, struct str name)
{
    struct lines lines = {0};
    put_line(&lines, put_function(p, trace_intern(p->trace, name), NULL_STRING, NULL_STRING), 0);
    *vec_push(&p->stack) = put_location(p, 0, 0, &lines);
}

static struct status push_callsite(struct profile *p, uint64_t id, bool annotated)
{
    const struct table *t = &p->trace->tables.stack_profile_callsite;
    if (id >= t->rows)
        return status_error(STATUS_SQL, "the stack names a callsite %llu that does not exist",
                            (unsigned long long)id);
    const uint32_t *parents = table_u32(t, stack_profile_callsite_col_parent_id);
    const uint32_t *frames = table_u32(t, stack_profile_callsite_col_frame_id);
    if (!annotated) {
        for (uint32_t at = (uint32_t)id, child = UINT32_MAX; at < child;
             child = at, at = parents[at])
            push_frame(p, frames[at], NULL);
        return status_ok_value();
    }
    callstack_annotate(p->trace, (uint32_t)id, &p->annotated);
    for (size_t i = 0; i < p->annotated.v.count; i++)
        push_frame(p, frames[p->annotated.v.items[i].callsite], p->annotated.v.items[i].annotation);
    return status_ok_value();
}

static struct status push_entry(struct profile *p, struct pb_reader entry)
{
    struct pb_field f;
    struct status s = status_ok_value();
    while (status_ok(s) && pb_next(&entry, &f)) {
        switch (f.number) {
        case PB_Stack_Entry_name:
            push_name(p, pb_str(&f));
            break;
        case PB_Stack_Entry_callsite_id:
        case PB_Stack_Entry_annotated_callsite_id:
            s = push_callsite(p, pb_u64(&f), f.number == PB_Stack_Entry_annotated_callsite_id);
            break;
        case PB_Stack_Entry_frame_id:
            if (pb_u64(&f) < p->trace->tables.stack_profile_frame.rows)
                push_frame(p, pb_u32(&f), NULL);
            else
                s = status_error(STATUS_SQL, "the stack names a frame %llu that does not exist",
                                 (unsigned long long)pb_u64(&f));
            break;
        }
    }
    return status_ok(s) && entry.error ? status_error(STATUS_SQL, "the stack is malformed") : s;
}

static void add_values(struct profile *p, const int64_t *values)
{
    bool is_new;
    uint64_t hash = hash_words(p->stack.items, p->stack.count);
    uint32_t *sample = map_insert(&p->samples, hash, &is_new);
    if (is_new) {
        *sample = (uint32_t)p->sample_list.count;
        *vec_push(&p->sample_list) =
            (struct profile_sample){p->locations_of_samples.count, p->stack.count};
        for (size_t i = 0; i < p->stack.count; i++)
            *vec_push(&p->locations_of_samples) = p->stack.items[i];
        for (size_t i = 0; i < p->type_count; i++)
            *vec_push(&p->values) = 0;
    }
    for (size_t i = 0; i < p->type_count; i++) {
        int64_t *sum = &p->values.items[*sample * p->type_count + i];
        *sum = (int64_t)((uint64_t)*sum + (uint64_t)values[i]);
    }
}

struct status profile_add_sample(struct profile *p, struct str stack, const int64_t *values)
{
    struct pb_reader r = pb_reader_from(stack.p, stack.n);
    struct pb_field f;
    struct status s = status_ok_value();
    p->stack.count = 0;
    while (status_ok(s) && pb_next(&r, &f))
        if (f.number == PB_Stack_entries)
            s = push_entry(p, pb_message(&f));
    if (status_ok(s) && r.error)
        s = status_error(STATUS_SQL, "the stack is malformed");
    if (status_ok(s) && p->stack.count > 0)
        add_values(p, values);
    return s;
}

static void write_mapping(struct profile *p, size_t i, struct pb_bytes *out)
{
    const struct table *t = &p->trace->tables.stack_profile_mapping;
    const struct profile_mapping *m = &p->mapping_list.items[i];
    const int64_t *offsets = table_i64(t, stack_profile_mapping_col_exact_offset);
    string_id name = column_str(&t->columns[stack_profile_mapping_col_name], m->row);
    string_id build_id = column_str(&t->columns[stack_profile_mapping_col_build_id], m->row);
    struct pb_bytes b = {0};
    pb_put_uint(&b, MAPPING_ID, i + 1);
    pb_put_uint(&b, MAPPING_MEMORY_START,
                (uint64_t)table_i64(t, stack_profile_mapping_col_start)[m->row]);
    pb_put_uint(&b, MAPPING_MEMORY_LIMIT,
                (uint64_t)table_i64(t, stack_profile_mapping_col_end)[m->row]);
    pb_put_uint(&b, MAPPING_FILE_OFFSET, (uint64_t)offsets[m->row]);
    pb_put_uint(&b, MAPPING_FILENAME, put_string(p, name));
    pb_put_uint(&b, MAPPING_BUILD_ID, put_string(p, build_id));
    pb_put_uint(&b, MAPPING_HAS_FUNCTIONS, m->functions);
    pb_put_uint(&b, MAPPING_HAS_FILENAMES, m->files);
    pb_put_uint(&b, MAPPING_HAS_LINE_NUMBERS, m->lines);
    pb_put_uint(&b, MAPPING_HAS_INLINE_FRAMES, m->inlined);
    pb_put_message(out, PB_Profile_mapping, &b);
    pb_bytes_release(&b);
}

static bool is_program(const struct profile *p, size_t i)
{
    static const char *const elsewhere[] = {"/apex", "/system", "/[", "["};
    const struct table *t = &p->trace->tables.stack_profile_mapping;
    uint32_t row = p->mapping_list.items[i].row;
    struct str name = string_pool_get(&p->trace->strings,
                                      column_str(&t->columns[stack_profile_mapping_col_name], row));
    bool program = name.n > 0 && !str_ends(name, STR(".so")) &&
                   table_i64(t, stack_profile_mapping_col_end)[row] !=
                       table_i64(t, stack_profile_mapping_col_start)[row];
    for (size_t k = 0; k < sizeof elsewhere / sizeof *elsewhere && program; k++)
        program = !str_starts(name, str_from(elsewhere[k]));
    return program;
}

/* Readers take the first mapping for the program itself. */
static size_t main_mapping(const struct profile *p)
{
    size_t i = 0;
    while (i < p->mapping_list.count && !is_program(p, i))
        i++;
    return i < p->mapping_list.count ? i : 0;
}

static void write_samples(const struct profile *p, struct pb_bytes *out)
{
    struct pb_bytes b = {0}, packed = {0};
    for (size_t i = 0; i < p->sample_list.count; i++) {
        struct profile_sample s = p->sample_list.items[i];
        b.v.count = packed.v.count = 0;
        for (size_t k = 0; k < s.count; k++)
            pb_put_varint(&packed, p->locations_of_samples.items[s.first + k]);
        pb_put_message(&b, SAMPLE_LOCATION_ID, &packed);
        packed.v.count = 0;
        for (size_t k = 0; k < p->type_count; k++)
            pb_put_varint(&packed, (uint64_t)p->values.items[i * p->type_count + k]);
        pb_put_message(&b, SAMPLE_VALUE, &packed);
        pb_put_message(out, PB_Profile_sample, &b);
    }
    pb_bytes_release(&b);
    pb_bytes_release(&packed);
}

static void append(struct pb_bytes *out, const struct pb_bytes *b)
{
    pb_put_raw(out, b->v.items, b->v.count);
}

void profile_write(struct profile *p, struct pb_bytes *out)
{
    size_t first = main_mapping(p);
    append(out, &p->types_out);
    write_samples(p, out);
    for (size_t i = 0; i < p->mapping_list.count; i++)
        write_mapping(p, i == 0 ? first : i <= first ? i - 1 : i, out);
    append(out, &p->locations_out);
    append(out, &p->functions_out);
    append(out, &p->strings_out);
}
