/* Slices by name, longest first: sorted by a thread of its own once the timeline is there, as of
 * tens of millions of slices it takes longer than all else that a first picture needs. Who asks
 * before waits. */
#ifndef TPTUI_TUI_VIEW_SLICE_NAMES_H
#define TPTUI_TUI_VIEW_SLICE_NAMES_H

#include <stdint.h>

struct timeline;
struct slice_names;

/* Begins; the timeline's slices are indexed, and outlive this. */
struct slice_names *slice_names_start(const struct timeline *tl);
/* The same with rows that were sorted before and lie in a file: a thread looks whether they are
 * rows, and sorts where they are not. `rows` outlives this. */
struct slice_names *slice_names_adopt(const struct timeline *tl, const uint32_t *rows,
                                      uint32_t count);
void slice_names_free(struct slice_names *n);

/* The rows of slices that have a name, by name, then duration; how many. */
const uint32_t *slice_names_rows(struct slice_names *n, uint32_t *count);

#endif
