/* What tracefs has, copied file by file, as SchedViz packs it: a folder `formats` with the
 * description of each event and of pages, and the raw buffer of each CPU.
 *
 *     formats/header_page   formats/sched/sched_switch/format   traces/cpu0   traces/cpu1
 *
 * Together they are a trace.dat, which is what they become. */
#ifndef TPTUI_PARSERS_ARCHIVE_RAW_BUFFERS_H
#define TPTUI_PARSERS_ARCHIVE_RAW_BUFFERS_H

#include <stdbool.h>

#include "base/byte_list.h"
#include "base/str.h"
#include "base/vec.h"
#include "parsers/input/bytes.h"

struct raw_format {
    char *system;
    struct byte_list text;
};

struct raw_buffers {
    struct byte_list header_page;
    VEC(struct raw_format) formats;
    VEC(struct byte_list) cpus; /* by number */
};

/* Whether a member of that path is the buffer of a CPU, or any of what is needed beside. */
bool raw_buffers_is_cpu(struct str path);
bool raw_buffers_wants(struct str path);
/* Takes what such a member has; more of it in further calls. */
void raw_buffers_add(struct raw_buffers *r, struct str path, struct bytes data);
/* Appends the trace.dat. */
void raw_buffers_write(const struct raw_buffers *r, struct byte_list *out);
void raw_buffers_release(struct raw_buffers *r);

#endif
