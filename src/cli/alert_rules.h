/* The rules for alerts that a run of the program knows: its own, those of the user's folder, and
 * those of --alerts. */
#ifndef TPTUI_CLI_ALERT_RULES_H
#define TPTUI_CLI_ALERT_RULES_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/options.h"

struct alerts;

/* `set` of an option: a further file. */
int alert_rules_file(void *self, const char *value);

/* Whether it was given; alert_rules() can fail only then. */
bool alert_rules_given(void);

/* `set` of the option that has SQL run that opens with files of others. */
int alert_rules_allow_foreign(void *self, const char *value);
/* Whether it was given. */
bool alert_rules_foreign(void);

#define ALERTS_OPTION                                                                              \
    {.name = "alerts",                                                                             \
     .value = "FILE",                                                                              \
     .help = "rules for alerts besides the program's own; repeatable",                             \
     .more = "Those of ~/.config/tptui/alerts hold anyway. See ALERTS.",                           \
     .set = alert_rules_file,                                                                      \
     .rows = OPTION_ROWS_FILES},                                                                   \
    {                                                                                              \
        .name = "allow-foreign-sql",                                                               \
        .help = "run the SQL of sessions and alerts whose files others may have written",          \
        .more = "Without it the timeline asks, and all else refuses: files of another owner, and " \
                "those that others may write, or whose folder.",                                   \
        .set = alert_rules_allow_foreign, .rows = OPTION_ROWS_COST                                 \
    }

/* All of them, once the options are read; they live as long as the process. Those that cannot be
 * read are left out, and `status` is that of the first. */
const struct alerts *alert_rules(struct status *status);

#endif
