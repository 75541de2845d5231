/* The command that is recorded: made before the recording begins, run when it has begun. */
#ifndef TPTUI_RECORD_COMMAND_H
#define TPTUI_RECORD_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"

struct record_command {
    pid_t pid;       /* 0: none */
    int go, problem; /* pipes: closed when it may run; why it could not */
    char *const *argv;
    bool ended;
    int status; /* of waitpid */
};

/* A process that waits to become the command. */
struct status record_command_begin(struct record_command *c, char *const *argv, bool quiet,
                                   bool no_input);
/* Lets it; an error where there is no such program. Nothing where there is none. */
struct status record_command_run(struct record_command *c);
/* Ends the process that waits. */
void record_command_cancel(struct record_command *c);
bool record_command_has_ended(struct record_command *c);
/* A command that still runs is told to end (SIGTERM), and waited for. */
void record_command_end(struct record_command *c);

#endif
