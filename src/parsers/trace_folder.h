/* The traces below a folder. */
#ifndef TPTUI_PARSERS_TRACE_FOLDER_H
#define TPTUI_PARSERS_TRACE_FOLDER_H

#include <stdbool.h>

#include "parsers/load.h"

/* Whether it is a folder, and no trace by itself as a recording of perf's may be. */
bool trace_folder_is(const char *path);

/* Calls `found` for each regular file below, by name, until it says false; with `one_system` only
 * in the folder's own file system. Links to folders are not followed: they may lead back. */
void trace_folder_walk(const char *folder, bool one_system,
                       bool (*found)(void *self, const char *path, const struct trace_look *look),
                       void *self);

#endif
