/* Formats of one event a line. */
#ifndef TPTUI_PARSERS_TEXT_LINES_H
#define TPTUI_PARSERS_TEXT_LINES_H

#include "base/str.h"
#include "parsers/byte_source.h"

/* Calls `add` with each line, without its newline; false where loading was cancelled. */
bool text_lines_read(struct byte_source *source, void (*add)(void *self, struct str line),
                     void *self);

#endif
