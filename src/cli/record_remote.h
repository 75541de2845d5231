/* tptui record --ssh: the recorder runs on another machine, and its trace comes back. */
#ifndef TPTUI_CLI_RECORD_REMOTE_H
#define TPTUI_CLI_RECORD_REMOTE_H

#include <stdint.h>

#include "base/status.h"
#include "base/str.h"
#include "cli/options.h"

struct remote_recording {
    const char *host; /* as ssh knows it */
    const struct option_table *options;
    int argc; /* of the options; those in `own` are not handed on */
    char **argv;
    const char *const *own; /* ended by NULL */
    char *const *command;   /* NULL: none */
    struct str config;      /* the text of --config; empty: none */
};

struct remote_result {
    uint64_t bytes;
    int exit_status; /* the recorder's */
};

/* Copies this program to the host where it lacks the same build, into a folder that only the user
 * sees and that is gone at the end: the end of the connection, too, ends the recording there.
 * Signals (INT, TERM, HUP) end it in order; the trace goes to `fd`. */
struct status remote_record(const struct remote_recording *r, int fd, struct remote_result *result);

#endif
