/* CPU profiles of V8 as its tools write them: nodes, each a call with the id of its caller or those
 * of its callees, and samples, each the id of a node, with the time since the sample before. A
 * profile comes as a whole or in chunks, which begin where the chunk before ended. The members are
 * those of the DevTools protocol's Profiler.Profile; chunks are what V8's src/profiler writes. */
#ifndef TPTUI_PARSERS_SAMPLES_V8_PROFILE_H
#define TPTUI_PARSERS_SAMPLES_V8_PROFILE_H

#include "base/vec.h"
#include "core/trace_builder.h"
#include "parsers/input/json_scan.h"

struct v8_node {
    uint32_t id, parent; /* NULL_U32: no parent is named */
    string_id function;
    string_id url; /* NULL_STRING for none */
    uint32_t line; /* from 1; NULL_U32 for none */
    size_t first_child, child_count;
    int64_t self; /* without callees: samples, or bytes of a heap profile */
};

/* What a member of a profile is. */
enum v8_member {
    V8_OTHER,
    V8_PROFILE, /* members of the profile again, or all of them */
    V8_NODES,
    V8_TREE, /* of nodes */
    V8_SAMPLES,
    V8_DELTAS, /* of each sample */
    V8_TIMES,  /* likewise, in old profiles */
    V8_START,
    V8_END,
};

enum v8_member v8_member_of(struct str key);

/* What one text says. Times are us. */
struct v8_chunk {
    bool has_start, has_end;
    int64_t start, end;
    VEC(struct v8_node) nodes;
    bool has_tree;          /* some of them stood in one */
    VEC(uint32_t) children; /* of the nodes */
    VEC(uint32_t) samples;  /* NULL_U32 for what is none */
    VEC(int64_t) deltas;
    bool is_absolute; /* deltas are times, as in old profiles */
};

/* Reads an object with these members, some of which may stand in its member V8_PROFILE. Old
 * profiles and those of heaps have in place of nodes a V8_TREE, a node in which its callees stand.
 * Without a trace (NULL) nodes have no names. False where it is malformed; what comes before is
 * there. */
bool v8_chunk_read(struct trace *t, struct v8_chunk *c, struct json_scan *object);
void v8_chunk_clear(struct v8_chunk *c); /* for another one */
void v8_chunk_release(struct v8_chunk *c);

struct v8_profile {
    uint32_t mapping;
    bool detailed;        /* frames have lines, and names where functions have none */
    int64_t ts;           /* of the last sample, ns of the file's clock */
    struct map callsites; /* id of a node -> call site */
    struct map parents;   /* id of a node -> id of the node that names it as its callee */
};

struct v8_profile v8_profile_begin(struct trace *t);
void v8_profile_release(struct v8_profile *p);

/* Adds the chunk's nodes. Returns how many could not be: their caller is not known, or their id is
 * another one's. */
size_t v8_profile_add(struct v8_profile *p, struct trace *t, const struct v8_chunk *c);
/* Moves `ts` on by `delta` us; false where that is no time: it stays. */
bool v8_profile_advance(struct v8_profile *p, int64_t delta);
/* The call site of a node, or NULL_U32. */
uint32_t v8_profile_callsite(const struct v8_profile *p, uint32_t node);

/* Profiles that come in chunks among other events, told apart by an id and a pid. */
struct v8_profiles {
    struct v8_chunk chunk; /* scratch: the one that is being read */
    struct map by_id;      /* hash of id and pid -> position */
    VEC(struct v8_profile) items;
};

void v8_profiles_release(struct v8_profiles *p);
/* A profile begins, perhaps again, at `ts` ns. */
void v8_profiles_start(struct v8_profiles *p, struct trace *t, uint64_t id, int64_t pid,
                       int64_t ts);
/* Adds the nodes of p->chunk to a profile, and counts what cannot be. `*profile` is the profile's
 * position in `items`, for the chunk's samples; NULL_U32 where the chunk has none that can be used.
 * False: its samples are damaged, or of a profile that did not begin. */
bool v8_profiles_add(struct v8_profiles *p, struct trace *t, uint64_t id, int64_t pid,
                     uint32_t *profile);

#endif
