#include "parsers/input/json_scan.h"

#include <limits.h>

#include "base/utf8.h"
#include "parsers/input/json_block.h"

void json_scan_release(struct json_scan *j)
{
    vec_release(&j->text);
    vec_release(&j->squeezed);
}

static bool run_out(struct json_scan *j)
{
    j->ran_out = true;
    return false;
}

static void put_utf8(struct json_scan *j, uint32_t c)
{
    char bytes[4];
    size_t n = utf8_encode(c, bytes);
    for (size_t i = 0; i < n; i++)
        *vec_push(&j->text) = bytes[i];
}

static bool read_hex4(struct json_scan *j, uint32_t *out)
{
    uint64_t v;
    if (j->end - j->p < 4)
        return run_out(j);
    if (!str_to_u64((struct str){j->p, 4}, 16, &v))
        return false;
    j->p += 4;
    *out = (uint32_t)v;
    return true;
}

static bool read_unicode(struct json_scan *j)
{
    uint32_t c, low;
    if (!read_hex4(j, &c))
        return false;
    if (c >= 0xd800 && c < 0xdc00 && j->end - j->p >= 2 && j->p[0] == '\\' && j->p[1] == 'u') {
        j->p += 2;
        if (!read_hex4(j, &low) || low < 0xdc00 || low >= 0xe000)
            return false;
        c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
    }
    put_utf8(j, c);
    return true;
}

static bool read_escape(struct json_scan *j)
{
    static const char names[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
    if (j->p >= j->end)
        return run_out(j);
    char c = *j->p++;
    if (c == 'u')
        return read_unicode(j);
    const char *at = c ? strchr(names, c) : NULL;
    if (!at)
        return false;
    *vec_push(&j->text) = values[at - names];
    return true;
}

static void add_text(struct json_scan *j, const char *p, size_t n)
{
    if (n == 0)
        return;
    vec_append(&j->text, p, n);
}

const char *json_find_special(const char *p, const char *end)
{
    for (; end - p >= (ptrdiff_t)sizeof(bytes16); p += sizeof(bytes16)) {
        bytes16 b = bytes16_load(p);
        uint32_t hits = bytes16_bits(bytes16_equal(b, '"') | bytes16_equal(b, '\\'));
        if (hits)
            return p + __builtin_ctz(hits);
    }
    while (p < end && *p != '"' && *p != '\\')
        p++;
    return p;
}

/* On from `j->p`, where an escape begins; `start` is the text before it. */
static bool read_escaped_string(struct json_scan *j, const char *start, struct str *out)
{
    j->text.count = 0;
    while (j->p < j->end) {
        add_text(j, start, (size_t)(j->p - start));
        if (*j->p++ == '"') {
            *out = (struct str){j->text.items, j->text.count};
            return true;
        }
        if (!read_escape(j))
            return false;
        start = j->p;
        j->p = json_find_special(start, j->end);
    }
    return run_out(j);
}

bool json_read_string(struct json_scan *j, struct str *out)
{
    const char *start = j->p;
    j->p = json_find_special(start, j->end);
    if (j->p == j->end || *j->p != '"')
        return read_escaped_string(j, start, out);
    *out = (struct str){start, (size_t)(j->p++ - start)};
    return true;
}

/* All bits up to the bracket with which `depth` gets down to 0; all where there is none. */
static inline uint32_t up_to_close(const struct json_block *b, size_t *depth)
{
    for (uint32_t left = b->opens | b->closes; left; left &= left - 1) {
        uint32_t bit = left & -left;
        if (b->opens & bit)
            ++*depth;
        else if (--*depth == 0)
            return bit | (bit - 1);
    }
    return UINT32_MAX;
}

/* Where the bits lead to behind white space, and on the way. Each is in front of a run of it, or
 * where there is none: added to the run, it is carried to its end. */
static inline uint64_t through_spaces(uint64_t bits, uint64_t spaces)
{
    return bits | (((bits & spaces) + spaces) ^ spaces);
}

/* What the block before says of the first byte. Damage is found where it is, not where brackets
 * fail to match at the end of the file. */
struct nested_state {
    struct json_block_state strings;
    uint32_t may_open; /* a bracket: behind nothing but a colon, a comma or another bracket */
    uint32_t ended;    /* a string, before it and white space */
};

/* Whether the block's strings end and its brackets open where they may, as far as `within`. */
static inline bool may_stand(const struct json_block *b, uint32_t within,
                             struct nested_state *state)
{
    uint64_t opens = through_spaces((uint64_t)b->before << 1 | state->may_open, b->spaces);
    uint64_t ends = through_spaces((uint64_t)b->string_ends << 1 | state->ended, b->spaces);
    state->may_open = (uint32_t)(opens >> 32);
    state->ended = (uint32_t)(ends >> 32);
    uint32_t wrong = (b->opens & ~(uint32_t)opens) | ((uint32_t)ends & ~b->spaces & ~b->behind);
    return (wrong & within) == 0;
}

/* Copies the bytes of a block that have bits in `kept`; `out` has room for two blocks, and two may
 * be read. */
static char *copy_kept(const char *block, uint32_t kept, char *out)
{
    while (kept) {
        unsigned start = (unsigned)__builtin_ctz(kept);
        uint32_t gaps = ~kept >> start;
        unsigned n = gaps ? (unsigned)__builtin_ctz(gaps) : JSON_BLOCK - start;
        memcpy(out, block + start, JSON_BLOCK);
        out += n;
        kept = start + n < JSON_BLOCK ? kept & (UINT32_MAX << (start + n)) : 0;
    }
    return out;
}

/* Adds these bytes of the block at `p`, behind which `left` bytes follow with its own. */
static void squeeze(struct json_scan *j, const char *p, size_t left, uint32_t kept)
{
    char padded[2 * JSON_BLOCK];
    size_t count = j->squeezed.count;
    vec_reserve(&j->squeezed, count + 2 * JSON_BLOCK);
    if (left < sizeof padded) {
        memset(padded, 0, sizeof padded);
        p = memcpy(padded, p, left);
    }
    j->squeezed.count = (size_t)(copy_kept(p, kept, j->squeezed.items + count) - j->squeezed.items);
}

/* Behind the first bracket: up to behind the one that closes it. With `squeezes`, what is no white
 * space goes to j->squeezed from where there is some. */
__attribute__((always_inline)) static inline bool skip_nested(struct json_scan *j, bool *spaced,
                                                              bool squeezes)
{
    struct nested_state state = {.may_open = 1};
    const char *start = j->p - 1;
    uint32_t spaces = 0;
    size_t depth = 1, left = (size_t)(j->end - j->p), n;
    for (const char *p = j->p; left > 0; p += n, left -= n) {
        char last[JSON_BLOCK];
        const char *block = p;
        uint32_t there = UINT32_MAX;
        n = JSON_BLOCK;
        if (left < JSON_BLOCK) {
            memset(last, 0, sizeof last);
            block = memcpy(last, p, n = left);
            there = (UINT32_C(1) << n) - 1;
        }
        struct json_block b = json_block_read(block, &state.strings);
        uint32_t within = up_to_close(&b, &depth) & there;
        if (!may_stand(&b, within, &state))
            return false;
        if (squeezes && !spaces && (b.spaces & within)) {
            j->squeezed.count = 0;
            vec_append(&j->squeezed, start, (size_t)(p - start));
        }
        spaces |= b.spaces & within;
        if (squeezes && spaces)
            squeeze(j, p, left, within & ~b.spaces);
        if (depth == 0) {
            *spaced = spaces != 0;
            j->p = p + (JSON_BLOCK - __builtin_clz(within));
            return true;
        }
    }
    return run_out(j);
}

static bool read_word(struct json_scan *j, struct str word, enum json_type type,
                      struct json_value *v)
{
    size_t left = (size_t)(j->end - j->p), n = left < word.n ? left : word.n;
    if (memcmp(j->p, word.p, n) != 0)
        return false;
    if (n < word.n)
        return run_out(j);
    *v = (struct json_value){.type = type, .text = {j->p, word.n}};
    j->p += word.n;
    return true;
}

static inline bool is_number_character(char c)
{
    static const bool are[UCHAR_MAX + 1] = {
        ['0'] = true, ['1'] = true, ['2'] = true, ['3'] = true, ['4'] = true,
        ['5'] = true, ['6'] = true, ['7'] = true, ['8'] = true, ['9'] = true,
        ['.'] = true, ['-'] = true, ['+'] = true, ['e'] = true, ['E'] = true,
    };
    return are[(unsigned char)c];
}

static inline const char *behind_number(const char *p, const char *end)
{
    while (p < end && is_number_character(*p))
        p++;
    return p;
}

/* A number ends where something else begins: at the window's end, more may follow. */
static bool read_number(struct json_scan *j, struct json_value *v)
{
    const char *start = j->p, *p = json_decimal_read(start, j->end, &v->decimal);
    v->plain = p && (p == j->end || !is_number_character(*p));
    j->p = behind_number(p ? p : start, j->end);
    if (j->p >= j->end && !j->last)
        return run_out(j);
    v->type = JSON_NUMBER;
    v->text = (struct str){start, (size_t)(j->p - start)};
    return v->text.n > 0;
}

bool json_skip_value(struct json_scan *j)
{
    struct json_value v;
    json_skip_space(j);
    const char *p = behind_number(j->p, j->end);
    if (p == j->p || p == j->end || (*p != ',' && *p != ']'))
        return json_read_value(j, &v);
    j->p = p;
    return true;
}

void json_skip_numbers(struct json_scan *j)
{
    json_skip_space(j);
    const char *p = behind_number(j->p, j->end);
    while (p > j->p && j->end - p >= 2 && *p == ',' && is_number_character(p[1])) {
        j->p = p + 1;
        p = behind_number(j->p, j->end);
    }
}

bool json_read_value(struct json_scan *j, struct json_value *v)
{
    json_skip_space(j);
    if (j->p >= j->end)
        return run_out(j);
    const char *start = j->p;
    switch (*start) {
    case '"':
        v->type = JSON_STRING;
        j->p++;
        return json_read_string(j, &v->text);
    case '{':
    case '[':
        j->p++;
        if (!skip_nested(j, &v->spaced, false))
            return false;
        v->type = *start == '{' ? JSON_OBJECT : JSON_ARRAY;
        v->text = (struct str){start, (size_t)(j->p - start)};
        return true;
    case 't':
        return read_word(j, STR("true"), JSON_BOOL, v);
    case 'f':
        return read_word(j, STR("false"), JSON_BOOL, v);
    case 'n':
        return read_word(j, STR("null"), JSON_NULL, v);
    case 'N': /* not JSON, but what Python writes */
        return read_word(j, STR("NaN"), JSON_NULL, v);
    case 'I':
        return read_word(j, STR("Infinity"), JSON_NULL, v);
    case '-':
        if (j->end - start > 1 && start[1] == 'I')
            return read_word(j, STR("-Infinity"), JSON_NULL, v);
        return read_number(j, v);
    default:
        return read_number(j, v);
    }
}

bool json_read_squeezed(struct json_scan *j, struct json_value *v)
{
    json_skip_space(j);
    if (j->p >= j->end || (*j->p != '{' && *j->p != '['))
        return json_read_value(j, v);
    const char *start = j->p++;
    if (!skip_nested(j, &v->spaced, true))
        return false;
    v->type = *start == '{' ? JSON_OBJECT : JSON_ARRAY;
    v->text = v->spaced ? (struct str){j->squeezed.items, j->squeezed.count}
                        : (struct str){start, (size_t)(j->p - start)};
    return true;
}

bool json_read_key(struct json_scan *j, struct str *key)
{
    return json_take(j, '"') && json_read_string(j, key) && json_take(j, ':');
}

bool json_next_key(struct json_scan *j, bool first, struct str *key, bool *closed)
{
    bool comma = !first && json_take(j, ',');
    *closed = json_take(j, '}');
    if (*closed || (!first && !comma))
        return false;
    return json_read_key(j, key);
}
