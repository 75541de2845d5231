#include "sql/export/json_text.h"

#include <math.h>

#include "base/utf8.h"
#include "sql/engine/real_text.h"

static void append_char(sqlite3_str *out, struct utf8_char c, const char *bytes)
{
    static const char plain[] = "\"\\\b\f\n\r\t", escaped[] = "\"\\bfnrt";
    const char *hit = c.ch ? strchr(plain, (int)c.ch) : NULL;
    if (!c.valid) {
        sqlite3_str_appendall(out, "\xef\xbf\xbd");
    } else if (c.ch < 0x80 && hit) {
        sqlite3_str_appendchar(out, 1, '\\');
        sqlite3_str_appendchar(out, 1, escaped[hit - plain]);
    } else if (c.ch < 0x20) {
        sqlite3_str_appendf(out, "\\u%04x", (unsigned)c.ch);
    } else {
        sqlite3_str_append(out, bytes, c.size);
    }
}

void json_append_text(sqlite3_str *out, struct str s)
{
    sqlite3_str_appendchar(out, 1, '"');
    while (s.n > 0) {
        struct utf8_char c = utf8_decode(s);
        append_char(out, c, s.p);
        s = str_skip(s, c.size);
    }
    sqlite3_str_appendchar(out, 1, '"');
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
