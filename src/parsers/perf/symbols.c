#define PB_READS_LITTLE
#include "parsers/perf/symbols.h"

#include "parsers/proto/wire.h"

/* Field numbers of simpleperf's FileFeature and its parts. */
enum { FILE_PATH = 1, FILE_TYPE, FILE_MIN_VADDR, FILE_SYMBOL, FILE_DEX, FILE_ELF, FILE_MODULE };
enum { SYMBOL_VADDR = 1, SYMBOL_LENGTH, SYMBOL_NAME };
enum { ELF_OFFSET_OF_MIN_VADDR = 1 }; /* the same in a module */

/* Kinds of files. */
enum { DSO_KERNEL, DSO_KERNEL_MODULE, DSO_ELF_FILE, DSO_DEX_FILE, DSO_KINDS };

/* What a file says of itself besides its functions. */
struct file_head {
    struct str path;
    uint64_t type, min_vaddr, offset_of_min_vaddr;
};

void perf_symbols_init(struct perf_symbols *s, struct trace *t)
{
    *s = (struct perf_symbols){.trace = t, .first_frame = t->tables.stack_profile_frame.rows};
    arena_init(&s->arena);
}

void perf_symbols_release(struct perf_symbols *s)
{
    arena_release(&s->arena);
    map_release(&s->by_path);
    vec_release(&s->files);
}

static bool contains(struct str s, struct str part)
{
    return s.n >= part.n && memmem(s.p, s.n, part.p, part.n);
}

/* Where the file's functions go; NULL where they are of no use. */
static struct perf_ranges *functions_of(struct perf_symbols *s, const struct file_head *head)
{
    if (head->type == DSO_KERNEL)
        return &s->kernel;
    if (head->type >= DSO_KINDS)
        return NULL;
    bool inserted;
    string_id path = trace_intern(s->trace, head->path);
    uint32_t *index = map_insert(&s->by_path, path, &inserted);
    if (!inserted)
        return NULL;
    *index = (uint32_t)s->files.count;
    struct perf_symbol_file *file = vec_push(&s->files);
    /* What the JIT compiled is at home nowhere but in memory. */
    *file = (struct perf_symbol_file){.absolute = contains(head->path, STR("jit_app_cache")) ||
                                                  contains(head->path, STR("jit_zygote_cache"))};
    if (head->type != DSO_DEX_FILE)
        file->load_bias = head->min_vaddr - head->offset_of_min_vaddr;
    return &file->functions;
}

static void add_function(struct perf_symbols *s, struct perf_ranges *to, uint64_t start,
                         uint64_t length, struct str name)
{
    uint64_t end = length > UINT64_MAX - start ? UINT64_MAX : start + length;
    perf_ranges_add(to, &s->arena, start, end, trace_intern(s->trace, name));
}

static void read_function(struct perf_symbols *s, struct perf_ranges *to, struct pb_reader r)
{
    struct pb_field f;
    uint64_t start = 0, length = 0;
    struct str name = STR("");
    while (pb_next(&r, &f)) {
        if (f.number == SYMBOL_VADDR)
            start = pb_u64(&f);
        else if (f.number == SYMBOL_LENGTH)
            length = pb_u32(&f);
        else if (f.number == SYMBOL_NAME)
            name = pb_str(&f);
    }
    add_function(s, to, start, length, name);
}

static uint64_t read_offset(struct pb_reader r)
{
    struct pb_field f = pb_last(r, ELF_OFFSET_OF_MIN_VADDR);
    return pb_u64(&f);
}

static void read_file(struct perf_symbols *s, struct bytes message)
{
    struct file_head head = {.path = STR("")};
    struct pb_reader r = pb_reader_from(message.p, message.n);
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == FILE_PATH)
            head.path = pb_str(&f);
        else if (f.number == FILE_TYPE)
            head.type = pb_u32(&f);
        else if (f.number == FILE_MIN_VADDR)
            head.min_vaddr = pb_u64(&f);
        else if (f.number == FILE_ELF || f.number == FILE_MODULE)
            head.offset_of_min_vaddr = read_offset(pb_message(&f));
    }
    struct perf_ranges *functions = functions_of(s, &head);
    r = pb_reader_from(message.p, message.n);
    while (functions && pb_next(&r, &f))
        if (f.number == FILE_SYMBOL)
            read_function(s, functions, pb_message(&f));
}

/* The parts of a section: a 32-bit length and so many bytes each. */
static bool next_file(struct perf_reader *r, struct bytes *file)
{
    uint32_t n = perf_u32(r);
    *file = perf_take(r, n);
    return !r->failed;
}

void perf_symbols_read_files(struct perf_symbols *s, struct bytes section, bool big)
{
    struct perf_reader r = perf_reader_make(section, big);
    struct bytes file;
    while (next_file(&r, &file))
        read_file(s, file);
}

static void read_old_file(struct perf_symbols *s, struct bytes file, bool big)
{
    struct perf_reader r = perf_reader_make(file, big);
    struct file_head head = {.path = perf_c_string(&r)};
    head.type = perf_u32(&r);
    head.min_vaddr = perf_u64(&r);
    uint32_t count = perf_u32(&r);
    struct perf_reader symbols = r;
    for (uint32_t i = 0; i < count && !r.failed; i++) {
        perf_take(&r, 12);
        perf_c_string(&r);
    }
    if (head.type == DSO_ELF_FILE || head.type == DSO_KERNEL_MODULE)
        head.offset_of_min_vaddr = r.left.n >= 8 ? perf_u64(&r) : head.min_vaddr;
    struct perf_ranges *functions = r.failed ? NULL : functions_of(s, &head);
    for (uint32_t i = 0; functions && i < count; i++) {
        uint64_t start = perf_u64(&symbols), length = perf_u32(&symbols);
        add_function(s, functions, start, length, perf_c_string(&symbols));
    }
}

void perf_symbols_read_old_files(struct perf_symbols *s, struct bytes section, bool big)
{
    struct perf_reader r = perf_reader_make(section, big);
    struct bytes file;
    while (next_file(&r, &file))
        read_old_file(s, file, big);
}

static bool find_in_file(const struct perf_symbols *s, uint32_t mapping, uint64_t rel_pc,
                         string_id *name)
{
    const struct table *mappings = &s->trace->tables.stack_profile_mapping;
    string_id path = column_str(&mappings->columns[stack_profile_mapping_col_name], mapping);
    const uint32_t *index = map_find(&s->by_path, path);
    if (!index)
        return false;
    const struct perf_symbol_file *file = &s->files.items[*index];
    uint64_t pc = rel_pc + file->load_bias;
    if (file->absolute) {
        pc -= (uint64_t)table_i64(mappings, stack_profile_mapping_col_exact_offset)[mapping];
        pc += (uint64_t)table_i64(mappings, stack_profile_mapping_col_start)[mapping];
    }
    return perf_ranges_find(&file->functions, pc, name);
}

void perf_symbols_name_frames(struct perf_symbols *s)
{
    struct table *frames = &s->trace->tables.stack_profile_frame;
    const struct table *mappings = &s->trace->tables.stack_profile_mapping;
    string_id empty = trace_intern(s->trace, STR("")), name;
    if (s->files.count == 0 && !s->kernel.added)
        return;
    for (uint32_t i = s->first_frame; i < frames->rows; i++) {
        if (column_str(&frames->columns[stack_profile_frame_col_name], i) != empty)
            continue;
        uint32_t mapping = table_u32(frames, stack_profile_frame_col_mapping)[i];
        uint64_t rel_pc = (uint64_t)table_i64(frames, stack_profile_frame_col_rel_pc)[i];
        uint64_t start = (uint64_t)table_i64(mappings, stack_profile_mapping_col_start)[mapping];
        if (find_in_file(s, mapping, rel_pc, &name) ||
            perf_ranges_find(&s->kernel, rel_pc + start, &name))
            table_set_str(frames, stack_profile_frame_col_name, i, name);
    }
}
