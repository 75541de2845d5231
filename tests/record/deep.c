/* What test_record.py records with --dwarf, built without frame pointers: some functions that call
 * each other, the last of which works until it has had so much time of a CPU.
 *
 *     deep SECONDS            the chain
 *     deep SECONDS CALLS      below so many others, of 1 KB each: more than is copied
 *     deep SECONDS jit        the last one calls what is made at run time, which says nothing of
 * itself */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static volatile unsigned long counted;
static double until;
static void (*made)(void);

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

#ifdef __clang__
#define OWN_FRAME __attribute__((noinline))
#else
#define OWN_FRAME __attribute__((noinline, noclone))
#endif

/* What comes behind a call keeps it from being a jump. */
#define DEEP(NAME, CALLED)                                                                         \
    OWN_FRAME unsigned long NAME(unsigned long n);                                                 \
    unsigned long NAME(unsigned long n)                                                            \
    {                                                                                              \
        unsigned long v = CALLED(n + counted);                                                     \
        counted += v;                                                                              \
        return v + n;                                                                              \
    }

OWN_FRAME unsigned long deep_work(unsigned long n);
unsigned long deep_work(unsigned long n)
{
    while (now() < until) {
        for (int i = 0; i < 100000; i++)
            counted += n;
        if (made)
            for (int i = 0; i < 100; i++)
                made();
    }
    return counted;
}

DEEP(deep_8, deep_work)
DEEP(deep_7, deep_8)
DEEP(deep_6, deep_7)
DEEP(deep_5, deep_6)
DEEP(deep_4, deep_5)
DEEP(deep_3, deep_4)
DEEP(deep_2, deep_3)
DEEP(deep_1, deep_2)

OWN_FRAME unsigned long below(unsigned long calls);
unsigned long below(unsigned long calls)
{
    volatile char room[1000];
    room[calls % sizeof room] = 1;
    unsigned long v = calls ? below(calls - 1) : deep_1(1);
    return v + (unsigned long)room[calls % sizeof room];
}

/* A loop, and a return. */
static void make(void)
{
#if defined __x86_64__
    static const unsigned char code[] = {0xb9, 0x00, 0x00, 0x10, 0x00, /* mov ecx, 1 << 20 */
                                         0x83, 0xe9, 0x01,             /* sub ecx, 1 */
                                         0x75, 0xfb,                   /* jnz to there */
                                         0xc3};
    void *at = mmap(NULL, sizeof code, PROT_READ | PROT_WRITE | PROT_EXEC,
                    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED)
        return;
    memcpy(at, code, sizeof code);
    memcpy(&made, &at, sizeof made);
#endif
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 2;
    until = now() + atof(argv[1]);
    if (argc > 2 && strcmp(argv[2], "jit") == 0)
        make();
    return below(argc > 2 ? strtoul(argv[2], NULL, 10) : 0) == 0;
}
