#include "base/memory_left.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/str.h"

/* Files of /proc and of control groups, which are short. */
enum { FILE_MAX = 8192 };

struct small_file {
    char text[FILE_MAX];
};

static bool read_file(struct small_file *f, const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, f->text, sizeof f->text - 1) : -1;
    if (fd >= 0)
        close(fd);
    f->text[n > 0 ? n : 0] = '\0';
    return n > 0;
}

static bool read_group_file(struct small_file *f, const struct memory_group *g, const char *name)
{
    char path[MEMORY_PATH_MAX + 64];
    snprintf(path, sizeof path, "%s/%s", g->path, name);
    return read_file(f, path);
}

/* A number in a file of its own; UINT64_MAX for "max", and where there is no file. */
static uint64_t read_number(const struct memory_group *g, const char *name)
{
    struct small_file f;
    uint64_t value;
    if (!read_group_file(&f, g, name) || sscanf(f.text, "%" SCNu64, &value) != 1)
        return UINT64_MAX;
    return value;
}

/* The number behind a key at the begin of a line, 0 where it is not there. */
static uint64_t number_of(const struct small_file *f, const char *key)
{
    size_t n = strlen(key);
    const char *line = f->text;
    for (; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, n) == 0 && (line[n] == ' ' || line[n] == ':'))
            return strtoull(line + n + 1, NULL, 10);
        if (*line == '\0')
            break;
    }
    return 0;
}

static uint64_t minus(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static struct memory_left machine_left(const char *root)
{
    struct small_file f;
    char path[MEMORY_PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    if (!read_file(&f, path))
        return (struct memory_left){UINT64_MAX, UINT64_MAX, false};
    return (struct memory_left){
        .left = (number_of(&f, "MemAvailable") + number_of(&f, "SwapFree")) * 1024,
        .limit = number_of(&f, "MemTotal") * 1024,
    };
}

/* The swap that a group may still take of what the machine has. */
static uint64_t group_swap(const struct memory_group *g, uint64_t free_swap)
{
    uint64_t most = read_number(g, "memory.swap.max"), used = read_number(g, "memory.swap.current");
    if (g->first_version || used == UINT64_MAX)
        return 0;
    uint64_t left = most == UINT64_MAX ? free_swap : minus(most, used);
    return left < free_swap ? left : free_swap;
}

static struct memory_left group_left(const struct memory_group *g, uint64_t free_swap)
{
    bool first = g->first_version;
    struct memory_left l = {UINT64_MAX, UINT64_MAX, true};
    l.limit = read_number(g, first ? "memory.limit_in_bytes" : "memory.max");
    uint64_t used = read_number(g, first ? "memory.usage_in_bytes" : "memory.current");
    struct small_file stat;
    if (l.limit == UINT64_MAX || used == UINT64_MAX)
        return l;
    uint64_t files = 0;
    if (read_group_file(&stat, g, "memory.stat"))
        files = number_of(&stat, first ? "total_inactive_file" : "inactive_file") +
                number_of(&stat, first ? "total_active_file" : "active_file");
    l.left = minus(l.limit, minus(used, files)) + group_swap(g, free_swap);
    return l;
}

/* Adds the group and those above it, down to where they are mounted. */
static void add_groups(struct memory_meter *m, const char *mount, struct str path, bool first)
{
    while (m->group_count < MEMORY_GROUPS_MAX) {
        struct memory_group *g = &m->groups[m->group_count];
        g->first_version = first;
        int n = snprintf(g->path, sizeof g->path, "%s%s%.*s", m->root, mount, (int)path.n, path.p);
        const char *limit = first ? "memory.limit_in_bytes" : "memory.max";
        if (n > 0 && (size_t)n < sizeof g->path && read_number(g, limit) != UINT64_MAX)
            m->group_count++;
        if (path.n == 0)
            return;
        while (path.n > 0 && path.p[path.n - 1] != '/')
            path.n--;
        path.n -= path.n > 0;
    }
}

/* A line of /proc/self/cgroup: number:controllers:path. No controllers: the second version. */
static void add_line(struct memory_meter *m, struct str line)
{
    size_t colon = str_find(line, ':');
    struct str rest = colon < line.n ? str_skip(line, colon + 1) : (struct str){"", 0};
    size_t end = str_find(rest, ':');
    if (end >= rest.n)
        return;
    struct str controllers = str_from_to(rest, 0, end), path = str_skip(rest, end + 1);
    if (path.n == 1)
        path.n = 0;
    if (controllers.n == 0)
        add_groups(m, "/sys/fs/cgroup", path, false);
    else if (str_eq(controllers, STR("memory")))
        add_groups(m, "/sys/fs/cgroup/memory", path, true);
}

void memory_meter_init(struct memory_meter *m, const char *root)
{
    struct small_file f;
    char path[MEMORY_PATH_MAX];
    *m = (struct memory_meter){.root = root};
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    if (!read_file(&f, path))
        return;
    struct str text = str_from(f.text);
    while (text.n > 0) {
        size_t end = str_find(text, '\n');
        add_line(m, str_from_to(text, 0, end));
        text = end < text.n ? str_skip(text, end + 1) : (struct str){"", 0};
    }
}

static uint64_t free_swap(const char *root)
{
    struct small_file f;
    char path[MEMORY_PATH_MAX];
    snprintf(path, sizeof path, "%s/proc/meminfo", root);
    return read_file(&f, path) ? number_of(&f, "SwapFree") * 1024 : 0;
}

struct memory_left memory_meter_read(const struct memory_meter *m)
{
    struct memory_left least = machine_left(m->root);
    uint64_t swap = m->group_count ? free_swap(m->root) : 0;
    for (int i = 0; i < m->group_count; i++) {
        struct memory_left l = group_left(&m->groups[i], swap);
        if (l.left < least.left)
            least = l;
    }
    return least;
}

uint64_t memory_data_left(void)
{
    struct rlimit most;
    struct small_file f;
    if (getrlimit(RLIMIT_DATA, &most) != 0 || most.rlim_cur == RLIM_INFINITY)
        return UINT64_MAX;
    read_file(&f, "/proc/self/status");
    return minus(most.rlim_cur, number_of(&f, "VmData") * 1024);
}
