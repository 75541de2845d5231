/* The functions that a trace's callstacks went through: found in files with symbols, written as
 * packets ModuleSymbols, which a Perfetto trace takes at its end and an archive as a file. */
#ifndef TPTUI_SYMBOLS_SYMBOLIZE_H
#define TPTUI_SYMBOLS_SYMBOLIZE_H

#include <stdbool.h>

#include "core/trace/trace.h"
#include "parsers/proto/write.h"
#include "symbols/symbol_files.h"

/* Where symbols are looked for, in this order. Texts are the caller's. */
struct symbol_places {
    VEC(const char *) folders; /* of ELF files */
    bool by_path, by_id;       /* how: below the recorded path, and by the id of any file there */
    bool recorded_paths;       /* also the file at the recorded path itself */
    VEC(const char *) breakpad_folders;
    const char *program; /* llvm-symbolizer; NULL: that, from $PATH */
};

void symbol_places_release(struct symbol_places *p);

enum symbolized_state {
    SYMBOLIZED_ALL,
    SYMBOLIZED_NO_FILE,     /* none of that build was found */
    SYMBOLIZED_NO_FUNCTION, /* some addresses are in none that the files know */
    SYMBOLIZED_KERNEL,      /* without a build id */
    SYMBOLIZED_NO_BUILD_ID,
    SYMBOLIZED_NO_PROGRAM, /* memory, code made at run time */
    SYMBOLIZED_STATES
};

/* A mapping of the trace with frames that had no symbols. */
struct symbolized_module {
    struct str name, build_id; /* of the trace */
    uint64_t load_bias;
    uint32_t frames, resolved;
    enum symbolized_state state;
    char *source;                    /* the file that knew most; NULL: none. Owned */
    struct symbol_attempts attempts; /* files that were looked at */
};

struct symbolize_report {
    VEC(struct symbolized_module) modules;
    char *problem; /* why a source could not be read, the first time; NULL: none. Owned */
};

/* Appends the packets to `packets`. What cannot be found is no failure: the report tells. */
void symbolize(const struct trace *t, const struct symbol_places *places, struct pb_bytes *packets,
               struct symbolize_report *report);
void symbolize_report_release(struct symbolize_report *r);

#endif
