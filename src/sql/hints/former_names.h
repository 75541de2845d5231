/* Names that older versions of Trace Processor had, and what has come in their place. */
#ifndef TPTUI_SQL_HINTS_FORMER_NAMES_H
#define TPTUI_SQL_HINTS_FORMER_NAMES_H

/* What to use instead of a table or function, or of a module, as the end of a sentence; NULL for a
 * name that is none of these. Case does not matter. */
const char *former_name(const char *name);
const char *former_module(const char *name);

#endif
