#include "complete/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "complete/likely.h"
#include "complete/sources.h"
#include "sql/grammar/parse.h"
#include "sql/tokens/lexer.h"

enum { DETAIL_SIZE = 400 };

/* Ranks: what stands in FROM, then names, then words. */
enum {
    RANK_COLUMN = 0,
    RANK_EARLY = 100, /* a column of what may come to stand in FROM */
    RANK_SOURCE = 100,
    RANK_NAME = 200,
    RANK_LATER = 300,
    RANK_KEYWORD = 400
};

struct completing {
    const struct schema *schema;
    struct completion *out;
    struct str prefix;
};

void completion_release(struct completion *c)
{
    for (size_t i = 0; i < c->v.count; i++) {
        free(c->v.items[i].text);
        free(c->v.items[i].detail);
    }
    vec_release(&c->v);
    *c = (struct completion){0};
}

/* 0: begins with it; 1: a word of it does ("thread_dur" for "dur"); -1: neither. */
static int match(const char *name, struct str prefix)
{
    size_t n = strlen(name);
    if (n >= prefix.n && compare_any_case_n(name, prefix.p, prefix.n) == 0)
        return 0;
    for (size_t i = 1; i + prefix.n <= n; i++)
        if ((name[i - 1] == '_' || name[i - 1] == '.') &&
            compare_any_case_n(name + i, prefix.p, prefix.n) == 0)
            return 1;
    return -1;
}

static bool is_plain(const char *name)
{
    if (*name >= '0' && *name <= '9')
        return false;
    for (const char *c = name; *c; c++)
        if (!(*c == '_' || *c == '.' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') ||
              (*c >= '0' && *c <= '9')))
            return false;
    return *name != '\0';
}

/* `behind` is what is inserted behind the name. */
static void add(struct completing *c, const char *name, const char *behind, const char *kind,
                const char *detail, int rank)
{
    int how = match(name, c->prefix);
    size_t n = strlen(name) + strlen(behind) + 3;
    if (how < 0)
        return;
    for (size_t i = 0; i < c->out->v.count; i++) /* nearer ones hide those further away */
        if (compare_any_case_n(c->out->v.items[i].text, name, strlen(name)) == 0 &&
            c->out->v.items[i].text[strlen(name)] == behind[0])
            return;
    char *text = alloc_bytes(n);
    bool plain = is_plain(name) || strcmp(kind, "keyword") == 0;
    snprintf(text, n, "%s%s%s%s", plain ? "" : "\"", name, plain ? "" : "\"", behind);
    *vec_push(&c->out->v) =
        (struct candidate){text, kind, alloc_copy(detail, strlen(detail)), rank + how * 1000};
}

static void add_columns(struct completing *c, const struct source *s, int rank)
{
    char detail[DETAIL_SIZE];
    for (uint32_t i = 0; s->table && i < s->table->column_count; i++) {
        const struct schema_column *column = &schema_columns(c->schema, s->table)[i];
        snprintf(detail, sizeof detail, "%s  %s%s%s", s->table->name, column->type,
                 *column->description ? "  " : "", column->description);
        add(c, column->name, "", "column", detail, rank + (i < 90 ? (int)i : 90));
    }
    for (size_t i = 0; i < s->columns.count; i++)
        add(c, s->columns.items[i], "", "column", s->name, rank + (i < 90 ? (int)i : 90));
}

static void add_object(struct completing *c, const struct schema_object *o, int rank)
{
    char detail[DETAIL_SIZE];
    bool called = o->kind == OBJECT_FUNCTION || o->kind == OBJECT_TABLE_FUNCTION;
    const char *behind = o->kind == OBJECT_MACRO ? "!(" : called ? "(" : "";
    const char *module = o->kind == OBJECT_MODULE ? "" : o->module;
    const char *empty = o->rows == 0 ? "empty  " : "";
    snprintf(detail, sizeof detail, "%s%s%s%s%s%s%s%s%s", o->signature, *o->returns ? " " : "",
             o->returns, *o->signature || *o->returns ? "  " : "", empty, *module ? "in " : "",
             module, *module ? "  " : "", o->description);
    const char *kind = called ? "function" : object_kind_name(o->kind);
    add(c, o->name, behind, kind, detail, *module ? rank + 100 : rank);
}

static void add_objects(struct completing *c, unsigned kinds, int rank)
{
    for (size_t i = 0; c->schema && i < c->schema->objects.count; i++) {
        const struct schema_object *o = &c->schema->objects.items[i];
        bool internal = o->name[0] == '_' && (c->prefix.n == 0 || c->prefix.p[0] != '_');
        if (kinds & 1u << o->kind && !internal)
            add_object(c, o, rank);
    }
}

/* The words that the grammar has a place for. */
static void add_keywords(struct completing *c, const struct sql_expected *expected)
{
    for (uint32_t i = 0; c->prefix.n > 0 && i < expected->word_count; i++)
        if (compare_any_case_n(expected->words[i], c->prefix.p, c->prefix.n) == 0)
            add(c, expected->words[i], "", "keyword", "", RANK_KEYWORD);
}

static void add_words(struct completing *c, const char *const *words)
{
    for (int rank = RANK_SOURCE; *words; words++)
        add(c, *words, "", "keyword", "", rank++);
}

/* ---- where the caret is ---- */

struct context {
    struct token_list tokens; /* of the statement, up to the caret, without blanks and the prefix */
    struct text_part {        /* of the statement */
        size_t from, to;
    } statement;
    bool nowhere; /* in a string or comment */
};

static bool word_at(const struct context *c, size_t back, const char *word)
{
    size_t n = c->tokens.v.count;
    return back <= n && back > 0 && token_is_word(c->tokens.v.items[n - back], word);
}

static bool sign_at(const struct context *c, size_t back, char sign)
{
    size_t n = c->tokens.v.count;
    return back <= n && back > 0 && token_is(c->tokens.v.items[n - back], sign);
}

/* Reads the statement that the caret stands in. */
static void read_context(const struct sql_source *source, size_t prefix_at, struct context *c)
{
    struct token_list list = {0};
    for (size_t at = 0;;) {
        list.v.count = 0;
        size_t end = lexer_statement(source, at, &list);
        bool closed = end > 0 && source->text.p[end - 1] == ';';
        if (end > prefix_at || end >= source->text.n) {
            c->statement.from = closed && end <= prefix_at ? end : at;
            c->statement.to = end;
            if (closed && end <= prefix_at)
                list.v.count = 0;
            break;
        }
        at = end;
    }
    for (size_t i = 0; i < list.v.count; i++) {
        struct token t = list.v.items[i];
        size_t from = token_at(t), to = from + t.text.n;
        bool line_comment = t.kind == TOKEN_SPACE && t.text.p[0] == '-';
        bool comment = line_comment || (t.kind == TOKEN_SPACE && t.text.p[0] == '/');
        if (from < prefix_at && (to > prefix_at || (line_comment && to == prefix_at)))
            c->nowhere = comment || (t.kind != TOKEN_WORD && t.kind != TOKEN_SPACE);
        if (to <= prefix_at && !token_is_blank(t))
            *vec_push(&c->tokens.v) = t;
    }
    vec_release(&list.v);
}

/* Whether a table is wanted that the grammar takes for any name. */
static bool names_table(const struct context *c)
{
    if (word_at(c, 1, "INTO") || word_at(c, 1, "UPDATE"))
        return true;
    return (word_at(c, 1, "TABLE") || word_at(c, 1, "VIEW")) && word_at(c, 2, "DROP");
}

/* Behind INCLUDE PERFETTO MODULE; `from` is where the module's name begins. */
static bool wants_module(const struct context *c, size_t *from)
{
    size_t back = 1;
    while (back <= c->tokens.v.count && !word_at(c, back, "MODULE"))
        back++;
    if (!word_at(c, back, "MODULE") || !word_at(c, back + 1, "PERFETTO"))
        return false;
    if (back > 1)
        *from = token_at(c->tokens.v.items[c->tokens.v.count - back + 1]);
    return true;
}

static void complete_qualified(struct completing *c, const struct sources *sources,
                               struct token qualifier)
{
    const struct source *s = sources_find(sources, token_name(qualifier));
    if (s)
        add_columns(c, s, RANK_COLUMN);
}

static void complete_table(struct completing *c, const struct sources *sources)
{
    for (size_t i = 0; i < sources->ctes.count; i++)
        add(c, sources->ctes.items[i].name, "", "table", "of WITH", RANK_SOURCE);
    add_objects(c, 1u << OBJECT_TABLE | 1u << OBJECT_VIEW | 1u << OBJECT_TABLE_FUNCTION, RANK_NAME);
    add_objects(c, 1u << OBJECT_MACRO, RANK_LATER);
}

/* Before FROM: columns that WITH defines, then those of the trace's tables. */
static void complete_early(struct completing *c, const struct sources *sources)
{
    enum { UNASKED_MAX = 40 }; /* where nothing is typed that they begin with */
    char detail[DETAIL_SIZE];
    struct likely_columns likely = {0};
    for (size_t i = 0; i < sources->ctes.count; i++)
        add_columns(c, &sources->ctes.items[i], RANK_COLUMN);
    if (c->schema)
        likely_columns_find(c->schema, &likely);
    for (size_t i = 0; i < likely.v.count && (c->prefix.n > 0 || i < UNASKED_MAX); i++) {
        const struct likely_column *l = &likely.v.items[i];
        snprintf(detail, sizeof detail, "of %s  %s%s%s", l->tables, l->column->type,
                 *l->column->description ? "  " : "", l->column->description);
        add(c, l->column->name, "", "column", detail, RANK_EARLY + (i < 90 ? (int)i : 90));
    }
    vec_release(&likely.v);
}

static void complete_expression(struct completing *c, const struct sources *sources,
                                const struct sql_expected *expected)
{
    if (sources->used.count == 0 && expected->operand)
        complete_early(c, sources);
    for (size_t i = 0; i < sources->used.count; i++)
        add_columns(c, &sources->used.items[i], RANK_COLUMN);
    for (size_t i = 0; i < sources->used.count; i++)
        add(c, sources->used.items[i].name, ".", "source", "", RANK_SOURCE);
    if (c->prefix.n > 0) {
        add_objects(c, 1u << OBJECT_FUNCTION, RANK_NAME);
        add_objects(c, 1u << OBJECT_MACRO, RANK_LATER);
    }
    add_keywords(c, expected);
}

static void complete_start(struct completing *c)
{
    static const char *const words[] = {"SELECT",
                                        "WITH",
                                        "FROM",
                                        "INCLUDE PERFETTO MODULE",
                                        "CREATE PERFETTO TABLE",
                                        "CREATE PERFETTO VIEW",
                                        "CREATE PERFETTO FUNCTION",
                                        "CREATE PERFETTO MACRO",
                                        "CREATE PERFETTO INDEX",
                                        "CREATE VIRTUAL TABLE",
                                        "EXPLAIN QUERY PLAN",
                                        "DROP TABLE",
                                        NULL};
    add_words(c, words);
}

static int compare(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return compare_any_case(x->text, y->text);
}

/* The statement with blanks for what is typed, which is no alias yet. For free(). */
static char *statement_without(struct str text, const struct context *c, size_t from, size_t caret)
{
    char *copy = alloc_copy(text.p + c->statement.from, c->statement.to - c->statement.from);
    for (size_t i = 0; i < c->statement.to - c->statement.from; i++)
        if (copy[i] == '\0' || (i >= from - c->statement.from && i < caret - c->statement.from))
            copy[i] = ' ';
    return copy;
}

static bool is_name_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

void complete(const struct schema *schema, struct str text, size_t caret, struct completion *out)
{
    static const char *const module_word[] = {"MODULE", NULL}, *const perfetto[] = {"PERFETTO",
                                                                                    NULL};
    struct sql_source source = {.name = "query", .text = text};
    struct context context = {0};
    *out = (struct completion){.from = caret, .to = caret};
    while (out->from > 0 && is_name_byte(text.p[out->from - 1]))
        out->from--;
    struct completing c = {schema, out, str_from_to(text, out->from, caret)};
    bool number = c.prefix.n > 0 && c.prefix.p[0] >= '0' && c.prefix.p[0] <= '9';
    read_context(&source, out->from, &context);
    size_t n = context.tokens.v.count, module_at = out->from;
    struct sources sources = {0};
    struct sql_expected expected;
    struct arena arena;
    arena_init(&arena);
    sql_parse_expected(&arena, &context.tokens, &expected);
    arena_release(&arena);
    char *statement = statement_without(text, &context, out->from, caret);
    if (!context.nowhere && !number)
        sources_read(&sources, schema, str_from(statement), out->from - context.statement.from);
    if (context.nowhere || number) {
        /* nothing to say */
    } else if (wants_module(&context, &module_at)) {
        out->from = module_at;
        c.prefix = str_from_to(text, module_at, caret);
        add_objects(&c, 1u << OBJECT_MODULE, RANK_NAME);
    } else if (word_at(&context, 1, "PERFETTO") && word_at(&context, 2, "INCLUDE")) {
        add_words(&c, module_word);
    } else if (word_at(&context, 1, "INCLUDE")) {
        add_words(&c, perfetto);
    } else if (sign_at(&context, 1, '.') && n > 1) {
        complete_qualified(&c, &sources, context.tokens.v.items[n - 2]);
    } else if (n == 0) {
        complete_start(&c);
    } else if (expected.table || names_table(&context)) {
        complete_table(&c, &sources);
    } else if (expected.operand || expected.name) {
        complete_expression(&c, &sources, &expected);
    } else {
        add_keywords(&c, &expected);
    }
    if (out->v.count > 1)
        qsort(out->v.items, out->v.count, sizeof *out->v.items, compare);
    sources_release(&sources);
    free(statement);
    vec_release(&context.tokens.v);
}
