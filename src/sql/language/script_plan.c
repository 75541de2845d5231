#include "sql/language/script_plan.h"

#include <strings.h>

#include "sql/engine/session_state.h"
#include "sql/language/language.h"

static bool function_is_taken(struct sql_session *s, struct str name)
{
    for (size_t i = 0; i < s->language->functions.count; i++) {
        const char *taken = s->language->functions.items[i]; /* "name/argument count" */
        if (strncasecmp(taken, name.p, name.n) == 0 && taken[name.n] == '/')
            return true;
    }
    return false;
}

struct plan *script_plan(struct sql_session *s, const struct token_list *tokens, size_t from,
                         bool builds)
{
    const struct language *l = s->language;
    struct vector_environment environment = {.least_rows = s->vector_rows,
                                             .builds = builds,
                                             .function_is_taken = function_is_taken};
    bool can = s->vector_rows < UINT32_MAX && !l->has_temporaries && !l->has_pragmas && !l->schema;
    return can ? vector_plan(s, &environment, tokens->v.items + from, tokens->v.count - from)
               : NULL;
}
