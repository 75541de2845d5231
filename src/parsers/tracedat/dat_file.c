#include "parsers/tracedat/dat_file.h"

#include "parsers/perf/wire.h"

static const char magic[] = "\x17\x08\x44tracing";

enum { WORD_BYTES = 10, SECTION_HEADER_BYTES = 16, SECTION_COMPRESSED = 1, SECTIONS_MAX = 4096 };

enum option {
    OPTION_DONE = 0,
    OPTION_BUFFER = 3,
    OPTION_UNAME = 5,
    OPTION_OFFSET = 7,
    OPTION_HEADER_INFO = 16,
    OPTION_FTRACE_EVENTS,
    OPTION_EVENT_FORMATS,
    OPTION_KALLSYMS,
    OPTION_PRINTK,
    OPTION_COMMAND_LINES,
    OPTION_BUFFER_TEXT,
};

bool dat_file_sniff(struct bytes data)
{
    size_t n = sizeof magic - 1;
    return data.n > n && memcmp(data.p, magic, n) == 0;
}

static struct str text_of(struct bytes b)
{
    return (struct str){(const char *)b.p, b.n};
}

static struct perf_reader reader_at(const struct dat_file *f, uint64_t offset)
{
    struct perf_reader r = perf_reader_make(f->bytes, f->big);
    perf_take(&r, offset);
    return r;
}

/* A block with its size, 64 bits, in front. */
static struct str take_text64(struct perf_reader *r)
{
    uint64_t n = perf_u64(r);
    return text_of(perf_take(r, n));
}

static struct str take_text32(struct perf_reader *r)
{
    uint32_t n = perf_u32(r);
    return text_of(perf_take(r, n));
}

static void read_header_info(struct dat_file *f, struct perf_reader *r)
{
    perf_c_string(r); /* "header_page" */
    f->header_page = take_text64(r);
    perf_c_string(r); /* "header_event" */
    take_text64(r);
}

static void read_formats(struct dat_file *f, struct perf_reader *r, bool is_syscall)
{
    uint32_t count = perf_u32(r);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        struct str text = take_text64(r);
        *vec_push(&f->formats) = (struct dat_format){text, is_syscall};
    }
}

static void read_systems(struct dat_file *f, struct perf_reader *r)
{
    uint32_t count = perf_u32(r);
    for (uint32_t i = 0; i < count && !r->failed; i++) {
        bool is_syscall = str_eq(perf_c_string(r), STR("syscalls"));
        read_formats(f, r, is_syscall);
    }
}

static void add_cpu(struct dat_file *f, uint32_t cpu, size_t page_size, struct bytes data)
{
    if (data.n > 0)
        *vec_push(&f->cpus) = (struct dat_cpu){cpu, page_size, data};
}

/* Bytes of the file; what is not there is missing. */
static struct bytes file_part(struct dat_file *f, uint64_t offset, uint64_t size)
{
    struct perf_reader r = reader_at(f, offset);
    if (!r.failed && size > r.left.n) {
        f->cut = true;
        size = r.left.n;
    }
    struct bytes part = perf_take(&r, size);
    f->cut |= r.failed;
    return r.failed ? (struct bytes){f->bytes.p, 0} : part;
}

/* Version 6: where the cpus' pages are, or the text. */
static void read_flyrecord(struct dat_file *f, struct perf_reader *r, uint32_t cpus)
{
    for (uint32_t i = 0; i < cpus && !r->failed; i++) {
        uint64_t offset = perf_u64(r), size = perf_u64(r);
        if (!r->failed)
            add_cpu(f, i, f->page_size, file_part(f, offset, size));
    }
}

static void read_records(struct dat_file *f, struct perf_reader *r, struct str kind, uint32_t cpus)
{
    if (str_starts(kind, STR("latency")))
        f->latency = text_of(r->left);
    else if (str_starts(kind, STR("flyrecord")))
        read_flyrecord(f, r, cpus);
}

/* What both versions have: texts. */
static void read_text_option(struct dat_file *f, uint32_t id, struct bytes data)
{
    struct str text = perf_text(data);
    int64_t ns;
    if (id == OPTION_UNAME)
        f->uname = text;
    else if (id == OPTION_OFFSET && str_to_i64(str_trim(text), &ns))
        f->offset_ns = ns;
}

/* Another buffer of version 6, which repeats the end of the header. */
static void read_instance(struct dat_file *f, struct bytes option, uint32_t cpus)
{
    struct perf_reader o = perf_reader_make(option, f->big);
    uint64_t offset = perf_u64(&o);
    struct perf_reader r = reader_at(f, offset);
    struct str kind = perf_text(perf_take(&r, WORD_BYTES));
    if (!o.failed && !r.failed)
        read_records(f, &r, kind, cpus);
}

static void read_options6(struct dat_file *f, struct perf_reader *r, uint32_t cpus)
{
    for (uint16_t id; (id = perf_u16(r)) != OPTION_DONE && !r->failed;) {
        uint32_t n = perf_u32(r);
        struct bytes data = perf_take(r, n);
        if (id == OPTION_BUFFER)
            read_instance(f, data, cpus);
        else
            read_text_option(f, id, data);
    }
}

static bool read_version6(struct dat_file *f, struct perf_reader *r)
{
    read_header_info(f, r);
    read_formats(f, r, false);
    read_systems(f, r);
    f->kallsyms = take_text32(r);
    f->printk = take_text32(r);
    f->command_lines = take_text64(r);
    uint32_t cpus = perf_u32(r);
    struct str kind = perf_text(perf_take(r, WORD_BYTES));
    if (str_starts(kind, STR("options"))) {
        read_options6(f, r, cpus);
        kind = perf_text(perf_take(r, WORD_BYTES));
    }
    if (r->failed)
        return f->formats.count > 0;
    read_records(f, r, kind, cpus);
    return true;
}

/* Keeps what was decompressed. */
static struct bytes unpack(struct dat_file *f, struct bytes packed)
{
    struct decompressed d = {0};
    if (f->compression != COMPRESSION_NONE)
        d = decompress(f->compression, packed, SIZE_MAX, f->budget, NULL);
    f->cut |= !d.whole;
    *vec_push(&f->owned) = d.p;
    return (struct bytes){d.p, d.n};
}

/* The content of the section at that offset. */
static struct perf_reader section_at(struct dat_file *f, uint64_t offset)
{
    struct perf_reader r = reader_at(f, offset);
    perf_u16(&r); /* its id */
    uint16_t flags = perf_u16(&r);
    perf_u32(&r); /* what it is called */
    uint64_t size = perf_u64(&r);
    struct bytes content = perf_take(&r, size < r.left.n ? size : r.left.n);
    if (r.failed || !(flags & SECTION_COMPRESSED))
        return perf_reader_make(content, f->big);
    struct perf_reader packed = perf_reader_make(content, f->big);
    uint32_t n = perf_u32(&packed);
    perf_u32(&packed); /* what becomes of it */
    return perf_reader_make(unpack(f, perf_take(&packed, n)), f->big);
}

/* Pages that lie in the file as chunks. */
static struct bytes unpack_pages(struct dat_file *f, struct bytes chunks)
{
    struct perf_reader r = perf_reader_make(chunks, f->big);
    VEC(uint8_t) all = {0};
    uint32_t count = perf_u32(&r);
    for (uint32_t i = 0; i < count && !r.failed; i++) {
        uint32_t n = perf_u32(&r);
        perf_u32(&r); /* what becomes of it */
        struct decompressed d =
            decompress(f->compression, perf_take(&r, n), SIZE_MAX, f->budget, NULL);
        f->cut |= !d.whole;
        vec_reserve(&all, all.count + d.n + 1);
        if (d.n > 0)
            memcpy(all.items + all.count, d.p, d.n);
        all.count += d.n;
        free(d.p);
    }
    *vec_push(&f->owned) = all.items;
    return (struct bytes){all.items, all.count};
}

static void read_buffer(struct dat_file *f, struct perf_reader *r)
{
    uint64_t section = perf_u64(r);
    perf_c_string(r); /* the instance */
    perf_c_string(r); /* its clock */
    uint32_t page_size = perf_u32(r), cpus = perf_u32(r);
    struct perf_reader header = reader_at(f, section);
    perf_u16(&header);
    bool packed = perf_u16(&header) & SECTION_COMPRESSED;
    for (uint32_t i = 0; i < cpus && !r->failed; i++) {
        uint32_t cpu = perf_u32(r);
        uint64_t offset = perf_u64(r), size = perf_u64(r);
        if (r->failed)
            return;
        if (packed) /* chunks know their sizes */
            add_cpu(f, cpu, page_size, unpack_pages(f, reader_at(f, offset).left));
        else
            add_cpu(f, cpu, page_size, file_part(f, offset, size));
    }
}

static void read_option7(struct dat_file *f, uint32_t id, struct bytes data)
{
    struct perf_reader r = perf_reader_make(data, f->big);
    if (id == OPTION_BUFFER) {
        read_buffer(f, &r);
        return;
    }
    if (id < OPTION_HEADER_INFO || id > OPTION_BUFFER_TEXT) {
        read_text_option(f, id, data);
        return;
    }
    struct perf_reader section = section_at(f, perf_u64(&r));
    switch ((enum option)id) {
    case OPTION_HEADER_INFO:
        read_header_info(f, &section);
        return;
    case OPTION_FTRACE_EVENTS:
        read_formats(f, &section, false);
        return;
    case OPTION_EVENT_FORMATS:
        read_systems(f, &section);
        return;
    case OPTION_KALLSYMS:
        f->kallsyms = take_text32(&section);
        return;
    case OPTION_PRINTK:
        f->printk = take_text32(&section);
        return;
    case OPTION_COMMAND_LINES:
        f->command_lines = take_text64(&section);
        return;
    default:
        f->latency = text_of(section.left);
    }
}

/* Sections of options follow each other; the last option says where the next is. */
static bool read_version7(struct dat_file *f, struct perf_reader *r)
{
    struct str algorithm = perf_c_string(r);
    perf_c_string(r); /* its version */
    if (str_eq(algorithm, STR("zstd")))
        f->compression = COMPRESSION_ZSTD;
    else if (str_eq(algorithm, STR("zlib")))
        f->compression = COMPRESSION_ZLIB;
    uint64_t next = perf_u64(r);
    for (int sections = 0; next != 0 && sections < SECTIONS_MAX; sections++) {
        struct perf_reader options = section_at(f, next);
        next = 0;
        while (options.left.n > 0 && !options.failed) {
            uint16_t id = perf_u16(&options);
            uint32_t n = perf_u32(&options);
            struct bytes data = perf_take(&options, n);
            if (options.failed)
                break;
            if (id != OPTION_DONE) {
                read_option7(f, id, data);
                continue;
            }
            struct perf_reader where = perf_reader_make(data, f->big);
            next = perf_u64(&where);
            break;
        }
    }
    return f->formats.count > 0 || f->latency.n > 0;
}

bool dat_file_read(struct dat_file *f, struct bytes data, struct budget *budget)
{
    *f = (struct dat_file){.bytes = data, .budget = budget};
    struct perf_reader r = perf_reader_make(data, false);
    perf_take(&r, sizeof magic - 1);
    struct str version = perf_c_string(&r);
    struct bytes big = perf_take(&r, 1);
    f->big = r.big = big.n && big.p[0];
    perf_take(&r, 1); /* size of user space's long */
    f->page_size = perf_u32(&r);
    if (r.failed)
        return false;
    if (str_eq(version, STR("6")))
        return read_version6(f, &r);
    return str_eq(version, STR("7")) && read_version7(f, &r);
}

void dat_file_release(struct dat_file *f)
{
    for (size_t i = 0; i < f->owned.count; i++)
        free(f->owned.items[i]);
    vec_release(&f->owned);
    vec_release(&f->formats);
    vec_release(&f->cpus);
}
