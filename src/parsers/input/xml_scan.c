#include "parsers/input/xml_scan.h"

#include "base/utf8.h"

static struct str rest_of(const struct xml_scan *x)
{
    return (struct str){x->p, (size_t)(x->end - x->p)};
}

/* Behind the next `what`, or at the end. */
static void skip_behind(struct xml_scan *x, struct str what)
{
    struct str rest = rest_of(x);
    const char *at = rest.n >= what.n ? memmem(rest.p, rest.n, what.p, what.n) : NULL;
    x->p = at ? at + what.n : x->end;
}

static bool is_space(char c)
{
    return str_is_blank(c) || c == '\n';
}

static bool is_name_end(char c)
{
    return is_space(c) || c == '/' || c == '>' || c == '=';
}

static size_t name_length(struct str s)
{
    size_t n = 0;
    while (n < s.n && !is_name_end(s.p[n]))
        n++;
    return n;
}

/* Up to the '>' that is in no quotes. */
static size_t tag_length(struct str s)
{
    char quote = 0;
    for (size_t i = 0; i < s.n; i++) {
        if (quote)
            quote = s.p[i] == quote ? 0 : quote;
        else if (s.p[i] == '"' || s.p[i] == '\'')
            quote = s.p[i];
        else if (s.p[i] == '>')
            return i;
    }
    return s.n;
}

static enum xml_token read_tag(struct xml_scan *x)
{
    struct str rest = rest_of(x);
    bool closes = rest.n > 1 && rest.p[1] == '/';
    rest = str_skip(rest, rest.n < (closes ? 2u : 1u) ? rest.n : closes ? 2 : 1);
    size_t n = tag_length(rest);
    struct str tag = str_from_to(rest, 0, n);
    x->p = n < rest.n ? rest.p + n + 1 : x->end;
    x->name = str_from_to(tag, 0, name_length(tag));
    if (closes)
        return XML_CLOSE;
    x->closes = str_ends(tag, STR("/"));
    x->attributes = str_from_to(tag, x->name.n, x->closes ? tag.n - 1 : tag.n);
    return XML_OPEN;
}

enum xml_token xml_next(struct xml_scan *x)
{
    if (x->closes) {
        x->closes = false;
        return XML_CLOSE;
    }
    while (x->p < x->end) {
        struct str rest = rest_of(x);
        if (str_starts(rest, STR("<!--"))) {
            skip_behind(x, STR("-->"));
        } else if (str_starts(rest, STR("<?")) || str_starts(rest, STR("<!"))) {
            skip_behind(x, STR(">"));
        } else if (*rest.p == '<') {
            return read_tag(x);
        } else {
            size_t n = str_find(rest, '<');
            x->text = str_from_to(rest, 0, n);
            x->p += n;
            return XML_TEXT;
        }
    }
    return XML_END;
}

bool xml_attribute(struct str attributes, struct str name, struct str *value)
{
    struct str rest = attributes;
    for (;;) {
        while (rest.n && (is_space(*rest.p) || *rest.p == '/' || *rest.p == '='))
            rest = str_skip(rest, 1);
        size_t n = name_length(rest);
        struct str key = str_from_to(rest, 0, n);
        rest = str_skip(rest, n);
        while (rest.n && (is_space(*rest.p) || *rest.p == '='))
            rest = str_skip(rest, 1);
        if (rest.n == 0 || (*rest.p != '"' && *rest.p != '\''))
            return false;
        struct str inside = str_skip(rest, 1);
        size_t end = str_find(inside, *rest.p);
        *value = str_from_to(inside, 0, end);
        if (str_eq(key, name))
            return true;
        rest = str_behind(inside, end);
    }
}

/* What stands between & and ; as UTF-8; 0: no entity. */
static size_t decode_entity(struct str entity, char out[4])
{
    static const struct {
        struct str name;
        char c;
    } entities[] = {{{"lt", 2}, '<'},
                    {{"gt", 2}, '>'},
                    {{"amp", 3}, '&'},
                    {{"quot", 4}, '"'},
                    {{"apos", 4}, '\''}};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (str_eq(entities[i].name, entity)) {
            out[0] = entities[i].c;
            return 1;
        }
    uint64_t c;
    bool hex = str_starts(entity, STR("#x"));
    if (!str_starts(entity, STR("#")) ||
        !str_to_u64(str_skip(entity, hex ? 2 : 1), hex ? 16 : 10, &c) || c > 0x10ffff)
        return 0;
    return utf8_encode((char32_t)c, out);
}

struct str xml_decode(struct str text, struct xml_text *room)
{
    enum { ENTITY_MAX = 10 };
    if (str_find(text, '&') == text.n)
        return text;
    vec_reserve(&room->v, text.n + 1);
    size_t count = 0;
    while (text.n > 0) {
        struct str entity = str_skip(text, 1);
        size_t n = str_find(entity, ';');
        char c[4];
        size_t bytes = *text.p == '&' && n < entity.n && n <= ENTITY_MAX
                           ? decode_entity(str_from_to(entity, 0, n), c)
                           : 0;
        if (bytes > 0) { /* never longer than the entity itself */
            memcpy(room->v.items + count, c, bytes);
            count += bytes;
            text = str_skip(entity, n + 1);
        } else {
            room->v.items[count++] = *text.p;
            text = str_skip(text, 1);
        }
    }
    return (struct str){room->v.items, count};
}
