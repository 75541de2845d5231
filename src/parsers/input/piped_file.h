/* What comes through a pipe, kept in a file without a name while it comes, so that what is there
 * can be read, and read again, before its end has come. */
#ifndef TPTUI_PARSERS_INPUT_PIPED_FILE_H
#define TPTUI_PARSERS_INPUT_PIPED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "parsers/input/progress.h"

struct piped_file;

/* Starts a thread that reads `fd`, a pipe, a socket or a device, to its end. NULL where there is no
 * room for it. */
struct piped_file *piped_file_start(int fd);
/* Nothing more is read, as nobody wants it; what has come stays. NULL is ok. */
void piped_file_stop(struct piped_file *p);
/* The same, and frees it. */
void piped_file_end(struct piped_file *p);

uint64_t piped_file_size(const struct piped_file *p); /* bytes that have come so far */

struct piped_wish {
    uint64_t want, least; /* bytes */
    int patience_ms;
};

/* Waits until `want` bytes have come, or all; or, `patience_ms` after the start, `least` bytes; or
 * loading is cancelled. Returns how many have come, and whether that is all. */
uint64_t piped_file_wait(struct piped_file *p, struct piped_wish wish,
                         struct load_progress *progress, bool *all);

/* Opens what has come, for the caller to close. An error where it could not be read or kept to its
 * end, and all of it is asked for. */
struct status piped_file_open(struct piped_file *p, bool all, int *fd);

#endif
