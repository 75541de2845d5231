#include "sql/grammar/parse.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/vec.h"
#include "sql/grammar/parse_state.h"
#include "sql_grammar.h"

struct word {
    const char *text;
    uint8_t terminal;
};

/* Words that the grammar knows, sorted. Where it has no place for one that is no reserved word of
 * SQL it is a name (%fallback). */
#define WORD(name)                                                                                 \
    {                                                                                              \
#name, SQL_T_##name                                                                        \
    }
static const struct word words[] = {
    WORD(ACCUMULATE), WORD(AGGREGATE),    WORD(ALL),       WORD(AND),       WORD(AS),
    WORD(ASC),        WORD(BETWEEN),      WORD(BY),        WORD(CASE),      WORD(CAST),
    WORD(COLLATE),    WORD(CREATE),       WORD(CROSS),     WORD(CURRENT),   WORD(DATAFRAME),
    WORD(DELEGATES),  WORD(DELETE),       WORD(DESC),      WORD(DISTINCT),  WORD(DOWN),
    WORD(DROP),       WORD(ELSE),         WORD(END),       WORD(ESCAPE),    WORD(EXCEPT),
    WORD(EXCLUDE),    WORD(EXISTS),       WORD(EXPLAIN),   WORD(EXTEND),    WORD(FILTER),
    WORD(FIRST),      WORD(FLATTEN),      WORD(FOLLOWING), WORD(FROM),      WORD(FULL),
    WORD(FUNCTION),   WORD(GLOB),         WORD(GROUP),     WORD(GROUPS),    WORD(HAVING),
    WORD(IF),         WORD(IGNORE),       WORD(IN),        WORD(INCLUDE),   WORD(INDEX),
    WORD(INDEXED),    WORD(INNER),        WORD(INSERT),    WORD(INTERSECT), WORD(INTERSECTION),
    WORD(INTERVAL),   WORD(INTO),         WORD(IS),        WORD(ISNULL),    WORD(JOIN),
    WORD(LAST),       WORD(LEFT),         WORD(LIKE),      WORD(LIMIT),     WORD(MACRO),
    WORD(MATCH),      WORD(MATERIALIZED), WORD(MODULE),    WORD(NATURAL),   WORD(NO),
    WORD(NOT),        WORD(NOTNULL),      WORD(NULL),      WORD(NULLS),     WORD(OF),
    WORD(OFFSET),     WORD(ON),           WORD(OR),        WORD(ORDER),     WORD(OTHERS),
    WORD(OUTER),      WORD(OVER),         WORD(PARTITION), WORD(PER),       WORD(PERFETTO),
    WORD(PLAN),       WORD(PRAGMA),       WORD(PRECEDING), WORD(QUERY),     WORD(RANGE),
    WORD(RECURSIVE),  WORD(REGEXP),       WORD(RENAME),    WORD(REPLACE),   WORD(RETURNS),
    WORD(RIGHT),      WORD(ROW),          WORD(ROWS),      WORD(SELECT),    WORD(SET),
    WORD(TABLE),      WORD(TEMP),         WORD(THEN),      WORD(TIES),      WORD(TO),
    WORD(TREE),       WORD(TRIGGER),      WORD(UNBOUNDED), WORD(UNION),     WORD(UP),
    WORD(UPDATE),     WORD(USING),        WORD(VALUES),    WORD(VIEW),      WORD(VIRTUAL),
    WORD(WHEN),       WORD(WHERE),        WORD(WINDOW),    WORD(WITH)};

static const struct word operators[] = {
    {"(", SQL_T_LP},           {")", SQL_T_RP},           {",", SQL_T_COMMA},
    {".", SQL_T_DOT},          {"=", SQL_T_EQ},           {"==", SQL_T_EQ},
    {"<>", SQL_T_NE},          {"!=", SQL_T_NE},          {"<", SQL_T_LT},
    {"<=", SQL_T_LE},          {">", SQL_T_GT},           {">=", SQL_T_GE},
    {"+", SQL_T_PLUS},         {"-", SQL_T_MINUS},        {"*", SQL_T_STAR},
    {"/", SQL_T_SLASH},        {"%", SQL_T_PERCENT},      {"&", SQL_T_AMPERSAND},
    {"|", SQL_T_BAR},          {"~", SQL_T_TILDE},        {"||", SQL_T_CONCAT},
    {"<<", SQL_T_LEFT_SHIFT},  {">>", SQL_T_RIGHT_SHIFT}, {"->", SQL_T_ARROW},
    {"->>", SQL_T_LONG_ARROW},
};

/* Statements that are SQLite's alone, by their first word; CREATE by its second or third. */
static const char *const others[] = {"ALTER",    "ANALYZE",   "ATTACH", "BEGIN",   "COMMIT",
                                     "DETACH",   "END",       "PRAGMA", "REINDEX", "RELEASE",
                                     "ROLLBACK", "SAVEPOINT", "VACUUM"};

/* Calls of macros in arguments of macros that are parsed; what is deeper are tokens. */
enum { CALLS_MAX = 64 };

/* The parser's input: the tokens that are no blanks. */
struct input {
    struct sql_parse *p;
    void *parser;
    const struct token *tokens;
    uint32_t *at; /* where they stand among the tokens */
    uint32_t count, next;
    uint8_t before; /* the terminal that was taken last */
    bool creates;
    bool whole;
    uint32_t wrong;
};

static struct token token_of(const struct input *in, uint32_t i)
{
    return i < in->count ? in->tokens[in->at[i]] : (struct token){.kind = TOKEN_END};
}

static struct sql_span span_of(const struct input *in, uint32_t first, uint32_t end)
{
    return (struct sql_span){in->at[first], in->at[end - 1] + 1};
}

/* Behind the parenthesis that closes the one at `i`, or the end. */
static uint32_t behind_parentheses(const struct input *in, uint32_t i)
{
    int depth = 0;
    while (i < in->count) {
        struct token t = token_of(in, i++);
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth == 0)
            break;
    }
    return i;
}

/* Most names have a letter that no such word has, or are longer. */
static uint8_t word_terminal(struct str text)
{
    char upper[16] = "";
    size_t from = 0, to = sizeof words / sizeof *words;
    if (text.n >= sizeof upper)
        return SQL_T_ID;
    for (size_t i = 0; i < text.n; i++) {
        upper[i] = (char)(text.p[i] & ~0x20);
        if (upper[i] < 'A' || upper[i] > 'Z')
            return SQL_T_ID;
    }
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = strcmp(upper, words[middle].text);
        if (order == 0)
            return words[middle].terminal;
        if (order > 0)
            from = middle + 1;
        else
            to = middle;
    }
    return strcmp(upper, "TEMPORARY") == 0 ? SQL_T_TEMP : SQL_T_ID;
}

static uint8_t operator_terminal(struct str text)
{
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (operators[i].text[0] == text.p[0] && str_eq(text, str_from(operators[i].text)))
            return operators[i].terminal;
    return 0;
}

/* Some words are names but where what is around them says otherwise. */
static uint8_t in_its_place(const struct input *in, uint8_t terminal, uint32_t i)
{
    struct token behind = token_of(in, i + 1);
    bool opens = token_is(behind, '(');
    switch (terminal) {
    case SQL_T_WINDOW:
        return token_is_name(behind) && token_is_word(token_of(in, i + 2), "AS") ? terminal
                                                                                 : SQL_T_ID;
    case SQL_T_OVER:
        return in->before == SQL_T_RP && (opens || token_is_name(behind)) ? terminal : SQL_T_ID;
    case SQL_T_FILTER:
        return in->before == SQL_T_RP && opens ? terminal : SQL_T_ID;
    case SQL_T_EXCEPT:
        return in->before == SQL_T_STAR && opens ? SQL_T_LEAVING : terminal;
    case SQL_T_INTERVAL:
        return in->before == SQL_T_PIPE || token_is_word(behind, "INTERSECTION") ? terminal
                                                                                 : SQL_T_ID;
    default:
        return terminal;
    }
}

static bool touches(const struct input *in, uint32_t i)
{
    return i + 1 < in->count && in->at[i + 1] == in->at[i] + 1;
}

/* The terminal at `i`, and how many tokens it is made of; 0 for what SQL does not have. */
static uint8_t terminal_at(const struct input *in, uint32_t i, uint32_t *length)
{
    struct token t = token_of(in, i);
    *length = 1;
    if (token_is_name(t) && token_is(token_of(in, i + 1), '!') &&
        token_is(token_of(in, i + 2), '(')) {
        *length = behind_parentheses(in, i + 2) - i;
        return SQL_T_MACRO_CALL;
    }
    if (token_is(t, '|') && token_is(token_of(in, i + 1), '>') && touches(in, i)) {
        *length = 2;
        return SQL_T_PIPE;
    }
    if (token_is(t, '.') && token_is(token_of(in, i + 1), '.') &&
        token_is(token_of(in, i + 2), '.')) {
        *length = 3;
        return SQL_T_ELLIPSIS;
    }
    switch (t.kind) {
    case TOKEN_WORD:
        return in_its_place(in, word_terminal(t.text), i);
    case TOKEN_QUOTED:
        return SQL_T_ID;
    case TOKEN_STRING:
        return SQL_T_STRING;
    case TOKEN_BLOB:
        return SQL_T_BLOB;
    case TOKEN_NUMBER:
        return SQL_T_NUMBER;
    case TOKEN_VARIABLE:
        return SQL_T_VARIABLE;
    case TOKEN_OPERATOR:
        return operator_terminal(t.text);
    default:
        return 0;
    }
}

static bool takes(struct input *in, uint8_t terminal)
{
    return sql_grammar_takes(in->parser, &terminal, 1);
}

static void feed(struct input *in, uint8_t terminal, struct sql_span span)
{
    sql_grammar_(in->parser, terminal, span, in->p);
    in->before = terminal;
}

/* Before which token the next one stands. */
static struct sql_span here(const struct input *in)
{
    uint32_t at = in->next < in->count ? in->at[in->next] : (uint32_t)in->p->tokens->v.count;
    return (struct sql_span){at, at};
}

static void note_wrong(struct input *in)
{
    if (in->whole)
        in->wrong = here(in).first;
    in->whole = false;
}

enum { REPAIR_MAX = 4 };

/* What may be missing before a token that does not fit, the likeliest first. */
static const uint8_t repairs[][REPAIR_MAX] = {
    {SQL_T_HOLE},
    {SQL_T_HOLE_NAME},
    {SQL_T_RP},
    {SQL_T_HOLE, SQL_T_RP},
    {SQL_T_HOLE_NAME, SQL_T_RP},
    {SQL_T_END},
    {SQL_T_HOLE, SQL_T_END},
    {SQL_T_THEN, SQL_T_HOLE, SQL_T_END},
    {SQL_T_AND, SQL_T_HOLE},
};

/* Puts what is missing before `terminal`; false where that is not known. */
static bool repair(struct input *in, uint8_t terminal)
{
    for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++) {
        uint8_t all[REPAIR_MAX + 1];
        size_t n = 0;
        while (n < REPAIR_MAX && repairs[i][n])
            all[n] = repairs[i][n], n++;
        all[n] = terminal;
        if (!sql_grammar_takes(in->parser, all, n + 1))
            continue;
        for (size_t k = 0; k < n; k++)
            feed(in, all[k], here(in));
        return true;
    }
    return false;
}

/* What a statement that ends too early may still need, what comes first first. */
static void finish(struct input *in)
{
    static const uint8_t missing[] = {
        SQL_T_HOLE,       SQL_T_HOLE_NAME, SQL_T_RP,      SQL_T_END,    SQL_T_THEN,      SQL_T_AND,
        SQL_T_BY,         SQL_T_AS,        SQL_T_LP,      SQL_T_SELECT, SQL_T_FROM,      SQL_T_JOIN,
        SQL_T_ACCUMULATE, SQL_T_UP,        SQL_T_FLATTEN, SQL_T_PER,    SQL_T_AGGREGATE, SQL_T_OF,
        SQL_T_TABLE,      SQL_T_PERFETTO,  SQL_T_RETURNS, SQL_T_REST,   SQL_T_ON,        SQL_T_EQ,
        SQL_T_MODULE,     SQL_T_INTO,      SQL_T_SET,     SQL_T_PLAN};
    uint32_t most = 2 * in->count + 64;
    while (!takes(in, 0)) {
        size_t i = 0;
        note_wrong(in);
        while (i < sizeof missing && !takes(in, missing[i]))
            i++;
        if (i == sizeof missing || most-- == 0)
            return;
        feed(in, missing[i], here(in));
    }
    feed(in, 0, here(in));
}

/* Behind the type at `i`: TYPE, TYPE(), TYPE(table.column), TYPE...; `i` where there is none. */
static uint32_t behind_type(const struct input *in, uint32_t i)
{
    static const char joins[] = "(w.w)", none[] = "()", more[] = "...";
    static const char *const behind[] = {joins, none, more};
    if (token_of(in, i).kind != TOKEN_WORD)
        return i;
    for (size_t k = 0; k < sizeof behind / sizeof *behind; k++) {
        uint32_t n = 0;
        while (behind[k][n] &&
               (behind[k][n] == 'w' ? token_of(in, i + 1 + n).kind == TOKEN_WORD
                                    : token_is(token_of(in, i + 1 + n), behind[k][n])))
            n++;
        if (!behind[k][n])
            return i + 1 + n;
    }
    return i + 1;
}

/* Behind "(name TYPE, ...)" at `i`; `i` where it has a mistake. */
static uint32_t behind_declared(const struct input *in, uint32_t i)
{
    uint32_t open = i;
    do {
        uint32_t type = i + 2;
        i = behind_type(in, type);
        if (!token_is_name(token_of(in, type - 1)) || i == type)
            return open;
    } while (token_is(token_of(in, i), ','));
    return token_is(token_of(in, i), ')') ? i + 1 : open;
}

/* Tokens that the grammar takes as they are, where it has a place for such; the index behind them.
 */
static uint32_t take_raw(struct input *in)
{
    struct token t = token_of(in, in->next);
    uint32_t end = in->next;
    uint8_t terminal = 0;
    if ((in->before == SQL_T_AS || in->before == SQL_T_MODULE) && takes(in, SQL_T_REST)) {
        terminal = SQL_T_REST;
        end = in->count;
    } else if (in->p->head && in->before == SQL_T_AS && takes(in, SQL_T_BODY)) {
        terminal = SQL_T_BODY;
        end = in->count;
    } else if (in->creates && token_is(t, '(') && takes(in, SQL_T_DECLARED)) {
        terminal = SQL_T_DECLARED;
        end = behind_declared(in, in->next);
    } else if (in->creates && token_is(t, '(') && takes(in, SQL_T_RAW) && !takes(in, SQL_T_LP)) {
        terminal = SQL_T_RAW;
        end = behind_parentheses(in, in->next);
    }
    if (end > in->next)
        feed(in, terminal, span_of(in, in->next, end));
    return end;
}

static void take_next(struct input *in)
{
    uint32_t length, end = take_raw(in);
    if (end > in->next) {
        in->next = end;
        return;
    }
    uint8_t terminal = terminal_at(in, in->next, &length);
    if (!terminal || !takes(in, terminal)) {
        note_wrong(in);
        if (!terminal || !repair(in, terminal)) {
            in->next += length;
            return;
        }
    }
    feed(in, terminal, span_of(in, in->next, in->next + length));
    in->next += length;
}

/* CREATE [UNIQUE] INDEX, CREATE [TEMP] TRIGGER. */
static bool creates_other(const struct input *in)
{
    for (uint32_t i = 1; i < 3; i++)
        if (token_is_word(token_of(in, i), "INDEX") || token_is_word(token_of(in, i), "TRIGGER"))
            return !token_is_word(token_of(in, i - 1), "PERFETTO");
    return false;
}

static bool is_other(const struct input *in)
{
    struct token first = token_of(in, 0);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (token_is_word(first, others[i]))
            return true;
    return in->creates && creates_other(in);
}

/* Begins to parse tokens [from, to). */
static void begin_input(struct input *in, struct sql_parse *p, uint32_t from, uint32_t to,
                        uint8_t what)
{
    *in = (struct input){.p = p, .tokens = p->tokens->v.items, .whole = true};
    in->at = arena_alloc(p->arena, ((size_t)(to - from) + 1) * sizeof *in->at);
    for (uint32_t i = from; i < to; i++) {
        if (!token_is_blank(p->tokens->v.items[i]))
            in->at[in->count++] = i;
        if (p->tokens->v.items[i].kind == TOKEN_BROKEN && in->whole) {
            in->whole = false;
            in->wrong = i;
        }
    }
    in->parser = sql_grammar_Alloc(alloc_bytes);
    in->creates = token_is_word(token_of(in, 0), "CREATE");
    p->root = NULL;
    feed(in, what, SQL_NOWHERE);
}

/* Tokens [from, to) as a tree of their own. */
static struct sql_tree parse_tokens(struct sql_parse *p, uint32_t from, uint32_t to, uint8_t what)
{
    struct input in;
    begin_input(&in, p, from, to, what);
    if (what == SQL_T_AS_STATEMENT && is_other(&in)) {
        feed(&in, SQL_T_OTHER, span_of(&in, 0, in.count));
        in.next = in.count;
    }
    while (in.next < in.count && !p->too_deep)
        take_next(&in);
    if (!p->too_deep)
        finish(&in);
    sql_grammar_Free(in.parser, free);
    bool whole = in.whole && !p->too_deep && !p->half;
    return (struct sql_tree){p->too_deep ? NULL : p->root, whole, in.wrong};
}

static bool begins_query(struct token t)
{
    static const char *const verbs[] = {"SELECT", "WITH", "VALUES", "FROM", "INTERVAL"};
    for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
        if (token_is_word(t, verbs[i]))
            return true;
    return false;
}

/* The first token in [from, to) that is no blank, and no opening parenthesis where those are
 * skipped. */
static struct token first_token(const struct sql_parse *p, uint32_t from, uint32_t to, bool skip)
{
    for (uint32_t i = from; i < to; i++) {
        struct token t = p->tokens->v.items[i];
        if (!token_is_blank(t) && !(skip && token_is(t, '(')))
            return t;
    }
    return (struct token){.kind = TOKEN_END};
}

/* A query, which may be half written, an expression, or just tokens: a macro takes any. */
static struct sql_node *parse_argument(struct sql_parse *p, uint32_t from, uint32_t to)
{
    while (from < to && token_is_blank(p->tokens->v.items[from]))
        from++;
    bool half = p->half, is_query = begins_query(first_token(p, from, to, true));
    struct sql_tree tree = {0};
    if (p->calls < CALLS_MAX && first_token(p, from, to, false).kind != TOKEN_END) {
        bool is_statement = begins_query(first_token(p, from, to, false));
        p->calls++;
        tree = parse_tokens(p, from, to, is_statement ? SQL_T_AS_STATEMENT : SQL_T_AS_EXPRESSION);
        p->calls--;
    }
    if (tree.root && (tree.whole || is_query)) {
        p->half |= !tree.whole;
        return tree.root;
    }
    p->half = half;
    return sql_node_make(p, SQL_TOKENS, SQL_OP_NONE, (struct sql_span){from, to}, 0, NULL);
}

static struct sql_node *parse_arguments(struct sql_parse *p, uint32_t from, uint32_t to)
{
    struct sql_node *list = sql_list_begin(p, SQL_LIST, NULL);
    uint32_t first = from;
    int depth = 0;
    bool any = false;
    for (uint32_t i = from; i < to; i++) {
        struct token t = p->tokens->v.items[i];
        any |= !token_is_blank(t);
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth > 0 || !token_is(t, ','))
            continue;
        sql_list_add(p, list, parse_argument(p, first, i));
        first = i + 1;
    }
    return any ? sql_list_add(p, list, parse_argument(p, first, to)) : list;
}

/* The next token of the list that is not blank; its `end` moves behind it. */
static struct sql_span next_of_list(const struct sql_parse *p, uint32_t *at)
{
    while (token_is_blank(p->tokens->v.items[*at]))
        ++*at;
    return (struct sql_span){*at, ++*at};
}

struct sql_node *sql_declared_make(struct sql_parse *p, struct sql_span list)
{
    struct sql_node *made = sql_list_begin(p, SQL_LIST, NULL);
    uint32_t at = list.first + 1;
    while (at < list.end) {
        struct sql_span name = next_of_list(p, &at), type = next_of_list(p, &at);
        int depth = 0;
        for (struct sql_span t = next_of_list(p, &at);; t = next_of_list(p, &at)) {
            struct token token = p->tokens->v.items[t.first];
            if (depth == 0 && (token_is(token, ',') || token_is(token, ')')))
                break;
            depth += token_is(token, '(') - token_is(token, ')');
            type.end = t.end;
        }
        struct sql_node *parts[2] = {sql_node_make(p, SQL_NAME, SQL_OP_NONE, name, 0, NULL),
                                     sql_node_make(p, SQL_TOKENS, SQL_OP_NONE, type, 0, NULL)};
        sql_list_add(p, made, sql_node_make(p, SQL_DECLARED, SQL_OP_NONE, name, 2, parts));
    }
    return sql_covering(made, list, list);
}

struct sql_node *sql_macro_make(struct sql_parse *p, struct sql_span call)
{
    struct sql_span name = {call.first, call.first + 1};
    uint32_t open = call.first, end = call.end;
    int depth = 0;
    while (!token_is(p->tokens->v.items[open], '('))
        open++;
    for (uint32_t i = open; i < end; i++)
        depth += token_is(p->tokens->v.items[i], '(') - token_is(p->tokens->v.items[i], ')');
    p->half |= depth > 0;
    end -= depth == 0;
    struct sql_node *parts[2] = {sql_node_make(p, SQL_NAME, SQL_OP_NONE, name, 0, NULL)};
    struct sql_node *root = p->root;
    parts[1] = parse_arguments(p, open + 1, end);
    p->root = root;
    return sql_node_make(p, SQL_MACRO, SQL_OP_NONE, call, 2, parts);
}

void sql_parsed_release(struct sql_parsed *p)
{
    vec_release(&p->tokens.v);
    arena_release(&p->arena);
}

static struct sql_tree parse(struct arena *arena, const struct token_list *tokens, uint8_t what)
{
    struct sql_parse p = {.arena = arena, .tokens = tokens};
    return parse_tokens(&p, 0, (uint32_t)tokens->v.count, what);
}

struct sql_tree sql_parse_statement(struct arena *arena, const struct token_list *tokens)
{
    return parse(arena, tokens, SQL_T_AS_STATEMENT);
}

struct sql_tree sql_parse_head(struct arena *arena, const struct token_list *tokens)
{
    struct sql_parse p = {.arena = arena, .tokens = tokens, .head = true};
    return parse_tokens(&p, 0, (uint32_t)tokens->v.count, SQL_T_AS_STATEMENT);
}

struct sql_tree sql_parse_part(struct arena *arena, const struct token_list *tokens)
{
    struct sql_tree statement = sql_parse_statement(arena, tokens);
    if (statement.whole)
        return statement;
    struct sql_tree expression = parse(arena, tokens, SQL_T_AS_EXPRESSION);
    return expression.whole ? expression : statement;
}

/* ---- what may follow ---- */

#define NOT_OPEN UINT32_MAX

static void note_expected(struct input *in, struct sql_expected *out)
{
    out->operand = takes(in, SQL_T_HOLE);
    out->closes =
        takes(in, SQL_T_RP) || sql_grammar_takes(in->parser, (uint8_t[]){SQL_T_HOLE, SQL_T_RP}, 2);
    out->name = !out->operand && in->before != SQL_T_AS && takes(in, SQL_T_HOLE_NAME);
    out->table = out->name && takes(in, SQL_T_LP);
    out->name &= !out->table;
    for (size_t i = 0; i < sizeof words / sizeof *words && out->word_count < SQL_WORDS_MAX; i++)
        if (sql_grammar_takes_word(in->parser, words[i].terminal))
            out->words[out->word_count++] = words[i].text;
}

/* Where the text goes on that stands for itself and has not ended: the last argument of a macro, or
 * a macro's body; NOT_OPEN for none. */
static uint32_t open_text(const struct input *in)
{
    struct token t = token_of(in, in->next);
    if (in->before == SQL_T_AS && sql_grammar_takes(in->parser, (uint8_t[]){SQL_T_REST}, 1))
        return in->next;
    if (!token_is_name(t) || !token_is(token_of(in, in->next + 1), '!') ||
        !token_is(token_of(in, in->next + 2), '('))
        return NOT_OPEN;
    uint32_t last = in->next + 3;
    int depth = 1;
    for (uint32_t i = last; i < in->count && depth > 0; i++) {
        t = token_of(in, i);
        depth += token_is(t, '(') - token_is(t, ')');
        if (depth == 1 && token_is(t, ','))
            last = i + 1;
    }
    return depth > 0 ? last : NOT_OPEN;
}

bool sql_expects(const struct sql_expected *expected, const char *word)
{
    for (uint32_t i = 0; i < expected->word_count; i++)
        if (strcmp(expected->words[i], word) == 0)
            return true;
    return false;
}

void sql_parse_expected(struct arena *arena, const struct token_list *tokens,
                        struct sql_expected *out)
{
    struct sql_parse p = {.arena = arena, .tokens = tokens};
    uint32_t from = 0, end = (uint32_t)tokens->v.count;
    *out = (struct sql_expected){0};
    for (uint8_t what = SQL_T_AS_STATEMENT;;) {
        struct input in;
        uint32_t open = NOT_OPEN;
        begin_input(&in, &p, from, end, what);
        while (in.next < in.count && !p.too_deep && (open = open_text(&in)) == NOT_OPEN)
            take_next(&in);
        if (open == NOT_OPEN && !p.too_deep)
            note_expected(&in, out);
        sql_grammar_Free(in.parser, free);
        if (open == NOT_OPEN)
            return;
        from = open < in.count ? in.at[open] : end;
        what = from < end && begins_query(tokens->v.items[from]) ? SQL_T_AS_STATEMENT
                                                                 : SQL_T_AS_EXPRESSION;
    }
}
