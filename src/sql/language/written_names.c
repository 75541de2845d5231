#include "sql/language/written_names.h"

#include <stdlib.h>

void written_names_release(struct written_names *names)
{
    for (size_t i = 0; i < names->v.count; i++) {
        free(names->v.items[i].given);
        free(names->v.items[i].written);
    }
    vec_release(&names->v);
}

void written_names_write(struct written_names *names, struct sql_rewrite *r,
                         const struct sql_node *result)
{
    size_t from = r->out->v.count;
    struct sql_span span = result->span;
    sql_rewrite_range(r, result, span.first, span.end);
    const struct token *made = r->out->v.items + from;
    size_t count = r->out->v.count - from;
    char *given = tokens_text(made, count);
    char *written = tokens_text(r->tokens->v.items + span.first, span.end - span.first);
    if (strcmp(given, written) != 0) {
        *vec_push(&names->v) = (struct written_name){given, written};
        return;
    }
    free(given);
    free(written);
}

const char *written_names_find(const struct written_names *names, const char *given)
{
    for (size_t i = 0; i < names->v.count; i++)
        if (strcmp(names->v.items[i].given, given) == 0)
            return names->v.items[i].written;
    return given;
}
