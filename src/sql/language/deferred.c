#include "sql/language/deferred.h"

#include "base/hash.h"
#include "sql/engine/session_state.h"
#include "sql/language/definitions.h"
#include "sql/language/language.h"

static uint64_t name_hash(struct str name)
{
    return hash_any_case(name.p, name.n, 0);
}

void deferred_release(struct deferred_list *list)
{
    vec_release(&list->v);
    map_release(&list->by_name);
}

uint32_t deferred_first(const struct deferred_list *list, struct str name)
{
    const uint32_t *first = map_find(&list->by_name, name_hash(name));
    return first ? *first : 0;
}

static bool is_waiting(const struct deferred_list *list, const struct deferred *d)
{
    for (uint32_t i = deferred_first(list, d->name); i > 0; i = list->v.items[i - 1].next)
        if (list->v.items[i - 1].module == d->module && list->v.items[i - 1].from == d->from)
            return true;
    return false;
}

bool deferred_add(struct sql_session *s, const char *module, const struct token_list *statement,
                  size_t from, size_t to)
{
    struct deferred_list *list = &s->language->deferred;
    struct deferred d = {.module = module, .from = from, .to = to};
    bool inserted;
    if (definition_of(statement, &d.name) != DEFINES_OTHER || session_name_taken(s, d.name))
        return false;
    d.text = statement->v.items[0].source->text;
    if (s->language->redoing > 0 && is_waiting(list, &d))
        return true;
    uint32_t *first = map_insert(&list->by_name, name_hash(d.name), &inserted);
    d.next = *first;
    *vec_push(&list->v) = d;
    *first = (uint32_t)list->v.count;
    list->waiting++;
    return true;
}
