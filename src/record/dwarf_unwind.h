/* Stacks of samples by what their code says of frames (.eh_frame, by libdw), from the registers and
 * the part of the stack that were copied when the sample was taken.
 *
 * What the kernel copies is a bounded part of a stack; what calls lie above that is not known, and
 * so are callers of code that says nothing of its frames, unless it keeps a frame pointer. Each
 * stack says why it ends where it does. */
#ifndef TPTUI_RECORD_DWARF_UNWIND_H
#define TPTUI_RECORD_DWARF_UNWIND_H

#include <stddef.h>
#include <stdint.h>

#include "parsers/input/bytes.h"
#include "record/stack_frames.h"

struct dwarf_unwinder;

/* What was copied for a sample. */
struct dwarf_state {
    int32_t pid;
    const uint64_t *registers; /* those of dwarf_unwind_registers(), in its order */
    struct bytes stack;        /* from the stack pointer on */
};

/* Of perf_regs.h, a bit each. 0: the program was built without libdw, or for a processor whose
 * registers nobody wrote down. */
uint64_t dwarf_unwind_registers(void);

/* `frames` knows mappings and files. */
struct dwarf_unwinder *dwarf_unwinder_new(struct stack_frames *frames);
void dwarf_unwinder_free(struct dwarf_unwinder *u);

/* Appends at most `most` addresses to `chain`, as the kernel's callchains have them, and returns
 * how many. `error` becomes one of Profiling.StackUnwindError. */
size_t dwarf_unwind(struct dwarf_unwinder *u, const struct dwarf_state *state, uint64_t *chain,
                    size_t most, uint32_t *error);

#endif
