/* Files that are read as a whole: what the user keeps, or was given by others. */
#ifndef TPTUI_BASE_WHOLE_FILE_H
#define TPTUI_BASE_WHOLE_FILE_H

#include <stddef.h>

#include "base/status.h"

/* Opens a regular file for reading, for the caller to close; `fd` is -1 on error. What is none is
 * an error: a FIFO would be waited for, and a device need not end. */
struct status whole_file_open(const char *path, int *fd);

/* Reads all of it, `n` bytes and a NUL behind them, for free(), and closes it. Where that is more
 * than `most` bytes is an error; `text` is NULL then. */
struct status whole_file_read(int fd, const char *path, size_t most, char **text, size_t *n);

#endif
