/* tptui-gen: writes traces of machines that never were. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "device.h"
#include "profile.h"
#include "sim.h"

static const struct profile *const profiles[] = {&android_profile, &linux_profile, &flows_profile};

enum { PROFILE_COUNT = sizeof profiles / sizeof *profiles };

struct options {
    const struct profile *profile;
    const char *path;
    uint64_t size, seed;
    bool compress;
};

static void usage(FILE *to)
{
    (void)fprintf(to,
                  "Usage: tptui-gen [OPTION]... FILE\n"
                  "Writes a trace in Perfetto's format. The same options give the same bytes.\n\n"
                  "  -p, --profile NAME  what to simulate:\n");
    for (size_t i = 0; i < PROFILE_COUNT; i++)
        (void)fprintf(to, "                        %-8s %s\n", profiles[i]->name,
                      profiles[i]->help);
    (void)fprintf(to,
                  "  -s, --size BYTES    stop when the trace is about this long: 1M .. 2G\n"
                  "  -r, --seed NUMBER   another course of events (default 1)\n"
                  "  -c, --compress      packets deflated in batches; --size is what results\n");
}

static bool parse_number(const char *text, bool suffix, uint64_t *out)
{
    char *end;
    errno = 0;
    uint64_t n = strtoull(text, &end, 10), scale = 1;
    if (errno || end == text || *text == '-')
        return false;
    if (suffix && *end) {
        const char *units = "KMG", *hit = strchr(units, *end++);
        if (!hit)
            return false;
        scale = UINT64_C(1) << (10 * (hit - units + 1));
    }
    *out = n * scale;
    return *end == '\0' && n <= UINT64_MAX / scale;
}

static const struct profile *profile_find(const char *name)
{
    for (size_t i = 0; i < PROFILE_COUNT; i++) {
        if (strcmp(profiles[i]->name, name) == 0)
            return profiles[i];
    }
    return NULL;
}

/* 0 to go on, 1 where help was asked for, 2 where the options make no sense. */
static int options_parse(struct options *o, int argc, char **argv)
{
    static const struct option longs[] = {{"profile", required_argument, NULL, 'p'},
                                          {"size", required_argument, NULL, 's'},
                                          {"seed", required_argument, NULL, 'r'},
                                          {"compress", no_argument, NULL, 'c'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    *o = (struct options){.profile = profiles[0], .seed = 1};
    for (int c; (c = getopt_long(argc, argv, "p:s:r:ch", longs, NULL)) != -1;) {
        bool good = c != '?';
        if (c == 'p')
            good = (o->profile = profile_find(optarg)) != NULL;
        else if (c == 's')
            good = parse_number(optarg, true, &o->size);
        else if (c == 'r')
            good = parse_number(optarg, false, &o->seed);
        else if (c == 'c')
            o->compress = true;
        else if (c == 'h')
            return 1;
        if (!good)
            return 2;
    }
    if (argc - optind != 1)
        return 2;
    o->path = argv[optind];
    return 0;
}

static uint64_t bytes_so_far(const struct sim *sim)
{
    uint64_t bytes = sim->out.bytes;
    for (int i = 0; !sim->out.compress && i < CPU_COUNT; i++) {
        const struct ftrace_cpu *c = &sim->ftrace.cpus[i];
        bytes += c->events.size + 8 * c->sched.switch_state.size + 8 * c->sched.waking_flags.size;
    }
    return bytes;
}

static bool simulate(const struct options *o, FILE *file)
{
    struct sim sim;
    sim_init(&sim, file, o->compress, o->seed);
    sim.bounded = o->size == 0;
    o->profile->start(&sim);
    while (!sim.out.failed && (o->size ? bytes_so_far(&sim) < o->size : !o->profile->done(&sim)))
        sim_run_until(&sim, sim.now + 5 * MS);
    device_flush(&sim);
    o->profile->release(&sim);
    sim_release(&sim);
    if (sim.out.failed)
        (void)fprintf(stderr, "tptui-gen: %s: %s\n", o->path, strerror(sim.out.error));
    return !sim.out.failed;
}

int main(int argc, char **argv)
{
    struct options o;
    int answer = options_parse(&o, argc, argv);
    if (answer) {
        usage(answer == 1 ? stdout : stderr);
        return answer == 1 ? 0 : 2;
    }
    FILE *file = fopen(o.path, "wbe");
    if (!file) {
        (void)fprintf(stderr, "tptui-gen: %s: %s\n", o.path, strerror(errno));
        return 1;
    }
    bool good = simulate(&o, file);
    return fclose(file) == 0 && good ? 0 : 1;
}
