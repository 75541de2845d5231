/* Opening a trace file of any format: maps it, finds out what it is, reads it into a struct trace.
 */
#ifndef TPTUI_PARSERS_LOAD_H
#define TPTUI_PARSERS_LOAD_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "core/trace_builder.h"
#include "parsers/input/progress.h"
#include "parsers/input/trace_cut.h"
#include "parsers/input/trace_format.h"

/* Reads the file, or standard input where `path` is "-", into `t` (from trace_init) and finishes
 * it. A malformed part is counted in stats and skipped; an error is returned only where nothing
 * could be read: "FILE: what was expected, what was found, at which offset". `progress` may be
 * NULL. No pointer into the file is kept. Where the trace's options name a window, only that is
 * read, with the state before it: what trace_cut_file makes of the file. Where they want its head
 * only, that is a STATUS_USAGE for a format whose files say nothing before their end. */
struct status trace_load_file(struct trace *t, const char *path, struct load_progress *progress);
/* The same in a format that is not asked for its looks; NULL: as above. */
struct status trace_load_file_as(struct trace *t, const char *path, const struct trace_format *as,
                                 struct load_progress *progress);
/* The same of an open file, which stays the caller's; `path` stands in messages. */
struct status trace_load_open_file(struct trace *t, int fd, const char *path,
                                   const struct trace_format *as, struct load_progress *progress);
/* The same from memory, for tests and fuzzers; `name` stands in messages. The bytes need only last
 * during the call. */
struct status trace_load_memory(struct trace *t, const char *name, const uint8_t *data, size_t size,
                                struct load_progress *progress);

/* How many bytes of a file are read where that many are wanted of its head: fewer of what is
 * compressed. */
uint64_t trace_head_bytes(const char *path, uint64_t head);

/* Writes the part of a file that is in the window, uncompressed. `job` has the file's path as its
 * name, and no data yet. An error where windows of its format are not known, or nothing of the
 * trace is in it. */
struct status trace_cut_file(const struct trace_format *as, struct cut_job *job);

/* Whether what begins with these bytes looks like something that can be read, inside where it is
 * compressed; the same error as from loading where it does not, or there are no bytes. `name`
 * stands in the message. */
struct status trace_probe_memory(const char *name, const uint8_t *data, size_t size);
/* Whether the file looks like something that can be read: the same error as from loading where it
 * is missing, empty, a folder, or in no format known here. Reads its first bytes, nothing of pipes.
 */
struct status trace_probe_file(const char *path, const struct trace_format *as);

/* What a regular file looks like by its first bytes, inside where it is compressed. */
struct trace_look {
    bool may_be_trace;
    const struct trace_format *format; /* NULL: it cannot be told, or it is none */
};
struct trace_look trace_look_at(const char *path);

#endif
