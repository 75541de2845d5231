/* How much memory is left before the kernel ends processes: what the machine has available, and
 * what the control groups of this process allow (cgroup v1 and v2). */
#ifndef TPTUI_BASE_MEMORY_LEFT_H
#define TPTUI_BASE_MEMORY_LEFT_H

#include <stdbool.h>
#include <stdint.h>

enum { MEMORY_GROUPS_MAX = 16, MEMORY_PATH_MAX = 512 };

/* A control group with a limit. */
struct memory_group {
    char path[MEMORY_PATH_MAX];
    bool first_version;
};

/* Where to look: found once, as it costs more than looking. */
struct memory_meter {
    const char *root;
    struct memory_group groups[MEMORY_GROUPS_MAX];
    int group_count;
};

struct memory_left {
    uint64_t left, limit; /* bytes; UINT64_MAX where nothing is known */
    bool of_group;        /* the limit is a control group's, else the machine's memory */
};

/* `root` stands before /proc and /sys: "" but for tests. It outlives the meter. */
void memory_meter_init(struct memory_meter *m, const char *root);

/* How much this process may still take of its limit of data (RLIMIT_DATA); UINT64_MAX: no limit. */
uint64_t memory_data_left(void);

/* Of all limits the one of which least is left. Pages of files count as available, as the kernel
 * drops them first; swap that is free counts, too. */
struct memory_left memory_meter_read(const struct memory_meter *m);

#endif
