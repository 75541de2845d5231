/* Standard output and standard error, as commands print on them. Not every C library lets `stdout`
 * be another stream. */
#ifndef TPTUI_BASE_STANDARD_STREAMS_H
#define TPTUI_BASE_STANDARD_STREAMS_H

#include <stdio.h>

/* From now on what is printed on a terminal goes through a shown stream (base/shown_stream.h): line
 * by line, errors at once. A program's own controls go to the descriptors. */
void standard_streams_guard(void);

FILE *standard_output(void);
FILE *standard_errors(void);

/* At the end, once all is printed: whether all of it went out is seen here alone. A reader that
 * went away is no error; a full disk or a closed stdout is, and is told. Returns an exit status:
 * `status`, or 1 where that is 0 and something was lost. */
int standard_output_end(int status);

#endif
