/* Opening a trace at once where it was opened before: the columns of a trace that took long to load
 * are kept (core/trace/stored_columns.h), in $XDG_CACHE_HOME/tptui or ~/.cache/tptui, or where the
 * caller says.
 *
 * Processes that open a trace at once may agree that one of them loads it and the others wait for
 * what it keeps (parsers/cache_lock.h).
 *
 * What is kept in the folder is known by the trace file's device, inode, size and times, ctime
 * among them, and by a hash of blocks of it: nothing of a large file needs to be read. What is kept
 * where the caller says is known by a hash of all of the trace file. The folder and the files must
 * belong to the user and nobody else may write them. All together, what is being written among
 * them, take at most a tenth of the space that is free: what cannot be used again goes first, then
 * what was not used for longest. What was not used for CACHE_DAYS goes in any case. Both happen
 * when something is written.
 *
 * A trace that took longer than a second is kept, by a thread that writes while the first queries
 * run. What is kept is of one build of the program, and of all of a trace: whatever option alters
 * the import turns it off. The hash of blocks is of 64, so that 10 GB open without being read;
 * that of all bytes costs 2 % to 6 % of the load. What turns out damaged is loaded anew behind
 * what is shown. */
#ifndef TPTUI_PARSERS_CACHE_H
#define TPTUI_PARSERS_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/trace/stored_columns.h"
#include "parsers/load.h"

/* All zero: the user's cache. */
struct cache_options {
    bool off;         /* neither read nor written */
    const char *file; /* used instead of the folder: read where it holds this trace, else written */
    const char *folder; /* used instead of the user's; made where it is missing */
    /* With other jobs that open many traces: waits, once, for another process that loads the same
     * one, and pushes out nothing that was used in the last hour, as each would the one before. */
    bool shared;
    bool whole; /* what is being kept in the folder is waited for, however long that takes */
};

/* For stored_columns_read: all decoders of args that the formats have; a row of zeros ends it. */
extern const struct args_restorer cache_restorers[];

struct cache_writer;

struct cache_outcome {
    bool hit;                    /* the trace was not loaded */
    char *note;                  /* a line for the user, for free(); NULL: nothing to say */
    struct cache_writer *writer; /* a thread that keeps the trace; NULL: none */
    char *beside; /* where what was made of the trace may be kept, too; for free(), NULL: nowhere */
    bool in_folder;            /* it is in the cache's folder, whose size is limited */
    uint64_t content;          /* says which trace this is to what is kept beside it */
    struct file_identity file; /* that was opened; all zero where it is no regular file */
};

/* trace_load_file_as, through the cache. `outcome` is set in any case: the caller frees its texts
 * and ends its writer (cache_writer_end). The error is that of loading, or that options->file is
 * something else than kept columns; a cache that cannot be read is no error, but a note. */
struct status trace_open(struct trace *t, const char *path, const struct trace_format *as,
                         const struct cache_options *options, struct load_progress *progress,
                         struct cache_outcome *outcome);

/* Whether trace_open would look into the folder's copy of it, read as `as`. */
bool cache_has(const char *path, const struct trace_format *as);

/* Opens `beside` for reading, for the caller to close; -1 where it is missing, or where somebody
 * other than the user may have written it. */
int cache_open_beside(const struct cache_outcome *outcome);
/* Writes `beside`, all or nothing, with what `write` puts into an open file; where there is no room
 * for `size` bytes that is a STATUS_CANCELLED. */
struct status cache_write_beside(const struct cache_outcome *outcome, uint64_t size,
                                 struct status (*write)(void *self, int fd), void *self);
void cache_remove_beside(const struct cache_outcome *outcome);

/* Waits until the trace is kept, but not longer than loading took (unless the user named the file,
 * or options->whole), nor once `stop` is set; then gives it up. Before the trace is
 * released. NULL for `w` is ok; the error is that of writing. */
struct status cache_writer_end(struct cache_writer *w, const atomic_bool *stop);

enum { CACHE_DAYS = 30 };

/* Whether a file of the cache opens its trace. */
enum cache_use {
    CACHE_USABLE,
    CACHE_OTHER_VERSION, /* of the program: another one may be in use beside this one */
    CACHE_NO_TRACE,      /* nothing is where the trace was */
    CACHE_TRACE_CHANGED, /* something else is */
    CACHE_DAMAGED,       /* the file is none of columns */
};

/* A file of the cache. */
struct cache_entry {
    char *path;      /* owned by the list */
    uint64_t size;   /* in bytes, with what is kept beside it */
    int64_t used_s;  /* seconds since 1970 */
    char trace[256]; /* where the trace was; its end where that is longer */
    uint64_t trace_size;
    struct file_identity file; /* of the trace then */
    enum cache_use use;
};

struct cache_list {
    const char *folder;        /* as in cache_options */
    VEC(struct cache_entry) v; /* last used first */
    uint64_t unfinished;       /* bytes that are taken by what is being written */
};

/* What is kept in the list's folder; nothing where there is none. Nobody has looked at the traces.
 */
void cache_list_read(struct cache_list *list);
/* Whether the traces are what they were, which may wait for their file systems. */
void cache_list_look(struct cache_list *list);
void cache_list_release(struct cache_list *list);
/* What all of them and what is being written may take together, in bytes; 0 where there is no
 * folder. */
uint64_t cache_room(const struct cache_list *list);
/* Removes all from a folder (NULL: the user's); how many there were. */
size_t cache_clear(const char *folder);

#endif
