#include "parsers/json/cut_flows.h"

static bool is_before(const struct json_flow_place *a, const struct json_flow_place *b)
{
    return a->ts != b->ts ? a->ts < b->ts : a->number < b->number;
}

static void set_first(struct json_flow_place *first, const struct json_flow_place *place)
{
    if (!first->is_there || is_before(place, first))
        *first = *place;
}

static void set_last(struct json_flow_place *last, const struct json_flow_place *place)
{
    if (!last->is_there || is_before(last, place))
        *last = *place;
}

static struct json_cut_flow_state *flow_of(struct json_cut_flows *f, uint64_t key)
{
    bool inserted;
    uint32_t *at = map_insert(&f->by_key, key, &inserted);
    if (inserted) {
        *at = (uint32_t)f->flows.count;
        *vec_push(&f->flows) = (struct json_cut_flow_state){.is_told = false};
    }
    return &f->flows.items[*at];
}

void json_cut_flow_begun(struct json_cut_flows *f, uint64_t key, int64_t ts, uint64_t number)
{
    set_first(&flow_of(f, key)->begin, &(struct json_flow_place){ts, number, true});
}

void json_cut_flow_left(struct json_cut_flows *f, uint64_t key, int64_t ts, uint64_t number)
{
    set_last(&flow_of(f, key)->left, &(struct json_flow_place){ts, number, true});
}

static const uint32_t *find(const struct json_cut_flows *f, const struct json_cut_event *e)
{
    uint64_t key;
    return f->flows.count && json_cut_flow(e, &key) ? map_find(&f->by_key, key) : NULL;
}

void json_cut_flow_seen(struct json_cut_flows *f, const struct json_cut_event *e, bool is_written)
{
    const struct json_flow_place place = {e->ts, e->number, true};
    const uint32_t *at = find(f, e);
    struct json_cut_flow_state *flow = at ? &f->flows.items[*at] : NULL;
    if (!flow || !flow->begin.is_there)
        return;
    if (e->number == flow->begin.number)
        flow->is_told = is_written;
    else if (json_cut_steps_flow(e) && is_written)
        *vec_push(&f->steps) = (struct json_flow_step){*at, place};
    else if (json_cut_steps_flow(e) && e->felt != JSON_FELT_FLOW_STEP)
        set_last(&flow->left, &place);
}

void json_cut_flows_settle(struct json_cut_flows *f)
{
    for (size_t i = 0; i < f->flows.count; i++) {
        struct json_cut_flow_state *flow = &f->flows.items[i];
        bool in_vain = flow->left.is_there && is_before(&flow->left, &flow->begin);
        if (!flow->begin.is_there || in_vain)
            flow->left.is_there = false;
        if (flow->begin.is_there && !flow->is_told)
            set_last(&flow->left, &flow->begin);
    }
    for (size_t i = 0; i < f->steps.count; i++) {
        const struct json_flow_step *step = &f->steps.items[i];
        struct json_cut_flow_state *flow = &f->flows.items[step->flow];
        if (flow->left.is_there && is_before(&flow->left, &step->place))
            set_first(&flow->next, &step->place);
    }
}

enum json_flow_change json_cut_flow_change(const struct json_cut_flows *f,
                                           const struct json_cut_event *e)
{
    const struct json_flow_place place = {e->ts, e->number, true};
    const uint32_t *at = find(f, e);
    const struct json_cut_flow_state *flow = at ? &f->flows.items[*at] : NULL;
    if (!flow || !flow->left.is_there)
        return JSON_FLOW_STAYS;
    if (is_before(&place, &flow->left) || json_cut_begins_flow(e))
        return JSON_FLOW_GOES;
    bool begins = flow->next.is_there && flow->next.number == e->number;
    return begins ? JSON_FLOW_BEGINS : JSON_FLOW_STAYS;
}

void json_cut_flows_release(struct json_cut_flows *f)
{
    map_release(&f->by_key);
    vec_release(&f->flows);
    vec_release(&f->steps);
}
