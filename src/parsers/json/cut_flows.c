#include "parsers/json/cut_flows.h"

#include "base/bisect.h"
#include "base/hash.h"
#include "base/merge_sort.h"

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
    struct json_cut_flow_state *flow = flow_of(f, key);
    set_first(&flow->begin, &(struct json_flow_place){ts, number, true});
    flow->is_told = flow->is_told && flow->begin.number != number;
}

void json_cut_flow_left(struct json_cut_flows *f, uint64_t key, int64_t ts, uint64_t number)
{
    set_last(&flow_of(f, key)->left, &(struct json_flow_place){ts, number, true});
}

void json_cut_flow_left_inside(struct json_cut_flows *f, const struct json_cut_event *e)
{
    uint64_t key;
    if (!json_cut_flow(e, &key))
        return;
    flow_of(f, key);
    *vec_push(&f->left) =
        (struct json_flow_link){*(uint32_t *)map_find(&f->by_key, key), {e->ts, e->number, true}};
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
    if (!flow)
        return;
    if (json_cut_begins_flow(e)) {
        if (e->ts >= f->from)
            set_first(&flow->begin, &place);
        if (flow->begin.is_there && e->number == flow->begin.number)
            flow->is_told = is_written;
    } else if (json_cut_steps_flow(e) && is_written) {
        *vec_push(&f->steps) = (struct json_flow_link){*at, place};
    } else if (json_cut_steps_flow(e) && e->felt != JSON_FELT_FLOW_STEP) {
        set_last(&flow->left, &place);
    }
}

static int compare_links(const void *a, const void *b)
{
    const struct json_flow_link *x = a, *y = b;
    if (x->flow != y->flow)
        return x->flow < y->flow ? -1 : 1;
    return is_before(&x->place, &y->place) ? -1 : is_before(&y->place, &x->place);
}

/* Before the begin, steps are in vain. */
static void settle_flow(struct json_cut_flow_state *flow)
{
    bool in_vain = flow->left.is_there && is_before(&flow->left, &flow->begin);
    if (!flow->begin.is_there || in_vain)
        flow->left.is_there = false;
    if (flow->begin.is_there && !flow->is_told)
        set_last(&flow->left, &flow->begin);
}

static bool is_in_vain(const struct json_cut_flows *f, const struct json_flow_link *left)
{
    const struct json_cut_flow_state *flow = &f->flows.items[left->flow];
    return !flow->begin.is_there || is_before(&left->place, &flow->begin);
}

/* How many links of the flow are left out in the window before that place. */
static size_t left_before(const struct json_cut_flows *f, const struct json_flow_link *at)
{
    const struct json_flow_link *items = f->left.items;
    size_t first = BISECT(i, (size_t)0, f->left.count, items[i].flow < at->flow);
    return BISECT(i, first, f->left.count, compare_links(&items[i], at) < 0) - first;
}

void json_cut_flows_settle(struct json_cut_flows *f)
{
    static const struct merge_sort in_order = {sizeof(struct json_flow_link), compare_links, NULL};
    size_t kept = 0;
    for (size_t i = 0; i < f->flows.count; i++)
        settle_flow(&f->flows.items[i]);
    for (size_t i = 0; i < f->left.count; i++)
        if (!is_in_vain(f, &f->left.items[i]))
            f->left.items[kept++] = f->left.items[i];
    f->left.count = kept;
    merge_sort(&in_order, f->left.items, f->left.count);
    merge_sort(&in_order, f->steps.items, f->steps.count);
    const struct json_flow_link *last = NULL;
    for (size_t i = 0; i < f->steps.count; i++) {
        const struct json_flow_link *step = &f->steps.items[i];
        const struct json_cut_flow_state *flow = &f->flows.items[step->flow];
        if (flow->left.is_there && is_before(&step->place, &flow->left))
            continue;
        size_t left = left_before(f, step);
        bool is_first = !last || last->flow != step->flow;
        if (is_first ? flow->left.is_there || left : left != left_before(f, last))
            map_set(&f->begun_by, step->place.number, 0);
        last = step;
    }
}

enum json_flow_change json_cut_flow_change(const struct json_cut_flows *f,
                                           const struct json_cut_event *e)
{
    const struct json_flow_place place = {e->ts, e->number, true};
    const uint32_t *at = find(f, e);
    const struct json_cut_flow_state *flow = at ? &f->flows.items[*at] : NULL;
    if (!flow)
        return JSON_FLOW_STAYS;
    bool left = left_before(f, &(struct json_flow_link){*at, place}) > 0;
    if (!left && !flow->left.is_there)
        return JSON_FLOW_STAYS;
    if ((flow->left.is_there && is_before(&place, &flow->left)) || json_cut_begins_flow(e))
        return JSON_FLOW_GOES;
    return map_find(&f->begun_by, e->number) ? JSON_FLOW_BEGINS : JSON_FLOW_STAYS;
}

int64_t json_cut_flow_id(const struct json_cut_flows *f, const struct json_cut_event *e)
{
    enum { BITS = 52 }; /* so many are told as they are */
    const uint32_t *at = find(f, e);
    if (!at)
        return 0;
    size_t left = left_before(f, &(struct json_flow_link){*at, {e->ts, e->number, true}});
    uint64_t key = 0;
    json_cut_flow(e, &key);
    return left ? (int64_t)(hash_mix(key, left) >> (64 - BITS)) : 0;
}

void json_cut_flows_release(struct json_cut_flows *f)
{
    map_release(&f->by_key);
    map_release(&f->begun_by);
    vec_release(&f->flows);
    vec_release(&f->steps);
    vec_release(&f->left);
}
