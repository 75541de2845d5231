#include "tui/app/editor.h"

#include <string.h>
#include <strings.h>

#include "base/utf8.h"

void editor_release(struct editor *e)
{
    vec_release(&e->text);
}

static void insert(struct editor *e, struct str s)
{
    if (s.n == 0)
        return;
    vec_reserve(&e->text, e->text.count + s.n);
    memmove(e->text.items + e->caret + s.n, e->text.items + e->caret, e->text.count - e->caret);
    memcpy(e->text.items + e->caret, s.p, s.n);
    e->text.count += s.n;
    e->caret += s.n;
}

void editor_set(struct editor *e, struct str text)
{
    e->text.count = e->caret = 0;
    insert(e, text);
}

static void cut(struct editor *e, size_t from, size_t to)
{
    if (from >= to)
        return;
    memmove(e->text.items + from, e->text.items + to, e->text.count - to);
    e->text.count -= to - from;
    e->caret = from;
}

static bool is_tail(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80;
}

static size_t before(const struct editor *e, size_t at)
{
    while (at > 0 && is_tail(e->text.items[--at]))
        continue;
    return at;
}

static size_t after(const struct editor *e, size_t at)
{
    if (at < e->text.count)
        at++;
    while (at < e->text.count && is_tail(e->text.items[at]))
        at++;
    return at;
}

static size_t line_begin(const struct editor *e, size_t at)
{
    while (at > 0 && e->text.items[at - 1] != '\n')
        at--;
    return at;
}

static size_t line_end(const struct editor *e, size_t at)
{
    while (at < e->text.count && e->text.items[at] != '\n')
        at++;
    return at;
}

/* The same column of the line above (-1) or below; where there is none, false. */
static bool move_line(struct editor *e, int direction)
{
    size_t begin = line_begin(e, e->caret), column = e->caret - begin, target;
    if (direction < 0) {
        if (begin == 0)
            return false;
        target = line_begin(e, begin - 1);
    } else {
        target = line_end(e, e->caret);
        if (target == e->text.count)
            return false;
        target++;
    }
    size_t end = line_end(e, target);
    e->caret = target + column < end ? target + column : end;
    while (e->caret > target && e->caret < e->text.count && is_tail(e->text.items[e->caret]))
        e->caret--;
    return true;
}

static size_t word_begin(const struct editor *e, size_t at)
{
    while (at > 0 && e->text.items[at - 1] == ' ')
        at--;
    while (at > 0 && e->text.items[at - 1] != ' ' && e->text.items[at - 1] != '\n')
        at--;
    return at;
}

static bool type_character(struct editor *e, uint32_t key)
{
    char bytes[4];
    if (key < 0x20 || key >= TK_FIRST)
        return false;
    insert(e, (struct str){bytes, utf8_encode(key, bytes)});
    return true;
}

static void paste(struct editor *e, struct str text)
{
    for (size_t from = 0, i = 0; i <= text.n; i++) {
        bool stop = i == text.n || text.p[i] == '\r' || (text.p[i] == '\n' && !e->multiline);
        if (!stop)
            continue;
        insert(e, str_from_to(text, from, i));
        if (i < text.n && !(text.p[i] == '\r' && i + 1 < text.n && text.p[i + 1] == '\n'))
            insert(e, e->multiline ? STR("\n") : STR(" "));
        from = i + 1;
    }
}

bool editor_key(struct editor *e, const struct key_event *key)
{
    switch (key->key) {
    case TK_BACKSPACE:
        cut(e, before(e, e->caret), e->caret);
        return true;
    case TK_DELETE: {
        size_t at = e->caret;
        cut(e, at, after(e, at));
        return true;
    }
    case TK_LEFT:
        e->caret = before(e, e->caret);
        return true;
    case TK_RIGHT:
        e->caret = after(e, e->caret);
        return true;
    case TK_HOME:
        e->caret = line_begin(e, e->caret);
        return true;
    case TK_END:
        e->caret = line_end(e, e->caret);
        return true;
    case TK_UP:
        return e->multiline && move_line(e, -1);
    case TK_DOWN:
        return e->multiline && move_line(e, 1);
    case TK_CTRL | 'u':
        cut(e, line_begin(e, e->caret), e->caret);
        return true;
    case TK_CTRL | 'k':
        cut(e, e->caret, line_end(e, e->caret));
        return true;
    case TK_CTRL | 'w': {
        size_t at = e->caret;
        cut(e, word_begin(e, at), at);
        return true;
    }
    case TK_ENTER:
        if (!e->multiline)
            return false;
        insert(e, STR("\n"));
        return true;
    case TK_PASTE:
        paste(e, key->text);
        return true;
    default:
        return type_character(e, key->key);
    }
}

struct editor_place editor_place(const struct editor *e)
{
    struct editor_place p = {.lines = 1};
    for (size_t i = 0; i < e->text.count; i++) {
        if (e->text.items[i] == '\n')
            p.lines++;
        if (i >= e->caret)
            continue;
        if (e->text.items[i] == '\n') {
            p.line++;
            p.column = 0;
        } else if (!is_tail(e->text.items[i])) {
            p.column++;
        }
    }
    return p;
}

static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool is_keyword(struct str word)
{
    static const char *const words[] = {
        "select",  "from",     "where",  "group",    "by",     "order",   "limit",   "join",
        "left",    "using",    "on",     "as",       "and",    "or",      "not",     "null",
        "is",      "in",       "like",   "glob",     "create", "table",   "view",    "drop",
        "with",    "union",    "all",    "case",     "when",   "then",    "else",    "end",
        "desc",    "asc",      "having", "distinct", "over",   "insert",  "into",    "values",
        "include", "perfetto", "module", "function", "macro",  "returns", "between", "exists",
        "cast",    "offset",
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i]) == word.n && strncasecmp(words[i], word.p, word.n) == 0)
            return true;
    return false;
}

/* How far the token at `at` goes, and what it is. */
static size_t token_end(struct str s, size_t at, uint16_t *role)
{
    size_t i = at;
    *role = ROLE_DEFAULT;
    if (s.p[i] == '\'') {
        *role = ROLE_SQL_STRING;
        for (i++; i < s.n && s.p[i] != '\''; i++)
            continue;
        return i < s.n ? i + 1 : i;
    }
    if (s.p[i] == '-' && i + 1 < s.n && s.p[i + 1] == '-') {
        *role = ROLE_SQL_COMMENT;
        while (i < s.n && s.p[i] != '\n')
            i++;
        return i;
    }
    if (!is_word(s.p[i]))
        return i + 1;
    while (i < s.n && is_word(s.p[i]))
        i++;
    if (s.p[at] >= '0' && s.p[at] <= '9')
        *role = ROLE_SQL_NUMBER;
    else if (is_keyword(str_from_to(s, at, i)))
        *role = ROLE_SQL_KEYWORD;
    return i;
}

struct editor_caret editor_draw(struct cells *c, struct rect area, const struct editor *e)
{
    struct str s = editor_text(e);
    struct editor_place place = editor_place(e);
    int top = place.line >= area.h ? place.line - area.h + 1 : 0;
    int left = place.column >= area.w ? place.column - area.w + 1 : 0, line = 0, column = 0;
    struct rect clip = cells_clip(c, area);
    for (size_t i = 0; i < s.n;) {
        uint16_t role = ROLE_DEFAULT;
        size_t end = e->multiline ? token_end(s, i, &role) : i + 1;
        while (i < end) {
            if (s.p[i] == '\n') {
                line++;
                column = 0;
                i++;
                continue;
            }
            size_t next = after(e, i);
            int x = area.x + column - left;
            if (x >= area.x)
                cells_put_text(c, x, area.y + line - top, area.x + area.w - x,
                               str_from_to(s, i, next), role, 0);
            column++;
            i = next;
        }
    }
    cells_clip(c, clip);
    return (struct editor_caret){area.x + place.column - left, area.y + place.line - top};
}
