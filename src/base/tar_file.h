/* Writing a tar file (ustar), member by member. Names have at most 100 bytes. */
#ifndef TPTUI_BASE_TAR_FILE_H
#define TPTUI_BASE_TAR_FILE_H

#include <stdio.h>

#include "base/status.h"
#include "base/str.h"

/* Appends the file at `path` as a member of that name. */
struct status tar_add_file(FILE *tar, const char *name, const char *path);
/* Appends bytes as a member of that name. */
struct status tar_add_bytes(FILE *tar, const char *name, struct str bytes);

/* A member whose size is not known yet: what is written to `tar` between these becomes its
 * contents. The first returns where it begins, for the second, or -1 where `tar` cannot seek. */
long tar_begin_member(FILE *tar);
struct status tar_end_member(FILE *tar, const char *name, long begin);

/* What stands behind the last member. */
struct status tar_end(FILE *tar);

#endif
