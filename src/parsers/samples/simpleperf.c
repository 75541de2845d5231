/* What `simpleperf report-sample --protobuf` writes: "SIMPLEPERF", a 16-bit version, and records,
 * each a 32-bit length and a message; a length of 0 ends them. As in Android's
 * system/extras/simpleperf/cmd_report_sample.proto. */
#define PB_READS_LITTLE
#include "core/trace_builder.h"
#include "parsers/input/progress.h"
#include "parsers/input/time_sort.h"
#include "parsers/input/trace_format.h"
#include "parsers/proto/wire.h"
#include "parsers/samples/samples.h"

static const char magic[] = "SIMPLEPERF";
enum { HEADER_BYTES = sizeof magic - 1 + 2, LENGTH_BYTES = 4 };

/* Field numbers of the report's messages. */
enum { RECORD_SAMPLE = 1, RECORD_LOST = 2, RECORD_FILE = 3, RECORD_THREAD = 4 };
enum { SAMPLE_TIME = 1, SAMPLE_THREAD_ID = 2, SAMPLE_CALLCHAIN = 3 };
enum { ENTRY_ADDRESS = 1, ENTRY_FILE_ID = 2, ENTRY_SYMBOL_ID = 3 };
enum { FILE_ID = 1, FILE_PATH = 2, FILE_SYMBOL = 3 };
enum { THREAD_ID = 1, THREAD_PROCESS_ID = 2, THREAD_NAME = 3 };

struct file {
    string_id path;
    size_t first_symbol, symbol_count;
};

struct entry {
    int64_t address;
    uint32_t file;
    int32_t symbol; /* -1: not known */
};

struct simpleperf {
    struct trace *trace;
    struct samples samples;
    struct map file_of_id; /* index in files */
    VEC(struct file) files;
    VEC(string_id) symbols;
    VEC(struct timed) entries; /* of samples; record is the length before the message */
    VEC(struct entry) chain;   /* scratch */
};

static void release(struct simpleperf *s)
{
    samples_release(&s->samples);
    map_release(&s->file_of_id);
    vec_release(&s->files);
    vec_release(&s->symbols);
    vec_release(&s->entries);
    vec_release(&s->chain);
}

static void add_file(struct simpleperf *s, struct pb_reader r)
{
    struct file file = {.first_symbol = s->symbols.count};
    struct pb_field f;
    uint32_t id = 0;
    while (pb_next(&r, &f)) {
        if (f.number == FILE_ID)
            id = pb_u32(&f);
        else if (f.number == FILE_PATH)
            file.path = trace_intern(s->trace, pb_str(&f));
        else if (f.number == FILE_SYMBOL)
            *vec_push(&s->symbols) = trace_intern(s->trace, pb_str(&f));
    }
    samples_mapping(s->trace, file.path);
    file.symbol_count = s->symbols.count - file.first_symbol;
    map_set(&s->file_of_id, id, (uint32_t)s->files.count);
    *vec_push(&s->files) = file;
}

static void add_thread(struct simpleperf *s, struct pb_reader r)
{
    struct trace *t = s->trace;
    struct pb_field f;
    uint32_t tid = 0, pid = 0;
    string_id name = NULL_STRING;
    while (pb_next(&r, &f)) {
        if (f.number == THREAD_ID)
            tid = pb_u32(&f);
        else if (f.number == THREAD_PROCESS_ID)
            pid = pb_u32(&f);
        else if (f.number == THREAD_NAME)
            name = trace_intern(t, pb_str(&f));
    }
    uint32_t utid = process_tracker_update_thread(t, stats_scope(t)->machine, tid, pid);
    process_tracker_set_thread_name(t, utid, name, THREAD_NAME_OTHER);
}

static struct entry read_entry(struct pb_reader r)
{
    struct entry e = {.symbol = -1};
    struct pb_field f;
    while (pb_next(&r, &f)) {
        if (f.number == ENTRY_ADDRESS)
            e.address = pb_i64(&f);
        else if (f.number == ENTRY_FILE_ID)
            e.file = pb_u32(&f);
        else if (f.number == ENTRY_SYMBOL_ID)
            e.symbol = pb_i32(&f);
    }
    return e;
}

/* The file of an entry; NULL where no record describes it. */
static const struct file *file_of(const struct simpleperf *s, const struct entry *e)
{
    const uint32_t *index = map_find(&s->file_of_id, e->file);
    return index ? &s->files.items[*index] : NULL;
}

static uint32_t callsite_of(struct simpleperf *s, uint32_t parent, const struct entry *e,
                            const struct file *file)
{
    string_id function = NULL_STRING;
    if (e->symbol >= 0 && (size_t)e->symbol < file->symbol_count)
        function = s->symbols.items[file->first_symbol + (size_t)e->symbol];
    return samples_callsite(&s->samples, parent, file->path, function, e->address);
}

static void apply_sample(struct simpleperf *s, int64_t ts, struct pb_reader r)
{
    struct pb_field f;
    uint32_t tid = 0, callsite = NULL_U32;
    s->chain.count = 0;
    while (pb_next(&r, &f)) {
        if (f.number == SAMPLE_THREAD_ID)
            tid = pb_u32(&f);
        else if (f.number == SAMPLE_CALLCHAIN)
            *vec_push(&s->chain) = read_entry(pb_message(&f));
    }
    for (size_t i = s->chain.count; i-- > 0;) { /* innermost first */
        const struct entry *entry = &s->chain.items[i];
        const struct file *file = file_of(s, entry);
        if (!file) {
            stats_count(s->trace, STAT_simpleperf_missing_file_mapping);
            return;
        }
        callsite = callsite_of(s, callsite, entry, file);
    }
    if (callsite == NULL_U32)
        return; /* Trace Processor takes no samples without a callstack */
    uint32_t machine = stats_scope(s->trace)->machine;
    samples_add(&s->samples, ts, process_tracker_thread(s->trace, machine, tid), callsite);
}

static int64_t sample_time(struct pb_reader r)
{
    struct pb_field f = pb_last(r, SAMPLE_TIME);
    return pb_i64(&f);
}

/* The record behind a length, as far as it is there. */
static struct pb_reader record_at(struct bytes data, size_t at, size_t *next)
{
    size_t left = data.n - at - LENGTH_BYTES, n = load_le32(data.p + at);
    if (n > left)
        n = left;
    *next = at + LENGTH_BYTES + n;
    return pb_reader_from(data.p + at + LENGTH_BYTES, n);
}

/* Files and threads are known at the end only: samples wait until then. */
static void read_record(struct simpleperf *s, struct pb_reader r, const uint8_t *record)
{
    struct pb_field f;
    int64_t ts;
    while (pb_next(&r, &f)) {
        switch (f.number) {
        case RECORD_SAMPLE:
            if (clock_file_time(s->trace, sample_time(pb_message(&f)), &ts))
                *vec_push(&s->entries) = (struct timed){.ts = ts, .record = record};
            break;
        case RECORD_FILE:
            add_file(s, pb_message(&f));
            break;
        case RECORD_THREAD:
            add_thread(s, pb_message(&f));
            break;
        default:
            break;
        }
    }
}

static void apply_samples(struct simpleperf *s, struct bytes data)
{
    time_sort(s->entries.items, s->entries.count);
    for (size_t i = 0; i < s->entries.count; i++) {
        const struct timed *entry = &s->entries.items[i];
        size_t next, at = (size_t)((const uint8_t *)entry->record - data.p);
        struct pb_reader r = record_at(data, at, &next);
        struct pb_field f;
        while (pb_next(&r, &f))
            if (f.number == RECORD_SAMPLE)
                apply_sample(s, entry->ts, pb_message(&f));
    }
}

static bool simpleperf_sniff(struct bytes data)
{
    return data.n >= HEADER_BYTES && memcmp(data.p, magic, sizeof magic - 1) == 0;
}

static struct status simpleperf_import(struct trace *t, const char *name, struct bytes data,
                                       struct load_progress *progress)
{
    struct simpleperf s = {.trace = t, .samples = samples_begin(t, STR("simpleperf"))};
    s.samples.of_threads = true;
    struct status status = status_ok_value();
    size_t next;
    bool ended = false; /* a length of 0 stands behind the last record */
    for (size_t at = HEADER_BYTES; data.n - at >= LENGTH_BYTES; at = next) {
        ended = load_le32(data.p + at) == 0;
        if (ended)
            break;
        read_record(&s, record_at(data, at, &next), data.p + at);
        if (progress_report(progress, next))
            continue;
        status = progress_cancelled(name);
        break;
    }
    if (!ended)
        trace_format_ends_early(t);
    if (status_ok(status))
        apply_samples(&s, data);
    release(&s);
    return status;
}

const struct trace_format simpleperf_trace_format = {
    .name = "simpleperf",
    .type = "simpleperf_proto",
    .about = "simpleperf report-sample --protobuf: begins with SIMPLEPERF",
    .clock = CLOCK_MONOTONIC_NUMBER,
    .sniff = simpleperf_sniff,
    .read = simpleperf_import,
};
