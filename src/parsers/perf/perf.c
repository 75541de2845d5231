/* perf.data, as `perf record` and simpleperf write it: files, and what goes through pipes
 * (`perf record -o -`). Both are sequences of records, a header of 8 bytes each:
 *
 *     type:32 misc:16 size:16 ...
 *
 * (Linux's tools/perf/Documentation/perf.data-file-format.txt.)
 *
 * A file says in its header where the descriptions of the events are, the records, and behind them
 * the sections that describe the recording (features). In a pipe all of these are records.
 *
 * More is read than by Trace Processor, which does not read pipes, compressed records, recordings
 * of big-endian machines and tracepoints, and which gives processes that were forked no code. */
#include "base/alloc.h"
#include "core/metadata.h"
#include "parsers/input/trace_format.h"
#include "parsers/perf/aux_data.h"
#include "parsers/perf/features.h"
#include "parsers/perf/import.h"
#include "parsers/perf/records.h"
#include "parsers/perf/stat.h"
#include "parsers/perf/symbols.h"
#include "parsers/perf/tracepoint.h"
#include "pb_fields.h"

enum { MAGIC_BYTES = 8, PIPE_HEADER_BYTES = 16, FILE_HEADER_BYTES = 104, SECTION_BYTES = 16 };

static const char magic_little[] = "PERFILE2", magic_big[] = "2ELIFREP";

struct section {
    uint64_t offset, size;
};

struct file_header {
    uint64_t attr_size;
    struct section attrs, data;
    uint64_t features[PERF_FEATURES / 64];
};

static bool sniff(struct bytes data)
{
    return data.n >= MAGIC_BYTES && (memcmp(data.p, magic_little, MAGIC_BYTES) == 0 ||
                                     memcmp(data.p, magic_big, MAGIC_BYTES) == 0);
}

/* The part of a section that is there. */
static struct bytes section_bytes(struct bytes file, struct section s)
{
    if (s.offset > file.n)
        return (struct bytes){file.p, 0};
    size_t left = file.n - (size_t)s.offset;
    return (struct bytes){file.p + s.offset, s.size < left ? (size_t)s.size : left};
}

static struct section read_section(struct perf_reader *r)
{
    uint64_t offset = perf_u64(r);
    return (struct section){offset, perf_u64(r)};
}

static struct file_header read_header(struct bytes file, bool big)
{
    struct perf_reader r = perf_reader_make(file, big);
    struct file_header h = {0};
    perf_take(&r, PIPE_HEADER_BYTES);
    h.attr_size = perf_u64(&r);
    h.attrs = read_section(&r);
    h.data = read_section(&r);
    read_section(&r); /* names of events, before there were features */
    for (size_t i = 0; i < sizeof h.features / sizeof h.features[0]; i++)
        h.features[i] = perf_u64(&r);
    if (h.data.size == 0) /* of a recorder that was killed */
        h.data.size = UINT64_MAX;
    return h;
}

/* Each event: its attr, and where its ids are. */
static void read_attrs(struct perf_import *im, struct bytes file, const struct file_header *h)
{
    struct perf_reader r = perf_reader_of(im, section_bytes(file, h->attrs));
    if (h->attr_size <= SECTION_BYTES)
        return;
    while (r.left.n >= h->attr_size) {
        struct bytes attr = perf_take(&r, h->attr_size - SECTION_BYTES);
        uint32_t index = perf_attrs_add(&im->attrs, im->trace, attr, im->big);
        struct perf_reader ids = perf_reader_of(im, section_bytes(file, read_section(&r)));
        while (ids.left.n >= 8)
            perf_attrs_add_id(&im->attrs, perf_u64(&ids), index);
    }
}

static void read_features(struct perf_import *im, struct bytes file, const struct file_header *h)
{
    struct section table = {h->data.offset + h->data.size, UINT64_MAX};
    if (table.offset < h->data.offset)
        return;
    struct perf_reader r = perf_reader_of(im, section_bytes(file, table));
    for (uint32_t feature = 0; feature < PERF_FEATURES; feature++) {
        if (!(h->features[feature / 64] >> feature % 64 & 1))
            continue;
        struct section s = read_section(&r);
        if (r.failed)
            return;
        perf_feature_read(im, feature, section_bytes(file, s));
    }
}

/* What of the records and of the sections behind them is not in the file. */
static void count_missing(struct perf_import *im, struct bytes file, const struct file_header *h)
{
    uint64_t end;
    if (im->trace->builder->options.growing || h->data.size == UINT64_MAX ||
        __builtin_add_overflow(h->data.offset, h->data.size, &end))
        return;
    struct section table = {end, UINT64_MAX};
    struct perf_reader r = perf_reader_of(im, section_bytes(file, table));
    for (uint32_t feature = 0; feature < PERF_FEATURES; feature++) {
        if (!(h->features[feature / 64] >> feature % 64 & 1))
            continue;
        struct section s = read_section(&r);
        uint64_t behind = s.offset + s.size;
        table.offset += SECTION_BYTES;
        if (!r.failed && behind >= s.offset && behind > end)
            end = behind;
    }
    if (table.offset > end)
        end = table.offset;
    if (end > file.n && end - file.n <= INT64_MAX)
        stats_add(im->trace, STAT_trace_missing_bytes, STAT_SINGLE, (int64_t)(end - file.n));
}

/* Times are those of the first clock that an event names, perf's own before any other. */
static void describe_clock(struct perf_import *im)
{
    struct trace *t = im->trace;
    const uint32_t perf_clock = PB_BuiltinClock_BUILTIN_CLOCK_PERF;
    uint32_t clock = im->attrs.items.count ? im->attrs.items.items[0].clock : perf_clock;
    for (size_t i = 0; i < im->attrs.items.count; i++)
        if (im->attrs.items.items[i].clock == perf_clock)
            clock = perf_clock;
    clock_claim(t, im->machine, clock);
    im->clock = clock_of_machine(t, im->machine, clock, 0);
    uint32_t logged = t->tables.trace_import_logs.rows;
    im->converts = !clock_is_trace_time(t, im->machine, im->clock);
    if (!im->converts) /* the clock that the file has until then dates nothing */
        t->builder->harmless[STAT_clock_sync_unrelatable_clock_domains] +=
            t->tables.trace_import_logs.rows - logged;
}

/* Events that no section names are called after what they count. */
static void finish_events(struct perf_import *im)
{
    for (size_t i = 0; i < im->attrs.items.count; i++) {
        struct perf_attr *attr = &im->attrs.items.items[i];
        if (!attr->name)
            attr->name = trace_intern_c(im->trace, perf_attr_default_name(attr));
        if (attr->type == PERF_TYPE_TRACEPOINT)
            perf_tracepoints_expect(im->tracepoints, attr->config);
    }
}

static bool read_all(struct perf_import *im, struct bytes file)
{
    struct perf_reader r = perf_reader_of(im, file);
    perf_take(&r, MAGIC_BYTES);
    struct bytes records = file;
    if (perf_u64(&r) == PIPE_HEADER_BYTES) {
        records.p += PIPE_HEADER_BYTES;
        records.n -= PIPE_HEADER_BYTES;
    } else {
        struct file_header h = read_header(file, im->big);
        read_attrs(im, file, &h);
        read_features(im, file, &h);
        count_missing(im, file, &h);
        records = section_bytes(file, h.data);
    }
    if (!perf_records_scan(im, records) || !perf_records_unpack(im))
        return false;
    perf_aux_finish(im->aux);
    finish_events(im);
    if (im->sched.has_switches || im->sched.has_records)
        process_tracker_name_idle_task(im->trace, im->machine);
    describe_clock(im);
    perf_stat_apply(im);
    perf_etm_apply(im, &im->aux->etm);
    return perf_records_apply(im);
}

static void begin(struct perf_import *im, struct trace *t, struct load_progress *progress)
{
    static const char *const modes[PERF_MODE_COUNT] = {
        [PERF_MODE_UNKNOWN] = "unknown",
        [PERF_MODE_KERNEL] = "kernel",
        [PERF_MODE_USER] = "user",
        [PERF_MODE_HYPERVISOR] = "hypervisor",
        [PERF_MODE_GUEST_KERNEL] = "guest_kernel",
        [PERF_MODE_GUEST_USER] = "guest_user",
    };
    im->trace = t;
    im->progress = progress;
    im->machine = im->attrs.machine = im->sched.machine = stats_scope(t)->machine;
    im->samples = samples_begin(t, STR("linux.perf"));
    for (size_t i = 0; i < PERF_MODE_COUNT; i++)
        im->mode_names[i] = trace_intern_c(t, modes[i]);
    perf_maps_init(&im->maps, t);
    arena_init(&im->arena);
}

static void end(struct perf_import *im)
{
    perf_attrs_release(&im->attrs);
    perf_maps_release(&im->maps);
    perf_sched_release(&im->sched);
    samples_release(&im->samples);
    arena_release(&im->arena);
    vec_release(&im->records);
    vec_release(&im->untimed);
    vec_release(&im->chain);
    vec_release(&im->counts);
    vec_release(&im->pieces);
    vec_release(&im->packed);
    free((void *)(uintptr_t)im->unpacked.p);
    free(im);
}

static struct status import(struct trace *t, const char *name, struct bytes data,
                            struct load_progress *progress)
{
    struct perf_import *im = alloc_array(1, sizeof *im);
    struct perf_symbols symbols;
    struct perf_aux aux = {.import = im};
    struct perf_tracepoints tracepoints = {.import = im};
    size_t least = PIPE_HEADER_BYTES;
    im->file = data;
    im->big = memcmp(data.p, magic_big, MAGIC_BYTES) == 0;
    if (data.n >= least && perf_load64(data.p + MAGIC_BYTES, im->big) != PIPE_HEADER_BYTES)
        least = FILE_HEADER_BYTES;
    if (data.n < least) {
        free(im);
        return status_error(STATUS_FORMAT,
                            "%s: expected the header of a perf.data file (%zu bytes), found the "
                            "end of the file at byte %zu",
                            name, least, data.n);
    }
    begin(im, t, progress);
    perf_symbols_init(&symbols, t);
    im->symbols = &symbols;
    im->aux = &aux;
    im->tracepoints = &tracepoints;
    bool whole = read_all(im, data);
    if (whole)
        perf_symbols_name_frames(&symbols);
    perf_symbols_release(&symbols);
    perf_aux_release(&aux);
    perf_tracepoints_release(&tracepoints);
    end(im);
    return whole ? status_ok_value() : progress_cancelled(name);
}

const struct trace_format perf_data_trace_format = {
    .name = "perf.data",
    .type = "perf",
    .about = "recordings of perf and simpleperf, of files and pipes: begins with PERFILE2",
    .clock = CLOCK_MONOTONIC_NUMBER, /* until the events tell */
    .sniff = sniff,
    .read = import,
};
