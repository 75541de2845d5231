/* What test_record.py records: a process that spins, sleeps, reads, locks and forks, each for a
 * known time, in threads that say so by their names. */
#include <pthread.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MS = 1000000,
    SPIN_MS = 300,
    SLEEP_MS = 100,
    SLEEPS = 4,
    HELD_MS = 100,
    CHILD_MS = 50,
    WAKES = 20
};

static int ends[2];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile unsigned long counted;

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
    for (int i = 0; i < WAKES; i++)
        if (read(ends[0], &byte, 1) != 1)
            return ends;
    return unused;
}

static void *write_late(void *unused)
{
    prctl(PR_SET_NAME, "writer");
    for (int i = 0; i < WAKES; i++) {
        sleep_ms(i ? 2 : HELD_MS);
        if (write(ends[1], "x", 1) != 1)
            return ends;
    }
    return unused;
}

static void *hold(void *unused)
{
    prctl(PR_SET_NAME, "holder");
    pthread_mutex_lock(&mutex);
    sleep_ms(HELD_MS);
    pthread_mutex_unlock(&mutex);
    return unused;
}

static void *want(void *unused)
{
    prctl(PR_SET_NAME, "wanter");
    sleep_ms(HELD_MS / 4);
    pthread_mutex_lock(&mutex);
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
