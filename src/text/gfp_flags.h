/* The names that the kernel prints for the flags of an allocation (gfp_flags of its events). */
#ifndef TPTUI_TEXT_GFP_FLAGS_H
#define TPTUI_TEXT_GFP_FLAGS_H

#include <stdint.h>

#include "text/task_state.h"

/* Removes from `*flags` those that the next name stands for, and returns that name; names of
 * several flags come first. NULL: what is left has no name in that kernel. */
const char *gfp_flags_take(uint64_t *flags, kernel_version version);

#endif
