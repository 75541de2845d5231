#include "sql/vector/bind_expression.h"
#include "sql/batches/evaluate.h"

enum { ARGUMENTS_MAX = 8 };

/* A pure function, by the types of its arguments: 't' a text, 'i' an integer, 'n' a number, 'a' any
 * of them, of which there may be several; behind '|' are those that may be missing. */
static const struct sqlite_function {
    const char *name, *arguments;
    enum value_type type;
} functions[] = {
    {"round", "n|i", VALUE_REAL},      {"substr", "ti|i", VALUE_TEXT},
    {"substring", "ti|i", VALUE_TEXT}, {"lower", "t", VALUE_TEXT},
    {"upper", "t", VALUE_TEXT},        {"trim", "t|t", VALUE_TEXT},
    {"ltrim", "t|t", VALUE_TEXT},      {"rtrim", "t|t", VALUE_TEXT},
    {"length", "t", VALUE_INT},        {"instr", "tt", VALUE_INT},
    {"replace", "ttt", VALUE_TEXT},    {"printf", "t|a", VALUE_TEXT},
    {"format", "t|a", VALUE_TEXT},
};

const char *sqlite_call_name(uint32_t which)
{
    return which < sizeof functions / sizeof *functions ? functions[which].name : NULL;
}

static bool fits(char wanted, const struct expr *e)
{
    if (wanted == 't')
        return e->type == VALUE_TEXT;
    if (wanted == 'i')
        return e->type == VALUE_INT;
    return wanted == 'n' ? expr_is_number(e) : e->type != VALUE_NULL;
}

/* SELECT name(?1, ?2) */
static struct expr *call_text(struct plan *p, const char *name, uint32_t arguments)
{
    sqlite3_str *out = sqlite3_str_new(NULL);
    sqlite3_str_appendf(out, "SELECT %s(", name);
    for (uint32_t i = 1; i <= arguments; i++)
        sqlite3_str_appendf(out, i > 1 ? ", ?%u" : "?%u", i);
    sqlite3_str_appendall(out, ")");
    char *text = sqlite3_str_finish(out);
    struct expr *e = expr_text(p, str_from(text));
    sqlite3_free(text);
    return e;
}

struct expr *bind_sqlite_call(struct binder *b, const struct sql_node *arguments, uint32_t which)
{
    struct expr *args[ARGUMENTS_MAX + 1];
    const char *wanted = functions[which].arguments;
    uint32_t n = 0;
    bool varies = false, numbers = false;
    while (n < arguments->count) {
        wanted += *wanted == '|';
        struct expr *e =
            n < ARGUMENTS_MAX && *wanted ? bind_expression(b, arguments->part[n]) : NULL;
        if (!e || !fits(*wanted, e))
            return NULL;
        args[++n] = e;
        varies |= e->op != EXPR_CONST;
        numbers |= e->op != EXPR_CONST && e->type != VALUE_TEXT;
        wanted += *wanted != 'a';
    }
    bool ends = *wanted == 0 || *wanted == '|' || *wanted == 'a';
    if (!ends || !varies)
        return NULL;
    /* Asking SQLite takes longer than a call in its loop over rows, which is worth it for what
     * repeats, as texts do, and where what is handed out is not all of it. */
    if (numbers && !b->aggregates)
        return NULL;
    args[0] = call_text(b->plan, functions[which].name, n);
    return expr_node(b, EXPR_CALL, functions[which].type, args, n + 1);
}
