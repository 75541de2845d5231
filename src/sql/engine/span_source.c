#include "sql/engine/span_source.h"

#include <string.h>

#include "sql/engine/session_state.h"

const struct span_source *span_source_find(const struct sql_session *s, struct str name)
{
    const struct span_source *at = s->span_sources;
    while (at && (strcmp(at->schema, "main") != 0 || !str_eq_any_case(str_from(at->name), name)))
        at = at->next;
    return at;
}

void span_source_add(struct sql_session *s, struct span_source *source)
{
    source->next = s->span_sources;
    s->span_sources = source;
}

void span_source_remove(struct sql_session *s, struct span_source *source)
{
    struct span_source **at = &s->span_sources;
    while (*at && *at != source)
        at = &(*at)->next;
    if (*at)
        *at = source->next;
}
