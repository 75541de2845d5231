#include "sql/grammar/tree.h"

#include <string.h>

#include "base/vec.h"
#include "sql/grammar/parse_state.h"

static const char *const kind_written[] = {
#define KIND_WRITTEN(name, written) written,
    SQL_NODE_KINDS(KIND_WRITTEN)
#undef KIND_WRITTEN
};

static const char *const op_words[] = {
#define OP_WORDS(name, words) words
    SQL_OPS(OP_WORDS)
#undef OP_WORDS
};

const char *sql_op_words(enum sql_op op)
{
    return op_words[op];
}

static void cover(struct sql_node *n, const struct sql_node *child)
{
    if (!child)
        return;
    n->span = sql_to(n->span, child->span);
    if (child->depth >= n->depth)
        n->depth = (uint16_t)(child->depth + 1);
}

struct sql_node *sql_node_make(struct sql_parse *p, enum sql_node_kind kind, enum sql_op op,
                               struct sql_span span, uint32_t n, struct sql_node **parts)
{
    struct sql_node *made = arena_alloc(p->arena, sizeof *made);
    *made = (struct sql_node){.kind = (uint8_t)kind, .op = (uint8_t)op, .span = span, .count = n};
    if (n > 0)
        made->part = arena_alloc(p->arena, n * sizeof *made->part);
    for (uint32_t i = 0; i < n; i++) {
        made->part[i] = parts[i];
        cover(made, parts[i]);
    }
    p->too_deep |= made->depth > SQL_TREE_DEPTH;
    return made;
}

struct sql_node *sql_with_op(struct sql_node *n, enum sql_op op)
{
    n->op = (uint8_t)op;
    return n;
}

struct sql_node *sql_with_ops(struct sql_node *n, struct sql_two_ops ops)
{
    n->op = (uint8_t)ops.op;
    n->op2 = (uint8_t)ops.op2;
    return n;
}

struct sql_node *sql_with_part(struct sql_node *n, uint32_t i, struct sql_node *part)
{
    n->part[i] = part;
    cover(n, part);
    return n;
}

struct sql_node *sql_covering(struct sql_node *n, struct sql_span first, struct sql_span last)
{
    n->span = sql_to(n->span, sql_to(first, last));
    return n;
}

struct sql_node *sql_list_begin(struct sql_parse *p, enum sql_node_kind kind,
                                struct sql_node *first)
{
    return sql_node_make(p, kind, SQL_OP_NONE, SQL_NOWHERE, first != NULL, &first);
}

/* Room doubles whenever the count is a power of two. */
struct sql_node *sql_list_add(struct sql_parse *p, struct sql_node *list, struct sql_node *item)
{
    uint32_t n = list->count;
    if ((n & (n - 1)) == 0) {
        struct sql_node **more = arena_alloc(p->arena, (n ? (size_t)n * 2 : 1) * sizeof *more);
        if (n > 0)
            memcpy(more, list->part, n * sizeof *more);
        list->part = more;
    }
    list->part[list->count++] = item;
    cover(list, item);
    p->too_deep |= list->depth > SQL_TREE_DEPTH;
    return list;
}

struct sql_node *sql_raw_make(struct sql_parse *p, struct sql_span parentheses)
{
    struct sql_span inside = {parentheses.first + 1, parentheses.end - 1};
    return sql_node_make(p, SQL_TOKENS, SQL_OP_NONE, inside, 0, NULL);
}

/* Nodes nest up to SQL_TREE_DEPTH deep. */
void sql_visit(const struct sql_node *n, bool (*visit)(void *self, const struct sql_node *n),
               void *self)
{
    if (!n || !visit(self, n))
        return;
    for (uint32_t i = 0; i < n->count; i++)
        sql_visit(n->part[i], visit, self);
}

/* Whether the node's own tokens are what tells it from others of its kind. */
static bool has_text(const struct sql_node *n)
{
    return strcmp(kind_written[n->kind], "%t") == 0;
}

/* The next token of [*at, end) that is no blank; NULL for none. */
static const struct token *next_token(const struct token_list *tokens, uint32_t *at, uint32_t end)
{
    while (*at < end && token_is_blank(tokens->v.items[*at]))
        ++*at;
    return *at < end ? &tokens->v.items[(*at)++] : NULL;
}

static bool same_text(const struct sql_node *a, const struct token_list *a_tokens,
                      const struct sql_node *b, const struct token_list *b_tokens)
{
    uint32_t i = a->span.first, k = b->span.first;
    for (;;) {
        const struct token *x = next_token(a_tokens, &i, a->span.end);
        const struct token *y = next_token(b_tokens, &k, b->span.end);
        if (!x || !y)
            return x == y;
        if (!str_eq(x->text, y->text))
            return false;
    }
}

bool sql_tree_equal(const struct sql_node *a, const struct token_list *a_tokens,
                    const struct sql_node *b, const struct token_list *b_tokens)
{
    if (!a || !b)
        return a == b;
    if (a->kind != b->kind || a->op != b->op || a->op2 != b->op2 || a->count != b->count)
        return false;
    if (has_text(a) && !same_text(a, a_tokens, b, b_tokens))
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!sql_tree_equal(a->part[i], a_tokens, b->part[i], b_tokens))
            return false;
    return true;
}
