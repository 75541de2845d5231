/* Names of functions that simpleperf puts into its recordings, file by file. */
#ifndef TPTUI_PARSERS_PERF_SYMBOLS_H
#define TPTUI_PARSERS_PERF_SYMBOLS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/perf/ranges.h"
#include "parsers/perf/wire.h"

/* A file of code. */
struct perf_symbol_file {
    struct perf_ranges functions; /* string_id */
    uint64_t load_bias;
    bool absolute; /* addresses of memory, not of the file */
};

struct perf_symbols {
    struct trace *trace;
    uint32_t first_frame; /* those before are of other files */
    struct arena arena;
    struct perf_ranges kernel;
    struct map by_path; /* string_id -> index of `files` */
    VEC(struct perf_symbol_file) files;
};

void perf_symbols_init(struct perf_symbols *s, struct trace *t);
void perf_symbols_release(struct perf_symbols *s);

/* Reads the section FILE2: messages FileFeature, each with its length in front. */
void perf_symbols_read_files(struct perf_symbols *s, struct bytes section, bool big);
/* Reads the section FILE of older versions: the same in structs. */
void perf_symbols_read_old_files(struct perf_symbols *s, struct bytes section, bool big);
/* Names frames that have no name yet. */
void perf_symbols_name_frames(struct perf_symbols *s);

#endif
