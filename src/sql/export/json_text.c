#include "sql/export/json_text.h"

#include <math.h>

#include "base/json_escape.h"
#include "sql/values/real_text.h"

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
