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
 * `sync_to`, or of that file's own, once the offset is added. */
#ifndef TPTUI_PARSERS_ARCHIVE_MANIFEST_H
#define TPTUI_PARSERS_ARCHIVE_MANIFEST_H

#include "base/map.h"
#include "base/vec.h"
#include "core/store/string_pool.h"
#include "parsers/input/trace_format.h"

/* A clock as a manifest names it: of a file's machine, or of one of its machines. */
struct manifest_clock {
    string_id file, machine; /* NULL_STRING: not said */
    uint32_t number;         /* 0: the file's own */
};

struct manifest_file {
    string_id path;
    string_id machine;          /* NULL_STRING: not said */
    size_t machines, machine_n; /* the first of its entries in `embedded`, and how many */
    bool has_clocks;
    struct manifest_clock clock, sync_to;
    int64_t offset_ns;
};

/* Which machine a number means in the packets of a file. */
struct embedded_machine {
    int64_t raw_id;
    string_id name;
};

/* All zero: nothing is said. */
struct manifest {
    bool present;
    struct manifest_clock trace_time; /* number 0: not said */
    VEC(struct manifest_file) files;
    VEC(struct embedded_machine) embedded;
    struct map file_of;  /* path -> in `files` */
    struct map declared; /* file and name of a machine of it */
    struct map machines; /* name -> row of machine */
    struct map rows;     /* name -> row of trace_file, of all but the archive */
    uint32_t machine_count;
};

extern const struct trace_format manifest_trace_format;

/* Reads the text of a manifest and adds its attributes to the trace's metadata. Where any of it is
 * not as it must be, an error says which key. */
struct status manifest_read(struct manifest *m, struct trace *t, struct bytes text);
/* Names the machines, decides which clock is the trace's, and relates the clocks, before any file
 * is read. Files are known by their rows of trace_file. */
struct status manifest_apply(struct manifest *m, struct trace *t);
void manifest_release(struct manifest *m);

/* Of several entries of one file the first counts. */
void manifest_add_file(struct manifest *m, const struct manifest_file *file);
/* What is said of a file, or NULL. */
const struct manifest_file *manifest_find(const struct manifest *m, string_id path);
/* trace_format_begin of a member, with what the manifest says of it. */
void manifest_begin_file(struct manifest *m, struct trace *t, const struct trace_format *format,
                         struct trace_file *file);
/* Whether the file, now that it was read, has the machines and clocks that the manifest says. */
struct status manifest_check_file(const struct manifest *m, struct trace *t,
                                  const struct trace_format *format, struct str name);

#endif
