/* SQL in the style in which PerfettoSQL's modules are published: keywords in upper case, lines of
 * at most 80 columns where that can be, a clause a line where a statement does not fit on one, AND
 * and OR at the start of lines. Only white space and the case of keywords ever change.
 *
 * Every text that is written is compared with the tokens that it was made from. */
#ifndef TPTUI_FMT_FORMAT_H
#define TPTUI_FMT_FORMAT_H

#include "base/status.h"
#include "base/str.h"

/* Writes the script formatted to `*out`, for free(). Formatting that again changes nothing. An
 * error, and no text, where the script has a quote that is not closed, or where its tokens would
 * not come out as they went in, which is looked at each time; `name` is what the message calls it.
 */
struct status sql_format(const char *name, struct str text, char **out);

#endif
