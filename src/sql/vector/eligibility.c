#include "sql/vector/eligibility.h"

#include "sql/engine/row_finder.h"
#include "sql/tables/shown_table.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/refusal.h"
#include "sql/batches/memory.h"

/* SQLite's parser has room for 100 symbols, of which a level of parentheses or CASEs takes up to
 * eight: whether more levels are an error is its to say. */
enum { VIEWS_DEEP = 12, LESS_WON = 4, LEVELS_MAX = 12 };

struct eligibility {
    struct sql_session *session;
    const struct vector_environment *environment;
    struct plan *plan; /* NULL: names of tables are not looked at */
    const struct token *tokens;
    const struct sql_node *with; /* the statement's, or NULL */
    uint32_t depth;              /* of views in each other */
    uint32_t rows;               /* the most so far */
    bool
        in_with; /* whose SELECTs decide nothing but by their tables: they may not be read at all */
    bool hopeless; /* the binder refuses it wherever it stands */
    bool works;    /* there is what does more with rows than to filter and compute: every statement
                      that is run over columns and makes no table has such */
    bool lacks;    /* a table or view that is read */
};

static struct token token_of(const struct eligibility *l, const struct sql_node *n)
{
    return l->tokens[n->span.first];
}

static void look_at(struct eligibility *l, const struct sql_node *n);

/* A name that only a WITH has: asking the schema for it would take long. */
static bool is_of_with(const struct eligibility *l, struct str name)
{
    bool is = false;
    for (uint32_t i = 0; l->with && !is && i < l->with->part[0]->count; i++) {
        const struct sql_node *t = l->with->part[0]->part[i];
        is = t->kind == SQL_WITH_TABLE &&
             same_name(token_name(token_of(l, t->part[WITH_TABLE_NAME])), name);
    }
    if (is)
        names_refresh(l->plan);
    return is && !shown_table_find(l->plan->session, name) &&
           !vector_memory_definition(l->plan->session, name);
}

static void look_at_view(struct eligibility *l, const struct view_select *view)
{
    l->tokens = view->tokens;
    if (l->depth > VIEWS_DEEP)
        l->rows = UINT32_MAX;
    else
        look_at(l, view->select);
}

static void look_at_name(struct eligibility *l, struct str name);

static void look_at_spans(struct eligibility *l, const struct span_source *spans)
{
    if (l->depth > VIEWS_DEEP)
        l->rows = UINT32_MAX;
    for (int i = 0; i < SPAN_SIDES && l->depth <= VIEWS_DEEP; i++)
        look_at_name(l, str_from(spans->sides[i].table));
}

/* What a table or view is, is found out once, unless something that it reads is not there. */
static struct eligibility look_at_relation(const struct eligibility *l, struct str name)
{
    struct eligibility inner = {.session = l->session,
                                .environment = l->environment,
                                .plan = l->plan,
                                .depth = l->depth + 1};
    struct named_relation found = {.table = shown_table_find(l->plan->session, name)};
    if (found.table)
        return (struct eligibility){.rows = found.table->table->table->rows};
    names_refresh(l->plan);
    const struct known_name *known = vector_memory_known(l->plan->session, name);
    bool asks = l->environment->refusal; /* what is in the view */
    if (known && known->looked && !(known->hopeless && asks))
        return (struct eligibility){.rows = known->rows, .hopeless = known->hopeless};
    inner.lacks = !names_find(l->plan, name, &found);
    if (found.view)
        look_at_view(&inner, found.view);
    else if (found.spans)
        look_at_spans(&inner, found.spans);
    else if (found.table)
        inner.rows = found.table->table->table->rows;
    struct known_name *kept = vector_memory_known(l->plan->session, name);
    if (kept && !inner.lacks)
        kept->looked = true, kept->hopeless = inner.hopeless, kept->rows = inner.rows;
    return inner;
}

static void look_at_name(struct eligibility *l, struct str name)
{
    if (is_of_with(l, name))
        return;
    struct eligibility inner = look_at_relation(l, name);
    l->rows = inner.rows > l->rows ? inner.rows : l->rows;
    l->hopeless |= inner.hopeless;
    l->lacks |= inner.lacks;
}

/* ancestor_slice(id) */
static const struct row_function *function_of(const struct eligibility *l, const struct sql_node *n)
{
    return row_function_find(token_name(token_of(l, n->part[TABLE_NAME])));
}

static bool is_of_operator(const struct eligibility *l, const struct sql_node *n)
{
    return bind_is_table_of_operator(token_name(token_of(l, n->part[TABLE_NAME])));
}

static bool is_known_call(const struct eligibility *l, const struct sql_node *n)
{
    struct str name = token_of(l, n).text;
    bool is_aggregate;
    return bind_knows_call(name, &is_aggregate) || bind_is_operators(l->session, name) ||
           l->environment->find_function(l->session, name, n->part[CALL_ARGUMENTS]->count);
}

/* Whether the node is none of any SELECT over columns, whatever stands around it. */
static bool is_hopeless(const struct eligibility *l, const struct sql_node *n)
{
    switch (n->kind) {
    case SQL_VARIABLE:
    case SQL_VALUES:
        return true;
    case SQL_ARM:
        return n->op != SQL_OP_NONE && n->op != SQL_OP_UNION_ALL;
    case SQL_CORE:
        return n->op != SQL_OP_NONE;
    case SQL_CALL:
        return !is_known_call(l, n);
    case SQL_TABLE:
        return n->part[TABLE_SCHEMA] ||
               (n->part[TABLE_ARGUMENTS] && !function_of(l, n) && !is_of_operator(l, n));
    default:
        return false;
    }
}

static bool works(const struct eligibility *l, const struct sql_node *n)
{
    if (n->kind == SQL_CALL)
        return n->part[CALL_OVER] || vector_is_aggregate(token_of(l, n).text);
    return n->kind == SQL_EXISTS || (n->kind == SQL_CORE && n->part[CORE_GROUP]) ||
           (n->kind == SQL_SELECT && n->part[SELECT_ORDER]);
}

static bool look_at_node(void *self, const struct sql_node *n)
{
    struct eligibility *l = self;
    if (!l->in_with) {
        if (is_hopeless(l, n)) {
            l->hopeless = true;
            refusal_of_node(l->environment, l->tokens, n);
        }
        l->works |= works(l, n);
    }
    bool named = n->kind == SQL_TABLE && !n->part[TABLE_ARGUMENTS];
    if (named && l->plan && !l->hopeless)
        look_at_name(l, token_name(token_of(l, n->part[TABLE_NAME])));
    if (l->lacks)
        refusal_of_node(l->environment, l->tokens, n); /* one whose rows are made when read */
    return !l->hopeless;
}

static void look_at(struct eligibility *l, const struct sql_node *n)
{
    sql_visit(n, look_at_node, l);
}

bool eligible_by_tree(struct sql_session *s, const struct vector_environment *environment,
                      const struct vector_text *text)
{
    struct eligibility l = {.session = s, .environment = environment, .tokens = text->tokens};
    struct sql_node without = *text->select, *parts[SELECT_LIMIT + 1] = {0};
    if (text->select->kind != SQL_SELECT)
        return false;
    for (int i = SELECT_BODY; i <= SELECT_LIMIT; i++)
        parts[i] = text->select->part[i];
    without.part = parts;
    look_at(&l, &without);
    if (!l.hopeless && !environment->builds && !l.works)
        refusal_because(environment, refusal_only_filters);
    return !l.hopeless && (environment->builds || l.works);
}

bool eligible_by_tables(struct plan *p, const struct vector_environment *environment,
                        const struct vector_text *text)
{
    const struct sql_node *own = text->select->part[SELECT_WITH];
    struct eligibility l = {.session = p->session,
                            .environment = environment,
                            .plan = p,
                            .tokens = text->tokens,
                            .with = own ? own : text->with};
    l.in_with = true;
    for (uint32_t i = 0; l.with && i < (own ? own->part[0]->count : text->seen); i++)
        look_at(&l, l.with->part[0]->part[i]);
    l.in_with = false;
    for (int i = SELECT_BODY; i <= SELECT_LIMIT; i++)
        look_at(&l, text->select->part[i]);
    /* Of a part plans are compared, and what only computes is not much faster. */
    bool wins_less = environment->is_part || !l.works;
    uint64_t least = (uint64_t)environment->least_rows * (wins_less ? LESS_WON : 1);
    if (!l.hopeless && l.rows < least)
        refusal_because(environment, refusal_few_rows);
    return !l.hopeless && l.rows >= least;
}

static uint32_t levels_of(const struct sql_node *n)
{
    static const bool opens[SQL_NODE_KIND_COUNT] = {
        [SQL_CALL] = true,         [SQL_FILTER] = true,      [SQL_EXISTS] = true,
        [SQL_SUBQUERY] = true,     [SQL_PARENTHESES] = true, [SQL_WINDOW] = true,
        [SQL_CASE] = true,         [SQL_CAST] = true,        [SQL_WITH_TABLE] = true,
        [SQL_TABLE_SELECT] = true, [SQL_TABLE_JOIN] = true,
    };
    uint32_t most = 0;
    for (uint32_t i = 0; i < n->count; i++) {
        uint32_t levels = n->part[i] ? levels_of(n->part[i]) : 0;
        most = levels > most ? levels : most;
    }
    return most + opens[n->kind];
}

bool eligible_is_too_deep(const struct sql_node *select)
{
    return levels_of(select) > LEVELS_MAX;
}
