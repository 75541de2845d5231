/* A format that traces come in. Each format's file exports one const object of this kind;
 * parsers/formats.c lists and declares them, so that a format needs no header for it. */
#ifndef TPTUI_PARSERS_INPUT_TRACE_FORMAT_H
#define TPTUI_PARSERS_INPUT_TRACE_FORMAT_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"
#include "parsers/input/bytes.h"

struct byte_source;
struct cut_job;
struct cut_output;
struct intake;
struct load_progress;
struct trace;

/* One of `read`, `read_source` and `read_archive` is there, or none: then the format is known by
 * its looks only. They add to `t`; `name` is the file's, for messages. What is malformed is counted
 * in stats and skipped; an error means that nothing could be read, or that loading was cancelled.
 */
struct trace_format {
    const char *name;                 /* for people: "Chrome JSON" */
    const char *type;                 /* trace_type in metadata and trace_file: "proto" */
    const char *key;                  /* what --as calls it; NULL: as `type` */
    const char *about;                /* one line: what it is, and how it is recognised */
    bool (*sniff)(struct bytes data); /* true: it is this format; reads the first bytes only */
    bool has_clocks;                  /* it may relate clocks, which other files refer to */
    uint32_t clock;                   /* of its times: BuiltinClock; 0: it tells */
    bool has_idle_task;               /* its thread 0 is the kernel's idle task */
    bool has_machines;                /* its packets say which machine they are from */
    bool by_lines;                    /* text; lines that are not its own may stand in front */
    bool is_text;                     /* but not by lines: zero bytes in it are loss */
    /* Reads a whole trace. */
    struct status (*read)(struct trace *t, const char *name, struct bytes data,
                          struct load_progress *progress);
    /* The same of a source: it keeps it (byte_source_keep), and reads what is there while more is
     * unpacked. Only beside `read`. */
    struct status (*read_growing)(struct trace *t, const char *name, struct byte_source *source);
    /* Reads a trace from front to back. */
    struct status (*read_source)(struct trace *t, const char *name, struct byte_source *source);
    /* Reads a file of files; `formats` (ended by NULL) are those that its members may have. */
    struct status (*read_archive)(struct trace *t, const char *name, struct bytes data,
                                  const struct trace_format *const *formats,
                                  struct load_progress *progress);
    /* Beside `read_archive`, of an archive that holds one trace: intake_cut_to of that. Where it
     * holds something else, intake.uncut. */
    struct status (*cut_archive)(struct intake *in, const struct trace_format *const *formats,
                                 struct cut_output *out);
    /* Writes the part of a whole trace that is in a window (parsers/input/trace_cut.h). NULL:
     * windows of such traces are not known. */
    struct status (*cut)(struct cut_job *job);
    const struct trace_format *cut_as; /* what it writes; NULL: the same format */
    /* Whether `cut` knows traces that begin like this; NULL: all. */
    bool (*can_cut)(struct bytes head);
};

static inline bool trace_format_cuts(const struct trace_format *format, struct bytes head)
{
    return format->cut && (!format->can_cut || format->can_cut(head));
}

/* Whether a window can be written of what begins like this; an archive may hold what cannot be cut.
 */
static inline bool trace_format_trims(const struct trace_format *format, struct bytes head)
{
    return format->cut_archive || trace_format_cuts(format, head);
}

/* What --as calls it. */
static inline const char *trace_format_key(const struct trace_format *format)
{
    return format->key ? format->key : format->type;
}

/* The first of the formats (ended by NULL) that says yes, or NULL; where none does, the first of
 * those that come by lines which does behind empty lines and what a terminal shows before a
 * program's output: a prompt with the command. */
const struct trace_format *trace_format_detect(const struct trace_format *const *formats,
                                               struct bytes data);

/* A file that is about to be read, or a member of one. */
struct trace_file {
    struct str name;       /* in the archive; NULL: the file that was opened */
    int64_t size;          /* -1: not known */
    uint32_t parent;       /* the archive or compressed file that it is in, or NULL_U32 */
    uint32_t machine;      /* whose events it has; NULL_U32: the host's */
    bool has_own_clock;    /* its times are not in the format's clock, but in one of its own */
    uint32_t row_plus_one; /* of trace_file; 0: it has none yet */
    uint32_t order;        /* files that were read before */
};

/* Adds a row of trace_file, whose type is not known yet, and returns it, before the file is read.
 */
uint32_t trace_format_announce(struct trace *t, const struct trace_file *file);

/* Adds the row of a file that is compressed by `type` as a whole, and returns it: the parent of
 * what is inside. */
uint32_t trace_format_enclose(struct trace *t, const char *type, const struct trace_file *file);

/* Adds the file's row and its metadata; what is read and counted from here on is about it, and
 * about its machine (stats_scope) where the format does not tell of several. */
void trace_format_begin(const struct trace_format *format, struct trace *t,
                        const struct trace_file *file);

/* For readers that find the end of the file where more should follow: counted, unless the file is
 * being written, or only its first bytes are read. */
void trace_format_ends_early(struct trace *t);

/* What editors of Windows put in front of a text. */
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

/* For `sniff`: the first bytes, and what follows white space, and a mark of byte order, in them. */
struct str trace_format_head(struct bytes data);
/* For readers of formats that come by lines: the first bytes behind what may stand in front. */
struct str trace_format_body(struct bytes data);
bool trace_format_is_prompt(struct str line);
struct str trace_format_skip_space(struct str s);

#endif
