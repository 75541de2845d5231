/* The folder of the cache and the names in it. */
#ifndef TPTUI_PARSERS_CACHE_FOLDER_H
#define TPTUI_PARSERS_CACHE_FOLDER_H

#include "core/trace/stored_columns.h"
#include "parsers/cache.h"

/* The folder, for free(), made where `make` and it is missing; NULL where there is none, or where
 * others may write it. `own` is that of cache_options; NULL: the user's. */
char *cache_folder(const char *own, bool make);
/* Where the columns of the trace that `source` identifies are kept, or would be, for free(); NULL
 * where there is no folder. `own` and `make` as above. */
char *cache_path(const char *own, const struct stored_source *source, bool make);
/* What identifies an open trace file where it lies; false where it is no regular file, is being
 * changed or cannot be read. `as` NULL: its own format. */
bool cache_identify(int fd, const char *path, const struct trace_format *as,
                    struct stored_source *source);
/* The same wherever it lies, which reads all of it; false, too, once `stop` (may be NULL) is set.
 */
bool cache_identify_content(int fd, const char *path, const struct trace_format *as,
                            const atomic_bool *stop, struct stored_source *source);
/* A hash of all that is compared. */
uint64_t cache_key(const struct stored_source *source);
/* What is kept beside columns has their path and this behind it. */
#define CACHE_BESIDE ".timeline"
char *cache_beside(const char *columns); /* for free() */

/* Removes what was not used for too long, then what is worth least, but nothing that is of use and
 * was used in so many seconds, until the rest takes at most `most` bytes, what is being written
 * included; false where it takes more. The list can only be released then. */
bool cache_shrink(struct cache_list *list, uint64_t most, int64_t spared_seconds);
/* That, until `size` more bytes fit; false where they do not. */
bool cache_make_room(const char *own, uint64_t size, int64_t spared_seconds);

#endif
