#include "sql/script/perfetto_statement.h"

#include "sql/engine/session_state.h"
#include "sql/script/create_function.h"
#include "sql/script/create_index.h"
#include "sql/script/create_relation.h"
#include "sql/language/language.h"
#include "sql/script/include.h"
#include "sql/tokens/source_error.h"

static struct status drop_object(struct creation *p)
{
    struct token kind = cursor_peek(&p->c);
    if (cursor_accept(&p->c, "INDEX"))
        return drop_index(p);
    if (token_is_word(kind, "TABLE") || token_is_word(kind, "VIEW"))
        return token_error(kind, "expected INDEX: tables and views go with DROP %.*s NAME",
                           (int)kind.text.n, kind.text.p);
    if (token_is_word(kind, "FUNCTION") || token_is_word(kind, "MACRO"))
        return token_error(kind,
                           "expected INDEX: a %.*s cannot be dropped, CREATE OR REPLACE PERFETTO "
                           "%.*s makes it anew",
                           (int)kind.text.n, kind.text.p, (int)kind.text.n, kind.text.p);
    return expected_error(kind, "INDEX");
}

/* a.b, a.*, * */
static struct status include(struct creation *p)
{
    struct token first = cursor_peek(&p->c);
    struct token before = first;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (struct token t = first; t.kind != TOKEN_END; before = t, t = cursor_peek(&p->c)) {
        bool parted = p->c.at > 0 && token_is_blank(p->c.tokens[p->c.at - 1]);
        if (sqlite3_str_length(text) > 0 && parted && token_is_name(t) && !token_is(before, '.')) {
            sqlite3_free(sqlite3_str_finish(text));
            return token_error(t, "syntax error near %.*s: a ; is missing before it", (int)t.text.n,
                               t.text.p);
        }
        cursor_take(&p->c);
        sqlite3_str_append(text, t.text.p, (int)t.text.n);
    }
    char *name = sqlite3_str_finish(text);
    struct status s =
        name ? module_include(p->session, first, name) : expected_error(first, "a module's name");
    sqlite3_free(name);
    return s;
}

static struct status create(struct creation *p)
{
    static const struct {
        const char *keyword;
        struct status (*run)(struct creation *p);
    } kinds[] = {
        {"TABLE", create_table}, {"VIEW", create_view},   {"FUNCTION", create_function},
        {"MACRO", create_macro}, {"INDEX", create_index},
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (cursor_accept(&p->c, kinds[i].keyword))
            return kinds[i].run(p);
    return expected_error(cursor_peek(&p->c), "TABLE, VIEW, FUNCTION, MACRO or INDEX");
}

/* PERFETTO PRAGMA pipelines = 0 or 1. Pipelines are understood unless a script says 0. */
static struct status pragma(struct creation *p)
{
    struct token name, value;
    struct status s = cursor_expect(&p->c, "PRAGMA");
    if (status_ok(s))
        s = cursor_take_name(&p->c, "pipelines", &name);
    if (!status_ok(s))
        return s;
    if (!token_is_word(name, "PIPELINES"))
        return token_error(name, "there is no setting '%.*s': there is pipelines", (int)name.text.n,
                           name.text.p);
    if (!cursor_accept_char(&p->c, '='))
        return expected_error(cursor_peek(&p->c), "=");
    value = cursor_take(&p->c);
    int64_t number;
    if (value.kind != TOKEN_NUMBER || !str_to_i64(value.text, &number))
        return expected_error(value, "a whole number");
    value = cursor_peek(&p->c);
    if (value.kind != TOKEN_END)
        return expected_error(value, "the end");
    p->session->language->refuses_pipelines = number == 0;
    return s;
}

/* A plain CREATE of a module that runs again: what it made before goes away. */
static struct status make_room_again(struct creation *p)
{
    struct token_cursor c = p->c;
    if (!cursor_accept(&c, "TEMP"))
        cursor_accept(&c, "TEMPORARY");
    cursor_accept(&c, "VIRTUAL");
    if (!cursor_accept(&c, "TABLE") && !cursor_accept(&c, "VIEW"))
        return status_ok_value();
    struct token name = cursor_take(&c);
    return token_is_name(name) ? creation_make_room(p, name, "TABLE") : status_ok_value();
}

bool perfetto_statement(struct sql_session *s, const struct token_list *tokens,
                        struct status *status)
{
    struct creation p = {.session = s, .c = {tokens->v.items, tokens->v.count, 0}};
    if (cursor_accept(&p.c, "INCLUDE")) {
        *status = cursor_expect(&p.c, "PERFETTO");
        if (status_ok(*status))
            *status = cursor_expect(&p.c, "MODULE");
        if (status_ok(*status))
            *status = include(&p);
        return true;
    }
    if (cursor_accept(&p.c, "PERFETTO")) {
        *status = pragma(&p);
        return true;
    }
    bool drop = cursor_accept(&p.c, "DROP");
    if (!drop && !cursor_accept(&p.c, "CREATE"))
        return false;
    if (!drop && cursor_accept(&p.c, "OR"))
        p.replace = cursor_accept(&p.c, "REPLACE");
    p.replace |= s->language->redoing > 0;
    if (!cursor_accept(&p.c, "PERFETTO")) {
        *status = drop || s->language->redoing == 0 ? status_ok_value() : make_room_again(&p);
        return !status_ok(*status);
    }
    *status = drop ? drop_object(&p) : create(&p);
    return true;
}
