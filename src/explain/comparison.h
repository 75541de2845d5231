/* What became worse between two groups of recordings, and through what: causes and measures of each
 * recording, and whether the groups differ by more than chance. */
#ifndef TPTUI_EXPLAIN_COMPARISON_H
#define TPTUI_EXPLAIN_COMPARISON_H

#include <stdio.h>

#include "explain/explanation.h"

struct import_options;
struct load_progress;
struct trace_format;

enum { SIDES_COMPARED = 2 };

enum compared_kind { COMPARED_CAUSE, COMPARED_TIME, COMPARED_MEASURE };

/* A cause, what time went to by names of threads and slices, or a measure, with a value for each
 * recording of a side: in ns the cost of the cause or the time, 0 where it was not there. */
struct compared {
    struct str key, words; /* the same but of a cause */
    enum compared_kind kind;
    enum explain_level level; /* the worst it had */
    struct {
        double *items; /* NaN: a measure that the recording does not have */
        size_t count, cap;
    } values[SIDES_COMPARED];
    double median[SIDES_COMPARED]; /* NaN: no value */
    double chance; /* of such a difference where there is none: of the rank test, both ways */
};

/* What is lost or missing, and in how many recordings of each side: numbers aside. */
struct compared_belief {
    struct str kind, key, text; /* the first that was met */
    size_t in[SIDES_COMPARED];
};

/* The least chance that so many recordings can show. */
double comparison_least_chance(const size_t recordings[SIDES_COMPARED]);

struct comparison {
    struct arena arena;
    VEC(struct compared) rows;
    VEC(struct compared_belief) beliefs;
    struct map by_key;
    size_t recordings[SIDES_COMPARED];
};

void comparison_init(struct comparison *c);
void comparison_release(struct comparison *c);
/* Adds a recording of side 0 (before) or 1 (after), explained with its measures. */
void comparison_add(struct comparison *c, int side, const struct explanation *e);
/* The same of a file, which is loaded for it. `as` NULL: what it looks like. */
struct status comparison_add_file(struct comparison *c, int side, const char *path,
                                  const struct trace_format *as,
                                  const struct import_options *import,
                                  struct load_progress *progress);
/* When all are added: medians and chances; causes, then times, by their change, the largest first,
 * then measures. */
void comparison_finish(struct comparison *c);

/* "frames.p95 > +10%" (of the change), "disk.waits > +5" or "frames.late > 3" (of the median
 * after). */
struct condition {
    struct str measure; /* of the text. cost and severe: the causes' sum in ms and number */
    bool more, relative, percent;
    double limit;
};

/* A usage error where the text is none. */
struct status condition_read(const char *text, struct condition *c);
/* Whether it holds; a usage error where both sides do not have the measure. */
struct status comparison_check(const struct comparison *c, const struct condition *asked,
                               bool *met);

void comparison_print_text(const struct comparison *c, uint32_t limit, FILE *f);
void comparison_print_json(const struct comparison *c, uint32_t limit, FILE *f);
void comparison_print_markdown(const struct comparison *c, uint32_t limit, FILE *f);

#endif
