/* Bytes as a script: each statement, also one that is half written, has a tree or nests too deep.
 * The text of a whole one makes the same tree, and any written again with nothing replaced is what
 * it was; completion is asked at a place that the size decides. */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "complete/complete.h"
#include "sql/grammar/parse.h"
#include "sql/grammar/rewrite.h"
#include "../tree_text.h"

/* Children lie in their parents. */
static void check_spans(const struct sql_node *n, uint32_t tokens)
{
    if (n->count > 0 && n->kind != SQL_COLUMN && n->span.end > tokens)
        abort();
    for (uint32_t i = 0; i < n->count; i++) {
        const struct sql_node *part = n->part[i];
        if (!part)
            continue;
        if (part->depth >= n->depth || part->span.first < n->span.first ||
            part->span.end > n->span.end)
            abort();
        check_spans(part, tokens);
    }
}

static void check_text(const struct sql_tree *tree, const struct token_list *tokens)
{
    struct token_list again = {0};
    struct arena arena;
    char *text = tree_text(tree->root, tokens);
    struct sql_source source = {.name = "text", .text = str_from(text)};
    arena_init(&arena);
    lexer_statement(&source, 0, &again);
    struct sql_tree same = sql_parse_statement(&arena, &again);
    if (!same.whole || !sql_tree_equal(tree->root, tokens, same.root, &again))
        abort();
    vec_release(&again.v);
    arena_release(&arena);
    free(text);
}

static bool keep(struct sql_rewrite *r, const struct sql_node *n)
{
    (void)r;
    (void)n;
    return false;
}

static void check_tree(const struct sql_tree *tree, const struct token_list *tokens)
{
    struct token_list again = {0};
    struct sql_rewrite r = {.tokens = tokens, .out = &again, .instead = keep};
    if (!tree->root)
        return;
    check_spans(tree->root, (uint32_t)tokens->v.count);
    sql_rewrite_all(&r, tree->root);
    if (again.v.count != tokens->v.count)
        abort();
    for (size_t i = 0; i < again.v.count; i++)
        if (again.v.items[i].text.p != tokens->v.items[i].text.p)
            abort();
    vec_release(&again.v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct sql_source source = {.name = "fuzz", .text = {(const char *)data, size}};
    struct token_list tokens = {0};
    struct sql_expected expected;
    struct completion completion;
    for (size_t at = 0; at < size;) {
        struct arena arena;
        arena_init(&arena);
        tokens.v.count = 0;
        at = lexer_statement(&source, at, &tokens);
        struct sql_tree tree = sql_parse_statement(&arena, &tokens);
        struct sql_tree head = sql_parse_head(&arena, &tokens);
        struct sql_tree part = sql_parse_part(&arena, &tokens);
        check_tree(&tree, &tokens);
        check_tree(&head, &tokens);
        check_tree(&part, &tokens);
        if (tree.root && tree.whole && !memchr(data, 0, size))
            check_text(&tree, &tokens);
        sql_parse_expected(&arena, &tokens, &expected);
        arena_release(&arena);
    }
    vec_release(&tokens.v);
    complete(NULL, source.text, size / 2, &completion);
    completion_release(&completion);
    return 0;
}
