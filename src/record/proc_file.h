/* What /proc tells of a process. */
#ifndef TPTUI_RECORD_PROC_FILE_H
#define TPTUI_RECORD_PROC_FILE_H

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/byte_list.h"

/* Of a process or thread, from its file `stat`. */
struct proc_stat {
    struct str comm; /* within the text that was read */
    int32_t ppid;
    bool is_kthread;
    uint64_t start; /* clock ticks after boot; 0: not known */
};

/* What /proc/PID/NAME has, in `text`; empty where it is gone. */
struct str proc_file_read(int32_t pid, const char *name, struct byte_list *text);

/* Reads /proc/FOLDER/stat into `text` ("12", "12/task/13"). False where it is gone. */
bool proc_stat_read(const char *folder, struct byte_list *text, struct proc_stat *out);

/* The next pid among the entries of /proc, or of a process's folder `task`; 0 behind the last one.
 */
int32_t proc_next_pid(DIR *dir);

/* When the process began, in clock ticks after boot; 0: there is none. */
uint64_t proc_start_time(pid_t pid);

#endif
