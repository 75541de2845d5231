#include "record/perf_open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { RING_PAGES = 64 }; /* what each user may lock a CPU: perf_event_mlock_kb is 516 */

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(int cpu, pid_t pid, bool kernel, uint64_t hz)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_freq = hz,
        .freq = 1,
        .sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN,
        .inherit = pid > 0,
        .exclude_kernel = !kernel,
        .mmap = 1,
        .mmap2 = 1,
        .comm = 1,
        .comm_exec = 1,
        .task = 1,
        .sample_id_all = 1,
        .use_clockid = 1,
        .clockid = CLOCK_BOOTTIME,
    };
    return (int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

/* As much as is allowed: everything; everything of the command; its own code. */
static int open_allowed(int cpu, pid_t command, uint64_t hz)
{
    int fd = open_event(cpu, -1, true, hz);
    if (fd < 0 && (errno == EACCES || errno == EPERM) && command > 0)
        fd = open_event(cpu, command, true, hz);
    if (fd < 0 && (errno == EACCES || errno == EPERM) && command > 0)
        fd = open_event(cpu, command, false, hz);
    return fd;
}

int perf_ring_open(struct perf_ring *ring, int cpu, pid_t command, uint64_t hz)
{
    ring->fd = open_allowed(cpu, command, hz);
    if (ring->fd < 0)
        return errno;
    ring->map =
        mmap(NULL, (RING_PAGES + 1) * page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
    if (ring->map != MAP_FAILED)
        return 0;
    int error = errno;
    close(ring->fd);
    return error;
}

void perf_ring_close(struct perf_ring *ring)
{
    munmap(ring->map, (RING_PAGES + 1) * page_size());
    close(ring->fd);
}

void perf_ring_take(struct perf_ring *ring, struct byte_list *out)
{
    struct perf_event_mmap_page *page = ring->map;
    const uint8_t *data = (const uint8_t *)ring->map + page_size();
    size_t size = RING_PAGES * page_size();
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
    size_t from = (size_t)(tail % size), n = (size_t)(head - tail);
    size_t first = n < size - from ? n : size - from;
    byte_list_add(out, data + from, first);
    byte_list_add(out, data, n - first);
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}
