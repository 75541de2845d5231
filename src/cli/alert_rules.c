#include "cli/alert_rules.h"

#include "base/user_path.h"
#include "base/vec.h"
#include "cli/command.h"
#include "cli/text_file.h"
#include "explain/alerts.h"

static struct {
    VEC(const char *) files;
    struct alerts *alerts;
    bool foreign;
} rules;

int alert_rules_file(void *self, const char *value)
{
    (void)self;
    *vec_push(&rules.files) = value;
    return EXIT_DONE;
}

int alert_rules_allow_foreign(void *self, const char *value)
{
    (void)self, (void)value;
    rules.foreign = true;
    return EXIT_DONE;
}

bool alert_rules_given(void)
{
    return rules.files.count > 0;
}

bool alert_rules_foreign(void)
{
    return rules.foreign;
}

static void take(struct status *first, struct status s)
{
    if (status_ok(*first))
        *first = s;
    else
        status_release(&s);
}

const struct alerts *alert_rules(struct status *status)
{
    char folder[4096];
    *status = status_ok_value();
    if (rules.alerts)
        return rules.alerts;
    rules.alerts = alerts_new();
    if (user_path(USER_CONFIG, "alerts", folder, sizeof folder, false))
        alerts_add_path(rules.alerts, folder, !rules.foreign);
    for (size_t i = 0; i < rules.files.count; i++) {
        struct text_file file;
        struct status s = text_file_read(rules.files.items[i], &file);
        if (status_ok(s)) {
            alerts_add(rules.alerts, file.name, text_file_str(&file));
            text_file_release(&file);
        }
        take(status, s);
    }
    return rules.alerts;
}
