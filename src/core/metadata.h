/* Rows of `metadata`: what is known of the trace as a whole, of its files and of its machines.
 *
 * Whom a row is about follows from its name: all files together, one file, one machine, or, for
 * names that are not in the list of metadata.c, what a file tells of a machine. File and machine
 * are those that are being read (stats_enter). */
#ifndef TPTUI_CORE_METADATA_H
#define TPTUI_CORE_METADATA_H

#include <stdint.h>

#include "base/str.h"

struct trace;

/* Setting a name again replaces its value. A str without bytes (p is NULL) is null. */
void metadata_set_int(struct trace *t, const char *name, int64_t value);
void metadata_set_str(struct trace *t, const char *name, struct str value);
/* The trace_uuid of a trace that does not say one, made of its bytes. It is of no file; the first
 * file that says its own replaces it. */
void metadata_set_made_uuid(struct trace *t, struct str value);
/* Names that have several values. */
void metadata_append_int(struct trace *t, const char *name, int64_t value);
void metadata_append_str(struct trace *t, const char *name, struct str value);
/* Another row, though the name says of itself that it has a single value. */
void metadata_add_int(struct trace *t, const char *name, int64_t value);
void metadata_add_str(struct trace *t, const char *name, struct str value);
/* Another file begins (trace_begin_file): nobody sets what the one before told of itself again. */
void metadata_next_file(struct trace *t);

#endif
