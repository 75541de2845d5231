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

/* Writes all of it where the file stands; false, with errno, where that fails. */
bool unnamed_file_write(int fd, struct str bytes);

#endif
