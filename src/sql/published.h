/* Names that published SQL modules define, also those that the program does not ship. */
#ifndef TPTUI_SQL_PUBLISHED_H
#define TPTUI_SQL_PUBLISHED_H

#include <stddef.h>

/* The module that defines a table, view, function or macro (ASCII case ignored), or NULL. */
const char *published_module(const char *name);

/* The published modules by number, NULL behind the last. */
const char *published_module_at(size_t i);

#endif
