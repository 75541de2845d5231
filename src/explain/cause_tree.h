/* Where the time of a thread went: a tree whose nodes add up. Below a slice lies what its thread
 * did in it, below a wait what the thread did that it waited for.
 *
 * From the end of the time backwards: what the thread did, and while it waited what the thread did
 * that ended the wait or holds the lock, within its slices. Every nanosecond goes to one leaf:
 * running, a CPU that others had, an interrupt, a disk, the kernel, a timer, or unknown. */
#ifndef TPTUI_EXPLAIN_CAUSE_TREE_H
#define TPTUI_EXPLAIN_CAUSE_TREE_H

#include "base/map.h"
#include "base/vec.h"
#include "explain/thread_index.h"

/* X(id, word for programs, words behind the name of the thread) */
#define CAUSE_KINDS(X)                                                                             \
    X(ALL, "all", "")                                                                              \
    X(SLICE, "slice", "was in")                                                                    \
    X(WAIT, "wait", "waited for")                                                                  \
    X(LOCK, "lock", "waited for a lock of")                                                        \
    X(RAN, "running", "ran")                                                                       \
    X(SLOW_CPU, "slow_cpu", "ran on a CPU below its frequency")                                    \
    X(CPU, "cpu", "waited for a CPU while there ran")                                              \
    X(LATENCY, "latency", "waited for an idle CPU to wake")                                        \
    X(IRQ, "irq", "was interrupted by")                                                            \
    X(DISK, "disk", "waited for a disk")                                                           \
    X(KERNEL, "kernel", "was blocked in the kernel")                                               \
    X(SLEEP, "sleep", "slept until a timer or a device woke it")                                   \
    X(IN, "unscheduled", "was busy or waited, as no scheduling was recorded")                      \
    X(LOST, "lost", "waited while the CPU that it got idled")                                      \
    X(UNKNOWN, "unknown", "did what is not known")

#define CAUSE_ID(id, word, words) CAUSE_##id,
enum cause_kind { CAUSE_KINDS(CAUSE_ID) CAUSE_KIND_COUNT };
#undef CAUSE_ID

const char *cause_kind_word(enum cause_kind kind);
const char *cause_kind_words(enum cause_kind kind);

struct cause_node {
    uint32_t parent; /* NULL_U32: the root */
    enum cause_kind kind;
    uint32_t utid, other; /* who waited; for whom, or who ran. NULL_U32: nobody known. Threads of
                           * one pool are one node, which names the first of them */
    string_id name;       /* of the slice, the lock, the function of the kernel */
    int64_t ns;           /* with all below it */
    int64_t longest, ts;  /* the longest piece, and when it began */
    uint32_t recent[CAUSE_KIND_COUNT]; /* of each kind the child asked for last; 0: none */
};

/* The contended lock around a time: its slice, who holds it, and where that one took it. */
struct lock_wait {
    uint32_t slice, owner; /* NULL_U32: none, not known */
    string_id place;
};

struct cause_tree {
    VEC(struct cause_node) nodes; /* the first is the root; parents before children */
    struct map by_hash;
    struct map locks_by_slice; /* what is known of locks: indexes of `locks` */
    VEC(struct lock_wait) locks;
    bool cut_short; /* there was more than is walked; the rest is unknown */
};

void cause_tree_release(struct cause_tree *c);

/* What a thread did in [from, to). Slices that contain all of it are left out. Times are those of
 * the nodes alone until they are added up, once behind all walks. */
void cause_tree_walk(struct cause_tree *c, const struct thread_index *x, uint32_t utid,
                     int64_t from, int64_t to);

void cause_tree_add_up(struct cause_tree *c);

/* The child with most time, NULL_U32: it has none. */
uint32_t cause_tree_largest(const struct cause_tree *c, uint32_t node);
/* The kind of leaf that most of a node's time went to; its own where there is none. */
enum cause_kind cause_tree_mostly(const struct cause_tree *c, uint32_t node);

#endif
