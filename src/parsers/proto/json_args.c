#include "parsers/proto/json_args.h"

#include "base/hash.h"
#include "parsers/proto/reflect_internal.h"

enum { DEPTH_MAX = 128, NUMBER_MAX = 64 };

/* An object or array that is being read. */
struct level {
    bool array, added;
    uint64_t array_key; /* in reflect.array_sizes */
    uint32_t index;
    struct reflect_mark outside; /* the keys outside of the current member or element */
};

struct reader {
    struct reflect *r;
    const char *p, *end;
    VEC(char) text; /* of the string read last */
    struct level levels[DEPTH_MAX];
    int depth;
};

static void skip_space(struct reader *j)
{
    while (j->p < j->end && (*j->p == ' ' || *j->p == '\t' || *j->p == '\n' || *j->p == '\r'))
        j->p++;
}

static bool take(struct reader *j, char c)
{
    skip_space(j);
    if (j->p >= j->end || *j->p != c)
        return false;
    j->p++;
    return true;
}

static bool take_word(struct reader *j, struct str word)
{
    if ((size_t)(j->end - j->p) < word.n || memcmp(j->p, word.p, word.n) != 0)
        return false;
    j->p += word.n;
    return true;
}

static void put_utf8(struct reader *j, uint32_t c)
{
    if (c < 0x80) {
        *vec_push(&j->text) = (char)c;
        return;
    }
    if (c < 0x800) {
        *vec_push(&j->text) = (char)(0xc0 | c >> 6);
    } else if (c < 0x10000) {
        *vec_push(&j->text) = (char)(0xe0 | c >> 12);
        *vec_push(&j->text) = (char)(0x80 | (c >> 6 & 0x3f));
    } else {
        *vec_push(&j->text) = (char)(0xf0 | c >> 18);
        *vec_push(&j->text) = (char)(0x80 | (c >> 12 & 0x3f));
        *vec_push(&j->text) = (char)(0x80 | (c >> 6 & 0x3f));
    }
    *vec_push(&j->text) = (char)(0x80 | (c & 0x3f));
}

static bool read_hex4(struct reader *j, uint32_t *out)
{
    uint64_t v;
    if (j->end - j->p < 4 || !str_to_u64((struct str){j->p, 4}, 16, &v))
        return false;
    j->p += 4;
    *out = (uint32_t)v;
    return true;
}

static bool read_unicode(struct reader *j)
{
    uint32_t c, low;
    if (!read_hex4(j, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00 && take_word(j, STR("\\u"))) {
        if (!read_hex4(j, &low) || low < 0xdc00 || low >= 0xe000)
            return false;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(j, c);
    return true;
}

static bool read_escape(struct reader *j)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (j->p >= j->end)
        return false;
    char c = *j->p++;
    if (c == 'u')
        return read_unicode(j);
    const char *at = c ? strchr(names, c) : NULL;
    if (!at)
        return false;
    *vec_push(&j->text) = values[at - names];
    return true;
}

/* The rest of a string whose first quote was read, into j->text. */
static bool read_string(struct reader *j)
{
    j->text.count = 0;
    while (j->p < j->end) {
        char c = *j->p++;
        if (c == '"')
            return true;
        if (c != '\\')
            *vec_push(&j->text) = c;
        else if (!read_escape(j))
            return false;
    }
    return false;
}

static bool read_number(struct reader *j)
{
    const char *start = j->p;
    while (j->p < j->end && *j->p && strchr("+-.eE0123456789", *j->p))
        j->p++;
    struct str text = {start, (size_t)(j->p - start)};
    int64_t i;
    double d;
    if (str_to_i64(text, &i))
        reflect_add_int(j->r, i);
    else if (text.n < NUMBER_MAX && str_to_f64(text, &d))
        reflect_add_real(j->r, d);
    else
        return false;
    return true;
}

static struct str text_of(const struct reader *j)
{
    return (struct str){j->text.items ? j->text.items : "", j->text.count};
}

/* The value just read was shown: counts it in the array that it is an element of. */
static void note_added(struct reader *j)
{
    if (j->depth == 0)
        return;
    struct level *l = &j->levels[j->depth - 1];
    l->added = true;
    if (l->array)
        map_set(&j->r->array_sizes, l->array_key, ++l->index);
}

static bool open_level(struct reader *j, bool array)
{
    if (j->depth >= DEPTH_MAX)
        return false;
    struct level *l = &j->levels[j->depth++];
    *l = (struct level){.array = array, .outside = reflect_mark_here(j->r)};
    if (!array)
        return true;
    l->array_key = hash_bytes(j->r->key.items, j->r->key.count, 0);
    const uint32_t *size = map_find(&j->r->array_sizes, l->array_key);
    l->index = size ? *size : 0;
    return true;
}

static void close_level(struct reader *j)
{
    struct level *l = &j->levels[--j->depth];
    reflect_leave(j->r, l->outside);
    if (l->added)
        note_added(j);
}

/* Reads up to the next value of the innermost container and puts its name or index behind the key;
 * `*closed` where the container ends instead. */
static bool next_member(struct reader *j, bool first, bool *closed)
{
    struct level *l = &j->levels[j->depth - 1];
    reflect_leave(j->r, l->outside);
    *closed = take(j, l->array ? ']' : '}');
    if (*closed)
        return true;
    if (!first && !take(j, ','))
        return false;
    if (l->array) {
        reflect_enter_array(j->r, l->index);
        return true;
    }
    if (!take(j, '"') || !read_string(j))
        return false;
    reflect_enter(j->r, text_of(j));
    return take(j, ':');
}

/* A scalar, or the start of a container, which `*opened` says. */
static bool read_value(struct reader *j, bool *opened)
{
    *opened = false;
    skip_space(j);
    if (take(j, '{') || take(j, '[')) {
        *opened = true;
        return open_level(j, j->p[-1] == '[');
    }
    if (take_word(j, STR("null")))
        return true;
    if (take_word(j, STR("true"))) {
        reflect_add_bool(j->r, true);
    } else if (take_word(j, STR("false"))) {
        reflect_add_bool(j->r, false);
    } else if (take(j, '"')) {
        if (!read_string(j))
            return false;
        reflect_add_str(j->r, text_of(j));
    } else if (!read_number(j)) {
        return false;
    }
    note_added(j);
    return true;
}

static bool read_all(struct reader *j)
{
    bool first, closed;
    if (!read_value(j, &first))
        return false;
    while (j->depth > 0) {
        if (!next_member(j, first, &closed))
            return false;
        first = false;
        if (closed)
            close_level(j);
        else if (!read_value(j, &first))
            return false;
    }
    skip_space(j);
    return j->p == j->end;
}

void json_add_args(struct reflect *r, struct str text)
{
    struct reader j = {.r = r, .p = text.p, .end = text.p + text.n};
    size_t before = r->out->v.count;
    struct reflect_mark mark = reflect_mark_here(r);
    if (!read_all(&j))
        r->out->v.count = before;
    reflect_leave(r, mark);
    vec_release(&j.text);
}
