/* Callstacks of Android apps, told apart: how ART ran a managed frame, and which native frames are
 * only ART's own machinery. */
#ifndef TPTUI_CORE_CALLSTACK_ANNOTATION_H
#define TPTUI_CORE_CALLSTACK_ANNOTATION_H

#include "base/vec.h"
#include "core/trace/trace.h"

struct annotated_callsite {
    uint32_t callsite;
    const char *annotation; /* "aot", "common-frame" ...; NULL where there is nothing to say */
};

struct annotated_callstack {
    VEC(struct annotated_callsite) v; /* the leaf first */
};

/* Replaces what is in `out` by the stack of a callsite, which exists. */
void callstack_annotate(const struct trace *t, uint32_t callsite, struct annotated_callstack *out);

#endif
