#include "tui/view/event_kind.h"

#define KIND_ADDRESS(kind) &kind,
static const struct event_kind *const kinds[] = {EVENT_KINDS(KIND_ADDRESS)};

const struct event_kind *event_kind_at(size_t i)
{
    return i < sizeof kinds / sizeof *kinds ? kinds[i] : NULL;
}

const struct event_kind *event_kind_find(struct str name)
{
    const struct event_kind *kind;
    for (size_t i = 0; (kind = event_kind_at(i)); i++)
        if (kind->name && str_eq(name, str_from(kind->name)))
            return kind;
    return NULL;
}
