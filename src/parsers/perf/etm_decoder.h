/* Elements of Arm's instruction trace out of a chunk of its bytes, by OpenCSD, which may be missing
 * from the build, and where the program runs.
 *
 * It is loaded when a chunk is decoded first: the start of the program would take half as long
 * again otherwise. */
#ifndef TPTUI_PARSERS_PERF_ETM_DECODER_H
#define TPTUI_PARSERS_PERF_ETM_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "base/str.h"

enum etm_element_kind { ETM_OTHER, ETM_TIMESTAMP, ETM_CYCLE_COUNT, ETM_SYNC_MARKER };

struct etm_element {
    enum etm_element_kind kind;
    const char *type, *isa; /* as published: "TRACE_ON", "AARCH64" */
    uint64_t index;         /* byte behind what it was told by */
    uint64_t timestamp, start, end;
    uint32_t cycle_count, exception_level, context_id;
    bool has_timestamp, has_cycle_count, has_exception_level, has_context_id;
};

/* Calls `each` with the elements in order, as far as the bytes can be read. `registers` are those
 * of the unit, as etm_v4_configuration.registers has them. Fails where the library cannot be
 * loaded. Nothing is called where the program was built without it. */
struct status etm_decode(struct str registers, struct str data,
                         void (*each)(void *self, const struct etm_element *e), void *self);

#endif
