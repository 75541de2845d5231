/* The indexes of a timeline as a file, beside that of the trace's columns: mapped the next time, so
 * that a first picture costs what it shows, whatever the trace's size.
 *
 * The file is a head, a list of parts with a sum of each, and the parts. What is small (where lanes
 * begin, facts about threads and processes, flows) is checked when it is opened. What is as large
 * as the tables is checked by who calls stored_timeline_is_sound; until then a view takes it for
 * row numbers and times only where they fit (lanes_row, timeline_track_depths), so that a damaged
 * or hostile file draws nonsense for a moment and does no other harm. */
#ifndef TPTUI_TUI_INDEX_STORED_TIMELINE_H
#define TPTUI_TUI_INDEX_STORED_TIMELINE_H

#include <stdatomic.h>

#include "base/status.h"
#include "tui/index/timeline.h"

/* In place of timeline_init. `content` says which trace it is; false, with nothing to release,
 * where the file is of another one, of another version of the program, or damaged. The file is
 * mapped; `fd` stays the caller's to close. */
bool stored_timeline_open(struct timeline *tl, const struct trace *trace, int fd, uint64_t content);

/* Whether all of the file is what was written; true where the timeline is of none. Any thread. */
bool stored_timeline_is_sound(const struct timeline *tl);

/* How large the file will be, in bytes. Waits for the names of slices to be sorted, as writing
 * does. */
uint64_t stored_timeline_size(const struct timeline *tl);
/* Writes it, from the file's beginning; the timeline may be in use. STATUS_CANCELLED where `cancel`
 * was set; errors name no file. */
struct status stored_timeline_write(const struct timeline *tl, int fd, uint64_t content,
                                    const atomic_bool *cancel);

/* For timeline_release: what points into the file does no longer. */
void stored_timeline_release(struct timeline *tl);

#endif
