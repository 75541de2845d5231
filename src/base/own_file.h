/* Files that are the user's own, also where others may write the folder that they are in. */
#ifndef TPTUI_BASE_OWN_FILE_H
#define TPTUI_BASE_OWN_FILE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

/* Whether it belongs to the user and nobody else may write it. */
bool own_file_is(const struct stat *st);

/* Whether nobody but the user, or root, may have written the open file: by its owner, by what
 * others may do to it, and to its folder, which `path` names. Where not, `why` says so: "it belongs
 * to uid 1001". A group of the user's own number is no other. */
bool own_file_trusted(int fd, const char *path, char *why, size_t size);

/* Whether a folder, and the link that may stand for it, belong to the user and nobody else may
 * write it: what is written there, and found there again, is the user's. */
bool own_folder_is(const char *path);

/* Opens a regular file for reading, for the caller to close; -1 where it is missing, a link, or
 * where somebody other than the user may have written it. */
int own_file_open(const char *path);

/* A new, empty file beside `path`, under a name that nobody can foretell, open for writing and
 * reading; -1, with errno, where it cannot be made. `name` becomes its name, for free(), or NULL:
 * it ends with OWN_FILE_UNFINISHED. `mode` is as of open(). */
#define OWN_FILE_UNFINISHED ".unfinished"
int own_file_make(const char *path, mode_t mode, char **name);

#endif
