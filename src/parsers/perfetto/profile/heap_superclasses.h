/* Which class a class of a Java heap dump extends. A dump's descriptions of classes name
 * superclasses too, but for the sake of their fields: what extends what stands in the objects of
 * java.lang.Class. */
#ifndef TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_SUPERCLASSES_H
#define TPTUI_PARSERS_PERFETTO_PROFILE_HEAP_SUPERCLASSES_H

#include "parsers/perfetto/profile/heap_graph_resolve.h"

/* By name and location: dumps describe the same classes anew. */
struct heap_superclasses {
    struct map by_class; /* class -> index of keys */
    VEC(uint64_t) keys;  /* of superclasses */
};

void heap_superclasses_release(struct heap_superclasses *s);
/* Adds what the objects of a dump say, whose references have names. */
void heap_superclasses_read(struct trace *t, struct heap_superclasses *s,
                            const struct heap_graph *g);
/* Refers the rows of all dumps to the last rows of their superclasses. Once, at the end. */
void heap_superclasses_write(struct trace *t, const struct heap_superclasses *s);

#endif
