/* Formats of one event a line. */
#ifndef TPTUI_PARSERS_TEXT_TEXT_LINES_H
#define TPTUI_PARSERS_TEXT_TEXT_LINES_H

#include "base/str.h"
#include "parsers/input/byte_source.h"

struct trace;

/* Calls `add` with each line, without its newline; false where loading was cancelled. Holes, runs
 * of four zero bytes or more, are counted as loss, with what is left of the line in front of each,
 * and no line has any, though it may have fewer zero bytes. A last line without its newline is read
 * and counted as one that was cut, whatever it says, as it may say less than it did; of a file that
 * is still written, it is left for when it is whole. */
bool text_lines_read(struct trace *t, struct byte_source *source,
                     void (*add)(void *self, struct str line), void *self);

/* The same with where the line behind each begins: in the file, or in what came out of it if it is
 * packed. */
bool text_lines_read_at(struct trace *t, struct byte_source *source,
                        void (*add)(void *self, struct str line, int64_t end), void *self);

/* For readers of a line that is nothing they know, be it data, a header or a notice: counted as
 * loss, unless it is blank, a comment behind "#" or a prompt. */
void text_lines_unread(struct trace *t, struct str line);

/* Cuts off what is in front of the next hole, a run of four zero bytes or more, and the hole;
 * returns its size, 0 where there is none: then all of `text` is in `before`. */
size_t text_lines_cut_hole(struct str *text, struct str *before);

/* "1700000052.321000" in ns; up to nine digits behind the point, at least one. False for anything
 * else. */
bool text_seconds(struct str text, int64_t *ns);

#endif
