#include "record/perf_open.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What each user may lock a CPU: perf_event_mlock_kb is 516. Where stacks are copied, a second of
 * them, as a busy machine may let us wait; that wants CAP_IPC_LOCK. */
enum { RING_PAGES = 64, RING_PAGES_MOST = 4096 };

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_event(int cpu, pid_t pid, bool kernel, const struct perf_wish *wish)
{
    uint64_t copied = wish->registers ? PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER : 0;
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE,
        .size = sizeof attr,
        .config = PERF_COUNT_SW_CPU_CLOCK,
        .sample_freq = wish->hz,
        .freq = 1,
        .sample_type =
            PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_CALLCHAIN | copied,
        .inherit = pid > 0,
        .exclude_kernel = !kernel,
        .exclude_callchain_user = copied != 0,
        .sample_regs_user = wish->registers,
        .sample_stack_user = copied ? wish->stack_bytes : 0,
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
static int open_allowed(int cpu, const struct perf_wish *wish)
{
    int fd = open_event(cpu, -1, true, wish);
    if (fd < 0 && (errno == EACCES || errno == EPERM) && wish->command > 0)
        fd = open_event(cpu, wish->command, true, wish);
    if (fd < 0 && (errno == EACCES || errno == EPERM) && wish->command > 0)
        fd = open_event(cpu, wish->command, false, wish);
    return fd;
}

static size_t wanted_pages(const struct perf_wish *wish)
{
    size_t pages = RING_PAGES;
    if (!wish->registers)
        return pages;
    size_t bytes = wish->hz * wish->stack_bytes;
    while (pages * page_size() < bytes && pages < RING_PAGES_MOST)
        pages *= 2;
    return pages;
}

int perf_ring_open(struct perf_ring *ring, int cpu, const struct perf_wish *wish)
{
    size_t pages = wanted_pages(wish);
    ring->fd = open_allowed(cpu, wish);
    if (ring->fd < 0)
        return errno;
    do {
        ring->bytes = pages * page_size();
        ring->map =
            mmap(NULL, ring->bytes + page_size(), PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
        pages /= 2;
    } while (ring->map == MAP_FAILED && errno == EPERM && pages >= RING_PAGES);
    if (ring->map != MAP_FAILED)
        return 0;
    int error = errno;
    close(ring->fd);
    return error;
}

void perf_ring_close(struct perf_ring *ring)
{
    munmap(ring->map, ring->bytes + page_size());
    close(ring->fd);
}

void perf_ring_take(struct perf_ring *ring, struct byte_list *out)
{
    struct perf_event_mmap_page *page = ring->map;
    const uint8_t *data = (const uint8_t *)ring->map + page_size();
    size_t size = ring->bytes;
    uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
    size_t from = (size_t)(tail % size), n = (size_t)(head - tail);
    size_t first = n < size - from ? n : size - from;
    byte_list_add(out, data + from, first);
    byte_list_add(out, data, n - first);
    __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}
