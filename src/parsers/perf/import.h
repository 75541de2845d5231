/* What the parts of the perf.data importer share while a file is read. */
#ifndef TPTUI_PARSERS_PERF_IMPORT_H
#define TPTUI_PARSERS_PERF_IMPORT_H

#include "base/arena.h"
#include "core/trace_builder.h"
#include "parsers/input/progress.h"
#include "parsers/input/time_sort.h"
#include "parsers/perf/attrs.h"
#include "parsers/perf/maps.h"
#include "parsers/perf/sched.h"
#include "parsers/perf/wire.h"
#include "parsers/samples/samples.h"

struct perf_address {
    uint64_t ip;
    enum perf_cpu_mode mode;
};

/* What an event has counted in all, as perf stat tells. */
struct perf_count {
    int64_t ts;
    uint64_t id;
    uint32_t cpu; /* UINT32_MAX: anywhere */
    double value;
};

/* At equal times, what waits is applied in this order. Names of threads come last, in the order of
 * the file: where a program was started under several CPUs, the buffers tell them mixed. */
enum { PERF_RANK_RECORD, PERF_RANK_SPE, PERF_RANK_NAME };

struct perf_aux;
struct perf_symbols;
struct perf_tracepoints;

struct perf_import {
    struct trace *trace;
    struct load_progress *progress;
    struct perf_symbols *symbols;
    struct perf_aux *aux;
    struct perf_tracepoints *tracepoints;
    uint32_t machine;
    bool big; /* byte order of the recording machine */
    bool is_simpleperf;
    struct perf_attrs attrs;
    struct perf_maps maps;
    struct perf_sched sched;
    struct samples samples;
    struct clock_id clock; /* of the records' times */
    bool converts;         /* they are not trace times */
    string_id mode_names[PERF_MODE_COUNT];
    VEC(struct timed) records;    /* that wait: headers, or what spe.h keeps, by rank */
    struct arena arena;           /* of what is kept of AUX data */
    VEC(const uint8_t *) untimed; /* headers of records that go before the next that has a time */
    int64_t least, latest;        /* times of records so far; 0: none had one */
    bool any_kept;                /* a record that has a time and is no COMM */
    VEC(uint8_t) pieces;          /* of a record of simpleperf's that was split */
    VEC(uint8_t) packed;          /* of compressed records: one stream of zstd */
    struct bytes file, unpacked;  /* what records point into; the latter is owned */
    VEC(struct perf_count) counts;
    size_t counts_timed;            /* of them, whose round was read */
    VEC(struct perf_address) chain; /* scratch */
};

static inline struct perf_reader perf_reader_of(const struct perf_import *im, struct bytes b)
{
    return perf_reader_make(b, im->big);
}

/* A record that cannot be read. */
static inline void perf_skip_record(struct perf_import *im, uint32_t type)
{
    stats_add(im->trace, STAT_perf_record_skipped, type, 1);
}

#endif
