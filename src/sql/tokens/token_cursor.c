#include "sql/tokens/token_cursor.h"

#include "sql/tokens/source_error.h"

struct status cursor_expect(struct token_cursor *c, const char *keyword)
{
    return cursor_accept(c, keyword) ? status_ok_value() : expected_error(cursor_peek(c), keyword);
}

struct status cursor_take_name(struct token_cursor *c, const char *what, struct token *out)
{
    *out = cursor_take(c);
    return token_is_name(*out) ? status_ok_value() : expected_error(*out, what);
}
