/* The trace's ftrace events as the text that the kernel prints and systrace reads. */
#ifndef TPTUI_SQL_EXPORT_SYSTRACE_EXPORT_H
#define TPTUI_SQL_EXPORT_SYSTRACE_EXPORT_H

#include "base/status.h"
#include "base/str.h"

struct sql_session;

/* Which events are kept where there are more than SYSTRACE_EVENTS_MAX. */
enum systrace_part { SYSTRACE_ALL, SYSTRACE_START, SYSTRACE_END };
enum { SYSTRACE_EVENTS_MAX = 150000 };

/* Gives the text in pieces to `write`, which returns false to stop (STATUS_CANCELLED). */
struct status systrace_export(struct sql_session *s, enum systrace_part part,
                              bool (*write)(void *self, struct str piece), void *self);

#endif
