/* Bytes as a script: its statements may define macros, all are split and expanded, pipelines too.
 * SELECTs are planned over columns; SQLite compiles what pipelines read from and runs nothing. */
#include <stdlib.h>
#include <string.h>

#include "core/trace_builder.h"
#include "fuzz.h"
#include "sql/tokens/token_cursor.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/session.h"
#include "sql/language/macro.h"
#include "sql/pipelines/rewriting.h"
#include "sql/script/script_plan.h"

/* On a trace without rows, made once: no input changes what is defined. */
static struct sql_session *session(void)
{
    static struct trace trace;
    static struct sql_session *made;
    if (!made) {
        struct status s;
        trace_init(&trace);
        trace_finish(&trace);
        made = sql_session_new(&trace, &s);
        if (!status_ok(s))
            abort();
        sql_session_batch_from(made, 0);
    }
    return made;
}

/* CREATE PERFETTO MACRO name(a T, ...) RETURNS T AS body, without checking the rest. */
static void define_macro(struct macro_table *macros, struct token_cursor c)
{
    struct str parameters[4];
    size_t count = 0;
    if (!cursor_accept(&c, "CREATE") || !cursor_accept(&c, "PERFETTO") ||
        !cursor_accept(&c, "MACRO"))
        return;
    struct token name = cursor_take(&c);
    while (count < 4 && !token_is(cursor_peek(&c), ')') && cursor_peek(&c).kind != TOKEN_END) {
        struct token t = cursor_take(&c);
        if (t.kind == TOKEN_WORD)
            parameters[count++] = t.text;
    }
    while (cursor_peek(&c).kind != TOKEN_END && !cursor_accept(&c, "AS"))
        cursor_take(&c);
    macro_define(macros, token_name(name), parameters, count, c.tokens + c.at, c.count - c.at);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sql_source source = {.name = "fuzz", .text = {(const char *)data, size}};
    struct macro_table macros = {0};
    struct arena *arena = &session()->language->scratch;
    struct token_list tokens = {0};
    for (size_t at = 0; at < size;) {
        tokens.v.count = 0;
        size_t next = lexer_statement(&source, at, &tokens);
        char *text = tokens_text(tokens.v.items, tokens.v.count);
        size_t covered = 0;
        for (size_t i = 0; i < tokens.v.count; i++)
            covered += tokens.v.items[i].text.n;
        if (next <= at || covered > next - at || memcmp(text, data + at, covered) != 0)
            abort(); /* tokens must be the text, and the text must end */
        free(text);
        if (tokens.v.count > 0) {
            define_macro(&macros, (struct token_cursor){tokens.v.items, tokens.v.count, 0});
            struct sql_parsed expanded = {0};
            arena_init(&expanded.arena);
            struct status s = macro_expand(&macros, arena, NULL, tokens.v.items, tokens.v.count,
                                           &expanded.tokens);
            bool whole = status_ok(s);
            status_release(&s);
            s = macro_check_body(tokens.v.items, tokens.v.count);
            status_release(&s);
            struct written_names names = {0};
            s = whole ? statement_rewrite(session(), &expanded, &names) : status_ok_value();
            written_names_release(&names);
            struct vector_refusal refusal = {0};
            if (status_ok(s) && expanded.tree.whole)
                vector_free(
                    script_plan(session(), &expanded.tokens, expanded.tree.root, true, &refusal));
            status_release(&s);
            sql_parsed_release(&expanded);
        }
        at = next;
    }
    vec_release(&tokens.v);
    macro_table_release(&macros);
    arena_release(arena);
    arena_init(arena);
    return 0;
}
