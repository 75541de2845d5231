/* Files that the program writes: whole or not at all, and never with a loss that nobody is told of.
 */
#ifndef TPTUI_BASE_OUTPUT_FILE_H
#define TPTUI_BASE_OUTPUT_FILE_H

#include <stdio.h>

#include "base/status.h"

/* Why something that was written to `f` until now is lost, an errno; 0: all of it is out. */
int output_error(FILE *f);

/* Opens a file that is written where it stands, as its user named it; `f` is NULL on error. */
struct status output_open(const char *path, FILE **f);
/* Closes what was written, where it is not standard output, which main() looks after. An error,
 * "PATH: cannot be written: WHY", where anything was lost on the way, before or now, and `s` is ok;
 * else `s`. */
struct status output_close(FILE *f, const char *path, struct status s);

/* Has `write` fill a file beside `path`, which nobody else can name or open, and puts it in the
 * place of what is there once that has worked; otherwise nothing of it is left. Only a regular file
 * is replaced: anything else at `path`, a device or a FIFO, is an error, and `write` is not called;
 * one of the user's own keeps its rights. */
struct status replace_file(const char *path, struct status (*write)(void *self, FILE *file),
                           void *self);
/* The same for who must open the file by its name. */
struct status replace_file_by_name(const char *path,
                                   struct status (*write)(void *self, const char *path),
                                   void *self);
/* The same as the first, but a device, a FIFO or a link is written as it is. */
struct status replace_or_write_file(const char *path,
                                    struct status (*write)(void *self, FILE *file), void *self);

/* Both with a text. Where the program makes up the name, the first: it follows no link that
 * somebody has put there. */
struct status replace_file_text(const char *path, const char *text, size_t n);
struct status replace_or_write_text(const char *path, const char *text, size_t n);

/* An error where `out`, under whatever name, is the very file `in`: it would be destroyed while it
 * is read. What is not there is no file, NULL neither. */
struct status check_other_file(const char *out, const char *in);

#endif
