/* What test_record.py records: a process that spins, sleeps, reads, locks and forks, each for at
 * least a known time, in threads that say so by their names. How long reading and locking took it
 * prints: "read BEGIN END", in ns of CLOCK_BOOTTIME. */
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MS = 1000000,
    SPIN_MS = 300,
    KERNEL_MS = 200,
    BLOCK_BYTES = 1 << 20,
    SLEEP_MS = 100,
    SLEEPS = 4,
    HELD_MS = 100,
    CHILD_MS = 50,
    WAKES = 20
};

static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long counted;
static atomic_int waiting; /* the thread that is to be waited for; 0: not yet */
static atomic_bool locked;

static void sleep_ms(long ms)
{
    nanosleep(&(struct timespec){.tv_nsec = ms * MS}, NULL);
}

static long cpu_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return t.tv_sec * 1000 + t.tv_nsec / MS;
}

static long long boot_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_BOOTTIME, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static int is_asleep(int tid)
{
    char path[64], text[512];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", tid);
    int fd = open(path, O_RDONLY);
    ssize_t n = fd < 0 ? 0 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = '\0';
    const char *behind = strrchr(text, ')'); /* of the name */
    return behind && strncmp(behind, ") S", 3) == 0;
}

/* However late the other thread is on a machine that is busy. */
static void wait_until_it_waits(void)
{
    while (!waiting || !is_asleep(waiting))
        sleep_ms(1);
}

/* The stack that is hot. */
__attribute__((noinline)) static void spin_hot(void)
{
    for (long i = 0; i < 100000; i++)
        counted++;
}

__attribute__((noinline)) static void spin_caller(void)
{
    while (cpu_ms() < SPIN_MS)
        spin_hot();
    counted++;
}

static void *spin(void *unused)
{
    prctl(PR_SET_NAME, "spinner");
    spin_caller();
    return unused;
}

static void *spin_in_kernel(void *unused)
{
    static char block[BLOCK_BYTES];
    prctl(PR_SET_NAME, "zero-reader");
    int fd = open("/dev/zero", O_RDONLY);
    while (cpu_ms() < KERNEL_MS)
        if (read(fd, block, sizeof block) != BLOCK_BYTES)
            return block;
    close(fd);
    return unused;
}

static void *sleep_often(void *unused)
{
    prctl(PR_SET_NAME, "sleeper");
    for (int i = 0; i < SLEEPS; i++)
        sleep_ms(SLEEP_MS);
    return unused;
}

static void *read_all(void *unused)
{
    char byte;
    prctl(PR_SET_NAME, "reader");
    for (int i = 0; i < WAKES; i++) {
        long long begin = boot_ns();
        waiting = (int)syscall(SYS_gettid);
        if (read(ends[0], &byte, 1) != 1)
            return ends;
        if (i == 0)
            printf("read %lld %lld\n", begin, boot_ns());
    }
    return unused;
}

static void *write_late(void *unused)
{
    prctl(PR_SET_NAME, "writer");
    for (int i = 0; i < WAKES; i++) {
        wait_until_it_waits();
        sleep_ms(i ? 1 : HELD_MS);
        waiting = 0;
        if (write(ends[1], "x", 1) != 1)
            return ends;
    }
    return unused;
}

static void *hold(void *unused)
{
    prctl(PR_SET_NAME, "holder");
    waiting = 0;
    pthread_mutex_lock(&mutex);
    locked = true;
    wait_until_it_waits();
    sleep_ms(HELD_MS);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *want(void *unused)
{
    prctl(PR_SET_NAME, "wanter");
    while (!locked)
        sleep_ms(1);
    long long begin = boot_ns();
    waiting = (int)syscall(SYS_gettid);
    pthread_mutex_lock(&mutex);
    printf("futex %lld %lld\n", begin, boot_ns());
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void run(void *(*a)(void *), void *(*b)(void *))
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, a, NULL);
    pthread_create(&threads[1], NULL, b, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
}

int main(void)
{
    if (pipe(ends) != 0)
        return 1;
    run(spin, sleep_often);
    run(spin_in_kernel, spin_in_kernel);
    run(read_all, write_late);
    run(hold, want);
    pid_t child = fork();
    if (child == 0) {
        prctl(PR_SET_NAME, "child");
        sleep_ms(CHILD_MS);
        _exit(0);
    }
    return waitpid(child, NULL, 0) == child ? 0 : 1;
}
