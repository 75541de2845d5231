/* Temporary files that nobody else can open and that are gone with the last who has them open: in
 * $SQLITE_TMPDIR, $TMPDIR, /var/tmp or /tmp, the first of them where one can be made. */
#ifndef TPTUI_BASE_UNNAMED_FILE_H
#define TPTUI_BASE_UNNAMED_FILE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/str.h"

/* Open for reading and writing, not inherited by other programs; -1 where there is no place. */
int unnamed_file_open(void);

/* The same as a stream, "w+"; NULL where there is no place. */
FILE *unnamed_file_stream(void);

/* In memory where there is no place on disk. */
int unnamed_file_open_or_memory(void);

/* For what is to be on disk and not in memory: in `folder` (NULL: none) if that can be, else as
 * above, but in no file system that is in memory. `*place` becomes where it is, for free(). -1,
 * with errno, where there is no such place. */
int unnamed_file_open_on_disk(const char *folder, char **place);

/* Writes all of it where the file stands; false, with errno, where that fails. */
bool unnamed_file_write(int fd, struct str bytes);

#endif
