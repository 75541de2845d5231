#include "tui/app/bindings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"

enum { SEQUENCE_MAX = 2, OVER_PANES = IN_LIST | IN_PROMPT | IN_TEXT };

/* Of the names of the editor's commands: some are those of actions, too. */
#define EDIT_PREFIX "edit-"

struct bindings {
    struct arena arena;
    struct key_choice *actions; /* by their numbers */
    struct key_choice *edits;   /* the editor's commands */
};

struct bindings *bindings_new(void)
{
    struct bindings *b = alloc_array(1, sizeof *b);
    arena_init(&b->arena);
    b->actions = alloc_array(action_count(), sizeof *b->actions);
    b->edits = alloc_array(editor_command_count(), sizeof *b->edits);
    return b;
}

void bindings_free(struct bindings *b)
{
    if (!b)
        return;
    arena_release(&b->arena);
    free(b->actions);
    free(b->edits);
    free(b);
}

static uint32_t number_of(const struct action *action)
{
    uint32_t i = 0;
    while (action_at(i) != action)
        i++;
    return i;
}

const char *const *bindings_keys(const struct bindings *b, const struct action *action)
{
    const struct key_choice *own = b ? &b->actions[number_of(action)] : NULL;
    return own && own->place ? own->keys : action->keys;
}

const struct action *bindings_find(const struct bindings *b, unsigned contexts, uint32_t key)
{
    for (uint32_t i = 0; i < action_count(); i++) {
        const struct action *action = action_at(i);
        const char *const *keys = bindings_keys(b, action);
        for (int k = 0; action->contexts & contexts && k < ACTION_KEYS && keys[k]; k++)
            if (key_find(str_from(keys[k])) == key)
                return action;
    }
    return NULL;
}

const struct key_choice *bindings_editor(const struct bindings *b)
{
    return b ? b->edits : NULL;
}

static const char *keep(struct bindings *b, struct str s)
{
    return arena_copy(&b->arena, s).p;
}

/* The sequence as the help writes it. */
static struct status read_sequence(struct bindings *b, struct str text, const char **out)
{
    char name[KEY_NAME_MAX], all[SEQUENCE_MAX * KEY_NAME_MAX];
    size_t used = 0;
    for (int i = 0; (text = str_trim(text)).n > 0; i++) {
        struct str word = str_take_word(&text);
        uint32_t key = key_find(word);
        if (key == TK_NONE)
            return status_error(STATUS_USAGE, "there is no key %.*s", (int)word.n, word.p);
        if (i == SEQUENCE_MAX)
            return status_error(STATUS_USAGE,
                                "at most %d keys in sequence; a comma parts alternatives",
                                SEQUENCE_MAX);
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i ? " " : "",
                                 key_text(key, name));
    }
    *out = keep(b, (struct str){all, used});
    return status_ok_value();
}

/* Where the first of several keys ends: a comma is a key, too. */
static size_t first_end(struct str keys)
{
    for (size_t i = 1; i < keys.n; i++)
        if (keys.p[i] == ',' && (i + 1 == keys.n || str_is_blank(keys.p[i + 1])))
            return i;
    return keys.n;
}

/* What has that name; NULL: nothing. */
static struct key_choice *find_binding(struct bindings *b, struct str name)
{
    const struct action *action = action_find(name);
    if (action)
        return &b->actions[number_of(action)];
    for (uint32_t i = 0; str_starts(name, STR(EDIT_PREFIX)) && i < editor_command_count(); i++)
        if (str_eq(str_skip(name, strlen(EDIT_PREFIX)), str_from(editor_command_at(i)->name)))
            return &b->edits[i];
    return NULL;
}

struct status bindings_set(struct bindings *b, struct str text, const char *place)
{
    size_t equals = str_find(text, '=');
    struct str name = str_trim(str_from_to(text, 0, equals));
    struct key_choice *found = find_binding(b, name);
    bool edit = found && found >= b->edits && found < b->edits + editor_command_count();
    int most = edit ? EDITOR_KEYS : ACTION_KEYS;
    struct key_choice own = {.place = keep(b, str_from(place))};
    if (equals == text.n)
        return status_error(STATUS_USAGE, "key wants ACTION = KEYS, not %.*s", (int)text.n, text.p);
    if (!found)
        return action_missing(name);
    struct str keys = str_trim(str_skip(text, equals + 1));
    for (int i = 0; keys.n > 0; i++) {
        size_t end = first_end(keys);
        if (i == most)
            return status_error(STATUS_USAGE, "%s has at most %d keys",
                                edit ? "a command of the editor" : "an action", most);
        struct status s = read_sequence(b, str_from_to(keys, 0, end), &own.keys[i]);
        if (!status_ok(s))
            return s;
        keys = str_trim(str_behind(keys, end));
    }
    *found = own;
    return status_ok_value();
}

/* Whether keys of both would be looked for in one place. What an area, a flamegraph and logs have
 * goes before what is there otherwise. */
static bool meet(const struct action *x, const struct action *y)
{
    const unsigned before = IN_AREA | IN_FLAME | IN_LOGS;
    return (x->contexts & y->contexts & (before | IN_ALL | OVER_PANES)) != 0 &&
           ((x->contexts & before) != 0) == ((y->contexts & before) != 0);
}

/* Whether one is the other, or its beginning. */
static bool same_beginning(const char *x, const char *y)
{
    size_t n = strlen(x), m = strlen(y), least = n < m ? n : m;
    char behind = n > m ? x[least] : y[least];
    return memcmp(x, y, least) == 0 && (behind == '\0' || behind == ' ');
}

static struct status check_typed(const struct action *action, const struct key_choice *own)
{
    for (int k = 0; k < ACTION_KEYS && own->keys[k]; k++) {
        const char *key = own->keys[k];
        struct str first = str_from_to(str_from(key), 0, strcspn(key, " "));
        uint32_t code = key_find(first);
        if (action->contexts & IN_TRACKS && code >= '1' && code <= '9')
            return status_error(STATUS_USAGE, "%s%s: digits are counts in the tracks", own->place,
                                action->name);
        if ((action->contexts == IN_EDITOR || action->contexts == IN_PROMPT) && code < TK_FIRST)
            return status_error(STATUS_USAGE, "%s%s: %s types a character in the editor",
                                own->place, action->name, key);
        if (action->contexts & OVER_PANES && strchr(key, ' '))
            return status_error(STATUS_USAGE,
                                "%s%s: keys of lists, prompts and texts are no sequences",
                                own->place, action->name);
    }
    return status_ok_value();
}

static struct status check_pair(const struct bindings *b, const struct action *action,
                                const struct action *other)
{
    const char *const *keys = bindings_keys(b, action), *const *others = bindings_keys(b, other);
    for (int i = 0; i < ACTION_KEYS && keys[i]; i++)
        for (int k = 0; k < ACTION_KEYS && others[k]; k++)
            if (same_beginning(keys[i], others[k]))
                return status_error(STATUS_USAGE,
                                    "%s%s = %s: %s has that key (\"key %s =\" takes it away)",
                                    b->actions[number_of(action)].place, action->name, keys[i],
                                    other->name, other->name);
    return status_ok_value();
}

/* A command of the editor whose keys the user has chosen. */
static struct status check_edit(const struct bindings *b, uint32_t command)
{
    const struct key_choice *own = &b->edits[command];
    const char *name = editor_command_at(command)->name;
    for (int k = 0; k < EDITOR_KEYS && own->keys[k]; k++) {
        const char *key = own->keys[k];
        uint32_t code = key_find(str_from(key));
        const struct action *action = bindings_find(b, IN_EDITOR | IN_PROMPT, code);
        if (code == TK_NONE)
            return status_error(STATUS_USAGE, "%s" EDIT_PREFIX "%s: no sequences in the editor",
                                own->place, name);
        if (code < TK_FIRST)
            return status_error(STATUS_USAGE,
                                "%s" EDIT_PREFIX "%s: %s types a character in the editor",
                                own->place, name, key);
        if (action)
            return status_error(STATUS_USAGE,
                                "%s" EDIT_PREFIX "%s = %s: %s has that key (\"key %s =\" takes it "
                                "away)",
                                own->place, name, key, action->name, action->name);
        for (uint32_t i = 0; i < editor_command_count(); i++)
            if (i != command && edit_keys_have(edit_keys_of(b->edits, i), code))
                return status_error(STATUS_USAGE,
                                    "%s" EDIT_PREFIX "%s = %s: " EDIT_PREFIX
                                    "%s has that key (\"key " EDIT_PREFIX "%s =\" takes it away)",
                                    own->place, name, key, editor_command_at(i)->name,
                                    editor_command_at(i)->name);
    }
    return status_ok_value();
}

struct status bindings_check(const struct bindings *b)
{
    struct status s = status_ok_value();
    for (uint32_t i = 0; i < editor_command_count() && status_ok(s); i++)
        if (b->edits[i].place)
            s = check_edit(b, i);
    for (uint32_t i = 0; i < action_count() && status_ok(s); i++) {
        const struct action *action = action_at(i);
        if (!b->actions[i].place)
            continue;
        s = check_typed(action, &b->actions[i]);
        for (uint32_t k = 0; k < action_count() && status_ok(s); k++)
            if (k != i && meet(action, action_at(k)))
                s = check_pair(b, action, action_at(k));
    }
    return s;
}

char *bindings_print(const struct bindings *b)
{
    char *text = NULL, keys[128];
    size_t size = 0;
    FILE *f = open_memstream(&text, &size);
    for (uint32_t g = 0; f && g < action_group_count(); g++) {
        const struct action_group *group = action_group_at(g);
        fprintf(f, "\n# %s\n", group->title);
        for (uint32_t i = 0; i < group->count; i++) {
            const struct action *action = &group->actions[i];
            const char *const *own = bindings_keys(b, action);
            keys_text(own, ACTION_KEYS, ", ", keys, sizeof keys);
            fprintf(f, "\n# %s\n%skey %s =%s%s\n", action->help, own == action->keys ? "#" : "",
                    action->name, *keys ? " " : "", keys);
        }
    }
    if (f)
        fprintf(f, "\n# " EDITOR_GROUP "\n");
    for (uint32_t i = 0; f && i < editor_command_count(); i++) {
        const struct editor_command *command = editor_command_at(i);
        const char *const *own = edit_keys_of(bindings_editor(b), i);
        keys_text(own, EDITOR_KEYS, ", ", keys, sizeof keys);
        fprintf(f, "\n# %s\n%skey " EDIT_PREFIX "%s =%s%s\n", command->help,
                own == command->keys ? "#" : "", command->name, *keys ? " " : "", keys);
    }
    if (!f || fclose(f) != 0)
        return alloc_copy("", 0);
    return text;
}
