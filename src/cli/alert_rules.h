/* The rules for alerts that a run of the program knows: its own, those of the user's folder, and
 * those of --alerts. */
#ifndef TPTUI_CLI_ALERT_RULES_H
#define TPTUI_CLI_ALERT_RULES_H

#include "base/status.h"
#include "cli/options.h"

struct alerts;

/* `set` of an option: a further file. */
int alert_rules_file(void *self, const char *value);

#define ALERTS_OPTION                                                                              \
    {                                                                                              \
        .name = "alerts", .value = "FILE",                                                         \
        .help = "rules for alerts besides the program's own; repeatable",                          \
        .more = "Those of ~/.config/tptui/alerts hold anyway. See ALERTS.",                        \
        .set = alert_rules_file                                                                    \
    }

/* All of them, once the options are read; they live as long as the process. Those that cannot be
 * read are left out, and `status` is that of the first. */
const struct alerts *alert_rules(struct status *status);

#endif
