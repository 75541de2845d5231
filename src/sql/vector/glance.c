#include "sql/vector/glance.h"

#include "sql/engine/shown_table.h"
#include "sql/engine/sql_table.h"
#include "sql/tokens/keywords.h"
#include "sql/vector/bind_expression.h"
#include "sql/vector/memory.h"

/* Each name in a FROM is looked for in all of the WITH; one that is longer is SQLite's. */
enum { VIEWS_DEEP = 12, WITH_WORDS_MAX = 8192, LESS_WON = 4 };

struct glance {
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

/* A word without a look at the others of its first letter. */
static bool is_word(struct token t, char letter, const char *word)
{
    return t.kind == TOKEN_WORD && (t.text.p[0] | 0x20) == letter && token_is_word(t, word);
}

static bool ends_from(struct token t)
{
    return is_word(t, 'w', "WHERE") || is_word(t, 'g', "GROUP") || is_word(t, 'o', "ORDER") ||
           is_word(t, 'l', "LIMIT") || is_word(t, 'h', "HAVING") || is_word(t, 's', "SELECT");
}

/* What bind_select.c and bind_expression.c refuse wherever it stands. */
static bool is_hopeless(struct token before, struct token t)
{
    return is_word(t, 'u', "UNION") || is_word(t, 'e', "EXCEPT") || is_word(t, 'e', "EXISTS") ||
           is_word(t, 'i', "INTERSECT") || t.kind == TOKEN_VARIABLE ||
           (is_word(before, 's', "SELECT") && is_word(t, 'd', "DISTINCT"));
}

/* Every statement has one that is run over columns and makes no table. */
static bool is_work(struct token t)
{
    static const char *const words[] = {
        "AVG",  "COUNT",      "GROUP",           "GROUP_CONCAT",    "MAX", "MEDIAN", "MIN", "ORDER",
        "OVER", "PERCENTILE", "PERCENTILE_CONT", "PERCENTILE_DISC", "SUM", "TOTAL"};
    char letter = t.kind == TOKEN_WORD ? (char)(t.text.p[0] & ~0x20) : 0;
    for (size_t i = 0; i < sizeof words / sizeof *words && words[i][0] <= letter; i++)
        if (words[i][0] == letter && token_is_word(t, words[i]))
            return true;
    return false;
}

/* A call of a function that there is none of here. */
static bool is_foreign_call(struct token t, struct token next)
{
    return t.kind == TOKEN_WORD && token_is(next, '(') && !sql_is_keyword(t.text) &&
           !bind_knows_call(t.text);
}

static void look_at(struct glance *l, const struct words *w);

/* A name that only a WITH has: asking the schema for it would take long. */
static bool is_of_with(const struct glance *l, struct str name)
{
    bool is = false;
    for (uint32_t i = 1; !is && i + 1 < l->main; i++)
        is = token_is_name(l->words->items[i]) && is_word(l->words->items[i + 1], 'a', "AS") &&
             same_name(token_name(l->words->items[i]), name);
    if (is)
        names_refresh(l->plan);
    return is && !shown_table_find(l->plan->session, name) &&
           !vector_memory_definition(l->plan->session, name);
}

static void look_at_view(struct glance *l, const struct words *w)
{
    if (l->depth > VIEWS_DEEP)
        l->rows = UINT32_MAX;
    else
        look_at(l, w);
}

/* What a table or view is, is found out once, unless something that it reads is not there. */
static struct glance look_at_relation(const struct glance *l, struct str name)
{
    struct glance inner = {.plan = l->plan, .depth = l->depth + 1};
    struct named_relation found = {.table = shown_table_find(l->plan->session, name)};
    if (found.table)
        return (struct glance){.rows = found.table->table->table->rows};
    names_refresh(l->plan);
    const struct glanced *known = vector_memory_glanced(l->plan->session, name);
    if (known && known->looked)
        return (struct glance){.rows = known->rows, .hopeless = known->hopeless};
    inner.lacks = !names_find(l->plan, name, &found);
    if (found.view)
        look_at_view(&inner, found.view);
    else if (found.table)
        inner.rows = found.table->table->table->rows;
    struct glanced *kept = vector_memory_glanced(l->plan->session, name);
    if (kept && !inner.lacks)
        *kept = (struct glanced){true, inner.hopeless, inner.rows};
    return inner;
}

static void look_at_name(struct glance *l, struct str name)
{
    if (is_of_with(l, name))
        return;
    struct glance inner = look_at_relation(l, name);
    l->rows = inner.rows > l->rows ? inner.rows : l->rows;
    l->hopeless |= inner.hopeless;
    l->lacks |= inner.lacks;
}

static void set_in_from(struct glance *l, bool in)
{
    uint64_t bit = UINT64_C(1) << (l->levels & 63);
    l->in_from = in ? l->in_from | bit : l->in_from & ~bit;
}

/* Those of a WITH's SELECTs decide nothing: they may not be read at all. */
static void look_at_word(struct glance *l, uint32_t i)
{
    const struct words *w = l->words;
    struct token none = {.kind = TOKEN_END}, t = w->items[i];
    struct token before = i > 0 ? w->items[i - 1] : none;
    struct token next = i + 1 < w->count ? w->items[i + 1] : none;
    bool in_from = l->in_from >> (l->levels & 63) & 1;
    bool source = is_word(before, 'f', "FROM") || is_word(before, 'j', "JOIN") ||
                  (in_from && token_is(before, ','));
    bool hopeless = is_hopeless(before, t) || is_foreign_call(t, next);
    if (source && token_is_name(t)) {
        hopeless |= token_is(next, '(') || token_is(next, '.');
        if (l->names)
            look_at_name(l, token_name(t));
    }
    if (token_is(t, '('))
        l->levels++;
    if (token_is(t, ')'))
        l->levels--;
    if (token_is(t, '(') || ends_from(t))
        set_in_from(l, false);
    else if (is_word(t, 'f', "FROM"))
        set_in_from(l, true);
    l->hopeless |= hopeless && i >= l->main;
    l->works |= i >= l->main && !l->works && is_work(t);
}

static uint32_t main_of(const struct words *w)
{
    int levels = 0;
    bool with = w->count > 0 && token_is_word(w->items[0], "WITH");
    for (uint32_t i = 0; with && i < w->count; i++) {
        levels += token_is(w->items[i], '(') - token_is(w->items[i], ')');
        if (levels == 0 && is_word(w->items[i], 's', "SELECT"))
            return i;
    }
    return 0;
}

static void look_at(struct glance *l, const struct words *w)
{
    l->words = w;
    l->main = main_of(w);
    l->hopeless |= l->main > WITH_WORDS_MAX;
    bool fits = l->depth == 0 && l->main == 0; /* glance_may_fit() has looked at all words */
    for (int pass = fits; pass < 2; pass++) {
        l->hopeless |= pass == 1 && l->depth == 0 && l->main > 0 && !l->builds && !l->works;
        l->names = pass == 1;
        l->levels = 0;
        l->in_from = 0;
        for (uint32_t i = 0; i < w->count && !l->hopeless; i++)
            look_at_word(l, i);
    }
}

bool glance_may_fit(const struct vector_environment *environment, const struct token *tokens,
                    size_t n)
{
    struct token before = {.kind = TOKEN_END}, t = before;
    bool works = environment->builds;
    for (size_t i = 0; i <= n; i++) {
        struct token next = i < n ? tokens[i] : (struct token){.kind = TOKEN_END};
        if (i < n && token_is_blank(next))
            continue;
        if (t.kind == TOKEN_END && token_is_word(next, "WITH"))
            return true; /* of its SELECTs nobody may ever read the words */
        if (is_hopeless(before, t) || is_foreign_call(t, next))
            return false;
        works |= is_work(t);
        before = t;
        t = next;
    }
    return works;
}

bool glance_is_worthwhile(struct plan *p, const struct words *w,
                          const struct vector_environment *environment)
{
    struct glance l = {.plan = p, .builds = environment->builds};
    look_at(&l, w);
    /* Of a part plans are compared, and what only computes is not much faster. */
    bool wins_less = environment->is_part || !l.works;
    uint64_t least = (uint64_t)environment->least_rows * (wins_less ? LESS_WON : 1);
    return !l.hopeless && l.rows >= least;
}
