/* Where code stands, as profilers print it. */
#ifndef TPTUI_PARSERS_TEXT_SOURCE_PLACE_H
#define TPTUI_PARSERS_TEXT_SOURCE_PLACE_H

#include "core/trace_builder.h"

/* The frame of what Valgrind's tools print: "0x10920F: main (app.c:10)", "0x48E41B4: ??? (in
 * /usr/lib/libc.so.6)"; any other text is a function's name. */
uint32_t source_place_valgrind(struct trace *t, struct str text);

#endif
