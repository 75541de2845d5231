/* Formats of one event a line. */
#ifndef TPTUI_PARSERS_TEXT_TEXT_LINES_H
#define TPTUI_PARSERS_TEXT_TEXT_LINES_H

#include "base/str.h"
#include "parsers/input/byte_source.h"

/* Calls `add` with each line, without its newline; false where loading was cancelled. */
bool text_lines_read(struct byte_source *source, void (*add)(void *self, struct str line),
                     void *self);

/* The same with where the line behind each begins: in the file, or in what came out of it if it is
 * packed. */
bool text_lines_read_at(struct byte_source *source,
                        void (*add)(void *self, struct str line, int64_t end), void *self);

/* "1700000052.321000" in ns; up to nine digits behind the point, at least one. False for anything
 * else. */
bool text_seconds(struct str text, int64_t *ns);

#endif
