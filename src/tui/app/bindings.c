#include "tui/app/bindings.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "tui/app/state.h"

enum { SEQUENCE_MAX = 2 };

/* What the user wants of an action; `place` is NULL where he says nothing. */
struct binding {
    const char *keys[ACTION_KEYS];
    const char *place;
};

struct bindings {
    struct arena arena;
    struct binding *actions; /* by their numbers */
};

struct bindings *bindings_new(void)
{
    struct bindings *b = alloc_array(1, sizeof *b);
    arena_init(&b->arena);
    b->actions = alloc_array(action_count(), sizeof *b->actions);
    return b;
}

void bindings_free(struct bindings *b)
{
    if (!b)
        return;
    arena_release(&b->arena);
    free(b->actions);
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
    const struct binding *own = b ? &b->actions[number_of(action)] : NULL;
    return own && own->place ? own->keys : action->keys;
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

struct status bindings_set(struct bindings *b, struct str text, const char *place)
{
    size_t equals = str_find(text, '=');
    struct str name = str_trim(str_from_to(text, 0, equals));
    const struct action *action = action_find(name);
    struct binding own = {.place = keep(b, str_from(place))};
    if (equals == text.n)
        return status_error(STATUS_USAGE, "key wants ACTION = KEYS, not %.*s", (int)text.n, text.p);
    if (!action)
        return status_error(STATUS_USAGE, "there is no action %.*s (tptui config lists them)",
                            (int)name.n, name.p);
    struct str keys = str_trim(str_skip(text, equals + 1));
    for (int i = 0; keys.n > 0; i++) {
        size_t end = first_end(keys);
        if (i == ACTION_KEYS)
            return status_error(STATUS_USAGE, "an action has at most %d keys", ACTION_KEYS);
        struct status s = read_sequence(b, str_from_to(keys, 0, end), &own.keys[i]);
        if (!status_ok(s))
            return s;
        keys = str_trim(str_skip(keys, end < keys.n ? end + 1 : end));
    }
    b->actions[number_of(action)] = own;
    return status_ok_value();
}

/* Whether keys of both would be looked for in one place. What an area, a flamegraph and logs have
 * goes before what is there otherwise. */
static bool meet(const struct action *x, const struct action *y)
{
    const unsigned before = IN_AREA | IN_FLAME | IN_LOGS;
    return (x->contexts & y->contexts & (before | IN_ALL)) != 0 &&
           ((x->contexts & before) != 0) == ((y->contexts & before) != 0);
}

/* Whether one is the other, or its beginning. */
static bool same_beginning(const char *x, const char *y)
{
    size_t n = strlen(x), m = strlen(y), least = n < m ? n : m;
    char behind = n > m ? x[least] : y[least];
    return memcmp(x, y, least) == 0 && (behind == '\0' || behind == ' ');
}

static struct status check_typed(const struct action *action, const struct binding *own)
{
    for (int k = 0; k < ACTION_KEYS && own->keys[k]; k++) {
        const char *key = own->keys[k];
        struct str first = str_from_to(str_from(key), 0, strcspn(key, " "));
        uint32_t code = key_find(first);
        if (action->contexts & IN_TRACKS && code >= '1' && code <= '9')
            return status_error(STATUS_USAGE, "%s%s: digits are counts in the tracks", own->place,
                                action->name);
        if (action->contexts == IN_EDITOR && code < TK_FIRST)
            return status_error(STATUS_USAGE, "%s%s: %s types a character in the editor",
                                own->place, action->name, key);
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

struct status bindings_check(const struct bindings *b)
{
    struct status s = status_ok_value();
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
    if (!f || fclose(f) != 0)
        return alloc_copy("", 0);
    return text;
}
