/* What is wrong in a trace, and why: symptoms, each with the chain of what its time went to, put
 * together where they have one cause, the most costly first.
 *
 * A chain follows the largest child of the tree as long as it is most of its parent. Symptoms
 * whose chains end alike (one lock, one function, one process that had the CPU) are one problem.
 * Problems are ranked by level, then by the time they cost times the part of it that is explained.
 */
#ifndef TPTUI_EXPLAIN_EXPLANATION_H
#define TPTUI_EXPLAIN_EXPLANATION_H

#include "explain/cause_tree.h"
#include "explain/rules.h"
#include "parsers/input/progress.h"

/* Where a step can be seen: a row of slice or thread_state. */
struct step_place {
    const char *kind; /* "slice", "state", "": nowhere */
    uint32_t row;
};

/* A step of a chain: what a part of the symptom's time went to. Texts are the explanation's. */
struct cause_step {
    enum cause_kind kind;
    uint32_t utid, other;          /* NULL_U32: none */
    struct str thread, for_thread; /* "NAME of PROCESS" of both */
    struct str name;         /* of the slice, the place of the lock, the function of the kernel */
    int64_t ns, ts, longest; /* in all; the longest piece of it */
    enum cause_kind mostly;  /* what most of it went to in the end */
    struct step_place place; /* of the longest piece */
};

enum { STEPS_SHOWN = 12, PARTS_SHOWN = 6 };

struct problem {
    enum explain_level level;
    const struct symptom *worst; /* of its symptoms, the one that cost most */
    uint32_t count;              /* of symptoms */
    int64_t cost;                /* of all of them, ns */
    struct str cause;            /* in words */
    struct str key;              /* by which causes are one */
    struct str loose_key;        /* the same, but for where a lock was taken */
    /* Of the worst one: from the symptom to what can be changed; then what the last step is made
     * of, where none is most of it. */
    struct cause_step steps[STEPS_SHOWN], parts[PARTS_SHOWN];
    int step_count, part_count;
    /* Its time by what threads did, which is all of it. */
    int64_t kinds[CAUSE_KIND_COUNT];
    int64_t walked;  /* that time: of the worst symptom, or of all that are part_of one */
    int share;       /* per cent of its time that the last step explains */
    int unknown;     /* per cent that nothing is known of */
    bool is_certain; /* most of the time is explained, and little is unknown */
};

struct explanation {
    struct arena arena;
    struct explain_rules rules;
    struct explain_rule asked; /* what stands for them where others are asked for */
    struct findings_of_rules found;
    VEC(struct problem) problems;
    int64_t start, end;
    const struct trace *trace;
};

/* What is asked for; all zero: all that is wrong. */
struct explain_request {
    const char *sql; /* of symptoms, in place of the rules'; NULL: theirs */
    bool measures;   /* are wanted, too */
    const struct load_progress
        *progress; /* of who may stop it between rules and symptoms, or NULL */
};

/* To be released in any case. */
struct status explain_trace(struct explanation *e, const struct trace *t, struct sql_session *s,
                            const struct explain_request *request);
void explanation_release(struct explanation *e);

/* Numbers differ from frame to frame and from thread to thread of a pool: each is a '#'. */
void put_without_numbers(FILE *f, struct str s);

#endif
