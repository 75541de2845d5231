/* Traces that were opened, or looked at for a list, and what was found first in them: a file in
 * ~/.local/state/tptui, a trace a line. */
#ifndef TPTUI_TUI_APP_KNOWN_TRACES_H
#define TPTUI_TUI_APP_KNOWN_TRACES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"

struct known_trace {
    char *path;             /* absolute; owned */
    char *finding;          /* a line; "": nothing stood out; owned, NULL: nobody has looked */
    int64_t opened_s;       /* since 1970; 0: never */
    int64_t size, mtime_ns; /* of the file that `finding` is of */
};

struct known_traces {
    VEC(struct known_trace) v; /* those opened last first */
};

/* Nothing where there is no file yet. */
void known_traces_read(struct known_traces *k);
void known_traces_release(struct known_traces *k);
/* What is known of the file as it is now, NULL: nothing. */
const struct known_trace *known_traces_find(const struct known_traces *k, const char *path);

/* Notes in the file what was found first in a trace (NULL: nobody has looked), and, where `opened`,
 * that it was opened now. What cannot be written is not noted. */
void known_traces_note(const char *path, const char *finding, bool opened);

#endif
