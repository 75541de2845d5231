/* What engines have in common whose processes are `tptui batch --rows-only` on other machines: a
 * folder of the run with what these are asked, and what becomes of tasks. */
#ifndef TPTUI_CLI_BATCH_BATCH_ELSEWHERE_H
#define TPTUI_CLI_BATCH_BATCH_ELSEWHERE_H

#include <limits.h>

#include "cli/batch/batch.h"

struct batch_elsewhere {
    struct batch_tasks *tasks;
    const struct batch_settings *settings;
    const struct batch_output *output;
    size_t added; /* tasks from the first on that the output has, or that failed */
    bool is_full; /* the output takes no more */
    /* The folder is sent, together with so much of the end of its path that what is left in front
     * has this length: words then name files from there on, and those that options name are linked
     * into it. 0: all machines see the same files. */
    size_t sent;
    char *folder; /* run.XXXXXX, owned */
    char program[PATH_MAX];
};

/* Makes the folder, in another, with the texts of scripts and specs. False where it cannot be
 * written. */
bool elsewhere_begin(struct batch_elsewhere *e, const char *in);
/* A path of the folder, for free(). */
char *elsewhere_path(const struct batch_elsewhere *e, const char *name);
/* A new file there; NULL where it cannot be made. */
FILE *elsewhere_create(const struct batch_elsewhere *e, const char *name);
/* False where not all was written. */
bool elsewhere_close(FILE *f);

/* Words of a command for a shell, each with a blank in front: an option and its value; and what the
 * run asks: scripts, specs and options. */
void elsewhere_put_option(FILE *f, const char *option, const char *value);
void elsewhere_put_asked(const struct batch_elsewhere *e, FILE *f);

/* Tasks that wait, in the order in which they are to begin: that of the list, as rows go to the
 * output in it, but for those that take long, which would be waited for at the end. For free(). */
struct batch_task **elsewhere_waiting(const struct batch_elsewhere *e, size_t *count);
/* The size of its file; 0 where that is not here. */
uint64_t elsewhere_size(const struct batch_task *t);
/* Whether rows of it are kept: then it is done, and its file not open, as there may be thousands.
 */
bool elsewhere_is_kept(const struct batch_elsewhere *e, struct batch_task *t);
void elsewhere_fail(struct batch_task *t, const char *why);
void elsewhere_fail_waiting(const struct batch_elsewhere *e, const char *why);
/* Makes a task that waits one that is done or failed, if its process has left a result. */
typedef void elsewhere_take_fn(const struct batch_elsewhere *e, struct batch_task *t);
/* While processes run: gives the output what has ended, in the order of the list, up to the first
 * that has not. */
void elsewhere_add_ended(struct batch_elsewhere *e, elsewhere_take_fn *take);
/* At the end: the rest of what is done; `take` may be NULL. False where the output took no more. */
bool elsewhere_add_rest(struct batch_elsewhere *e, elsewhere_take_fn *take);

#endif
