/* Slices by the family of their names (text/name_family.h), longest first: sorted by a thread of
 * its own once the timeline is there, as of tens of millions of slices it takes longer than all
 * else that a first picture needs. Who asks before waits. */
#ifndef TPTUI_TUI_INDEX_SLICE_NAMES_H
#define TPTUI_TUI_INDEX_SLICE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/store/string_pool.h"

struct timeline;
struct slice_names;

/* Begins; the timeline's slices are indexed, and outlive this. */
struct slice_names *slice_names_start(const struct timeline *tl);
/* The same with rows that were sorted before and lie in a file: a thread looks whether they are
 * rows, and sorts where they are not. `rows` outlives this. */
struct slice_names *slice_names_adopt(const struct timeline *tl, const uint32_t *rows,
                                      uint32_t count);
void slice_names_free(struct slice_names *n);

/* The rows of slices that have a name, by the family of it, then duration; how many. */
const uint32_t *slice_names_rows(struct slice_names *n, uint32_t *count);
/* What a name's family is known by: the first name of it, or the name where it is the only one. */
string_id slice_names_family(struct slice_names *n, string_id name);
/* Whether the family has other names than this one. */
bool slice_names_has_others(struct slice_names *n, string_id name);

#endif
