#include "sql/script/perfetto_statement.h"

#include <string.h>

#include "sql/engine/session_state.h"
#include "sql/grammar/parse.h"
#include "sql/language/language.h"
#include "sql/script/creation.h"
#include "sql/script/include.h"
#include "sql/tokens/source_error.h"
#include "sql/tokens/token_cursor.h"

/* a.b, a.*, * */
static struct status include(struct creation *p)
{
    struct sql_span name = p->node->part[0]->span;
    const struct token *t = p->tokens->v.items;
    sqlite3_str *text = sqlite3_str_new(NULL);
    for (uint32_t i = name.first, before = i; i < name.end; i++) {
        if (token_is_blank(t[i]))
            continue;
        if (token_is_blank(t[i - 1]) && token_is_name(t[i]) && i > before &&
            !token_is(t[before], '.')) {
            sqlite3_free(sqlite3_str_finish(text));
            return token_error(t[i], "syntax error near %.*s: a ; is missing before it",
                               (int)t[i].text.n, t[i].text.p);
        }
        sqlite3_str_append(text, t[i].text.p, (int)t[i].text.n);
        before = i;
    }
    char *module = sqlite3_str_finish(text);
    struct status s = module_include(p->session, t[name.first], module);
    sqlite3_free(module);
    return s;
}

/* PERFETTO PRAGMA pipelines = 0 or 1. Pipelines are understood unless a script says 0. */
static struct status pragma(struct creation *p)
{
    struct token name = creation_token(p, 0), value = creation_token(p, 1);
    struct sql_span written = p->node->part[1]->span;
    int64_t number;
    if (!token_is_word(name, "PIPELINES"))
        return token_error(name, "there is no setting '%.*s': there is pipelines", (int)name.text.n,
                           name.text.p);
    if (value.kind != TOKEN_NUMBER || written.end - written.first > 1 ||
        !str_to_i64(value.text, &number))
        return expected_error(value, "a whole number");
    p->session->language->refuses_pipelines = number == 0;
    return status_ok_value();
}

/* A plain CREATE of a module that runs again: what it made before goes away. */
static struct status make_room_again(struct creation *p)
{
    bool makes = p->node->kind == SQL_PLAIN_CREATE || p->node->kind == SQL_PLAIN_TABLE ||
                 p->node->kind == SQL_VIRTUAL_TABLE;
    return makes ? creation_make_room(p, creation_token(p, PLAIN_NAME), "TABLE")
                 : status_ok_value();
}

/* What may be dropped otherwise; `kind` is what stands behind DROP PERFETTO. */
static struct status not_an_index(struct token kind)
{
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

/* "A, B or C", for sqlite3_free. */
static char *join_words(const struct sql_expected *expected)
{
    sqlite3_str *words = sqlite3_str_new(NULL);
    for (uint32_t i = 0; i < expected->word_count; i++)
        sqlite3_str_appendf(words, "%s%s",
                            i == 0                         ? ""
                            : i + 1 < expected->word_count ? ", "
                                                           : " or ",
                            expected->words[i]);
    return sqlite3_str_finish(words);
}

/* What a name that is missing behind the token would be. */
static const char *what_name(const struct sql_node *root, struct token before)
{
    static const char *const names[][2] = {
        {"TABLE", "the table's name"},       {"ON", "the table's name"},
        {"VIEW", "the view's name"},         {"MACRO", "the macro's name"},
        {"FUNCTION", "the function's name"}, {"INDEX", "the index's name"},
        {"TO", "the function to call"},      {"PRAGMA", "pipelines"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (token_is_word(before, names[i][0]))
            return names[i][1];
    if (!token_is_name(before))
        return "a name";
    return sql_is(root, SQL_CREATE_MACRO) ? "a type (Expr, TableOrSubquery, ColumnName ...)"
                                          : CREATION_TYPES;
}

/* What is missing, or does not fit, at the first token that the grammar has no place for. */
static struct status syntax_error(struct arena *arena, const struct token_list *tokens,
                                  const struct sql_tree *tree)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, tree->wrong};
    struct token t = cursor_peek(&c), before = t;
    struct token_list head = *tokens;
    struct sql_expected expected;
    head.v.count = tree->wrong;
    sql_parse_expected(arena, &head, &expected);
    for (uint32_t i = 0; i < tree->wrong; i++)
        if (!token_is_blank(tokens->v.items[i]))
            before = tokens->v.items[i];
    if (expected.name || expected.table)
        return expected_error(t, what_name(tree->root, before));
    if (sql_is(tree->root, SQL_PRAGMA))
        return expected_error(t, expected.operand ? "a whole number" : "=");
    if (sql_expects(&expected, "SELECT"))
        return expected_error(t, "SELECT");
    if (token_is_word(before, "PERFETTO") && expected.word_count == 1 &&
        sql_expects(&expected, "INDEX"))
        return not_an_index(t);
    if (expected.word_count == 0)
        return expected_error(t, token_is_word(before, "MODULE") ? "a module's name"
                                 : token_is_word(before, "AS")   ? "the macro's body"
                                 : expected.closes               ? ") or a comma"
                                                                 : "(");
    char *words = join_words(&expected);
    struct status s = expected_error(t, words ? words : "");
    sqlite3_free(words);
    return s;
}

static struct status run(struct creation *p, struct arena *arena)
{
    static struct status (*const kinds[SQL_NODE_KIND_COUNT])(struct creation *) = {
        [SQL_INCLUDE] = include,
        [SQL_PRAGMA] = pragma,
        [SQL_CREATE_TABLE] = create_table,
        [SQL_CREATE_VIEW] = create_view,
        [SQL_CREATE_FUNCTION] = create_function,
        [SQL_CREATE_MACRO] = create_macro,
        [SQL_CREATE_INDEX] = create_index,
        [SQL_DROP_INDEX] = drop_index,
    };
    struct sql_tree tree = sql_parse_head(arena, p->tokens);
    p->node = tree.root;
    if (!tree.whole || !tree.root || !kinds[tree.root->kind])
        return syntax_error(arena, p->tokens, &tree);
    p->replace |= tree.root->op == SQL_OP_OR_REPLACE;
    return kinds[tree.root->kind](p);
}

/* Whether it is one of ours, by its first words. */
static bool is_ours(const struct token_list *tokens, bool *creates)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    *creates = cursor_accept(&c, "CREATE");
    if (!*creates && !cursor_accept(&c, "DROP"))
        return cursor_accept(&c, "INCLUDE") || cursor_accept(&c, "PERFETTO");
    if (*creates && cursor_accept(&c, "OR"))
        cursor_accept(&c, "REPLACE");
    return cursor_accept(&c, "PERFETTO");
}

bool perfetto_statement(struct sql_session *s, const struct token_list *tokens,
                        struct status *status)
{
    bool creates, ours = is_ours(tokens, &creates), again = s->language->redoing > 0;
    struct creation p = {.session = s, .tokens = tokens, .replace = again};
    struct arena arena;
    if (!ours && !(creates && again))
        return false;
    arena_init(&arena);
    if (ours) {
        *status = run(&p, &arena);
    } else {
        p.node = sql_parse_head(&arena, tokens).root;
        *status = p.node ? make_room_again(&p) : status_ok_value();
    }
    arena_release(&arena);
    return ours || !status_ok(*status);
}
