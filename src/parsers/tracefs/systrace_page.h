/* The HTML pages that systrace makes: a viewer with the recording in its scripts. Newer ones hold
 * ftrace's text and the output of ps in scripts of the class trace-data, older ones the text as a
 * string of a script, and those of trace2html what was recorded, text or JSON, as it is or as
 * base64. */
#ifndef TPTUI_PARSERS_TRACEFS_SYSTRACE_PAGE_H
#define TPTUI_PARSERS_TRACEFS_SYSTRACE_PAGE_H

#include "parsers/input/trace_format.h"

/* Reads what is JSON in a page. */
typedef struct status page_json_read(struct trace *t, const char *name, struct byte_source *source);

/* As trace_format.read_source and sniff: ftrace's text in the page is read here, JSON by
 * `read_json`. */
struct status systrace_page_read(struct trace *t, const char *name, struct byte_source *source,
                                 page_json_read *read_json);
bool systrace_page_sniff(struct bytes data);

#endif
