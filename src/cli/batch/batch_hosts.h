/* The folder of a run on hosts: what goes there (the program, what is asked, of each task its trace
 * or where that lies), and what comes back of each task (its rows as one file, or why there are
 * none). Rows that are not whole are none. */
#ifndef TPTUI_CLI_BATCH_BATCH_HOSTS_H
#define TPTUI_CLI_BATCH_BATCH_HOSTS_H

#include "cli/batch/batch_elsewhere.h"

/* What goes to each host, the job that runs there ($1 is the task's number), the list of tasks,
 * what is read of each and what comes back of it, all in the folder. */
#define HOSTS_SENT "sent"
#define HOSTS_JOB  HOSTS_SENT "/job.sh"
#define HOSTS_LIST "list"
#define HOSTS_IN   "/in"
#define HOSTS_OUT  "/out"
#define HOSTS_ROWS HOSTS_OUT "/rows"
/* A file that is empty. It comes back last: what a job left is read once it is there. */
#define HOSTS_ENDED HOSTS_OUT "/the-end"

struct hosts {
    struct batch_elsewhere e; /* its folder lies in `folder` */
    char *folder;             /* of the run, "" where it cannot be made; owned */
};

enum { HOSTS_NAME_BYTES = 64 };

/* Makes the folder for the tasks that wait: how many. False where it cannot be written. */
bool hosts_prepare(struct hosts *h, size_t *count);
/* Removes it, with all that is in it. */
void hosts_remove(struct hosts *h);

/* The name of what a task has there: an end of those above. */
void hosts_name(const struct hosts *h, const struct batch_task *t, const char *end,
                char name[HOSTS_NAME_BYTES]);
/* A path of the folder, for free(). */
char *hosts_path(const struct hosts *h, const char *name);
/* Up to BATCH_ERROR_MAX bytes of a file of the run, without the program's name in front; for
 * free(), NULL where there are none. */
char *hosts_said_in(const struct hosts *h, const char *name);
/* Whether all has come back that a job leaves. */
bool hosts_has_ended(const struct hosts *h, const struct batch_task *t);
/* Rows, or why there are none; neither where it was lost. `e` is that of a struct hosts. */
elsewhere_take_fn hosts_take_result;
/* Writes the list anew, of tasks of which neither rows nor a word came back; how many. */
size_t hosts_list_lost(const struct hosts *h);

#endif
