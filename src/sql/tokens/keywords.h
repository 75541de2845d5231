/* The words of SQL and PerfettoSQL that are not names of anything. */
#ifndef TPTUI_SQL_TOKENS_KEYWORDS_H
#define TPTUI_SQL_TOKENS_KEYWORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

/* Whether it is one of them, whatever its case. Words that are names as often (`key`, `plan`,
 * `name`) are not. */
bool sql_is_keyword(struct str word);

#endif
