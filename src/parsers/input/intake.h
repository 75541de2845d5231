/* A trace on its way in, from bytes to rows. A file that is opened, what is compressed in it and
 * the members of archives go the same way, one stage after the other; probing ends after `tell`,
 * trim after `cut`:
 *
 *     open     its bytes                                      load.c, archive/members.h
 *     unwrap   a source of what is compressed in them         intake_unwrap, members_source
 *     tell     its format, by the first bytes of that         intake_tell
 *     cut      the window, where not all of it is wanted      intake_cut
 *     read     events become rows                             intake_read
 *     settle   counts, bounds, args that lie in the file      load.c
 *
 * Sources lie one around the other, as what is packed several times needs. Of an archive with one
 * trace a window is cut out of that; several have times of their own, which only reading all of
 * them relates, so the window is made of what was read. */
#ifndef TPTUI_PARSERS_INPUT_INTAKE_H
#define TPTUI_PARSERS_INPUT_INTAKE_H

#include "base/vec.h"
#include "parsers/input/byte_source.h"
#include "parsers/input/trace_cut.h"
#include "parsers/input/trace_format.h"
#include "parsers/input/unpack_stream.h"
#include "parsers/input/unpacked_file.h"

struct intake {
    const char *name;                 /* for messages */
    struct trace *trace;              /* NULL: nothing is read */
    const struct time_window *window; /* NULL: all */
    struct budget *budget;            /* for what is unpacked; may be NULL */
    struct load_progress *progress;   /* may be NULL */
    int depth;                        /* archives around it, of one that is cut */
    /* What a stage leaves to those behind it. */
    struct bytes bytes;                /* open: as they lie in the file, and last until the end */
    struct packed_layers layers;       /* unwrap: how it is packed */
    struct byte_source source;         /* unwrap; released by intake_release */
    const struct trace_format *format; /* tell; NULL: not known */
    struct cut_span span;              /* cut */
    struct cut_unread unread;          /* cut: begins with that of archives around it */
    bool uncut;                        /* cut: see cut_job; no window then, all is to be read */
    bool unreadable;                   /* cut: likewise; nothing is to be read */
    bool is_cut;                       /* cut: of the source only the window is left */
    struct growing_file cut;           /* the window's bytes */
    struct unpacked_file unpacked;     /* these, or where `source` may lie if `uncut` */
};

/* The window that is wanted of a trace, or NULL. */
const struct time_window *intake_window(const struct trace *t);

void intake_unwrap(struct intake *in);
/* False where it has nothing by which to tell. `as`: the format, whatever it looks like, or NULL.
 */
bool intake_tell(struct intake *in, const struct trace_format *const *formats,
                 const struct trace_format *as);
/* Of what trace_format_trims: to `out`; `formats` (ended by NULL) are those that members of an
 * archive may have. What is written tells what could not be read, too. */
struct status intake_cut_to(struct intake *in, const struct trace_format *const *formats,
                            struct cut_output *out);
/* Of a trace that trace_format_cuts: in place of the source. */
struct status intake_cut(struct intake *in);
/* Of a format that is no archive. */
struct status intake_read(struct intake *in);
void intake_release(struct intake *in);
void intake_release_cut(struct intake *in); /* all but the source */

#endif
