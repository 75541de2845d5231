/* What is removed when the program ends, however it ends: also killed, or left while one of its
 * threads still works. A process of its own waits for that. */
#ifndef TPTUI_CLI_REMOVAL_H
#define TPTUI_CLI_REMOVAL_H

#include <sys/types.h>

struct removal {
    const char *path, *folder; /* borrowed; a file, and the folder that it is in or NULL */
    pid_t pid;                 /* of who waits; below 0: nobody */
    int end;                   /* open in this process, and in those that it forks later */
};

struct removal removal_begin(const char *path, const char *folder);
/* Removes them now; processes that were forked in between have ended. */
void removal_end(struct removal *r);

#endif
