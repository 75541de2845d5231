/* What a member of an archive says about the others:
 *
 *     {"perfetto_manifest": {"version": 1, "attributes": {"run_id": 42},
 *       "trace_time": {"file": "a.pb", "machine": "vm", "clock": "BOOTTIME"},
 *       "files": [
 *         {"path": "a.pb", "machines": [{"id": 0, "name": "host"}, {"id": 7, "name": "vm"}]},
 *         {"path": "b.json", "machine": {"name": "phone"},
 *          "clocks": {"clock": "BOOTTIME", "machine": "phone", "offset_ns": 500,
 *                     "sync_to": {"file": "a.pb", "machine": "vm", "clock": "BOOTTIME"}}}]}}
 *
 * Times of the clock of `clocks`, or of the file where none is named, are those of the clock of
 * `sync_to`, or of the trace, once the offset is added. */
#ifndef TPTUI_PARSERS_ARCHIVE_MANIFEST_H
#define TPTUI_PARSERS_ARCHIVE_MANIFEST_H

#include "base/vec.h"
#include "core/string_pool.h"
#include "parsers/input/trace_format.h"

/* A clock as a manifest names it: of a file's machine, or of one by its own name. */
struct manifest_clock {
    string_id file, machine; /* NULL_STRING: not said */
    uint32_t number;         /* 0: the file's own */
};

struct manifest_file {
    string_id path;
    uint32_t machine; /* NULL_U32: not said */
    bool has_clocks, is_synced;
    struct manifest_clock clock, sync_to;
    int64_t offset;
};

struct named_machine {
    string_id name;
    uint32_t row;
};

/* Which machine a number means in the packets of a file. */
struct file_machine {
    string_id path;
    uint32_t machine;
    int64_t raw_id;
};

/* All zero: nothing is said. */
struct manifest {
    struct trace *trace;
    VEC(struct manifest_file) files;
    VEC(struct file_machine) file_machines;
    VEC(struct named_machine) machines;
};

/* Whether a file that begins like this may be one. */
bool manifest_sniff(struct bytes head);
/* Reads it. False where it is none: nothing was done then. */
bool manifest_read(struct manifest *m, struct trace *t, struct str name, struct bytes text);
void manifest_release(struct manifest *m);

/* trace_format_begin of a member, with what a manifest says of it. */
void manifest_begin_file(struct manifest *m, struct trace *t, const struct trace_format *format,
                         struct str name, int64_t size);

#endif
