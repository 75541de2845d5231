#include "sql/script/creation.h"

#include <stdio.h>

#include "sql/engine/schema_names.h"
#include "sql/engine/session_state.h"
#include "sql/language/language.h"
#include "sql/script/script.h"
#include "sql/tokens/source_error.h"

struct status creation_body(struct creation *p, struct token_list *out)
{
    if (cursor_peek(&p->c).kind == TOKEN_END)
        return expected_error(cursor_peek(&p->c), "SELECT");
    return script_expand(p->session, p->c.tokens + p->c.at, p->c.count - p->c.at, out, NULL);
}
