#include "parsers/json/order.h"

#include "core/slice_tracker.h"
#include "parsers/input/json_number.h"

void json_order_note(struct json_order *o, char phase, int64_t ts)
{
    if (o->is_given)
        return;
    o->is_complete |= phase == 'X';
    bool breaks = o->begun && (ts < o->latest || (ts == o->latest && o->is_complete));
    if (breaks && (!o->is_broken || ts < o->from))
        o->from = ts;
    o->is_broken |= breaks;
    if (!o->begun || ts > o->latest)
        o->latest = ts;
    o->begun = true;
}

void json_order_give(struct json_order *o, struct json_value from)
{
    int64_t ns;
    if (json_to_i64(from, &ns))
        *o = (struct json_order){.is_complete = true,
                                 .is_given = true,
                                 .is_broken = true,
                                 .from = ns};
}

bool json_order_changes(const struct json_order *o, int64_t ts)
{
    return o->is_complete && o->is_broken && ts >= o->from;
}

bool json_may_end(struct json_called begin, struct json_called end)
{
    return (!end.category || begin.category == end.category) &&
           (!end.name || !begin.name || begin.name == end.name);
}

static void go_to(struct json_begun *begun, int64_t ts)
{
    if (begun->ts != ts)
        begun->open.count = 0;
    begun->ts = ts;
}

void json_begun_add(struct json_begun *begun, int64_t ts, struct json_called begin)
{
    go_to(begun, ts);
    if (begun->open.count < SLICES_DEEPEST)
        *vec_push(&begun->open) = begin;
}

bool json_end_is_first(struct json_begun *begun, int64_t ts, struct json_called end)
{
    go_to(begun, ts);
    for (size_t i = begun->open.count; i-- > 0;)
        if (json_may_end(begun->open.items[i], end)) {
            begun->open.count = i;
            return false;
        }
    return true;
}

void json_begun_release(struct json_begun *begun)
{
    vec_release(&begun->open);
}
