/* Traces in archives, through the front door. The archives are made by libarchive, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "base/little_endian.h"
#include "base/vec.h"
#include "core/stats.h"
#include "core/trace_builder.h"
#include "parsers/archive/arrow_reader.h"
#include "parsers/archive/exported_table.h"
#include "parsers/archive/members.h"
#include "parsers/input/unpack_stream.h"
#include "parsers/load.h"
#include "parsers/perfetto/packets/import.h"
#include "parsers/proto/descriptors.h"
#include "parsers/proto/write.h"
#include "pb_fields.h"
#include "parsers/archive/arrow_file.h"
#include "archive_writer.h"
#include "emulated.h"
#include "sanitized.h"

/* One line of strace, which is one slice. */
#define LINE "10 1700000000.000001 read(3, \"\", 8) = 0 <0.000010>\n"

struct made {
    struct archive *writer;
    VEC(uint8_t) v;
};

static la_ssize_t keep(struct archive *a, void *self, const void *block, size_t n)
{
    struct made *m = self;
    (void)a;
    vec_reserve(&m->v, m->v.count + n);
    memcpy(m->v.items + m->v.count, block, n);
    m->v.count += n;
    return (la_ssize_t)n;
}

/* Not by libarchive's own list of names, which links what every filter needs. */
static void add_filter(struct archive *a, const char *name)
{
    static const struct {
        const char *name;
        int (*add)(struct archive *a);
    } filters[] = {{"gzip", archive_write_add_filter_gzip},
                   {"xz", archive_write_add_filter_xz},
                   {"bzip2", archive_write_add_filter_bzip2},
                   {"zstd", archive_write_add_filter_zstd}};
    size_t i = 0;
    while (strcmp(filters[i].name, name) != 0)
        i++;
    assert_int_equal(filters[i].add(a), ARCHIVE_OK);
}

/* Names go through the locale while an archive is made, not while it is read. `format` as
 * libarchive calls it, `filter` one of the above or NULL. */
static void make(struct made *m, const char *format, const char *filter)
{
    setlocale(LC_CTYPE, "C.UTF-8");
    *m = (struct made){.writer = archive_write_new()};
    assert_int_equal(archive_write_set_format_by_name(m->writer, format), ARCHIVE_OK);
    if (filter)
        add_filter(m->writer, filter);
    archive_write_set_bytes_in_last_block(m->writer, 1);
    assert_int_equal(archive_write_open(m->writer, m, NULL, keep, NULL), ARCHIVE_OK);
}

static void add_entry(struct made *m, const char *name, const void *p, size_t n, unsigned type)
{
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, name);
    archive_entry_set_filetype(e, type);
    archive_entry_set_perm(e, 0644);
    archive_entry_set_size(e, (la_int64_t)n);
    assert_int_equal(archive_write_header(m->writer, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(m->writer, p, n), n);
    archive_entry_free(e);
}

static void add(struct made *m, const char *name, const char *text)
{
    add_entry(m, name, text, strlen(text), AE_IFREG);
}

static void finish_archive(struct made *m)
{
    archive_write_close(m->writer);
    archive_write_free(m->writer);
    m->writer = NULL;
}

static struct status load(struct trace *t, struct made *m)
{
    if (m->writer)
        finish_archive(m);
    setlocale(LC_CTYPE, "C");
    trace_init(t);
    struct status s = trace_load_memory(t, "made", m->v.items, m->v.count, NULL);
    vec_release(&m->v);
    return s;
}

/* `width` times the same in a zip, the last name first. */
static void enclose(struct made *m, struct made *inner, int width)
{
    char name[16];
    make(m, "zip", NULL);
    for (int i = width; i > 0; i--) {
        snprintf(name, sizeof name, "m%03d", i);
        add_entry(m, name, inner->v.items, inner->v.count, AE_IFREG);
    }
    vec_release(&inner->v);
}

/* The row behind the archive's, before which one more stands where it is compressed as a whole. */
static uint32_t first_member(const struct trace *t)
{
    const struct table *files = &t->tables.trace_file;
    uint32_t row = 0;
    while (row < files->rows && table_u32(files, trace_file_col_is_container)[row])
        row++;
    return row;
}

/* Loads it, and sees that so many members were read. */
static void load_members(struct trace *t, struct made *m, size_t members)
{
    struct status s = load(t, m);
    if (!status_ok(s))
        print_message("%s\n", s.message);
    assert_true(status_ok(s));
    assert_int_equal(t->tables.trace_file.rows - first_member(t), members);
    assert_int_equal(t->tables.slice.rows, members);
}

static void assert_member(const struct trace *t, uint32_t i, const char *name, const char *type)
{
    const struct table *files = &t->tables.trace_file;
    const struct string_pool *strings = &t->strings;
    string_id name_id = column_str(&files->columns[trace_file_col_name], i);
    string_id type_id = column_str(&files->columns[trace_file_col_trace_type], i);
    assert_string_equal(string_pool_get(strings, name_id).p, name);
    assert_string_equal(string_pool_get(strings, type_id).p, type);
}

/* Over all files. */
static int64_t sum_of_stat(struct trace *t, const char *stat)
{
    const struct table *stats = &t->tables.stats;
    string_id name = string_pool_lookup(&t->strings, str_from(stat));
    int64_t sum = 0;
    for (uint32_t i = 0; i < stats->rows; i++)
        if (column_str(&stats->columns[stats_col_name], i) == name)
            sum += table_i64(stats, stats_col_value)[i];
    return sum;
}

static int64_t decompression_errors(struct trace *t)
{
    return sum_of_stat(t, "decompression_errors");
}

static void test_members_are_read_however_they_are_packed(void **state)
{
    (void)state;
    static const struct {
        const char *format, *filter;
    } cases[] = {
        {"zip", NULL}, {"ustar", NULL}, {"pax", NULL},   {"gnutar", NULL},   {"pax", "gzip"},
        {"pax", "xz"}, {"pax", "zstd"}, {"zip", "gzip"}, {"gnutar", "gzip"}, {"gnutar", "zstd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct made m;
        struct trace t;
        make(&m, cases[i].format, cases[i].filter);
        add(&m, "first.strace", LINE);
        add(&m, "d/second.strace", LINE);
        load_members(&t, &m, 2);
        uint32_t first = first_member(&t);
        assert_member(&t, first, "first.strace", "strace");
        assert_member(&t, first + 1, "d/second.strace", "strace");
        assert_int_equal(table_i64(&t.tables.trace_file, trace_file_col_size)[first + 1],
                         strlen(LINE));
        trace_release(&t);
    }
}

static void test_long_names_and_other_scripts_are_kept(void **state)
{
    (void)state;
    static const char *const formats[] = {"zip", "pax", "gnutar"};
    if (is_emulated()) /* locales are of this machine's order of bytes */
        skip();
    char name[400];
    memset(name, 'n', sizeof name);
    memcpy(name, "d\xc3\xa4/", 4);
    name[sizeof name - 1] = 0;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct made m;
        struct trace t;
        make(&m, formats[i], NULL);
        add(&m, name, LINE);
        load_members(&t, &m, 1);
        assert_member(&t, 1, name, "strace");
        trace_release(&t);
    }
}

static void test_names_are_safe_to_show(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make(&m, "ustar", NULL);
    add(&m,
        "a\x1b[2J\xff"
        "b",
        LINE);
    load_members(&t, &m, 1);
    assert_member(&t, 1, "a?[2J?b", "strace");
    trace_release(&t);
}

static void test_what_is_no_trace_is_left_out(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make(&m, "pax", NULL);
    add_entry(&m, "folder", "", 0, AE_IFDIR);
    add(&m, "first.strace", LINE);
    struct archive_entry *link = archive_entry_new();
    archive_entry_set_pathname(link, "link");
    archive_entry_set_filetype(link, AE_IFREG);
    archive_entry_set_hardlink(link, "first.strace");
    assert_int_equal(archive_write_header(m.writer, link), ARCHIVE_OK);
    archive_entry_free(link);
    add(&m, ".hidden", "nothing known");
    add(&m, "text", "nothing known");
    add(&m, "empty", "");
    assert_true(status_ok(load(&t, &m)));
    assert_int_equal(t.tables.slice.rows, 1);
    assert_int_equal(t.tables.trace_file.rows, 4);
    assert_member(&t, 1, "first.strace", "strace");
    assert_member(&t, 2, "text", "unknown");
    assert_member(&t, 3, "empty", "unknown");
    trace_release(&t);
}

static void test_members_compressed_by_themselves_are_unpacked(void **state)
{
    (void)state;
    uint8_t packed[256];
    z_stream z = {.next_in = (Bytef *)(uintptr_t)LINE,
                  .avail_in = sizeof LINE - 1,
                  .next_out = packed,
                  .avail_out = sizeof packed};
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    static const char *const formats[] = {"zip", "pax"};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        struct made m;
        struct trace t;
        make(&m, formats[i], NULL);
        add_entry(&m, "packed.strace.gz", packed, z.total_out, AE_IFREG);
        load_members(&t, &m, 1);
        assert_member(&t, 1, "packed.strace.gz", "strace");
        trace_release(&t);
    }
}

/* As libarchive 3.7 writes them, and others that cannot go back. */
static void test_sizes_behind_members_are_told(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make(&m, "zip", "gzip");
    for (int i = 0; i < 2; i++) {
        struct archive_entry *e = archive_entry_new();
        archive_entry_set_pathname(e, i ? "b" : "a");
        archive_entry_set_filetype(e, AE_IFREG);
        assert_int_equal(archive_write_header(m.writer, e), ARCHIVE_OK);
        assert_int_equal(archive_write_data(m.writer, LINE, strlen(LINE)), strlen(LINE));
        archive_entry_free(e);
    }
    load_members(&t, &m, 2);
    for (uint32_t i = first_member(&t); i < t.tables.trace_file.rows; i++)
        assert_int_equal(table_i64(&t.tables.trace_file, trace_file_col_size)[i], strlen(LINE));
    trace_release(&t);
}

/* A second of a counter, a value each millisecond. */
static void add_counter(struct made *m, const char *name)
{
    char text[200000];
    size_t n = (size_t)snprintf(text, sizeof text, "# tracer: nop\n#\n");
    for (int i = 0; i < 1000; i++)
        n +=
            (size_t)snprintf(text + n, sizeof text - n,
                             " app-10 [000] .... 5.%03d000: tracing_mark_write: C|10|c|%d\n", i, i);
    add(m, name, text);
}

static struct status load_window(struct trace *t, struct made *m, int64_t from_ms)
{
    struct status s;
    finish_archive(m);
    trace_init(t);
    t->builder->options.window =
        (struct time_window){.has_from = true,
                             .has_to = true,
                             .from = {TIME_FROM_START, from_ms * INT64_C(1000000)},
                             .to = {TIME_FROM_START, 200 * INT64_C(1000000)}};
    s = trace_load_memory(t, "made", m->v.items, m->v.count, NULL);
    vec_release(&m->v);
    return s;
}

/* `format` and `filter` as above, `in_zip` as a member. */
static void assert_has_window(const char *format, const char *filter, bool in_zip)
{
    struct made m, outer;
    struct trace t;
    make(&m, format, filter);
    add_counter(&m, "counter.txt");
    if (in_zip) {
        finish_archive(&m);
        enclose(&outer, &m, 1);
    }
    struct status s = load_window(&t, in_zip ? &outer : &m, 100);
    if (!status_ok(s))
        print_message("%s: %s\n", format, s.message);
    assert_true(status_ok(s));
    assert_int_equal(t.start_ts, INT64_C(5100000000));
    assert_int_equal(t.end_ts, INT64_C(5200000000));
    /* and what the counter was before */
    assert_true(t.tables.counter.rows >= 100 && t.tables.counter.rows <= 101);
    trace_release(&t);
}

static void test_windows_are_cut_out_of_members(void **state)
{
    (void)state;
    assert_has_window("zip", NULL, false);
    assert_has_window("pax", NULL, false);
    assert_has_window("pax", "zstd", false);
    assert_has_window("zip", "gzip", false);
    assert_has_window("raw", "xz", false);
    assert_has_window("raw", "gzip", true);
    assert_has_window("pax", "gzip", true);
}

/* As in a load of the whole. */
static void test_windows_of_what_is_damaged_have_nothing(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make(&m, "zip", NULL);
    add(&m, "bad.txt", "packet { timestamp: 5150000000 }\npacket { nonsense: 1 }\n");
    struct status s = load_window(&t, &m, 0);
    if (!status_ok(s))
        print_message("%s\n", s.message);
    assert_true(status_ok(s));
    assert_int_equal(t.tables.trace_file.rows, 2);
    trace_release(&t);
}

/* Each may have times of its own: all of both is read first. */
static void test_windows_of_several_members_are_those_of_all(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make(&m, "zip", NULL);
    add_counter(&m, "a.txt");
    add_counter(&m, "b.txt");
    assert_true(status_ok(load_window(&t, &m, 100)));
    assert_int_equal(t.start_ts, INT64_C(5100000000));
    assert_true(t.tables.counter.rows >= 200 && t.tables.counter.rows <= 202);
    trace_release(&t);
}

static void test_a_compressed_trace_need_be_in_no_archive(void **state)
{
    (void)state;
    static const char *const filters[] = {"xz", "bzip2"};
    for (size_t i = 0; i < 2; i++) {
        struct made m;
        struct trace t;
        make(&m, "raw", filters[i]);
        add(&m, "data", LINE);
        load_members(&t, &m, 1);
        trace_release(&t);
    }
}

static void test_damaged_archive_keeps_what_stands_before(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make(&m, "pax", NULL);
    add(&m, "first.strace", LINE);
    add(&m, "second.strace", LINE);
    finish_archive(&m);
    m.v.count = 1024 + 100; /* in the second header */
    load_members(&t, &m, 1);
    assert_int_equal(decompression_errors(&t), 1);
    trace_release(&t);
}

/* What is behind the header of the second of three members: one in which a bit is another one, or
 * which is zero, as is the end of an archive. */
static void test_damaged_header_is_told(void **state)
{
    (void)state;
    enum { BLOCK = 512, SECOND = 2 * BLOCK };
    for (int zeros = 0; zeros < 2; zeros++) {
        struct made m;
        struct trace t;
        make(&m, "ustar", NULL);
        add(&m, "first.strace", LINE);
        add(&m, "second.strace", LINE);
        add(&m, "third.strace", LINE);
        finish_archive(&m);
        if (zeros)
            memset(m.v.items + SECOND, 0, BLOCK);
        else
            m.v.items[SECOND] ^= 1;
        load_members(&t, &m, 2);
        assert_int_equal(decompression_errors(&t), 1);
        trace_release(&t);
    }
}

static void test_archives_may_be_joined(void **state)
{
    (void)state;
    struct made m, behind;
    struct trace t;
    make(&m, "ustar", NULL);
    add(&m, "first.strace", LINE);
    finish_archive(&m);
    make(&behind, "ustar", NULL);
    add(&behind, "second.strace", LINE);
    finish_archive(&behind);
    vec_append(&m.v, behind.v.items, behind.v.count);
    vec_release(&behind.v);
    load_members(&t, &m, 2);
    assert_int_equal(decompression_errors(&t), 0);
    trace_release(&t);
}

static void test_nothing_to_read_is_an_error(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make(&m, "zip", NULL);
    add(&m, "text", "nothing known");
    struct status s = load(&t, &m);
    assert_string_equal(s.message, "made: expected traces in the archive, found none");
    status_release(&s);
    trace_release(&t);

    m = (struct made){0};
    vec_reserve(&m.v, 30);
    m.v.count = 30;
    memset(m.v.items, 0xff, 30);
    memcpy(m.v.items, "PK\3\4", 4);
    s = load(&t, &m);
    assert_int_equal(s.code, STATUS_FORMAT);
    assert_non_null(strstr(s.message, "made: the archive cannot be read: "));
    status_release(&s);
    trace_release(&t);
}

/* Half a gigabyte of zeros, a thousandth of that packed. */
static void test_small_archive_does_not_become_a_large_one(void **state)
{
    (void)state;
    enum { ZEROS = 1 << 20, COUNT = 512 };
    char *zeros = alloc_array(ZEROS, 1);
    struct made m;
    struct trace t;
    make(&m, "zip", NULL);
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, "large");
    archive_entry_set_filetype(e, AE_IFREG);
    assert_int_equal(archive_write_header(m.writer, e), ARCHIVE_OK);
    assert_int_equal(archive_write_data(m.writer, LINE, strlen(LINE)), strlen(LINE));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(archive_write_data(m.writer, zeros, ZEROS), ZEROS);
    archive_entry_free(e);
    free(zeros);
    struct status s = load(&t, &m);
    assert_true(status_ok(s));
    assert_int_equal(decompression_errors(&t), 1);
    trace_release(&t);
}

/* 34 in 34 in 34 members, each of which was read anew for each place where the order of their names
 * goes back, with a limit of its own for each archive: twenty million rows out of 40 KB. */
static void test_nested_archives_share_one_limit(void **state)
{
    (void)state;
    enum { LINES = 500, WIDTH = 34, LEVELS = 3, LIMIT = (256 << 20) + 128 * 200000 };
    struct made m = {0}, outer;
    for (int i = 0; i < LINES; i++) {
        char line[64];
        int n = snprintf(line, sizeof line, "10 1700000000.%06d read(3, \"\", 8) = 0 <0.000001>\n",
                         i * 10);
        vec_append(&m.v, line, (size_t)n);
    }
    for (int i = 0; i < LEVELS; i++) {
        enclose(&outer, &m, WIDTH);
        finish_archive(&outer);
        m = outer;
    }
    assert_true(m.v.count < 200000);
    struct trace t;
    assert_true(status_ok(load(&t, &m)));
    assert_true(t.tables.slice.rows >= LINES);
    assert_true((uint64_t)t.tables.slice.rows * strlen(LINE) +
                    (uint64_t)t.tables.trace_file.rows * 1024 <
                LIMIT);
    assert_true(decompression_errors(&t) > 0);
    trace_release(&t);
}

/* One more way of compression around what is there. */
static void compress_again(struct made *m, const char *filter)
{
    struct made outer;
    make(&outer, "raw", filter);
    add_entry(&outer, "data", m->v.items, m->v.count, AE_IFREG);
    finish_archive(&outer);
    vec_release(&m->v);
    *m = outer;
}

static void test_compression_in_compression_is_undone(void **state)
{
    (void)state;
    static const char *const filters[][2] = {
        {"gzip", "xz"}, {"xz", "gzip"}, {"bzip2", "zstd"}, {"zstd", "bzip2"}, {"xz", "xz"}};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct made m, outer;
        struct trace t;
        make(&m, "raw", filters[i][0]);
        add(&m, "data", LINE);
        finish_archive(&m);
        compress_again(&m, filters[i][1]);
        enclose(&outer, &m, 2);
        load_members(&t, &outer, 2);
        assert_int_equal(decompression_errors(&t), 0);
        trace_release(&t);
    }
}

static void test_streams_behind_each_other_are_one(void **state)
{
    (void)state;
    static const char *const filters[] = {"gzip", "xz", "bzip2", "zstd"};
    static const uint8_t skipped[] = {0x50, 0x2a, 0x4d, 0x18, 4, 0, 0, 0, 1, 2, 3, 4},
                         padding[8] = {0};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct made m, outer;
        struct trace t;
        make(&m, "raw", filters[i]);
        add(&m, "data", LINE);
        finish_archive(&m);
        size_t once = m.v.count;
        if (i == 3)
            vec_append(&m.v, skipped, sizeof skipped);
        if (i == 1)
            vec_append(&m.v, padding, sizeof padding);
        vec_reserve(&m.v, m.v.count + once);
        vec_append(&m.v, m.v.items, once);
        enclose(&outer, &m, 1);
        assert_true(status_ok(load(&t, &outer)));
        assert_int_equal(t.tables.slice.rows, 2);
        assert_int_equal(decompression_errors(&t), 0);
        trace_release(&t);
    }
}

/* So many streams of nothing, one behind the other. */
static void make_empty_streams(struct made *m, const char *filter, int count)
{
    make(m, "raw", filter);
    add(m, "data", "");
    finish_archive(m);
    size_t once = m->v.count;
    assert_true(once > 0);
    vec_reserve(&m->v, once * (size_t)count);
    for (int i = 1; i < count; i++)
        vec_append(&m->v, m->v.items, once);
}

static void test_streams_of_nothing_cost(void **state)
{
    (void)state;
    enum { COUNT = 100, BUDGET = 50 << 10 };
    static const char *const filters[] = {"gzip", "xz", "bzip2", "zstd"};
    for (size_t i = 0; i < sizeof filters / sizeof *filters; i++) {
        struct made m;
        struct budget budget = {BUDGET};
        make_empty_streams(&m, filters[i], COUNT);
        struct byte_source s =
            byte_source_memory((struct bytes){m.v.items, m.v.count}, false, NULL);
        s = byte_source_unpacked(s, &budget, 1 << 16);
        assert_true(s.cut);
        assert_int_equal(s.window.n, 0);
        assert_int_equal(budget_left(&budget), 0);
        byte_source_release(&s);
        vec_release(&m.v);
    }
}

static void test_cancelled_streams_of_nothing_end(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    struct made m;
    struct budget budget = {SIZE_MAX};
    struct load_progress progress = {0};
    atomic_store(&progress.cancel, true);
    make_empty_streams(&m, "xz", COUNT);
    struct byte_source s =
        byte_source_memory((struct bytes){m.v.items, m.v.count}, false, &progress);
    s = byte_source_unpacked(s, &budget, 1 << 16);
    assert_true(s.cut);
    assert_true(s.stream->taken < m.v.count / 2);
    byte_source_release(&s);
    vec_release(&m.v);
}

/* xz passes over the zeros behind its streams: what it gives is one line, but to find that out
 * 400 MB have to be unpacked. */
static void test_what_becomes_nothing_counts(void **state)
{
    (void)state;
    enum { ZEROS = 1 << 20, COUNT = 400 };
    struct made line, m, outer;
    struct trace t;
    make(&line, "raw", "xz");
    add(&line, "data", LINE);
    finish_archive(&line);
    make(&m, "raw", "zstd");
    struct archive_entry *e = archive_entry_new();
    archive_entry_set_pathname(e, "data");
    archive_entry_set_filetype(e, AE_IFREG);
    assert_int_equal(archive_write_header(m.writer, e), ARCHIVE_OK);
    archive_write_data(m.writer, line.v.items, line.v.count);
    char *zeros = alloc_array(ZEROS, 1);
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(archive_write_data(m.writer, zeros, ZEROS), ZEROS);
    free(zeros);
    archive_entry_free(e);
    vec_release(&line.v);
    finish_archive(&m);
    assert_true(m.v.count < 1 << 18);
    enclose(&outer, &m, 1);
    assert_true(status_ok(load(&t, &outer)));
    assert_int_equal(decompression_errors(&t), 1);
    trace_release(&t);
}

static void put_le(struct made *m, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        *vec_push(&m->v) = i < 8 ? (uint8_t)(value >> (8 * i)) : 0;
}

/* Of a zip, in front of a member or in its table. `behind` are the bytes behind the head. */
static void put_zip_head(struct made *m, bool in_table, size_t packed, size_t size)
{
    enum { DEFLATED = 8, NAME = 2, BEHIND_SIZES_IN_TABLE = 14 };
    put_le(m, in_table ? 0x02014b50 : 0x04034b50, 4);
    put_le(m, 20, in_table ? 2 : 0);
    put_le(m, 20, 2);
    put_le(m, 0, 2);
    put_le(m, DEFLATED, 2);
    put_le(m, 0, 8); /* time, check sum */
    put_le(m, packed, 4);
    put_le(m, size, 4);
    put_le(m, NAME, 2);
    put_le(m, 0, in_table ? BEHIND_SIZES_IN_TABLE - 2 : 2);
}

/* The table, which is released, and what stands behind it. */
static void put_zip_end(struct made *m, struct made *table, size_t members)
{
    size_t at = m->v.count;
    vec_append(&m->v, table->v.items, table->v.count);
    put_le(m, 0x06054b50, 4);
    put_le(m, 0, 4);
    put_le(m, members, 2);
    put_le(m, members, 2);
    put_le(m, table->v.count, 4);
    put_le(m, at, 4);
    put_le(m, 0, 2);
    vec_release(&table->v);
}

/* A zip of "b0" and "a0", `lines` lines of strace in each; where the packed bytes of the first are.
 */
static size_t put_two_members(struct made *m, int lines)
{
    enum { ROOM = 1 << 16 };
    static char text[ROOM];
    static uint8_t packed[ROOM];
    struct made table = {0};
    size_t n = 0, first = 0;
    *m = (struct made){0};
    for (int i = 0; i < lines; i++)
        n += (size_t)snprintf(text + n, sizeof text - n,
                              "10 1700000000.%06d read(%d, \"\", 8) = %d <0.000001>\n", i * 10,
                              i * i % 991, i * 77 % 613);
    z_stream z = {.next_in = (uint8_t *)text, .avail_in = (uInt)n};
    z.next_out = packed;
    z.avail_out = sizeof packed;
    assert_int_equal(deflateInit2(&z, 9, Z_DEFLATED, -15, 9, Z_HUFFMAN_ONLY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    for (const char *name = "ba"; *name; name++) {
        size_t at = m->v.count;
        put_zip_head(m, false, z.total_out, n);
        put_zip_head(&table, true, z.total_out, n);
        put_le(&table, at, 4);
        put_le(m, (uint64_t)*name | '0' << 8, 2);
        put_le(&table, (uint64_t)*name | '0' << 8, 2);
        first = first ? first : m->v.count;
        vec_append(&m->v, packed, z.total_out);
    }
    deflateEnd(&z);
    put_zip_end(m, &table, 2);
    return first;
}

static void test_member_that_cannot_be_unpacked_is_told(void **state)
{
    (void)state;
    enum { NO_KIND_OF_BLOCK = 0x07 };
    for (int damaged = 0; damaged < 2; damaged++) {
        struct made m;
        struct trace t;
        size_t first = put_two_members(&m, 10);
        if (damaged)
            m.v.items[first] = NO_KIND_OF_BLOCK;
        assert_true(status_ok(load(&t, &m)));
        assert_int_equal(decompression_errors(&t), damaged);
        assert_int_equal(t.tables.slice.rows, damaged ? 10 : 20);
        trace_release(&t);
    }
}

/* What follows is not where the size of the first says. Of that, which has lost bytes,
 * libarchive 3.6 gives what is before them, 3.7 nothing. */
static void test_members_behind_lost_bytes_are_read(void **state)
{
    (void)state;
    enum { LINES = 400, KEPT = 300, LOST = 40 };
    struct made m;
    struct trace t;
    size_t at = put_two_members(&m, LINES) + KEPT;
    uint8_t *from = m.v.items + at;
    memmove(from, from + LOST, m.v.count - at - LOST);
    m.v.count -= LOST;
    assert_true(status_ok(load(&t, &m)));
    assert_true(decompression_errors(&t) > 0);
    assert_true(t.tables.slice.rows >= LINES && t.tables.slice.rows < 2 * LINES);
    trace_release(&t);
}

/* Each member says in its own words what the head of the next is, and goes on with that one, to a
 * megabyte of blocks without content that is the end of them all. */
static void test_members_that_share_what_becomes_nothing_count(void **state)
{
    (void)state;
    enum { MEMBERS = 500, HEAD = 32, WORDS = 5, BLOCKS = 1 << 20, FINAL = 2 };
    static const uint8_t blocks[] = {0x02, 0x08, 0x20, 0x80, 0x00}; /* four, of ten bits */
    struct made m = {0}, table = {0};
    struct trace t;
    size_t packed = BLOCKS / 5 * 5 + FINAL, size = 0;
    packed += (size_t)(HEAD + WORDS) * (MEMBERS - 1);
    size += (size_t)HEAD * (MEMBERS - 1);
    for (int i = 0; i < MEMBERS; i++) {
        size_t at = m.v.count;
        put_zip_head(&m, false, packed, size);
        put_zip_head(&table, true, packed, size);
        put_le(&table, at, 4);
        for (int k = 0; k < 2; k++)
            put_le(k ? &table : &m, (uint64_t)('a' + i % 26) | (uint64_t)('a' + i / 26) << 8, 2);
        if (i + 1 == MEMBERS)
            break;
        put_le(&m, 0, 1); /* as it is: so many bytes */
        put_le(&m, HEAD, 2);
        put_le(&m, HEAD ^ 0xffff, 2);
        packed -= HEAD + WORDS;
        size -= HEAD;
    }
    for (int i = 0; i < BLOCKS / 5; i++)
        vec_append(&m.v, blocks, sizeof blocks);
    put_le(&m, 0x03, FINAL); /* the last one */
    put_zip_end(&m, &table, MEMBERS);
    struct status s = load(&t, &m);
    status_release(&s);
    /* Not all of them were looked at. */
    assert_true(t.tables.trace_file.rows > 10 && t.tables.trace_file.rows < 200);
    trace_release(&t);
}

/* Of an unknown way to pack in front, which nothing can be read of: what stands behind is not lost,
 * however large the archive is. */
static void test_members_of_unknown_packing_cost_little(void **state)
{
    (void)state;
    enum { UNKNOWN = 200, LARGE = 4 << 20, METHOD_AT = 8, METHOD_IN_TABLE_AT = 10, IMPLODED = 6 };
    static const uint8_t head[] = {'P', 'K', 3, 4}, in_table[] = {'P', 'K', 1, 2};
    struct made m;
    struct trace t;
    char name[16];
    make(&m, "zip", NULL);
    assert_int_equal(archive_write_zip_set_compression_store(m.writer), ARCHIVE_OK);
    for (int i = 0; i < UNKNOWN; i++) {
        snprintf(name, sizeof name, "m%03d", i);
        add(&m, name, LINE);
    }
    char *zeros = alloc_array(LARGE, 1);
    add_entry(&m, "zeros", zeros, LARGE, AE_IFREG);
    free(zeros);
    add(&m, "z.strace", LINE);
    finish_archive(&m);
    int heads = 0, rows = 0;
    for (size_t i = 0; i + METHOD_IN_TABLE_AT < m.v.count; i++) {
        if (memcmp(m.v.items + i, head, sizeof head) == 0 && heads++ < UNKNOWN)
            m.v.items[i + METHOD_AT] = IMPLODED;
        if (memcmp(m.v.items + i, in_table, sizeof in_table) == 0 && rows++ < UNKNOWN)
            m.v.items[i + METHOD_IN_TABLE_AT] = IMPLODED;
    }
    assert_int_equal(heads, UNKNOWN + 2);
    assert_int_equal(rows, UNKNOWN + 2);
    assert_true(status_ok(load(&t, &m)));
    assert_int_equal(t.tables.trace_file.rows - first_member(&t), UNKNOWN + 2);
    assert_int_equal(t.tables.slice.rows, 1);
    trace_release(&t);
}

/* The message becomes a field of the other one, and is empty again. */
static void put_inner(struct pb_bytes *outer, uint32_t field, struct pb_bytes *inner)
{
    pb_put_message(outer, field, inner);
    pb_bytes_release(inner);
}

/* A trace that describes a field of TrackEvent, which its only event has. */
static void add_with_extension(struct made *m, const char *name)
{
    enum { FIELD = 9900 };
    struct pb_bytes field = {0}, file = {0}, set = {0}, extension = {0}, event = {0}, packet = {0},
                    trace = {0};
    pb_put_str(&field, PB_FieldDescriptorProto_name, str_from(name));
    pb_put_uint(&field, PB_FieldDescriptorProto_number, FIELD);
    pb_put_uint(&field, PB_FieldDescriptorProto_type, PB_FieldDescriptorProto_Type_TYPE_STRING);
    pb_put_str(&field, PB_FieldDescriptorProto_extendee, STR(".perfetto.protos.TrackEvent"));
    put_inner(&file, PB_FileDescriptorProto_extension, &field);
    put_inner(&set, PB_FileDescriptorSet_file, &file);
    put_inner(&extension, PB_ExtensionDescriptor_extension_set, &set);
    put_inner(&packet, PB_TracePacket_extension_descriptor, &extension);
    put_inner(&trace, PB_Trace_packet, &packet);
    pb_put_uint(&event, PB_TrackEvent_type, PB_TrackEvent_Type_TYPE_INSTANT);
    pb_put_str(&event, PB_TrackEvent_name, STR("event"));
    pb_put_str(&event, FIELD, STR("value"));
    pb_put_uint(&packet, PB_TracePacket_timestamp, 10);
    pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, 1);
    put_inner(&packet, PB_TracePacket_track_event, &event);
    put_inner(&trace, PB_Trace_packet, &packet);
    add_entry(m, name, trace.v.items, trace.v.count, AE_IFREG);
    pb_bytes_release(&trace);
}

/* Each had a copy of the program's, of two megabytes. */
static void test_members_share_the_built_in_descriptors(void **state)
{
    (void)state;
    enum { MEMBERS = 20 };
    struct made m;
    struct trace t;
    char name[16];
    make(&m, "zip", NULL);
    for (int i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, "m%03d", i);
        add_with_extension(&m, name);
    }
    load_members(&t, &m, MEMBERS);
    const struct descriptors *last = import_descriptors_last(&t);
    assert_true(last->base->fields.count > 7000);
    assert_int_equal(last->fields.count, 1);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        struct arg_list args = {0};
        args_read(&t.args, table_u32(&t.tables.slice, slice_col_arg_set_id)[i], &args);
        snprintf(name, sizeof name, "m%03u", i);
        assert_string_equal(string_pool_get(&t.strings, vec_last(&args.v).key).p, name);
        arg_list_release(&args);
    }
    trace_release(&t);
}

/* What decodes args is there once, however many files have ftrace's text or its events. */
static void test_members_share_decoders(void **state)
{
    (void)state;
    static const char text[] =
        "  a-7     [000] ...1  1.000000: sched_wakeup: comm=a pid=2 prio=120 "
        "target_cpu=000\n  a-7     [000] ...1  1.000001: unknown: b=1\n";
    size_t decoders[2];
    for (int many = 0; many < 2; many++) {
        struct made m;
        struct trace t;
        char name[16];
        int members = many ? 20 : 1;
        make(&m, "zip", NULL);
        for (int i = 0; i < members; i++) {
            snprintf(name, sizeof name, "m%03d", i);
            add(&m, name, text);
        }
        assert_true(status_ok(load(&t, &m)));
        assert_int_equal(t.tables.ftrace_event.rows, 2 * members);
        decoders[many] = t.args.decoders.count;
        trace_release(&t);
    }
    assert_int_equal(decoders[0], decoders[1]);
}

static void put_interned(struct pb_bytes *data, uint32_t field, const char *text)
{
    struct pb_bytes string = {0};
    pb_put_uint(&string, PB_InternedString_iid, 1);
    pb_put_str(&string, PB_InternedString_str, str_from(text));
    put_inner(data, field, &string);
}

/* A trace of a sample whose one frame is of a file that should tell the package, and does not. */
static void add_with_frame(struct made *m, const char *name, uint32_t pc)
{
    struct pb_bytes data = {0}, mapping = {0}, frame = {0}, stack = {0}, sample = {0}, packet = {0},
                    trace = {0};
    put_interned(&data, PB_InternedData_mapping_paths, "data/app/none");
    put_interned(&data, PB_InternedData_function_names, "a.b");
    pb_put_uint(&mapping, PB_Mapping_iid, 1);
    pb_put_uint(&mapping, PB_Mapping_path_string_ids, 1);
    put_inner(&data, PB_InternedData_mappings, &mapping);
    pb_put_uint(&frame, PB_Frame_iid, 1);
    pb_put_uint(&frame, PB_Frame_function_name_id, 1);
    pb_put_uint(&frame, PB_Frame_mapping_id, 1);
    pb_put_uint(&frame, PB_Frame_rel_pc, pc);
    put_inner(&data, PB_InternedData_frames, &frame);
    pb_put_uint(&stack, PB_Callstack_iid, 1);
    pb_put_uint(&stack, PB_Callstack_frame_ids, 1);
    put_inner(&data, PB_InternedData_callstacks, &stack);
    pb_put_uint(&sample, PB_PerfSample_pid, 1);
    pb_put_uint(&sample, PB_PerfSample_tid, 1);
    pb_put_uint(&sample, PB_PerfSample_callstack_iid, 1);
    pb_put_uint(&packet, PB_TracePacket_timestamp, 10);
    pb_put_uint(&packet, PB_TracePacket_trusted_packet_sequence_id, 1);
    pb_put_uint(&packet, PB_TracePacket_sequence_flags, 1);
    put_inner(&packet, PB_TracePacket_interned_data, &data);
    put_inner(&packet, PB_TracePacket_perf_sample, &sample);
    put_inner(&trace, PB_Trace_packet, &packet);
    add_entry(m, name, trace.v.items, trace.v.count, AE_IFREG);
    pb_bytes_release(&trace);
}

/* Each looked at the frames of all before it, too. */
static void test_members_look_at_their_own_frames(void **state)
{
    (void)state;
    enum { MEMBERS = 5 };
    struct made m;
    struct trace t;
    char name[16];
    make(&m, "zip", NULL);
    for (uint32_t i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, "m%03u", i);
        add_with_frame(&m, name, i);
    }
    assert_true(status_ok(load(&t, &m)));
    assert_int_equal(t.tables.stack_profile_frame.rows, MEMBERS);
    assert_int_equal(sum_of_stat(&t, "deobfuscate_location_parse_error"), MEMBERS);
    trace_release(&t);
}

/* Six times a packet that becomes 60 MB, each of which is no more than a trace may become. */
static void test_packets_of_members_share_the_limit(void **state)
{
    (void)state;
    enum { ZEROS = 60 << 20, MEMBERS = 6 };
    uint8_t *zeros = alloc_array(ZEROS, 1), packet[12] = {0x0a, 0, 0, 0, 0, 0x92, 0x03};
    uLongf size = compressBound(ZEROS);
    VEC(uint8_t) trace = {0};
    vec_reserve(&trace, size + sizeof packet);
    assert_int_equal(compress2(trace.items + sizeof packet, &size, zeros, ZEROS, 9), Z_OK);
    free(zeros);
    for (int i = 0; i < 4; i++) { /* lengths as varints of four and five bytes */
        packet[1 + i] = (uint8_t)((size + 7) >> (7 * i) | (i < 3 ? 0x80 : 0));
        packet[7 + i] = (uint8_t)(size >> (7 * i) | 0x80);
    }
    packet[11] = 0;
    memcpy(trace.items, packet, sizeof packet);
    trace.count = size + sizeof packet;
    struct made m;
    struct trace t;
    make(&m, "zip", NULL);
    for (int i = 0; i < MEMBERS; i++) {
        char name[] = "a";
        name[0] += (char)i;
        add_entry(&m, name, trace.items, trace.count, AE_IFREG);
    }
    vec_release(&trace);
    assert_true(status_ok(load(&t, &m)));
    assert_true(decompression_errors(&t) > 0 && decompression_errors(&t) < MEMBERS);
    trace_release(&t);
}

static void test_headers_cost(void **state)
{
    (void)state;
    enum { MEMBERS = 100, BUDGET = 50 << 10 };
    struct made m;
    struct archive_members members;
    struct budget budget = {BUDGET};
    char name[16];
    int read = 0;
    make(&m, "zip", NULL);
    for (int i = 0; i < MEMBERS; i++) {
        snprintf(name, sizeof name, "m%03d", i);
        add(&m, name, "");
    }
    finish_archive(&m);
    members_open(&members, (struct bytes){m.v.items, m.v.count}, &budget, NULL);
    while (members_next(&members))
        read++;
    assert_true(read > 0 && read < MEMBERS);
    assert_true(members.damaged);
    assert_int_equal(budget_left(&budget), 0);
    members_close(&members);
    vec_release(&m.v);
}

/* They are not copied, but may lie in each other. */
static void test_stored_members_cost(void **state)
{
    (void)state;
    enum { MEMBERS = 4, SIZE = 40 << 10, BUDGET = 100 << 10 };
    struct made m;
    struct archive_members members;
    struct budget budget = {BUDGET};
    size_t read = 0, cut = 0;
    char *zeros = alloc_array(SIZE, 1);
    make(&m, "zip", NULL);
    assert_int_equal(archive_write_zip_set_compression_store(m.writer), ARCHIVE_OK);
    for (int i = 0; i < MEMBERS; i++)
        add_entry(&m, "m", zeros, SIZE, AE_IFREG);
    free(zeros);
    finish_archive(&m);
    members_open(&members, (struct bytes){m.v.items, m.v.count}, &budget, NULL);
    while (members_next(&members)) {
        struct byte_source s = members_source(&members, 1 << 16);
        read += s.window.n;
        cut += s.cut;
        byte_source_release(&s);
    }
    assert_true(read > 2 * SIZE && read < BUDGET);
    assert_int_equal(cut, 1);
    members_close(&members);
    vec_release(&m.v);
}

/* To find out what they are and then read half of them by name would unpack 280 MB. */
static void test_order_gives_way_before_members_do(void **state)
{
    (void)state;
    enum { BLANKS = 7 << 20, MEMBERS = 8 };
    char *text = alloc_array(BLANKS, 1);
    memset(text, '\n', BLANKS);
    memcpy(text, LINE, strlen(LINE));
    struct made m;
    struct trace t;
    make(&m, "pax", "gzip");
    for (int i = 0; i < MEMBERS; i++) {
        char name[] = "h";
        name[0] -= (char)i;
        add_entry(&m, name, text, BLANKS, AE_IFREG);
    }
    free(text);
    load_members(&t, &m, MEMBERS);
    assert_int_equal(decompression_errors(&t), 0);
    trace_release(&t);
}

/* A line of strace each, and a manifest that tells of each. Returns the seconds that loading it
 * took of a processor. */
static double load_numbered(struct trace *t, int members)
{
    struct made m, manifest = {0};
    char text[200];
    int head = snprintf(text, sizeof text, "{\"perfetto_manifest\":{\"version\":1,\"files\":[");
    vec_append(&manifest.v, text, (size_t)head);
    make(&m, "zip", NULL);
    for (int i = 0; i < members; i++) {
        char name[16];
        int n = snprintf(text, sizeof text, "%s{\"path\":\"m%05d\",\"machine\":{\"name\":\"n%d\"}}",
                         i ? "," : "", i, i / 100);
        vec_append(&manifest.v, text, (size_t)n);
        snprintf(name, sizeof name, "m%05d", i);
        add(&m, name, LINE);
    }
    vec_append(&manifest.v, "]}}", 3);
    add_entry(&m, "manifest", manifest.v.items, manifest.v.count, AE_IFREG);
    vec_release(&manifest.v);
    finish_archive(&m);
    clock_t before = clock();
    assert_true(status_ok(load(t, &m)));
    return (double)(clock() - before) / CLOCKS_PER_SEC;
}

/* Each of them was looked for among all others, and had a row for each count that is 0. */
static void test_sixty_thousand_members_take_little_each(void **state)
{
    (void)state;
    enum { MEMBERS = IS_SANITIZED ? 15000 : 60000 };
    struct trace t;
    load_numbered(&t, MEMBERS);
    assert_int_equal(t.tables.slice.rows, MEMBERS);
    assert_int_equal(t.tables.machine.rows, MEMBERS / 100);
    assert_true(t.tables.stats.rows + t.tables.metadata.rows < 256 * STAT_COUNT + 8 * MEMBERS);
    assert_int_equal(decompression_errors(&t), 0);
    trace_release(&t);
}

/* Whatever the machine, and whatever else it does: eight times as many take no more than twelve
 * times as long of a processor, were it once in a few tries. */
static void test_members_are_not_looked_for_among_all_others(void **state)
{
    (void)state;
    enum { FEW = IS_SANITIZED ? 500 : 2500, MANY = 8 * FEW, MOST = 12, TRIES = 4 };
    struct trace t;
    bool good = false;
    for (int i = 0; i < TRIES && !good; i++) {
        double few = load_numbered(&t, FEW);
        trace_release(&t);
        double many = load_numbered(&t, MANY);
        trace_release(&t);
        good = many < MOST * few;
    }
    assert_true(good);
}

enum { LARGE_LINES = 60000 }; /* 3 MB: several windows */

/* Two large members, whose lines differ so that they cannot be packed to nothing. */
static void make_large(struct made *m, const char *format, const char *filter)
{
    static char text[LARGE_LINES * sizeof LINE];
    make(m, format, filter);
    for (int k = 0; k < 2; k++) {
        size_t n = 0;
        for (unsigned i = 0; i < LARGE_LINES; i++)
            n += (size_t)snprintf(text + n, sizeof text - n,
                                  "10 17000000%02u.%06u read(3, \"\", %u) = 0 <0.000010>\n",
                                  k * 10 + i / 6000, i % 6000 * 100, i * 7919 % 10);
        add(m, k ? "b.strace" : "a.strace", text);
    }
    finish_archive(m);
}

static int count_threads(void)
{
    int n = 0;
    DIR *d = opendir("/proc/self/task");
    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

/* Members that are packed, in archives that are or are not, but none that is little. */
static void assert_reads_beside(const char *format, const char *filter, size_t window, int threads)
{
    struct made m;
    struct archive_members members;
    make_large(&m, format, filter);
    int before = count_threads();
    members_open(&members, (struct bytes){m.v.items, m.v.count}, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        assert_true(members_next(&members));
        struct byte_source s = members_source(&members, window);
        assert_int_equal(count_threads(), before);
        byte_source_more(&s, s.stream ? s.window.n : 0);
        assert_int_equal(count_threads() - before, threads);
        byte_source_release(&s);
        assert_int_equal(count_threads(), before);
    }
    assert_false(members_next(&members) || members.damaged);
    members_close(&members);
    vec_release(&m.v);
}

static void test_large_members_are_unpacked_beside_their_reading(void **state)
{
    (void)state;
    assert_reads_beside("zip", NULL, 1 << 20, 1);
    assert_reads_beside("pax", "gzip", 1 << 20, 1);
    assert_reads_beside("pax", NULL, 1 << 20, 0);
    assert_reads_beside("zip", NULL, 8 << 20, 0);
}

static void test_large_members_are_whole(void **state)
{
    static const char *const forms[][2] = {{"zip", NULL}, {"pax", "gzip"}, {"pax", NULL}};
    (void)state;
    struct made m;
    struct trace t;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        make_large(&m, forms[i][0], forms[i][1]);
        assert_true(status_ok(load(&t, &m)));
        assert_int_equal(t.tables.slice.rows, 2 * LARGE_LINES);
        assert_int_equal(decompression_errors(&t), 0);
        trace_release(&t);
    }
}

/* What stands before is kept, and the loss is told once, wherever the thread met it. */
static void test_large_member_that_is_damaged_is_told(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make_large(&m, "zip", NULL);
    memset(m.v.items + m.v.count / 4, 0xff, 64);
    assert_true(status_ok(load(&t, &m)));
    assert_in_range(t.tables.slice.rows, LARGE_LINES + LARGE_LINES / 4, 2 * LARGE_LINES - 1);
    assert_int_equal(decompression_errors(&t), 1);
    trace_release(&t);
}

/* The thread may wait for room then. */
static void test_cancelled_large_member_ends(void **state)
{
    (void)state;
    struct made m;
    struct archive_members members;
    struct load_progress progress = {0};
    make_large(&m, "zip", "gzip");
    members_open(&members, (struct bytes){m.v.items, m.v.count}, NULL, &progress);
    assert_true(members_next(&members));
    struct byte_source s = members_source(&members, 1 << 20);
    assert_true(byte_source_more(&s, s.window.n));
    atomic_store(&progress.cancel, true);
    assert_false(byte_source_done(&s, 0));
    byte_source_release(&s);
    assert_false(members_next(&members));
    assert_true(members.cancelled);
    members_close(&members);
    vec_release(&m.v);
}

static void test_cancelled_load_ends(void **state)
{
    (void)state;
    struct made m;
    struct trace t;
    make(&m, "pax", "gzip");
    add(&m, "first.strace", LINE);
    finish_archive(&m);
    struct load_progress progress = {0};
    atomic_store(&progress.cancel, true);
    trace_init(&t);
    struct status s = trace_load_memory(&t, "made", m.v.items, m.v.count, &progress);
    assert_int_equal(s.code, STATUS_CANCELLED);
    status_release(&s);
    vec_release(&m.v);
    trace_release(&t);
}

/* Slices as an exported trace has them: a file with one column, read alone. */
static struct status read_exported_slices(struct trace *t, struct load_progress *progress)
{
    struct string_pool strings;
    const struct arrow_column ts = {"ts", ARROW_INT64, false};
    char *bytes = NULL;
    size_t n = 0;
    FILE *f = open_memstream(&bytes, &n);
    string_pool_init(&strings);
    struct arrow_file *a = arrow_file_new(f, &strings, &ts, 1, ARROW_WHOLE);
    for (int i = 0; i < 50; i++) {
        arrow_put_int(a, 0, i);
        arrow_end_row(a);
    }
    struct status s = arrow_file_end(a);
    assert_true(status_ok(s));
    fclose(f);
    string_pool_release(&strings);
    const struct trace_file file = {.name = STR("__intrinsic_slice.arrow"),
                                    .size = (int64_t)n,
                                    .parent = NULL_U32,
                                    .machine = NULL_U32};
    trace_init(t);
    trace_format_begin(&exported_table_trace_format, t, &file);
    s = exported_table_trace_format.read(t, "made", (struct bytes){(uint8_t *)bytes, n}, progress);
    free(bytes);
    return s;
}

static void test_exported_tables_are_cancelled_within(void **state)
{
    (void)state;
    struct load_progress progress = {0};
    struct trace t;
    struct status s = read_exported_slices(&t, &progress);
    assert_true(status_ok(s));
    assert_int_equal(t.tables.slice.rows, 50);
    trace_release(&t);
    atomic_store(&progress.cancel, true);
    s = read_exported_slices(&t, &progress);
    assert_int_equal(s.code, STATUS_CANCELLED);
    status_release(&s);
    trace_release(&t);
}

/* A file of Arrow without rows, whose fields are all described by the same bytes: doubles that are
 * called "ts". */
static struct status open_repeated_fields(uint32_t n, struct arrow_reader *out)
{
    static const uint8_t head[] = "ARROW1\0";
    /* Each table has the list of where its fields are in front of it. */
    static const uint8_t tables[] = {16, 0,  0, 0, 8, 0,  8,  0, 0, 0, 4, 0, 0, 0, 0,
                                     0,  12, 0, 0, 0, 16, 0,  0, 0, 8, 0, 8, 0, 0, 0,
                                     4,  0,  0, 0, 0, 0,  12, 0, 0, 0, 4, 0, 0, 0};
    static const uint8_t field[] = {12, 0, 16, 0, 4, 0, 0, 0, 12, 0, 8, 0, 12,  0,   0, 0, 28, 0,
                                    0,  0, 16, 0, 0, 0, 3, 0, 0,  0, 6, 0, 8,   0,   4, 0, 0,  0,
                                    8,  0, 0,  0, 2, 0, 0, 0, 2,  0, 0, 0, 't', 's', 0, 0};
    struct made m = {0};
    keep(NULL, &m, head, sizeof head);
    keep(NULL, &m, tables, sizeof tables);
    uint32_t count = le32(n);
    keep(NULL, &m, &count, sizeof count);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t ahead = le32((n - i) * 4 + 12);
        keep(NULL, &m, &ahead, sizeof ahead);
    }
    keep(NULL, &m, field, sizeof field);
    uint32_t size = le32((uint32_t)(m.v.count - sizeof head));
    keep(NULL, &m, &size, sizeof size);
    keep(NULL, &m, head, 6);
    struct status s = arrow_reader_open(out, (struct bytes){m.v.items, m.v.count});
    vec_release(&m.v);
    return s;
}

static void test_repeated_fields_cost(void **state)
{
    (void)state;
    struct arrow_reader r;
    struct status s = open_repeated_fields(1, &r);
    assert_true(status_ok(s));
    assert_int_equal(r.fields.count, 1);
    arrow_reader_release(&r);
    enum { MANY = 100000 };
    s = open_repeated_fields(MANY, &r);
    assert_int_equal(s.code, STATUS_FORMAT);
    assert_true(r.fields.count < MANY / 5);
    status_release(&s);
    arrow_reader_release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_are_read_however_they_are_packed),
        cmocka_unit_test(test_long_names_and_other_scripts_are_kept),
        cmocka_unit_test(test_names_are_safe_to_show),
        cmocka_unit_test(test_what_is_no_trace_is_left_out),
        cmocka_unit_test(test_members_compressed_by_themselves_are_unpacked),
        cmocka_unit_test(test_sizes_behind_members_are_told),
        cmocka_unit_test(test_windows_are_cut_out_of_members),
        cmocka_unit_test(test_windows_of_what_is_damaged_have_nothing),
        cmocka_unit_test(test_windows_of_several_members_are_those_of_all),
        cmocka_unit_test(test_a_compressed_trace_need_be_in_no_archive),
        cmocka_unit_test(test_damaged_archive_keeps_what_stands_before),
        cmocka_unit_test(test_damaged_header_is_told),
        cmocka_unit_test(test_archives_may_be_joined),
        cmocka_unit_test(test_member_that_cannot_be_unpacked_is_told),
        cmocka_unit_test(test_members_behind_lost_bytes_are_read),
        cmocka_unit_test(test_nothing_to_read_is_an_error),
        cmocka_unit_test(test_small_archive_does_not_become_a_large_one),
        cmocka_unit_test(test_nested_archives_share_one_limit),
        cmocka_unit_test(test_compression_in_compression_is_undone),
        cmocka_unit_test(test_streams_behind_each_other_are_one),
        cmocka_unit_test(test_streams_of_nothing_cost),
        cmocka_unit_test(test_cancelled_streams_of_nothing_end),
        cmocka_unit_test(test_what_becomes_nothing_counts),
        cmocka_unit_test(test_members_that_share_what_becomes_nothing_count),
        cmocka_unit_test(test_members_of_unknown_packing_cost_little),
        cmocka_unit_test(test_members_share_the_built_in_descriptors),
        cmocka_unit_test(test_members_share_decoders),
        cmocka_unit_test(test_members_look_at_their_own_frames),
        cmocka_unit_test(test_packets_of_members_share_the_limit),
        cmocka_unit_test(test_headers_cost),
        cmocka_unit_test(test_stored_members_cost),
        cmocka_unit_test(test_order_gives_way_before_members_do),
        cmocka_unit_test(test_sixty_thousand_members_take_little_each),
        cmocka_unit_test(test_members_are_not_looked_for_among_all_others),
        cmocka_unit_test(test_large_members_are_unpacked_beside_their_reading),
        cmocka_unit_test(test_large_members_are_whole),
        cmocka_unit_test(test_large_member_that_is_damaged_is_told),
        cmocka_unit_test(test_cancelled_large_member_ends),
        cmocka_unit_test(test_cancelled_load_ends),
        cmocka_unit_test(test_exported_tables_are_cancelled_within),
        cmocka_unit_test(test_repeated_fields_cost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
