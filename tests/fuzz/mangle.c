/* Damages traces and loads them: cut at some byte, or with some bytes changed. Each must load or
 * fail within ten times of what the intact trace needs, in time and memory. To be run by hand: it
 * takes minutes.
 *
 * Usage: mangle [--cuts N] [--flips N] [--seed N] TRACE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <malloc.h>
#include <time.h>

#include "../test_file.h"
#include "base/str.h"
#include "core/trace_builder.h"
#include "parsers/load.h"

enum { TIMES = 10, FLIPS_AT_ONCE = 8 };
/* What small traces may differ by: a busy machine's noise. */
static const double slack_ms = 20, slack_mib = 4;

struct cost {
    double ms, mib; /* processor time; memory at its peak, besides the file's bytes */
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

/* A line of /proc/self/status in MiB: "VmRSS:" (now) or "VmHWM:" (the highest so far). */
static double memory_mib(const char *name)
{
    char line[256];
    double kib = 0;
    FILE *f = fopen("/proc/self/status", "r");
    while (f && fgets(line, sizeof line, f))
        if (strncmp(line, name, strlen(name)) == 0)
            kib = strtod(line + strlen(name), NULL);
    if (f)
        fclose(f);
    return kib / 1024;
}

static void forget_peak(void)
{
    FILE *f = fopen("/proc/self/clear_refs", "w");
    if (!f)
        return;
    fputs("5", f); /* resets VmHWM, see proc(5) */
    fclose(f);
}

static struct cost load(const uint8_t *bytes, size_t size)
{
    uint8_t *copy = alloc_bytes(size); /* of its own size: a sanitizer sees what lies behind it */
    memcpy(copy, bytes, size);
    struct trace *t = alloc_bytes(sizeof *t);
    malloc_trim(0);
    forget_peak();
    double before = memory_mib("VmRSS:");
    double start = now_ms();
    trace_init(t);
    struct status s = trace_load_memory(t, "mangled", copy, size, NULL);
    struct cost cost = {now_ms() - start, memory_mib("VmHWM:") - before, status_ok(s)};
    status_release(&s);
    trace_release(t);
    free(t);
    free(copy);
    return cost;
}

struct run {
    unsigned long cuts, flips, loads, loaded, slow, large;
    double slowest, largest; /* in times of the intact trace */
    uint64_t seed;
};

static void judge(struct run *run, const char *path, const char *how, uint64_t at,
                  struct cost intact, struct cost cost)
{
    run->loads++;
    run->loaded += cost.loaded;
    if (cost.ms / intact.ms > run->slowest)
        run->slowest = cost.ms / intact.ms;
    if (cost.mib / intact.mib > run->largest)
        run->largest = cost.mib / intact.mib;
    if (cost.ms > intact.ms * TIMES + slack_ms) {
        run->slow++;
        printf("%s: %s %llu: %.0f ms, intact %.0f ms\n", path, how, (unsigned long long)at, cost.ms,
               intact.ms);
    }
    if (cost.mib > intact.mib * TIMES + slack_mib) {
        run->large++;
        printf("%s: %s %llu: %.0f MiB, intact %.0f MiB\n", path, how, (unsigned long long)at,
               cost.mib, intact.mib);
    }
}

static void mangle(struct run *run, const char *path)
{
    struct test_file file = test_file_read(path);
    load(file.bytes, file.size); /* the first one finds cold caches */
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
    printf("%d traces, each cut %lu times and with %lu bytes changed, %d at once: %lu of %lu loads "
           "gave rows; %lu too slow, %lu too large; at most %.1f times the time and %.1f times the "
           "memory\n",
           traces, run.cuts, run.flips, FLIPS_AT_ONCE, run.loaded, run.loads, run.slow, run.large,
           run.slowest, run.largest);
    return run.slow || run.large;
}
