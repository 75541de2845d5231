#include "parsers/input/json_document.h"

bool json_members(struct json_value object, void *self,
                  void (*take)(void *self, struct str key, struct json_value v))
{
    struct json_scan j = json_scan_from(object.text);
    struct str key;
    struct json_value v;
    bool closed = false;
    VEC(char) name = {0}; /* the key may have escapes, as may the value */
    bool good = object.type == JSON_OBJECT && json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        name.count = 0;
        vec_append(&name, key.p, key.n);
        good = json_read_value(&j, &v);
        if (good)
            take(self, (struct str){name.items, name.count}, v);
    }
    vec_release(&name);
    json_scan_release(&j);
    return closed;
}

bool json_items(struct json_value array, void *self, void (*take)(void *self, struct json_value v))
{
    struct json_scan j = json_scan_from(array.text);
    struct json_value v;
    bool closed = false, good = array.type == JSON_ARRAY && json_take(&j, '[');
    for (bool first = true; good && json_next_element(&j, first, &closed); first = false) {
        good = json_read_value(&j, &v);
        if (good)
            take(self, v);
    }
    json_scan_release(&j);
    return closed;
}

/* Behind the quote that ends a string, or `end`. */
static const char *behind_string(const char *p, const char *end)
{
    while ((p = json_find_special(p, end)) < end && *p != '"')
        p = end - p > 1 ? p + 2 : end;
    return p < end ? p + 1 : end;
}

/* Brackets that close what is open, the innermost last. */
struct json_open {
    VEC(char) v;
};

static void close_document(struct str cut, struct json_closed *out)
{
    VEC(char) open = {0};
    size_t whole = 0, depth = 0; /* up to where it is whole, and how many brackets are open there */
    const char *p = cut.p, *end = cut.p + cut.n;
    while (p < end) {
        char c = *p++;
        if (c == '"') {
            p = behind_string(p, end);
        } else if (c == '{' || c == '[') {
            *vec_push(&open) = c == '{' ? '}' : ']';
        } else if ((c == '}' || c == ']') && open.count > 0) {
            open.count--;
            whole = (size_t)(p - cut.p);
            depth = open.count;
        } else if (c == ',' && open.count > 0 && vec_last(&open) == ']') {
            whole = (size_t)(p - cut.p) - 1;
            depth = open.count;
        }
    }
    vec_append(&out->v, cut.p, whole);
    for (size_t i = depth; i-- > 0;)
        *vec_push(&out->v) = open.items[i];
    vec_release(&open);
}

/* Takes what stands between two values: true where another one follows. `open` has the brackets
 * that are to be closed. */
static bool take_separator(struct json_scan *j, struct json_open *open, bool *good)
{
    while (open->v.count > 0) {
        char close = vec_last(&open->v);
        bool comma = json_take(j, ',');
        if (json_take(j, close)) {
            open->v.count--;
            continue;
        }
        *good = comma;
        return comma;
    }
    return false;
}

/* Behind the bracket that an object or array begins with: true where a value follows. */
static bool take_bracket(struct json_scan *j, struct json_open *open, char bracket)
{
    *vec_push(&open->v) = bracket == '{' ? '}' : ']';
    if (!json_take(j, vec_last(&open->v)))
        return true;
    open->v.count--;
    return false;
}

bool json_is_sound(struct str text)
{
    struct json_scan j = json_scan_from(text);
    struct json_open open = {0};
    struct str key;
    bool good = true, more = true;
    while (good && more) {
        if (open.v.count > 0 && vec_last(&open.v) == '}')
            good = json_read_key(&j, &key);
        else if (open.v.count > 0)
            json_skip_numbers(&j);
        if (!good)
            break;
        more = json_take(&j, '{')   ? take_bracket(&j, &open, '{')
               : json_take(&j, '[') ? take_bracket(&j, &open, '[')
                                    : (good = json_skip_value(&j), false);
        if (good && !more)
            more = take_separator(&j, &open, &good);
    }
    json_skip_space(&j);
    good = good && j.p == j.end;
    vec_release(&open.v);
    json_scan_release(&j);
    return good;
}

struct json_value json_document(struct str text, struct json_closed *closed, bool *whole)
{
    const struct json_value nothing = {.type = JSON_NULL, .text = {text.p, 0}};
    struct json_scan j = json_scan_from(text);
    struct json_value v;
    json_skip_space(&j);
    struct str cut = {j.p, (size_t)(j.end - j.p)};
    *whole = json_read_value(&j, &v);
    json_scan_release(&j);
    if (*whole) {
        *whole = json_is_sound(text);
        return v.type == JSON_OBJECT || v.type == JSON_ARRAY ? v : nothing;
    }
    if (cut.n == 0)
        return nothing;
    close_document(cut, closed);
    j = json_scan_from((struct str){closed->v.items, closed->v.count});
    bool readable = closed->v.count > 0 && json_read_value(&j, &v);
    json_scan_release(&j);
    return readable && (v.type == JSON_OBJECT || v.type == JSON_ARRAY) ? v : nothing;
}

struct str json_document_text(struct str text, struct json_closed *closed, bool *whole)
{
    struct json_value v = json_document(text, closed, whole);
    return v.type == JSON_NULL ? text : v.text;
}
