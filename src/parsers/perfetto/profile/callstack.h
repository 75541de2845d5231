/* Callstacks as packets refer to them: by ids of interned data, or of lists that older profile
 * packets carry themselves. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_CALLSTACK_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_CALLSTACK_H

#include "parsers/perfetto/packets/import.h"

/* Such lists, in an order in which each needs only those before it. They grow from packet to packet
 * until their profile is complete. */
enum callstack_list { LIST_STRINGS, LIST_MAPPINGS, LIST_FRAMES, LIST_CALLSTACKS, LIST_COUNT };

struct callstack_lists {
    struct map by_id[LIST_COUNT]; /* id -> index of texts; row; NULL_U32 for a broken element */
    VEC(struct str) texts;
};

void callstack_lists_release(struct callstack_lists *lists);
/* Empties the lists; ids mean something else from here on. */
void callstack_lists_clear(struct callstack_lists *lists);
/* Adds an element {iid = 1 ...} of a list; its bytes must last. What is no string gets its row at
 * once, whether something refers to it or not; what it lacks is counted in stats. */
void callstack_lists_add(struct import *im, struct callstack_lists *lists, enum callstack_list list,
                         struct bytes element);

/* The row of stack_profile_callsite for a callstack's innermost frame. `own` (NULL: none) are lists
 * in which its id is looked up before `g`. Generated code of interned callstacks is that of the
 * process (NULL_U32: not known) at the time that is being parsed. NULL_U32 where the callstack is
 * empty, or parts of it are missing (counted in stats); `*known` (may be NULL) tells whether the id
 * exists at all. */
uint32_t callstack_find(struct import *im, const struct interned_generation *g,
                        const struct callstack_lists *own, uint32_t upid, uint64_t iid,
                        bool *known);
/* The row of stack_profile_mapping for an interned mapping; NULL_U32 where there is none (counted).
 */
uint32_t callstack_mapping(struct import *im, const struct interned_generation *g, uint64_t iid);
/* A build id's bytes as hex digits; a Breakpad module's id, of 33 digits, as it is. */
string_id build_id_intern(struct trace *t, struct str raw);
/* The call site of an InlineCallstack; NULL_U32 where it has no frames. `origin` names the mapping
 * of its frames. */
uint32_t callstack_inline(struct import *im, struct bytes message, struct str origin);

#endif
