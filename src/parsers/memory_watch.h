/* Keeps a load within the memory that there is: large arrays may take half of it, and go to a file
 * beyond (base/block_store.h). A thread looks, the more often the less is left, how much there is
 * (base/memory_left.h): where it becomes little, all that grows goes to the file; where hardly any
 * is left, the load is stopped before the kernel ends the process. The load itself pays nothing. */
#ifndef TPTUI_PARSERS_MEMORY_WATCH_H
#define TPTUI_PARSERS_MEMORY_WATCH_H

#include "base/memory_left.h"
#include "base/status.h"
#include "parsers/input/progress.h"

struct memory_watch;

/* Begins for a load of the file `name` in the calling thread: sets progress->low, which stops it,
 * where hardly anything is left. Where memory cannot be had at all, as under a limit of the
 * process, the program ends with a line that says so. Both arguments outlive it; never NULL. */
struct memory_watch *memory_watch_start(const char *name, struct load_progress *progress);

/* Ends and frees it. Returns `loaded`, the status of the load, or, where the watch stopped it, an
 * error that says that the trace does not fit. */
struct status memory_watch_end(struct memory_watch *w, struct status loaded);

#endif
