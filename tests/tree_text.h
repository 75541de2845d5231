/* Trees as text: SQL that makes the same tree again, and what a tree consists of. */
#ifndef TPTUI_TREE_TEXT_H
#define TPTUI_TREE_TEXT_H

#include <sqlite3.h>
#include <string.h>

#include "base/alloc.h"
#include "sql/grammar/tree.h"

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
        const char *words = sql_op_words(at == 'o' ? n->op : n->op2);
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

static inline char *copy_text(sqlite3_str *text)
{
    char *made = sqlite3_str_finish(text);
    char *copy = alloc_copy(made ? made : "", made ? strlen(made) : 0);
    sqlite3_free(made);
    return copy;
}

/* `tokens` are those that the tree was made of. For free(). */
static char *tree_text(const struct sql_node *root, const struct token_list *tokens)
{
    struct writer w = {sqlite3_str_new(NULL), tokens};
    if (root)
        write_node(&w, root);
    return copy_text(w.text);
}

static inline void shape_node(struct writer *w, const struct sql_node *n)
{
    if (!n) {
        sqlite3_str_appendall(w->text, "-");
        return;
    }
    if (strcmp(kind_written[n->kind], "%t") == 0) {
        for (uint32_t i = n->span.first; i < n->span.end; i++)
            sqlite3_str_append(w->text, w->tokens->v.items[i].text.p,
                               (int)w->tokens->v.items[i].text.n);
        return;
    }
    sqlite3_str_appendf(w->text, "(%s", kind_names[n->kind]);
    if (n->op)
        sqlite3_str_appendf(w->text, " '%s'", sql_op_words(n->op));
    if (n->op2)
        sqlite3_str_appendf(w->text, " '%s'", sql_op_words(n->op2));
    uint32_t last = n->count;
    while (last > 0 && !n->part[last - 1])
        last--;
    for (uint32_t i = 0; i < last; i++) {
        sqlite3_str_appendall(w->text, " ");
        shape_node(w, n->part[i]);
    }
    sqlite3_str_appendall(w->text, ")");
}

/* The kinds of the nodes, nested in parentheses, with the text of those without children. */
static inline char *tree_shape(const struct sql_node *root, const struct token_list *tokens)
{
    struct writer w = {sqlite3_str_new(NULL), tokens};
    shape_node(&w, root);
    return copy_text(w.text);
}

#endif
