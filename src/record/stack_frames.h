/* Callstacks as interned data: frames, mappings, paths, build ids, functions of the kernel. */
#ifndef TPTUI_RECORD_STACK_FRAMES_H
#define TPTUI_RECORD_STACK_FRAMES_H

#include <stdint.h>

#include "base/map.h"
#include "parsers/proto/write.h"
#include "record/address_space.h"
#include "parsers/tracedat/kernel_symbols.h"

/* What is known of a file of code. */
struct code_file {
    uint64_t path_id, build_id; /* interned ids; the second 0: it has none */
    uint64_t load_bias;         /* from offsets in the file to addresses in it */
};

struct stack_frames {
    struct address_spaces spaces;
    struct kernel_symbols kernel;
    VEC(struct code_file) files; /* by path of `spaces`; path_id 0: not looked at */
    struct map mappings, frames, stacks, functions; /* hashes -> ids */
    uint32_t next_id;
    struct pb_bytes interned; /* fields of InternedData that were not told yet */
    struct pb_bytes entry, ids;
};

void stack_frames_init(struct stack_frames *f);
void stack_frames_release(struct stack_frames *f);
/* Ids are told anew. */
void stack_frames_again(struct stack_frames *f);

/* The id of a callstack: addresses as the kernel has them in a sample, innermost first, with marks
 * (PERF_CONTEXT_...) between. 0: it has none. */
uint64_t stack_frames_intern(struct stack_frames *f, int32_t pid, const uint64_t *chain, size_t n);

/* The file at a path of `spaces`; valid until the next is asked for. */
const struct code_file *stack_frames_file(struct stack_frames *f, uint32_t path);

#endif
