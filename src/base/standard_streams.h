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

#endif
