/* Callstacks: mappings, frames and call sites, each stored once. A call site is a frame and the
 * call site that called it, so that stacks with the same callers share rows. */
#ifndef TPTUI_CORE_STACK_PROFILE_H
#define TPTUI_CORE_STACK_PROFILE_H

#include <stdint.h>

#include "base/map.h"
#include "base/vec.h"
#include "core/store/string_pool.h"

struct trace;

struct stack_profile {
    struct map mappings, frames, callsites; /* hash of the row's contents -> row */
    struct map inline_lines;                /* hash of name, file and line -> frame */
};

void stack_profile_release(struct stack_profile *sp);

struct stack_mapping {
    string_id build_id, name; /* the empty string where not known */
    int64_t exact_offset, start_offset, start, end, load_bias;
};

/* Each returns the row of these contents, made where there is none yet. */
uint32_t stack_mapping_intern(struct trace *t, const struct stack_mapping *m);
/* A new row, whatever rows there are. */
uint32_t stack_mapping_append(struct trace *t, const struct stack_mapping *m);
/* `type` may be NULL_STRING. */
uint32_t stack_frame_intern(struct trace *t, uint32_t mapping, string_id name, int64_t rel_pc,
                            string_id type);
/* `parent` is the caller's call site, NULL_U32 for the outermost frame. */
uint32_t stack_callsite_intern(struct trace *t, uint32_t parent, uint32_t frame);

/* A frame of source code with where it stands: `file` may be NULL_STRING, `line` NULL_U32. */
uint32_t stack_frame_intern_source(struct trace *t, uint32_t mapping, string_id name,
                                   string_id file, uint32_t line);
/* The mapping of frames that are in no file: what they come from, over all addresses. */
uint32_t stack_mapping_of_source(struct trace *t, struct str name);
/* The same, a new one even where one of that name exists: each profile has its own. */
uint32_t stack_mapping_append_source(struct trace *t, struct str name);

/* One source line of a frame's symbols. */
struct stack_symbol {
    string_id name, file;
    uint32_t line;    /* NULL_U32 where not known */
    uint32_t inlined; /* 0, 1, NULL_U32 */
};

/* Rows of stack_profile_symbol, innermost inlined function first. Returns their symbol_set_id. */
uint32_t stack_symbols_append(struct trace *t, const struct stack_symbol *symbols, size_t n);

#endif
