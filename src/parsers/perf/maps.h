/* What code is mapped where: the kernel's and each process's, as the records MMAP and MMAP2 tell,
 * and the frames that addresses are. */
#ifndef TPTUI_PARSERS_PERF_MAPS_H
#define TPTUI_PARSERS_PERF_MAPS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/perf/ranges.h"
#include "parsers/perf/wire.h"

/* The code of a process while it runs one program. */
struct perf_space {
    struct perf_ranges ranges; /* rows of stack_profile_mapping */
    uint32_t parent;           /* that of the process it was forked from; NULL_U32: none */
};

enum { PERF_FRAME_CACHE = 1 << 12 };

struct perf_cached_frame {
    uint64_t ip;
    uint32_t pid;
    uint32_t generation;
    uint32_t frame;
    bool kernel, nowhere;
};

struct perf_maps {
    struct trace *trace;
    struct arena arena;
    struct perf_ranges kernel; /* its modules */
    uint32_t kernel_image;     /* row of the kernel itself, NULL_U32: none; looked up last */
    uint64_t kernel_start, kernel_end;
    VEC(struct perf_space) spaces;
    struct map space_of_pid;   /* index in `spaces` */
    struct map nowhere_of_pid; /* the mapping of frames that are in none */
    struct map other;          /* those of perf_maps_other_frame, by name */
    struct map build_ids;      /* hash of pid and path -> string_id */
    string_id empty;
    uint32_t generation; /* of what `cache` may hold: anything mapped begins a new one */
    struct perf_cached_frame cache[PERF_FRAME_CACHE];
};

void perf_maps_init(struct perf_maps *m, struct trace *t);
void perf_maps_release(struct perf_maps *m);

/* The code of a file (pid -1: whichever process maps it) has that build id. */
void perf_maps_add_build_id(struct perf_maps *m, int32_t pid, struct str path,
                            struct bytes build_id);

/* A mapping that a record tells of. */
struct perf_mmap {
    uint32_t pid;
    uint64_t start, size, offset;
    struct str path;
    struct bytes build_id; /* NULL: as perf_maps_add_build_id says */
};

/* `upid` is the process's row; NULL_U32: the mapping is the kernel's. */
void perf_maps_add(struct perf_maps *m, int64_t ts, uint32_t upid, const struct perf_mmap *map);
/* The process has begun as a copy of another. */
void perf_maps_fork(struct perf_maps *m, uint32_t pid, uint32_t parent);
/* It runs another program: nothing is left of what it had been forked from. */
void perf_maps_exec(struct perf_maps *m, uint32_t pid);

/* The frame (row of stack_profile_frame) of an address of a process, or of the kernel that works
 * for it. Addresses outside of all mappings are counted. */
uint32_t perf_maps_frame(struct perf_maps *m, bool kernel, uint32_t pid, uint64_t ip);
/* The same; false where the address is in no mapping, which is not counted. */
bool perf_maps_find_frame(struct perf_maps *m, bool kernel, uint32_t pid, uint64_t ip,
                          uint32_t *frame);
/* The frame of an address in the mapping of that name that covers all addresses; both are made
 * where they are not there yet. */
uint32_t perf_maps_other_frame(struct perf_maps *m, struct str mapping, uint64_t ip);

#endif
