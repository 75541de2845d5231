#include "sql/script/script_plan.h"

#include "sql/engine/session_state.h"
#include "sql/language/language.h"

static bool function_is_taken(struct sql_session *s, struct str name)
{
    for (size_t i = 0; i < s->language->functions.count; i++) {
        const char *taken = s->language->functions.items[i]; /* "name/argument count" */
        if (compare_any_case_n(taken, name.p, name.n) == 0 && taken[name.n] == '/')
            return true;
    }
    return false;
}

static struct plan *make_plan(struct sql_session *s, const struct token *tokens, size_t n,
                              struct vector_environment environment)
{
    const struct language *l = s->language;
    environment.least_rows = s->vector_rows;
    environment.function_is_taken = function_is_taken;
    bool can = s->vector_rows < UINT32_MAX && !l->has_temporaries && !l->has_pragmas && !l->schema;
    return can ? vector_plan(s, &environment, tokens, n) : NULL;
}

struct plan *script_plan(struct sql_session *s, const struct token_list *tokens, size_t from,
                         bool builds)
{
    return make_plan(s, tokens->v.items + from, tokens->v.count - from,
                     (struct vector_environment){.builds = builds});
}

struct plan *script_plan_part(struct sql_session *s, const struct token_list *tokens)
{
    if (s->language->has_collations)
        return NULL;
    return make_plan(s, tokens->v.items, tokens->v.count,
                     (struct vector_environment){.is_part = true});
}
