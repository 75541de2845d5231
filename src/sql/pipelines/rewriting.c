#include "sql/pipelines/rewriting.h"

#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/language/newer_syntax.h"
#include "sql/pipelines/pipeline_state.h"
#include "sql/tokens/token_cursor.h"

static void write_slot(struct rewriting *r, const struct sql_node *n)
{
    struct pipe_column column;
    r->status = pipe_column_of(r->row_of, n, &column);
    if (status_ok(r->status))
        pipeline_put(r->row_of, "\"tptui_%u\"", column.slot);
}

static bool write_node(struct sql_rewrite *tree, const struct sql_node *n)
{
    struct rewriting *r = tree->self;
    struct pipeline *row_of = r->row_of;
    if (!status_ok(r->status))
        return true;
    switch (n->kind) {
    case SQL_PIPELINE:
        if (n->span.end > r->end)
            return false;
        r->changed = true;
        r->row_of = NULL;
        r->status = pipeline_write(r, n);
        r->row_of = row_of;
        return true;
    case SQL_SELECT: /* has rows of its own */
        r->row_of = NULL;
        sql_rewrite_range(tree, n, n->span.first, n->span.end);
        r->row_of = row_of;
        return true;
    case SQL_COLUMN:
        if (row_of)
            write_slot(r, n);
        return row_of;
    case SQL_RESULT:
        if (!r->names || n->part[RESULT_NAME])
            return false;
        written_names_write(r->names, tree, n);
        return true;
    default:
        if (!newer_syntax_write(tree, r->session->ordered, n))
            return false;
        r->changed = true;
        return true;
    }
}

static bool find_pipeline(void *self, const struct sql_node *n)
{
    const struct sql_node **first = self;
    if (!*first && n->kind == SQL_PIPELINE)
        *first = n;
    return !*first;
}

/* What has no tree is too long, or nests too deep. */
static struct status check_without_tree(const struct token_list *tokens)
{
    struct token_cursor c = {tokens->v.items, tokens->v.count, 0};
    for (size_t i = 0; i + 1 < tokens->v.count; i++)
        if (token_is(tokens->v.items[i], '|') && token_is(tokens->v.items[i + 1], '>'))
            return pipeline_too_long(cursor_peek(&c));
    return status_ok_value();
}

/* A tree that is not whole, and where. */
struct mistake {
    const struct token_list *tokens;
    uint32_t at;
};

/* The pipeline in which, or right behind which, the mistake is; NULL: it is none's, but SQLite's to
 * find. Of one in another the inner. */
static const struct sql_node *find_broken(const struct sql_node *n, struct mistake m)
{
    const struct sql_node *found = NULL;
    uint32_t end = n->span.end;
    while (end < m.at && token_is_blank(m.tokens->v.items[end]))
        end++;
    if (n->span.first > m.at || end < m.at)
        return NULL;
    if (n->kind == SQL_PIPELINE)
        found = n;
    for (uint32_t i = 0; i < n->count; i++) {
        const struct sql_node *inner = n->part[i] ? find_broken(n->part[i], m) : NULL;
        found = inner ? inner : found;
    }
    return found;
}

/* The parenthesis that is open between the pipeline's start and the mistake. */
static struct token open_parenthesis(const struct sql_node *pipeline, struct mistake m)
{
    int depth = 0;
    for (uint32_t i = m.at; i-- > pipeline->span.first;) {
        struct token t = m.tokens->v.items[i];
        depth += token_is(t, ')') - token_is(t, '(');
        if (depth < 0)
            return t;
    }
    return (struct token){.kind = TOKEN_END};
}

static struct status explain_mistake(const struct sql_node *pipeline, struct mistake m)
{
    struct token_cursor c = {m.tokens->v.items, m.tokens->v.count, m.at};
    struct token t = cursor_peek(&c), before[2] = {{.kind = TOKEN_END}, {.kind = TOKEN_END}};
    for (size_t i = m.at, k = 0; i-- > 0 && k < 2;)
        if (!token_is_blank(m.tokens->v.items[i]))
            before[k++] = m.tokens->v.items[i];
    bool is_pipe = token_is(t, '|') && c.at + 1 < c.count && token_is(c.tokens[c.at + 1], '>');
    struct token open = open_parenthesis(pipeline, m);
    if (open.kind != TOKEN_END && (is_pipe || t.kind == TOKEN_END))
        return token_error(open, "this parenthesis is not closed");
    if (pipeline_is_clause(t) && open.kind == TOKEN_END)
        return pipeline_not_a_stage(t);
    if (token_is(before[0], '>') && token_is(before[1], '|'))
        return expected_error(t, "a stage (SELECT, EXTEND, DROP, RENAME, SET, AS, WHERE, ORDER BY, "
                                 "AGGREGATE, TREE ACCUMULATE, INTERVAL FLATTEN)");
    if (token_is_word(t, "INTERSECTION"))
        return expected_error(t, "FLATTEN: INTERVAL INTERSECTION OF is only how a pipeline starts");
    if (token_is_word(before[0], "WHERE"))
        return expected_error(t, "an expression");
    if (token_is_word(before[0], "FROM"))
        return expected_error(t, "a table, a view or (SELECT ...)");
    const struct sql_node *stages = pipeline->part[1];
    bool behind = m.at >= pipeline->span.end || !stages || stages->span.first > m.at;
    if (behind && open.kind == TOKEN_END && !is_pipe && t.kind != TOKEN_END && !token_is(t, ')'))
        return expected_error(t, "|> or the end");
    return token_error(t,
                       t.kind == TOKEN_END ? "the statement ends too early"
                                           : "near \"%.*s\": syntax error",
                       (int)t.text.n, t.text.p);
}

struct status statement_rewrite(struct sql_session *s, struct sql_parsed *p,
                                struct written_names *names)
{
    struct token_list *tokens = &p->tokens, out = {0};
    struct rewriting r = {.session = s, .names = names};
    const struct sql_node *first = NULL, *broken = NULL;
    r.tree = (struct sql_rewrite){tokens, &out, &s->language->scratch, write_node, &r};
    if (tokens->v.count <= PIPE_TOKENS_MAX) /* a tree takes several times as much */
        p->tree = sql_parse_part(&p->arena, tokens);
    if (!p->tree.root)
        return check_without_tree(tokens);
    r.end = p->tree.whole ? UINT32_MAX : p->tree.wrong;
    sql_visit(p->tree.root, find_pipeline, &first);
    if (first && !p->tree.whole)
        broken = find_broken(p->tree.root, (struct mistake){tokens, p->tree.wrong});
    /* Modules are not meant: who uses them does not know what they are made of. */
    if (first && s->language->refuses_pipelines && s->language->run_depth == 1)
        r.status =
            token_error(tokens->v.items[first->span.first],
                        "Pipelines are not enabled: PERFETTO PRAGMA pipelines = 1 enables them");
    else if (broken)
        r.status = explain_mistake(broken, (struct mistake){tokens, p->tree.wrong});
    else
        sql_rewrite_all(&r.tree, p->tree.root);
    if (!status_ok(r.status) || !r.changed) {
        vec_release(&out.v);
        return r.status;
    }
    vec_release(&tokens->v);
    *tokens = out;
    arena_reset(&p->arena);
    p->tree = sql_parse_statement(&p->arena, tokens);
    return r.status;
}
