#include "tui/app/actions.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "text/edits.h"
#include "tui/app/app.h"
#include "tui/app/trace_list.h"
#include "tui/context/prompt.h"
#include "tui/context/state.h"
#include "tui/timeline/details_pane.h"
#include "tui/timeline/timeline_view.h"

#define ADDRESS(group) &group,
static const struct action_group *const groups[] = {ACTION_GROUPS(ADDRESS)};
#undef ADDRESS

uint32_t action_group_count(void)
{
    return sizeof groups / sizeof *groups;
}

const struct action_group *action_group_at(uint32_t i)
{
    return groups[i];
}

uint32_t action_count(void)
{
    uint32_t n = 0;
    for (uint32_t g = 0; g < action_group_count(); g++)
        n += groups[g]->count;
    return n;
}

const struct action *action_at(uint32_t i)
{
    uint32_t g = 0;
    for (; i >= groups[g]->count; g++)
        i -= groups[g]->count;
    return &groups[g]->actions[i];
}

void keys_text(const char *const *keys, int most, const char *between, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < most && keys[i] && used < size; i++) {
        int n = snprintf(out + used, size - used, "%s%s", i ? between : "", keys[i]);
        used += n > 0 ? (size_t)n : 0;
    }
}

effects action_call(struct app *a, const struct action *action, int64_t count)
{
    struct call call = {count < 1 ? 1 : count, count > 0, action->arg};
    bool listed = trace_list_is_shown(a) && action->contexts & IN_LIST;
    if (!a->opened && !(action->contexts & WHILE_LOADING) && !listed)
        return EFFECT_NONE;
    if ((action->contexts & IN_OVERLAYS) && !(action->contexts & action_context(a))) {
        app_say(a, "%s: there is no list, text or prompt to do that to", action->name);
        return EFFECT_NONE;
    }
    return action->does ? action->does(a) : action->run(a, &call);
}

effects action_prompt(struct app *a, const struct call *c)
{
    return app_prompt(a, (enum prompt_kind)c->arg);
}

unsigned action_context(const struct app *a)
{
    if (a->overlay == OVERLAY_PICKER)
        return IN_LIST;
    bool text = a->overlay == OVERLAY_HELP || a->overlay == OVERLAY_TEXT;
    if (a->overlay == OVERLAY_PROMPT || (text && a->help_searching))
        return IN_PROMPT;
    if (text)
        return IN_TEXT;
    switch (a->focus) {
    case FOCUS_TRACKS:
        return a->view->choosing ? IN_TRACKS | IN_AREA : IN_TRACKS;
    case FOCUS_DETAILS:
        return IN_DETAILS | details_pane_part(a)->context;
    case FOCUS_EDITOR:
        return IN_EDITOR;
    case FOCUS_GRID:
        return IN_GRID;
    }
    return 0;
}

const struct action *action_find(struct str name)
{
    for (uint32_t i = 0; i < action_count(); i++)
        if (str_eq(str_from(action_at(i)->name), name))
            return action_at(i);
    return NULL;
}

struct status action_missing(struct str name)
{
    char wanted[EDITS_MAX_LENGTH + 1];
    const char *nearest = NULL;
    int least = EDITS_MAX_LENGTH;
    snprintf(wanted, sizeof wanted, "%.*s", (int)(name.n < sizeof wanted ? name.n : 0), name.p);
    for (uint32_t i = 0; i < action_count(); i++) {
        int edits = edits_between(wanted, action_at(i)->name);
        if (edits >= least || !edits_are_slip(wanted, edits))
            continue;
        least = edits;
        nearest = action_at(i)->name;
    }
    if (nearest)
        return status_error(STATUS_USAGE, "there is no action %.*s: did you mean %s?", (int)name.n,
                            name.p, nearest);
    return status_error(STATUS_USAGE, "there is no action %.*s (tptui config lists them)",
                        (int)name.n, name.p);
}

char *tui_list_actions(void)
{
    char *text = NULL, keys[96];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t g = 0; f && g < action_group_count(); g++) {
        for (uint32_t i = 0; i < groups[g]->count; i++) {
            const struct action *action = &groups[g]->actions[i];
            keys_text(action->keys, ACTION_KEYS, "  ", keys, sizeof keys);
            fprintf(f, "%s\t%s\t%s\t%s\n", keys, action->name, action->help, groups[g]->title);
        }
    }
    for (uint32_t i = 0; f && i < editor_command_count(); i++) {
        const struct editor_command *command = editor_command_at(i);
        keys_text(command->keys, EDITOR_KEYS, "  ", keys, sizeof keys);
        fprintf(f, "%s\t%s\t%s\t" EDITOR_GROUP "\n", keys, command->name, command->help);
    }
    if (!f || fclose(f) != 0)
        return alloc_copy("", 0);
    return text;
}
