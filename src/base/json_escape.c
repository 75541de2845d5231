#include "base/json_escape.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

size_t json_escape(char32_t ch, char out[JSON_ESCAPE_MAX])
{
    static const char special[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
    const char *hit = ch && ch < 0x80 ? strchr(special, (int)ch) : NULL;
    int n;
    if (hit)
        n = snprintf(out, JSON_ESCAPE_MAX, "\\%c", letters[hit - special]);
    else if (ch <= 0xffff)
        n = snprintf(out, JSON_ESCAPE_MAX, "\\u%04x", (unsigned)ch);
    else
        n = snprintf(out, JSON_ESCAPE_MAX, "\\u%04x\\u%04x",
                     0xd800 + (unsigned)((ch - 0x10000) >> 10), 0xdc00 + (unsigned)(ch & 0x3ff));
    return (size_t)n;
}

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
