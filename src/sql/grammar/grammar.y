// PerfettoSQL: SQLite's queries as its syntax diagrams draw them, CREATE PERFETTO and INCLUDE, macro
// calls, and pipelines. Of SQLite's other statements those that hold queries or names that people
// look up have rules; the rest is one token, OTHER (parse.c). A token that stands for an operand or a
// name that is missing is HOLE: the parser puts it where a half-written statement needs one.

%name sql_grammar_
%token_prefix SQL_T_
%token_type {struct sql_span}
%default_type {struct sql_node *}
%extra_argument {struct sql_parse *p}
%stack_size 0
%include {
#include "sql/grammar/parse_state.h"

#include "base/alloc.h"

#define NODE(kind, span, ...) NODE_OP(kind, NONE, span, __VA_ARGS__)
#define NODE_OP(kind, op, span, ...) sql_node_make(p, SQL_##kind, SQL_OP_##op, span,                \
    sizeof(struct sql_node *[]){__VA_ARGS__} / sizeof(struct sql_node *),                          \
    (struct sql_node *[]){__VA_ARGS__})
#define LEAF(kind, span) sql_node_make(p, SQL_##kind, SQL_OP_NONE, span, 0, NULL)
}
%code {
/* Whether the parser would take the terminals, one after the other, as it stands now: its stack of
 * states is followed without running an action. What reductions leave lies on top of what is left
 * of the parser's own. */
static int state_at(const yyParser *parser, const YYACTIONTYPE *over, int own, int i)
{
    return i < own ? parser->yystack[i].stateno : over[i - own];
}

enum { OVER_MAX = 64 };

/* Where a word is looked for as itself it does not stand for a name. */
static YYACTIONTYPE action_of(YYCODETYPE terminal, YYACTIONTYPE state, bool as_itself)
{
    if (!as_itself || state > YY_MAX_SHIFT)
        return yy_find_shift_action(terminal, state);
    unsigned i = (unsigned)yy_shift_ofst[state] + terminal;
    return yy_lookahead[i] == terminal ? yy_action[i] : yy_default[state];
}

static bool takes(const yyParser *parser, const uint8_t *terminals, size_t n, bool as_itself)
{
    YYACTIONTYPE over[OVER_MAX];
    int own = (int)(parser->yytos - parser->yystack) + 1, depth = own;
    for (size_t k = 0; k < n;) {
        YYACTIONTYPE act = action_of((YYCODETYPE)terminals[k],
                                     (YYACTIONTYPE)state_at(parser, over, own, depth - 1), as_itself);
        if (act >= YY_MIN_REDUCE) {
            unsigned rule = (unsigned)(act - YY_MIN_REDUCE);
            depth += yyRuleInfoNRhs[rule];
            if (depth < own)
                own = depth;
            act = yy_find_reduce_action((YYACTIONTYPE)state_at(parser, over, own, depth - 1),
                                        (YYCODETYPE)yyRuleInfoLhs[rule]);
        } else if (act == YY_ACCEPT_ACTION) {
            return true;
        } else if (act > YY_MAX_SHIFTREDUCE) {
            return false;
        } else {
            if (act > YY_MAX_SHIFT)
                act = (YYACTIONTYPE)(act + YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE);
            k++;
        }
        if (depth - own >= OVER_MAX)
            return false;
        over[depth++ - own] = act;
    }
    return true;
}

bool sql_grammar_takes(void *parser, const uint8_t *terminals, size_t n)
{
    return takes(parser, terminals, n, false);
}

bool sql_grammar_takes_word(void *parser, uint8_t terminal)
{
    return takes(parser, &terminal, 1, true);
}
}

%fallback ID
  ACCUMULATE AGGREGATE ASC BY CAST CURRENT DATAFRAME DELEGATES DESC DO DOWN END EXCLUDE EXPLAIN
  EXTEND FIRST FLATTEN FOLLOWING FUNCTION GLOB GROUPS IF IGNORE INCLUDE INTERSECTION INTERVAL LAST
  LIKE MACRO MATCH MATERIALIZED MODULE NO NULLS OF OFFSET OTHERS PARTITION PER PERFETTO PLAN PRAGMA
  PRECEDING QUERY RANGE RECURSIVE REGEXP RENAME REPLACE RETURNS ROW ROWS TEMP TIES TO TREE TRIGGER UNBOUNDED
  UP VIEW VIRTUAL WITH.

%nonassoc CORE_BY_MACRO.
%nonassoc TABLE_BY_MACRO.
%nonassoc EXPRESSION_BY_MACRO.
%left OR.
%left AND.
%right NOT.
%left IS MATCH LIKE GLOB REGEXP BETWEEN IN ISNULL NOTNULL NE EQ.
%left GT LE LT GE.
%right ESCAPE.
%left AMPERSAND BAR LEFT_SHIFT RIGHT_SHIFT.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%left CONCAT ARROW LONG_ARROW.
%left COLLATE.
%right TILDE.

%start_symbol input
input ::= AS_STATEMENT statement(S). { p->root = S; }
input ::= AS_EXPRESSION expr(E). { p->root = E; }

// ---- names ----

name(R) ::= ID(A). { R = LEAF(NAME, A); }
name(R) ::= INDEXED(A). { R = LEAF(NAME, A); }
name(R) ::= join_word(A). { R = LEAF(NAME, A); }
%type join_word {struct sql_span}
join_word(R) ::= LEFT(A). { R = A; }
join_word(R) ::= RIGHT(A). { R = A; }
join_word(R) ::= FULL(A). { R = A; }
join_word(R) ::= INNER(A). { R = A; }
join_word(R) ::= CROSS(A). { R = A; }
join_word(R) ::= OUTER(A). { R = A; }
join_word(R) ::= NATURAL(A). { R = A; }
nm(R) ::= name(A). { R = A; }
nm(R) ::= STRING(A). { R = LEAF(NAME, A); }
nm(R) ::= HOLE_NAME(A). { R = LEAF(HOLE, A); }
// In a macro's body a parameter may stand for a name.
word(R) ::= nm(A). { R = A; }
word(R) ::= VARIABLE(A). { R = LEAF(VARIABLE, A); }

words(R) ::= word(A). { R = sql_list_begin(p, SQL_LIST, A); }
words(R) ::= words(L) COMMA word(A). { R = sql_list_add(p, L, A); }
words(R) ::= MACRO_CALL(A). { R = sql_list_begin(p, SQL_LIST, sql_macro_make(p, A)); }
in_parentheses(R) ::= LP(A) words(L) RP(B). { R = sql_covering(L, A, B); }
names_opt(R) ::= . { R = NULL; }
names_opt(R) ::= in_parentheses(L). { R = L; }

as(R) ::= . [TABLE_BY_MACRO] { R = NULL; }
as(R) ::= AS word(A). { R = A; }
as(R) ::= ID(A). { R = LEAF(NAME, A); }
as(R) ::= STRING(A). { R = LEAF(NAME, A); }

// ---- queries ----

select(R) ::= body(B) order_opt(O) limit(L). { R = NODE(SELECT, SQL_NOWHERE, NULL, B, O, L); }
select(R) ::= with(W) body(B) order_opt(O) limit(L). { R = NODE(SELECT, SQL_NOWHERE, W, B, O, L); }
select(R) ::= pipeline(A). { R = A; }

with_opt(R) ::= . { R = NULL; }
with_opt(R) ::= with(A). { R = A; }
with(R) ::= WITH(A) with_tables(L). { R = NODE(WITH, A, L); }
with(R) ::= WITH(A) RECURSIVE with_tables(L). { R = NODE_OP(WITH, RECURSIVE, A, L); }
with_tables(R) ::= with_table(A). { R = sql_list_begin(p, SQL_LIST, A); }
with_tables(R) ::= with_tables(L) COMMA with_table(A). { R = sql_list_add(p, L, A); }
with_tables(R) ::= with_tables(L) COMMA MACRO_CALL(A). { R = sql_list_add(p, L, sql_macro_make(p, A)); }
with_table(R) ::= word(N) names_opt(C) AS materialized(M) LP select(S) RP(B).
    { R = sql_with_op(NODE(WITH_TABLE, B, N, C, S), M); }
%type materialized {enum sql_op}
materialized(R) ::= . { R = SQL_OP_NONE; }
materialized(R) ::= MATERIALIZED. { R = SQL_OP_MATERIALIZED; }
materialized(R) ::= NOT MATERIALIZED. { R = SQL_OP_NOT_MATERIALIZED; }

body(R) ::= core(A). { R = A; }
body(R) ::= arms(A). { R = A; }
arms(R) ::= core(A) compound_op(O) core(B).
    { R = sql_list_begin(p, SQL_COMPOUND, NODE(ARM, SQL_NOWHERE, A));
      R = sql_list_add(p, R, sql_with_op(NODE(ARM, SQL_NOWHERE, B), O)); }
arms(R) ::= arms(L) compound_op(O) core(B).
    { R = sql_list_add(p, L, sql_with_op(NODE(ARM, SQL_NOWHERE, B), O)); }
%type compound_op {enum sql_op}
compound_op(R) ::= UNION. { R = SQL_OP_UNION; }
compound_op(R) ::= UNION ALL. { R = SQL_OP_UNION_ALL; }
compound_op(R) ::= EXCEPT. { R = SQL_OP_EXCEPT; }
compound_op(R) ::= INTERSECT. { R = SQL_OP_INTERSECT; }

core(R) ::= SELECT(A) distinct(D) results(L) from(F) where(W) group(G) having(H) windows(N).
    { R = sql_with_op(NODE(CORE, A, L, F, W, G, H, N), D); }
core(R) ::= VALUES(A) rows(L). { R = NODE(VALUES, A, L); }
core(R) ::= MACRO_CALL(A). [CORE_BY_MACRO] { R = sql_macro_make(p, A); }
%type distinct {enum sql_op}
distinct(R) ::= . { R = SQL_OP_NONE; }
distinct(R) ::= DISTINCT. { R = SQL_OP_DISTINCT; }
distinct(R) ::= ALL. { R = SQL_OP_ALL; }

results(R) ::= result(A). { R = sql_list_begin(p, SQL_LIST, A); }
results(R) ::= results(L) COMMA result(A). { R = sql_list_add(p, L, A); }
result(R) ::= expr(E) as(N). { R = NODE(RESULT, SQL_NOWHERE, E, N); }
result(R) ::= STAR(A) star_except(E) star_replace(C). { R = NODE(STAR, A, NULL, E, C); }
result(R) ::= nm(T) DOT STAR(A) star_except(E) star_replace(C). { R = NODE(STAR, A, T, E, C); }
result(R) ::= VARIABLE(T) DOT STAR(A). { R = NODE(STAR, A, LEAF(VARIABLE, T), NULL, NULL); }
// Pipelines' own. LEAVING is EXCEPT before a parenthesis, where no SELECT can follow.
star_except(R) ::= . { R = NULL; }
star_except(R) ::= LEAVING LP words(L) RP(B). { R = sql_covering(L, B, B); }
star_replace(R) ::= . { R = NULL; }
star_replace(R) ::= REPLACE LP results(L) RP(B). { R = sql_covering(L, B, B); }

rows(R) ::= row(A). { R = sql_list_begin(p, SQL_LIST, A); }
rows(R) ::= rows(L) COMMA row(A). { R = sql_list_add(p, L, A); }
row(R) ::= LP(A) exprs(L) RP(B). { R = NODE(PARENTHESES, sql_to(A, B), L); }

from(R) ::= . { R = NULL; }
from(R) ::= FROM joins(L). { R = L; }
joins(R) ::= source(S) on(O) using(U). { R = sql_list_begin(p, SQL_FROM, NODE(JOIN, SQL_NOWHERE, S, O, U)); }
joins(R) ::= joins(L) join(J) source(S) on(O) using(U).
    { R = sql_list_add(p, L, sql_with_ops(NODE(JOIN, SQL_NOWHERE, S, O, U), J)); }
joins(R) ::= joins(L) MACRO_CALL(A). { R = sql_list_add(p, L, NODE(JOIN, SQL_NOWHERE, sql_macro_make(p, A), NULL, NULL)); }
%type join {struct sql_two_ops}
join(R) ::= COMMA. { R = (struct sql_two_ops){SQL_OP_COMMA, SQL_OP_NONE}; }
join(R) ::= natural(N) join_kind(K). { R = (struct sql_two_ops){K, N}; }
%type natural {enum sql_op}
natural(R) ::= . { R = SQL_OP_NONE; }
natural(R) ::= NATURAL. { R = SQL_OP_NATURAL; }
%type join_kind {enum sql_op}
join_kind(R) ::= JOIN. { R = SQL_OP_JOIN; }
join_kind(R) ::= LEFT outer JOIN. { R = SQL_OP_LEFT_JOIN; }
join_kind(R) ::= RIGHT outer JOIN. { R = SQL_OP_RIGHT_JOIN; }
join_kind(R) ::= FULL outer JOIN. { R = SQL_OP_FULL_JOIN; }
join_kind(R) ::= INNER JOIN. { R = SQL_OP_INNER_JOIN; }
join_kind(R) ::= CROSS JOIN. { R = SQL_OP_CROSS_JOIN; }
%type outer {int}
outer(R) ::= . { R = 0; }
outer(R) ::= OUTER. { R = 1; }

source(R) ::= word(N) as(A) indexed(I). { R = NODE(TABLE, SQL_NOWHERE, NULL, N, NULL, A, I); }
source(R) ::= word(S) DOT word(N) as(A) indexed(I). { R = NODE(TABLE, SQL_NOWHERE, S, N, NULL, A, I); }
source(R) ::= word(N) LP(B) exprs_opt(L) RP(E) as(A).
    { R = NODE(TABLE, SQL_NOWHERE, NULL, N, sql_covering(L, B, E), A, NULL); }
source(R) ::= word(S) DOT word(N) LP(B) exprs_opt(L) RP(E) as(A).
    { R = NODE(TABLE, SQL_NOWHERE, S, N, sql_covering(L, B, E), A, NULL); }
source(R) ::= LP(B) select(S) RP(E) as(A). { R = NODE(TABLE_SELECT, sql_to(B, E), S, A); }
source(R) ::= LP(B) joins(L) RP(E) as(A). { R = NODE(TABLE_JOIN, sql_to(B, E), L, A); }
source(R) ::= MACRO_CALL(M) as(A). [TABLE_BY_MACRO] { R = NODE(TABLE_MACRO, SQL_NOWHERE, sql_macro_make(p, M), A); }
indexed(R) ::= . { R = NULL; }
indexed(R) ::= INDEXED(A) BY word(N). { R = NODE_OP(INDEXED, INDEXED_BY, A, N); }
indexed(R) ::= NOT(A) INDEXED(B). { R = NODE_OP(INDEXED, NOT_INDEXED, sql_to(A, B), NULL); }
on(R) ::= . { R = NULL; }
on(R) ::= ON expr(E). { R = E; }
using(R) ::= . { R = NULL; }
using(R) ::= USING in_parentheses(L). { R = L; }

where(R) ::= . { R = NULL; }
where(R) ::= WHERE expr(E). { R = E; }
group(R) ::= . { R = NULL; }
group(R) ::= GROUP BY exprs(L). { R = L; }
having(R) ::= . { R = NULL; }
having(R) ::= HAVING expr(E). { R = E; }
windows(R) ::= . { R = NULL; }
windows(R) ::= WINDOW window_names(L). { R = L; }
window_names(R) ::= window_name(A). { R = sql_list_begin(p, SQL_LIST, A); }
window_names(R) ::= window_names(L) COMMA window_name(A). { R = sql_list_add(p, L, A); }
window_name(R) ::= word(N) AS window(W). { R = NODE(WINDOW_NAME, SQL_NOWHERE, N, W); }

order_opt(R) ::= . { R = NULL; }
order_opt(R) ::= order(A). { R = A; }
order(R) ::= ORDER(A) BY terms(L). { R = sql_covering(L, A, A); }
terms(R) ::= term(A). { R = sql_list_begin(p, SQL_LIST, A); }
terms(R) ::= terms(L) COMMA term(A). { R = sql_list_add(p, L, A); }
term(R) ::= expr(E) direction(D) nulls(N).
    { R = sql_with_ops(NODE(ORDER_TERM, sql_to(D.span, N.span), E), (struct sql_two_ops){D.op, N.op}); }
%type direction {struct sql_word}
direction(R) ::= . { R = (struct sql_word){SQL_OP_NONE, SQL_NOWHERE}; }
direction(R) ::= ASC(A). { R = (struct sql_word){SQL_OP_ASC, A}; }
direction(R) ::= DESC(A). { R = (struct sql_word){SQL_OP_DESC, A}; }
%type nulls {struct sql_word}
nulls(R) ::= . { R = (struct sql_word){SQL_OP_NONE, SQL_NOWHERE}; }
nulls(R) ::= NULLS FIRST(A). { R = (struct sql_word){SQL_OP_NULLS_FIRST, A}; }
nulls(R) ::= NULLS LAST(A). { R = (struct sql_word){SQL_OP_NULLS_LAST, A}; }

limit(R) ::= . { R = NULL; }
limit(R) ::= LIMIT(A) expr(N). { R = NODE(LIMIT, A, N, NULL); }
limit(R) ::= LIMIT(A) expr(N) OFFSET expr(O). { R = NODE(LIMIT, A, N, O); }
limit(R) ::= LIMIT(A) expr(O) COMMA expr(N). { R = NODE(LIMIT, A, N, O); }

// ---- expressions ----

exprs(R) ::= expr(A). { R = sql_list_begin(p, SQL_LIST, A); }
exprs(R) ::= exprs(L) COMMA expr(A). { R = sql_list_add(p, L, A); }
exprs_opt(R) ::= . { R = sql_list_begin(p, SQL_LIST, NULL); }
exprs_opt(R) ::= exprs(L). { R = L; }

expr(R) ::= NUMBER(A). { R = LEAF(LITERAL, A); }
expr(R) ::= BLOB(A). { R = LEAF(LITERAL, A); }
expr(R) ::= STRING(A). { R = LEAF(LITERAL, A); }
expr(R) ::= NULL(A). { R = LEAF(LITERAL, A); }
expr(R) ::= VARIABLE(A). { R = LEAF(VARIABLE, A); }
expr(R) ::= HOLE(A). { R = LEAF(HOLE, A); }
expr(R) ::= MACRO_CALL(A). [EXPRESSION_BY_MACRO] { R = sql_macro_make(p, A); }
expr(R) ::= name(A). { R = NODE(COLUMN, SQL_NOWHERE, NULL, NULL, A); }
expr(R) ::= nm(T) DOT word(C). { R = NODE(COLUMN, SQL_NOWHERE, NULL, T, C); }
expr(R) ::= VARIABLE(T) DOT word(C). { R = NODE(COLUMN, SQL_NOWHERE, NULL, LEAF(VARIABLE, T), C); }
expr(R) ::= nm(T) DOT MACRO_CALL(C). { R = NODE(COLUMN, SQL_NOWHERE, NULL, T, sql_macro_make(p, C)); }
expr(R) ::= nm(S) DOT nm(T) DOT word(C). { R = NODE(COLUMN, SQL_NOWHERE, S, T, C); }

expr(R) ::= LP(A) exprs(L) RP(B). { R = NODE(PARENTHESES, sql_to(A, B), L); }
expr(R) ::= LP(A) select(S) RP(B). { R = NODE(SUBQUERY, sql_to(A, B), S); }
expr(R) ::= EXISTS(A) LP select(S) RP(B). { R = NODE(EXISTS, sql_to(A, B), S); }
expr(R) ::= CAST(A) LP expr(E) AS type(T) RP(B). { R = NODE(CAST, sql_to(A, B), E, T); }
expr(R) ::= CASE(A) case_base(C) whens(W) case_else(E) END(B). { R = NODE(CASE, sql_to(A, B), C, W, E); }
case_base(R) ::= . { R = NULL; }
case_base(R) ::= expr(E). { R = E; }
whens(R) ::= when(A). { R = sql_list_begin(p, SQL_WHENS, A); }
whens(R) ::= whens(L) when(A). { R = sql_list_add(p, L, A); }
when(R) ::= WHEN(A) expr(C) THEN expr(V). { R = NODE(WHEN, A, C, V); }
case_else(R) ::= . { R = NULL; }
case_else(R) ::= ELSE expr(E). { R = E; }

type(R) ::= type_words(A). { R = LEAF(TOKENS, A); }
type(R) ::= type_words(A) LP signed RP(B). { R = LEAF(TOKENS, sql_to(A, B)); }
type(R) ::= type_words(A) LP signed COMMA signed RP(B). { R = LEAF(TOKENS, sql_to(A, B)); }
type(R) ::= VARIABLE(A). { R = LEAF(VARIABLE, A); }
%type type_words {struct sql_span}
type_words(R) ::= ID(A). { R = A; }
type_words(R) ::= STRING(A). { R = A; }
type_words(R) ::= HOLE_NAME(A). { R = A; }
type_words(R) ::= type_words(A) ID(B). { R = sql_to(A, B); }
%type signed {int}
signed(R) ::= NUMBER. { R = 0; }
signed(R) ::= PLUS NUMBER. { R = 0; }
signed(R) ::= MINUS NUMBER. { R = 0; }

expr(R) ::= call(A). { R = A; }
call(R) ::= callee(N) LP distinct(D) exprs_opt(L) order_opt(O) RP(B) filter(F) over(V).
    { R = sql_with_op(NODE(CALL, B, N, L, O, F, V), D); }
call(R) ::= callee(N) LP STAR(S) RP(B) filter(F) over(V).
    { R = NODE(CALL, B, N, sql_list_begin(p, SQL_LIST, NODE(STAR, S, NULL, NULL, NULL)), NULL, F, V); }
callee(R) ::= ID(A). { R = LEAF(NAME, A); }
callee(R) ::= VARIABLE(A). { R = LEAF(VARIABLE, A); }
filter(R) ::= . { R = NULL; }
filter(R) ::= FILTER(A) LP WHERE expr(E) RP(B). { R = NODE(FILTER, sql_to(A, B), E); }
over(R) ::= . { R = NULL; }
over(R) ::= OVER word(A). { R = A; }
over(R) ::= OVER window(A). { R = A; }
// Each begins with a word of its own, as a window's name may be any that the grammar has no other place for.
window(R) ::= LP(A) window_inside(W) RP(B). { R = sql_covering(W, A, B); }
window_inside(R) ::= window_parts(A). { R = A; }
window_inside(R) ::= ID(N) window_parts(A). { R = sql_with_part(A, WINDOW_BASE, LEAF(NAME, N)); }
window_parts(R) ::= PARTITION(A) BY exprs(P) order_opt(O) frame(F). { R = NODE(WINDOW, A, NULL, P, O, F); }
window_parts(R) ::= order(O) frame(F). { R = NODE(WINDOW, SQL_NOWHERE, NULL, NULL, O, F); }
window_parts(R) ::= frame(F). { R = NODE(WINDOW, SQL_NOWHERE, NULL, NULL, NULL, F); }
frame(R) ::= . { R = NULL; }
frame(R) ::= frame_unit(U) bounds(B) exclude(E).
    { R = sql_with_ops(NODE(FRAME, E.span, B), (struct sql_two_ops){U, E.op}); }
%type frame_unit {enum sql_op}
frame_unit(R) ::= RANGE. { R = SQL_OP_RANGE; }
frame_unit(R) ::= ROWS. { R = SQL_OP_ROWS; }
frame_unit(R) ::= GROUPS. { R = SQL_OP_GROUPS; }
bounds(R) ::= bound(A). { R = A; }
bounds(R) ::= BETWEEN(S) bound(A) AND bound(B). { R = NODE(BETWEEN_BOUNDS, S, A, B); }
bound(R) ::= UNBOUNDED(A) PRECEDING(B). { R = NODE_OP(BOUND, UNBOUNDED_PRECEDING, sql_to(A, B), NULL); }
bound(R) ::= UNBOUNDED(A) FOLLOWING(B). { R = NODE_OP(BOUND, UNBOUNDED_FOLLOWING, sql_to(A, B), NULL); }
bound(R) ::= CURRENT(A) ROW(B). { R = NODE_OP(BOUND, CURRENT_ROW, sql_to(A, B), NULL); }
bound(R) ::= expr(E) PRECEDING(B). { R = NODE_OP(BOUND, PRECEDING, B, E); }
bound(R) ::= expr(E) FOLLOWING(B). { R = NODE_OP(BOUND, FOLLOWING, B, E); }
%type exclude {struct sql_word}
exclude(R) ::= . { R = (struct sql_word){SQL_OP_NONE, SQL_NOWHERE}; }
exclude(R) ::= EXCLUDE NO OTHERS(A). { R = (struct sql_word){SQL_OP_EXCLUDE_NO_OTHERS, A}; }
exclude(R) ::= EXCLUDE CURRENT ROW(A). { R = (struct sql_word){SQL_OP_EXCLUDE_CURRENT_ROW, A}; }
exclude(R) ::= EXCLUDE GROUP(A). { R = (struct sql_word){SQL_OP_EXCLUDE_GROUP, A}; }
exclude(R) ::= EXCLUDE TIES(A). { R = (struct sql_word){SQL_OP_EXCLUDE_TIES, A}; }

expr(R) ::= expr(E) COLLATE(A) word(N). { R = NODE_OP(BINARY, COLLATE, A, E, N); }
expr(R) ::= NOT(A) expr(E). { R = NODE_OP(UNARY, NOT, A, E); }
expr(R) ::= TILDE(A) expr(E). { R = NODE_OP(UNARY, BIT_NOT, A, E); }
expr(R) ::= PLUS(A) expr(E). [TILDE] { R = NODE_OP(UNARY, ADD, A, E); }
expr(R) ::= MINUS(A) expr(E). [TILDE] { R = NODE_OP(UNARY, SUBTRACT, A, E); }
expr(R) ::= expr(E) ISNULL(A). { R = NODE_OP(POSTFIX, ISNULL, A, E); }
expr(R) ::= expr(E) NOTNULL(A). { R = NODE_OP(POSTFIX, NOTNULL, A, E); }
expr(R) ::= expr(E) NOT NULL(A). { R = NODE_OP(POSTFIX, NOTNULL, A, E); }

expr(R) ::= expr(A) OR(O) expr(B). { R = NODE_OP(BINARY, OR, O, A, B); }
expr(R) ::= expr(A) AND(O) expr(B). { R = NODE_OP(BINARY, AND, O, A, B); }
expr(R) ::= expr(A) EQ(O) expr(B). { R = NODE_OP(BINARY, EQ, O, A, B); }
expr(R) ::= expr(A) NE(O) expr(B). { R = NODE_OP(BINARY, NE, O, A, B); }
expr(R) ::= expr(A) LT(O) expr(B). { R = NODE_OP(BINARY, LT, O, A, B); }
expr(R) ::= expr(A) LE(O) expr(B). { R = NODE_OP(BINARY, LE, O, A, B); }
expr(R) ::= expr(A) GT(O) expr(B). { R = NODE_OP(BINARY, GT, O, A, B); }
expr(R) ::= expr(A) GE(O) expr(B). { R = NODE_OP(BINARY, GE, O, A, B); }
expr(R) ::= expr(A) AMPERSAND(O) expr(B). { R = NODE_OP(BINARY, BIT_AND, O, A, B); }
expr(R) ::= expr(A) BAR(O) expr(B). { R = NODE_OP(BINARY, BIT_OR, O, A, B); }
expr(R) ::= expr(A) LEFT_SHIFT(O) expr(B). { R = NODE_OP(BINARY, LEFT_SHIFT, O, A, B); }
expr(R) ::= expr(A) RIGHT_SHIFT(O) expr(B). { R = NODE_OP(BINARY, RIGHT_SHIFT, O, A, B); }
expr(R) ::= expr(A) PLUS(O) expr(B). { R = NODE_OP(BINARY, ADD, O, A, B); }
expr(R) ::= expr(A) MINUS(O) expr(B). { R = NODE_OP(BINARY, SUBTRACT, O, A, B); }
expr(R) ::= expr(A) STAR(O) expr(B). { R = NODE_OP(BINARY, MULTIPLY, O, A, B); }
expr(R) ::= expr(A) SLASH(O) expr(B). { R = NODE_OP(BINARY, DIVIDE, O, A, B); }
expr(R) ::= expr(A) PERCENT(O) expr(B). { R = NODE_OP(BINARY, REMAINDER, O, A, B); }
expr(R) ::= expr(A) CONCAT(O) expr(B). { R = NODE_OP(BINARY, CONCAT, O, A, B); }
expr(R) ::= expr(A) ARROW(O) expr(B). { R = NODE_OP(BINARY, JSON_AT, O, A, B); }
expr(R) ::= expr(A) LONG_ARROW(O) expr(B). { R = NODE_OP(BINARY, JSON_VALUE_AT, O, A, B); }
expr(R) ::= expr(A) IS(O) expr(B). { R = NODE_OP(BINARY, IS, O, A, B); }
expr(R) ::= expr(A) IS(O) NOT expr(B). [IS] { R = NODE_OP(BINARY, IS_NOT, O, A, B); }
expr(R) ::= expr(A) IS(O) DISTINCT FROM expr(B). [IS] { R = NODE_OP(BINARY, DISTINCT_FROM, O, A, B); }
expr(R) ::= expr(A) IS(O) NOT DISTINCT FROM expr(B). [IS] { R = NODE_OP(BINARY, NOT_DISTINCT_FROM, O, A, B); }

%type like {enum sql_op}
like(R) ::= LIKE. { R = SQL_OP_LIKE; }
like(R) ::= GLOB. { R = SQL_OP_GLOB; }
like(R) ::= REGEXP. { R = SQL_OP_REGEXP; }
like(R) ::= MATCH. { R = SQL_OP_MATCH; }
like(R) ::= NOT LIKE. { R = SQL_OP_NOT_LIKE; }
like(R) ::= NOT GLOB. { R = SQL_OP_NOT_GLOB; }
like(R) ::= NOT REGEXP. { R = SQL_OP_NOT_REGEXP; }
like(R) ::= NOT MATCH. { R = SQL_OP_NOT_MATCH; }
expr(R) ::= expr(A) like(O) expr(B). [LIKE] { R = sql_with_op(NODE(LIKE, SQL_NOWHERE, A, B, NULL), O); }
expr(R) ::= expr(A) like(O) expr(B) ESCAPE expr(E). [LIKE] { R = sql_with_op(NODE(LIKE, SQL_NOWHERE, A, B, E), O); }

%type between {enum sql_op}
between(R) ::= BETWEEN. { R = SQL_OP_BETWEEN; }
between(R) ::= NOT BETWEEN. { R = SQL_OP_NOT_BETWEEN; }
expr(R) ::= expr(A) between(O) expr(B) AND expr(C). [BETWEEN]
    { R = sql_with_op(NODE(BETWEEN, SQL_NOWHERE, A, B, C), O); }

%type in {enum sql_op}
in(R) ::= IN. { R = SQL_OP_IN; }
in(R) ::= NOT IN. { R = SQL_OP_NOT_IN; }
expr(R) ::= expr(A) in(O) set(B). [IN] { R = sql_with_op(NODE(IN, SQL_NOWHERE, A, B), O); }
set(R) ::= LP(A) exprs_opt(L) RP(B). { R = NODE(PARENTHESES, sql_to(A, B), L); }
set(R) ::= LP(A) select(S) RP(B). { R = NODE(SUBQUERY, sql_to(A, B), S); }
set(R) ::= word(N). { R = NODE(TABLE, SQL_NOWHERE, NULL, N, NULL, NULL, NULL); }
set(R) ::= word(S) DOT word(N). { R = NODE(TABLE, SQL_NOWHERE, S, N, NULL, NULL, NULL); }
set(R) ::= word(N) LP(A) exprs_opt(L) RP(B). { R = NODE(TABLE, SQL_NOWHERE, NULL, N, sql_covering(L, A, B), NULL, NULL); }
set(R) ::= MACRO_CALL(A). { R = sql_macro_make(p, A); }

// ---- pipelines ----

pipeline(R) ::= pipe_source(S) stages(L). { R = NODE(PIPELINE, SQL_NOWHERE, S, L); }
pipeline(R) ::= pipe_source(S). { R = NODE(PIPELINE, SQL_NOWHERE, S, NULL); }
pipe_source(R) ::= FROM(A) source(S). { R = NODE(PIPE_FROM, A, S); }
pipe_source(R) ::= INTERVAL(A) INTERSECTION OF LP sources(L) RP(B) per(P). { R = NODE(INTERSECTION, sql_to(A, B), L, P); }
sources(R) ::= source(A). { R = sql_list_begin(p, SQL_LIST, A); }
sources(R) ::= sources(L) COMMA source(A). { R = sql_list_add(p, L, A); }
per(R) ::= . { R = NULL; }
per(R) ::= PER words(L). { R = L; }
stages(R) ::= stage(A). { R = sql_list_begin(p, SQL_STAGES, A); }
stages(R) ::= stages(L) stage(A). { R = sql_list_add(p, L, A); }
stage(R) ::= PIPE(A) SELECT results(L). { R = NODE_OP(STAGE, SELECT, A, L, NULL, NULL, NULL); }
stage(R) ::= PIPE(A) EXTEND results(L). { R = NODE_OP(STAGE, EXTEND, A, L, NULL, NULL, NULL); }
stage(R) ::= PIPE(A) DROP words(L). { R = NODE_OP(STAGE, DROP, A, L, NULL, NULL, NULL); }
stage(R) ::= PIPE(A) RENAME results(L). { R = NODE_OP(STAGE, RENAME, A, L, NULL, NULL, NULL); }
stage(R) ::= PIPE(A) SET assignments(L). { R = NODE_OP(STAGE, SET, A, L, NULL, NULL, NULL); }
stage(R) ::= PIPE(A) AS word(N). { R = NODE_OP(STAGE, AS, A, N, NULL, NULL, NULL); }
stage(R) ::= PIPE(A) WHERE expr(E). { R = NODE_OP(STAGE, WHERE, A, E, NULL, NULL, NULL); }
stage(R) ::= PIPE(A) ORDER BY terms(L). { R = NODE_OP(STAGE, ORDER_BY, A, L, NULL, NULL, NULL); }
stage(R) ::= PIPE(A) AGGREGATE results(L) pipe_keys(K). { R = NODE_OP(STAGE, AGGREGATE, A, L, NULL, NULL, K); }
stage(R) ::= PIPE(A) TREE ACCUMULATE tree_way(W) results(L).
    { R = sql_with_ops(NODE(STAGE, A, L, NULL, NULL, NULL), (struct sql_two_ops){SQL_OP_TREE_ACCUMULATE, W}); }
stage(R) ::= PIPE(A) INTERVAL FLATTEN per(P) AGGREGATE results(L).
    { R = NODE_OP(STAGE, INTERVAL_FLATTEN, A, NULL, P, L, NULL); }
pipe_keys(R) ::= . { R = NULL; }
pipe_keys(R) ::= GROUP BY results(L). { R = L; }
%type tree_way {enum sql_op}
tree_way(R) ::= UP. { R = SQL_OP_UP; }
tree_way(R) ::= DOWN. { R = SQL_OP_DOWN; }
assignments(R) ::= assignment(A). { R = sql_list_begin(p, SQL_LIST, A); }
assignments(R) ::= assignments(L) COMMA assignment(A). { R = sql_list_add(p, L, A); }
assignment(R) ::= word(N) EQ expr(E). { R = NODE(ASSIGN, SQL_NOWHERE, N, E); }

// ---- statements ----

statement(R) ::= . { R = NULL; }
statement(R) ::= select(A). { R = A; }
statement(R) ::= EXPLAIN(A) explained(S). { R = NODE_OP(EXPLAIN, EXPLAIN, A, S); }
statement(R) ::= EXPLAIN(A) QUERY PLAN explained(S). { R = NODE_OP(EXPLAIN, QUERY_PLAN, A, S); }
explained(R) ::= select(A). { R = A; }
explained(R) ::= change(A). { R = A; }
explained(R) ::= plain_create(A). { R = A; }
statement(R) ::= OTHER(A). { R = LEAF(OTHER, A); }

statement(R) ::= INCLUDE(A) PERFETTO MODULE REST(B). { R = NODE(INCLUDE, A, LEAF(TOKENS, B)); }
statement(R) ::= PERFETTO(A) PRAGMA word(N) EQ expr(E). { R = NODE(PRAGMA, A, N, E); }
statement(R) ::= CREATE(A) or_replace(O) PERFETTO TABLE word(N) declared_opt(C) using_dataframe(U) AS made_by(S).
    { R = sql_with_op(NODE(CREATE_TABLE, A, N, C, U, S), O); }
statement(R) ::= CREATE(A) or_replace(O) PERFETTO VIEW word(N) declared_opt(C) AS made_by(S).
    { R = sql_with_op(NODE(CREATE_VIEW, A, N, C, S), O); }
statement(R) ::= CREATE(A) or_replace(O) PERFETTO FUNCTION word(N) declared_list(C) RETURNS returns(T) AS made_by(B).
    { R = sql_with_op(NODE(CREATE_FUNCTION, A, N, C, T, B, NULL), O); }
statement(R) ::= CREATE(A) or_replace(O) PERFETTO FUNCTION word(N) declared_list(C) RETURNS returns(T) DELEGATES TO word(B).
    { R = sql_with_op(NODE(CREATE_FUNCTION, A, N, C, T, NULL, B), O); }
statement(R) ::= CREATE(A) or_replace(O) PERFETTO MACRO word(N) declared_list(C) RETURNS word(T) AS REST(B).
    { R = sql_with_op(NODE(CREATE_MACRO, A, N, C, T, LEAF(TOKENS, B)), O); }
statement(R) ::= CREATE(A) or_replace(O) PERFETTO INDEX word(N) ON word(T) in_parentheses(C).
    { R = sql_with_op(NODE(CREATE_INDEX, A, N, T, C), O); }
statement(R) ::= DROP(A) PERFETTO INDEX word(N) ON word(T). { R = NODE(DROP_INDEX, A, N, T); }
%type or_replace {enum sql_op}
or_replace(R) ::= . { R = SQL_OP_NONE; }
or_replace(R) ::= OR REPLACE. { R = SQL_OP_OR_REPLACE; }
using_dataframe(R) ::= . { R = NULL; }
using_dataframe(R) ::= USING DATAFRAME(A). { R = LEAF(NAME, A); }
// BODY is all of it where only the head is looked at.
made_by(R) ::= select(A). { R = A; }
made_by(R) ::= BODY(A). { R = LEAF(TOKENS, A); }
returns(R) ::= declared_type(A). { R = A; }
returns(R) ::= TABLE(A) declared_list(L). { R = NODE(RETURNS_TABLE, A, L); }
declared_opt(R) ::= . { R = NULL; }
declared_opt(R) ::= declared_list(L). { R = L; }
declared_list(R) ::= LP(A) RP(B). { R = sql_covering(sql_list_begin(p, SQL_LIST, NULL), A, B); }
declared_list(R) ::= LP(A) declareds(L) RP(B). { R = sql_covering(L, A, B); }
// One without a mistake, which the parser finds at once: they are most of what heads are made of.
declared_list(R) ::= DECLARED(A). { R = sql_declared_make(p, A); }
declareds(R) ::= declared(A). { R = sql_list_begin(p, SQL_LIST, A); }
declareds(R) ::= declareds(L) COMMA declared(A). { R = sql_list_add(p, L, A); }
declared(R) ::= word(N) declared_type(T). { R = NODE(DECLARED, SQL_NOWHERE, N, T); }
declared_type(R) ::= ID(A). { R = LEAF(TOKENS, A); }
declared_type(R) ::= HOLE_NAME(A). { R = LEAF(HOLE, A); }
declared_type(R) ::= ID(A) ELLIPSIS(B). { R = LEAF(TOKENS, sql_to(A, B)); }
declared_type(R) ::= ID(A) LP RP(B). { R = LEAF(TOKENS, sql_to(A, B)); }
declared_type(R) ::= ID(A) LP ID DOT ID RP(B). { R = LEAF(TOKENS, sql_to(A, B)); }

statement(R) ::= plain_create(A). { R = A; }
plain_create(R) ::= CREATE(A) temp(T) TABLE if_not_exists(I) plain_name(N) names_opt(C) AS select(S).
    { R = sql_with_ops(NODE(PLAIN_CREATE, A, I, N, C, S), (struct sql_two_ops){SQL_OP_TABLE, T}); }
plain_create(R) ::= CREATE(A) temp(T) VIEW if_not_exists(I) plain_name(N) names_opt(C) AS select(S).
    { R = sql_with_ops(NODE(PLAIN_CREATE, A, I, N, C, S), (struct sql_two_ops){SQL_OP_VIEW, T}); }
statement(R) ::= CREATE(A) temp(T) TABLE if_not_exists(I) plain_name(N) RAW(C).
    { R = sql_with_ops(NODE(PLAIN_TABLE, A, I, N, sql_raw_make(p, C), NULL), (struct sql_two_ops){SQL_OP_NONE, T}); }
statement(R) ::= CREATE(A) VIRTUAL TABLE if_not_exists(I) plain_name(N) USING word(M).
    { R = NODE(VIRTUAL_TABLE, A, I, N, M, NULL); }
statement(R) ::= CREATE(A) VIRTUAL TABLE if_not_exists(I) plain_name(N) USING word(M) RAW(C).
    { R = NODE(VIRTUAL_TABLE, A, I, N, M, sql_raw_make(p, C)); }
statement(R) ::= DROP(A) droppable(K) IF(I) EXISTS(E) plain_name(N).
    { (void)I; (void)E; R = sql_with_ops(NODE(DROP, A, N), (struct sql_two_ops){K, SQL_OP_IF_EXISTS}); }
statement(R) ::= DROP(A) droppable(K) plain_name(N). { R = sql_with_op(NODE(DROP, A, N), K); }
%type droppable {enum sql_op}
droppable(R) ::= TABLE. { R = SQL_OP_TABLE; }
droppable(R) ::= VIEW. { R = SQL_OP_VIEW; }
droppable(R) ::= INDEX. { R = SQL_OP_INDEX; }
droppable(R) ::= TRIGGER. { R = SQL_OP_TRIGGER; }
%type temp {enum sql_op}
temp(R) ::= . { R = SQL_OP_NONE; }
temp(R) ::= TEMP. { R = SQL_OP_TEMP; }
if_not_exists(R) ::= . { R = NULL; }
if_not_exists(R) ::= IF(A) NOT EXISTS(B). { R = LEAF(TOKENS, sql_to(A, B)); }
plain_name(R) ::= word(A). { R = A; }
plain_name(R) ::= word(A) DOT word(B). { R = NODE(COLUMN, SQL_NOWHERE, NULL, A, B); }

statement(R) ::= change(A). { R = A; }
change(R) ::= with_opt(W) inserting(O) INTO(A) plain_name(N) names_opt(C) select(S).
    { R = sql_with_op(NODE(INSERT, A, W, N, C, S), O); }
change(R) ::= with_opt(W) DELETE(A) FROM plain_name(N) where(C). { R = NODE(DELETE, A, W, N, C); }
change(R) ::= with_opt(W) UPDATE(A) plain_name(N) SET assignments(L) from(F) where(C). { R = NODE(UPDATE, A, W, N, L, F, C); }
%type inserting {enum sql_op}
inserting(R) ::= INSERT. { R = SQL_OP_INSERT; }
inserting(R) ::= INSERT OR REPLACE. { R = SQL_OP_INSERT_OR_REPLACE; }
inserting(R) ::= INSERT OR IGNORE. { R = SQL_OP_INSERT_OR_IGNORE; }
inserting(R) ::= REPLACE. { R = SQL_OP_REPLACE; }
