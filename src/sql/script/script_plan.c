#include "sql/script/script_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/engine/session_state.h"
#include "sql/grammar/parse.h"
#include "sql/language/language.h"
#include "sql/script/sql_function.h"
#include "sql/tables/sql_table.h"
#include "sql/tables/table_builder.h"
#include "sql/vector/refusal.h"

static bool function_is_taken(struct sql_session *s, struct str name, uint32_t arguments)
{
    char count[16];
    bool table = arguments == VECTOR_TABLE_FUNCTION;
    snprintf(count, sizeof count, table ? "table" : "%" PRIu32, arguments);
    for (size_t i = 0; i < s->language->functions.count; i++) {
        const char *taken = s->language->functions.items[i]; /* "name/argument count" */
        const char *taken_count = taken + name.n + 1;
        if (compare_any_case_n(taken, name.p, name.n) == 0 && taken[name.n] == '/' &&
            (strcmp(taken_count, count) == 0 || strcmp(taken_count, "-1") == 0))
            return true;
    }
    return false;
}

static struct plan *make_plan(struct sql_session *s, const struct vector_text *text,
                              struct vector_environment environment)
{
    const struct language *l = s->language;
    environment.least_rows = s->vector_rows;
    environment.function_is_taken = function_is_taken;
    environment.find_function = sql_function_find;
    bool can = s->vector_rows < UINT32_MAX && !l->has_pragmas && !l->schema;
    if (l->has_pragmas)
        refusal_because(&environment, "a PRAGMA that was run");
    return can ? vector_plan(s, &environment, text) : NULL;
}

struct plan *script_plan(struct sql_session *s, const struct token_list *tokens,
                         const struct sql_node *select, bool builds, struct vector_refusal *refusal)
{
    struct vector_text text = {.tokens = tokens->v.items, .select = select};
    struct vector_environment environment = {.builds = builds, .refusal = refusal};
    return select ? make_plan(s, &text, environment) : NULL;
}

struct plan *script_plan_part(struct sql_session *s, const struct vector_text *text,
                              struct vector_refusal *refusal)
{
    struct vector_environment environment = {.is_part = true, .refusal = refusal};
    if (s->language->has_collations) {
        refusal_because(&environment, "COLLATE in a definition");
        return NULL;
    }
    return make_plan(s, text, environment);
}

enum vector_result script_plan_build(struct sql_session *s, struct plan *p, const char *name,
                                     struct sql_table **out)
{
    uint32_t n = vector_columns(p);
    const char **names = alloc_array(n, sizeof *names);
    for (uint32_t c = 0; c < n; c++)
        names[c] = vector_column_name(p, c);
    struct table_builder *b = table_builder_new(&s->trace->strings, (int)n, names);
    free(names);
    enum vector_result result = vector_build(p, b);
    *out = NULL;
    if (result == VECTOR_DONE)
        *out = sql_table_own(table_builder_finish(b, name), &s->trace->strings, &s->cancel);
    else
        table_builder_free(b);
    return result;
}

struct sql_table *script_plan_read(struct sql_session *s, const char *sql)
{
    struct sql_source source = {.name = "input", .text = str_from(sql)};
    struct sql_parsed p = {0};
    struct sql_table *rows = NULL;
    if (s->schema_waits)
        return NULL;
    arena_init(&p.arena);
    (void)lexer_statement(&source, 0, &p.tokens);
    p.tree = sql_parse_statement(&p.arena, &p.tokens);
    struct plan *plan = p.tree.whole ? script_plan(s, &p.tokens, p.tree.root, true, NULL) : NULL;
    sql_parsed_release(&p);
    if (plan)
        (void)script_plan_build(s, plan, "input", &rows);
    vector_free(plan);
    return rows;
}
