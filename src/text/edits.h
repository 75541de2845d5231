/* How far a name with a slip is from the one that was meant. */
#ifndef TPTUI_TEXT_EDITS_H
#define TPTUI_TEXT_EDITS_H

#include <stdbool.h>

enum { EDITS_MAX_LENGTH = 64 };

/* Edits (insert, remove, replace, swap neighbours) from one name to the other, whatever the case of
 * ASCII letters; EDITS_MAX_LENGTH where either is longer than that. */
int edits_between(const char *a, const char *b);

/* Whether so many edits are a slip in a name as long as `wanted`; 0 are none. */
bool edits_are_slip(const char *wanted, int edits);

#endif
