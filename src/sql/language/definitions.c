#include "sql/language/definitions.h"

#include <string.h>

#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/language/module.h"

static bool ends_with_word(struct str text, const char *word)
{
    size_t n = strlen(word);
    return text.n >= n && compare_any_case_n(text.p + text.n - n, word, n) == 0;
}

/* Where the text goes on behind the next CREATE [OR REPLACE] PERFETTO from `at` on, or its end. */
static size_t behind_create(struct str text, size_t at)
{
    static const char word[] = "PERFETTO";
    const size_t n = sizeof word - 1;
    for (; at + n <= text.n; at++) {
        if ((text.p[at] & ~0x20) != word[0] || compare_any_case_n(text.p + at, word, n) != 0)
            continue;
        struct str before = str_trim_lines(str_from_to(text, 0, at));
        if (ends_with_word(before, "CREATE") || ends_with_word(before, "REPLACE"))
            return at + n;
    }
    return text.n;
}

bool definition_next(const struct sql_module *m, size_t *at, struct str *name)
{
    struct sql_source source = {.name = m->name, .text = m->text};
    while ((*at = behind_create(m->text, *at)) < m->text.n) {
        bool kind = false;
        for (struct token t; (t = lexer_token(&source, *at)).kind != TOKEN_END;) {
            *at += t.text.n;
            if (token_is_blank(t))
                continue;
            *name = t.text;
            if (kind && token_is_name(t))
                return true;
            kind = token_is_word(t, "TABLE") || token_is_word(t, "VIEW") ||
                   token_is_word(t, "FUNCTION") || token_is_word(t, "MACRO");
            if (!kind)
                break;
        }
    }
    return false;
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
