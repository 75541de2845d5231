/* What perf says of itself between the lines of what it prints: notices of standard error, for each
 * file or event if need be. */
#ifndef TPTUI_PARSERS_TEXT_PERF_NOTICE_H
#define TPTUI_PARSERS_TEXT_PERF_NOTICE_H

#include <stdbool.h>

#include "base/str.h"

struct trace;

bool perf_notice_is(struct str line);
/* Counts the events that the line says to be lost; false where it says nothing of that kind. */
bool perf_notice_count_lost(struct trace *t, struct str line);

#endif
