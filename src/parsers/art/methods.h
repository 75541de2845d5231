/* What method traces of all versions are about: methods, threads, and calls. */
#ifndef TPTUI_PARSERS_ART_METHODS_H
#define TPTUI_PARSERS_ART_METHODS_H

#include "base/map.h"
#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/input/time_sort.h"

struct art_method {
    string_id name, file; /* NULL_STRING: not known */
    uint32_t line;        /* NULL_U32: not known */
};

struct art_thread {
    uint32_t tid;
    string_id name;
    VEC(uint64_t) stack; /* of method ids, where exits do not tell */
};

struct art_call {
    uint32_t tid, method_plus_one; /* 0: it is not known */
    bool is_exit;
};

struct art_methods {
    struct trace *trace;
    struct map method_of; /* id -> index */
    VEC(struct art_method) methods;
    struct map thread_of; /* tid -> index */
    VEC(struct art_thread) threads;
    VEC(struct art_call) calls;
    VEC(struct timed) order; /* ts, and the call's index as the record */
    VEC(char) text;
};

void art_methods_init(struct art_methods *m, struct trace *t);
void art_methods_release(struct art_methods *m);

/* "class TAB method TAB signature TAB file TAB line", of which there may be less. */
void art_methods_add(struct art_methods *m, uint64_t id, struct str line);
void art_methods_add_thread(struct art_methods *m, uint32_t tid, struct str name);
/* NULL where it was not told of. */
struct art_thread *art_methods_thread(struct art_methods *m, uint32_t tid);

/* A call at `ns` of the monotonic clock. */
void art_methods_call(struct art_methods *m, int64_t ns, uint32_t tid, uint64_t method,
                      bool is_exit);
/* The calls become slices, in order of time. */
void art_methods_apply(struct art_methods *m);

#endif
