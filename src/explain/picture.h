/* A picture of a place of the timeline: a script of the program itself, in a process of its own. */
#ifndef TPTUI_EXPLAIN_PICTURE_H
#define TPTUI_EXPLAIN_PICTURE_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

#include "base/status.h"

struct picture {
    const char *trace, *place; /* as --goto takes it */
    int width, height;         /* columns and lines */
    bool svg;                  /* else text */
};

/* Where it fails, `out` has what the program said. `started` (NULL: nobody wants to know) is told
 * of the process, and with 0 before its number may be another's. */
struct status picture_print(const struct picture *wanted, void (*started)(void *self, pid_t child),
                            void *self, FILE *out);

#endif
