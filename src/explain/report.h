/* An explanation as people and programs read it. */
#ifndef TPTUI_EXPLAIN_REPORT_H
#define TPTUI_EXPLAIN_REPORT_H

#include <stdio.h>

#include "explain/comparison.h"

struct report_options {
    const char *path;  /* of the trace, for links */
    int width;         /* columns of text */
    uint32_t problems; /* that are told of; 0: all */
    bool sql;          /* with the statements that it was made with */
};

struct report_format {
    const char *name;
    void (*print)(const struct explanation *e, const struct report_options *o, FILE *f);
    void (*compare)(const struct comparison *c, uint32_t limit, FILE *f);
};

/* NULL: there is none of that name. */
const struct report_format *report_format_find(const char *name);
#define REPORT_FORMAT_NAMES "text|markdown|json"

extern const struct report_format text_report, markdown_report, json_report;

/* What the formats share. */

/* 12.3 ms and the like. */
void report_time(char *out, size_t size, int64_t ns);
/* ", 12 ms (never ended)": how long it lasted, and what is not known of that; nothing of a moment.
 */
void report_duration(FILE *f, const struct explanation *e, const struct symptom *s);
/* What the problems that follow are, or that there are none. */
void report_heading(FILE *f, const struct explanation *e, const char *before, const char *after);
/* A step of a chain as a clause: "NAME of PROCESS waited for ..."; "it" for the thread that the
 * step before (NULL: none) has led to. */
void report_step(FILE *f, const struct cause_step *before, const struct cause_step *s);
/* The place to go to: what `tptui --goto` takes. */
void report_place(FILE *f, const struct problem *p);
/* What one of these prints of a problem; owned by the caller. */
char *report_text_of(const struct problem *p, void (*print)(FILE *f, const struct problem *p));
/* The command that goes there, for a shell. */
void report_command(FILE *f, const struct problem *p, const char *path);
/* A statement that shows what the numbers of a problem are made of. */
void report_sql(FILE *f, const struct problem *p);
/* "start of an app, 3 times: WHAT IT WAS". */
void report_words(FILE *f, const struct problem *p);
/* The worst problem in a line, its level and time before it; nothing where there is none but notes.
 * For free(). */
char *report_headline(const struct explanation *e);
/* ", 7 times in all 12 ms" and the like: how often and how much, where that is known. */
void report_extent(FILE *f, const struct problem *p);

#endif
