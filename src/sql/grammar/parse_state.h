/* What the grammar's actions (grammar.y) and the parser (parse.c) share. */
#ifndef TPTUI_SQL_GRAMMAR_PARSE_STATE_H
#define TPTUI_SQL_GRAMMAR_PARSE_STATE_H

#include "sql/grammar/tree.h"

struct sql_parse {
    struct arena *arena;
    const struct token_list *tokens;
    struct sql_node *root;
    bool too_deep;
    bool head; /* see sql_parse_head */
    bool half; /* a macro's argument is half written, or its call not closed */
    int calls; /* of macros in each other's arguments around what is parsed */
};

struct sql_two_ops {
    enum sql_op op, op2;
};

/* Words behind something, and where the last of them is. */
struct sql_word {
    enum sql_op op;
    struct sql_span span;
};

#define SQL_NOWHERE ((struct sql_span){UINT32_MAX, 0})

static inline struct sql_span sql_to(struct sql_span first, struct sql_span last)
{
    return (struct sql_span){first.first < last.first ? first.first : last.first,
                             first.end > last.end ? first.end : last.end};
}

/* A node that covers `span` and its children. */
struct sql_node *sql_node_make(struct sql_parse *p, enum sql_node_kind kind, enum sql_op op,
                               struct sql_span span, uint32_t n, struct sql_node **parts);
/* The same node, changed. */
struct sql_node *sql_with_op(struct sql_node *n, enum sql_op op);
struct sql_node *sql_with_ops(struct sql_node *n, struct sql_two_ops ops);
struct sql_node *sql_with_part(struct sql_node *n, uint32_t i, struct sql_node *part);
struct sql_node *sql_covering(struct sql_node *n, struct sql_span first, struct sql_span last);
/* A list of one, or of none where `first` is NULL. */
struct sql_node *sql_list_begin(struct sql_parse *p, enum sql_node_kind kind,
                                struct sql_node *first);
struct sql_node *sql_list_add(struct sql_parse *p, struct sql_node *list, struct sql_node *item);
/* A macro call, whose arguments are parsed, from its name to its closing parenthesis. */
struct sql_node *sql_macro_make(struct sql_parse *p, struct sql_span call);
/* "(name TYPE, ...)", as it is without a mistake. */
struct sql_node *sql_declared_make(struct sql_parse *p, struct sql_span list);
/* What stands between two parentheses. */
struct sql_node *sql_raw_make(struct sql_parse *p, struct sql_span parentheses);

/* The generated parser. */
void *sql_grammar_Alloc(void *(*allocate)(size_t));
void sql_grammar_Free(void *parser, void (*give_back)(void *));
void sql_grammar_(void *parser, int terminal, struct sql_span span, struct sql_parse *p);
/* Whether it would take these terminals next. */
bool sql_grammar_takes(void *parser, const uint8_t *terminals, size_t n);
/* Whether it would take a word next, and not as a name. */
bool sql_grammar_takes_word(void *parser, uint8_t terminal);

#endif
