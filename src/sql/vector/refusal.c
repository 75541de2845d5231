#include "sql/vector/refusal.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "sql/tokens/lexer.h"

enum { SHOWN_CELLS = 60 };

const char refusal_only_filters[] = "it only filters and computes";
const char refusal_few_rows[] = "its tables have few rows";
const char refusal_too_large[] = "too many parts, or too deep ones";

static bool asks(const struct vector_environment *e)
{
    return e->refusal && e->refusal->construct[0] == 0;
}

void refusal_of_node(const struct vector_environment *e, const struct token *tokens,
                     const struct sql_node *n)
{
    if (!asks(e))
        return;
    char *text = tokens_text(tokens + n->span.first, n->span.end - n->span.first);
    char *to = text;
    for (const char *c = text; *c; c++) { /* on one line */
        bool blank = *c == ' ' || *c == '\n' || *c == '\t' || *c == '\r';
        if (!blank)
            *to++ = *c;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = 0;
    char *shown = text_fit(str_from(text), SHOWN_CELLS);
    snprintf(e->refusal->construct, sizeof e->refusal->construct, "%s", shown);
    free(shown);
    free(text);
}

void refusal_because(const struct vector_environment *e, const char *words)
{
    if (asks(e))
        snprintf(e->refusal->construct, sizeof e->refusal->construct, "%s", words);
}

void refusal_forget(const struct vector_environment *e)
{
    if (e->refusal)
        e->refusal->construct[0] = 0;
}
