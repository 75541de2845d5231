/* Several traces as one archive that opens as one trace. */
#ifndef TPTUI_CLI_MERGE_H
#define TPTUI_CLI_MERGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

struct merge_settings {
    const char *const *inputs;
    size_t count;
    const char *output;
    const char *manifest; /* a file that says more of the traces; NULL: none */
    bool unchecked;       /* inputs need not be traces */
    bool strict;          /* the result must load without a complaint */
};

/* Writes an archive of the inputs and their manifest. Errors name the file that cannot be read or
 * written; what was at the output's place stays there then. */
struct status merge_traces(const struct merge_settings *s);

#endif
