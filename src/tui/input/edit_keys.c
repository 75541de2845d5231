#include "tui/input/edit_keys.h"

_Static_assert((int)EDITOR_KEYS <= (int)KEY_CHOICES, "a choice has room for the keys of a command");

const char *const *edit_keys_of(const struct key_choice *choices, uint32_t command)
{
    const struct key_choice *own = choices ? &choices[command] : NULL;
    return own && own->place ? own->keys : editor_command_at(command)->keys;
}

bool edit_keys_have(const char *const *keys, uint32_t key)
{
    for (int k = 0; k < EDITOR_KEYS && keys[k]; k++)
        if (key_find(str_from(keys[k])) == key)
            return true;
    return false;
}

/* The editor knows the keys of its own table: a key that the user chose is that of its command
 * there, one that he has taken away is none. */
static uint32_t key_of_table(const struct key_choice *choices, uint32_t key)
{
    uint32_t own = key;
    for (uint32_t i = 0; choices && i < editor_command_count(); i++) {
        const struct editor_command *command = editor_command_at(i);
        if (!choices[i].place)
            continue;
        if (edit_keys_have(choices[i].keys, key))
            return key_find(str_from(command->keys[0]));
        if (edit_keys_have(command->keys, key))
            own = TK_NONE;
    }
    return own;
}

bool edit_keys_press(const struct key_choice *choices, struct editor *e,
                     const struct key_event *key)
{
    struct key_event known = *key;
    known.key = key_of_table(choices, key->key);
    return known.key != TK_NONE && editor_key(e, &known);
}
