/* Files that are there as a whole or not at all. */
#ifndef TPTUI_BASE_REPLACE_FILE_H
#define TPTUI_BASE_REPLACE_FILE_H

#include "base/status.h"

/* Has `write` make a file beside `path`, and puts it in the place of what is there once that has
 * worked; otherwise nothing of it is left. Only a regular file is replaced: anything else at
 * `path`, a device or a FIFO, is an error, and `write` is not called. */
struct status replace_file(const char *path, struct status (*write)(void *self, const char *path),
                           void *self);

/* The same, but a device, a FIFO or a link is written as it is. */
struct status replace_or_write_file(const char *path,
                                    struct status (*write)(void *self, const char *path),
                                    void *self);

/* An error where `out`, under whatever name, is the very file `in`: it would be destroyed while it
 * is read. What is not there is no file, NULL neither. */
struct status check_other_file(const char *out, const char *in);

#endif
