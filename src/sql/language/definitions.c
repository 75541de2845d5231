#include "sql/language/definitions.h"

#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/language/module.h"
#include "sql/tokens/token_cursor.h"

enum definition definition_of(const struct token_list *statement, struct str *name)
{
    static const char *const kinds[] = {"TABLE", "VIEW", "FUNCTION", "MACRO"};
    struct token_cursor c = {statement->v.items, statement->v.count, 0};
    if (c.count == 0 || !cursor_accept(&c, "CREATE"))
        return DEFINES_NOTHING;
    if (cursor_accept(&c, "OR"))
        cursor_accept(&c, "REPLACE");
    bool virtual = !cursor_accept(&c, "PERFETTO");
    if (virtual && !cursor_accept(&c, "VIRTUAL"))
        return DEFINES_NOTHING;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && (!virtual || i == 0); i++) {
        if (!cursor_accept(&c, kinds[i]))
            continue;
        struct token t = cursor_take(&c);
        *name = token_name(t);
        return !token_is_name(t) ? DEFINES_NOTHING : i == 3 ? DEFINES_MACRO : DEFINES_OTHER;
    }
    return DEFINES_NOTHING;
}

bool definition_next(const struct sql_module *m, size_t *at, struct str *name)
{
    struct sql_source source = {.name = m->name, .text = m->text};
    struct token_list statement = {0};
    bool found = false;
    while (*at < m->text.n && !found) {
        statement.v.count = 0;
        *at = lexer_statement(&source, *at, &statement);
        found = definition_of(&statement, name) != DEFINES_NOTHING;
    }
    vec_release(&statement.v);
    return found;
}

static bool defines(const struct sql_module *m, const char *wanted)
{
    struct str name;
    for (size_t at = 0; definition_next(m, &at, &name);)
        if (str_eq_any_case(name, str_from(wanted)))
            return true;
    return false;
}

const struct sql_module *definition_find(const struct sql_session *s, const char *name)
{
    for (size_t i = 0; i < s->language->modules.count; i++)
        if (!s->language->modules.items[i].included &&
            defines(&s->language->modules.items[i], name))
            return &s->language->modules.items[i];
    return NULL;
}
