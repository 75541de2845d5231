/* Callstacks and how often each was seen, or how much it took, without a time: rows of
 * __intrinsic_aggregate_profile, one a kind of value, and __intrinsic_aggregate_sample. */
#ifndef TPTUI_PARSERS_TEXT_STACK_SUMS_H
#define TPTUI_PARSERS_TEXT_STACK_SUMS_H

#include "core/trace_builder.h"

/* Adds a kind of value and returns its row: what `scope` it is from, its name, and "samples" and
 * "count" or other words for what it counts and in which unit. */
uint32_t stack_sums_profile(struct trace *t, struct str scope, struct str name, struct str type,
                            struct str unit);
/* The call site of a function of a file or the like, called from `parent` (NULL_U32: from nowhere).
 */
uint32_t stack_sums_call(struct trace *t, uint32_t parent, struct str mapping, struct str function);
/* Adds a value, which is not yet in that of another call site. */
void stack_sums_add(struct trace *t, uint32_t profile, uint32_t callsite, double value);

#endif
