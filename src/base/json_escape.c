#include "base/json_escape.h"

#include <stdio.h>
#include <string.h>

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
