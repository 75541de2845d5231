/* The files below a folder: .sql modules, what metrics have, power curves. */
#ifndef TPTUI_SQL_ENGINE_SQL_FOLDER_H
#define TPTUI_SQL_ENGINE_SQL_FOLDER_H

#include <stdbool.h>

#include "base/status.h"
#include "base/str.h"

/* Calls `add`, in the order of their names, for each file whose name ends with `suffix`: its path
 * below the folder, with '/' in between, and its text, which is for free(). Goes on behind a file
 * that cannot be read, or, where `own_only`, that others may have written, and returns the fault of
 * the first. A folder that is not there has no files. */
struct status sql_folder_read(const char *folder, const char *suffix, bool own_only,
                              void (*add)(void *self, const char *below, struct str text),
                              void *self);

/* Why a folder gave no file: it is not there, or has none. */
struct status sql_folder_error(const char *folder);

/* Frees a file's name and text that a session owns. */
void sql_folder_free(const char *name, struct str text);

#endif
