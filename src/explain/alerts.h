/* Alerts: rules in SQL that say what is wrong in a trace. They become the module tptui.alerts,
 * whose table tptui_alerts has a row for each time that a rule is met. */
#ifndef TPTUI_EXPLAIN_ALERTS_H
#define TPTUI_EXPLAIN_ALERTS_H

#include <stdbool.h>

#include "base/str.h"

struct alerts;
struct sql_session;

/* The rules that are part of the program. */
struct alerts *alerts_new(void);
void alerts_free(struct alerts *a);

/* Adds rules. Each begins with a line "-- alert: NAME"; "-- level: error", "warning" or "info" may
 * follow (warning by itself). Its last statement is a SELECT of ts, dur and name, and of level,
 * utid, upid, ref ("slice", "state", "sched", "counter") and ref_id where it has them; statements
 * before it, and what stands before the first rule, run as they are. A rule takes the place of one
 * of its name. `source` names the text in messages. What is no rule is left out. */
void alerts_add(struct alerts *a, const char *source, struct str text);
/* The same with a file, or with all .sql files below a folder; none where there is neither. With
 * `own_only` one that others may have written is wrong. */
void alerts_add_path(struct alerts *a, const char *path, bool own_only);

/* Whether there is a rule of that name. */
bool alerts_has(const struct alerts *a, const char *rule);
/* All that they say, for free(); equal where rules are. */
char *alerts_text(const struct alerts *a);
/* Makes the module known to a session. What is wrong with a rule is told by the one who includes it
 * (sql_session_on_complaint), and keeps no other from its rows. */
void alerts_register(const struct alerts *a, struct sql_session *s);

#endif
