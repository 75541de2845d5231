#include "core/store/arg_list.h"

#include <string.h>

#include "base/map.h"

/* Lists up to this long are searched, longer ones hashed. */
enum { SHORT_LIST = 24 };

void arg_list_release(struct arg_list *list)
{
    vec_release(&list->v);
}

/* Equal args are equal bytes, padding and the unused half of the union included: sets are compared
 * and hashed as memory. */
void arg_list_add(struct arg_list *list, struct arg a)
{
    struct arg *slot = vec_push(&list->v);
    memset(slot, 0, sizeof *slot);
    slot->flat_key = a.flat_key;
    slot->key = a.key;
    slot->type = a.type;
    if (a.type == ARG_STRING || a.type == ARG_JSON)
        slot->s = a.s;
    else if (a.type != ARG_NULL)
        slot->i = a.i;
}

void arg_list_int(struct arg_list *list, string_id key, int64_t v)
{
    arg_list_add(list, (struct arg){.flat_key = key, .key = key, .type = ARG_INT, .i = v});
}

void arg_list_uint(struct arg_list *list, string_id key, uint64_t v)
{
    arg_list_add(list,
                 (struct arg){.flat_key = key, .key = key, .type = ARG_UINT, .i = (int64_t)v});
}

void arg_list_str(struct arg_list *list, string_id key, string_id v)
{
    arg_list_add(list, (struct arg){.flat_key = key, .key = key, .type = ARG_STRING, .s = v});
}

void arg_list_real(struct arg_list *list, string_id key, double v)
{
    arg_list_add(list, (struct arg){.flat_key = key, .key = key, .type = ARG_REAL, .d = v});
}

void arg_list_bool(struct arg_list *list, string_id key, bool v)
{
    arg_list_add(list, (struct arg){.flat_key = key, .key = key, .type = ARG_BOOL, .i = v});
}

void arg_list_pointer(struct arg_list *list, string_id key, uint64_t v)
{
    arg_list_add(list,
                 (struct arg){.flat_key = key, .key = key, .type = ARG_POINTER, .i = (int64_t)v});
}

void arg_list_append(struct arg_list *list, const struct arg_list *other)
{
    for (size_t i = 0; i < other->v.count; i++)
        arg_list_add(list, other->v.items[i]);
}

static bool has_later(const struct arg_list *list, size_t i)
{
    for (size_t k = i + 1; k < list->v.count; k++)
        if (list->v.items[k].key == list->v.items[i].key)
            return true;
    return false;
}

static void drop_replaced_in_long_list(struct arg_list *list, size_t from)
{
    struct map place = {0};
    size_t kept = from;
    for (size_t i = from; i < list->v.count; i++) {
        bool is_new;
        uint32_t *at = map_insert(&place, list->v.items[i].key, &is_new);
        if (is_new)
            *at = (uint32_t)kept++;
        list->v.items[*at] = list->v.items[i];
    }
    list->v.count = kept;
    map_release(&place);
}

void arg_list_drop_replaced(struct arg_list *list, size_t from)
{
    if (list->v.count - from > SHORT_LIST) {
        drop_replaced_in_long_list(list, from);
        return;
    }
    size_t kept = from;
    for (size_t i = from; i < list->v.count; i++) {
        size_t at = from;
        while (at < kept && list->v.items[at].key != list->v.items[i].key)
            at++;
        list->v.items[at] = list->v.items[i];
        kept += at == kept;
    }
    list->v.count = kept;
}

bool arg_list_may_have_replaced(const struct arg_list *list)
{
    if (list->v.count > SHORT_LIST)
        return true;
    size_t i = 0;
    while (i < list->v.count && !has_later(list, i))
        i++;
    return i < list->v.count;
}

const char *arg_type_name(enum arg_type type)
{
    static const char *const names[] = {
        [ARG_NULL] = "null",     [ARG_INT] = "int",   [ARG_UINT] = "uint",
        [ARG_STRING] = "string", [ARG_REAL] = "real", [ARG_POINTER] = "pointer",
        [ARG_BOOL] = "bool",     [ARG_JSON] = "json",
    };
    return names[type];
}
