/* Locks of those that use the cache's folder at once: bytes of a file there, which the system lets
 * go with the process that has them. */
#ifndef TPTUI_PARSERS_CACHE_LOCK_H
#define TPTUI_PARSERS_CACHE_LOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "parsers/input/progress.h"

/* The lock of who loads the trace of that key (cache_key) for all: an open file, for the caller to
 * close. -1 where another has it (`*busy`), or where there can be none. */
int cache_lock_trace(const char *folder, uint64_t key, bool *busy);
/* Until nobody has it, so long at most, as a process may be stopped; or until loading shall stop.
 */
void cache_lock_wait(const char *folder, uint64_t key, uint64_t seconds,
                     const struct load_progress *progress);
/* The lock of who makes room for a file and makes the file: waits some seconds for the one that has
 * it. -1 where it has it still, or there can be none. */
int cache_lock_room(const char *folder);

#endif
