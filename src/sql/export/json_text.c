#include "sql/export/json_text.h"

#include <math.h>

#include "base/utf8.h"
#include "sql/values/real_text.h"

/* How many bytes from the start are written as they are. */
static size_t plain_bytes(struct str s, bool terminal)
{
    size_t n = 0;
    while (n < s.n) {
        struct utf8_char c = utf8_decode(str_skip(s, n));
        bool hidden = terminal && c.ch < 0x10000 && !utf8_is_printable(c.ch);
        if (!c.valid || c.ch < 0x20 || c.ch == '"' || c.ch == '\\' || hidden)
            break;
        n += c.size;
    }
    return n;
}

struct str json_escape_next(struct str *s, bool terminal, char buffer[JSON_ESCAPE_MAX])
{
    struct str plain = {s->p, plain_bytes(*s, terminal)};
    *s = str_skip(*s, plain.n);
    if (plain.n > 0)
        return plain;
    struct utf8_char c = utf8_decode(*s);
    *s = str_skip(*s, c.size);
    if (!c.valid)
        return STR("\xef\xbf\xbd");
    return (struct str){buffer, json_escape(c.ch, buffer)};
}

void json_append_text(sqlite3_str *out, struct str s)
{
    char buffer[JSON_ESCAPE_MAX];
    sqlite3_str_appendchar(out, 1, '"');
    while (s.n > 0) {
        struct str next = json_escape_next(&s, false, buffer);
        sqlite3_str_append(out, next.p, (int)next.n);
    }
    sqlite3_str_appendchar(out, 1, '"');
}

void json_put_text(FILE *f, struct str s)
{
    char buffer[JSON_ESCAPE_MAX];
    fputc('"', f);
    while (s.n > 0) {
        struct str next = json_escape_next(&s, false, buffer);
        fwrite(next.p, 1, next.n, f);
    }
    fputc('"', f);
}

void json_append_real(sqlite3_str *out, double v)
{
    if (!isfinite(v)) {
        sqlite3_str_appendall(out, "null");
        return;
    }
    char *text = real_text(v);
    sqlite3_str_appendall(out, text);
    sqlite3_free(text);
}
