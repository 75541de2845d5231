/* A loaded trace as a file of its columns, which is mapped the next time instead of reading the
 * trace: what is not touched costs neither time nor memory.
 *
 * The file is a head (what it was made from, which schema, how many of everything), a list of where
 * the parts lie with a sum of each, and the parts, aligned to 64 bytes, in the order of
 * stored_parts(). It is meant for the machine that wrote it or one like it: integers as they lie in
 * memory. Another schema, byte order or version of this layout is another file.
 *
 * Nothing in such a file is trusted. Head, strings and small tables are checked when it is opened,
 * a large table or the args before they are read first: the sum of every part, and that whatever
 * refers to a row, a string or an arg set refers to one that is there. */
#ifndef TPTUI_CORE_TRACE_STORED_COLUMNS_H
#define TPTUI_CORE_TRACE_STORED_COLUMNS_H

#include <stdatomic.h>

#include "base/file_identity.h"
#include "base/status.h"
#include "core/trace/trace.h"

/* What the columns were read from. */
struct stored_source {
    struct file_identity file; /* only its size where the trace is known wherever it lies */
    uint64_t content;          /* a hash of all of it then, else of blocks of it */
    uint64_t as;               /* of the format that it was read as; 0: its own */
    char name[256]; /* where the file was, for people; its end where that is longer. Not compared */
};

/* Brings back decoders of args (args_decoder.name): adds the same to t->args, or returns false
 * where the bytes are damaged. */
struct args_restorer {
    const char *name;
    bool (*restore)(struct trace *t, struct byte_reader state);
};

/* Whether a trace can be stored: all its decoders can. */
bool stored_columns_possible(const struct trace *t);

/* A loaded trace as it goes to a file. Another thread may query the trace meanwhile; it outlives
 * the image. NULL where its args are lost (core/trace/settled_args.h). */
struct stored_image;
struct stored_image *stored_image_new(const struct trace *t);
void stored_image_free(struct stored_image *m);
/* How large the file will be, in bytes. */
uint64_t stored_image_size(const struct stored_image *m);
/* Writes it to an open file, from its beginning. STATUS_CANCELLED where `cancel` was set; errors
 * name no file. */
struct status stored_image_write(struct stored_image *m, const struct stored_source *source, int fd,
                                 const atomic_bool *cancel);
/* All of that at once. */
struct status stored_columns_write(const struct trace *t, const struct stored_source *source,
                                   int fd, const atomic_bool *cancel);

/* Maps the columns of an open file into `t` (from trace_init), for trace_finish_stored. `restorers`
 * is ended by a NULL name. STATUS_FORMAT with the reason, without the file's name, where the file
 * is not of this source or cannot be used, STATUS_USAGE where it is of another version of the
 * program: `t` can only be released then. */
struct status stored_columns_read(struct trace *t, const struct stored_source *source, int fd,
                                  const struct args_restorer *restorers);

/* What an open file says that it is of, and whether this version of the program reads such files;
 * false where it is no file of columns. Nothing else is checked. */
bool stored_columns_describe(int fd, struct stored_source *source, bool *of_this_version);

/* To be asked before a table of a trace is read, as its rows may not be made yet
 * (core/trace/ftrace_rows.h): false where it comes from a damaged file. Any table may be asked
 * about; from any thread. */
bool stored_table_ready(const struct trace *t, const struct table *table);
/* Checks all tables but that of ftrace's events, which is large and which only SQL reads: whether
 * they are sound. For who reads tables without asking. */
bool stored_columns_check(const struct trace *t);
/* Whether some part was found damaged since the file was opened. */
bool stored_columns_damaged(const struct trace *t);
/* What to say then. */
struct status stored_columns_error(void);

/* For trace_release: what points into the file does no longer. */
void stored_columns_release(struct trace *t);

#endif
