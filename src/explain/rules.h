/* What may be wrong with a trace, and what can be believed of it: the SQL of explain/.
 *
 * A rule begins with a line "-- symptom: NAME", or with belief, count, measure or times. Lines may
 * follow: "-- level: severe", "problem" (by itself) or "note"; the same with "-- level-waiting:"
 * for where a third of the time is waits for other threads, and "-- level-unknown:" for the worst
 * level that is left where most of the time is unknown. "-- needs:" says what a trace has that the
 * rule is about (explain/needs.h); several such lines are one or the other. "-- lacks:" says
 * so of what it does not have, several lines of none of which. "-- if:" is a statement whose first
 * value is not 0. Else the rule is left out. Its last statement is a SELECT whose columns are known
 * by name.
 * "-- shared: NAME" makes what several rules read; it runs before the first that does.
 *
 * Of a symptom: ts, dur, name, and where it has them level, utid (whose time is walked), upid, ref
 * and ref_id (as `tptui --goto` has places), cost (ns that a user loses; else dur), limit (ns), and
 * where the cause is known without walking: cause, key (by which causes are one), and in_slice: a
 * GLOB of slices that are this cause, so that problems whose chains end in one (of process upid,
 * where there is one) are the same. Rows behind each other of one part_of are one symptom, whose
 * times are walked together.
 * Of a belief: kind (recorded, lost, missing) and text. Of a count: value, how many of what it is
 * called were recorded. Of a measure: value. Of times: name, and value in ns, of what recordings
 * are compared by besides. */
#ifndef TPTUI_EXPLAIN_RULES_H
#define TPTUI_EXPLAIN_RULES_H

#include <stdio.h>

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include "base/vec.h"
#include "explain/needs.h"

struct sql_session;

enum explain_level { LEVEL_SEVERE, LEVEL_PROBLEM, LEVEL_NOTE };
const char *explain_level_word(enum explain_level level);

enum rule_kind { RULE_SHARED, RULE_SYMPTOM, RULE_BELIEF, RULE_COUNT, RULE_MEASURE, RULE_TIMES };
enum { NEEDS_MAX = 3 };

struct explain_rule {
    enum rule_kind kind;
    struct str name;
    struct str needs[NEEDS_MAX], lacks[NEEDS_MAX]; /* NULL behind the last */
    struct str condition;                          /* NULL: none */
    enum explain_level level;
    enum explain_level level_waiting; /* where much of its time is waits for other threads */
    enum explain_level level_unknown; /* no worse than that where most of it is unknown */
    struct str sql;
    const char *place; /* the file */
};

/* A table that a shared rule makes. */
struct shared_table {
    struct str name;
    size_t rule;
};

/* All of the program's own; texts are the program's. */
struct explain_rules {
    VEC(struct explain_rule) v;
    VEC(struct shared_table) shared;
};
void explain_rules_init(struct explain_rules *r);
void explain_rules_release(struct explain_rules *r);

struct symptom {
    const struct explain_rule *rule;
    enum explain_level level;
    int64_t ts, dur, cost;
    int64_t limit;       /* 0: none */
    uint32_t utid, upid; /* NULL_U32: none */
    int64_t ref_id;
    struct str ref, name, cause, key, part_of, in_slice; /* empty: none */
};

struct belief {
    struct str kind, text;
};

struct measure {
    struct str name;
    double value;
};

struct findings_of_rules {
    struct arena *arena; /* has the texts */
    VEC(struct symptom) symptoms;
    VEC(struct belief) beliefs;
    size_t counted; /* the belief that is made of counts, from 1; 0: none */
    VEC(struct measure) measures, times;
    VEC(struct str) failed; /* rules that could not be asked, and why */
};

/* The statements that a rule is, behind those that make what it reads. */
void explain_rule_print(const struct explain_rule *rule, FILE *f);

/* Rules that run over a trace. */
struct rules_run {
    const struct explain_rules *rules;
    struct sql_session *session;
    struct findings_of_rules *out;
    struct seen_columns seen;
    bool *made; /* of shared rules */
};
void rules_run_init(struct rules_run *run, const struct explain_rules *rules, const struct trace *t,
                    struct sql_session *s, struct findings_of_rules *out);
void rules_run_release(struct rules_run *run);

/* Runs one. A rule that cannot be asked is told of in `failed`; fails only where it is cancelled.
 */
struct status explain_rule_run(struct rules_run *run, const struct explain_rule *rule);

#endif
