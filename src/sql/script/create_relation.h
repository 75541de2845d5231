/* CREATE PERFETTO TABLE and CREATE PERFETTO VIEW. */
#ifndef TPTUI_SQL_SCRIPT_CREATE_RELATION_H
#define TPTUI_SQL_SCRIPT_CREATE_RELATION_H

#include "sql/script/creation.h"

struct status create_table(struct creation *p);
struct status create_view(struct creation *p);

/* Makes the name free for a new one: an error where there is one that must not be replaced. `kind`
 * is "TABLE" or "VIEW", for the message. */
struct status creation_make_room(struct creation *p, struct token name, const char *kind);

#endif
