/* Bytes as files of the user's own: a theme, rules for alerts, descriptions, the configuration, and
 * its lines that name keys. Rules become their module; none of their SQL is run. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "cli/command.h"
#include "cli/config.h"
#include "core/trace_builder.h"
#include "fuzz.h"
#include "explain/alerts.h"
#include "sql/session.h"
#include "tui/app/bindings.h"
#include "tui/cells/theme.h"
#include "tui/view/descriptions.h"

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

/* Patterns are tried with names that take long where each star is tried at each place. */
static void read_descriptions(struct str text)
{
    static const char long_name[] =
        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
    struct descriptions *d = descriptions_new();
    struct status s = descriptions_add(d, "fuzz", text);
    status_release(&s);
    descriptions_find(d, "slice", long_name);
    descriptions_find(d, "slice", "[x]\xff\\");
    descriptions_find(d, "counter", "");
    descriptions_free(d);
}

/* Options of each kind, without what the real ones remember beyond a run. */
struct settings {
    const char *theme;
    bool mouse;
    size_t taken;
};

static int take_value(void *self, const char *value)
{
    ((struct settings *)self)->taken += strlen(value) + strlen(config_place());
    return *value == '0' ? usage_error("not %s", value) : EXIT_DONE;
}

/* main()'s, which print why. */
int usage_error(const char *format, ...)
{
    (void)format;
    return EXIT_USAGE;
}

int refuse_command(const char *word)
{
    (void)word;
    return EXIT_USAGE;
}

static void read_configuration(struct str text)
{
    static const struct command_option own[] = {
        {.name = "theme", .value = "NAME", OPTION_INTO(struct settings, theme)},
        {.name = "mouse", OPTION_INTO(struct settings, mouse)},
        {.name = "size", .value = "WxH", .set = take_value},
    };
    static const struct command_option others[] = {{.name = "format", .value = "F"}};
    static const struct option_table own_table = {"fuzz", own, sizeof own / sizeof *own};
    static const struct option_table other_table = {"others", others, 1};
    struct settings settings = {0};
    char *copy = alloc_copy(text.p, text.n);
    config_take(&own_table, &other_table, &settings, "fuzz", copy);
    if (settings.theme && settings.theme + strlen(settings.theme) > copy + text.n)
        abort();
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct str text = {(const char *)data, size};
    read_theme(text);
    read_rules(text);
    read_keys(text);
    read_descriptions(text);
    read_configuration(text);
    return 0;
}
