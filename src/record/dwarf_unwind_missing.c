/* Where there is no libdw. */
#include "record/dwarf_unwind.h"

uint64_t dwarf_unwind_registers(void)
{
    return 0;
}

struct dwarf_unwinder *dwarf_unwinder_new(struct stack_frames *frames)
{
    (void)frames;
    return NULL;
}

void dwarf_unwinder_free(struct dwarf_unwinder *u)
{
    (void)u;
}

size_t dwarf_unwind(struct dwarf_unwinder *u, const struct dwarf_state *state, uint64_t *chain,
                    size_t most, uint32_t *error)
{
    (void)u;
    (void)state;
    (void)chain;
    (void)most;
    (void)error;
    return 0;
}
