/* Objects around the one with the list of events: what Lighthouse gathers, and whole reports of it.
 *
 *     {"artifacts": {"traces": {"defaultPass": {"traceEvents": [...]}}}, "lhr": {...}}
 *     {"Trace": {"traceEvents": [...]}, "DevtoolsLog": [...]}
 *
 * Newer versions have the same recording under both names: it is read where it comes first. */
#ifndef TPTUI_PARSERS_JSON_NESTING_H
#define TPTUI_PARSERS_JSON_NESTING_H

#include <stdbool.h>

#include "base/str.h"

enum { JSON_NESTING_MOST = 4 };

/* All zero at the outermost '{'. */
struct json_nesting {
    int depth;
    bool of_passes[JSON_NESTING_MOST]; /* members at the depth are recordings, whatever they are
                                          called */
    bool has_main;                     /* the main recording was entered */
};

/* Whether the member `key`, whose value is an object, is to be entered: then its members come
 * next. */
bool json_nesting_enter(struct json_nesting *n, struct str key);
/* At the '}' of an object: whether it was entered, and the members of the one around it go on. */
bool json_nesting_leave(struct json_nesting *n);

#endif
