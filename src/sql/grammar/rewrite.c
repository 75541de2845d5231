#include "sql/grammar/rewrite.h"

#include <sqlite3.h>
#include <stdarg.h>

void sql_rewrite_range(struct sql_rewrite *r, const struct sql_node *n, uint32_t from, uint32_t to)
{
    bool backwards = n->kind == SQL_LIMIT && n->part[1] &&
                     n->part[1]->span.first < n->part[0]->span.first; /* LIMIT offset, count */
    for (uint32_t i = 0; i <= n->count; i++) {
        const struct sql_node *child = i == n->count ? NULL : n->part[backwards ? 1 - i : i];
        uint32_t end = child && child->span.first < to ? child->span.first : to;
        bool below = child && child->span.first >= from && child->span.first <= child->span.end &&
                     child->span.end <= to; /* not where it is a list of none */
        if (i < n->count && !below)
            continue;
        while (from < end)
            *vec_push(&r->out->v) = r->tokens->v.items[from++];
        if (!below)
            break;
        sql_rewrite_node(r, child);
        from = child->span.end;
    }
}

/* Nodes nest up to SQL_TREE_DEPTH deep. */
void sql_rewrite_node(struct sql_rewrite *r, const struct sql_node *n)
{
    if (!r->instead(r, n))
        sql_rewrite_range(r, n, n->span.first, n->span.end);
}

void sql_rewrite_all(struct sql_rewrite *r, const struct sql_node *root)
{
    uint32_t i = 0;
    while (i < root->span.first && i < r->tokens->v.count)
        *vec_push(&r->out->v) = r->tokens->v.items[i++];
    if (i < root->span.end)
        sql_rewrite_node(r, root);
    for (i = i < root->span.end ? root->span.end : i; i < r->tokens->v.count; i++)
        *vec_push(&r->out->v) = r->tokens->v.items[i];
}

void tokens_put(struct token_list *out, struct arena *arena, struct token at, const char *format,
                ...)
{
    va_list args;
    va_start(args, format);
    char *text = sqlite3_vmprintf(format, args);
    va_end(args);
    struct sql_source *source = arena_alloc(arena, sizeof *source);
    *source = (struct sql_source){.name = at.source->name,
                                  .text = arena_copy(arena, str_from(text ? text : "")),
                                  .parent = at.source,
                                  .parent_at = token_at(at),
                                  .is_stand_in = true};
    sqlite3_free(text);
    for (size_t i = 0; i < source->text.n;) {
        struct token t = lexer_token(source, i);
        *vec_push(&out->v) = t;
        i += t.text.n;
    }
}
