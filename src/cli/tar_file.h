/* Writing a tar file (ustar), member by member. */
#ifndef TPTUI_CLI_TAR_FILE_H
#define TPTUI_CLI_TAR_FILE_H

#include <stdio.h>

#include "base/status.h"

/* Appends the file at `path` as a member of that name, which has at most 100 bytes. */
struct status tar_add_file(FILE *tar, const char *name, const char *path);
/* What stands behind the last member. */
struct status tar_end(FILE *tar);

#endif
