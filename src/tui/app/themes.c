#include "tui/app/themes.h"

#include <stdio.h>
#include <string.h>

#include "tui/cells/theme_names.h"
#include "tui/context/state.h"

/* Shows the theme, or says what is wrong with it. */
static bool take(struct app *a, const char *name)
{
    struct theme theme;
    struct status s = theme_load(name, &theme);
    bool ok = status_ok(s);
    if (ok) {
        a->theme = theme;
        term_set_theme(a->term, &a->theme);
        term_redraw(a->term);
    } else {
        app_complain(a, "%s", s.message);
    }
    status_release(&s);
    return ok;
}

static void say_taken(struct app *a)
{
    app_say(a, "theme %s; a line \"theme %s\" in the configuration keeps it", a->theme.name,
            a->theme.name);
}

effects app_take_theme(struct app *a, struct str name)
{
    char text[THEME_NAME_MAX];
    snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
    if (take(a, text))
        say_taken(a);
    return EFFECT_NONE;
}

effects app_next_theme(struct app *a)
{
    struct theme_names names = {0};
    theme_names_read(&names);
    size_t at = names.v.count - 1; /* of one that is not there any more: before the first */
    for (size_t i = 0; i < names.v.count; i++)
        if (strcmp(names.v.items[i], a->theme.name) == 0)
            at = i;
    bool broken = false, taken = false;
    for (size_t i = 1; i < names.v.count && !taken; i++) {
        taken = take(a, names.v.items[(at + i) % names.v.count]);
        broken |= !taken;
    }
    if (!broken)
        say_taken(a);
    theme_names_release(&names);
    return EFFECT_NONE;
}

effects app_list_themes(struct app *a)
{
    static const struct picker_column columns[] = {{"theme", 0, false}, {"of", 10, false}};
    struct picker *p = &a->picker;
    struct theme_names names = {0};
    theme_names_read(&names);
    picker_open(p, PICK_THEME, columns, 2, false);
    snprintf(p->title, sizeof p->title, "themes");
    for (uint32_t i = 0; i < names.v.count; i++) {
        struct picker_item *item = picker_add(p, i);
        item->marked = strcmp(names.v.items[i], a->theme.name) == 0;
        picker_set(p, item, 0, "%s", names.v.items[i]);
        picker_set(p, item, 1, "%s", i < names.built_in ? "built in" : "your own");
    }
    picker_filter(p);
    theme_names_release(&names);
    a->overlay = OVERLAY_PICKER;
    return EFFECT_NONE;
}
