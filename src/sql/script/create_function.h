/* CREATE PERFETTO FUNCTION and CREATE PERFETTO MACRO. */
#ifndef TPTUI_SQL_SCRIPT_CREATE_FUNCTION_H
#define TPTUI_SQL_SCRIPT_CREATE_FUNCTION_H

#include "sql/script/creation.h"

struct status create_function(struct creation *p);
struct status create_macro(struct creation *p);

#endif
