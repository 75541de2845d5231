/* Profiles of Firefox and of what writes its format: samply, vernier, simpleperf's export.
 * As docs-developer/gecko-profile-format.md, processed-profile-format.md and src/types/profile.ts
 * of github.com/firefox-devtools/profiler say. */
#ifndef TPTUI_PARSERS_GECKO_GECKO_H
#define TPTUI_PARSERS_GECKO_GECKO_H

#include "parsers/input/trace_format.h"

extern const struct trace_format gecko_trace_format;

#endif
