#include "parsers/tracefs/text_args.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "parsers/tracefs/event_text.h"

struct text_args {
    struct trace *trace;
    uint32_t decoder;
    string_id text, ret;
};

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* "key=value" or "key:": where the value begins; 0 where it is no such word. */
static size_t value_of(struct str word)
{
    size_t n = 0;
    while (n < word.n && is_name(word.p[n]))
        n++;
    if (n == 0 || n == word.n || (word.p[0] >= '0' && word.p[0] <= '9') ||
        (word.p[n] != '=' && word.p[n] != ':'))
        return 0;
    return n + 1;
}

/* A word is no number only because its letters are hexadecimal digits. */
static bool is_number(struct str word, int64_t *number)
{
    enum { ADDRESS_DIGITS = 16 };
    bool begins = word.n > 0 && ((word.p[0] >= '0' && word.p[0] <= '9') || word.p[0] == '-');
    return (begins || word.n == ADDRESS_DIGITS) && event_text_number(word, number);
}

static void add_value(struct trace *t, struct str key, struct str value, struct arg_list *out)
{
    int64_t number;
    string_id id = trace_intern(t, key);
    while (value.n && (value.p[value.n - 1] == ',' || value.p[value.n - 1] == ';'))
        value.n--;
    if (is_number(value, &number))
        arg_list_int(out, id, number);
    else
        arg_list_str(out, id, trace_intern(t, value));
}

static void read_event(struct text_args *a, struct str text, struct arg_list *out)
{
    struct str rest = text, word;
    bool more = false;
    while ((word = str_take_word(&rest)).n > 0) {
        size_t at = value_of(word);
        struct str value = str_skip(word, at);
        if (at > 0 && value.n == 0 && word.p[at - 1] == ':')
            value = str_take_word(&rest);
        if (at > 0)
            add_value(a->trace, str_from_to(word, 0, at - 1), value, out);
        more |= at == 0;
    }
    if (more)
        arg_list_str(out, a->text, trace_intern(a->trace, text));
}

/* Where the argument ends: at a comma outside of a text. */
static size_t end_of_argument(struct str text)
{
    bool quoted = false;
    for (size_t i = 0; i < text.n; i++) {
        if (quoted && text.p[i] == '\\')
            i++;
        else if (text.p[i] == '"')
            quoted = !quoted;
        else if (text.p[i] == ',' && !quoted)
            return i;
    }
    return text.n;
}

/* "7ffd2e2c", "-100", "7ffd2e2c \"the text that is there\"" */
static void add_argument(struct trace *t, struct str key, struct str value, struct arg_list *out)
{
    uint64_t bits;
    int64_t number;
    struct str text = str_behind(value, str_find(value, '"'));
    if (str_ends(text, STR("\"")))
        arg_list_str(out, trace_intern(t, key), trace_intern(t, str_from_to(text, 0, text.n - 1)));
    else if (str_to_u64(value, 16, &bits))
        arg_list_uint(out, trace_intern(t, key), bits);
    else if (str_to_i64(value, &number))
        arg_list_int(out, trace_intern(t, key), number);
}

static void read_call(struct text_args *a, struct str text, struct arg_list *out)
{
    while (text.n > 0) {
        size_t n = end_of_argument(text);
        struct str arg = str_from_to(text, 0, n);
        size_t colon = str_find(arg, ':');
        if (colon < arg.n)
            add_argument(a->trace, str_trim(str_from_to(arg, 0, colon)),
                         str_trim(str_skip(arg, colon + 1)), out);
        text = str_behind(text, n);
    }
}

void text_args_read(struct text_args *a, enum text_words words, struct str text,
                    struct arg_list *out)
{
    int64_t value;
    if (words == TEXT_CALL)
        read_call(a, text, out);
    else if (words == TEXT_RETURN && event_text_number(text, &value))
        arg_list_int(out, a->ret, value);
    else
        read_event(a, text, out);
}

static void decode(void *self, uint32_t context, const uint8_t *payload, size_t n,
                   struct arg_list *out)
{
    text_args_read(self, (enum text_words)context, (struct str){(const char *)payload, n}, out);
}

static struct text_args *add_decoder(struct trace *t)
{
    struct text_args *a = alloc_array(1, sizeof *a);
    a->trace = t;
    a->text = trace_intern(t, STR("text"));
    a->ret = trace_intern(t, STR("ret"));
    a->decoder = args_add_decoder(&t->args, (struct args_decoder){.decode = decode,
                                                                  .free = free,
                                                                  .self = a,
                                                                  .name = TEXT_ARGS_NAME});
    return a;
}

struct text_args *text_args_of(struct trace *t)
{
    uint32_t last = args_last_decoder(&t->args, decode);
    return last == NULL_U32 ? add_decoder(t) : t->args.decoders.items[last].self;
}

bool text_args_restore(struct trace *t, struct byte_reader state)
{
    add_decoder(t);
    return !state.failed;
}

uint32_t text_args_kind(struct text_args *a, enum text_words words)
{
    return args_kind(&a->trace->args, a->decoder, (uint32_t)words);
}

/* What stands behind the last '=' that is followed by something. */
static struct str last_value(struct str word)
{
    while (word.n && word.p[word.n - 1] == '=')
        word.n--;
    size_t last = word.n;
    while (last > 0 && word.p[last - 1] != '=')
        last--;
    return str_skip(word, last);
}

static bool has_key(struct str word, struct str key)
{
    return word.n > key.n && word.p[key.n] == '=' && memcmp(word.p, key.p, key.n) == 0;
}

uint32_t text_args_find_all(struct str text, const struct str *keys, struct str *values,
                            uint32_t count)
{
    uint32_t found = 0, all = ((uint32_t)1 << count) - 1, expected = 0;
    while (text.n > 0 && found != all) {
        size_t n = 0;
        while (n < text.n && text.p[n] == ' ')
            n++;
        text = str_skip(text, n);
        struct str word = str_from_to(text, 0, str_find(text, ' '));
        uint32_t k = expected;
        for (uint32_t tries = 0; tries < count; tries++, k = k + 1 < count ? k + 1 : 0)
            if (!(found >> k & 1) && has_key(word, keys[k])) {
                values[k] = last_value(str_skip(word, keys[k].n + 1));
                found |= (uint32_t)1 << k;
                expected = k + 1 < count ? k + 1 : 0;
                break;
            }
        text = str_skip(text, word.n);
    }
    return found;
}

bool text_args_find(struct str text, struct str key, struct str *value)
{
    return text_args_find_all(text, &key, value, 1) != 0;
}

bool text_args_number(struct str text, struct str key, int64_t *value)
{
    struct str word;
    return text_args_find(text, key, &word) && str_to_i64(word, value);
}
