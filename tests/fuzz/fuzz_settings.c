/* Bytes as files of the user's own: a theme, rules for alerts, and lines of the configuration that
 * name keys. Rules become their module; none of their SQL is run. */
#include <stdlib.h>
#include <string.h>

#include "core/trace_builder.h"
#include "fuzz.h"
#include "sql/alerts.h"
#include "sql/session.h"
#include "tui/app/bindings.h"
#include "tui/cells/theme.h"

/* On a trace without rows, made once: each input's module takes the place of the last one's. */
static struct sql_session *session(void)
{
    static struct trace trace;
    static struct sql_session *made;
    if (!made) {
        struct status s;
        trace_init(&trace);
        trace_finish(&trace);
        made = sql_session_new(&trace, &s);
        if (!status_ok(s))
            abort();
    }
    return made;
}

static void read_theme(struct str text)
{
    struct theme theme;
    struct status s = theme_parse(text, "fuzz.theme", &theme);
    status_release(&s);
}

/* A module is made of all rules, which takes ten times as long as all else: of new ones only. */
static void read_rules(struct str text)
{
    static const char begin[] = "-- alert:";
    if (!memmem(text.p, text.n, begin, sizeof begin - 1))
        return;
    struct alerts *a = alerts_new();
    alerts_add(a, "fuzz.sql", text);
    alerts_register(a, session());
    free(alerts_text(a));
    alerts_free(a);
}

static void read_keys(struct str text)
{
    struct bindings *b = bindings_new();
    for (struct str line; str_next_line(&text, &line);) {
        struct status s = bindings_set(b, line, "fuzz:1: ");
        status_release(&s);
    }
    struct status s = bindings_check(b);
    status_release(&s);
    bindings_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    read_theme(text);
    read_rules(text);
    read_keys(text);
    return 0;
}
