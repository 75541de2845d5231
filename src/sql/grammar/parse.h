/* Parses PerfettoSQL. Nothing of it is run, and no name is looked up.
 *
 * What reads more of a statement than its first words asks the tree: heads of definitions are
 * parsed up to the body, as sessions start with them, others once their macros are written out,
 * and again where that tree changed them: 5 us each. Not from the tree are macro calls, which make
 * tokens of tokens before there is one; the formatter, which keeps comments and what is wrong; a
 * module's definitions (language/definitions.h); bounds on what SQLite nests (language/nesting.h),
 * which have to hold for what has no tree; and hints about words that are no SQL here (`10 ms`,
 * `x::int`, `TOP 5`). */
#ifndef TPTUI_SQL_GRAMMAR_PARSE_H
#define TPTUI_SQL_GRAMMAR_PARSE_H

#include "sql/grammar/tree.h"

struct sql_tree {
    struct sql_node *root; /* NULL for no statement, and for one that nests too deep */
    /* Whether every token has its place and none is missing. Where it is false, tokens that fit
     * nowhere are left out of the tree, and HOLEs stand for operands and names that are missing. */
    bool whole;
    uint32_t wrong; /* the first token at which something was missing or did not fit; the number of
                       tokens for the end */
};

/* A statement's tokens with their tree. */
struct sql_parsed {
    struct token_list tokens;
    struct sql_tree tree;
    struct arena arena; /* of the tree */
};

void sql_parsed_release(struct sql_parsed *p);

/* Parses one statement, without its semicolon. What the tree consists of is the arena's. */
struct sql_tree sql_parse_statement(struct arena *arena, const struct token_list *tokens);

/* The same for a statement of which only what stands before the AS of CREATE is looked at: what is
 * behind it are TOKENS. */
struct sql_tree sql_parse_head(struct arena *arena, const struct token_list *tokens);
/* A statement, or an expression where that is what the tokens are. */
struct sql_tree sql_parse_part(struct arena *arena, const struct token_list *tokens);

enum { SQL_WORDS_MAX = 128 };

/* What the grammar has a place for behind the beginning of a statement. */
struct sql_expected {
    bool operand;                     /* an expression may begin */
    bool table;                       /* what FROM, JOIN or IN reads */
    bool closes;                      /* a parenthesis may end, perhaps behind an operand */
    bool name;                        /* any other name that is not a new one */
    const char *words[SQL_WORDS_MAX]; /* upper case, sorted */
    uint32_t word_count;
};

/* Whether the word (upper case) is one of them. */
bool sql_expects(const struct sql_expected *expected, const char *word);

/* `tokens` are those before the place; what the parser needs is the arena's. */
void sql_parse_expected(struct arena *arena, const struct token_list *tokens,
                        struct sql_expected *out);

#endif
