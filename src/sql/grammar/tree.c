#include "sql/grammar/tree.h"

#include <sqlite3.h>
#include <string.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "sql/grammar/parse_state.h"

/* Each word, and each % of how a kind is written, stands between blanks. */
static const char *const kind_names[] = {
#define KIND_NAME(name, written) #name,
    SQL_NODE_KINDS(KIND_NAME)
#undef KIND_NAME
};

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

const char *sql_kind_name(enum sql_node_kind kind)
{
    return kind_names[kind];
}

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

/* ---- writing ---- */

struct writer {
    sqlite3_str *text;
    const struct token_list *tokens;
};

static void write_word(struct writer *w, const char *word, size_t n)
{
    if (n > 0) {
        sqlite3_str_append(w->text, word, (int)n);
        sqlite3_str_append(w->text, " ", 1);
    }
}

static void write_tokens(struct writer *w, struct sql_span span)
{
    for (uint32_t i = span.first; i < span.end; i++) {
        struct str t = w->tokens->v.items[i].text;
        sqlite3_str_append(w->text, t.p, (int)t.n);
    }
    sqlite3_str_append(w->text, "\n", 1); /* which ends a comment, too */
}

/* What stands behind the % at `at`: whether it is there. */
static bool is_there(const struct sql_node *n, char at)
{
    if (at == 'o')
        return n->op != SQL_OP_NONE;
    if (at == 'p')
        return n->op2 != SQL_OP_NONE;
    return at < '0' || at > '9' || ((uint32_t)(at - '0') < n->count && n->part[at - '0']);
}

static void write_node(struct writer *w, const struct sql_node *n);

static void write_part(struct writer *w, const struct sql_node *n, char at)
{
    if (at == 't') {
        write_tokens(w, n->span);
    } else if (at == 'o' || at == 'p') {
        const char *words = op_words[at == 'o' ? n->op : n->op2];
        write_word(w, words, strlen(words));
    } else if (at == ',' || at == '_') {
        for (uint32_t i = 0; i < n->count; i++) {
            if (i > 0 && at == ',')
                write_word(w, ",", 1);
            write_node(w, n->part[i]);
        }
    } else if (is_there(n, at)) {
        write_node(w, n->part[at - '0']);
    }
}

/* Nodes nest up to SQL_TREE_DEPTH deep. */
static void write_node(struct writer *w, const struct sql_node *n)
{
    for (const char *c = kind_written[n->kind]; *c;) {
        if (*c == '[') {
            const char *there = strchr(c, '%');
            c = is_there(n, there[1]) ? c + 1 : strchr(c, ']') + 1;
        } else if (*c == '%') {
            write_part(w, n, c[1]);
            c += 2;
        } else {
            size_t length = strcspn(c, " []%");
            write_word(w, c, length);
            c += length ? length : 1;
        }
    }
}

static char *copy_text(sqlite3_str *text)
{
    char *made = sqlite3_str_finish(text);
    char *copy = alloc_copy(made ? made : "", made ? strlen(made) : 0);
    sqlite3_free(made);
    return copy;
}

char *sql_tree_text(const struct sql_node *root, const struct token_list *tokens)
{
    struct writer w = {sqlite3_str_new(NULL), tokens};
    if (root)
        write_node(&w, root);
    return copy_text(w.text);
}

/* ---- comparing ---- */

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

static void shape_node(struct writer *w, const struct sql_node *n)
{
    if (!n) {
        sqlite3_str_appendall(w->text, "-");
        return;
    }
    if (has_text(n)) {
        for (uint32_t i = n->span.first; i < n->span.end; i++)
            sqlite3_str_append(w->text, w->tokens->v.items[i].text.p,
                               (int)w->tokens->v.items[i].text.n);
        return;
    }
    sqlite3_str_appendf(w->text, "(%s", kind_names[n->kind]);
    if (n->op)
        sqlite3_str_appendf(w->text, " '%s'", op_words[n->op]);
    if (n->op2)
        sqlite3_str_appendf(w->text, " '%s'", op_words[n->op2]);
    uint32_t last = n->count;
    while (last > 0 && !n->part[last - 1])
        last--;
    for (uint32_t i = 0; i < last; i++) {
        sqlite3_str_appendall(w->text, " ");
        shape_node(w, n->part[i]);
    }
    sqlite3_str_appendall(w->text, ")");
}

char *sql_tree_shape(const struct sql_node *root, const struct token_list *tokens)
{
    struct writer w = {sqlite3_str_new(NULL), tokens};
    shape_node(&w, root);
    return copy_text(w.text);
}
