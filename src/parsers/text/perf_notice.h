/* What perf says of itself between the lines of what it prints: notices of standard error, for each
 * file or event if need be. */
#ifndef TPTUI_PARSERS_TEXT_PERF_NOTICE_H
#define TPTUI_PARSERS_TEXT_PERF_NOTICE_H

#include <stdbool.h>

#include "base/str.h"

struct trace;

/* Of the notice that is being read, which may be several lines; zeroed before the first line. */
struct perf_notice {
    bool goes_on; /* up to an empty line: what cannot be read is of it, too */
};

/* For each line, in order: whether a notice begins there. An empty line ends the one before. */
bool perf_notice_begins(struct perf_notice *n, struct str line);

/* Counts the events that the line says to be lost; false where it says nothing of that kind. */
bool perf_notice_count_lost(struct trace *t, struct str line);

#endif
