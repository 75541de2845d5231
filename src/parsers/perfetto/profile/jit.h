/* Code that processes generate while they run: what lies at which address at the moment that is
 * being parsed, and the frames of callstacks in it. Code ends where other code is written or moved
 * over it. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_JIT_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_JIT_H

#include "parsers/perfetto/packets/import.h"
#include "core/store/rows.h"

/* The process keeps generated code at addresses from `start` to below `end`. */
void jit_add_range(struct import *im, uint32_t upid, uint64_t start, uint64_t end);

/* Code that is there from the row's create_ts on; start + size must not overflow. `symbols` is the
 * symbol_set_id of its frames, NULL_U32 for none. Returns the row of jit_code. */
uint32_t jit_load(struct import *im, uint32_t upid, const struct jit_code_row *row,
                  uint32_t symbols);
/* The code at an address lies at another one from `ts` (ns) on. */
void jit_move(struct import *im, uint32_t upid, int64_t ts, uint64_t from, uint64_t to);

/* Whether jit_add_range was called for the process, and whether the address is in one of its
 * ranges. */
bool jit_known(struct import *im, uint32_t upid);
bool jit_covers(struct import *im, uint32_t upid, uint64_t address);
/* The row of stack_profile_frame for what lies at an address in such a range. `told` is what the
 * callstack tells of the frame: mapping, rel_pc, type, and the name that it has where no code is
 * known there (counted in stats), which may be NULL_STRING. */
uint32_t jit_frame(struct import *im, uint32_t upid, uint64_t address,
                   const struct stack_profile_frame_row *told);

#endif
