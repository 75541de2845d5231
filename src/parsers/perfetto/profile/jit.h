/* Code that processes make while they run: what lies where at the moment, and callstacks' frames in
 * it. Code that is written over, or moved over, has ended. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_JIT_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_JIT_H

#include "parsers/perfetto/packets/import.h"

/* Such code may be at [start, end) of the process. */
void jit_add_range(struct import *im, uint32_t upid, uint64_t start, uint64_t end);

/* Code that is there from the row's create_ts on; start + size must not overflow. `symbols` is the
 * symbol_set_id of its frames, NULL_U32 for none. Returns the row of jit_code. */
uint32_t jit_load(struct import *im, uint32_t upid, const struct jit_code_row *row,
                  uint32_t symbols);
/* The code at an address lies at another one from `ts` (ns) on. */
void jit_move(struct import *im, uint32_t upid, int64_t ts, uint64_t from, uint64_t to);

/* Whether the process has such ranges, and whether the address is in one. */
bool jit_known(struct import *im, uint32_t upid);
bool jit_covers(struct import *im, uint32_t upid, uint64_t address);
/* The frame of what lies at a covered address now; `name` (may be NULL_STRING) is the frame's own
 * name, which counts where no code is known (counted in stats). */
uint32_t jit_frame(struct import *im, uint32_t upid, uint64_t address, uint32_t mapping,
                   int64_t rel_pc, string_id name, string_id type);

#endif
