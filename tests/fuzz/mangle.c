/* Damages traces and loads them: cut at some byte, or with some bytes changed. Each must load or
 * fail within ten times of what the intact trace needs, in time and memory. For hand: takes
 * minutes.
 *
 * Usage: mangle [--cuts N] [--flips N] [--seed N] TRACE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>
#include <time.h>

#include "../test_file.h"
#include "base/str.h"
#include "core/trace.h"
#include "parsers/load.h"

enum { TIMES = 10, SLACK_MS = 200, FLIPS_AT_ONCE = 8 };
static const size_t slack_bytes = (size_t)64 << 20;

struct cost {
    double ms;
    size_t bytes; /* that the loaded trace holds */
    bool loaded;
};

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static size_t heap_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

static struct cost load(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = alloc_bytes(size); /* of its own size: a sanitizer sees what lies behind it */
    memcpy(copy, bytes, size);
    struct trace *t = alloc_bytes(sizeof *t);
    size_t before = heap_bytes();
    double start = now_ms();
    trace_init(t);
    struct status s = trace_load_memory(t, "mangled", copy, size, NULL);
    struct cost cost = {now_ms() - start, heap_bytes() - before, status_ok(s)};
    status_release(&s);
    trace_release(t);
    free(t);
    free(copy);
    return cost;
}

struct run {
    unsigned long cuts, flips, loaded, slow, large;
    uint64_t seed;
};

static void judge(struct run *run, const char *path, const char *how, uint64_t at,
                  struct cost intact, struct cost cost)
{
    run->loaded += cost.loaded;
    if (cost.ms > intact.ms * TIMES + SLACK_MS) {
        run->slow++;
        printf("%s: %s %llu: %.0f ms, intact %.0f ms\n", path, how, (unsigned long long)at, cost.ms,
               intact.ms);
    }
    if (cost.bytes > intact.bytes * TIMES + slack_bytes) {
        run->large++;
        printf("%s: %s %llu: %zu bytes, intact %zu\n", path, how, (unsigned long long)at,
               cost.bytes, intact.bytes);
    }
}

static void mangle(struct run *run, const char *path)
{
    struct test_file file = test_file_read(path);
    struct cost intact = load(file.bytes, file.size);
    for (unsigned long i = 0; i < run->cuts; i++) {
        size_t at = next_random(&run->seed) % file.size;
        judge(run, path, "cut at", at, intact, load(file.bytes, at));
    }
    for (unsigned long i = 0; i < run->flips; i += FLIPS_AT_ONCE) {
        size_t places[FLIPS_AT_ONCE];
        uint8_t old[FLIPS_AT_ONCE];
        uint64_t seed = run->seed;
        for (int k = 0; k < FLIPS_AT_ONCE; k++) {
            places[k] = next_random(&run->seed) % file.size;
            old[k] = file.bytes[places[k]];
            file.bytes[places[k]] = (uint8_t)next_random(&run->seed);
        }
        judge(run, path, "flips of seed", seed, intact, load(file.bytes, file.size));
        for (int k = FLIPS_AT_ONCE; k-- > 0;)
            file.bytes[places[k]] = old[k];
    }
    free(file.bytes);
}

int main(int argc, char **argv)
{
    struct run run = {.cuts = 100, .flips = 1000, .seed = 1};
    uint64_t value;
    int i = 1;
    for (; i + 1 < argc && argv[i][0] == '-' && str_to_u64(str_from(argv[i + 1]), 10, &value);
         i += 2) {
        if (strcmp(argv[i], "--cuts") == 0)
            run.cuts = value;
        else if (strcmp(argv[i], "--flips") == 0)
            run.flips = value;
        else if (strcmp(argv[i], "--seed") == 0)
            run.seed = value;
        else
            break;
    }
    int traces = argc - i;
    if (traces <= 0 || argv[i][0] == '-') {
        fprintf(stderr, "usage: mangle [--cuts N] [--flips N] [--seed N] TRACE...\n");
        return 2;
    }
    for (; i < argc; i++)
        mangle(&run, argv[i]);
    printf("%d traces, each cut %lu times and with %lu bytes changed: %lu loads gave rows, %lu too "
           "slow, %lu too large\n",
           traces, run.cuts, run.flips, run.loaded, run.slow, run.large);
    return run.slow || run.large;
}
