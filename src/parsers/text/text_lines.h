/* Formats of one event a line. */
#ifndef TPTUI_PARSERS_TEXT_TEXT_LINES_H
#define TPTUI_PARSERS_TEXT_TEXT_LINES_H

#include "base/str.h"
#include "core/stats.h"
#include "parsers/input/byte_source.h"

/* Calls `add` with each line, without its newline; false where loading was cancelled. */
bool text_lines_read(struct byte_source *source, void (*add)(void *self, struct str line),
                     void *self);

/* The same with where each line begins: in the file, or in what came out of it if it is packed. */
bool text_lines_read_at(struct byte_source *source,
                        void (*add)(void *self, struct str line, int64_t offset), void *self);

/* Counts a line that cannot be read and says in trace_import_logs where it is, what was `expected`
 * and how the line begins. Of a file's, those are said that come first; `*logged` is 0 before. */
void text_lines_log(struct trace *t, uint32_t *logged, enum stat_key key, struct str line,
                    int64_t offset, const char *expected);

/* "1700000052.321000" in ns; up to nine digits behind the point, at least one. False for anything
 * else. */
bool text_seconds(struct str text, int64_t *ns);

#endif
