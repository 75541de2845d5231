/* Which format a trace is in. A format is one row of a table: a new parser adds a row. */
#ifndef TPTUI_PARSERS_DETECT_H
#define TPTUI_PARSERS_DETECT_H

#include "base/status.h"
#include "core/trace.h"
#include "parsers/input/byte_source.h"
#include "parsers/load.h"
#include "parsers/perfetto/packets/import.h"

struct trace_parser {
    const char *name;                 /* for people: "Chrome JSON" */
    const char *type;                 /* trace_type in metadata and trace_file: "proto" */
    bool (*sniff)(struct bytes data); /* true: it is this format; reads the first bytes only */
    /* Reads the whole trace into `t`; NULL: the format is known by its looks but cannot be read. */
    struct status (*read)(struct trace *t, const char *name, struct bytes data,
                          struct load_progress *progress);
    /* Instead of `read`, for formats that are read from front to back. */
    struct status (*read_source)(struct trace *t, const char *name, struct byte_source *source);
};

/* The parser of these bytes, or NULL. */
const struct trace_parser *trace_parser_detect(struct bytes data);

#endif
