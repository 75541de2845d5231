/* CREATE PERFETTO INDEX and DROP PERFETTO INDEX. */
#ifndef TPTUI_SQL_SCRIPT_CREATE_INDEX_H
#define TPTUI_SQL_SCRIPT_CREATE_INDEX_H

#include "sql/script/creation.h"

struct status create_index(struct creation *p);
/* Indexes are made whenever they pay; dropping one forgets its name. */
struct status drop_index(struct creation *p);

#endif
