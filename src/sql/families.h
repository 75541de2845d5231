/* All families of functions and tables that a session has. */
#ifndef TPTUI_SQL_FAMILIES_H
#define TPTUI_SQL_FAMILIES_H

struct sql_family;

extern const struct sql_family *const sql_families[]; /* ends with NULL */

#endif
