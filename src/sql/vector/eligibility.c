#include "sql/vector/eligibility.h"

#include "sql/engine/shown_table.h"
#include "sql/engine/sql_table.h"
#include "sql/tokens/keywords.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/memory.h"

/* Each name in a FROM is looked for in all of the WITH; one that is longer is SQLite's. */
enum { VIEWS_DEEP = 12, WITH_WORDS_MAX = 8192, LESS_WON = 4 };

struct eligibility {
    struct plan *plan;
    const struct words *words;
    uint32_t main;    /* where the SELECT behind a WITH begins, or 0 */
    uint32_t depth;   /* of views in each other */
    bool builds;      /* a table */
    uint32_t levels;  /* of parentheses in these words */
    uint64_t in_from; /* a bit each level: names stand for tables */
    uint32_t rows;    /* the most so far */
    bool hopeless;
    bool works; /* has a word of those that do more with rows than to filter and compute */
    bool names; /* are looked at, after all other words */
    bool lacks; /* a table or view that is read */
};

/* What a word says of a statement, whatever stands around it. */
enum {
    WORD_FROM = 1,
    WORD_JOIN = 2,
    WORD_SELECT = 4,
    WORD_DISTINCT = 8,
    WORD_ENDS_FROM = 16,
    WORD_HOPELESS = 32, /* bind_select.c and bind_expression.c refuse it wherever it stands */
    WORD_UNION = 64,
    WORD_ALL = 128,
    WORD_WORKS = 256 /* every statement that is run over columns and makes no table has one */
};

struct known_word {
    const char *word;
    int says;
};

static const struct known_word known_words[26][3] = {
    ['A' - 'A'] = {{"ALL", WORD_ALL}},
    ['D' - 'A'] = {{"DISTINCT", WORD_DISTINCT}},
    ['E' - 'A'] = {{"EXCEPT", WORD_HOPELESS}, {"EXISTS", WORD_WORKS}},
    ['F' - 'A'] = {{"FROM", WORD_FROM}},
    ['G' - 'A'] = {{"GROUP", WORD_ENDS_FROM | WORD_WORKS}},
    ['H' - 'A'] = {{"HAVING", WORD_ENDS_FROM}},
    ['I' - 'A'] = {{"INTERSECT", WORD_HOPELESS}},
    ['J' - 'A'] = {{"JOIN", WORD_JOIN}},
    ['L' - 'A'] = {{"LIMIT", WORD_ENDS_FROM}},
    ['O' - 'A'] = {{"ORDER", WORD_ENDS_FROM | WORD_WORKS}, {"OVER", WORD_WORKS}},
    ['S' - 'A'] = {{"SELECT", WORD_SELECT | WORD_ENDS_FROM}},
    ['U' - 'A'] = {{"UNION", WORD_UNION}},
    ['W' - 'A'] = {{"WHERE", WORD_ENDS_FROM}},
};

static int word_says(const struct token *t)
{
    if (t->kind == TOKEN_VARIABLE)
        return WORD_HOPELESS;
    unsigned letter = t->kind == TOKEN_WORD ? (t->text.p[0] & ~0x20U) - 'A' : 26;
    for (const struct known_word *k = letter < 26 ? known_words[letter] : NULL; k && k->word; k++)
        if (token_is_word(*t, k->word))
            return k->says;
    return 0;
}

static bool is_hopeless(int before, int says)
{
    return says & WORD_HOPELESS || (before & WORD_SELECT && says & WORD_DISTINCT) ||
           (before & WORD_UNION && !(says & WORD_ALL));
}

/* What a word says of a call, where `next` opens one: there is no such function here, or it is an
 * aggregate. */
static int call_says(struct token t, struct token next)
{
    bool is_aggregate;
    if (t.kind != TOKEN_WORD || !token_is(next, '(') || sql_is_keyword(t.text))
        return 0;
    return !bind_knows_call(t.text, &is_aggregate) ? WORD_HOPELESS : is_aggregate ? WORD_WORKS : 0;
}

static void look_at(struct eligibility *l, const struct words *w);

/* A name that only a WITH has: asking the schema for it would take long. */
static bool is_of_with(const struct eligibility *l, struct str name)
{
    bool is = false;
    for (uint32_t i = 1; !is && i + 1 < l->main; i++)
        is = token_is_word(l->words->items[i + 1], "AS") && token_is_name(l->words->items[i]) &&
             same_name(token_name(l->words->items[i]), name);
    if (is)
        names_refresh(l->plan);
    return is && !shown_table_find(l->plan->session, name) &&
           !vector_memory_definition(l->plan->session, name);
}

static void look_at_view(struct eligibility *l, const struct words *w)
{
    if (l->depth > VIEWS_DEEP)
        l->rows = UINT32_MAX;
    else
        look_at(l, w);
}

/* What a table or view is, is found out once, unless something that it reads is not there. */
static struct eligibility look_at_relation(const struct eligibility *l, struct str name)
{
    struct eligibility inner = {.plan = l->plan, .depth = l->depth + 1};
    struct named_relation found = {.table = shown_table_find(l->plan->session, name)};
    if (found.table)
        return (struct eligibility){.rows = found.table->table->table->rows};
    names_refresh(l->plan);
    const struct known_name *known = vector_memory_known(l->plan->session, name);
    if (known && known->looked)
        return (struct eligibility){.rows = known->rows, .hopeless = known->hopeless};
    inner.lacks = !names_find(l->plan, name, &found);
    if (found.view)
        look_at_view(&inner, found.view);
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

static void set_in_from(struct eligibility *l, bool in)
{
    uint64_t bit = UINT64_C(1) << (l->levels & 63);
    l->in_from = in ? l->in_from | bit : l->in_from & ~bit;
}

/* Those of a WITH's SELECTs decide nothing: they may not be read at all. Returns what the word
 * says, where that before it says `before`. */
static int look_at_word(struct eligibility *l, uint32_t i, int before)
{
    const struct words *w = l->words;
    const struct token *t = &w->items[i];
    struct token none = {.kind = TOKEN_END}, next = i + 1 < w->count ? w->items[i + 1] : none;
    int says = word_says(t) | call_says(*t, next);
    bool in_from = l->in_from >> (l->levels & 63) & 1, opens = token_is(*t, '(');
    bool source =
        before & (WORD_FROM | WORD_JOIN) || (in_from && i > 0 && token_is(w->items[i - 1], ','));
    bool hopeless = is_hopeless(before, says);
    if (source && token_is_name(*t)) {
        hopeless |= token_is(next, '(') || token_is(next, '.');
        if (l->names)
            look_at_name(l, token_name(*t));
    }
    l->levels += (uint32_t)opens;
    l->levels -= token_is(*t, ')');
    if (opens || says & WORD_ENDS_FROM)
        set_in_from(l, false);
    else if (says & WORD_FROM)
        set_in_from(l, true);
    l->hopeless |= hopeless && i >= l->main;
    l->works |= i >= l->main && says & WORD_WORKS;
    return says;
}

static uint32_t main_of(const struct words *w)
{
    int levels = 0;
    bool with = w->count > 0 && token_is_word(w->items[0], "WITH");
    for (uint32_t i = 0; with && i < w->count; i++) {
        levels += token_is(w->items[i], '(') - token_is(w->items[i], ')');
        if (levels == 0 && token_is_word(w->items[i], "SELECT"))
            return i;
    }
    return 0;
}

static void look_at(struct eligibility *l, const struct words *w)
{
    l->words = w;
    l->main = main_of(w);
    l->hopeless |= l->main > WITH_WORDS_MAX;
    bool fits = l->depth == 0 && l->main == 0; /* eligible_by_tokens() has looked at all words */
    for (int pass = fits; pass < 2; pass++) {
        l->hopeless |= pass == 1 && l->depth == 0 && l->main > 0 && !l->builds && !l->works;
        l->names = pass == 1;
        l->levels = 0;
        l->in_from = 0;
        int before = 0;
        for (uint32_t i = 0; i < w->count && !l->hopeless; i++)
            before = look_at_word(l, i, before);
    }
}

bool eligible_by_tokens(const struct vector_environment *environment, const struct token *tokens,
                        size_t n)
{
    struct token last = {.kind = TOKEN_END};
    bool works = environment->builds;
    int before = 0;
    for (size_t i = 0; i < n; i++) {
        if (token_is_blank(tokens[i]))
            continue;
        int says = word_says(&tokens[i]);
        if (last.kind == TOKEN_END && token_is_word(tokens[i], "WITH"))
            return true; /* of its SELECTs nobody may ever read the words */
        int call = call_says(last, tokens[i]);
        if (is_hopeless(before, says | call))
            return false;
        works |= (says | call) & WORD_WORKS;
        before = says;
        last = tokens[i];
    }
    return works;
}

bool eligible_by_tables(struct plan *p, const struct words *w,
                        const struct vector_environment *environment)
{
    struct eligibility l = {.plan = p, .builds = environment->builds};
    look_at(&l, w);
    /* Of a part plans are compared, and what only computes is not much faster. */
    bool wins_less = environment->is_part || !l.works;
    uint64_t least = (uint64_t)environment->least_rows * (wins_less ? LESS_WON : 1);
    return !l.hopeless && l.rows >= least;
}
