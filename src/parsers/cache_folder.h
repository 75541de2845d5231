/* The folder of the cache and the names in it. */
#ifndef TPTUI_PARSERS_CACHE_FOLDER_H
#define TPTUI_PARSERS_CACHE_FOLDER_H

#include "core/stored_columns.h"
#include "parsers/cache.h"

/* The folder, for free(), made where `make` and it is missing; NULL where there is none, or where
 * others may write it. */
char *cache_folder(bool make);
/* Where the columns of the trace that `source` identifies are kept, or would be, for free(); NULL
 * where there is no folder. `make` as above. */
char *cache_path(const struct stored_source *source, bool make);
/* What identifies an open trace file; false where it is no regular file or cannot be read. `as`
 * NULL: its own format. */
bool cache_identify(int fd, const char *path, const struct trace_format *as,
                    struct stored_source *source);
/* What is kept beside columns has their path and this behind it. */
#define CACHE_BESIDE ".timeline"
char *cache_beside(const char *columns); /* for free() */

/* Opens a file of the cache for reading, for the caller to close; -1 where it is missing, or where
 * somebody other than the user may have written it. */
int cache_open_file(const char *path);
/* Removes what was not used for longest until `size` more bytes fit; false where they do not. */
bool cache_make_room(uint64_t size);

#endif
