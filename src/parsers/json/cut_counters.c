#include "parsers/json/cut_counters.h"

#include "base/hash.h"
#include "parsers/input/json_number.h"

static uint64_t key_of(const struct json_cut_event *e, struct str key)
{
    return hash_mix(hash_mix(hash_mix(e->process, e->name), e->text_id),
                    hash_bytes(key.p, key.n, 0));
}

static void note_value(struct json_cut_counters *c, const struct json_cut_event *e, uint64_t key)
{
    bool inserted;
    uint32_t *at = map_insert(&c->by_key, key, &inserted);
    if (inserted) {
        *at = (uint32_t)c->last.count;
        *vec_push(&c->last) = (struct json_cut_value){e->ts, e->number};
    } else if (e->ts >= c->last.items[*at].ts) {
        c->last.items[*at] = (struct json_cut_value){e->ts, e->number};
    }
}

void json_cut_counters_note(struct json_cut_counters *c, const struct json_cut_event *e)
{
    struct json_scan j = json_scan_from(e->args);
    struct str key;
    struct json_value v;
    double value;
    bool closed;
    json_take(&j, '{');
    for (bool first = true; json_next_key(&j, first, &key, &closed); first = false) {
        uint64_t counter = key_of(e, key);
        if (!json_read_value(&j, &v))
            break;
        if (json_to_f64(v, &value))
            note_value(c, e, counter);
    }
    json_scan_release(&j);
}

void json_cut_counters_select(const struct json_cut_counters *c, struct selection *selected)
{
    for (size_t i = 0; i < c->last.count; i++)
        selection_keep(selected, c->last.items[i].ts, c->last.items[i].number);
}

bool json_cut_counters_last(const struct json_cut_counters *c, const struct json_cut_event *e,
                            struct str key)
{
    const uint32_t *at = map_find(&c->by_key, key_of(e, key));
    return at && c->last.items[*at].number == e->number;
}

void json_cut_counters_release(struct json_cut_counters *c)
{
    map_release(&c->by_key);
    vec_release(&c->last);
    *c = (struct json_cut_counters){0};
}
