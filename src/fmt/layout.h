/* The tokens of a script, with what formatting has to know of each. */
#ifndef TPTUI_FMT_LAYOUT_H
#define TPTUI_FMT_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "sql/tokens/lexer.h"

/* A part of a query that begins a line of its own. */
enum layout_clause {
    CLAUSE_NONE,
    CLAUSE_LIST,      /* SELECT, GROUP BY, ORDER BY, WITH, VALUES, SET: items parted by commas */
    CLAUSE_CONDITION, /* WHERE, HAVING: parted by AND and OR */
    CLAUSE_SOURCE,    /* FROM, JOIN */
    CLAUSE_WORDS,     /* UNION ALL, LIMIT: stay on their line */
};

/* A token, a comment, or a trigger, which is left as it is. */
struct piece {
    struct str text;
    enum token_kind kind;      /* TOKEN_SPACE: a comment */
    bool ends_line;            /* nothing can stand behind it on its line */
    bool own_line;             /* of a comment: it begins a line */
    bool adjacent;             /* to the piece before */
    bool blank_line;           /* there is one before it */
    bool upper;                /* a keyword that is shown in upper case */
    bool joins;                /* AND or OR that parts conditions: not BETWEEN's */
    enum layout_clause clause; /* that begins here */
    uint8_t words;             /* how many pieces begin the clause */
    uint32_t close;            /* of ( and CASE: their end; of others 0 */
    uint32_t depth;            /* of brackets and CASEs around it */
    uint32_t width;  /* of all pieces before this one on one line, with the blank before it */
    uint32_t breaks; /* how many of the pieces before this one must end a line */
};

struct token_layout {
    VEC(struct piece) v; /* and one without text behind the last */
};

/* Where a quote is not closed, if anywhere: then the layout is of no use. */
struct open_quote {
    bool found;
    size_t at;
};
struct open_quote layout_read(struct token_layout *l, const struct sql_source *source);

/* Whether a blank stands before piece `i` where both are on one line. */
bool layout_blank_before(const struct token_layout *l, uint32_t i);
bool piece_is(const struct piece *p, const char *keyword);
bool piece_is_sign(const struct piece *p, char sign);
static inline bool piece_is_comment(const struct piece *p)
{
    return p->kind == TOKEN_SPACE;
}

#endif
