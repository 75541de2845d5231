#include "fmt/layout.h"

#include <string.h>

#include "sql/tokens/keywords.h"

bool piece_is(const struct piece *p, const char *keyword)
{
    return p->kind == TOKEN_WORD && strlen(keyword) == p->text.n &&
           compare_any_case_n(keyword, p->text.p, p->text.n) == 0;
}

bool piece_is_sign(const struct piece *p, char sign)
{
    return p->kind == TOKEN_OPERATOR && p->text.n == 1 && p->text.p[0] == sign;
}

static bool is_any(const struct piece *p, const char *const *words)
{
    for (; *words; words++)
        if (piece_is(p, *words))
            return true;
    return false;
}

/* ---- reading ---- */

struct reading {
    struct token_layout *layout;
    uint32_t lines; /* ends of lines since the last piece */
    bool blank;     /* something blank stands before the next piece */
};

static struct piece *add_piece(struct reading *r, struct str text, enum token_kind kind)
{
    struct piece *p = vec_push(&r->layout->v);
    *p = (struct piece){.text = text,
                        .kind = kind,
                        .adjacent = !r->blank,
                        .blank_line = r->lines > 1};
    r->lines = 0;
    r->blank = false;
    return p;
}

static void add_comment(struct reading *r, struct str text)
{
    size_t count = r->layout->v.count;
    bool own_line = r->lines > 0 || (count > 0 && r->layout->v.items[count - 1].ends_line);
    while (text.n > 0 && strchr(" \t\r\n", text.p[text.n - 1]))
        text.n--;
    struct piece *p = add_piece(r, text, TOKEN_SPACE);
    p->own_line = own_line;
    p->ends_line = own_line || text.p[0] == '-' || str_find(text, '\n') < text.n;
    r->blank = true;
}

static void add_token(struct reading *r, struct token t)
{
    size_t count = r->layout->v.count;
    if (token_is(t, '>') && !r->blank && count > 0 &&
        piece_is_sign(&r->layout->v.items[count - 1], '|')) {
        r->layout->v.items[count - 1].text.n++; /* a pipeline's |> */
        return;
    }
    if (!token_is_blank(t)) {
        add_piece(r, t.text, t.kind);
        return;
    }
    if (t.text.p[0] == '-' || t.text.p[0] == '/') {
        add_comment(r, t.text);
        return;
    }
    for (size_t i = 0; i < t.text.n; i++)
        r->lines += t.text.p[i] == '\n';
    r->blank = true;
}

/* A trigger's statements are not looked at. */
static bool is_trigger(const struct token_list *tokens, size_t first)
{
    const struct token *t = tokens->v.items;
    if (first >= tokens->v.count || !token_is_word(t[first], "CREATE"))
        return false;
    for (size_t i = first; i < tokens->v.count && i < first + 5; i++)
        if (token_is_word(t[i], "TRIGGER"))
            return true;
    return false;
}

static void add_statement(struct reading *r, const struct token_list *tokens)
{
    size_t first = 0, last = tokens->v.count;
    const struct token *t = tokens->v.items;
    while (first < last && token_is_blank(t[first]))
        add_token(r, t[first++]);
    while (last > first && token_is_blank(t[last - 1]))
        last--;
    if (is_trigger(tokens, first)) {
        const char *end = t[last - 1].text.p + t[last - 1].text.n;
        add_piece(r, (struct str){t[first].text.p, (size_t)(end - t[first].text.p)}, TOKEN_BLOB);
        first = last;
    }
    for (size_t i = first; i < tokens->v.count; i++)
        add_token(r, t[i]);
}

/* ---- what pieces are ---- */

/* Words that are names nowhere. */
static bool is_reserved(const struct piece *p)
{
    static const char *const words[] = {"ALL",      "ALTER",     "AND",    "AS",      "BETWEEN",
                                        "CASE",     "COLLATE",   "CREATE", "DELETE",  "DROP",
                                        "DISTINCT", "ELSE",      "ESCAPE", "EXCEPT",  "EXISTS",
                                        "FROM",     "GROUP",     "HAVING", "IN",      "INDEX",
                                        "INSERT",   "INTERSECT", "INTO",   "IS",      "ISNULL",
                                        "JOIN",     "LIMIT",     "NOT",    "NOTNULL", "NULL",
                                        "ON",       "OR",        "ORDER",  "SELECT",  "SET",
                                        "TABLE",    "THEN",      "TO",     "UNION",   "UPDATE",
                                        "USING",    "VALUES",    "WHEN",   "WHERE",   NULL};
    return is_any(p, words);
}

static const struct piece *piece_at(const struct token_layout *l, size_t i)
{
    static const struct piece none = {.kind = TOKEN_END};
    return i < l->v.count ? &l->v.items[i] : &none;
}

/* Words that are keywords where they stand, though they may be names elsewhere. */
static bool is_keyword_here(const struct token_layout *l, size_t i)
{
    static const char *const makers[] = {"CREATE", "REPLACE", "PERFETTO", "INCLUDE",
                                         "DROP",   "VIRTUAL", "TEMP",     NULL};
    static const char *const made[] = {"PERFETTO", "MODULE",  "FUNCTION", "MACRO",
                                       "VIEW",     "VIRTUAL", "TEMP",     NULL};
    static const char *const sides[] = {"LEFT",  "RIGHT", "FULL",    "INNER",
                                        "CROSS", "OUTER", "NATURAL", NULL};
    static const char *const matches[] = {"LIKE", "GLOB", "REGEXP", NULL};
    const struct piece *p = piece_at(l, i), *before = piece_at(l, i - 1),
                       *next = piece_at(l, i + 1);
    if (piece_is(p, "BY"))
        return piece_is(before, "GROUP") || piece_is(before, "ORDER") ||
               piece_is(before, "PARTITION");
    if (piece_is(p, "PARTITION"))
        return piece_is(next, "BY");
    if (piece_is(p, "OVER"))
        return piece_is_sign(before, ')') && piece_is_sign(next, '(');
    if (is_any(p, sides))
        return piece_is(next, "JOIN") || piece_is(next, "OUTER");
    if (is_any(p, matches))
        return !piece_is_sign(next, '(') && !piece_is_sign(before, '.') &&
               !piece_is_sign(before, ',') && (!is_reserved(before) || piece_is(before, "NOT"));
    if (piece_is(p, "ASC") || piece_is(p, "DESC"))
        return before->kind != TOKEN_END && !piece_is_comment(before) && !is_reserved(before) &&
               (before->kind != TOKEN_OPERATOR || piece_is_sign(before, ')')) &&
               !piece_is_sign(next, '.');
    if (piece_is(p, "MATERIALIZED"))
        return piece_is_sign(next, '(') && (piece_is(before, "AS") || piece_is(before, "NOT"));
    if (piece_is(p, "CAST"))
        return piece_is_sign(next, '(');
    if (piece_is(p, "INCLUDE"))
        return piece_is(next, "PERFETTO");
    if (piece_is(p, "RETURNS"))
        return piece_is_sign(before, ')');
    if (piece_is(p, "REPLACE"))
        return piece_is(before, "OR") && piece_is(piece_at(l, i - 2), "CREATE");
    if (piece_is(p, "WITH"))
        return next->kind == TOKEN_WORD;
    return is_any(p, made) && is_any(before, makers);
}

/* How many pieces the join's words are, 0 where none begins here. */
static uint8_t join_words(const struct token_layout *l, size_t i)
{
    static const char *const sides[] = {"LEFT",  "RIGHT", "FULL",    "INNER",
                                        "CROSS", "OUTER", "NATURAL", NULL};
    uint8_t n = 0;
    while (n < 3 && is_any(piece_at(l, i + n), sides))
        n++;
    return piece_is(piece_at(l, i + n), "JOIN") ? (uint8_t)(n + 1) : 0;
}

struct found_clause {
    enum layout_clause clause;
    uint8_t words;
};

static struct found_clause find_words(const struct token_layout *l, size_t i)
{
    static const struct {
        const char *words[2];
        enum layout_clause clause;
    } table[] = {
        {{"SELECT", "DISTINCT"}, CLAUSE_LIST},
        {{"SELECT"}, CLAUSE_LIST},
        {{"GROUP", "BY"}, CLAUSE_LIST},
        {{"ORDER", "BY"}, CLAUSE_LIST},
        {{"WITH", "RECURSIVE"}, CLAUSE_LIST},
        {{"WITH"}, CLAUSE_LIST},
        {{"VALUES"}, CLAUSE_LIST},
        {{"SET"}, CLAUSE_LIST},
        {{"WINDOW"}, CLAUSE_LIST},
        {{"WHERE"}, CLAUSE_CONDITION},
        {{"HAVING"}, CLAUSE_CONDITION},
        {{"FROM"}, CLAUSE_SOURCE},
        {{"LIMIT"}, CLAUSE_WORDS},
        {{"UNION", "ALL"}, CLAUSE_WORDS},
        {{"UNION"}, CLAUSE_WORDS},
        {{"INTERSECT"}, CLAUSE_WORDS},
        {{"EXCEPT"}, CLAUSE_WORDS},
    };
    for (size_t k = 0; k < sizeof table / sizeof *table; k++)
        if (piece_is(piece_at(l, i), table[k].words[0]) &&
            (!table[k].words[1] || piece_is(piece_at(l, i + 1), table[k].words[1])))
            return (struct found_clause){table[k].clause, table[k].words[1] ? 2 : 1};
    return (struct found_clause){CLAUSE_NONE, 0};
}

static bool is_stage(const struct piece *p)
{
    return p->kind == TOKEN_OPERATOR && str_eq(p->text, STR("|>"));
}

static struct found_clause find_clause(const struct token_layout *l, size_t i)
{
    const struct piece *before = piece_at(l, i - 1), *two_before = piece_at(l, i - 2);
    uint8_t joins = join_words(l, i);
    bool in_stage = is_stage(before);
    if (piece_is_sign(before, '.') || in_stage)
        return (struct found_clause){CLAUSE_NONE, 0};
    if (is_stage(piece_at(l, i))) {
        struct found_clause inner = find_words(l, i + 1);
        joins = join_words(l, i + 1);
        if (joins)
            return (struct found_clause){CLAUSE_SOURCE, (uint8_t)(joins + 1)};
        return inner.words ? (struct found_clause){inner.clause, (uint8_t)(inner.words + 1)}
                           : (struct found_clause){CLAUSE_LIST, 2};
    }
    if (joins)
        return (struct found_clause){CLAUSE_SOURCE, joins};
    if (piece_is(piece_at(l, i), "FROM") && piece_is(before, "DISTINCT") &&
        (piece_is(two_before, "IS") || piece_is(two_before, "NOT")))
        return (struct found_clause){CLAUSE_NONE, 0};
    if (piece_is(piece_at(l, i), "WINDOW") &&
        (piece_at(l, i + 1)->kind != TOKEN_WORD || piece_is(before, "AS")))
        return (struct found_clause){CLAUSE_NONE, 0};
    return find_words(l, i);
}

/* Names of ours before a bracket are called; keywords are not. */
static bool takes_bracket(const struct token_layout *l, uint32_t i)
{
    static const char *const callable[] = {"CAST",  "REPLACE", "SPAN_JOIN", "IF",
                                           "LIKE",  "GLOB",    "REGEXP",    "LEFT",
                                           "RIGHT", "FIRST",   "LAST",      "ROW",
                                           "RANGE", "TRUE",    "FALSE",     NULL};
    const struct piece *p = &l->v.items[i];
    if (p->kind == TOKEN_QUOTED || piece_is_sign(p, '!'))
        return true;
    if (p->kind != TOKEN_WORD)
        return false;
    if (i > 0 && piece_is(&l->v.items[i - 1], "AS") && piece_is(p, "MATERIALIZED"))
        return false;
    if (piece_is(p, "TABLE"))
        return i > 0 && piece_is(p - 1, "RETURNS");
    return !sql_is_keyword(p->text) || is_any(p, callable);
}

/* Whether the sign belongs to the one operand behind it. */
static bool is_unary(const struct token_layout *l, uint32_t i)
{
    const struct piece *p = &l->v.items[i], *before = piece_at(l, (size_t)i - 1);
    if (!piece_is_sign(p, '-') && !piece_is_sign(p, '+') && !piece_is_sign(p, '~'))
        return false;
    if (i == 0 || piece_is_sign(p, '~') || piece_is_comment(before))
        return true;
    bool closes = piece_is_sign(before, ')') || piece_is(before, "END");
    return !closes && (before->kind == TOKEN_OPERATOR ||
                       (before->kind == TOKEN_WORD && sql_is_keyword(before->text)));
}

bool layout_blank_before(const struct token_layout *l, uint32_t i)
{
    const struct piece *p = &l->v.items[i];
    if (i == 0 || p->kind == TOKEN_END)
        return false;
    const struct piece *before = p - 1;
    if (piece_is_comment(p) || piece_is_comment(before))
        return true;
    if ((piece_is_sign(p, '.') && before->kind == TOKEN_NUMBER) ||
        (piece_is_sign(before, '.') && p->kind == TOKEN_NUMBER))
        return true; /* they would become one number */
    if (piece_is_sign(p, ',') || piece_is_sign(p, ';') || piece_is_sign(p, ')') ||
        piece_is_sign(p, '.') || piece_is_sign(p, '!'))
        return false;
    if (piece_is_sign(before, '(') || piece_is_sign(before, '.'))
        return false;
    if (piece_is_sign(p, '('))
        return !takes_bracket(l, i - 1) && !is_unary(l, i - 1);
    if (is_unary(l, i - 1))
        return p->kind == TOKEN_OPERATOR; /* two minus signs begin a comment */
    if (before->kind == TOKEN_BROKEN || p->kind == TOKEN_BROKEN) /* as in a template */
        return !p->adjacent;
    return true;
}

/* ---- all of it ---- */

struct open_group {
    uint32_t at;
    uint32_t betweens; /* whose AND has not come yet */
};

struct groups {
    VEC(struct open_group) v; /* the outermost is always there */
};

static void close_group(struct token_layout *l, struct groups *open, uint32_t i)
{
    bool is_case = piece_is(&l->v.items[i], "END");
    const struct open_group *last = &vec_last(&open->v);
    if (open->v.count < 2 || piece_is(&l->v.items[last->at], "CASE") != is_case)
        return;
    l->v.items[last->at].close = i;
    l->v.items[i].upper |= is_case;
    open->v.count--;
}

/* Brackets, CASEs, the ANDs of conditions; a semicolon ends all of them. */
static void match_groups(struct token_layout *l)
{
    struct groups open = {0};
    *vec_push(&open.v) = (struct open_group){0, 0};
    for (uint32_t i = 0; i < l->v.count; i++) {
        struct piece *p = &l->v.items[i];
        const struct piece *before = piece_at(l, (size_t)i - 1);
        bool named = piece_is_sign(before, '.') || piece_is(before, "AS");
        if (piece_is_sign(p, ')') || (piece_is(p, "END") && !named))
            close_group(l, &open, i);
        if (piece_is_sign(p, ';'))
            open.v.count = 1;
        p->depth = (uint32_t)open.v.count - 1;
        uint32_t *betweens = &vec_last(&open.v).betweens;
        if (piece_is_sign(p, ';'))
            *betweens = 0;
        *betweens += piece_is(p, "BETWEEN");
        if (piece_is(p, "AND") && *betweens > 0)
            --*betweens;
        else
            p->joins = piece_is(p, "AND") || piece_is(p, "OR");
        if (piece_is_sign(p, '(') || (piece_is(p, "CASE") && !named))
            *vec_push(&open.v) = (struct open_group){i, 0};
    }
    vec_release(&open.v);
}

static void measure(struct token_layout *l)
{
    uint32_t width = 0, breaks = 0;
    for (uint32_t i = 0; i < l->v.count; i++) {
        struct piece *p = &l->v.items[i];
        width += layout_blank_before(l, i);
        p->width = width;
        p->breaks = breaks;
        width += (uint32_t)(p->text.n < 100000 ? p->text.n : 100000);
        breaks += p->ends_line || (p->kind == TOKEN_BLOB && str_find(p->text, '\n') < p->text.n);
    }
}

static void find_keywords(struct token_layout *l)
{
    size_t clause_end = 0;
    for (size_t i = 0; i < l->v.count; i++) {
        struct piece *p = &l->v.items[i];
        struct found_clause c = find_clause(l, i);
        p->clause = c.clause;
        p->words = c.words;
        clause_end = c.words ? i + c.words : clause_end;
        bool named = i > 0 && piece_is_sign(p - 1, '.');
        p->upper = !named && ((i < clause_end && sql_is_keyword(p->text)) || is_reserved(p) ||
                              is_keyword_here(l, i));
    }
}

struct open_quote layout_read(struct token_layout *l, const struct sql_source *source)
{
    struct reading r = {.layout = l, .lines = 1, .blank = true};
    struct token_list tokens = {0};
    struct open_quote quote = {0};
    for (size_t at = 0; at < source->text.n && !quote.found;) {
        tokens.v.count = 0;
        size_t end = lexer_statement(source, at, &tokens);
        for (size_t i = 0; i < tokens.v.count; i++)
            if (tokens.v.items[i].kind == TOKEN_BROKEN &&
                strchr("'\"`[xX", tokens.v.items[i].text.p[0]))
                quote = (struct open_quote){true, token_at(tokens.v.items[i])};
        add_statement(&r, &tokens);
        bool closed = end > 0 && source->text.p[end - 1] == ';' &&
                      (tokens.v.count == 0 ||
                       token_at(vec_last(&tokens.v)) + vec_last(&tokens.v).text.n == end - 1);
        if (closed)
            add_piece(&r, (struct str){source->text.p + end - 1, 1}, TOKEN_OPERATOR);
        at = end;
    }
    vec_release(&tokens.v);
    add_piece(&r, (struct str){"", 0}, TOKEN_END);
    find_keywords(l);
    match_groups(l);
    measure(l);
    return quote;
}
