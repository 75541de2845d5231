#include "parsers/json/numbers.h"

#include "base/hash.h"
#include "core/trace_builder.h"
#include "parsers/input/json_scan.h"

enum { FIRST = 54000, OF_COMPRESSION = 9, OF_EMPTY = 313, OVERHEAD = 5 };

struct json_numbers json_numbers_begin(bool packed)
{
    return (struct json_numbers){.next = FIRST + (packed ? OF_COMPRESSION : 0)};
}

void json_numbers_release(struct json_numbers *n)
{
    map_release(&n->by_text);
}

static void release_state(void *state)
{
    json_numbers_release(state);
}

struct json_numbers *json_numbers_of(struct trace *t, bool packed)
{
    static const struct trace_state_kind kind = {.size = sizeof(struct json_numbers),
                                                 .release = release_state};
    struct json_numbers *n = trace_state(t, &kind);
    if (n->next == 0)
        *n = json_numbers_begin(packed);
    return n;
}

static uint64_t key_of(struct str text)
{
    return hash_bytes(text.p, text.n, 0);
}

int64_t json_number_of(struct json_numbers *n, struct str text)
{
    if (text.n == 0)
        return OF_EMPTY;
    bool inserted;
    uint32_t *number = map_insert(&n->by_text, key_of(text), &inserted);
    if (inserted) {
        *number = (uint32_t)n->next;
        n->next += (int64_t)text.n + OVERHEAD;
    }
    return *number;
}

void json_numbers_read(struct json_numbers *n, struct str object)
{
    struct json_scan j = json_scan_from(object);
    struct json_value v;
    struct str key;
    bool closed, inserted, good = json_take(&j, '{');
    for (bool first = true; good && json_next_key(&j, first, &key, &closed); first = false) {
        uint64_t text = key_of(key);
        int64_t number;
        good = json_read_value(&j, &v);
        if (good && json_to_i64(v, &number) && number >= 0 && number <= UINT32_MAX)
            *map_insert(&n->by_text, text, &inserted) = (uint32_t)number;
    }
    json_scan_release(&j);
}
