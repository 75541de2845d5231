#include "tui/app/key_input.h"

#include <stdio.h>
#include <string.h>

#include "text/time_text.h"
#include "tui/app/bindings.h"
#include "tui/app/help.h"
#include "tui/app/lists.h"
#include "tui/app/loading.h"
#include "tui/app/mouse.h"
#include "tui/app/program.h"
#include "tui/app/save.h"
#include "tui/app/session.h"
#include "tui/app/trace_list.h"
#include "tui/context/state.h"
#include "tui/query/grid_export.h"
#include "tui/query/grid_order.h"
#include "tui/query/query_pane.h"
#include "tui/query/query_steps.h"
#include "tui/query/query_track.h"
#include "tui/tabs/area_tables.h"
#include "tui/tabs/flame_pane.h"
#include "tui/tabs/logs_pane.h"
#include "tui/timeline/jump.h"
#include "tui/timeline/marks.h"
#include "tui/timeline/place.h"
#include "tui/timeline/search.h"
#include "tui/timeline/timeline_view.h"
#include "tui/timeline/tracks.h"

/* Signs count from `now`. False where it is no time. */
static bool parse_time(const struct timeline *tl, int64_t now, struct str s, int64_t *out)
{
    struct time_text t;
    if (!time_text_read(s, &t))
        return false;
    *out = time_text_resolve(t, tl->start, now);
    return true;
}

effects prompt_accept(struct app *a)
{
    struct str text = editor_text(&a->prompt);
    int64_t ts;
    a->overlay = OVERLAY_NONE;
    switch (a->prompt_kind) {
    case PROMPT_SEARCH:
        app_search(a, text);
        break;
    case PROMPT_FILTER:
        return app_filter(a, text);
    case PROMPT_SAVE:
        return app_save(a, text);
    case PROMPT_LOGS:
        return logs_set_filter(a, text);
    case PROMPT_GROUP:
        return area_tables_group(a, text);
    case PROMPT_FLAME:
        return flame_set_filter(a, text);
    case PROMPT_NOTE:
        app_mark(a, text);
        break;
    case PROMPT_GRID_SEARCH:
        grid_search(a, text, 1);
        break;
    case PROMPT_GRID_FILTER:
        grid_filter_pattern(a, text);
        break;
    case PROMPT_TRACK:
        return query_make_track(a, text);
    case PROMPT_COLUMN:
        return query_add_column(a, text);
    case PROMPT_EXPORT:
        grid_export(a, text);
        break;
    case PROMPT_QUERY:
        if (text.n > 0)
            snprintf(a->program->found, sizeof a->program->found, "%.*s", (int)text.n, text.p);
        if (!editor_find(&a->query->editor, str_from(a->program->found)))
            app_complain(a, "the query does not have: %s", a->program->found);
        break;
    case PROMPT_TIME:
        if (parse_time(app_timeline(a), a->view->cursor.ts, text, &ts))
            return app_jump_time(a, ts);
        app_complain(a,
                     "not a time: %.*s (614.037 is ms; 1.2s, 300us, 5ns, 1:02:03; +10ms from here)",
                     (int)text.n, text.n ? text.p : "");
        break;
    }
    return EFFECT_NONE;
}

effects prompt_cancel(struct app *a)
{
    a->overlay = OVERLAY_NONE;
    return EFFECT_NONE;
}

static effects prompt_key(struct app *a, const struct key_event *key)
{
    const struct action *action = bindings_find(a->options.bindings, IN_PROMPT, key->key);
    if (action)
        return action_call(a, action, -1);
    if (key->key == TK_BACKSPACE && a->prompt.text.count == 0)
        return prompt_cancel(a);
    edit_keys_press(a->edit_keys, &a->prompt, key);
    return EFFECT_NONE;
}

/* What is no key of the help or the text closes them. */
static effects text_key(struct app *a, uint32_t key)
{
    const struct action *action = bindings_find(a->options.bindings, IN_TEXT, key);
    if (action)
        return action_call(a, action, -1);
    text_close(a);
    return EFFECT_NONE;
}

/* A key while something lies over the timeline. */
static effects overlay_key(struct app *a, const struct key_event *key)
{
    switch (a->overlay) {
    case OVERLAY_PICKER:
        return app_picker_key(a, key);
    case OVERLAY_PROMPT:
        return prompt_key(a, key);
    case OVERLAY_HELP:
    case OVERLAY_TEXT:
        if (!a->help_searching)
            return text_key(a, key->key);
        help_search_key(a, key);
        break;
    case OVERLAY_FOREIGN_SQL:
        return foreign_sql_key(a, key->key);
    case OVERLAY_QUIT:
    case OVERLAY_NONE:
        break;
    }
    return EFFECT_NONE;
}

/* The answer to whether to quit; false: none, the key means what it always does. */
static bool quit_key(struct app *a, uint32_t key)
{
    a->overlay = OVERLAY_NONE;
    a->quit = key == 'y' || key == 'Y' || key == 'q';
    return a->quit || key == 'n' || key == 'N' || key == TK_ESC;
}

/* How much of a binding was typed: the whole, a beginning, or something else. */
enum match { MATCH_NONE, MATCH_PART, MATCH_ALL };

static enum match match_binding(const struct app *a, const char *binding)
{
    struct str rest = str_from(binding);
    for (int i = 0; i < a->program->pending_count; i++) {
        if (rest.n == 0 || key_find(str_cut(&rest, ' ')) != a->program->pending[i])
            return MATCH_NONE;
    }
    return rest.n == 0 ? MATCH_ALL : MATCH_PART;
}

static const struct action *find_in(const struct app *a, unsigned context, bool *part)
{
    for (uint32_t i = 0; i < action_count(); i++) {
        const struct action *action = action_at(i);
        if (!(action->contexts & context))
            continue;
        const char *const *keys = bindings_keys(a->options.bindings, action);
        for (int k = 0; k < ACTION_KEYS && keys[k]; k++) {
            enum match m = match_binding(a, keys[k]);
            if (m == MATCH_ALL)
                return action;
            *part |= m == MATCH_PART;
        }
    }
    return NULL;
}

/* Keys mean something else while an area is chosen. */
static const struct action *find_action(const struct app *a, bool *part)
{
    unsigned context = action_context(a);
    unsigned first = context & (IN_AREA | IN_FLAME | IN_LOGS);
    const struct action *action = first ? find_in(a, first, part) : NULL;
    return action ? action : find_in(a, context & ~first, part);
}

static bool take_digit(struct app *a, uint32_t key)
{
    bool digit = key >= '1' && key <= '9', zero = key == '0' && a->program->count >= 0;
    if (a->focus != FOCUS_TRACKS || a->program->pending_count > 0 || (!digit && !zero))
        return false;
    a->program->count = a->program->count < 0 ? 0 : a->program->count;
    if (a->program->count < 1000000)
        a->program->count = a->program->count * 10 + (int64_t)(key - '0');
    return true;
}

static effects bound_key(struct app *a, uint32_t key)
{
    bool part = false;
    if (take_digit(a, key))
        return EFFECT_NONE;
    a->program->pending[a->program->pending_count++] = key;
    const struct action *action = find_action(a, &part);
    if (!action && a->focus == FOCUS_DETAILS) /* w and f are not worth a way to the tracks */
        action = find_in(a, IN_TRACKS, &part);
    if (!action && part && a->program->pending_count < 2)
        return EFFECT_NONE;
    int64_t count = a->program->count;
    bool sequence = a->program->pending_count > 1;
    a->program->pending_count = 0;
    a->program->count = -1;
    if (action)
        return action_call(a, action, count);
    char name[KEY_NAME_MAX];
    const struct action *elsewhere = sequence || a->focus == FOCUS_TRACKS
                                         ? NULL
                                         : bindings_find(a->options.bindings, IN_TRACKS, key);
    key_text(key, name);
    if (elsewhere)
        app_say(a, "%s is a key of the tracks (%s): Tab goes there", name, elsewhere->name);
    else
        app_say(a, "%s%s does nothing here; ? lists the keys", sequence ? "... " : "", name);
    return EFFECT_NONE;
}

effects app_key(struct app *a, const struct key_event *key)
{
    if (!mouse_is_event(key) || key->key == TK_MOUSE_PRESS)
        a->message[0] = '\0';
    if (key->key == TK_FOCUS_IN || key->key == TK_FOCUS_OUT)
        return EFFECT_NONE;
    a->touched = true;
    if (trace_list_is_shown(a))
        return mouse_is_event(key) ? mouse_event(a, key) : app_picker_key(a, key);
    if (!a->opened) {
        if (key->key == (TK_CTRL | 'c') || key->key == 'q' || key->key == 'Q')
            app_cancel_load(a, key->key == (TK_CTRL | 'c'));
        return EFFECT_NONE;
    }
    app_place_settle(a);
    if (mouse_is_event(key))
        return mouse_event(a, key);
    a->view->pane_height = 0;
    if (a->overlay == OVERLAY_QUIT) {
        if (quit_key(a, key->key))
            return EFFECT_NONE;
    } else if (a->overlay != OVERLAY_NONE) {
        effects e = overlay_key(a, key);
        if (a->overlay == OVERLAY_NONE && a->program->foreign_sql.tracks.count > 0)
            a->overlay = OVERLAY_FOREIGN_SQL; /* it was shown, and is to be answered yet */
        return e;
    }
    if (a->focus == FOCUS_EDITOR && a->program->pending_count == 0 && query_editor_key(a, key))
        return EFFECT_NONE;
    return key->key == TK_PASTE ? EFFECT_NONE : bound_key(a, key->key);
}
