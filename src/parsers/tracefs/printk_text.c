#include "parsers/tracefs/printk_text.h"

#include <stdio.h>

#include "base/hash.h"
#include "core/counter.h"
#include "core/trace_builder.h"

enum { NAME_MAX_BYTES = 128 };

/* "word: ", of a word without blanks. */
static struct str take_label(struct str *rest)
{
    size_t n = str_find(*rest, ':');
    struct str label = str_from_to(*rest, 0, n);
    if (n == rest->n || str_find(label, ' ') < n || str_find(label, '=') < n)
        return (struct str){rest->p, 0};
    *rest = str_trim(str_skip(*rest, n + 1));
    return label;
}

static bool split_pair(struct str word, struct str *key, double *value)
{
    size_t equals = str_find(word, '=');
    *key = str_from_to(word, 0, equals);
    if (equals == 0 || equals == word.n)
        return false;
    struct str number = str_skip(word, equals + 1);
    if (str_ends(number, STR(",")))
        number.n--;
    return str_to_f64(number, value);
}

static void push_counter(struct trace *t, uint32_t machine, int64_t ts, struct str label,
                         struct str key, double value)
{
    char text[NAME_MAX_BYTES];
    int n = snprintf(text, sizeof text, "%.*s%s%.*s", (int)(label.n < 60 ? label.n : 60), label.p,
                     label.n ? " " : "", (int)(key.n < 60 ? key.n : 60), key.p);
    string_id name = trace_intern(t, (struct str){text, (size_t)n});
    struct track_spec spec = {
        .type = "trace_printk_counter",
        .event_type = TRACK_COUNTER,
        .machine = machine,
        .dimension_count = 1,
        .dimensions = {{.key = "name", .type = ARG_STRING, .s = name}},
        .name = name,
    };
    counter_push(t, ts, track_intern(t, &spec), value);
}

/* Whether all of the text are pairs of names and numbers, which are counters: a hash of them. */
static bool has_counters(struct str label, struct str text, uint64_t *hash)
{
    struct str key;
    double value;
    bool any = false;
    *hash = hash_bytes(label.p, label.n, 1);
    while (text.n > 0) {
        struct str word = str_from_to(text, 0, str_find(text, ' '));
        text = str_trim(str_skip(text, word.n));
        if (!split_pair(word, &key, &value))
            return false;
        *hash = hash_mix(*hash, hash_bytes(key.p, key.n, 1)) | 1;
        any = true;
    }
    return any;
}

static void push_counters(struct trace *t, uint32_t machine, int64_t ts, struct str label,
                          struct str text)
{
    struct str key;
    double value;
    while (text.n > 0) {
        struct str word = str_from_to(text, 0, str_find(text, ' '));
        text = str_trim(str_skip(text, word.n));
        if (split_pair(word, &key, &value))
            push_counter(t, machine, ts, label, key, value);
    }
}

/* What stands in front of the pairs: function or address, and a name, which is the label. */
static struct str take_labels(struct str *rest)
{
    struct str label, last = {rest->p, 0};
    for (int i = 0; i < 2 && (label = take_label(rest)).n > 0; i++)
        last = label;
    return last;
}

uint64_t printk_text_counters(struct str text)
{
    struct str rest = str_trim(text), label = take_labels(&rest);
    uint64_t hash;
    return has_counters(label, rest, &hash) ? hash : 0;
}

void printk_text_apply(struct trace *t, uint32_t machine, int64_t ts, uint32_t utid,
                       struct str text)
{
    struct str rest = str_trim(text), whole = rest, label = take_labels(&rest);
    uint64_t hash;
    if (has_counters(label, rest, &hash)) {
        push_counters(t, machine, ts, label, rest);
        return;
    }
    struct str name = whole;
    take_label(&name);
    slice_complete(t, ts, 0, track_thread(t, utid), trace_intern(t, STR("trace_printk")),
                   trace_intern(t, name.n ? name : whole));
}
