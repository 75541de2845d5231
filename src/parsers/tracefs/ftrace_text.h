/* Lines of ftrace's text become what the same events become where they were recorded in binary:
 * a row of ftrace_event each, slices, states, counters.
 *
 *     struct ftrace_text *f = ftrace_text_new(t);
 *     while (there is a line)
 *         ftrace_text_add(f, line, false);
 *     ftrace_text_apply(f);
 *     ftrace_text_free(f);
 *
 * Trace Processor reads some thirty events from text. These are read as it reads them, oddities
 * included: of "comm=two words" it knows the first. What it leaves out goes to the handlers of
 * parsers/perfetto/ftrace. */
#ifndef TPTUI_PARSERS_TRACEFS_FTRACE_TEXT_H
#define TPTUI_PARSERS_TRACEFS_FTRACE_TEXT_H

#include "core/trace/trace.h"

/* The line that a smaller text has for each place of the whole one that could not be read. */
#define TEXT_NOT_READ "[LOST EVENTS: trim could not read them]"

struct ftrace_text;

/* Of the machine and the file that are counted for at the moment. */
struct ftrace_text *ftrace_text_new(struct trace *t);
void ftrace_text_free(struct ftrace_text *f);

/* A line without its newline, in file order; comments and what is no event are skipped, the latter
 * counted. `stays`: the line's bytes outlive ftrace_text_apply, they are not copied. */
void ftrace_text_add(struct ftrace_text *f, struct str line, bool stays);
/* The same of a line that was made of what another tool says of an event: whether Trace Processor
 * would read it does not matter. */
void ftrace_text_add_retold(struct ftrace_text *f, struct str line);
/* The same of what perf script prints: where lines do not tell the CPU, it follows from who ran
 * there before (cpu_guess.h); where they do not tell the time, they are a microsecond apart. */
void ftrace_text_add_perf(struct ftrace_text *f, struct str line, bool stays);
/* The lines that were added, in the order of time. */
void ftrace_text_apply(struct ftrace_text *f);

#endif
