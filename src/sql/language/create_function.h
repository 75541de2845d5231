/* CREATE PERFETTO FUNCTION and CREATE PERFETTO MACRO. */
#ifndef TPTUI_SQL_LANGUAGE_CREATE_FUNCTION_H
#define TPTUI_SQL_LANGUAGE_CREATE_FUNCTION_H

#include "sql/language/creation.h"

struct status create_function(struct creation *p);
struct status create_macro(struct creation *p);

#endif
